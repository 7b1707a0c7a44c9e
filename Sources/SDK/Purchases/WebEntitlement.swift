package import CivilTime
internal import Expressions
internal import RuleEngine

/// An entitlement bought on the web, and its end.
package struct WebEntitlement: Hashable, Sendable {
  package var entitlement: Entitlement
  /// Nil if it does not expire, according to the backend.
  package var expiresAt: Instant?
}

/// The purchases on the web in a backend's answer.
package struct WebAnswer: Hashable, Sendable {
  /// The active ones.
  package var active: [WebEntitlement] = []
  /// Whether the answer names no entitlement at all, not even an inactive one. Such an answer
  /// removes only expired entitlements. Any other replaces the known ones.
  package var isEmpty = true

  package init() {}

  /// Reads `customerInfo`, or the list beside it if `customerInfo` has none.
  init(decoding answer: Value) {
    let lists = [answer["customerInfo"]?["entitlements"], answer["entitlements"]]
    guard let named = lists.first(where: { $0?.elements?.isEmpty == false }) else { return }
    active = WebEntitlement.list(named)
    isEmpty = false
  }
}

extension WebEntitlement {
  /// Reads a list of entitlements from the wire, without inactive ones.
  static func list(_ value: Value?) -> [WebEntitlement] {
    (value?.elements ?? []).compactMap { element in
      Entitlement.decode(wire: .list([element])).first.map {
        WebEntitlement(entitlement: $0, expiresAt: instant(element["expiresAt"]))
      }
    }
  }

  /// Milliseconds since 1970, or ISO 8601, because endpoints differ.
  private static func instant(_ value: Value?) -> Instant? {
    if let milliseconds = value?.wholeNumber { return Instant(milliseconds: Int64(milliseconds)) }
    return value?.text.flatMap { try? WireTime.instant($0) }
  }

  /// The stored form, which `decode` reads.
  var value: Value {
    .members([
      "id": .string(entitlement.id), "type": .string(entitlement.type),
      "expiresAt": expiresAt.map { .int($0.milliseconds) },
    ])
  }
}

package import CivilTime
internal import Expressions
internal import RuleEngine

/// What was bought on the web, and until when.
package struct WebEntitlement: Hashable, Sendable {
  package var entitlement: Entitlement
  /// Nil for what does not expire, as far as the backend says.
  package var expiresAt: Instant?
}

/// What a backend's answer says of purchases on the web.
package struct WebAnswer: Hashable, Sendable {
  /// Those that are active.
  package var active: [WebEntitlement] = []
  /// Whether the answer names no entitlement at all, not even an inactive one. Such an answer takes away
  /// only what has expired; any other replaces what was known.
  package var isEmpty = true

  package init() {}

  /// Reads `customerInfo`, or the list beside it if `customerInfo` names nothing.
  init(decoding answer: Value) {
    let lists = [answer["customerInfo"]?["entitlements"], answer["entitlements"]]
    guard let named = lists.first(where: { $0?.elements?.isEmpty == false }) else { return }
    active = WebEntitlement.list(named)
    isEmpty = false
  }
}

extension WebEntitlement {
  /// Reads a list of entitlements of the wire without those that are inactive.
  static func list(_ value: Value?) -> [WebEntitlement] {
    (value?.elements ?? []).compactMap { element in
      Entitlement.decode(wire: .list([element])).first.map {
        WebEntitlement(entitlement: $0, expiresAt: instant(element["expiresAt"]))
      }
    }
  }

  /// Milliseconds since 1970, or ISO 8601, as endpoints differ.
  private static func instant(_ value: Value?) -> Instant? {
    if let milliseconds = value?.wholeNumber { return Instant(milliseconds: Int64(milliseconds)) }
    return value?.text.flatMap { try? WireTime.instant($0) }
  }

  /// As it is stored, which `decode` reads.
  var value: Value {
    .members([
      "id": .string(entitlement.id), "type": .string(entitlement.type),
      "expiresAt": expiresAt.map { .int($0.milliseconds) },
    ])
  }
}

package import CivilTime
internal import Expressions
internal import RuleEngine

/// An entitlement bought on the web, and the time at which it ends.
package struct WebEntitlement: Hashable, Sendable {
  package var entitlement: Entitlement
  /// The time at which the entitlement expires. Nil if the backend names no end.
  package var expiresAt: Instant?
}

/// The purchases on the web in a backend's answer.
package struct WebAnswer: Hashable, Sendable {
  /// The active entitlements.
  package var active: [WebEntitlement] = []
  /// Whether the answer contains no entitlements, active or inactive. An empty answer removes only expired
  /// entitlements. Any other answer replaces the known entitlements.
  package var isEmpty = true

  package init() {}

  /// Reads the entitlements in `customerInfo`, or the separate list if `customerInfo` has no entitlements.
  init(decoding answer: Value) {
    let lists = [answer["customerInfo"]?["entitlements"], answer["entitlements"]]
    guard let named = lists.first(where: { $0?.elements?.isEmpty == false }) else { return }
    active = WebEntitlement.list(named)
    isEmpty = false
  }
}

extension WebEntitlement {
  /// Reads the active entitlements of a list from the backend.
  static func list(_ value: Value?) -> [WebEntitlement] {
    (value?.elements ?? []).compactMap { element in
      Entitlement.decode(wire: .list([element])).first.map {
        WebEntitlement(entitlement: $0, expiresAt: instant(element["expiresAt"]))
      }
    }
  }

  /// Reads milliseconds since 1970 or ISO 8601, because endpoints differ.
  private static func instant(_ value: Value?) -> Instant? {
    if let milliseconds = value?.wholeNumber { return Instant(milliseconds: Int64(milliseconds)) }
    return value?.text.flatMap { try? WireTime.instant($0) }
  }

  /// The entitlement as JSON, for storing. `decode` reads this form.
  var value: Value {
    .members([
      "id": .string(entitlement.id), "type": .string(entitlement.type),
      "expiresAt": expiresAt.map { .int($0.milliseconds) },
    ])
  }
}

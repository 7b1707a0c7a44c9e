package import CivilTime
internal import Expressions
internal import RuleEngine

/// What was bought on the web, and until when.
package struct WebEntitlement: Hashable, Sendable {
  package var entitlement: Entitlement
  /// Nil for what does not expire, as far as the backend says.
  package var expiresAt: Instant?
}

extension WebEntitlement {
  /// What an answer says: `customerInfo` says it best, and the list beside it may be empty.
  static func decode(_ answer: Value) -> [WebEntitlement] {
    let customer = list(answer["customerInfo"]?["entitlements"])
    return customer.isEmpty ? list(answer["entitlements"]) : customer
  }

  /// Reads a list of entitlements of the wire; what is said to be inactive is left out.
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

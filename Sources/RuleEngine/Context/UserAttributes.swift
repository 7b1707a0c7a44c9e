internal import CivilTime
package import Expressions

/// The rules for setting user attributes and placement parameters.
package enum UserAttributes {
  /// Attributes that only the SDK itself may set.
  private static let reserved: Set<String> = [
    "aliasId", "seed", "appUserId", "applicationInstalledAt",
  ]

  /// Sets attributes. A new value overwrites the old value, and null removes the attribute. Names that begin with `$`
  /// and names of the SDK's own attributes are ignored.
  ///
  /// - Parameter new: a map of attributes. Other values are ignored.
  package static func merge(_ new: Value, into attributes: inout [String: Value]) {
    for entry in entries(new) {
      guard let name = entry.key.text, !name.hasPrefix("$"), !reserved.contains(name)
      else { continue }
      attributes[name] = entry.value == .null ? nil : entry.value
    }
  }

  static func entries(_ value: Value) -> [Value.Entry] {
    if case .map(let entries) = value { entries } else { [] }
  }
}

/// The parameters of a placement that rules read: the app's parameters, and the parameters that the SDK adds.
package struct PlacementParams: Hashable, Sendable {
  /// All parameters, as a map.
  package let value: Value

  /// Converts the app's parameters for rules. Names that begin with `$`, nulls and lists are dropped, maps stay, and
  /// times become ISO 8601 strings.
  package static func cleaned(_ custom: Value) -> Value {
    .map(
      UserAttributes.entries(custom).compactMap { entry in
        guard let name = entry.key.text, !name.hasPrefix("$") else { return nil }
        switch entry.value {
        case .null, .list: return nil
        case .timestamp(let seconds, let nanoseconds):
          let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds).map(Instant.init)
          return time?.text.map { Value.Entry(key: entry.key, value: .string($0)) }
        default: return entry
        }
      })
  }

  /// Cleans the app's parameters, and adds the parameters of the SDK.
  ///
  /// - Parameters:
  ///   - isStandardEvent: whether the SDK itself raised the placement.
  ///   - isFeatureGatable: whether a feature waits for the outcome.
  package init(
    placement: String, custom: Value, isStandardEvent: Bool, isFeatureGatable: Bool,
    sessionID: String
  ) {
    let added: Value = .object([
      "$is_standard_event": .bool(isStandardEvent), "$event_name": .string(placement),
      "event_name": .string(placement), "$is_feature_gatable": .bool(isFeatureGatable),
      "$app_session_id": .string(sessionID),
    ])
    let own = UserAttributes.entries(Self.cleaned(custom)).filter { $0.key != "event_name" }
    value = .map(own + UserAttributes.entries(added))
  }
}

internal import Expressions

/// Splits the SDK's state into records, so that only changed records are written. Each member is a record, and so is
/// each entry of members that can grow.
package enum StateRecords {
  private static let objects = ["userAttributes", "integrationAttributes"]
  private static let lists = ["assignments"]

  /// The records of a state, which is an object.
  package static func records(of state: Value) -> [String: Value] {
    var records: [String: Value] = [:]
    for member in state.members ?? [] {
      let key = StorageKey.state + StorageKey.escape(member.key)
      if objects.contains(member.key), let members = member.value.members {
        for part in members { records["\(key)/\(StorageKey.escape(part.key))"] = part.value }
      } else if lists.contains(member.key), let elements = member.value.elements {
        for (place, element) in elements.enumerated() { records["\(key)/\(place)"] = element }
      } else {
        records[key] = member.value
      }
    }
    return records
  }

  /// The state that records were split from.
  package static func state(of records: [String: Value]) -> Value {
    var members: [Value.Entry] = []
    var parts: [String: [(name: Substring, value: Value)]] = [:]
    for (key, value) in records {
      let path = key.dropFirst(StorageKey.state.count).split(
        separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      if path.count == 2 {
        parts[String(path[0]), default: []].append((path[1], value))
      } else if let name = path.first {
        members.append(.init(key: .string(StorageKey.unescape(name)), value: value))
      }
    }
    for (name, parts) in parts {
      let value: Value =
        lists.contains(name)
        ? .list(parts.sorted { Int($0.name) ?? 0 < Int($1.name) ?? 0 }.map(\.value))
        : .map(
          parts.sorted { $0.name < $1.name }.map {
            .init(key: .string(StorageKey.unescape($0.name)), value: $0.value)
          })
      members.append(.init(key: .string(name), value: value))
    }
    return .map(members)
  }

  /// The changes that turn one set of records into another.
  static func changes(from old: [String: Value], to new: [String: Value]) -> [StorageChange] {
    new.filter { old[$0.key] != $0.value }.map { .set($0.key, $0.value) }
      + old.keys.filter { new[$0] == nil }.map { .remove($0) }
  }

  /// The problems in a state whose shape this version does not expect.
  static func faults(in state: Value) -> [String] {
    (state.members ?? []).compactMap { member in
      kinds[member.key].map { $0(member.value) } == false ? member.key : nil
    }
  }

  private static let kinds: [String: @Sendable (Value) -> Bool] = {
    let isNumber: @Sendable (Value) -> Bool = { $0.wholeNumber != nil }
    let isText: @Sendable (Value) -> Bool = { $0.text != nil }
    let isObject: @Sendable (Value) -> Bool = { $0.isObject }
    let isList: @Sendable (Value) -> Bool = { $0.elements != nil }
    return [
      "appUserId": isText, "aliasId": isText, "deviceId": isText, "seed": isNumber,
      "status": isObject, "pendingCheckout": isObject, "pendingPurchases": isList,
      "customerInfo": isObject,
      "userAttributes": isObject,
      "integrationAttributes": isObject, "assignments": isList, "surveys": isList,
      "codes": isList, "userCodes": isList, "webEntitlements": isList, "webRefreshedAt": isNumber,
      "installedAt": isNumber, "totalPaywallViews": isNumber, "lastPaywallView": isNumber,
      "closedAt": isNumber, "hasExpired": { $0.truth != nil },
    ]
  }()
}

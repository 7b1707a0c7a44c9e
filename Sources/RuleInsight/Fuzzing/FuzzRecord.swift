internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine

/// Makes generated user records consistent where one part depends on another, as in real users' records.
struct FuzzRecord {
  /// Paths that rules or invariants read.
  private let reads: Set<[String]>
  private let platform: Platform?
  /// A possible entitlement.
  private let entitlement: String
  /// Whether audiences skip owners of entitlements. Entitlements are then stored where the guards
  /// look for them.
  private let hasGuards: Bool

  private static let status = ["device", DeviceAttribute.subscriptionStatus.rawValue]
  private static let active = ["device", DeviceAttribute.activeEntitlements.rawValue]
  private static let minutesOfADay: Int64 = 1_440

  init(_ reads: Set<[String]>, platform: Platform?, entitlement: String, hasGuards: Bool) {
    self.hasGuards = hasGuards
    self.reads = reads
    self.platform = platform
    self.entitlement = entitlement
  }

  /// The entitlements that the user owns.
  static func entitlements(of record: Value) -> [Value] {
    let listed = record.value(at: active) ?? record[UserMember.entitlements.key]
    return listed?.elements ?? []
  }

  /// The record after its dependent parts were made consistent.
  func consistent(_ record: Value) -> Value {
    var record = SettledRecord.stripped(owning(record))
    for (source, derived, isVersion) in [
      ("appVersion", "appVersionPadded", true), ("sdkVersion", "sdkVersionPadded", true),
      ("daysSinceInstall", "minutesSinceInstall", false),
      ("daysSinceLastPaywallView", "minutesSinceLastPaywallView", false),
    ] {
      let path = ["device", derived]
      guard reads.contains(path) else { continue }
      switch record.value(at: ["device", source]) {
      case .string(let version)? where isVersion:
        let padded = PaddedVersion.text(version, width: platform == .web ? 4 : 3)
        record = record.setting(path[...], to: .string(padded))
      case .int(let days)? where !isVersion && days >= 0 && days < 1_000_000:
        if case .int(let minutes)? = record.value(at: path), minutes / Self.minutesOfADay == days {
          continue
        }
        record = record.setting(path[...], to: .int(days * Self.minutesOfADay))
      default: continue
      }
    }
    return record
  }

  /// Users with entitlements are subscribed, and vice versa.
  private func owning(_ record: Value) -> Value {
    var record = record
    let (statusKey, ownedKey) = (UserMember.status.key, UserMember.entitlements.key)
    if record.value(at: Self.status) != nil { record = record.setting([statusKey], to: nil) }
    if let active = record.value(at: Self.active) {
      record = record.setting([ownedKey], to: hasGuards && active.elements != nil ? active : nil)
      if hasGuards, active.elements != nil { record = record.setting(Self.active[...], to: nil) }
    }
    let status = record.value(at: Self.status) ?? record[statusKey]
    let owned = Self.entitlements(of: record)
    if !owned.isEmpty {
      guard status != .string("ACTIVE"), status != nil || reads.contains(Self.status) else {
        return record
      }
      let path = record.value(at: Self.status) == nil ? [statusKey] : Self.status
      return record.setting(path[...], to: "ACTIVE")
    }
    guard status == .string("ACTIVE"),
      reads.contains(Self.active) || reads.contains([ownedKey])
    else { return record }
    let path = record.value(at: Self.active) == nil ? [ownedKey] : Self.active
    return record.setting(path[...], to: .list([.string(entitlement)]))
  }

  // MARK: Simplicity

  /// The amount of data in a record that a person has to read.
  static func cost(of record: Value) -> Int {
    let key = UserMember.userID.key
    let id = record[key]?.text
    return cost(record.setting([key], to: nil))
      + (id == WitnessRecord.userID ? 0 : 1 + (id?.utf8.count ?? 0))
  }

  /// The number of attributes in a record, and of other members except the user's ID.
  static func attributes(of record: Value) -> Int {
    guard case .map(let members) = record else { return 0 }
    return members.reduce(0) { sum, member in
      switch member.key.text {
      case "userId": sum
      case "user", "device", "params", "occurrences", "events": sum + leaves(member.value)
      default: sum + 1
      }
    }
  }

  private static func leaves(_ value: Value) -> Int {
    guard case .map(let entries) = value, !entries.isEmpty else { return 1 }
    return entries.reduce(0) { $0 + leaves($1.value) }
  }

  /// The amount of data in a value that a person has to read. Less is simpler.
  static func cost(_ value: Value?) -> Int {
    switch value {
    case nil: 0
    case .bool?: 1
    case .int(let number)?:
      2 + (number < 0 ? 2 : 0) + String(number.magnitude).utf8.count
    case .uint(let number)?: 6 + String(number).utf8.count
    case .double(let number)?: 6 + number.description.utf8.count
    case .string(let text)?:
      3 + text.utf8.count
        + (text.isEmpty ? 6 : 0)
        + (text.utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? 0 : 20)
    case .list(let elements)?: elements.reduce(4) { $0 + cost($1) }
    case .map(let entries)?: entries.reduce(10) { $0 + 2 + cost($1.value) }
    default: 12
    }
  }

  /// Variants of the record, each without one of its parts, the largest part first.
  static func reductions(of record: Value) -> [Value] {
    var paths: [[String]] = []
    guard case .map(let members) = record else { return [] }
    for member in members {
      guard let name = member.key.text, name != UserMember.userID.key else { continue }
      paths.append([name])
    }
    for path in paths { collect(record.value(at: path), path, &paths) }
    var reductions = paths.map { cleaned(record.setting($0[...], to: nil)) }
    for path in paths {
      guard case .list(let elements)? = record.value(at: path), elements.count > 1 else { continue }
      for i in elements.indices {
        var fewer = elements
        fewer.remove(at: i)
        reductions.append(record.setting(path[...], to: .list(fewer)))
      }
    }
    return reductions
  }

  private static func collect(_ value: Value?, _ path: [String], _ paths: inout [[String]]) {
    guard case .map(let entries)? = value, path.count < 5 else { return }
    for entry in entries {
      guard let name = entry.key.text else { continue }
      paths.append(path + [name])
      collect(entry.value, path + [name], &paths)
    }
  }

  /// The record without members that are empty maps.
  static func cleaned(_ record: Value) -> Value {
    guard case .map(let members) = record else { return record }
    return .map(members.filter { $0.value != .map([]) || $0.key.text == UserMember.userID.key })
  }
}

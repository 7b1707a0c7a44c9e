package import Expressions
package import Pricing
internal import RuleEngine

/// Pairs of device attributes that depend on each other: a version and its padded form, or the days
/// and minutes since an event. A user has both attributes of a pair or neither.
package struct DerivedAttributes {
  private enum Relation {
    case padded, minutes
  }

  private static let pairs: [(source: DeviceAttribute, derived: DeviceAttribute, Relation)] = [
    (.appVersion, .appVersionPadded, .padded), (.sdkVersion, .sdkVersionPadded, .padded),
    (.daysSinceInstall, .minutesSinceInstall, .minutes),
    (.daysSinceLastPaywallView, .minutesSinceLastPaywallView, .minutes),
  ]
  private static let minutesOfADay: Int64 = 1_440

  /// The pairs whose two values are in the record and agree.
  private let kept: [(source: AttributePath, derived: AttributePath, Relation)]
  private let record: Value
  private let width: Int

  package init(_ record: Value, on platform: Platform?) {
    self.record = record
    let width = platform == .web ? 4 : 3
    self.width = width
    kept = Self.pairs.compactMap { source, derived, relation in
      let paths = [source, derived].map { AttributePath([UserMember.device.key, $0.rawValue]) }
      guard let first = record.value(at: paths[0].names),
        let second = record.value(at: paths[1].names),
        Self.agree(first, second, relation, width)
      else { return nil }
      return (paths[0], paths[1], relation)
    }
  }

  private static func agree(_ source: Value, _ derived: Value, _ relation: Relation, _ width: Int)
    -> Bool
  {
    switch (relation, source, derived) {
    case (.padded, .string(let version), .string(let padded)):
      PaddedVersion.text(version, width: width) == padded
    case (.minutes, .int(let days), .int(let minutes)):
      minutes >= 0 && minutes / minutesOfADay == days
    default: false
    }
  }

  /// Adjusts the attributes that depend on changed attributes.
  ///
  /// - Parameters:
  ///   - changed: the record with other values at some paths.
  ///   - paths: the paths of the changed values.
  /// - Returns: the paths of the adjusted values; nil when both attributes of a pair were changed
  ///   and do not agree.
  package func follow(_ changed: inout Value, _ paths: [AttributePath]) -> [AttributePath]? {
    var followed: [AttributePath] = []
    for (source, derived, relation) in kept {
      let isChanged = (paths.contains(source), paths.contains(derived))
      let first = changed.value(at: source.names)
      let second = changed.value(at: derived.names)
      switch isChanged {
      case (false, false): continue
      case (true, true):
        guard let first, let second, Self.agree(first, second, relation, width) else { return nil }
      case (true, false):
        guard let first, let value = self.derived(from: first, second, relation), value != second
        else { continue }
        changed = changed.setting(derived.names[...], to: value)
        followed.append(derived)
      case (false, true):
        guard let second, let value = self.source(from: second, relation), value != first
        else { continue }
        changed = changed.setting(source.names[...], to: value)
        followed.append(source)
      }
    }
    return followed
  }

  /// The record with one attribute of each changed pair adjusted to the other.
  ///
  /// - Parameter isForward: whether the derived attribute is adjusted.
  func reconciled(_ changed: Value, _ paths: [AttributePath], isForward: Bool) -> Value {
    var changed = changed
    for (source, derived, relation) in kept where paths.contains(source) && paths.contains(derived)
    {
      let first = changed.value(at: source.names)
      let second = changed.value(at: derived.names)
      if isForward, let first, let value = self.derived(from: first, second, relation) {
        changed = changed.setting(derived.names[...], to: value)
      } else if !isForward, let second, let value = self.source(from: second, relation) {
        changed = changed.setting(source.names[...], to: value)
      }
    }
    return changed
  }

  private func derived(from source: Value, _ old: Value?, _ relation: Relation) -> Value? {
    switch (relation, source) {
    case (.padded, .string(let version)): return .string(PaddedVersion.text(version, width: width))
    case (.minutes, .int(let days)):
      guard days >= 0, days < Int64.max / Self.minutesOfADay else { return nil }
      // The time of day stays unchanged.
      var rest: Int64 = 0
      if case .int(let minutes)? = old, minutes >= 0 { rest = minutes % Self.minutesOfADay }
      return .int(days * Self.minutesOfADay + rest)
    default: return nil
    }
  }

  private func source(from derived: Value, _ relation: Relation) -> Value? {
    switch (relation, derived) {
    case (.padded, .string(let padded)):
      return PaddedVersion.version(of: padded, width: width).map { .string($0) }
    case (.minutes, .int(let minutes)):
      return minutes >= 0 ? .int(minutes / Self.minutesOfADay) : nil
    default: return nil
    }
  }
}

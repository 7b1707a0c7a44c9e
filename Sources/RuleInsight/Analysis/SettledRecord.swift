internal import Expressions
internal import RuleEngine

/// Generated records without impossible values at the time of the decision: dates, times and
/// versions must agree with the clock, the time zone or the version itself.
enum SettledRecord {
  private static let local: Set<DeviceAttribute> = [.localDate, .localTime, .localDateTime]
  /// Time zones in use, nearest first.
  private static let offsets = (1...14).flatMap { $0 < 13 ? [$0, -$0] : [$0] }.map { $0 * 3_600 }

  private static func path(_ attribute: DeviceAttribute) -> [String] {
    [UserMember.device.key, attribute.rawValue]
  }

  /// The record without attributes that are derived from the clock or from its other attributes.
  static func stripped(_ record: Value) -> Value {
    var stripped = record
    for attribute in DeviceDerivation.attributes {
      guard record.value(at: path(attribute)) != nil else { continue }
      let sources = DeviceDerivation.sources(of: attribute) ?? []
      let isOfTheMoment = attribute.isOfTheMoment && attribute != .timezoneOffset
      guard isOfTheMoment || sources.contains(where: { record.value(at: $0.names) != nil }) else {
        continue
      }
      stripped = stripped.setting(path(attribute)[...], to: nil)
    }
    return stripped
  }

  /// The record with versions and minutes that are recomputed from attributes that usually derive
  /// from them.
  private static func inverted(_ record: Value) -> Value {
    var inverted = record
    for (source, derived) in [
      (DeviceAttribute.appVersion, DeviceAttribute.appVersionPadded),
      (.sdkVersion, .sdkVersionPadded),
      (.minutesSinceInstall, .daysSinceInstall),
      (.minutesSinceLastPaywallView, .daysSinceLastPaywallView),
    ] where record.value(at: path(source)) != nil {
      switch record.value(at: path(derived)) {
      case .string(let padded)?:
        guard let version = PaddedVersion.version(of: padded) else { continue }
        inverted = inverted.setting(path(source)[...], to: .string(version))
      case .int(let days)? where 0..<1_000_000 ~= days:
        inverted = inverted.setting(path(source)[...], to: .int(days * 1_440))
      default: continue
      }
    }
    return inverted
  }

  /// Consistent records that are close to a generated one.
  ///
  /// - Parameters:
  ///   - attributes: derived attributes that rules read, whether the record has them or not.
  ///   - keepsOwn: whether the record itself is the last candidate, because it may describe a user
  ///     at another time.
  static func candidates(_ record: Value, reading attributes: [DeviceAttribute], keepsOwn: Bool)
    -> [Value]
  {
    let stripped = stripped(record)
    let readsLocal = attributes.contains(where: local.contains)
    if stripped == record, !readsLocal { return [record] }
    var candidates = [stripped]
    let other = Self.stripped(inverted(record))
    if other != stripped { candidates.append(other) }
    let hasZone =
      stripped.value(at: path(.timezoneOffset)) != nil
      || stripped.value(at: DeviceDerivation.zonePath.names) != nil
    if !hasZone, readsLocal {
      candidates += offsets.map {
        stripped.setting(path(.timezoneOffset)[...], to: .int(Int64($0)))
      }
    }
    return keepsOwn && stripped != record ? candidates + [record] : candidates
  }
}

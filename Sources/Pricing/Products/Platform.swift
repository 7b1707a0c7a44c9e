/// The platform whose SDK applies where the platforms' SDKs differ: in the definition of a trial, in the format of prices, and
/// in the values that rules read.
///
/// ```swift
/// Platform(rawValue: "android")  // .android
/// TrialRules(mode: .eligible, platform: .android).platform  // .android
/// ```
public enum Platform: String, Hashable, Sendable, CaseIterable {
  /// Superwall-iOS: null becomes an empty map.
  case ios
  /// Superwall-Android: integers past 32 bits become unsigned, and every `$` is removed from strings.
  case android
  /// Superwall-Web: nulls are left out, whole numbers are ints, every truthy result matches, and there are no occurrence
  /// limits.
  case web
}

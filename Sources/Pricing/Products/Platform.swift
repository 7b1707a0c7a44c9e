/// The platform whose SDK is followed where the platforms' SDKs differ: in what a trial is, how prices
/// are written, and which values rules see.
///
/// ```swift
/// Platform(rawValue: "android")  // .android
/// TrialRules(mode: .eligible, platform: .android).platform  // .android
/// ```
public enum Platform: String, Hashable, Sendable, CaseIterable {
  /// Superwall-iOS: null becomes an empty map.
  case ios
  /// Superwall-Android: integers past 32 bits become unsigned, and texts lose every `$`.
  case android
  /// Superwall-Web: nulls are left out, whole numbers are ints, whatever is truthy matches, and
  /// there are no occurrence limits.
  case web
}

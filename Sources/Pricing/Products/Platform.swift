/// A platform with its own SDK. The SDKs differ in the definition of a trial, the format of prices, and the values that
/// rules read.
///
/// ```swift
/// Platform(rawValue: "android")  // .android
/// TrialRules(mode: .eligible, platform: .android).platform  // .android
/// ```
public enum Platform: String, Hashable, Sendable, CaseIterable {
  /// Superwall's iOS SDK, which turns null into an empty map.
  case ios
  /// Superwall's Android SDK, which makes integers of more than 32 bits unsigned and removes every `$` from strings.
  case android
  /// Superwall's Web SDK, which omits nulls, turns whole numbers into integers, matches every truthy result, and has no
  /// occurrence limits.
  case web
}

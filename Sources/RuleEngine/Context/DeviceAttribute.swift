/// The attributes that Superwall's SDKs set in `device`. The module `SDK` documents each attribute. In this module the
/// names help to suggest the right place for a misplaced key.
package enum DeviceAttribute: String, CaseIterable, Sendable {
  // The app and the device.
  case publicApiKey, platform, vendorId, deviceId, appVersion, appVersionPadded, osVersion
  case deviceModel, bundleId, appBuildString, appBuildStringNumber, sdkVersion, sdkVersionPadded
  case isMac, isSandbox, isLowPowerModeEnabled, radioType, platformWrapper, platformWrapperVersion
  /// Android sends these two attributes under both names.
  case androidWrapper = "platform_wrapper"
  case androidWrapperVersion = "platform_wrapper_version"

  // Language and country.
  case deviceLocale, preferredLocale, deviceLanguageCode, preferredLanguageCode, regionCode
  case preferredRegionCode, deviceCurrencyCode, deviceCurrencySymbol, storeFrontCountryCode

  // The user, and how the app is used.
  case appUserId, aliases, interfaceStyle, interfaceStyleMode, activeEntitlements
  /// The native SDKs use different names for this attribute.
  case activeEntitlementObjects, activeEntitlementsObject
  case activeProducts, subscriptionStatus, appInstallDate, daysSinceInstall, minutesSinceInstall
  case totalPaywallViews, isFirstAppOpen, minutesSinceLastPaywallView, daysSinceLastPaywallView

  // Date and time.
  case utcDate, utcTime, utcDateTime, localDate, localTime, localDateTime, timezoneOffset

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// The attribute with a name, or nil.
  package init?(named name: String) {
    guard let found = Self.byName[name] else { return nil }
    self = found
  }

  /// Whether the attribute is part of the current date or time, which change constantly.
  package var isOfTheMoment: Bool {
    switch self {
    case .utcDate, .utcTime, .utcDateTime, .localDate, .localTime, .localDateTime, .timezoneOffset:
      true
    default: false
    }
  }
}

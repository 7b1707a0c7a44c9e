/// The attributes that Superwall's SDKs give to `device`, for those who look for what a misplaced key
/// was meant to be.
package enum DeviceAttributeName {
  package static let all = [
    "activeEntitlementObjects", "activeEntitlements", "activeEntitlementsObject", "activeProducts",
    "aliases", "appBuildString", "appBuildStringNumber", "appInstallDate", "appUserId",
    "appVersion",
    "appVersionPadded", "bundleId", "daysSinceInstall", "daysSinceLastPaywallView",
    "deviceCurrencyCode", "deviceCurrencySymbol", "deviceId", "deviceLanguageCode", "deviceLocale",
    "deviceModel", "interfaceStyle", "interfaceStyleMode", "isFirstAppOpen",
    "isLowPowerModeEnabled",
    "isMac", "isSandbox", "localDate", "localDateTime", "localTime", "minutesSinceInstall",
    "minutesSinceLastPaywallView", "osVersion", "platform", "platformWrapper",
    "platformWrapperVersion", "platform_wrapper", "platform_wrapper_version",
    "preferredLanguageCode", "preferredLocale", "preferredRegionCode", "publicApiKey", "radioType",
    "regionCode", "sdkVersion", "sdkVersionPadded", "storeFrontCountryCode", "subscriptionStatus",
    "timezoneOffset", "totalPaywallViews", "utcDate", "utcDateTime", "utcTime", "vendorId",
  ]
}

internal import Expressions
package import RuleEngine

/// The attributes that the SDKs of Superwall and AgentWallie pass to conditions.
extension ContextSchema {
  /// The attributes that Superwall's SDKs have on any platform.
  package static func superwall(_ language: RuleLanguage) -> ContextSchema {
    var schema = ContextSchema(completeRoots: ["device", "computed"])
    func add(_ names: [String], _ kind: Kind, to root: String = "device", sure: Bool = true) {
      for name in names { schema[root, name] = Attribute(kind, isAlwaysThere: sure) }
    }
    add(texts, .anyText)
    add(numbers, .number)
    add(bools, .bool)
    for (name, values) in words { add([name], .text(oneOf: values)) }
    add(
      ["interfaceType"],
      .text(oneOf: ["ipad", "iphone", "mac", "carplay", "tv", "vision", "unspecified"]), sure: false
    )
    add(["aliases", "activeEntitlements", "activeProducts"], .list(.anyText))
    add(optionalNumbers, .number, sure: false)
    add(optionalTexts, .anyText, sure: false)
    add(others, .any, sure: false)
    // SDKs send `isSandbox` as a string, which superscript converts to a bool.
    add(["isSandbox"], language == .cel ? .any : .bool)
    add(["isLoggedIn"], .bool, to: "user")
    add(["seed"], .number, to: "user")
    add(["aliasId", "applicationInstalledAt"], .anyText, to: "user")
    // Only users that the app has identified have an `appUserId`.
    add(["appUserId"], .anyText, to: "user", sure: false)
    add(["event_name", "$event_name", "$app_session_id"], .anyText, to: "params")
    add(["$is_standard_event", "$is_feature_gatable"], .bool, to: "params")
    return schema
  }

  private static let texts = [
    "publicApiKey", "appUserId", "vendorId", "deviceId", "appVersion", "appVersionPadded",
    "osVersion", "deviceModel", "deviceLocale", "preferredLocale", "deviceLanguageCode",
    "preferredLanguageCode", "regionCode", "preferredRegionCode", "deviceCurrencyCode",
    "deviceCurrencySymbol", "bundleId", "appInstallDate", "utcDate", "localDate", "utcTime",
    "localTime", "utcDateTime", "localDateTime", "sdkVersion", "sdkVersionPadded",
    "appBuildString",
  ]

  private static let numbers = [
    "timezoneOffset", "daysSinceInstall", "minutesSinceInstall", "totalPaywallViews",
  ]

  private static let bools = ["isLowPowerModeEnabled", "isMac", "isFirstAppOpen"]

  private static let words: [(String, [String])] = [
    ("platform", ["iOS", "Android", "Web", "macOS"]),
    ("subscriptionStatus", ["ACTIVE", "INACTIVE", "UNKNOWN"]),
    ("radioType", ["Cellular", "Wifi", "No Internet"]),
    ("interfaceStyle", ["Light", "Dark", "Unspecified", "Unknown"]),
    ("interfaceStyleMode", ["automatic", "manual"]),
  ]

  private static let optionalNumbers = [
    "daysSinceLastPaywallView", "minutesSinceLastPaywallView", "appBuildStringNumber",
    "totalReviewRequests", "reviewRequestCount", "fontSize", "fontScale", "viewportWidth",
    "viewportHeight", "screenWidth", "screenHeight", "devicePixelRatio", "hardwareConcurrency",
    "deviceMemory",
  ]

  private static let optionalTexts = [
    "preferredContentSizeCategory", "platformWrapper", "platformWrapperVersion",
    "platform_wrapper", "platform_wrapper_version", "swiftVersion", "compilerVersion",
    "kotlinVersion", "localResourceIds", "storeFrontCountryCode", "storeFrontId",
    "storeFrontCurrency", "appTransactionId", "deviceTier", "userAgent", "connectionType",
    "latestSubscriptionPeriodType", "latestSubscriptionState",
  ]

  /// Attributes that differ between platforms, or that have members.
  private static let others = [
    "isApplePayAvailable", "activeEntitlementObjects", "activeEntitlementsObject", "customerInfo",
    "capabilities", "capabilitiesConfig", "capabilities_config", "latestSubscriptionWillAutoRenew",
    "demandScore", "demandTier", "geo", "userAgentData", "cookiesEnabled",
  ]

  /// The attributes that AgentWallie's filters can use.
  package static let agentWallie: ContextSchema = {
    var schema = ContextSchema(completeRoots: ["device", ""])
    let platform = Kind.text(oneOf: ["ios", "android", "web"])
    schema["user", "id"] = Attribute(.anyText, isAlwaysThere: true)
    schema["user", "seed"] = Attribute(.number, isAlwaysThere: true)
    schema["device", "id"] = Attribute(.anyText, isAlwaysThere: true)
    schema["device", "platform"] = Attribute(platform, isAlwaysThere: true)
    schema["device", "os_version"] = Attribute(.anyText, isAlwaysThere: true)
    schema["", "platform"] = Attribute(platform, isAlwaysThere: true)
    schema["", "os_version"] = Attribute(.anyText, isAlwaysThere: true)
    return schema
  }()
}

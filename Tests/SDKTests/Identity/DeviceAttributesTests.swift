import Expressions
import Pricing
import RuleEngine
import Testing

@testable import SDK

/// What rules read of a device, all of it.
@Suite struct DeviceAttributesTests {
  private static func facts() -> DeviceFacts {
    var facts = DeviceFacts()
    facts.vendorID = "vendor"
    facts.appVersion = "2.10.3"
    facts.appBuild = "77"
    facts.bundleID = "com.x"
    facts.osVersion = "18.1"
    facts.deviceModel = "iPhone16,1"
    facts.locale = "de_AT"
    facts.preferredLocale = "fr_CA"
    facts.currencyCode = "EUR"
    facts.currencySymbol = "€"
    facts.timeZone = "Asia/Kolkata"
    facts.radioType = "wifi"
    facts.isSandbox = true
    facts.isLowPowerMode = true
    facts.storefrontCountryCode = "AUT"
    return facts
  }

  private static func stored() -> StoredState {
    var stored = StoredState()
    stored.status = .active([Entitlement(id: "pro"), Entitlement(id: "plus")])
    stored.appUserID = "u"
    stored.aliasID = "alias"
    stored.deviceID = "made"
    stored.installedAt = Samples.start - 90_061_000
    stored.totalPaywallViews = 3
    stored.lastPaywallView = Samples.start - 172_799_999
    return stored
  }

  private static func device(
    _ platform: Platform = .ios, _ facts: DeviceFacts = facts(), _ stored: StoredState = stored(),
    wrapper: Configuration.Wrapper? = nil, style: InterfaceStyle? = nil, isFirstRun: Bool = false,
    now: Instant = Samples.start
  ) -> DeviceAttributes {
    DeviceAttributes(
      platform: platform, apiKey: "pk", wrapper: wrapper, facts: facts, locale: "de_AT",
      interfaceStyle: style, stored: stored, ownedProducts: ["p", "q"], isFirstRun: isFirstRun,
      enrichment: .map([]), now: now)
  }

  /// Rules read how large the system shows text, where the device says so.
  @Test func textSizes() {
    var facts = Self.facts()
    #expect(Self.device(.ios, facts).value(named: "fontSize") == nil)
    (facts.fontScale, facts.fontSize) = (1.25, 21)
    facts.preferredContentSizeCategory = "UICTContentSizeCategoryXL"
    let device = Self.device(.ios, facts)
    #expect(device.value(named: "fontScale") == 1.25 && device.value(named: "fontSize") == 21.0)
    #expect(device.all()["preferredContentSizeCategory"] == "UICTContentSizeCategoryXL")
  }

  private static let times: [String: Value] = [
    "utcDate": "2026-01-01", "utcTime": "00:00:00", "utcDateTime": "2026-01-01T00:00:00Z",
    "localDate": "2026-01-01", "localTime": "05:30:00", "localDateTime": "2026-01-01T05:30:00",
    "timezoneOffset": 19_800,
  ]

  @Test func everything() throws {
    let device = Self.device()
    var wanted: [String: Value] = [
      "publicApiKey": "pk", "platform": "iOS", "vendorId": "vendor", "deviceId": "made",
      "appVersion": "2.10.3", "appVersionPadded": "002.010.003", "osVersion": "18.1",
      "deviceModel": "iPhone16,1", "bundleId": "com.x", "appBuildString": "77",
      "appBuildStringNumber": 77, "sdkVersion": .string(SDKVersion.current),
      "sdkVersionPadded": .string(PaddedVersion.text(SDKVersion.current)), "isMac": false,
      "isSandbox": "true", "isLowPowerModeEnabled": true, "radioType": "wifi",
      "deviceLocale": "de_AT", "preferredLocale": "fr_CA", "deviceLanguageCode": "de",
      "preferredLanguageCode": "fr", "regionCode": "AT", "preferredRegionCode": "CA",
      "deviceCurrencyCode": "EUR", "deviceCurrencySymbol": "€", "storeFrontCountryCode": "AUT",
      "appUserId": "u", "aliases": ["alias"], "interfaceStyle": "Light",
      "interfaceStyleMode": "automatic", "activeEntitlements": ["pro", "plus"],
      "activeEntitlementObjects": [
        ["identifier": "pro", "type": "SERVICE_LEVEL"],
        ["identifier": "plus", "type": "SERVICE_LEVEL"],
      ],
      "activeProducts": ["p", "q"], "subscriptionStatus": "ACTIVE",
      "appInstallDate": "2025-12-30T22:58:59Z", "daysSinceInstall": 1, "minutesSinceInstall": 1_501,
      "totalPaywallViews": 3, "isFirstAppOpen": false, "minutesSinceLastPaywallView": 2_879,
      "daysSinceLastPaywallView": 1,
    ]
    #expect(Self.members(device.all(withTimes: false)) == wanted)
    wanted.merge(Self.times) { $1 }
    #expect(Self.members(device.all()) == wanted)
  }

  private static func members(_ value: Value) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: (value.members ?? []).map { ($0.key, $0.value) })
  }

  /// What Android has under other names, and wrappers.
  @Test func wrappersAndPlatforms() {
    let wrapper = Configuration.Wrapper(name: "Expo", version: "5")
    let ios = Self.device(wrapper: wrapper)
    let android = Self.device(.android, wrapper: wrapper)
    for device in [ios, android] {
      #expect(device.value(named: "platformWrapper") == "Expo")
      #expect(device.value(named: "platformWrapperVersion") == "5")
    }
    #expect(ios.value(named: "platform_wrapper") == nil)
    #expect(ios.value(named: "platform_wrapper_version") == nil)
    #expect(ios.value(named: "activeEntitlementsObject") == nil)
    #expect(android.value(named: "platform_wrapper") == "Expo")
    #expect(android.value(named: "platform_wrapper_version") == "5")
    #expect(android.value(named: "activeEntitlementObjects") == nil)
    #expect(android.value(named: "activeEntitlementsObject")?.elements?.count == 2)
    #expect(Self.device(.android).value(named: "platform_wrapper") == nil)
  }

  @Test func whatIsMissing() {
    var facts = DeviceFacts()
    facts.deviceID = "own"
    facts.appBuild = "7a"
    facts.timeZone = "nowhere"
    facts.locale = "de"
    let device = Self.device(.ios, facts, StoredState(), style: .dark, isFirstRun: true)
    let wanted: [(String, Value?)] = [
      ("deviceId", "own"), ("appBuildString", "7a"), ("appBuildStringNumber", nil),
      ("timezoneOffset", 0), ("localTime", "00:00:00"), ("preferredLocale", "de"),
      ("preferredRegionCode", ""), ("storeFrontCountryCode", nil), ("appUserId", ""),
      ("interfaceStyle", .string(InterfaceStyle.dark.rawValue)), ("interfaceStyleMode", "manual"),
      ("isSandbox", "false"), ("isLowPowerModeEnabled", false), ("isFirstAppOpen", true),
      ("appInstallDate", "2026-01-01T00:00:00Z"), ("minutesSinceInstall", 0),
      ("minutesSinceLastPaywallView", nil), ("daysSinceLastPaywallView", nil),
      ("activeEntitlements", []), ("subscriptionStatus", "UNKNOWN"), ("platformWrapper", nil),
    ]
    for (name, value) in wanted { #expect(device.value(named: name) == value, "\(name)") }
  }

  /// Times to come, and such as no clock has, are no time ago.
  @Test(
    arguments: [
      (Int64(59_999), 0), (60_000, 1), (86_399_999, 1_439), (86_400_000, 1_440), (-1, 0),
      (-86_400_000, 0), (.max, 0),
    ] as [(Int64, Int64)])
  func minutes(span: Int64, minutes: Int64) {
    var stored = StoredState()
    stored.installedAt =
      span == .max ? Instant(milliseconds: .min) : Samples.start - span
    let device = Self.device(.ios, DeviceFacts(), stored)
    #expect(device.value(named: "minutesSinceInstall") == .int(minutes))
    #expect(device.value(named: "daysSinceInstall") == .int(minutes / 1_440))
  }

  @Test(
    arguments: [
      ("en_US", "en", "US"), ("en-US", "en", "US"), ("zh-Hant-TW", "zh", "TW"), ("de", "de", nil),
      ("en_US@currency=EUR", "en", "US"), ("es_419", "es", "419"), ("zh_Hant", "zh", nil),
      ("", "", nil), ("a_b", "a", nil), ("_US", "", nil),
    ] as [(String, String, String?)])
  func partsOfLocales(locale: String, language: String, region: String?) {
    #expect(LocaleParts.language(locale) == language)
    #expect(LocaleParts.region(locale) == region)
  }
}

internal import CivilTime
internal import Expressions
internal import RuleEngine

/// What rules read as `device.…` at one moment. An attribute is worked out when it is asked for.
struct DeviceAttributes {
  let platform: Platform
  let apiKey: String
  let wrapper: Configuration.Wrapper?
  let facts: DeviceFacts
  /// The locale that counts: the option's, or the device's.
  let locale: String
  /// What a call set against the system's style.
  let interfaceStyle: InterfaceStyle?
  let stored: StoredState
  let ownedProducts: [String]
  let isFirstRun: Bool
  /// What a server knows of the device, an object.
  let enrichment: Value
  let now: Int64

  /// Says one attribute; nil where there is nothing to say.
  private typealias Reading = @Sendable (DeviceAttributes) -> Value?

  /// The attribute of a name, or nil. What the app adds wins over what the SDK knows, and that over
  /// what a server knows.
  func value(named name: String) -> Value? {
    facts.additional[name] ?? (Self.readings[name] ?? Self.times[name])?(self) ?? enrichment[name]
  }

  /// Everything, an object.
  ///
  /// - Parameter withTimes: whether the current date and time are part of it.
  func all(withTimes: Bool = true) -> Value {
    var all: [String: Value] = [:]
    for member in enrichment.members ?? [] { all[member.key] = member.value }
    for readings in withTimes ? [Self.readings, Self.times] : [Self.readings] {
      for (name, reading) in readings {
        if let value = reading(self) { all[name] = value }
      }
    }
    for member in facts.additional.members ?? [] { all[member.key] = member.value }
    return .members(all)
  }

  private static let readings = app.merging(language) { $1 }.merging(use) { $1 }

  private static let app: [String: Reading] = [
    "publicApiKey": { .string($0.apiKey) },
    "platform": { .string($0.platform.spelling) },
    "vendorId": { .string($0.facts.vendorID) }, "deviceId": { .string($0.deviceID) },
    "appVersion": { .string($0.facts.appVersion) },
    "appVersionPadded": { .string(PaddedVersion.text($0.facts.appVersion)) },
    "osVersion": { .string($0.facts.osVersion) },
    "deviceModel": { .string($0.facts.deviceModel) },
    "bundleId": { .string($0.facts.bundleID) },
    "appBuildString": { .string($0.facts.appBuild) },
    "appBuildStringNumber": { Int64($0.facts.appBuild).map { .int($0) } },
    "sdkVersion": { _ in .string(SDKVersion.current) },
    "sdkVersionPadded": { _ in .string(PaddedVersion.text(SDKVersion.current)) },
    "isMac": { .bool($0.facts.isMac) }, "isSandbox": { $0.facts.isSandbox ? "true" : "false" },
    "isLowPowerModeEnabled": { .bool($0.facts.isLowPowerMode) },
    "radioType": { .string($0.facts.radioType) },
    "platformWrapper": { $0.wrapper.map { .string($0.name) } },
    "platformWrapperVersion": { $0.wrapper.map { .string($0.version) } },
    // Android has these two under both names.
    "platform_wrapper": { $0.platform == .android ? $0.wrapper.map { .string($0.name) } : nil },
    "platform_wrapper_version": {
      $0.platform == .android ? $0.wrapper.map { .string($0.version) } : nil
    },
  ]

  private static let language: [String: Reading] = [
    "deviceLocale": { .string($0.locale) },
    "preferredLocale": { .string($0.preferredLocale) },
    "deviceLanguageCode": { .string(LocaleParts.language($0.locale)) },
    "preferredLanguageCode": { .string(LocaleParts.language($0.preferredLocale)) },
    "regionCode": { .string(LocaleParts.region($0.locale) ?? "") },
    "preferredRegionCode": { .string(LocaleParts.region($0.preferredLocale) ?? "") },
    "deviceCurrencyCode": { .string($0.facts.currencyCode) },
    "deviceCurrencySymbol": { .string($0.facts.currencySymbol) },
    "storeFrontCountryCode": { $0.facts.storefrontCountryCode.map { .string($0) } },
  ]

  private static let use: [String: Reading] = [
    "appUserId": { .string($0.stored.appUserID ?? "") },
    "aliases": { .texts([$0.stored.aliasID]) },
    "interfaceStyle": { .string($0.interfaceStyle?.rawValue ?? $0.facts.systemInterfaceStyle) },
    "interfaceStyleMode": { $0.interfaceStyle == nil ? "automatic" : "manual" },
    "activeEntitlements": { .texts($0.stored.status.entitlements.map(\.id)) },
    // The native SDKs disagree about this name.
    "activeEntitlementObjects": { $0.platform == .ios ? $0.entitlementObjects : nil },
    "activeEntitlementsObject": { $0.platform == .android ? $0.entitlementObjects : nil },
    "activeProducts": { .texts($0.ownedProducts) },
    "subscriptionStatus": { .string($0.stored.status.name) },
    "appInstallDate": { .string(WireTime.text(milliseconds: $0.installedAt) ?? "") },
    "daysSinceInstall": { .int($0.minutes(since: $0.installedAt) / 1_440) },
    "minutesSinceInstall": { .int($0.minutes(since: $0.installedAt)) },
    "totalPaywallViews": { .whole($0.stored.totalPaywallViews) },
    "isFirstAppOpen": { .bool($0.isFirstRun) },
    "minutesSinceLastPaywallView": { this in
      this.stored.lastPaywallView.map { .int(this.minutes(since: $0)) }
    },
    "daysSinceLastPaywallView": { this in
      this.stored.lastPaywallView.map { .int(this.minutes(since: $0) / 1_440) }
    },
  ]

  /// What is different every moment.
  private static let times: [String: Reading] = [
    "utcDate": { .string($0.utc.date) }, "utcTime": { .string($0.utc.time) },
    "utcDateTime": { .string("\($0.utc.date)T\($0.utc.time)Z") },
    "localDate": { .string($0.local.date) }, "localTime": { .string($0.local.time) },
    "localDateTime": { .string("\($0.local.date)T\($0.local.time)") },
    "timezoneOffset": { .whole($0.offset) },
  ]

  /// The installation's identity: the device's own, or one that was made at the first start.
  var deviceID: String { facts.deviceID.isEmpty ? stored.deviceID : facts.deviceID }

  private var preferredLocale: String { facts.preferredLocale ?? facts.locale }

  private var entitlementObjects: Value {
    .list(
      stored.status.entitlements.map { entitlement in
        .object(["identifier": .string(entitlement.id), "type": .string(entitlement.type)])
      })
  }

  private var installedAt: Int64 { stored.installedAt ?? now }

  private func minutes(since time: Int64) -> Int64 {
    // What was stored may be damaged.
    let (span, isTooLong) = now.subtractingReportingOverflow(time)
    return isTooLong ? 0 : max(0, span / 60_000)
  }

  private var seconds: Int64 { Int64((Double(now) / 1_000).rounded(.down)) }

  private var offset: Int32 {
    TimeZones.zone(named: facts.timeZone)?.offset(atUTC: seconds) ?? 0
  }

  private var utc: ClockText { ClockText(CivilTime(secondsSince1970: seconds)) }

  private var local: ClockText {
    ClockText(CivilTime(secondsSince1970: seconds, offset: offset))
  }
}

/// Date and time as rules compare them: `yyyy-MM-dd` and `HH:mm:ss`.
private struct ClockText {
  var date: String
  var time: String

  init(_ civil: CivilTime) {
    date = "\(Self.pad(civil.year, 4))-\(Self.pad(civil.month, 2))-\(Self.pad(civil.day, 2))"
    time = "\(Self.pad(civil.hour, 2)):\(Self.pad(civil.minute, 2)):\(Self.pad(civil.second, 2))"
  }

  private static func pad(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

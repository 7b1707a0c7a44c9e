internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The attributes that rules read as `device.…` at one moment. The attributes are computed on demand.
struct DeviceAttributes {
  let platform: Platform
  let apiKey: String
  let wrapper: Configuration.Wrapper?
  let facts: DeviceFacts
  /// The effective locale: the locale of the options, or else of the device.
  let locale: String
  /// The interface style that the app set, or nil to follow the system.
  let interfaceStyle: InterfaceStyle?
  let stored: StoredState
  let ownedProducts: [String]
  let isFirstRun: Bool
  /// A server's data about the device, an object.
  let enrichment: Value
  let now: Instant

  /// The attribute with a name, or nil. Values from the app take precedence over the SDK's values, which take
  /// precedence over a server's values.
  func value(named name: String) -> Value? {
    facts.additional[name] ?? DeviceAttribute(named: name).flatMap { value(of: $0) }
      ?? textSize[name] ?? enrichment[name]
  }

  /// All attributes, as an object.
  ///
  /// - Parameter withTimes: whether to include the current date and time.
  func all(withTimes: Bool = true) -> Value {
    var all: [String: Value] = [:]
    for member in enrichment.members ?? [] { all[member.key] = member.value }
    for attribute in DeviceAttribute.allCases where withTimes || !attribute.isOfTheMoment {
      if let value = value(of: attribute) { all[attribute.rawValue] = value }
    }
    for member in textSize.members ?? [] { all[member.key] = member.value }
    for member in facts.additional.members ?? [] { all[member.key] = member.value }
    return .members(all)
  }

  /// The text size, which the iOS SDK reports since 4.16.2.
  private var textSize: Value {
    .members([
      "fontScale": facts.fontScale.map { .double($0) },
      "fontSize": facts.fontSize.map { .double($0) },
      "preferredContentSizeCategory": facts.preferredContentSizeCategory.map { .string($0) },
    ])
  }

  /// The SDK's own value of an attribute, or nil.
  private func value(of attribute: DeviceAttribute) -> Value? {
    switch attribute {
    case .publicApiKey: .string(apiKey)
    case .platform: .string(platform.spelling)
    case .vendorId: .string(facts.vendorID)
    case .deviceId: .string(deviceID)
    case .appVersion: .string(facts.appVersion)
    case .appVersionPadded: .string(PaddedVersion.text(facts.appVersion))
    case .osVersion: .string(facts.osVersion)
    case .deviceModel: .string(facts.deviceModel)
    case .bundleId: .string(facts.bundleID)
    case .appBuildString: .string(facts.appBuild)
    case .appBuildStringNumber: Int64(facts.appBuild).map { .int($0) }
    case .sdkVersion: .string(SDKVersion.current)
    case .sdkVersionPadded: .string(PaddedVersion.text(SDKVersion.current))
    case .isMac: .bool(facts.isMac)
    case .isSandbox: facts.isSandbox ? "true" : "false"
    case .isLowPowerModeEnabled: .bool(facts.isLowPowerMode)
    case .radioType: .string(facts.radioType)
    case .platformWrapper: wrapper.map { .string($0.name) }
    case .platformWrapperVersion: wrapper.map { .string($0.version) }
    case .androidWrapper: platform == .android ? value(of: .platformWrapper) : nil
    case .androidWrapperVersion: platform == .android ? value(of: .platformWrapperVersion) : nil
    case .deviceLocale: .string(locale)
    case .preferredLocale: .string(preferredLocale)
    case .deviceLanguageCode: .string(LocaleParts.language(locale))
    case .preferredLanguageCode: .string(LocaleParts.language(preferredLocale))
    case .regionCode: .string(LocaleParts.region(locale) ?? "")
    case .preferredRegionCode: .string(LocaleParts.region(preferredLocale) ?? "")
    case .deviceCurrencyCode: .string(facts.currencyCode)
    case .deviceCurrencySymbol: .string(facts.currencySymbol)
    case .storeFrontCountryCode: facts.storefrontCountryCode.map { .string($0) }
    case .appUserId: .string(stored.appUserID ?? "")
    case .aliases: .texts([stored.aliasID])
    case .interfaceStyle: .string(interfaceStyle?.rawValue ?? facts.systemInterfaceStyle)
    case .interfaceStyleMode: interfaceStyle == nil ? "automatic" : "manual"
    case .activeEntitlements: .texts(stored.status.entitlements.map(\.id))
    case .activeEntitlementObjects: platform == .ios ? entitlementObjects : nil
    case .activeEntitlementsObject: platform == .android ? entitlementObjects : nil
    case .activeProducts: .texts(ownedProducts)
    case .subscriptionStatus: .string(stored.status.name)
    case .appInstallDate: .string(installedAt.text ?? "")
    case .daysSinceInstall: .int(minutes(since: installedAt) / 1_440)
    case .minutesSinceInstall: .int(minutes(since: installedAt))
    case .totalPaywallViews: .whole(stored.totalPaywallViews)
    case .isFirstAppOpen: .bool(isFirstRun)
    case .minutesSinceLastPaywallView: stored.lastPaywallView.map { .int(minutes(since: $0)) }
    case .daysSinceLastPaywallView:
      stored.lastPaywallView.map { .int(minutes(since: $0) / 1_440) }
    case .utcDate: .string(utc.date)
    case .utcTime: .string(utc.time)
    case .utcDateTime: .string(utc.utcDateTime(on: platform))
    case .localDate: .string(local.date)
    case .localTime: .string(local.time)
    case .localDateTime: .string(local.dateTime)
    case .timezoneOffset: .whole(timeZoneOffset)
    }
  }

  /// The installation's ID: the device's own ID, or an ID that was generated at the first start.
  var deviceID: String { facts.deviceID.isEmpty ? stored.deviceID : facts.deviceID }

  private var preferredLocale: String { facts.preferredLocale ?? facts.locale }

  private var entitlementObjects: Value {
    .list(
      stored.status.entitlements.map { entitlement in
        .object(["identifier": .string(entitlement.id), "type": .string(entitlement.type)])
      })
  }

  private var installedAt: Instant { stored.installedAt ?? now }

  private func minutes(since time: Instant) -> Int64 {
    let span = now - time
    // The stored time may be damaged.
    return span == .max ? 0 : max(0, span / 60_000)
  }

  /// The current offset from UTC in seconds, positive to the east.
  var timeZoneOffset: Int32 {
    TimeZones.zone(named: facts.timeZone)?.offset(atUTC: now.seconds) ?? 0
  }

  private var utc: ClockText { ClockText(now) }

  private var local: ClockText { ClockText(now, offset: timeZoneOffset) }
}

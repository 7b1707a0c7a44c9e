internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The SDK's own version, as rules and servers see it.
enum SDKVersion {
  static let current = "0.1.0"
}

// MARK: What rules read as device.…

extension SDKState {
  /// Everything that is known of device, app and use, an object.
  ///
  /// - Parameter withTimes: whether the current date and time are part of it; the event
  ///   `deviceAttributes` leaves them out.
  func deviceAttributes(withTimes: Bool = true) -> Value {
    var all: [String: Value] = [:]
    for member in enrichment.members ?? [] { all[member.key] = member.value }
    all.merge(identityAttributes) { $1 }
    all.merge(appAttributes) { $1 }
    all.merge(localeAttributes) { $1 }
    all.merge(stateAttributes) { $1 }
    all.merge(useAttributes) { $1 }
    if withTimes { all.merge(timeAttributes) { $1 } }
    for member in device.additional.members ?? [] { all[member.key] = member.value }
    return .members(all)
  }

  private var identityAttributes: [String: Value] {
    [
      "publicApiKey": .string(apiKey), "platform": .string(platform.spelling),
      "appUserId": .string(stored.appUserID ?? ""), "aliases": .texts([stored.aliasID]),
      "vendorId": .string(device.vendorID), "deviceId": .string(deviceID),
    ]
  }

  /// The installation's identity: the device's own, or one that was made at the first start.
  var deviceID: String { device.deviceID.isEmpty ? stored.deviceID : device.deviceID }

  private var appAttributes: [String: Value] {
    var all: [String: Value] = [
      "appVersion": .string(device.appVersion),
      "appVersionPadded": .string(PaddedVersion.text(device.appVersion)),
      "osVersion": .string(device.osVersion), "deviceModel": .string(device.deviceModel),
      "bundleId": .string(device.bundleID), "appBuildString": .string(device.appBuild),
      "sdkVersion": .string(SDKVersion.current),
      "sdkVersionPadded": .string(PaddedVersion.text(SDKVersion.current)),
      "isMac": .bool(device.isMac), "isSandbox": device.isSandbox ? "true" : "false",
      "isLowPowerModeEnabled": .bool(device.isLowPowerMode),
      "radioType": .string(device.radioType),
    ]
    if let build = Int64(device.appBuild) { all["appBuildStringNumber"] = .int(build) }
    if let wrapper {
      all["platformWrapper"] = .string(wrapper.name)
      all["platformWrapperVersion"] = .string(wrapper.version)
      if platform == .android {
        all["platform_wrapper"] = .string(wrapper.name)
        all["platform_wrapper_version"] = .string(wrapper.version)
      }
    }
    return all
  }

  /// The locale that counts: the option's, or the device's.
  var locale: String { options.localeIdentifier ?? device.locale }

  private var localeAttributes: [String: Value] {
    let preferred = device.preferredLocale ?? device.locale
    var all: [String: Value] = [
      "deviceLocale": .string(locale), "preferredLocale": .string(preferred),
      "deviceLanguageCode": .string(LocaleParts.language(locale)),
      "preferredLanguageCode": .string(LocaleParts.language(preferred)),
      "regionCode": .string(LocaleParts.region(locale) ?? ""),
      "preferredRegionCode": .string(LocaleParts.region(preferred) ?? ""),
      "deviceCurrencyCode": .string(device.currencyCode),
      "deviceCurrencySymbol": .string(device.currencySymbol),
    ]
    all["storeFrontCountryCode"] = device.storefrontCountryCode.map { .string($0) }
    return all
  }

  private var stateAttributes: [String: Value] {
    // The native SDKs disagree about one name.
    let objects = platform == .android ? "activeEntitlementsObject" : "activeEntitlementObjects"
    return [
      "interfaceStyle": .string(interfaceStyle?.rawValue ?? device.systemInterfaceStyle),
      "interfaceStyleMode": interfaceStyle == nil ? "automatic" : "manual",
      "activeEntitlements": .texts(stored.status.entitlements.map(\.id)),
      objects: .list(
        stored.status.entitlements.map { entitlement in
          .object([
            "identifier": .string(entitlement.id), "type": .string(entitlement.type),
          ])
        }),
      "activeProducts": .texts(ownedProducts),
      "subscriptionStatus": .string(stored.status.name),
    ]
  }

  private var useAttributes: [String: Value] {
    let installed = stored.installedAt ?? now
    let minutes = max(0, (now - installed) / 60_000)
    var all: [String: Value] = [
      "appInstallDate": .string(WireTime.text(milliseconds: installed) ?? ""),
      "daysSinceInstall": .int(minutes / 1_440), "minutesSinceInstall": .int(minutes),
      "totalPaywallViews": .whole(stored.totalPaywallViews),
      "isFirstAppOpen": .bool(isFirstRun),
    ]
    if let last = stored.lastPaywallView {
      let minutes = max(0, (now - last) / 60_000)
      all["minutesSinceLastPaywallView"] = .int(minutes)
      all["daysSinceLastPaywallView"] = .int(minutes / 1_440)
    }
    return all
  }

  private var timeAttributes: [String: Value] {
    let seconds = Int64((Double(now) / 1_000).rounded(.down))
    let offset = TimeZones.zone(named: device.timeZone)?.offset(atUTC: seconds) ?? 0
    let utc = ClockText(CivilTime(secondsSince1970: seconds))
    let local = ClockText(CivilTime(secondsSince1970: seconds, offset: offset))
    return [
      "utcDate": .string(utc.date), "utcTime": .string(utc.time),
      "utcDateTime": .string("\(utc.date)T\(utc.time)Z"), "localDate": .string(local.date),
      "localTime": .string(local.time), "localDateTime": .string("\(local.date)T\(local.time)"),
      "timezoneOffset": .whole(offset),
    ]
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

/// The parts of a locale identifier such as `zh_Hans_CN` or `en-US`.
enum LocaleParts {
  static func language(_ locale: String) -> String {
    String(locale.prefix { $0 != "_" && $0 != "-" })
  }

  /// The last part, when it is a region.
  static func region(_ locale: String) -> String? {
    let parts = locale.prefix { $0 != "@" }.split { $0 == "_" || $0 == "-" }
    guard parts.count > 1, let last = parts.last, last.count == 2 || last.count == 3 else {
      return nil
    }
    return String(last)
  }
}

internal import Expressions
internal import RuleEngine

extension SDKState {
  /// What is known of device, app and use now.
  var deviceAttributes: DeviceAttributes {
    DeviceAttributes(
      platform: platform, apiKey: apiKey, wrapper: wrapper, facts: device, locale: locale,
      interfaceStyle: interfaceStyle, stored: stored, ownedProducts: ownedProducts,
      isFirstRun: isFirstRun, enrichment: enrichment, now: now)
  }

  /// The locale that counts: the option's, or the device's.
  var locale: String { options.localeIdentifier ?? device.locale }

  var deviceID: String { deviceAttributes.deviceID }

  /// Tells of the device, as far as it does not change every moment.
  mutating func trackDevice() { track(.deviceAttributes(deviceAttributes.all(withTimes: false))) }

  mutating func setUserAttributes(_ attributes: Value) {
    UserAttributes.merge(attributes, into: &stored.userAttributes)
    track(.userAttributes(stored.user))
  }

  /// Sets integration IDs. Null removes one, names that are not known and values that are not texts
  /// are left out, and the rest is set (decision D24). They are attributes of the user too, which
  /// `integrationAttributes` tells of by itself.
  mutating func setIntegrationAttributes(_ attributes: Value) {
    var changes: [Value.Entry] = []
    for member in attributes.members ?? []
    where IntegrationAttribute(rawValue: member.key) != nil {
      switch member.value {
      case .null: stored.integrationAttributes[member.key] = nil
      case .string(let text): stored.integrationAttributes[member.key] = text
      default: continue
      }
      changes.append(Value.Entry(key: .string(member.key), value: member.value))
    }
    UserAttributes.merge(.map(changes), into: &stored.userAttributes)
    track(
      .integrationAttributes(.members(stored.integrationAttributes.mapValues { .string($0) })))
  }
}

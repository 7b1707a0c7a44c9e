internal import Expressions

extension SDKState {
  /// What is known of device, app and use now.
  var deviceAttributes: DeviceAttributes {
    DeviceAttributes(
      platform: platform, apiKey: settings.apiKey, wrapper: settings.wrapper, facts: device,
      locale: locale, interfaceStyle: settings.interfaceStyle, stored: stored,
      ownedProducts: ownership.products, isFirstRun: usage.isFirstRun,
      enrichment: usage.enrichment, now: now)
  }

  /// The locale that counts: the option's, or the device's.
  var locale: String { options.localeIdentifier ?? device.locale }

  var deviceID: String { deviceAttributes.deviceID }

  /// Tells of the device, as far as it does not change every moment.
  mutating func trackDevice() { track(.deviceAttributes(deviceAttributes.all(withTimes: false))) }

  mutating func setUserAttributes(_ attributes: Value) {
    person.merge(attributes)
    track(.userAttributes(stored.user))
  }

  /// Sets integration IDs, and reports them if any was known.
  mutating func setIntegrationAttributes(_ attributes: Value) {
    guard person.setIntegrations(attributes) else { return }
    track(.integrationAttributes(integrationAttributes))
  }

  var integrationAttributes: Value {
    .members(person.integrationAttributes.mapValues { .string($0) })
  }
}

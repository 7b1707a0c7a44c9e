internal import Expressions

extension SDKState {
  /// The current attributes of the device and the app, and of the app's use.
  var deviceAttributes: DeviceAttributes {
    DeviceAttributes(
      platform: platform, apiKey: settings.apiKey, wrapper: settings.wrapper, facts: device,
      locale: locale, interfaceStyle: settings.interfaceStyle, stored: stored,
      ownedProducts: ownership.products, isFirstRun: usage.isFirstRun,
      enrichment: usage.enrichment, now: now)
  }

  /// The effective locale: the locale of the options, or else of the device.
  var locale: String { options.localeIdentifier ?? device.locale }

  var deviceID: String { deviceAttributes.deviceID }

  /// Reports the device's attributes, except those that change constantly.
  mutating func trackDevice() { track(.deviceAttributes(deviceAttributes.all(withTimes: false))) }

  mutating func setUserAttributes(_ attributes: Value) {
    person.merge(attributes)
    track(.userAttributes(stored.user))
  }

  /// Sets integration IDs, and reports them if at least one ID is known.
  mutating func setIntegrationAttributes(_ attributes: Value) {
    guard person.setIntegrations(attributes) else { return }
    track(.integrationAttributes(integrationAttributes))
  }

  var integrationAttributes: Value {
    .members(person.integrationAttributes.mapValues { .string($0) })
  }
}

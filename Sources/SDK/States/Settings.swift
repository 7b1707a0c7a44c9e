/// The app's settings from `configure`, and from later calls.
struct Settings {
  private var configuration = Configuration(
    apiKey: "", options: TollgateOptions(), purchases: .store, wrapper: nil)
  private var logLevel: LogLevel?
  private var tracking: EventTrackingBehavior?
  /// The interface style that the app has set. Nil follows the system.
  private(set) var interfaceStyle: InterfaceStyle?

  var apiKey: String { configuration.apiKey }
  var options: TollgateOptions { configuration.options }
  var purchases: PurchaseHandling { configuration.purchases }
  var wrapper: Configuration.Wrapper? { configuration.wrapper }
  /// Whether the config came from the app.
  var isGivenConfig: Bool { configuration.given != nil }
  /// Whether the SDK has no backend, because the app passed a config and no key.
  var isAlone: Bool { isGivenConfig && apiKey.allSatisfy(\.isWhitespace) }

  /// Values from calls take precedence over the options.
  var trackingBehavior: EventTrackingBehavior { tracking ?? options.eventTrackingBehavior }

  var logging: LoggingOptions {
    var logging = options.logging
    logging.level = logLevel ?? logging.level
    return logging
  }

  mutating func adopt(_ configuration: Configuration) { self.configuration = configuration }

  mutating func set(_ level: LogLevel) { logLevel = level }

  mutating func set(_ behavior: EventTrackingBehavior) { tracking = behavior }

  /// - Returns: whether the style has changed.
  mutating func set(_ style: InterfaceStyle?) -> Bool {
    defer { interfaceStyle = style }
    return style != interfaceStyle
  }

  /// Whether an event is uploaded.
  func uploads(_ event: SuperwallEvent) -> Bool {
    switch (trackingBehavior, event) {
    case (.none, _): false
    case (.superwallOnly, .triggerFire), (.superwallOnly, .userAttributes): false
    default: true
    }
  }
}

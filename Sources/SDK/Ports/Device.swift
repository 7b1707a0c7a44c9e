public import Expressions

/// The machine and the app that the SDK runs in.
public protocol Device: Sendable {
  /// The facts that rules can read as `device.…`. The SDK reads this property each time it needs the facts.
  var facts: DeviceFacts { get }
}

/// Facts about a device. The SDK adds the user's identity, the subscription status, times and view counts.
public struct DeviceFacts: Hashable, Sendable {
  /// Identifies this installation: `$SuperwallDevice:` and a UUID. If the ID is empty, the SDK generates and stores an
  /// ID.
  public var deviceID = ""
  public var vendorID = ""
  public var appVersion = "1.0"
  public var appBuild = "1"
  public var bundleID = ""
  public var osVersion = ""
  public var deviceModel = ""
  /// The locale, such as `en_US`.
  public var locale = "en_US"
  public var preferredLocale: String?
  public var currencyCode = "USD"
  public var currencySymbol = "$"
  /// The time zone, a name of the tz database such as `Europe/Berlin`.
  public var timeZone = "UTC"
  /// The network connection: `Wifi`, `Cellular`, `No Internet`, or an empty string if it is unknown.
  public var radioType = ""
  /// The system's appearance: `Light`, `Dark` or `Unknown`.
  public var systemInterfaceStyle = "Light"
  /// The scale of the system's text, where 1 is the default size; nil if it is unknown.
  public var fontScale: Double?
  /// The size of body text, in points.
  public var fontSize: Double?
  /// The name of the system's text size, such as `UICTContentSizeCategoryL`.
  public var preferredContentSizeCategory: String?
  public var isLowPowerMode = false
  public var isMac = false
  public var isSandbox = false
  public var storefrontCountryCode: String?
  /// The App Store's ID of the app's download, which the SDK sends when it redeems codes.
  public var appTransactionID: String?
  /// The user's account ID at Google Play, which the SDK sends when it redeems codes.
  public var externalAccountID: String?
  /// Additional attributes, an object. Additional attributes take precedence over all other attributes.
  public var additional: Value = .map([])

  public init() {}
}

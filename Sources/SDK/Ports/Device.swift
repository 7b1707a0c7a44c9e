public import Expressions

/// The machine and the app that the SDK runs in.
public protocol Device: Sendable {
  /// Facts that rules can read as `device.…`. Asked again whenever they are needed.
  var facts: DeviceFacts { get }
}

/// What is known of a device. The SDK adds what it knows itself: identity, status, times, views.
public struct DeviceFacts: Hashable, Sendable {
  /// Identifies this installation: `$SuperwallDevice:` and a UUID. Made and stored by the SDK when
  /// it is empty.
  public var deviceID = ""
  public var vendorID = ""
  public var appVersion = "1.0"
  public var appBuild = "1"
  public var bundleID = ""
  public var osVersion = ""
  public var deviceModel = ""
  /// As `en_US`.
  public var locale = "en_US"
  public var preferredLocale: String?
  public var currencyCode = "USD"
  public var currencySymbol = "$"
  /// A name of the tz database.
  public var timeZone = "UTC"
  /// `Wifi`, `Cellular`, `No Internet` or empty.
  public var radioType = ""
  /// What the system shows: `Light`, `Dark` or `Unknown`.
  public var systemInterfaceStyle = "Light"
  /// How much larger than usual the system shows text: 1 is the usual size. Nil where it is not known.
  public var fontScale: Double?
  /// The size of body text, in points.
  public var fontSize: Double?
  /// The system's name of the text size, such as `UICTContentSizeCategoryL`.
  public var preferredContentSizeCategory: String?
  public var isLowPowerMode = false
  public var isMac = false
  public var isSandbox = false
  public var storefrontCountryCode: String?
  /// The App Store's ID of the download of the app. It is sent with codes that are redeemed.
  public var appTransactionID: String?
  /// Google Play's account ID of the user. It is sent with codes that are redeemed.
  public var externalAccountID: String?
  /// More attributes, an object; these win over everything else.
  public var additional: Value = .map([])

  public init() {}
}

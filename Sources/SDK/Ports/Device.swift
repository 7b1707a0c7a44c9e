public import Expressions

/// The machine and the app that the SDK runs in.
public protocol Device: Sendable {
  /// Facts that rules can read as `device.…`. Read again whenever they are needed.
  var facts: DeviceFacts { get }
}

/// The known facts about a device. The SDK adds those that it knows itself: identity, status,
/// times, views.
public struct DeviceFacts: Hashable, Sendable {
  /// Identifies this installation: `$SuperwallDevice:` and a UUID. If it is empty, the SDK
  /// generates and stores one.
  public var deviceID = ""
  public var vendorID = ""
  public var appVersion = "1.0"
  public var appBuild = "1"
  public var bundleID = ""
  public var osVersion = ""
  public var deviceModel = ""
  /// For example `en_US`.
  public var locale = "en_US"
  public var preferredLocale: String?
  public var currencyCode = "USD"
  public var currencySymbol = "$"
  /// A name of the tz database.
  public var timeZone = "UTC"
  /// `Wifi`, `Cellular`, `No Internet` or empty.
  public var radioType = ""
  /// The system's appearance: `Light`, `Dark` or `Unknown`.
  public var systemInterfaceStyle = "Light"
  /// The scale of the system's text: 1 is the usual size. Nil if it is unknown.
  public var fontScale: Double?
  /// The size of body text, in points.
  public var fontSize: Double?
  /// The system's name of the text size, such as `UICTContentSizeCategoryL`.
  public var preferredContentSizeCategory: String?
  public var isLowPowerMode = false
  public var isMac = false
  public var isSandbox = false
  public var storefrontCountryCode: String?
  /// The App Store's ID of the download of the app. It is sent when codes are redeemed.
  public var appTransactionID: String?
  /// Google Play's account ID of the user. It is sent when codes are redeemed.
  public var externalAccountID: String?
  /// More attributes, an object. They take precedence over all others.
  public var additional: Value = .map([])

  public init() {}
}

public import Expressions

/// Options of the SDK. The defaults are those of the SDK contract.
public struct TollgateOptions: Hashable, Sendable {
  public var paywalls = PaywallOptions()
  public var networkEnvironment = NetworkEnvironment.release
  /// The source of the config.
  public var configSource = ConfigSource.staticConfig
  /// The events to upload. The app receives all events, whatever this option is.
  public var eventTrackingBehavior = EventTrackingBehavior.all
  /// The locale to use instead of the device's, such as `de_DE`.
  public var localeIdentifier: String?
  public var isGameControllerEnabled = false
  public var logging = LoggingOptions()
  /// On Android, whether user identifiers are passed to Google Play with purchases.
  public var passIdentifiersToPlayStore = false
  public var storeKitVersion: StoreKitVersion?
  public var enableExperimentalDeviceVariables = false
  public var manualPurchaseManagement = false
  public var shouldObservePurchases = false
  public var shouldBypassAppTransactionCheck = false
  /// The maximum number of retries of a failed request for the config. With 0, the request is not retried.
  public var maxConfigRetryCount = Retry.count
  public var useMockReviews = false
  public var testModeBehavior = TestModeBehavior.automatic
  /// Files of the app that paywalls can use, by ID.
  public var localResources: [String: String] = [:]
  public var timeouts = Timeouts()
  /// A static config as JSON that the app includes. The SDK uses this config if the server does not respond within
  /// ``Timeouts/keptConfig`` and no earlier config is stored, for example when the app first starts offline.
  public var fallbackConfig: [UInt8]?
  /// The rules that a purchase controller follows.
  public var purchaseMode = PurchaseMode.superwall

  public init() {}

  /// Decodes options from JSON. An option that is missing, has the wrong type or an unknown value gets its default.
  public init(decoding value: Value) {
    paywalls = PaywallOptions(decoding: value["paywalls"] ?? .null)
    networkEnvironment = NetworkEnvironment(decoding: value["networkEnvironment"])
    read(&configSource, value["configSource"])
    read(&eventTrackingBehavior, value["eventTrackingBehavior"])
    // This older key for the same setting can restrict uploads, but never extend them.
    if value["isExternalDataCollectionEnabled"]?.truth == false, eventTrackingBehavior == .all {
      eventTrackingBehavior = .superwallOnly
    }
    localeIdentifier = value["localeIdentifier"]?.text
    read(&isGameControllerEnabled, value["isGameControllerEnabled"])
    logging = LoggingOptions(decoding: value["logging"] ?? .null)
    read(&passIdentifiersToPlayStore, value["passIdentifiersToPlayStore"])
    storeKitVersion = value["storeKitVersion"]?.text.flatMap { StoreKitVersion(rawValue: $0) }
    read(&enableExperimentalDeviceVariables, value["enableExperimentalDeviceVariables"])
    // A version of the wrapper misspelt the key, so both spellings are read.
    read(&manualPurchaseManagement, value["manualPurchaseManagment"])
    read(&manualPurchaseManagement, value["manualPurchaseManagement"])
    read(&shouldObservePurchases, value["shouldObservePurchases"])
    read(&shouldBypassAppTransactionCheck, value["shouldBypassAppTransactionCheck"])
    if let count = value["maxConfigRetryCount"]?.wholeNumber { maxConfigRetryCount = max(count, 0) }
    read(&useMockReviews, value["useMockReviews"])
    read(&testModeBehavior, value["testModeBehavior"])
    for resource in value["localResources"]?.members ?? [] {
      localResources[resource.key] = resource.value.text
    }
  }
}

/// How paywalls are shown.
public struct PaywallOptions: Hashable, Sendable {
  /// The view behind the store's dialog.
  public enum TransactionBackgroundView: String, Hashable, Sendable {
    case spinner
    case none
  }

  public var isHapticFeedbackEnabled = true
  public var restoreFailed = RestoreFailedTexts()
  public var shouldShowPurchaseFailureAlert = true
  /// Loads the paywalls of all placements once the config is loaded.
  public var shouldPreload = false
  /// Closes a paywall after a purchase or a restore.
  public var automaticallyDismiss = true
  public var transactionBackgroundView = TransactionBackgroundView.spinner
  public var shouldShowWebPurchaseConfirmationAlert = false
  /// Shows no paywall to users with an active subscription, whatever the audiences say. Older documentation describes
  /// this behavior.
  public var hideWhenSubscribed = false

  public init() {}

  init(decoding value: Value) {
    read(&isHapticFeedbackEnabled, value["isHapticFeedbackEnabled"])
    let texts = value["restoreFailed"]
    restoreFailed.title = texts?["title"]?.text ?? restoreFailed.title
    restoreFailed.message = texts?["message"]?.text ?? restoreFailed.message
    restoreFailed.closeButtonTitle =
      texts?["closeButtonTitle"]?.text ?? restoreFailed.closeButtonTitle
    read(&shouldShowPurchaseFailureAlert, value["shouldShowPurchaseFailureAlert"])
    read(&shouldPreload, value["shouldPreload"])
    read(&automaticallyDismiss, value["automaticallyDismiss"])
    read(&transactionBackgroundView, value["transactionBackgroundView"])
    read(
      &shouldShowWebPurchaseConfirmationAlert, value["shouldShowWebPurchaseConfirmationAlert"])
    read(&hideWhenSubscribed, value["hideWhenSubscribed"])
  }
}

/// The texts of the alert that appears if a restore finds no purchases.
public struct RestoreFailedTexts: Hashable, Sendable {
  public var title = "No Subscription Found"
  public var message = "We couldn't find an active subscription for your account."
  public var closeButtonTitle = "Okay"

  public init() {}
}

/// Which log messages are reported.
public struct LoggingOptions: Hashable, Sendable {
  public var level = LogLevel.info
  /// The least severe level of messages that are written to ``Ports/console``.
  public var consoleLevel = LogLevel.warn
  public var scopes: Set<LogScope> = [.all]

  public init() {}

  init(decoding value: Value) {
    read(&level, value["level"])
    if let names = value["scopes"]?.elements {
      let known = names.compactMap { $0.text.flatMap { LogScope(rawValue: $0) } }
      if !known.isEmpty { scopes = Set(known) }
    }
  }

  func allows(_ message: LogMessage) -> Bool {
    level.allows(message.level) && (scopes.contains(.all) || scopes.contains(message.scope))
  }
}

/// The servers to use.
public enum NetworkEnvironment: Hashable, Sendable {
  case release
  case releaseCandidate
  case developer
  case local
  /// All requests go to one address, such as `http://127.0.0.1:8080`.
  case custom(String)

  init(decoding value: Value?) {
    switch value?.text {
    case "releaseCandidate": self = .releaseCandidate
    case "developer": self = .developer
    case "local": self = .local
    default:
      if let address = value?["custom"]?.text { self = .custom(address) } else { self = .release }
    }
  }
}

/// How the config is fetched. Both sources return the same config.
public enum ConfigSource: String, Hashable, Sendable, CaseIterable {
  /// `GET /api/v1/static_config`, as the native SDKs do.
  case staticConfig
  /// The config API. The SDK reads the application of the public key, the domain of its web paywalls, and that domain's
  /// config. Each of these paths is a ``ConfigArtifact/Basis/verifiedRead``.
  case artifacts
}

/// The events to upload.
public enum EventTrackingBehavior: String, Hashable, Sendable, CaseIterable {
  case all
  /// Only events of the SDK are uploaded: no placements of the app, no `trigger_fire`, and no user attributes.
  case superwallOnly
  case none
}

/// The version of StoreKit that a host uses for purchases.
public enum StoreKitVersion: String, Hashable, Sendable {
  case storeKit1 = "STOREKIT1"
  case storeKit2 = "STOREKIT2"
}

/// When purchases are simulated. Only hosts that have a test mode use this option.
public enum TestModeBehavior: String, Hashable, Sendable {
  case automatic
  case whenEnabledForUser
  case never
  case always
}

/// How the subscription status changes after a purchase controller makes a purchase.
public enum PurchaseMode: Hashable, Sendable {
  /// Only ``Tollgate/setSubscriptionStatus(_:)`` changes the subscription status.
  case superwall
  /// The SDK maps products to entitlements, has receipts verified, and calls `didCompletePurchase`
  /// and `didRestorePurchases`.
  case agentWallie
}

/// The appearance of the app, which overrides the appearance of the system.
public enum InterfaceStyle: String, Hashable, Sendable {
  case light = "Light"
  case dark = "Dark"
}

private func read(_ target: inout Bool, _ value: Value?) {
  if let truth = value?.truth { target = truth }
}

private func read<T: RawRepresentable<String>>(_ target: inout T, _ value: Value?) {
  if let known = value?.text.flatMap({ T(rawValue: $0) }) { target = known }
}

public import Expressions
public import Pricing

/// Shows paywalls. In a host with a web view, the presenter is a thin adapter.
///
/// Functions that are not `async` must return quickly. Such functions are called in the order of the SDK's events,
/// after the app has received the event. Functions that are `async` are called for one presentation at a time.
public protocol PaywallPresenter: Sendable {
  /// Whether the host can present a paywall, for example because it has a window.
  ///
  /// ``Timeouts/canPresent`` limits this call.
  func canPresent() async -> Bool
  /// Shows a paywall and returns when it is visible. An error ends the presentation. Reports from the host take effect
  /// after this method returns.
  ///
  /// ``Timeouts/present`` limits this call. A paywall that appears later is closed again.
  func present(_ presentation: PaywallPresentation) async throws
  /// Closes a paywall and returns when it is closed. The SDK does not call this method for a paywall whose closing the
  /// host reported with ``PresentationHandle/swipedAway()`` or ``PresentationHandle/systemDismissed()``.
  ///
  /// ``Timeouts/dismiss`` limits this call. After that time the paywall counts as closed.
  func dismiss(_ presentation: PaywallPresentation) async
  /// Shows a survey to the user and returns the answer. There is no time limit.
  func ask(_ survey: Survey, in presentation: PaywallPresentation) async -> SurveyAnswer
  /// Sends a message to the paywall.
  func send(_ message: PaywallMessage, to presentation: PaywallPresentation)
  func alert(_ alert: PaywallAlert)
  /// Opens a URL, inside the app or in another app.
  func open(_ url: String, external: Bool)
  func schedule(_ notification: LocalNotification)
  /// Starts a payment on the web. Report the progress of the payment with ``PresentationHandle/checkout(_:)``.
  func checkout(_ directive: Value, in presentation: PaywallPresentation)
}

/// One presentation of a paywall, for the host.
public struct PaywallPresentation: Sendable {
  /// An ID that is unique for every presentation.
  public var id: String
  public var info: PaywallInfo
  /// The paywall's products that the store sells.
  public var products: [StoreProduct]
  /// The attributes of each product that the paywall can show (`price`, `monthlyPrice`, `trialPeriodText`, ...), by
  /// product identifier.
  public var attributes: [String: ProductAttributes]
  /// The paywall's description from the backend, including data that only a host needs.
  public var response: Value
  /// Receives the host's reports about the presentation.
  public var handle: PresentationHandle
}

/// A message from the SDK to an open paywall. `name` is the name of the message in a web view.
public enum PaywallMessage: Hashable, Sendable {
  case paywallOpen
  case paywallClose
  case transactionStart(productID: String)
  case transactionComplete(productID: String)
  case transactionFail
  case transactionAbandon
  case transactionRestore
  case transactionTimeout
  case restoreStart
  case restoreComplete
  case restoreFail(String)
  case callbackResult(requestID: String, CustomCallbackResult)
  case permissionResult(name: String, isGranted: Bool)

  public var name: String {
    switch self {
    case .paywallOpen: "paywall_open"
    case .paywallClose: "paywall_close"
    case .transactionStart: "transaction_start"
    case .transactionComplete: "transaction_complete"
    case .transactionFail: "transaction_fail"
    case .transactionAbandon: "transaction_abandon"
    case .transactionRestore: "transaction_restore"
    case .transactionTimeout: "transaction_timeout"
    case .restoreStart: "restore_start"
    case .restoreComplete: "restore_complete"
    case .restoreFail: "restore_fail"
    case .callbackResult: "callback_result"
    case .permissionResult: "permission_result"
    }
  }

  /// The message for a web view: `{"name", ...}`.
  public var value: Value {
    switch self {
    case .transactionStart(let id), .transactionComplete(let id):
      .object(["name": .string(name), "productId": .string(id)])
    case .restoreFail(let message):
      .object(["name": .string(name), "message": .string(message)])
    case .callbackResult(let requestID, let result):
      .members([
        "name": .string(name), "requestId": .string(requestID), "status": .string(result.status),
        "data": result.data,
      ])
    case .permissionResult(let permission, let isGranted):
      .object([
        "name": .string(name), "permission": .string(permission),
        "status": isGranted ? "granted" : "denied",
      ])
    default: .object(["name": .string(name)])
    }
  }
}

/// An alert for the user that is not part of the paywall.
public enum PaywallAlert: Hashable, Sendable {
  case restoreFailed(RestoreFailedTexts)
  case purchaseFailed(message: String, code: String?)
  case purchasePending

  public var kind: String {
    switch self {
    case .restoreFailed: "restoreFailed"
    case .purchaseFailed: "purchaseFailed"
    case .purchasePending: "purchasePending"
    }
  }
}

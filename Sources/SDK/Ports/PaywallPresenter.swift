public import Expressions
public import Pricing

/// Shows paywalls. A host with a web view implements it as a thin adapter.
///
/// Functions that return nothing at once are called in the order of the SDK's events, after the app
/// has heard of them, and return soon. Those that wait are called for one presentation at a time.
public protocol PaywallPresenter: Sendable {
  /// Whether there is something to present from, such as a window.
  ///
  /// Has ``Timeouts/canPresent``.
  func canPresent() async -> Bool
  /// Shows a paywall and returns when it is visible. An error ends the presentation. What the host
  /// reports before that counts as soon as it has returned.
  ///
  /// Has ``Timeouts/present``; a paywall that comes later is taken away again.
  func present(_ presentation: PaywallPresentation) async throws
  /// Takes a paywall away and returns when it is gone. Not called for one that is gone already, which
  /// the host reported with ``PresentationHandle/swipedAway()`` or
  /// ``PresentationHandle/systemDismissed()``.
  ///
  /// Has ``Timeouts/dismiss``; after that the paywall counts as gone.
  func dismiss(_ presentation: PaywallPresentation) async
  /// Asks the user and returns with the answer, however long that takes.
  func ask(_ survey: Survey, in presentation: PaywallPresentation) async -> SurveyAnswer
  /// Tells the paywall something.
  func send(_ message: PaywallMessage, to presentation: PaywallPresentation)
  func alert(_ alert: PaywallAlert)
  /// Opens an address, inside the app or in another one.
  func open(_ url: String, external: Bool)
  func schedule(_ notification: LocalNotification)
  /// Pays on the web; ``PresentationHandle/checkout(_:)`` says how it went on.
  func checkout(_ directive: Value, in presentation: PaywallPresentation)
}

/// One presentation of a paywall, for the host.
public struct PaywallPresentation: Sendable {
  /// Unique for every presentation.
  public var id: String
  public var info: PaywallInfo
  /// Products of the paywall that the store has.
  public var products: [StoreProduct]
  /// What the paywall can say about each of them (`price`, `monthlyPrice`, `trialPeriodText`, ...),
  /// by its identifier.
  public var attributes: [String: ProductAttributes]
  /// The paywall as the backend sent it, with everything that only a host needs.
  public var response: Value
  /// Where the host reports to.
  public var handle: PresentationHandle
}

/// What the SDK tells an open paywall. `name` is what a web view calls it.
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

  /// `{"name", ...}`, as a web view gets it.
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

/// What the user is told outside the paywall.
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

public import Expressions
package import Pricing

/// Everything that can happen to the SDK.
package enum Input: Sendable {
  /// A method is called. ``Effect/complete(_:_:)`` with the same token returns its result.
  case call(Token, Call)
  /// The task that made a call was cancelled. Work that only this call needs is cancelled.
  case cancel(Token)
  case application(ApplicationEvent)
  case presentation(id: String, PresentationReport)
  /// The back button was pressed. ``Effect/answerBackPress(_:isConsumed:)`` returns the answer.
  case backPress(Token, presentation: String)
  case device(DeviceReport)
  /// Whether `onPurchase` and `onPurchaseRestore` have a listener.
  case listenersChanged(purchases: Bool)
  // Answers to effects.
  case timer(TimerID)
  case response(Token, Result<BackendResponse, TransportFailure>)
  case ownedProducts(Token, Result<[OwnedProduct], StoreError>)
  case products(Token, Result<[StoreProduct], StoreError>)
  case canPresent(Token, Bool)
  case presented(id: String)
  case presentFailed(id: String, String)
  case dismissed(id: String)
  case surveyAnswered(id: String, SurveyAnswer)
  case purchaseFinished(Token, StorePurchase)
  case restoreFinished(Token, RestorationResult)
  case consumed(Token, Result<String, StoreError>)
  case storeChanged
  /// The config that an earlier process stored, or nil; see ``KeptConfig``.
  case keptConfig(Token, Value?)
  /// The contents of the storage's logs, by name; see ``LoggedEvents``.
  case history(Token, [String: StorageLog])
  /// A problem with loading or saving.
  case storageFailed(String)
  /// Descriptions of attributes or parameters whose types rules cannot read.
  case unreadable([String])
}

package enum ApplicationEvent: Hashable, Sendable {
  case foreground
  case background
}

/// Observations that only the device can make.
public enum DeviceReport: Hashable, Sendable {
  case adServicesTokenRequestStart
  case adServicesTokenRequestFail(error: String)
  case adServicesTokenRequestComplete(token: String)
  case enrichmentStart
  /// A server's data about the user and the device, as objects.
  case enrichmentComplete(user: Value?, device: Value?)
  case enrichmentFail
  case customerInfoDidChange
  case testModeModalOpen
  case testModeModalClose
  case transactionTimeout
  case touchesBegan
  /// A report that this version does not support.
  case unknown
}

/// Identifies a timer. Starting a timer again replaces the running timer.
package enum TimerID: Hashable, Sendable {
  case waitingCall(Token)
  /// The deadline of all calls that wait for the subscription status.
  case status
  case retry(Token)
  case requestLimit(Token)
  case callback(String)
  case backPress
  /// The pause between two polls of a checkout.
  case checkout
  case keptConfig
  case loadConfig(Token)
  case loadHistory(Token)
  /// The time until events are uploaded.
  case upload
  /// The maximum time that a placement may block other placements.
  case turn(Token)
  // Time limits of ports.
  case ownedProducts(Token)
  case products(Token)
  case consume(Token)
  /// The end of an entitlement from the store.
  case entitlementEnd
  case canPresent(Token)
  case present(id: String)
  case dismiss(id: String)
  // The time after which slow work is reported in the log. The work itself has no limit.
  case purchase(Token)
  case restore(Token)
}

/// The effects that the shell carries out, in this order.
package enum Effect: Sendable {
  case emit(ModuleEvent)
  case complete(Token, Result<Reply, SDKError>)
  case answerBackPress(Token, isConsumed: Bool)
  case startTimer(TimerID, milliseconds: Int64)
  case cancelTimer(TimerID)
  case save(Value)
  case loadConfig(Token)
  case keepConfig(Value)
  /// Load these logs, or all logs if nil, without entries that are added after this effect.
  case loadHistory(Token, [String]?)
  /// The configuration of this call takes effect, and its purchase controller is used for later purchases.
  case beginConfiguring(Token, PurchaseHandling)
  case log(EventLogEntry)
  /// Store an event until it is uploaded.
  case collect(CollectedEvent)
  /// Delete the events with these numbers.
  case dropEvents([Int])
  case clearLog(keepingEvents: Set<String>)
  case send(Token, BackendRequest)
  // Requests to the store and the purchase controller.
  case loadOwnedProducts(Token)
  case loadProducts(Token, [String])
  case purchase(Token, PurchaseRequest, byController: Bool)
  case restore(Token, byController: Bool)
  case consume(Token, String)
  // Requests to the presenter.
  case askPresenter(Token)
  case present(PresentationContent)
  case dismiss(id: String)
  case ask(id: String, Survey)
  case message(id: String, PaywallMessage)
  case alert(PaywallAlert)
  case open(url: String, external: Bool)
  case checkout(id: String, Value)
  case schedule(LocalNotification)
  /// AgentWallie's delegate callbacks.
  case didCompletePurchase(productID: String)
  case didRestorePurchases
}

/// A presentation without the handle that the shell adds.
package struct PresentationContent: Sendable {
  package var id: String
  package var info: PaywallInfo
  package var products: [StoreProduct]
  package var attributes: [String: ProductAttributes]
  package var response: Value
}

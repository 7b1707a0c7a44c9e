public import Expressions

/// Receives all events that are not about a single placement, in order and on the main actor. By default, every
/// function does nothing. The functions have the names and labels of `SuperwallDelegate`, so delegates written for that
/// protocol work unchanged.
@MainActor
public protocol TollgateDelegate: AnyObject, Sendable {
  func subscriptionStatusDidChange(
    from oldValue: SubscriptionStatus, to newValue: SubscriptionStatus)
  /// Receives every event of the SDK, for analytics.
  func handleSuperwallEvent(withInfo eventInfo: SuperwallEventInfo)
  func handleCustomPaywallAction(withName name: String)
  func willPresentPaywall(withInfo info: PaywallInfo)
  func didPresentPaywall(withInfo info: PaywallInfo)
  func willDismissPaywall(withInfo info: PaywallInfo)
  func didDismissPaywall(withInfo info: PaywallInfo)
  func paywallWillOpenURL(url: String)
  func paywallWillOpenDeepLink(url: String)
  func handleLog(
    level: LogLevel, scope: LogScope, message: String?, info: Value?, error: String?)
  func willRedeemLink()
  func didRedeemLink(result: RedemptionResult)
  /// Called after a purchase under ``PurchaseMode/agentWallie``, when status and entitlements are up to date.
  func didCompletePurchase(productID: String)
  /// Called like `didCompletePurchase(productID:)`, but with AgentWallie's label. Implement only one of the two
  /// methods.
  func didCompletePurchase(productId: String)
  /// Called after a restore under ``PurchaseMode/agentWallie``, when status and entitlements are up to date.
  func didRestorePurchases()
}

extension TollgateDelegate {
  public func subscriptionStatusDidChange(
    from oldValue: SubscriptionStatus, to newValue: SubscriptionStatus
  ) {}
  public func handleSuperwallEvent(withInfo eventInfo: SuperwallEventInfo) {}
  public func handleCustomPaywallAction(withName name: String) {}
  public func willPresentPaywall(withInfo info: PaywallInfo) {}
  public func didPresentPaywall(withInfo info: PaywallInfo) {}
  public func willDismissPaywall(withInfo info: PaywallInfo) {}
  public func didDismissPaywall(withInfo info: PaywallInfo) {}
  public func paywallWillOpenURL(url: String) {}
  public func paywallWillOpenDeepLink(url: String) {}
  public func handleLog(
    level: LogLevel, scope: LogScope, message: String?, info: Value?, error: String?
  ) {}
  public func willRedeemLink() {}
  public func didRedeemLink(result: RedemptionResult) {}
  public func didCompletePurchase(productID: String) {}
  public func didCompletePurchase(productId: String) {}
  public func didRestorePurchases() {}

  /// Calls the function of an event. Handlers receive the events of a placement, and responders receive questions.
  func receive(_ event: ModuleEvent) {
    switch event {
    case .subscriptionStatusDidChange(let from, let to):
      subscriptionStatusDidChange(from: from, to: to)
    case .handleSuperwallEvent(let event):
      handleSuperwallEvent(withInfo: SuperwallEventInfo(event))
    case .handleCustomPaywallAction(let name): handleCustomPaywallAction(withName: name)
    case .willPresentPaywall(let info): willPresentPaywall(withInfo: info)
    case .didPresentPaywall(let info): didPresentPaywall(withInfo: info)
    case .willDismissPaywall(let info): willDismissPaywall(withInfo: info)
    case .didDismissPaywall(let info): didDismissPaywall(withInfo: info)
    case .paywallWillOpenURL(let url): paywallWillOpenURL(url: url)
    case .paywallWillOpenDeepLink(let url): paywallWillOpenDeepLink(url: url)
    case .handleLog(let log):
      handleLog(
        level: log.level, scope: log.scope, message: log.message, info: log.info, error: log.error)
    case .willRedeemLink: willRedeemLink()
    case .didRedeemLink(let result): didRedeemLink(result: result)
    case .onPaywallPresent, .onPaywallDismiss, .onPaywallError, .onPaywallSkip,
      .onCustomCallback, .onPurchase, .onPurchaseRestore, .onBackPressed:
      break
    }
  }
}

/// An event of the SDK for delegates.
public struct SuperwallEventInfo: Hashable, Sendable, CustomStringConvertible {
  public var event: SuperwallEvent
  /// The members of the event's JSON, without its name.
  public var params: [String: Value]

  public init(_ event: SuperwallEvent) {
    self.event = event
    let members = (event.value.members ?? []).filter { $0.key != "event" }
    params = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
  }

  public var description: String { event.description }
}

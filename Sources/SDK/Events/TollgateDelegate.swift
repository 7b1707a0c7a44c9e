/// Is told of everything that is not about one placement. Called on the main actor, in the order
/// of the events. Every function does nothing unless you write it.
@MainActor
public protocol TollgateDelegate: AnyObject, Sendable {
  func subscriptionStatusDidChange(
    from oldValue: SubscriptionStatus, to newValue: SubscriptionStatus)
  /// Everything that the SDK does, for analytics.
  func handleSuperwallEvent(_ event: SuperwallEvent)
  func handleCustomPaywallAction(name: String)
  func willPresentPaywall(_ info: PaywallInfo)
  func didPresentPaywall(_ info: PaywallInfo)
  func willDismissPaywall(_ info: PaywallInfo)
  func didDismissPaywall(_ info: PaywallInfo)
  func paywallWillOpenURL(_ url: String)
  func paywallWillOpenDeepLink(_ url: String)
  func handleLog(_ message: LogMessage)
  func willRedeemLink()
  func didRedeemLink(_ result: RedemptionResult)
  /// AgentWallie's rules (``PurchaseMode/agentWallie``): status and entitlements are up to date.
  func didCompletePurchase(productID: String)
  /// AgentWallie's rules: status and entitlements are up to date.
  func didRestorePurchases()
}

extension TollgateDelegate {
  public func subscriptionStatusDidChange(
    from oldValue: SubscriptionStatus, to newValue: SubscriptionStatus
  ) {}
  public func handleSuperwallEvent(_ event: SuperwallEvent) {}
  public func handleCustomPaywallAction(name: String) {}
  public func willPresentPaywall(_ info: PaywallInfo) {}
  public func didPresentPaywall(_ info: PaywallInfo) {}
  public func willDismissPaywall(_ info: PaywallInfo) {}
  public func didDismissPaywall(_ info: PaywallInfo) {}
  public func paywallWillOpenURL(_ url: String) {}
  public func paywallWillOpenDeepLink(_ url: String) {}
  public func handleLog(_ message: LogMessage) {}
  public func willRedeemLink() {}
  public func didRedeemLink(_ result: RedemptionResult) {}
  public func didCompletePurchase(productID: String) {}
  public func didRestorePurchases() {}

  /// Calls the function of an event. Events of one placement go to its handler, questions to who
  /// answers them.
  func receive(_ event: ModuleEvent) {
    switch event {
    case .subscriptionStatusDidChange(let from, let to):
      subscriptionStatusDidChange(from: from, to: to)
    case .handleSuperwallEvent(let event): handleSuperwallEvent(event)
    case .handleCustomPaywallAction(let name): handleCustomPaywallAction(name: name)
    case .willPresentPaywall(let info): willPresentPaywall(info)
    case .didPresentPaywall(let info): didPresentPaywall(info)
    case .willDismissPaywall(let info): willDismissPaywall(info)
    case .didDismissPaywall(let info): didDismissPaywall(info)
    case .paywallWillOpenURL(let url): paywallWillOpenURL(url)
    case .paywallWillOpenDeepLink(let url): paywallWillOpenDeepLink(url)
    case .handleLog(let message): handleLog(message)
    case .willRedeemLink: willRedeemLink()
    case .didRedeemLink(let result): didRedeemLink(result)
    case .onPaywallPresent, .onPaywallDismiss, .onPaywallError, .onPaywallSkip,
      .onCustomCallback, .onPurchase, .onPurchaseRestore, .onBackPressed:
      break
    }
  }
}

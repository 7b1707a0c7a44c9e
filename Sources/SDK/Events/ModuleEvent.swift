public import Expressions

/// An event that the SDK reports to its app. Listeners receive all events of one SDK in the same order.
public enum ModuleEvent: Hashable, Sendable {
  // Events of a placement that was registered with a handler.
  case onPaywallPresent(PaywallInfo, handlerID: String)
  case onPaywallDismiss(PaywallInfo, PaywallResult, handlerID: String)
  case onPaywallError(SDKError, handlerID: String)
  case onPaywallSkip(PaywallSkippedReason, handlerID: String)
  case onCustomCallback(callbackID: String, CustomCallback, handlerID: String)
  // Questions that the app answers with the `did...` methods.
  case onPurchase(PurchaseRequest)
  case onPurchaseRestore
  case onBackPressed(PaywallInfo)
  // Events for all listeners.
  case subscriptionStatusDidChange(from: SubscriptionStatus, to: SubscriptionStatus)
  case handleSuperwallEvent(SuperwallEvent)
  case handleCustomPaywallAction(name: String)
  case willPresentPaywall(PaywallInfo)
  case didPresentPaywall(PaywallInfo)
  case willDismissPaywall(PaywallInfo)
  case didDismissPaywall(PaywallInfo)
  case paywallWillOpenURL(String)
  case paywallWillOpenDeepLink(String)
  case handleLog(LogMessage)
  case willRedeemLink
  case didRedeemLink(RedemptionResult)

  /// The names of the events in the SDK contract.
  public enum Name: String, Hashable, Sendable, CaseIterable {
    case onPaywallPresent
    case onPaywallDismiss
    case onPaywallError
    case onPaywallSkip
    case onCustomCallback
    case onPurchase
    case onPurchaseRestore
    case onBackPressed
    case subscriptionStatusDidChange
    case handleSuperwallEvent
    case handleCustomPaywallAction
    case willPresentPaywall
    case didPresentPaywall
    case willDismissPaywall
    case didDismissPaywall
    case paywallWillOpenURL
    case paywallWillOpenDeepLink
    case handleLog
    case willRedeemLink
    case didRedeemLink
  }

  public var name: Name {
    switch self {
    case .onPaywallPresent: .onPaywallPresent
    case .onPaywallDismiss: .onPaywallDismiss
    case .onPaywallError: .onPaywallError
    case .onPaywallSkip: .onPaywallSkip
    case .onCustomCallback: .onCustomCallback
    case .onPurchase: .onPurchase
    case .onPurchaseRestore: .onPurchaseRestore
    case .onBackPressed: .onBackPressed
    case .subscriptionStatusDidChange: .subscriptionStatusDidChange
    case .handleSuperwallEvent: .handleSuperwallEvent
    case .handleCustomPaywallAction: .handleCustomPaywallAction
    case .willPresentPaywall: .willPresentPaywall
    case .didPresentPaywall: .didPresentPaywall
    case .willDismissPaywall: .willDismissPaywall
    case .didDismissPaywall: .didDismissPaywall
    case .paywallWillOpenURL: .paywallWillOpenURL
    case .paywallWillOpenDeepLink: .paywallWillOpenDeepLink
    case .handleLog: .handleLog
    case .willRedeemLink: .willRedeemLink
    case .didRedeemLink: .didRedeemLink
    }
  }

  /// The ID of the handler that the event belongs to, or nil.
  public var handlerID: String? {
    switch self {
    case .onPaywallPresent(_, let id), .onPaywallDismiss(_, _, let id),
      .onPaywallError(_, let id), .onPaywallSkip(_, let id), .onCustomCallback(_, _, let id):
      id
    default: nil
    }
  }

  /// The payload of the event in the SDK contract. Depending on the event, a paywall's description has the key
  /// `paywallInfoJson`, `paywallInfo` or `info`.
  public var payload: Value {
    switch self {
    case .onPaywallPresent(let info, let id):
      .object(["paywallInfoJson": info.value, "handlerId": .string(id)])
    case .onPaywallDismiss(let info, let result, let id):
      .object([
        "paywallInfoJson": info.value, "result": result.value, "handlerId": .string(id),
      ])
    case .onPaywallError(let error, let id):
      .object(["errorString": .string(error.description), "handlerId": .string(id)])
    case .onPaywallSkip(let reason, let id):
      .object(["skippedReason": reason.value, "handlerId": .string(id)])
    case .onCustomCallback(let callbackID, let callback, let id):
      .members([
        "callbackId": .string(callbackID), "name": .string(callback.name),
        "variables": callback.variables, "handlerId": .string(id),
      ])
    case .onPurchase(let request): request.value
    case .onPurchaseRestore, .willRedeemLink: .null
    case .onBackPressed(let info): .object(["paywallInfo": info.value])
    case .subscriptionStatusDidChange(let from, let to):
      .object(["from": from.value, "to": to.value])
    case .handleSuperwallEvent(let event):
      .object(["eventInfo": .object(["event": event.value, "params": .map([])])])
    case .handleCustomPaywallAction(let name): .object(["name": .string(name)])
    case .willPresentPaywall(let info), .didPresentPaywall(let info),
      .willDismissPaywall(let info), .didDismissPaywall(let info):
      .object(["info": info.value])
    case .paywallWillOpenURL(let url), .paywallWillOpenDeepLink(let url):
      .object(["url": .string(url)])
    case .handleLog(let message): message.value
    case .didRedeemLink(let result): result.value
    }
  }
}

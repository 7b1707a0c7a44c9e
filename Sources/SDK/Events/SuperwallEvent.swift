public import Expressions
public import RuleEngine

/// What `handleSuperwallEvent` tells: everything the SDK does and sees.
///
/// The contract's names are in ``name``. Events of the core come in one total order;
/// those that only a host can see (web view, permissions, ...) come where the host reports them.
public enum SuperwallEvent: Hashable, Sendable {
  // Life cycle and identity.
  case firstSeen
  case appOpen
  case appLaunch
  case appInstall
  case appClose
  case sessionStart
  case identityAlias
  case reset
  case configRefresh
  case configFail
  case configAttributes
  case confirmAllAssignments
  case deviceAttributes(Value)
  case userAttributes(Value)
  case integrationAttributes(Value)
  case subscriptionStatusDidChange(SubscriptionStatus)
  case customerInfoDidChange
  case deepLink(url: String)
  // Placements and paywalls.
  case triggerFire(placement: String, TriggerResult)
  case paywallPresentationRequest(PresentationRequestStatus, PresentationRequestReason?)
  case paywallOpen(PaywallInfo)
  case paywallClose(PaywallInfo)
  case paywallDecline(PaywallInfo)
  case paywallResponseLoadStart(placement: String)
  case paywallResponseLoadNotFound(placement: String)
  case paywallResponseLoadFail(placement: String)
  case paywallResponseLoadComplete(placement: String, PaywallInfo)
  case paywallProductsLoadStart(placement: String, PaywallInfo)
  case paywallProductsLoadFail(placement: String, PaywallInfo)
  case paywallProductsLoadComplete(placement: String, PaywallInfo)
  case paywallProductsLoadRetry(placement: String, PaywallInfo, attempt: Int)
  case paywallProductsLoadMissingProducts(placement: String, PaywallInfo, identifiers: [String])
  case paywallPreloadStart(count: Int)
  case paywallPreloadComplete(count: Int)
  case paywallWebviewLoadStart(PaywallInfo)
  case paywallWebviewLoadFail(PaywallInfo)
  case paywallWebviewLoadComplete(PaywallInfo)
  case paywallWebviewLoadTimeout(PaywallInfo)
  case paywallWebviewLoadFallback(PaywallInfo)
  case paywallWebviewProcessTerminated(PaywallInfo)
  case paywallPageView(PaywallInfo, PageView)
  case shimmerViewStart
  case shimmerViewComplete
  case customPlacement(name: String, params: Value, PaywallInfo?)
  case touchesBegan
  case surveyResponse(Survey, Survey.Option, customResponse: String?, PaywallInfo)
  case surveyClose
  case reviewRequested(count: Int)
  case permissionRequested(name: String, paywallIdentifier: String)
  case permissionGranted(name: String, paywallIdentifier: String)
  case permissionDenied(name: String, paywallIdentifier: String)
  // Transactions.
  case transactionStart(TransactionProduct, PaywallInfo)
  case transactionFail(error: String, PaywallInfo)
  case transactionAbandon(TransactionProduct, PaywallInfo)
  case transactionComplete(
    StoreTransaction?, TransactionProduct, TransactionKind, PaywallInfo)
  case transactionRestore(RestoreType, PaywallInfo)
  case transactionTimeout(PaywallInfo)
  case subscriptionStart(TransactionProduct, PaywallInfo)
  case freeTrialStart(TransactionProduct, PaywallInfo)
  case nonRecurringProductPurchase(TransactionProduct, PaywallInfo)
  case restoreStart
  case restoreComplete
  case restoreFail(message: String)
  case stripeCheckoutStart(PaywallInfo)
  case stripeCheckoutSubmit(PaywallInfo)
  case stripeCheckoutComplete(PaywallInfo)
  case stripeCheckoutFail(PaywallInfo)
  case redemptionStart
  case redemptionComplete
  case redemptionFail
  // What the device reports.
  case enrichmentStart
  case enrichmentComplete(user: Value?, device: Value?)
  case enrichmentFail
  case adServicesTokenRequestStart
  case adServicesTokenRequestFail(error: String)
  case adServicesTokenRequestComplete(token: String)
  case networkDecodingFail
  case testModeModalOpen
  case testModeModalClose
  case unknown
}

/// What kind of purchase a transaction was.
public enum TransactionKind: String, Hashable, Sendable {
  case subscriptionStart = "SUBSCRIPTION_START"
  case freeTrialStart = "FREE_TRIAL_START"
  case nonRecurringProductPurchase = "NON_RECURRING_PRODUCT_PURCHASE"
}

/// How a restore came about.
public enum RestoreType: Hashable, Sendable {
  /// The user tried to buy what they owned.
  case viaPurchase(StoreTransaction?)
  case viaRestore

  /// The contract's JSON.
  public var value: Value {
    switch self {
    case .viaPurchase(let transaction):
      .members(["type": "viaPurchase", "storeTransaction": transaction?.value])
    case .viaRestore: .object(["type": "viaRestore"])
    }
  }
}

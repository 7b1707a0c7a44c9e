public import Expressions
public import RuleEngine

/// The events of `handleSuperwallEvent`: everything that the SDK does and observes.
///
/// ``name`` is the event's name in the SDK contract. All events have a single order. Events that only a host can
/// observe (web view, permissions, ...) arrive in the order of the host's reports.
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
  case triggerFire(placement: String, result: TriggerResult)
  case paywallPresentationRequest(
    status: PresentationRequestStatus, reason: PresentationRequestReason?)
  case paywallOpen(paywallInfo: PaywallInfo)
  case paywallClose(paywallInfo: PaywallInfo)
  case paywallDecline(paywallInfo: PaywallInfo)
  case paywallResponseLoadStart(placement: String)
  case paywallResponseLoadNotFound(placement: String)
  case paywallResponseLoadFail(placement: String)
  case paywallResponseLoadComplete(placement: String, paywallInfo: PaywallInfo)
  case paywallProductsLoadStart(placement: String, paywallInfo: PaywallInfo)
  case paywallProductsLoadFail(placement: String, paywallInfo: PaywallInfo)
  case paywallProductsLoadComplete(placement: String, paywallInfo: PaywallInfo)
  case paywallProductsLoadRetry(placement: String, paywallInfo: PaywallInfo, attempt: Int)
  case paywallProductsLoadMissingProducts(
    placement: String, paywallInfo: PaywallInfo, identifiers: [String])
  case paywallPreloadStart(count: Int)
  case paywallPreloadComplete(count: Int)
  case paywallWebviewLoadStart(paywallInfo: PaywallInfo)
  case paywallWebviewLoadFail(paywallInfo: PaywallInfo)
  case paywallWebviewLoadComplete(paywallInfo: PaywallInfo)
  case paywallWebviewLoadTimeout(paywallInfo: PaywallInfo)
  case paywallWebviewLoadFallback(paywallInfo: PaywallInfo)
  case paywallWebviewProcessTerminated(paywallInfo: PaywallInfo)
  case paywallPageView(page: PageView, paywallInfo: PaywallInfo)
  case shimmerViewStart
  case shimmerViewComplete
  case customPlacement(name: String, params: Value, paywallInfo: PaywallInfo?)
  case touchesBegan
  case surveyResponse(
    survey: Survey, selectedOption: Survey.Option, customResponse: String?, paywallInfo: PaywallInfo
  )
  case surveyClose
  case reviewRequested(count: Int)
  case permissionRequested(name: String, paywallIdentifier: String)
  case permissionGranted(name: String, paywallIdentifier: String)
  case permissionDenied(name: String, paywallIdentifier: String)
  // Transactions.
  case transactionStart(product: TransactionProduct, paywallInfo: PaywallInfo)
  case transactionFail(error: String, paywallInfo: PaywallInfo)
  case transactionAbandon(product: TransactionProduct, paywallInfo: PaywallInfo)
  case transactionComplete(
    transaction: StoreTransaction?, product: TransactionProduct, type: TransactionKind,
    paywallInfo: PaywallInfo)
  case transactionRestore(restoreType: RestoreType, paywallInfo: PaywallInfo)
  case transactionTimeout(paywallInfo: PaywallInfo)
  case subscriptionStart(product: TransactionProduct, paywallInfo: PaywallInfo)
  case freeTrialStart(product: TransactionProduct, paywallInfo: PaywallInfo)
  case nonRecurringProductPurchase(product: TransactionProduct, paywallInfo: PaywallInfo)
  case restoreStart
  case restoreComplete
  case restoreFail(message: String)
  case stripeCheckoutStart(paywallInfo: PaywallInfo)
  case stripeCheckoutSubmit(paywallInfo: PaywallInfo)
  case stripeCheckoutComplete(paywallInfo: PaywallInfo)
  case stripeCheckoutFail(paywallInfo: PaywallInfo)
  case redemptionStart
  case redemptionComplete
  case redemptionFail
  // Reports from the device.
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

/// The kind of purchase of a transaction.
public enum TransactionKind: String, Hashable, Sendable {
  case subscriptionStart = "SUBSCRIPTION_START"
  case freeTrialStart = "FREE_TRIAL_START"
  case nonRecurringProductPurchase = "NON_RECURRING_PRODUCT_PURCHASE"
}

/// The cause of a restore.
public enum RestoreType: Hashable, Sendable {
  /// The user tried to buy a product that the user already owns.
  case viaPurchase(StoreTransaction?)
  case viaRestore

  /// The JSON form in the SDK contract.
  public var value: Value {
    switch self {
    case .viaPurchase(let transaction):
      .members(["type": "viaPurchase", "storeTransaction": transaction?.value])
    case .viaRestore: .object(["type": "viaRestore"])
    }
  }
}

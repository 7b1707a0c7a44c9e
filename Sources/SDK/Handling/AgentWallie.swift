// A purchase controller under AgentWallie's rules. The SDK maps products to entitlements although
// the app makes the purchases, has receipts verified, and reports when a purchase is done.

extension SDKState {
  /// Adds a product's entitlements to the status.
  mutating func grantEntitlements(of productID: String) {
    let granted = config?.entitlements(ofProduct: productID) ?? []
    setStatus(SubscriptionStatus(entitlements: ownership.status.entitlements + granted))
  }

  /// A controller restored. The status gets the products that the store reports as owned. If the
  /// store has none, because another company's SDK makes the purchases, it gets those that the open
  /// paywall sells.
  mutating func grantRestored() {
    var granted = ownership.products.flatMap { config?.entitlements(ofProduct: $0) ?? [] }
    if granted.isEmpty, let open = presentation, transactions.restore?.presentationID == open.id {
      granted = open.info.productIDs.flatMap { config?.entitlements(ofProduct: $0) ?? [] }
    }
    setStatus(SubscriptionStatus(entitlements: ownership.status.entitlements + granted))
  }

  /// Requests verification of the receipt and calls the app, once status and events are done.
  mutating func concludeAgentWallie(_ slot: PurchaseSlot, _ finished: StorePurchase) {
    guard options.purchaseMode == .agentWallie else { return }
    if let signed = finished.transaction?.signedTransaction {
      send(
        Endpoints.receipt(
          signed: signed, userID: person.subjectID, deviceID: deviceID, apiKey: settings.apiKey),
        for: .receipt)
    }
    outbox.add(.didCompletePurchase(productID: slot.product.id))
  }

  /// Requests all products of a new config from the store, so that paywalls have their prices
  /// immediately. The store is not asked again for the same products once it has answered.
  mutating func prefetchProducts() {
    guard options.purchaseMode == .agentWallie, let config else { return }
    let products = config.paywalls.values.flatMap(\.products).filter { !$0.store.isWeb }
    let identifiers = Set(products.map(\.id))
    guard !identifiers.isEmpty, identifiers != catalog.prefetched else { return }
    load(ProductLoad(purpose: .prefetch, identifiers: identifiers.sorted()))
  }
}

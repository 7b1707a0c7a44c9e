// A purchase controller under AgentWallie's rules. The app makes the purchases, but the SDK maps products to
// entitlements, has receipts verified, and reports when a purchase is done.

extension SDKState {
  /// Adds a product's entitlements to the status.
  mutating func grantEntitlements(of productID: String) {
    let granted = config?.entitlements(ofProduct: productID) ?? []
    setStatus(SubscriptionStatus(entitlements: ownership.status.entitlements + granted))
  }

  /// Adds the restored products to the status: the products that the store reports as owned. If the store reports no
  /// products, because another company's SDK makes the purchases, the products of the open paywall are added.
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

  /// Requests all products of a new config from the store, so that paywalls can show prices immediately. Products that
  /// the store has already returned are not requested again.
  mutating func prefetchProducts() {
    guard options.purchaseMode == .agentWallie, let config else { return }
    let products = config.paywalls.values.flatMap(\.products).filter { !$0.store.isWeb }
    let identifiers = Set(products.map(\.id))
    guard !identifiers.isEmpty, identifiers != catalog.prefetched else { return }
    load(ProductLoad(purpose: .prefetch, identifiers: identifiers.sorted()))
  }
}

// A purchase controller by AgentWallie's rules: the SDK maps products to
// entitlements although the app buys, has receipts verified, and tells when a purchase is done.

extension SDKState {
  /// Adds what a product gives to the status.
  mutating func grantEntitlements(of productID: String) {
    let granted = config?.entitlements(ofProduct: productID) ?? []
    setStatus(SubscriptionStatus(entitlements: ownership.status.entitlements + granted))
  }

  /// A controller restored: the status gets what the store says is owned; when the store knows
  /// nothing, because another company's SDK buys, what the open paywall sells.
  mutating func grantRestored() {
    var granted = ownership.products.flatMap { config?.entitlements(ofProduct: $0) ?? [] }
    if granted.isEmpty, let open = presentation, transactions.restore?.presentationID == open.id {
      granted = open.info.productIDs.flatMap { config?.entitlements(ofProduct: $0) ?? [] }
    }
    setStatus(SubscriptionStatus(entitlements: ownership.status.entitlements + granted))
  }

  /// Has the receipt verified and calls the app, once status and events are done.
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

  /// Asks the store for all products of a config when it comes, so that paywalls have their prices at
  /// once. While they are the same ones, and the store has told of them, it is not asked again.
  mutating func prefetchProducts() {
    guard options.purchaseMode == .agentWallie, let config else { return }
    let products = config.paywalls.values.flatMap(\.products).filter { !$0.store.isWeb }
    let identifiers = Set(products.map(\.id))
    guard !identifiers.isEmpty, identifiers != catalog.prefetched else { return }
    load(ProductLoad(purpose: .prefetch, identifiers: identifiers.sorted()))
  }
}

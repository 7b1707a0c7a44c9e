internal import Expressions

// MARK: The subscription status

extension SDKState {
  /// Sets the status. Setting the same status again has no effect.
  mutating func setStatus(_ status: SubscriptionStatus) {
    guard let old = ownership.set(status) else { return }
    outbox.emit(.subscriptionStatusDidChange(from: old, to: status))
    track(.subscriptionStatusDidChange(status))
    if startup.phase == .configured { trackDevice() }
    continueWaiting()
  }

  var entitlements: EntitlementsInfo {
    let active = ownership.status.entitlements
    let known = config?.entitlements ?? []
    return EntitlementsInfo(
      active: active, inactive: known.filter { !active.contains($0) },
      web: ownership.web.map(\.entitlement))
  }

  mutating func loadOwned(for purpose: OwnedLoad) {
    let token = outbox.newToken()
    ownership.begin(purpose, token)
    outbox.startTimer(.ownedProducts(token), options.timeouts.ownedProducts)
    outbox.add(.loadOwnedProducts(token))
  }

  mutating func receiveOwned(_ result: Result<[OwnedProduct], StoreError>, for token: Token) {
    guard let purpose = ownership.take(token) else { return }
    outbox.cancelTimer(.ownedProducts(token))
    receiveOwned(result, for: purpose)
  }

  /// Handles a store that has not reported the owned products in time. A later answer of the store is still used.
  mutating func storeIsSilent(aboutOwnedOf token: Token) {
    guard let purpose = ownership.take(token) else { return }
    ownership.begin(.refresh, token)
    let limit = options.timeouts.ownedProducts
    receiveOwned(.failure(silence(of: "about the owned products", limit)), for: purpose)
  }

  private mutating func receiveOwned(
    _ result: Result<[OwnedProduct], StoreError>, for purpose: OwnedLoad
  ) {
    switch result {
    case .success(let owned): own(owned)
    case .failure(let error):
      log(.warn, .receipts, "the store does not report owned products", error: error.message)
    }
    if settings.purchases == .controller || settings.purchases == .listener {
      grantRestored()
    } else if case .success = result {
      setStatus(SubscriptionStatus(entitlements: ownedEntitlements))
    }
    completeApproved(during: purpose)
    switch purpose {
    case .configuring: finishConfiguring()
    case .purchase:
      if let slot = transactions.purchase, let end = slot.finished { conclude(slot, end) }
    case .restore:
      if let slot = transactions.restore, let end = slot.finished { conclude(slot, end) }
    case .refresh: break
    }
  }

  private mutating func own(_ owned: [OwnedProduct]) {
    let config = config
    ownership.own(owned, at: now) { config?.entitlements(ofProduct: $0) ?? [] }
    outbox.cancelTimer(.entitlementEnd)
    guard let end = ownership.expiries.values.filter({ $0 > now }).min() else { return }
    outbox.startTimer(.entitlementEnd, end - now)
  }

  /// The entitlements of the owned products, and the entitlements bought on the web.
  var ownedEntitlements: [Entitlement] {
    ownership.products.flatMap { config?.entitlements(ofProduct: $0) ?? [] } + ownership.held
      + ownership.web.map(\.entitlement)
  }

  /// Handles changes of the store's data outside of calls. With a purchase controller, the app is responsible for the
  /// status.
  mutating func storeChanged() {
    guard settings.purchases == .store, startup.phase == .configured else { return }
    loadOwned(for: .refresh)
  }
}

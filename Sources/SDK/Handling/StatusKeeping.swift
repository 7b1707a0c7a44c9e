internal import Expressions

/// Why the owned products are loaded.
enum OwnedLoad: Hashable, Sendable {
  case configuring
  case purchase
  case restore
  /// The store said that something changed.
  case refresh
}

// MARK: The subscription status

extension SDKState {
  /// Sets the status. The same one again is nothing.
  mutating func setStatus(_ status: SubscriptionStatus) {
    let old = stored.status
    guard !old.means(status) else { return }
    stored.status = status
    emit(.subscriptionStatusDidChange(from: old, to: status))
    track(.subscriptionStatusDidChange(status))
    if lifecycle.phase == .configured {
      trackDevice()
    }
    continueWaiting()
  }

  var entitlements: EntitlementsInfo {
    let active = stored.status.entitlements
    let known = config?.entitlements ?? []
    return EntitlementsInfo(
      active: active, inactive: known.filter { !active.contains($0) },
      web: stored.webEntitlements)
  }

  mutating func loadOwned(for purpose: OwnedLoad) {
    let token = newToken()
    ownedLoads[token] = purpose
    effects.append(.loadOwnedProducts(token))
  }

  mutating func receiveOwned(_ result: Result<[String], StoreError>, for token: Token) {
    guard let purpose = ownedLoads.removeValue(forKey: token) else { return }
    switch result {
    case .success(let products): ownedProducts = products
    case .failure(let error):
      log(.warn, .receipts, "the store does not say what is owned", error: error.message)
    }
    if purchases == .controller || purchases == .listener {
      grantRestored()
    } else if case .success = result {
      setStatus(SubscriptionStatus(entitlements: ownedEntitlements))
    }
    switch purpose {
    case .configuring: finishConfiguring()
    case .purchase: if let slot = purchase, let end = slot.finished { conclude(slot, end) }
    case .restore: if let slot = restore, let end = slot.finished { conclude(slot, end) }
    case .refresh: break
    }
  }

  /// What the owned products give, and what was bought on the web.
  private var ownedEntitlements: [Entitlement] {
    ownedProducts.flatMap { config?.entitlements(ofProduct: $0) ?? [] } + stored.webEntitlements
  }

  /// Something changed in the store by itself. With a controller the status is the app's business.
  mutating func storeChanged() {
    guard purchases == .store, lifecycle.phase == .configured else { return }
    loadOwned(for: .refresh)
  }
}

// MARK: Codes that were redeemed before

extension SDKState {
  /// Asks the backend again for what the user's codes give, in the background.
  mutating func redeemKnownCodes() {
    track(.redemptionStart)
    let codes = stored.codes.map { code -> Value in
      .object(["code": .string(code), "firstRedemption": false])
    }
    let body = Value.members([
      "deviceId": .string(deviceID), "aliasId": .string(stored.aliasID),
      "appUserId": stored.appUserID.map { .string($0) }, "codes": .list(codes),
      "receipts": .list([]), "metadata": .map([]),
    ])
    send(
      Endpoints.redeem(body, apiKey: apiKey), for: .redemption(identity: identityNumber),
      limit: options.timeouts.redeem)
  }

  mutating func receiveRedemption(_ outcome: Result<[UInt8], BackendError>, identity: Int) {
    guard let body = decodeBody(outcome) else { return track(.redemptionFail) }
    track(.redemptionComplete)
    guard identity == identityNumber else { return }
    let customer = Entitlement.decode(wire: body["customerInfo"]?["entitlements"])
    let web = customer.isEmpty ? Entitlement.decode(wire: body["entitlements"]) : customer
    // An empty answer takes nothing away that was bought.
    guard !web.isEmpty else { return }
    stored.webEntitlements = web
    if purchases == .store { setStatus(SubscriptionStatus(entitlements: ownedEntitlements)) }
  }
}

internal import Expressions
internal import RuleEngine

// MARK: The paywall

extension SDKState {
  /// Loads a paywall from the config, or from the backend if the config lacks the paywall in the user's language.
  mutating func loadPaywall(_ identifier: String, for load: PaywallLoad, placement: String) {
    track(.paywallResponseLoadStart(placement: placement))
    if let known = catalog.paywall(identifier, locale: locale) {
      return paywallArrived(known, for: load, placement: placement, start: now)
    }
    send(
      Endpoints.paywall(identifier, apiKey: settings.apiKey),
      for: .paywall(identifier: identifier, load, start: now), retries: 0)
  }

  /// Why a paywall is not taken from the config.
  private func whyFetched(_ identifier: String) -> String {
    let path = Endpoints.paywall(identifier, apiKey: settings.apiKey).path
    let isThere = config?.holdsPaywall(identifier) == true
    return (isThere ? ": it is localised for '\(locale)'" : ": the config does not contain it")
      + ", so the backend is asked at \(path)"
  }

  mutating func receivePaywall(
    _ outcome: Result<[UInt8], BackendError>, _ identifier: String, _ load: PaywallLoad,
    start: Instant
  ) {
    let placement = self.placement(of: load)
    if let paywall = decodeBody(outcome).flatMap({ PaywallResponse(decoding: $0) }) {
      catalog.keep(paywall, as: identifier)
      return paywallArrived(paywall, for: load, placement: placement, start: start)
    }
    if case .failure(.notFound) = outcome {
      track(.paywallResponseLoadNotFound(placement: placement))
    } else {
      track(.paywallResponseLoadFail(placement: placement))
    }
    switch load {
    case .registration(let token):
      if turns[token]?.stage == .loadingPaywall {
        endWithoutPaywall(
          token, "the paywall '\(identifier)' could not be loaded" + whyFetched(identifier))
      }
    case .question(let token): answer(token, .noPaywallViewController)
    }
  }

  private func placement(of load: PaywallLoad) -> String {
    switch load {
    case .registration(let token): turns[token]?.registration.placement ?? ""
    case .question(let token): turns.questions[token]?.placement ?? ""
    }
  }

  private mutating func paywallArrived(
    _ paywall: PaywallResponse, for load: PaywallLoad, placement: String, start: Instant
  ) {
    let times = PaywallInfo.LoadTimes(start: start, complete: now)
    switch load {
    case .registration(let token):
      if let turn = turns[token] {
        var info = self.info(of: paywall, for: turn.registration)
        info.experiment = turn.decision?.experiment
        info.responseLoad = times
        track(.paywallResponseLoadComplete(placement: placement, paywallInfo: info))
      }
      paywallIsLoaded(paywall, times, for: token)
    case .question(let token):
      var info = PaywallInfo(paywall)
      info.responseLoad = times
      track(.paywallResponseLoadComplete(placement: placement, paywallInfo: info))
      paywallIsAvailable(for: token)
    }
  }

  /// The data of a paywall before it is presented for a registration.
  func info(of paywall: PaywallResponse, for registration: Registration) -> PaywallInfo {
    var info = PaywallInfo(paywall)
    info.featureGating = registration.gating ?? paywall.gating
    info.presentedByPlacement = registration.placement
    info.presentedByEventID = registration.eventID
    info.presentedAt = registration.at
    info.presentedBy = "placement"
    info.presentationSourceType = registration.event == nil ? "register" : "implicit"
    return info
  }
}

extension PaywallInfo {
  init(_ paywall: PaywallResponse) {
    let description = paywall.paywall
    self.init(
      identifier: description.identifier, name: description.name, url: description.url ?? "")
    products = paywall.products
    featureGating = paywall.gating
    computedPropertyRequests = description.computedProperties.map { request in
      ComputedPropertyRequest(type: request.kind.rawValue, placementName: request.eventName)
    }
    surveys = description.surveys
    localNotifications = description.localNotifications
  }
}

// MARK: Products

extension SDKState {
  /// Requests a paywall's products from the store. Missing products do not stop the presentation.
  mutating func loadProducts(of info: PaywallInfo, placement: String, for turn: Token) {
    var info = info
    info.productsLoad.start = now
    track(.paywallProductsLoadStart(placement: placement, paywallInfo: info))
    let load = ProductLoad(
      purpose: .registration(turn), identifiers: info.productIDs, placement: placement,
      info: info)
    let known = info.productIDs.compactMap { catalog.product($0) }
    if options.purchaseMode == .agentWallie, known.count == load.identifiers.count {
      return finish(load, .success(known), for: turn)
    }
    self.load(load)
  }

  /// Handles the call `products(for:)`, which requests products only from the store.
  mutating func products(_ identifiers: [String], _ call: Token) {
    load(ProductLoad(purpose: .call(call), identifiers: identifiers))
  }

  mutating func load(_ load: ProductLoad) {
    let token = outbox.newToken()
    catalog.begin(load, token)
    outbox.startTimer(.products(token), options.timeouts.products)
    outbox.add(.loadProducts(token, load.identifiers))
  }

  mutating func receiveProducts(
    _ result: Result<[StoreProduct], StoreError>, for token: Token
  ) {
    guard var load = catalog.take(token) else { return }
    outbox.cancelTimer(.products(token))
    if case .failure = result, load.attempt == 0, load.mayTryAgain {
      load.attempt = 1
      if case .registration = load.purpose {
        track(
          .paywallProductsLoadRetry(
            placement: load.placement, paywallInfo: load.info, attempt: load.attempt))
      }
      return self.load(load)
    }
    end(load, result)
  }

  /// Marks the store as unavailable, so that no call waits for the store twice.
  mutating func storeIsSilent(aboutProductsOf token: Token) {
    guard let load = catalog.take(token) else { return }
    end(load, .failure(silence(of: "about products", options.timeouts.products)))
  }

  func silence(of subject: String, _ limit: Duration) -> StoreError {
    StoreError("the store has not answered \(subject) within \(limit.words)")
  }

  private mutating func end(_ load: ProductLoad, _ result: Result<[StoreProduct], StoreError>) {
    switch result {
    case .success(let products): catalog.keep(products)
    case .failure(let error):
      log(.error, .productsManager, "the store has no products at the moment", error: error.message)
    }
    switch (load.purpose, result) {
    case (.registration(let turn), _): finish(load, result, for: turn)
    case (.preload(let count), _): track(.paywallPreloadComplete(count: count))
    case (.prefetch, .success): catalog.prefetch(load.identifiers)
    case (.prefetch, .failure): break
    case (.approval(let purchase), _):
      complete(purchase, catalog.product(purchase.productID) ?? StoreProduct(purchase))
    case (.call(let call), .success(let products)): outbox.complete(call, .products(products))
    case (.call(let call), .failure(let error)):
      outbox.fail(call, SDKError(.productsUnavailable, error.message))
    }
  }

  private mutating func finish(
    _ load: ProductLoad, _ result: Result<[StoreProduct], StoreError>, for turn: Token
  ) {
    var info = load.info
    if case .failure = result {
      info.productsLoad.fail = now
      track(.paywallProductsLoadFail(placement: load.placement, paywallInfo: info))
      return productsAreLoaded(info, for: turn)
    }
    info.productsLoad.complete = now
    let paywall = turns[turn]?.paywall
    info.isFreeTrialAvailable = info.products.contains { product in
      catalog.product(product.id).map { startsTrial($0, on: paywall) } ?? false
    }
    let missing = info.productIDs.filter { catalog.product($0) == nil }
    if !missing.isEmpty {
      track(
        .paywallProductsLoadMissingProducts(
          placement: load.placement, paywallInfo: info, identifiers: missing))
    }
    track(.paywallProductsLoadComplete(placement: load.placement, paywallInfo: info))
    productsAreLoaded(info, for: turn)
  }
}

extension StoreProduct {
  /// A product with only its identifiers, for a purchase whose product is not loaded.
  fileprivate init(_ purchase: PendingPurchase) {
    self.init(PricedProduct(identifier: purchase.storeID), id: purchase.productID)
  }
}

// MARK: Preloading

extension SDKState {
  /// Preloads the paywalls that the user would see, at the given placements or at all placements. Paywalls that the
  /// config excludes from preloading are skipped. The request waits until the config is loaded.
  mutating func preload(_ placements: [String]?) {
    guard startup.phase == .configured else { return startup.queue(preload: placements) }
    let paywalls = paywallsToPreload(placements)
    track(.paywallPreloadStart(count: paywalls.count))
    var identifiers: [String] = []
    for product in paywalls.flatMap(\.products) where !identifiers.contains(product.id) {
      identifiers.append(product.id)
    }
    load(ProductLoad(purpose: .preload(paywalls.count), identifiers: identifiers))
  }

  private mutating func paywallsToPreload(_ names: [String]?) -> [PaywallResponse] {
    guard let config, let runner = catalog.runner else { return [] }
    let state = decisionState
    let identifiers: [String]
    if let names {
      let allowed = config.settings.disabledPreloads.allowed(names)
      identifiers = config.rules.preloadedPaywalls(placements: allowed, state: state)
    } else {
      identifiers = run(runner, params: "") { rules, frame in
        rules.preloadedPaywalls(settings: config.settings, frame: &frame, state: state).all
      }
    }
    return identifiers.compactMap { config.staticPaywall($0, locale: locale) }
  }
}

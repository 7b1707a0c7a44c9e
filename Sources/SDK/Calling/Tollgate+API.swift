public import Expressions
public import Pricing
public import RuleEngine

// MARK: Configuring

extension Tollgate {
  /// Fetches the config and makes the SDK ready. Call it first, once.
  ///
  /// Called again while it runs, both calls have one outcome; called again when it is done, nothing
  /// happens; after a failure it tries anew. A call that does not count changes nothing, not even
  /// who buys. The config is asked for again up to ``TollgateOptions/maxConfigRetryCount`` times
  /// when the network fails.
  ///
  /// When the network has not answered after ``Timeouts/keptConfig``, one second, the config that
  /// was fetched last is used, or ``TollgateOptions/fallbackConfig``; the network's is used when it
  /// comes. ``configOrigin`` tells which it is.
  ///
  /// - Parameters:
  ///   - apiKey: the public key of the app.
  ///   - purchaseController: buys in the SDK's stead. Without one, or one that
  ///     ``setPurchaseController(_:)`` was given, the SDK buys and keeps the subscription status.
  ///   - options: what the app configures.
  /// - Throws: ``SDKError/Code/invalidArgument`` for a blank key,
  ///   ``SDKError/Code/configurationFailed`` when the config cannot be had.
  public func configure(
    apiKey: String, purchaseController: (any PurchaseController)? = nil,
    options: TollgateOptions = TollgateOptions()
  ) async throws(SDKError) {
    let controller = purchaseController ?? self.purchaseController
    let configuration = Configuration(
      apiKey: apiKey, options: options, purchases: controller == nil ? .store : .controller,
      wrapper: nil)
    _ = try await perform(.configure(configuration), offer: purchaseController).get()
  }

  /// Makes the SDK ready with a static config that the app has, and asks no server for one.
  ///
  /// It is for apps that bring their config, and for tests. To have one only for starts without a
  /// network, set ``TollgateOptions/fallbackConfig``. Otherwise it is as the other `configure`.
  ///
  /// - Parameters:
  ///   - config: JSON, as bytes: `[UInt8]`, `Data`, or the `utf8` of a text.
  ///   - apiKey: the public key of the app. Without one nothing is sent: assignments are not
  ///     confirmed, codes not redeemed.
  ///   - purchaseController: as in the other `configure`.
  ///   - options: what the app configures.
  /// - Throws: ``SDKError/Code/configurationFailed`` when it is no static config.
  public func configure(
    config: some Sequence<UInt8>, apiKey: String = "",
    purchaseController: (any PurchaseController)? = nil,
    options: TollgateOptions = TollgateOptions()
  ) async throws(SDKError) {
    let controller = purchaseController ?? self.purchaseController
    var configuration = Configuration(
      apiKey: apiKey, options: options, purchases: controller == nil ? .store : .controller,
      wrapper: nil)
    configuration.given = Array(config)
    _ = try await perform(.configure(configuration), offer: purchaseController).get()
  }

  /// Where the config comes from that is used, how old it is and which version; nil without one.
  public nonisolated var configOrigin: ConfigOrigin? { snapshot.configOrigin }

  /// Sets who buys, before ``configure(apiKey:purchaseController:options:)`` is called.
  public func setPurchaseController(_ controller: any PurchaseController) {
    purchaseController = controller
  }

  /// Sets who is told of everything; the SDK keeps it. Set it before `configure`, so that nothing
  /// is missed.
  public func setDelegate(_ delegate: (any TollgateDelegate)?) { appDelegate = delegate }

  /// How far the configuration is. Never waits.
  public nonisolated var configurationStatus: ConfigurationStatus {
    switch snapshot.lifecycle {
    case .unconfigured, .configuring: .pending
    case .configured: .configured
    case .configFailed: .failed
    }
  }

  /// The app came to the foreground: begins a session when the last one is long over, and asks for
  /// the config once more when there is none.
  public nonisolated func applicationDidEnterForeground() { post(.application(.foreground)) }

  /// The app went to the background.
  public nonisolated func applicationDidEnterBackground() { post(.application(.background)) }

  /// Takes a report of something that only the device can see.
  public nonisolated func report(_ report: DeviceReport) { post(.device(report)) }
}

// MARK: Placements

extension Tollgate {
  /// Registers a placement: shows a paywall when the user is in an audience of it, and runs the
  /// feature when the outcome allows it.
  ///
  /// Returns when everything about the placement is over: the paywall is gone, or there was none.
  /// The feature runs when the user bought or restored, when no paywall was to be shown, and when
  /// the paywall was closed but the feature is not gated.
  ///
  /// - Parameters:
  ///   - placement: the placement's name.
  ///   - params: what rules and the paywall can read.
  ///   - handler: hears of this placement only.
  ///   - feature: what the app does when the outcome allows it. Without one nothing is gated.
  /// - Returns: what came of it. There is always exactly one outcome, errors included. A task that is
  ///   cancelled has ``SDKError/Code/cancelled``; a paywall that is there by then stays.
  @discardableResult
  public func register(
    placement: String, params: [String: (any AttributeConvertible)?] = [:],
    handler: PaywallPresentationHandler? = nil,
    feature: (@MainActor @Sendable () -> Void)? = nil
  ) async -> PlacementOutcome {
    var handlerID: String?
    if let handler {
      handlerCount += 1
      let id = "handler-\(handlerCount)"
      handlers[id] = handler
      handlerID = id
    }
    let outcome = await registerPlacement(
      PlacementRequest(
        placement: placement, params: .members(params.values), handlerID: handlerID,
        isFeatureGatable: feature != nil))
    if outcome.featureGranted, let feature { await mainQueue.run(feature) }
    if let handlerID { release(handler: handlerID) }
    return outcome
  }

  /// The same with values of the rules' language.
  @_disfavoredOverload @discardableResult
  public func register(
    placement: String, params: [String: Value], handler: PaywallPresentationHandler? = nil,
    feature: (@MainActor @Sendable () -> Void)? = nil
  ) async -> PlacementOutcome {
    let params: [String: (any AttributeConvertible)?] = params
    return await register(placement: placement, params: params, handler: handler, feature: feature)
  }

  func registerPlacement(_ request: PlacementRequest) async -> PlacementOutcome {
    PlacementOutcome(await perform(.registerPlacement(request)))
  }

  /// What the placement would do now, without showing anything. The assignment that the answer
  /// promises is confirmed; no occurrence is used up.
  public func getPresentationResult(
    forPlacement placement: String, params: [String: (any AttributeConvertible)?] = [:]
  ) async throws(SDKError) -> PresentationResult {
    let call = Call.getPresentationResult(placement: placement, params: .members(params.values))
    guard case .presentation(let result) = try await perform(call).get() else {
      return .paywallNotAvailable
    }
    return result
  }

  /// The same with values of the rules' language.
  @_disfavoredOverload
  public func getPresentationResult(forPlacement placement: String, params: [String: Value])
    async throws(SDKError) -> PresentationResult
  {
    let params: [String: (any AttributeConvertible)?] = params
    return try await getPresentationResult(forPlacement: placement, params: params)
  }

  /// Closes the paywall that is open, and returns when it is gone; at once when there is none.
  public func dismiss() async { _ = await perform(.dismiss) }

  /// Loads what the paywalls of some placements need, so that they come up faster. Before
  /// `configure` the request is kept.
  public func preloadPaywalls(forPlacements names: Set<String>) async {
    _ = await perform(.preloadPaywalls(names.sorted()))
  }

  /// Loads what all paywalls need.
  public func preloadAllPaywalls() async { _ = await perform(.preloadPaywalls(nil)) }

  /// Gives the SDK an address that the app was opened with.
  ///
  /// - Returns: whether it is for the SDK. False for a text that is not an address.
  @discardableResult
  public func handleDeepLink(_ url: String) async -> Bool {
    await perform(.handleDeepLink(url)) == .success(.truth(true))
  }

  /// Answers a custom callback that an observer heard of. An ID that nobody waits for is fine.
  public func didHandleCustomCallback(callbackID: String, _ result: CustomCallbackResult) async {
    _ = await perform(.didHandleCustomCallback(callbackID: callbackID, result))
  }

  /// Answers `onBackPressed` for an observer: whether the app used the press for itself.
  ///
  /// - Throws: ``SDKError/Code/unsupported`` where there is no back button.
  public func didHandleBackPressed(shouldConsume: Bool) async throws(SDKError) {
    _ = try await perform(.didHandleBackPressed(shouldConsume: shouldConsume)).get()
  }

  /// Sets who says what a press of Android's back button does on a paywall that reroutes it: true
  /// keeps the paywall. The answer has to come within ``Timeouts/backPress``.
  public func onBackPressed(_ handler: (@Sendable (PaywallInfo) async -> Bool)?) {
    backPressHandler = handler
  }
}

// MARK: The user

extension Tollgate {
  /// Says who the user is. Another user than before is reset first; white space around the ID does
  /// not count.
  public func identify(userID: String, options: IdentityOptions = IdentityOptions())
    async throws(SDKError)
  {
    let call = Call.identify(
      userID: userID, restoresAssignments: options.restorePaywallAssignments)
    _ = try await perform(call).get()
  }

  /// Forgets the user: ID, attributes, assignments, occurrences. An open paywall stays.
  public func reset() async throws(SDKError) { _ = try await perform(.reset).get() }

  /// The user's attributes: those of the app, and the SDK's own (`aliasId`, `seed`, `appUserId`).
  public func getUserAttributes() async throws(SDKError) -> [String: Value] {
    try await attributes(.getUserAttributes)
  }

  /// Sets attributes of the user that rules and paywalls can read. Nil removes one.
  ///
  /// ```swift
  /// try await tollgate.setUserAttributes(["plan": plan, "pages": pages, "tags": ["a"], "team": nil])
  /// ```
  public func setUserAttributes(_ attributes: [String: (any AttributeConvertible)?])
    async throws(SDKError)
  {
    _ = try await perform(.setUserAttributes(.members(attributes.values))).get()
  }

  /// The same with values of the rules' language. Null removes one.
  @_disfavoredOverload
  public func setUserAttributes(_ attributes: [String: Value]) async throws(SDKError) {
    let attributes: [String: (any AttributeConvertible)?] = attributes
    try await setUserAttributes(attributes)
  }

  /// What rules can read as `device.…`: platform, versions, locale, status, times, views.
  public func getDeviceAttributes() async throws(SDKError) -> [String: Value] {
    try await attributes(.getDeviceAttributes)
  }

  /// Sets the user's IDs in other services; nil removes one.
  public func setIntegrationAttributes(_ attributes: [IntegrationAttribute: String?])
    async throws(SDKError)
  {
    let all = attributes.map { attribute, id in
      Value.Entry(key: .string(attribute.rawValue), value: id.map { .string($0) } ?? .null)
    }
    _ = try await perform(.setIntegrationAttributes(.map(all))).get()
  }

  /// The user's IDs in other services.
  public func getIntegrationAttributes() async throws(SDKError) -> [IntegrationAttribute: String] {
    var known: [IntegrationAttribute: String] = [:]
    for (key, value) in try await attributes(.getIntegrationAttributes) {
      if let attribute = IntegrationAttribute(rawValue: key) { known[attribute] = value.text }
    }
    return known
  }

  private func attributes(_ call: Call) async throws(SDKError) -> [String: Value] {
    guard case .attributes(let value) = try await perform(call).get() else { return [:] }
    return Dictionary(
      (value.members ?? []).map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
  }

  /// The variants that the user has. Asks nobody.
  public func getAssignments() async throws(SDKError) -> [Assignment] {
    try await assignments(.getAssignments)
  }

  /// Tells the server of all variants that it does not know of yet.
  ///
  /// - Returns: the user's variants. What could not be sent is not marked as sent.
  @discardableResult
  public func confirmAllAssignments() async throws(SDKError) -> [Assignment] {
    try await assignments(.confirmAllAssignments)
  }

  private func assignments(_ call: Call) async throws(SDKError) -> [Assignment] {
    guard case .assignments(let assignments) = try await perform(call).get() else { return [] }
    return assignments
  }
}

// MARK: Purchases

extension Tollgate {
  /// The subscription status as it is now: what was saved, before `configure`.
  public var subscriptionStatus: SubscriptionStatus {
    get async {
      await untilLoaded()
      return snapshot.subscriptionStatus
    }
  }

  /// The subscription status, once the SDK is configured.
  public func getSubscriptionStatus() async throws(SDKError) -> SubscriptionStatus {
    guard case .status(let status) = try await perform(.getSubscriptionStatus).get() else {
      return .unknown
    }
    return status
  }

  /// Sets the subscription status. With a purchase controller nothing else changes it; without one
  /// the SDK may change it again when it looks into the store.
  public func setSubscriptionStatus(_ status: SubscriptionStatus) async throws(SDKError) {
    var status = status
    if case .active(let entitlements) = status {
      status = SubscriptionStatus(entitlements: entitlements)
    }
    _ = try await perform(.setSubscriptionStatus(status)).get()
  }

  /// Entitlements as they are now: active, inactive, and those bought on the web.
  public var entitlements: EntitlementsInfo {
    get async {
      await untilLoaded()
      return entitlementsNow
    }
  }

  /// Entitlements, once the SDK is configured.
  public func getEntitlements() async throws(SDKError) -> EntitlementsInfo {
    guard case .entitlements(let info) = try await perform(.getEntitlements).get() else {
      return EntitlementsInfo()
    }
    return info
  }

  /// Products as the store sells them, with the entitlements that the config gives them. A
  /// controller that keeps the status adds ``EntitlementsInfo/web`` to these.
  ///
  /// - Throws: when the store cannot say, or has not within ``Timeouts/products``.
  public func products(for identifiers: Set<String>) async throws(StoreError) -> [StoreProduct] {
    let reply: Reply
    do throws(SDKError) {
      reply = try await perform(.products(identifiers.sorted())).get()
    } catch {
      throw StoreError(error.message)
    }
    guard case .products(var products) = reply else { return [] }
    for place in products.indices {
      products[place].entitlements = entitlements(ofProduct: products[place].id)
    }
    return products
  }

  /// What a paywall can say about a product now, as the SDK of this platform writes it: `price`,
  /// `monthlyPrice`, `trialPeriodEndDate` and so on. Nil where its price is missing or too large.
  public func attributes(of product: StoreProduct) -> ProductAttributes? {
    let device = ports.device.facts
    let context = PricingContext(
      now: ports.time.now, timeZone: device.timeZone, locale: localeIdentifier ?? device.locale)
    return TransactionProduct(product, on: platform, in: context).attributes
  }

  /// Restores what the user bought before. Without a purchase controller it counts when there is
  /// an active entitlement afterwards.
  public func restorePurchases() async throws(SDKError) -> RestorationResult {
    guard case .restoration(let result) = try await perform(.restorePurchases).get() else {
      return .failed(nil)
    }
    return result
  }

  /// Answers `onPurchase` for a wrapper that announces purchases. Without a purchase that waits for
  /// it, nothing happens, as with the other answers.
  public func didPurchase(_ result: PurchaseResult) async {
    _ = await perform(.didPurchase(result))
  }

  /// Answers `onPurchaseRestore` for a wrapper that announces purchases.
  public func didRestore(_ result: RestorationResult) async {
    _ = await perform(.didRestore(result))
  }

  /// Uses up a consumable of Google Play. Elsewhere nothing happens.
  ///
  /// - Throws: ``SDKError/Code/consumeFailed``.
  public func consume(purchaseToken: String) async throws(SDKError) {
    _ = try await perform(.consume(purchaseToken: purchaseToken)).get()
  }
}

// MARK: Settings

extension Tollgate {
  /// Overrides light or dark; nil is what the system says.
  public func setInterfaceStyle(_ style: InterfaceStyle?) async {
    _ = await perform(.setInterfaceStyle(style))
  }

  /// Sets how much of the log is told, against what the options say.
  public func setLogLevel(_ level: LogLevel) async { _ = await perform(.setLogLevel(level)) }

  /// Sets what is uploaded. Events to the app flow in any case.
  public func setEventTrackingBehavior(_ behavior: EventTrackingBehavior) async {
    _ = await perform(.setEventTrackingBehavior(behavior))
  }
}

public import Expressions
public import Pricing
public import RuleEngine

// MARK: Configuring

extension Tollgate {
  /// Fetches the config and makes the SDK ready. Call it first, once.
  ///
  /// A second call while the first one runs shares its outcome. After success it does nothing.
  /// After a failure it tries again. A call that does not count changes nothing, not even the
  /// purchase controller. If the network fails, the config is requested again up to
  /// ``TollgateOptions/maxConfigRetryCount`` times.
  ///
  /// If the network has not answered after ``Timeouts/keptConfig``, one second, the last fetched
  /// config is used, or ``TollgateOptions/fallbackConfig``. The network's config replaces it when
  /// it arrives. ``configOrigin`` reports which one is in use.
  ///
  /// - Parameters:
  ///   - apiKey: the public key of the app.
  ///   - purchaseController: makes purchases instead of the SDK. Without one, here or from
  ///     ``setPurchaseController(_:)``, the SDK makes purchases and maintains the subscription
  ///     status.
  ///   - options: the options of the app.
  /// - Throws: ``SDKError/Code/invalidArgument`` for a blank key,
  ///   ``SDKError/Code/configurationFailed`` when the config is not available.
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

  /// Makes the SDK ready with a static config from the app, without a request to a server.
  ///
  /// This is for apps that include their config, and for tests. For a config that is only used
  /// without a network, set ``TollgateOptions/fallbackConfig``. In all other respects it equals the
  /// other `configure`.
  ///
  /// - Parameters:
  ///   - config: JSON, as bytes: `[UInt8]`, `Data`, or the `utf8` of a string.
  ///   - apiKey: the public key of the app. Without one the SDK sends nothing: assignments are not
  ///     confirmed, and codes are not redeemed.
  ///   - purchaseController: as in the other `configure`.
  ///   - options: the options of the app.
  /// - Throws: ``SDKError/Code/configurationFailed`` when the input is not a static config.
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

  /// The source, age and version of the config in use; nil without one.
  public nonisolated var configOrigin: ConfigOrigin? { snapshot.configOrigin }

  /// Sets the purchase controller, before ``configure(apiKey:purchaseController:options:)`` is
  /// called.
  public func setPurchaseController(_ controller: any PurchaseController) {
    purchaseController = controller
  }

  /// Sets the delegate that receives everything. The SDK retains it. Set it before `configure`, so
  /// that it misses nothing.
  public func setDelegate(_ delegate: (any TollgateDelegate)?) { appDelegate = delegate }

  /// The progress of the configuration. Never waits.
  public nonisolated var configurationStatus: ConfigurationStatus {
    switch snapshot.lifecycle {
    case .unconfigured, .configuring: .pending
    case .configured: .configured
    case .configFailed: .failed
    }
  }

  /// Call when the app enters the foreground. Begins a session when the last one ended long enough
  /// ago, and requests the config once more when there is none.
  public nonisolated func applicationDidEnterForeground() { post(.application(.foreground)) }

  /// Call when the app enters the background.
  public nonisolated func applicationDidEnterBackground() { post(.application(.background)) }

  /// Accepts a report of something that only the device can observe.
  public nonisolated func report(_ report: DeviceReport) { post(.device(report)) }
}

// MARK: Placements

extension Tollgate {
  /// Registers a placement: shows a paywall when the user is in one of its audiences, and runs the
  /// feature when the outcome allows it.
  ///
  /// Returns when the placement is finished: its paywall is closed, or there was none. The feature
  /// runs when the user bought or restored, when no paywall was due, and when the paywall was
  /// closed but the feature is not gated.
  ///
  /// - Parameters:
  ///   - placement: the placement's name.
  ///   - params: values that rules and the paywall can read.
  ///   - handler: receives the events of this placement only.
  ///   - feature: the app's action when the outcome allows it. Without one nothing is gated.
  /// - Returns: the outcome. There is always exactly one, errors included. For a cancelled task it
  ///   is ``SDKError/Code/cancelled``; a paywall that is already visible stays.
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

  /// The result that the placement would have now, without showing anything. The assignment that it
  /// promises is confirmed. No occurrence is consumed.
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

  /// Closes the open paywall, and returns when it is closed. Returns immediately when there is
  /// none.
  public func dismiss() async { _ = await perform(.dismiss) }

  /// Preloads the paywalls of some placements, so that they appear faster. Before `configure` the
  /// request waits.
  public func preloadPaywalls(forPlacements names: Set<String>) async {
    _ = await perform(.preloadPaywalls(names.sorted()))
  }

  /// Preloads all paywalls.
  public func preloadAllPaywalls() async { _ = await perform(.preloadPaywalls(nil)) }

  /// Passes an address that opened the app to the SDK.
  ///
  /// - Returns: whether it is for the SDK. False for a string that is not an address.
  @discardableResult
  public func handleDeepLink(_ url: String) async -> Bool {
    await perform(.handleDeepLink(url)) == .success(.truth(true))
  }

  /// Answers a custom callback that an observer received. An unknown ID is ignored.
  public func didHandleCustomCallback(callbackID: String, _ result: CustomCallbackResult) async {
    _ = await perform(.didHandleCustomCallback(callbackID: callbackID, result))
  }

  /// Answers `onBackPressed` for an observer: whether the app consumed the press.
  ///
  /// - Throws: ``SDKError/Code/unsupported`` where there is no back button.
  public func didHandleBackPressed(shouldConsume: Bool) async throws(SDKError) {
    _ = try await perform(.didHandleBackPressed(shouldConsume: shouldConsume)).get()
  }

  /// Sets the handler for presses of Android's back button on a paywall that reroutes it. If it
  /// returns true, the paywall stays. The answer must arrive within ``Timeouts/backPress``.
  public func onBackPressed(_ handler: (@Sendable (PaywallInfo) async -> Bool)?) {
    backPressHandler = handler
  }
}

// MARK: The user

extension Tollgate {
  /// Sets the user's ID. If it differs from the current one, the old user is reset first. White
  /// space around the ID is ignored.
  public func identify(userID: String, options: IdentityOptions = IdentityOptions())
    async throws(SDKError)
  {
    let call = Call.identify(
      userID: userID, restoresAssignments: options.restorePaywallAssignments)
    _ = try await perform(call).get()
  }

  /// Deletes the user's data: ID, attributes, assignments, occurrences. An open paywall stays.
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

  /// The attributes that rules can read as `device.…`: platform, versions, locale, status, times,
  /// views.
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

  /// The user's variants. Makes no request.
  public func getAssignments() async throws(SDKError) -> [Assignment] {
    try await assignments(.getAssignments)
  }

  /// Reports all variants to the server that it does not know yet.
  ///
  /// - Returns: the user's variants. Those that could not be sent are not marked as sent.
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
  /// The current subscription status. Before `configure`, the saved one.
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

  /// Sets the subscription status. With a purchase controller nothing else changes it. Without one
  /// the SDK may change it again after it queries the store.
  public func setSubscriptionStatus(_ status: SubscriptionStatus) async throws(SDKError) {
    var status = status
    if case .active(let entitlements) = status {
      status = SubscriptionStatus(entitlements: entitlements)
    }
    _ = try await perform(.setSubscriptionStatus(status)).get()
  }

  /// The current entitlements: active, inactive, and those bought on the web.
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

  /// Products as the store sells them, with their entitlements in the config. A controller that
  /// maintains the status adds ``EntitlementsInfo/web`` to these.
  ///
  /// - Throws: when the store fails, or does not answer within ``Timeouts/products``.
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

  /// The attributes that a paywall can show about a product now, as the SDK of this platform writes
  /// them: `price`, `monthlyPrice`, `trialPeriodEndDate` and so on. Nil if its price is missing or
  /// too large.
  public func attributes(of product: StoreProduct) -> ProductAttributes? {
    let device = ports.device.facts
    let context = PricingContext(
      now: ports.time.now, timeZone: device.timeZone, locale: localeIdentifier ?? device.locale)
    return TransactionProduct(product, on: platform, in: context).attributes
  }

  /// Restores the user's earlier purchases. Without a purchase controller it succeeds if there is
  /// an active entitlement afterwards.
  public func restorePurchases() async throws(SDKError) -> RestorationResult {
    guard case .restoration(let result) = try await perform(.restorePurchases).get() else {
      return .failed(nil)
    }
    return result
  }

  /// Answers `onPurchase` for a wrapper that announces purchases. If no purchase is waiting, the
  /// call does nothing, like the other answers.
  public func didPurchase(_ result: PurchaseResult) async {
    _ = await perform(.didPurchase(result))
  }

  /// Answers `onPurchaseRestore` for a wrapper that announces purchases.
  public func didRestore(_ result: RestorationResult) async {
    _ = await perform(.didRestore(result))
  }

  /// Consumes a consumable of Google Play. Does nothing on other platforms.
  ///
  /// - Throws: ``SDKError/Code/consumeFailed``.
  public func consume(purchaseToken: String) async throws(SDKError) {
    _ = try await perform(.consume(purchaseToken: purchaseToken)).get()
  }
}

// MARK: Settings

extension Tollgate {
  /// Overrides light or dark mode; nil follows the system.
  public func setInterfaceStyle(_ style: InterfaceStyle?) async {
    _ = await perform(.setInterfaceStyle(style))
  }

  /// Overrides the log level of the options.
  public func setLogLevel(_ level: LogLevel) async { _ = await perform(.setLogLevel(level)) }

  /// Sets which events are uploaded. The app receives events in any case.
  public func setEventTrackingBehavior(_ behavior: EventTrackingBehavior) async {
    _ = await perform(.setEventTrackingBehavior(behavior))
  }
}

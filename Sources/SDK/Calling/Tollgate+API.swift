public import Expressions
public import Pricing
public import RuleEngine

// MARK: Configuring

extension Tollgate {
  /// Fetches the config and makes the SDK ready. Call this function once, when the app starts.
  ///
  /// A second call while the first call is running shares the outcome of the first call. A call after a success does
  /// nothing, and does not replace the purchase controller. A call after a failure tries again. If a request fails, it
  /// is retried up to ``TollgateOptions/maxConfigRetryCount`` times.
  ///
  /// If the server has not responded within ``Timeouts/keptConfig`` (one second by default), the SDK uses the last
  /// fetched config, or ``TollgateOptions/fallbackConfig``. When the server's config arrives, the SDK switches to it.
  /// ``configOrigin`` reports which config is in use.
  ///
  /// - Parameters:
  ///   - apiKey: the public key of the app.
  ///   - purchaseController: makes purchases instead of the SDK. If no purchase controller is set here or with
  ///     ``setPurchaseController(_:)``, the SDK makes purchases and maintains the subscription status.
  ///   - options: the options of the app.
  /// - Throws: ``SDKError/Code/invalidArgument`` if the key is blank, ``SDKError/Code/configurationFailed`` if the
  ///   config is not available.
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
  /// Use this in tests, and in apps that include their config. For a config that is used only when the server does not
  /// respond, set ``TollgateOptions/fallbackConfig`` instead. In all other respects this function is like the other
  /// `configure`.
  ///
  /// - Parameters:
  ///   - config: JSON, as bytes: `[UInt8]`, `Data`, or the `utf8` of a string.
  ///   - apiKey: the public key of the app. Without a key the SDK sends no requests: assignments are not confirmed, and
  ///     codes are not redeemed.
  ///   - purchaseController: as in the other `configure`.
  ///   - options: the options of the app.
  /// - Throws: ``SDKError/Code/configurationFailed`` if `config` is not a static config.
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

  /// The source, age and version of the config in use; nil while the SDK has no config.
  public nonisolated var configOrigin: ConfigOrigin? { snapshot.configOrigin }

  /// Sets the purchase controller, before ``configure(apiKey:purchaseController:options:)`` is
  /// called.
  public func setPurchaseController(_ controller: any PurchaseController) {
    purchaseController = controller
  }

  /// Sets the delegate that receives all events. The SDK retains the delegate. Set the delegate before `configure`, so
  /// that it receives every event.
  public func setDelegate(_ delegate: (any TollgateDelegate)?) { appDelegate = delegate }

  /// The progress of the configuration. Reading the status never waits.
  public nonisolated var configurationStatus: ConfigurationStatus {
    switch snapshot.lifecycle {
    case .unconfigured, .configuring: .pending
    case .configured: .configured
    case .configFailed: .failed
    }
  }

  /// Call this when the app enters the foreground. The SDK begins a session if the last session ended long enough ago,
  /// and requests the config again if it has none.
  public nonisolated func applicationDidEnterForeground() { post(.application(.foreground)) }

  /// Call this when the app enters the background.
  public nonisolated func applicationDidEnterBackground() { post(.application(.background)) }

  /// Passes an observation to the SDK that only the device can make.
  public nonisolated func report(_ report: DeviceReport) { post(.device(report)) }
}

// MARK: Placements

extension Tollgate {
  /// Registers a placement: shows a paywall when the user is in one of its audiences, and runs the
  /// feature when the outcome allows it.
  ///
  /// Returns when the placement is finished: its paywall was closed, or no paywall was shown. The feature runs if the
  /// user bought or restored a product, if no paywall was due, or if the paywall was closed and its feature is not
  /// gated.
  ///
  /// - Parameters:
  ///   - placement: the placement's name.
  ///   - params: values that rules and the paywall can read.
  ///   - handler: receives the events of this placement only.
  ///   - feature: the action of the app to run if the outcome allows it.
  /// - Returns: the outcome, which can be an error. If the task is cancelled, the outcome is the error
  ///   ``SDKError/Code/cancelled``, and a paywall that is already visible stays open.
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

  /// Registers a placement with parameters of type `Value`.
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

  /// The result that the placement would have now. No paywall is shown and no occurrence is counted, but the variant in
  /// the result is assigned to the user.
  public func getPresentationResult(
    forPlacement placement: String, params: [String: (any AttributeConvertible)?] = [:]
  ) async throws(SDKError) -> PresentationResult {
    let call = Call.getPresentationResult(placement: placement, params: .members(params.values))
    guard case .presentation(let result) = try await perform(call).get() else {
      return .paywallNotAvailable
    }
    return result
  }

  /// The result for a placement with parameters of type `Value`.
  @_disfavoredOverload
  public func getPresentationResult(forPlacement placement: String, params: [String: Value])
    async throws(SDKError) -> PresentationResult
  {
    let params: [String: (any AttributeConvertible)?] = params
    return try await getPresentationResult(forPlacement: placement, params: params)
  }

  /// Closes the open paywall, and returns when it is closed. Returns immediately if no paywall is open.
  public func dismiss() async { _ = await perform(.dismiss) }

  /// Preloads the paywalls of some placements, so that they appear faster. A call before `configure` waits for
  /// `configure`.
  public func preloadPaywalls(forPlacements names: Set<String>) async {
    _ = await perform(.preloadPaywalls(names.sorted()))
  }

  /// Preloads all paywalls.
  public func preloadAllPaywalls() async { _ = await perform(.preloadPaywalls(nil)) }

  /// Passes a URL that opened the app to the SDK.
  ///
  /// - Returns: true if the SDK handles the URL, false for other URLs and for strings that are not URLs.
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
  /// - Throws: ``SDKError/Code/unsupported`` on platforms without a back button.
  public func didHandleBackPressed(shouldConsume: Bool) async throws(SDKError) {
    _ = try await perform(.didHandleBackPressed(shouldConsume: shouldConsume)).get()
  }

  /// Sets the handler for presses of Android's back button on paywalls that reroute the button. If the handler returns
  /// true, the paywall stays. The answer must arrive within ``Timeouts/backPress``.
  public func onBackPressed(_ handler: (@Sendable (PaywallInfo) async -> Bool)?) {
    backPressHandler = handler
  }
}

// MARK: The user

extension Tollgate {
  /// Sets the user's ID. If the ID differs from the current one, the data of the old user is deleted first. White space
  /// around the ID is ignored.
  public func identify(userID: String, options: IdentityOptions = IdentityOptions())
    async throws(SDKError)
  {
    let call = Call.identify(
      userID: userID, restoresAssignments: options.restorePaywallAssignments)
    _ = try await perform(call).get()
  }

  /// Deletes the user's data: ID, attributes, assignments, occurrences. An open paywall stays.
  public func reset() async throws(SDKError) { _ = try await perform(.reset).get() }

  /// The user's attributes: those that the app set, and those that the SDK adds (`aliasId`, `seed`, `appUserId`).
  public func getUserAttributes() async throws(SDKError) -> [String: Value] {
    try await attributes(.getUserAttributes)
  }

  /// Sets attributes of the user that rules and paywalls can read. The value nil removes an attribute.
  ///
  /// ```swift
  /// try await tollgate.setUserAttributes(["plan": plan, "pages": pages, "tags": ["a"], "team": nil])
  /// ```
  public func setUserAttributes(_ attributes: [String: (any AttributeConvertible)?])
    async throws(SDKError)
  {
    _ = try await perform(.setUserAttributes(.members(attributes.values))).get()
  }

  /// Sets attributes of type `Value`. Null removes an attribute.
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

  /// Sets the user's IDs in other services. The value nil removes an ID.
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

  /// Reports the variants that the server does not know yet.
  ///
  /// - Returns: the user's variants. A variant that could not be sent is not marked as sent.
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
  /// The current subscription status. Before `configure`, it is the saved status.
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

  /// Sets the subscription status. If the app has a purchase controller, only this function changes the status.
  /// Otherwise the SDK may change the status again after it queries the store.
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

  /// The current entitlements, once the SDK is configured.
  public func getEntitlements() async throws(SDKError) -> EntitlementsInfo {
    guard case .entitlements(let info) = try await perform(.getEntitlements).get() else {
      return EntitlementsInfo()
    }
    return info
  }

  /// Products as the store sells them, with their entitlements in the config. A purchase controller that sets the
  /// subscription status adds ``EntitlementsInfo/web`` to the entitlements of these products.
  ///
  /// - Throws: if the store fails, or does not respond within ``Timeouts/products``.
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

  /// The attributes that a paywall can show about a product now, as the SDK of this platform writes them: `price`,
  /// `monthlyPrice`, `trialPeriodEndDate` and so on. Nil if the product's price is missing or too large.
  public func attributes(of product: StoreProduct) -> ProductAttributes? {
    let device = ports.device.facts
    let context = PricingContext(
      now: ports.time.now, timeZone: device.timeZone, locale: localeIdentifier ?? device.locale)
    return TransactionProduct(product, on: platform, in: context).attributes
  }

  /// Restores the user's earlier purchases. Without a purchase controller, the restore succeeds if the user has an
  /// active entitlement afterwards.
  public func restorePurchases() async throws(SDKError) -> RestorationResult {
    guard case .restoration(let result) = try await perform(.restorePurchases).get() else {
      return .failed(nil)
    }
    return result
  }

  /// Answers `onPurchase` for a wrapper that announces purchases. If no purchase is waiting, the call does nothing.
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

public import Expressions
public import RuleEngine

// Method names of other SDKs. The compiler suggests the equivalent method of this SDK.

@available(*, unavailable, renamed: "Tollgate")
public typealias Superwall = Tollgate
@available(*, unavailable, renamed: "TollgateOptions")
public typealias SuperwallOptions = TollgateOptions
@available(*, unavailable, renamed: "Tollgate")
public typealias AgentWallie = Tollgate

extension Tollgate {
  @available(*, unavailable, message: "create a Tollgate when the app starts, and retain it")
  public static var shared: Tollgate { unavailable() }

  @available(
    *, unavailable,
    message:
      "create a Tollgate(ports:), and await its configure(apiKey:purchaseController:options:)"
  )
  @discardableResult
  public static func configure(
    apiKey: String, purchaseController: (any PurchaseController)? = nil,
    options: TollgateOptions? = nil, completion: (() -> Void)? = nil
  ) -> Tollgate { unavailable() }

  // MARK: The user

  @available(*, unavailable, renamed: "identify(userID:options:)")
  public nonisolated func identify(userId: String, options: IdentityOptions? = nil) {
    unavailable()
  }

  @available(*, unavailable, message: "use snapshot.userID")
  public nonisolated var userId: String { unavailable() }

  @available(*, unavailable, message: "use snapshot.userID != nil")
  public nonisolated var isLoggedIn: Bool { unavailable() }

  @available(*, unavailable, message: "use getUserAttributes(), or snapshot.user in a view")
  public nonisolated var userAttributes: [String: Value] { unavailable() }

  @available(*, unavailable, renamed: "getIntegrationAttributes()")
  public nonisolated var integrationAttributes: [String: String] { unavailable() }

  @available(*, unavailable, renamed: "setIntegrationAttributes(_:)")
  public nonisolated func setIntegrationAttribute(_ attribute: IntegrationAttribute, _ id: String?)
  { unavailable() }

  // MARK: Placements

  @available(*, unavailable, renamed: "register(placement:params:handler:feature:)")
  public nonisolated func register(
    event: String, params: [String: (any AttributeConvertible)?]? = nil,
    handler: PaywallPresentationHandler? = nil, feature: (() -> Void)? = nil
  ) { unavailable() }

  @available(*, unavailable, renamed: "getPresentationResult(forPlacement:params:)")
  public nonisolated func getPresentationResult(
    forEvent event: String, params: [String: (any AttributeConvertible)?]? = nil
  ) async -> PresentationResult { unavailable() }

  @available(
    *, unavailable,
    message:
      "register(placement:) asks the host to show the paywall: implement PaywallPresenter, or use a HostPresenter"
  )
  public nonisolated func getPaywall(
    forPlacement placement: String, params: [String: (any AttributeConvertible)?]? = nil
  ) async throws -> PaywallInfo { unavailable() }

  @available(*, unavailable, renamed: "preloadPaywalls(forPlacements:)")
  public nonisolated func preloadPaywalls(withPlacementNames names: Set<String>) { unavailable() }

  @available(*, unavailable, message: "await dismiss(), which returns when the paywall is closed")
  public nonisolated func dismiss(completion: (() -> Void)?) { unavailable() }

  @available(*, unavailable, message: "use snapshot.paywall")
  public nonisolated var latestPaywallInfo: PaywallInfo? { unavailable() }

  @available(*, unavailable, message: "use snapshot.isPaywallPresented")
  public nonisolated var isPaywallPresented: Bool { unavailable() }

  @available(
    *, unavailable, message: "show a spinner when PaywallPresenter.send asks for it"
  )
  public nonisolated func togglePaywallSpinner(isHidden: Bool) { unavailable() }

  // MARK: Purchases

  @available(
    *, unavailable, message: "buy with the store; paywalls report PresentationHandle.purchaseTapped"
  )
  public nonisolated func purchase(_ product: StoreProduct) async -> PurchaseResult {
    unavailable()
  }

  @available(*, unavailable, renamed: "customerInfo")
  public nonisolated func getCustomerInfo() async -> CustomerInfo { unavailable() }

  // MARK: Settings

  @available(*, unavailable, message: "use snapshot.isConfigured")
  public nonisolated var isConfigured: Bool { unavailable() }

  @available(*, unavailable, renamed: "setDelegate(_:)")
  public nonisolated var delegate: (any TollgateDelegate)? {
    get { unavailable() }
    set { unavailable() }
  }

  @available(*, unavailable, renamed: "setInterfaceStyle(_:)")
  public nonisolated func setInterfaceStyle(to style: InterfaceStyle?) { unavailable() }

  @available(*, unavailable, renamed: "setLogLevel(_:)")
  public nonisolated var logLevel: LogLevel {
    get { unavailable() }
    set { unavailable() }
  }

  @available(
    *, unavailable, message: "the SDK refreshes the config when the app enters the foreground"
  )
  public nonisolated func refreshConfiguration() async { unavailable() }
}

// MARK: Members of values

extension PaywallInfo {
  @available(*, unavailable, renamed: "featureGating")
  public var featureGatingBehavior: Paywall.FeatureGating { unavailable() }

  @available(*, unavailable, renamed: "presentedByPlacement")
  public var presentedByEventWithName: String? { unavailable() }

  @available(*, unavailable, renamed: "presentedByPlacement")
  public var presentedByPlacementWithName: String? { unavailable() }

  @available(*, unavailable, renamed: "presentedByEventID")
  public var presentedByEventWithId: String? { unavailable() }

  @available(*, unavailable, renamed: "presentedAt")
  public var presentedByEventAt: Instant? { unavailable() }

  @available(*, unavailable, renamed: "productIDs")
  public var productIds: [String] { unavailable() }
}

private func unavailable() -> Never { fatalError("nothing can call it") }

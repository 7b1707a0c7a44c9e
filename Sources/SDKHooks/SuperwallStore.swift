public import Expressions
public import Observation
public import RuleEngine
public import SDK

/// The state and the functions of the SDK, for SwiftUI views. A view that reads a property is redrawn when the property
/// changes. Changes are published in the order of the SDK's events, before the call that caused them returns and before
/// the delegate receives the event.
///
/// ```swift
/// @State private var superwall = SuperwallStore(tollgate)
/// ...
/// if superwall.subscriptionStatus.isActive { ProBadge() }
/// if let error = superwall.configurationError { Text(error) }
/// ```
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable
public final class SuperwallStore {
  public nonisolated let tollgate: Tollgate
  /// Whether the SDK has a config, so that calls return without waiting for a config.
  public private(set) var isConfigured: Bool
  /// Whether `configure` is running.
  public private(set) var isLoading: Bool
  /// A message that explains why the SDK has no config; nil once the SDK has a config.
  public private(set) var configurationError: String?
  /// The source of the config in use, its version and when it was fetched.
  public private(set) var configOrigin: ConfigOrigin?
  /// The user's attributes, including those that the SDK adds; nil until the SDK has a config.
  public private(set) var user: [String: Value]?
  /// The ID passed to ``identify(userID:options:)``.
  public private(set) var userID: String?
  public private(set) var subscriptionStatus: SubscriptionStatus
  /// Whether the status is inactive because a subscription has ended.
  public private(set) var hasExpired: Bool
  /// The backend's data about the customer's subscriptions and purchases.
  public private(set) var customerInfo: CustomerInfo
  /// The visible paywall.
  public private(set) var paywall: PaywallInfo?

  @ObservationIgnored private var token: SubscriptionToken?
  /// The last change of attributes that depends on their previous values.
  @ObservationIgnored private var lastUpdate: Task<Result<Void, SDKError>, Never>?

  public init(_ tollgate: Tollgate) {
    self.tollgate = tollgate
    let state = tollgate.snapshot
    isConfigured = state.isConfigured
    isLoading = state.isLoading
    configurationError = state.configurationError
    configOrigin = state.configOrigin
    user = state.user
    userID = state.userID
    subscriptionStatus = state.subscriptionStatus
    hasExpired = state.hasExpired
    customerInfo = state.customerInfo
    paywall = state.paywall
    let (now, token) = tollgate.follow { [weak self] in self?.show($0) }
    self.token = token
    show(now)
  }

  /// Sets only members whose value differs, because setting a member redraws views.
  private func show(_ state: TollgateState) {
    func update<Value: Equatable>(
      _ member: ReferenceWritableKeyPath<SuperwallStore, Value>, _ value: Value
    ) {
      if self[keyPath: member] != value { self[keyPath: member] = value }
    }
    update(\.isConfigured, state.isConfigured)
    update(\.isLoading, state.isLoading)
    update(\.configurationError, state.configurationError)
    update(\.configOrigin, state.configOrigin)
    update(\.user, state.user)
    update(\.userID, state.userID)
    update(\.subscriptionStatus, state.subscriptionStatus)
    update(\.hasExpired, state.hasExpired)
    update(\.customerInfo, state.customerInfo)
    update(\.paywall, state.paywall)
  }

  /// The time since the config was fetched. Nil if the SDK has no config, or uses a config that the app supplied.
  public var configAge: Duration? { tollgate.configAge }

  /// A stream of the current state and all later states, for code outside of views.
  public var states: AsyncStream<TollgateState> { tollgate.states() }

  /// The user's data, and functions to change it.
  public var currentUser: SuperwallUser { SuperwallUser(store: self) }

  /// Changes attributes based on their current values, one such change at a time.
  func update(
    _ change: @escaping @MainActor ([String: Value]) -> [String: (any AttributeConvertible)?]
  ) async throws(SDKError) {
    let (tollgate, before) = (tollgate, lastUpdate)
    let update = Task { () -> Result<Void, SDKError> in
      _ = await before?.value
      do throws(SDKError) {
        let attributes = change(try await tollgate.getUserAttributes())
        return .success(try await tollgate.setUserAttributes(attributes))
      } catch {
        return .failure(error)
      }
    }
    lastUpdate = update
    try await update.value.get()
  }
}

// MARK: Methods

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension SuperwallStore {
  public func configure(
    apiKey: String, purchaseController: (any PurchaseController)? = nil,
    options: TollgateOptions = TollgateOptions()
  ) async throws(SDKError) {
    try await tollgate.configure(
      apiKey: apiKey, purchaseController: purchaseController, options: options)
  }

  public func identify(userID: String, options: IdentityOptions = IdentityOptions())
    async throws(SDKError)
  { try await tollgate.identify(userID: userID, options: options) }

  public func reset() async throws(SDKError) { try await tollgate.reset() }

  /// Registers a placement. To show the placement's state in a view, use a ``PlacementHandle``.
  @discardableResult
  public func register(
    placement: String, params: [String: (any AttributeConvertible)?] = [:],
    handler: PaywallPresentationHandler? = nil, feature: (@MainActor @Sendable () -> Void)? = nil
  ) async -> PlacementOutcome {
    await tollgate.register(
      placement: placement, params: params, handler: handler, feature: feature)
  }

  public func getPresentationResult(
    forPlacement placement: String, params: [String: (any AttributeConvertible)?] = [:]
  ) async throws(SDKError) -> PresentationResult {
    try await tollgate.getPresentationResult(forPlacement: placement, params: params)
  }

  public func dismiss() async { await tollgate.dismiss() }

  public func preloadPaywalls(forPlacements names: Set<String>) async {
    await tollgate.preloadPaywalls(forPlacements: names)
  }

  public func preloadAllPaywalls() async { await tollgate.preloadAllPaywalls() }

  public func setUserAttributes(_ attributes: [String: (any AttributeConvertible)?])
    async throws(SDKError)
  { try await tollgate.setUserAttributes(attributes) }

  public func getDeviceAttributes() async throws(SDKError) -> [String: Value] {
    try await tollgate.getDeviceAttributes()
  }

  public func setSubscriptionStatus(_ status: SubscriptionStatus) async throws(SDKError) {
    try await tollgate.setSubscriptionStatus(status)
  }

  public func getEntitlements() async throws(SDKError) -> EntitlementsInfo {
    try await tollgate.getEntitlements()
  }

  public func restorePurchases() async throws(SDKError) -> RestorationResult {
    try await tollgate.restorePurchases()
  }

  public func handleDeepLink(_ url: String) async -> Bool { await tollgate.handleDeepLink(url) }

  public func setLogLevel(_ level: LogLevel) async { await tollgate.setLogLevel(level) }
}

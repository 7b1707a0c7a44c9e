public import Expressions
public import SDK

/// The user of a ``SuperwallStore``.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor
public struct SuperwallUser {
  public let store: SuperwallStore

  /// The user's ID; nil for a user that the app has not identified.
  public var id: String? { store.userID }
  /// The user's attributes, including those that the SDK adds; nil until the SDK has a config.
  public var attributes: [String: Value]? { store.user }
  public var subscriptionStatus: SubscriptionStatus { store.subscriptionStatus }

  public func identify(userID: String, options: IdentityOptions = IdentityOptions())
    async throws(SDKError)
  { try await store.identify(userID: userID, options: options) }

  /// Sets attributes of the user. The value nil removes an attribute. All other attributes stay unchanged.
  public func update(_ attributes: [String: (any AttributeConvertible)?]) async throws(SDKError) {
    try await store.setUserAttributes(attributes)
  }

  /// Sets attributes based on their current values. Such updates run one after the other, so that no update is lost.
  ///
  /// ```swift
  /// try await superwall.currentUser.update { old in ["exports": (old["exports"]?.wholeNumber ?? 0) + 1] }
  /// ```
  public func update(
    _ change: @escaping @MainActor ([String: Value]) -> [String: (any AttributeConvertible)?]
  ) async throws(SDKError) { try await store.update(change) }

  /// Deletes the user's data, as ``SDK/Tollgate/reset()`` does.
  public func signOut() async throws(SDKError) { try await store.reset() }

  /// The user's attributes after all earlier calls have finished.
  @discardableResult
  public func refresh() async throws(SDKError) -> [String: Value] {
    try await store.tollgate.getUserAttributes()
  }

  public func setSubscriptionStatus(_ status: SubscriptionStatus) async throws(SDKError) {
    try await store.setSubscriptionStatus(status)
  }

  public func entitlements() async throws(SDKError) -> EntitlementsInfo {
    try await store.getEntitlements()
  }

  public func integrationAttributes() async throws(SDKError) -> [IntegrationAttribute: String] {
    try await store.tollgate.getIntegrationAttributes()
  }

  public func setIntegrationAttributes(_ attributes: [IntegrationAttribute: String?])
    async throws(SDKError)
  { try await store.tollgate.setIntegrationAttributes(attributes) }
}

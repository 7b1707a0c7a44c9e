/// What went wrong in the store, for a person.
public struct StoreError: Error, Hashable, Sendable {
  public var message: String

  public init(_ message: String) { self.message = message }
}

/// A purchase with the store's record of it.
public struct StorePurchase: Hashable, Sendable {
  public var result: PurchaseResult
  public var transaction: StoreTransaction?

  public init(_ result: PurchaseResult, transaction: StoreTransaction? = nil) {
    self.result = result
    self.transaction = transaction
  }
}

/// The store on the device: App Store, Google Play, or a simulated one.
public protocol PurchaseStore: Sendable {
  /// The products with these identifiers, without those that the store does not have.
  func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct]
  func purchase(_ request: PurchaseRequest) async -> StorePurchase
  func restorePurchases() async -> RestorationResult
  /// Identifiers of the products that the user owns now: bought, and neither expired nor revoked.
  ///
  /// - Throws: when the store cannot say; the subscription status stays as it is then.
  func ownedProducts() async throws(StoreError) -> [String]
  /// Uses up a consumable, so that it can be bought again. Google Play only.
  ///
  /// - Returns: the token.
  func consume(_ purchaseToken: String) async throws(StoreError) -> String
  /// An element whenever what the user owns changed by itself: renewals, revocations, purchases
  /// that somebody approved later.
  func changes() -> AsyncStream<Void>
}

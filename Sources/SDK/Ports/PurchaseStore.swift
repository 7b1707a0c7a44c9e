public import CivilTime

/// What went wrong in the store, for a person.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  public var message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
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

/// A product that the user owns, or owned until it ended.
public struct OwnedProduct: Hashable, Sendable, ExpressibleByStringLiteral {
  public var id: String
  /// When access ends unless it is renewed. Nil for a product that does not end, and if the store does not
  /// say.
  public var expiresAt: Instant?
  /// Whether access has ended: the product expired, or was refunded or revoked.
  public var hasEnded: Bool
  /// The transaction with the store's signature (JWS), which goes with codes that are redeemed.
  public var signedTransaction: String?

  public init(
    _ id: String, expiresAt: Instant? = nil, hasEnded: Bool = false,
    signedTransaction: String? = nil
  ) {
    self.id = id
    self.expiresAt = expiresAt
    self.hasEnded = hasEnded
    self.signedTransaction = signedTransaction
  }

  public init(stringLiteral id: String) { self.init(id) }
}

/// The store on the device: App Store, Google Play, or a simulated one.
public protocol PurchaseStore: Sendable {
  /// The products with these identifiers, without those that the store does not have. Has
  /// ``Timeouts/products``.
  func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct]
  /// Buys a product, however long the user takes. The SDK asks for one purchase at a time.
  func purchase(_ request: PurchaseRequest) async -> StorePurchase
  /// Restores what the user has bought, however long that takes.
  func restorePurchases() async -> RestorationResult
  /// The products that the user owns, and those whose access ended, marked so.
  ///
  /// An answer that lists anything is complete: whatever it does not list as owned ends. An empty answer ends
  /// only what has expired, because a store may not have loaded its transactions yet when an app starts.
  ///
  /// - Throws: when the store cannot say; the subscription status stays as it is then, as it does
  ///   when there is no answer within ``Timeouts/ownedProducts``.
  func ownedProducts() async throws(StoreError) -> [OwnedProduct]
  /// Uses up a consumable, so that it can be bought again. Google Play only. Has
  /// ``Timeouts/consume``.
  ///
  /// - Returns: the token.
  func consume(_ purchaseToken: String) async throws(StoreError) -> String
  /// An element whenever what the user owns changed by itself: renewals, revocations, purchases
  /// that somebody approved later.
  func changes() -> AsyncStream<Void>
}

public import CivilTime

/// An error that the store reported, with a readable message.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  public var message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
}

/// A purchase and its transaction.
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
  /// When access ends unless the subscription renews. Nil if access does not end, or if the store does not report when
  /// it ends.
  public var expiresAt: Instant?
  /// Whether access has ended: the product expired, or was refunded or revoked.
  public var hasEnded: Bool
  /// The transaction with the store's signature (JWS), which the SDK sends when it redeems codes.
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

/// The store on the device: the App Store, Google Play, or a simulated store.
public protocol PurchaseStore: Sendable {
  /// Returns the products with these identifiers. Unknown products are omitted. ``Timeouts/products`` limits this call.
  func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct]
  /// Buys a product. There is no time limit. The SDK requests one purchase at a time.
  func purchase(_ request: PurchaseRequest) async -> StorePurchase
  /// Restores the user's purchases. There is no time limit.
  func restorePurchases() async -> RestorationResult
  /// Returns the products that the user owns, and the products whose access has ended, marked as ended.
  ///
  /// A nonempty answer is complete: access to any product that is not listed as owned ends. An empty answer ends only
  /// expired access, because a store may not have loaded its transactions yet when an app starts.
  ///
  /// - Throws: an error if the owned products are unknown. The subscription status then stays unchanged, as it does
  ///   without an answer within ``Timeouts/ownedProducts``.
  func ownedProducts() async throws(StoreError) -> [OwnedProduct]
  /// Consumes a consumable product, so that it can be bought again. Only Google Play requires this.
  /// ``Timeouts/consume`` limits this call.
  ///
  /// - Returns: the purchase token.
  func consume(_ purchaseToken: String) async throws(StoreError) -> String
  /// Yields an element when the user's purchases change without a call: renewals, revocations,
  /// purchases that are approved later.
  func changes() -> AsyncStream<Void>
}

public import CivilTime
public import SDK

/// A store that sells what it is told to, on any platform, without an account.
///
/// ``TestTollgate`` has one. An app that is tried without a store can have one too:
///
/// ```swift
/// let ports = Ports.live(folder: folder, store: TestStore(products: products), presenter: presenter)
/// ```
public final class TestStore: PurchaseStore {
  private let store: SimulatedStore

  /// - Parameters:
  ///   - products: what is sold.
  ///   - purchases: how purchases end, one after the other; the last again and again.
  ///   - restores: how restores end, likewise. A restore gives back what is owned and nothing else.
  ///   - owned: products that the user has already.
  public init(
    products: [StoreProduct], purchases: [PurchaseResult] = [.purchased],
    restores: [RestorationResult] = [.restored], owned: [OwnedProduct] = []
  ) {
    var script = SimulatedStore.Script()
    script.purchases = purchases.map { .result($0) }
    script.restores = restores.map { .result($0) }
    script.owned = owned
    store = SimulatedStore(products: products, script: script)
  }

  /// The products of a StoreKit configuration file (`.storekit`), as Xcode writes it.
  ///
  /// - Throws: when the file is something else; the error says why.
  public static func products(
    storeKitConfiguration file: some Sequence<UInt8>
  ) throws -> [StoreProduct] {
    try StoreKitConfiguration(file).products
  }

  /// The user buys a product outside of the app: on another device, or somebody approves it later.
  ///
  /// - Parameter expiresAt: when it ends unless it is renewed.
  public func buyElsewhere(_ productID: String, expiresAt: Instant? = nil) {
    store.addTransaction(productID, expiresAt: expiresAt)
  }

  /// A product is the user's no more: it expired, or was given back.
  public func revoke(_ productID: String) { store.revoke(productID) }

  /// From now on the store answers that nothing is owned, and does not say that anything has ended, as the
  /// App Store can when an app starts.
  public func forgetPurchases() { store.forgetPurchases() }

  public func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
    try await store.products(identifiers)
  }

  public func purchase(_ request: PurchaseRequest) async -> StorePurchase {
    await store.purchase(request)
  }

  public func restorePurchases() async -> RestorationResult { await store.restorePurchases() }

  public func ownedProducts() async throws(StoreError) -> [OwnedProduct] {
    try await store.ownedProducts()
  }

  public func consume(_ purchaseToken: String) async throws(StoreError) -> String {
    try await store.consume(purchaseToken)
  }

  public func changes() -> AsyncStream<Void> { store.changes() }
}

public import CivilTime
public import SDK

/// A store with scripted products and results, on any platform, without an account.
///
/// ``TestTollgate`` contains a test store. An app can also use a test store to run without a real store:
///
/// ```swift
/// let ports = Ports.live(folder: folder, store: TestStore(products: products), presenter: presenter)
/// ```
public final class TestStore: PurchaseStore {
  private let store: SimulatedStore

  /// - Parameters:
  ///   - products: the products of the store.
  ///   - purchases: the results of purchases, in order. The last result repeats.
  ///   - restores: the results of restores, in order. The last result repeats. A restore returns only products that the
  ///     user owns.
  ///   - owned: the products that the user already owns.
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
  /// - Throws: an error with the reason if the file has another form.
  public static func products(
    storeKitConfiguration file: some Sequence<UInt8>
  ) throws -> [StoreProduct] {
    try StoreKitConfiguration(file).products
  }

  /// Simulates a purchase outside of the app, on another device or through a later approval.
  ///
  /// - Parameter expiresAt: when access ends unless the subscription renews.
  public func buyElsewhere(_ productID: String, expiresAt: Instant? = nil) {
    store.addTransaction(productID, expiresAt: expiresAt)
  }

  /// Ends the user's ownership of a product, as if the product expired or was refunded.
  public func revoke(_ productID: String) { store.revoke(productID) }

  /// Makes the store return no owned products from now on, without reporting that any product ended. The App Store may
  /// behave this way when an app starts.
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

package import CivilTime
internal import Expressions
internal import Pricing

/// A store with scripted products and results, on any platform.
///
/// The products can come from a StoreKit configuration file (``StoreKitConfiguration``), so that
/// tests buy an app's own products.
package final class SimulatedStore: PurchaseStore {
  /// The results of purchases and restores, in order. The last result repeats.
  package struct Script: Sendable {
    package enum Purchase: Sendable {
      case result(PurchaseResult)
      /// The purchase waits for ``SimulatedStore/resolvePurchase(_:)``.
      case manual
    }

    package enum Restore: Sendable {
      /// The result of a restore, and the products that the user owns afterwards.
      case result(RestorationResult, owned: [String] = [])
      /// The restore waits for ``SimulatedStore/resolveRestore(_:owned:)``.
      case manual
    }

    package var owned: [OwnedProduct] = []
    package var purchases: [Purchase] = [.result(.purchased)]
    package var restores: [Restore] = [.result(.restored)]
    /// Purchase tokens that can be consumed.
    package var tokens: Set<String> = []
    /// Whether the user is eligible for introductory offers.
    package var isEligibleForOffers = true

    package init() {}
  }

  /// A command that the store received.
  package enum Command: Hashable, Sendable {
    case purchase(PurchaseRequest)
    case restore
  }

  private struct State {
    var script: Script
    var purchases = 0
    var restores = 0
    var transactions = 0
    var waitingPurchases: [(PurchaseRequest, CheckedContinuation<StorePurchase, Never>)] = []
    var waitingRestores: [CheckedContinuation<RestorationResult, Never>] = []
    var listeners: [AsyncStream<Void>.Continuation] = []

    mutating func own(_ products: [OwnedProduct]) {
      for product in products {
        script.owned.removeAll { $0.id == product.id }
        script.owned.append(product)
      }
    }
  }

  private let catalogue: [String: StoreProduct]
  private let state: Locked<State>
  private let observe: @Sendable (Command) -> Void

  /// - Parameter observe: called with every purchase and restore, in order.
  package init(
    products: [StoreProduct], script: Script = Script(),
    observe: @escaping @Sendable (Command) -> Void = { _ in }
  ) {
    let named = products.flatMap { product in
      [product.id, product.priced.fullIdentifier].compactMap { $0.map { ($0, product) } }
    }
    catalogue = Dictionary(named, uniquingKeysWith: { first, _ in first })
    state = Locked(State(script: script))
    self.observe = observe
  }

  package func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
    let isEligible = state.withLock { $0.script.isEligibleForOffers }
    return identifiers.compactMap { id in
      guard var product = catalogue[id] ?? base(of: id) else { return nil }
      product.id = id
      if !isEligible { product.isEligibleForOffer = false }
      return product
    }
  }

  /// The Google Play product of an identifier with a base plan.
  private func base(of id: String) -> StoreProduct? {
    catalogue[PlayProductID(id).productID].flatMap { $0.store == .playStore ? $0 : nil }
  }

  package func purchase(_ request: PurchaseRequest) async -> StorePurchase {
    observe(.purchase(request))
    let next = state.withLock { state -> Script.Purchase in
      let script = state.script.purchases
      defer { state.purchases += 1 }
      return script.isEmpty ? .result(.purchased) : script[min(state.purchases, script.count - 1)]
    }
    switch next {
    case .result(let result): return finish(request, result)
    case .manual:
      return await withCheckedContinuation { continuation in
        state.withLock { $0.waitingPurchases.append((request, continuation)) }
      }
    }
  }

  /// Ends the waiting purchases: the current purchase, and any purchase from before a restart.
  package func resolvePurchase(_ result: PurchaseResult) {
    let waiting = state.withLock { state in
      defer { state.waitingPurchases = [] }
      return state.waitingPurchases
    }
    for (request, continuation) in waiting {
      continuation.resume(returning: finish(request, result))
    }
  }

  private func finish(_ request: PurchaseRequest, _ result: PurchaseResult) -> StorePurchase {
    let isOwned = result == .purchased || result == .restored
    guard isOwned else { return StorePurchase(result) }
    let number = state.withLock { state in
      state.transactions += 1
      state.own([OwnedProduct(request.productID)])
      return state.transactions
    }
    return StorePurchase(
      result, transaction: StoreTransaction(storeTransactionID: "transaction-\(number)"))
  }

  package func restorePurchases() async -> RestorationResult {
    observe(.restore)
    let next = state.withLock { state -> Script.Restore in
      let script = state.script.restores
      defer { state.restores += 1 }
      return script.isEmpty ? .result(.restored) : script[min(state.restores, script.count - 1)]
    }
    switch next {
    case .result(let result, let owned):
      state.withLock { $0.own(owned.map { OwnedProduct($0) }) }
      return result
    case .manual:
      return await withCheckedContinuation { continuation in
        state.withLock { $0.waitingRestores.append(continuation) }
      }
    }
  }

  /// Ends all waiting restores.
  package func resolveRestore(_ result: RestorationResult, owned: [String] = []) {
    let waiting = state.withLock { state in
      state.own(owned.map { OwnedProduct($0) })
      defer { state.waitingRestores = [] }
      return state.waitingRestores
    }
    for continuation in waiting { continuation.resume(returning: result) }
  }

  /// Whether a purchase waits for an answer.
  package var isPurchaseWaiting: Bool { state.withLock { !$0.waitingPurchases.isEmpty } }

  package func ownedProducts() async throws(StoreError) -> [OwnedProduct] {
    state.withLock { $0.script.owned }
  }

  package func consume(_ purchaseToken: String) async throws(StoreError) -> String {
    let isKnown = state.withLock { $0.script.tokens.remove(purchaseToken) != nil }
    guard isKnown else {
      throw StoreError("there is no purchase with the token '\(purchaseToken)'")
    }
    return purchaseToken
  }

  package func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    state.withLock { $0.listeners.append(continuation) }
    return stream
  }

  /// Simulates a purchase on another device, or a purchase that is approved later.
  package func addTransaction(_ productID: String, expiresAt: Instant? = nil) {
    change { $0.own([OwnedProduct(productID, expiresAt: expiresAt)]) }
  }

  /// Revokes a product, as the store would.
  package func revoke(_ productID: String) {
    change { $0.own([OwnedProduct(productID, hasEnded: true)]) }
  }

  /// Removes all purchases from the store, without reporting that they have ended.
  package func forgetPurchases() { state.withLock { $0.script.owned = [] } }

  private func change(_ body: (inout State) -> Void) {
    let listeners = state.withLock { state in
      body(&state)
      return state.listeners
    }
    for listener in listeners { listener.yield() }
  }
}

internal import Pricing

/// The purchase that runs. There is one at a time, whatever paywall it began on.
struct PurchaseSlot: Sendable {
  /// Names the purchase in effects and answers.
  let token: Token
  let presentationID: String
  let product: StoreProduct
  /// The paywall as it was when the purchase began, for when it is gone at the end.
  let info: PaywallInfo
  let shouldDismiss: Bool
  /// Whether the user would start with a trial: asked before the purchase, which changes it.
  let startsTrial: Bool
  /// What kind of purchase it is if it succeeds.
  let kind: TransactionKind
  /// What came, while the owned products are loaded.
  fileprivate(set) var finished: StorePurchase?

  init(
    token: Token, presentationID: String, product: StoreProduct, info: PaywallInfo,
    shouldDismiss: Bool, startsTrial: Bool
  ) {
    self.token = token
    self.presentationID = presentationID
    self.product = product
    self.info = info
    self.shouldDismiss = shouldDismiss
    self.startsTrial = startsTrial
    kind =
      product.period == nil
      ? .nonRecurringProductPurchase : startsTrial ? .freeTrialStart : .subscriptionStart
  }

  /// A purchase that was approved.
  init(_ purchase: PendingPurchase, _ product: StoreProduct, token: Token) {
    self.token = token
    self.product = product
    presentationID = purchase.presentationID ?? ""
    info = purchase.info
    shouldDismiss = purchase.shouldDismiss
    kind = purchase.kind
    startsTrial = kind == .freeTrialStart
  }
}

/// The restore that runs. It does not hinder a purchase.
struct RestoreSlot: Sendable {
  let token: Token
  /// The paywall that it was asked for on; nil for `restorePurchases()`.
  var presentationID: String?
  fileprivate(set) var calls: [Token] = []
  /// What came, while the owned products are loaded.
  fileprivate(set) var finished: RestorationResult?
}

/// Purchases, restores and consumptions under way.
struct Transactions {
  private(set) var purchase: PurchaseSlot?
  private(set) var restore: RestoreSlot?
  /// Whether anybody listens to `onPurchase` and `onPurchaseRestore`.
  private(set) var hasListener = false
  /// Calls that the store alone answers: restores of a controller app, and consumptions.
  private var plainCalls: [Token: Token] = [:]

  /// Whether nothing that a paywall began is under way.
  var isEmpty: Bool { purchase == nil && restore == nil }

  mutating func setListener(_ isThere: Bool) { hasListener = isThere }

  mutating func begin(_ slot: PurchaseSlot) { purchase = slot }

  /// Keeps a result until the owned products are there.
  mutating func hold(_ result: StorePurchase) { purchase?.finished = result }

  /// The purchase that a result is for; one has one result.
  func purchase(awaiting token: Token) -> PurchaseSlot? {
    purchase.flatMap { $0.token == token && $0.finished == nil ? $0 : nil }
  }

  mutating func endPurchase() { purchase = nil }

  mutating func beginRestore(_ token: Token, on presentationID: String? = nil, call: Token? = nil) {
    restore = RestoreSlot(
      token: token, presentationID: presentationID, calls: call.map { [$0] } ?? [])
  }

  /// Lets a call share the outcome of the restore that runs.
  mutating func joinRestore(_ call: Token) { restore?.calls.append(call) }

  /// Lets a paywall share the outcome of the restore that runs.
  mutating func joinRestore(on presentationID: String) { restore?.presentationID = presentationID }

  /// Keeps a result until the owned products are there.
  mutating func hold(_ result: RestorationResult) { restore?.finished = result }

  /// The restore that a result is for; one has one result.
  func restore(awaiting token: Token) -> RestoreSlot? {
    restore.flatMap { $0.token == token && $0.finished == nil ? $0 : nil }
  }

  mutating func endRestore() { restore = nil }

  mutating func beginPlain(_ token: Token, for call: Token) { plainCalls[token] = call }

  mutating func takePlain(_ token: Token) -> Token? { plainCalls.removeValue(forKey: token) }
}

internal import Pricing

/// The running purchase. Only one purchase runs at a time, on any paywall.
struct PurchaseSlot: Sendable {
  /// Identifies the purchase in effects and answers.
  let token: Token
  let presentationID: String
  let product: StoreProduct
  /// The paywall's state when the purchase began, for use after the paywall is closed.
  let info: PaywallInfo
  let shouldDismiss: Bool
  /// Whether the purchase would start a trial. This is determined before the purchase, because a purchase ends the
  /// user's eligibility.
  let startsTrial: Bool
  /// The kind of purchase if it succeeds.
  let kind: TransactionKind
  /// The result, stored while the owned products are loaded.
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

/// The running restore. A running restore does not block purchases.
struct RestoreSlot: Sendable {
  let token: Token
  /// The paywall that requested the restore, or nil for `restorePurchases()`.
  var presentationID: String?
  fileprivate(set) var calls: [Token] = []
  /// The result, stored while the owned products are loaded.
  fileprivate(set) var finished: RestorationResult?
}

/// Running purchases, restores and consumptions.
struct Transactions {
  private(set) var purchase: PurchaseSlot?
  private(set) var restore: RestoreSlot?
  /// Whether `onPurchase` and `onPurchaseRestore` have a listener.
  private(set) var hasListener = false
  /// Calls that the store alone answers: consumptions, and restores in an app with a purchase controller.
  private var plainCalls: [Token: Token] = [:]

  /// Whether no purchase or restore is running.
  var isEmpty: Bool { purchase == nil && restore == nil }

  mutating func setListener(_ isThere: Bool) { hasListener = isThere }

  mutating func begin(_ slot: PurchaseSlot) { purchase = slot }

  /// Stores a result until the owned products are loaded.
  mutating func hold(_ result: StorePurchase) { purchase?.finished = result }

  /// The purchase that awaits a result. Each purchase has one result.
  func purchase(awaiting token: Token) -> PurchaseSlot? {
    purchase.flatMap { $0.token == token && $0.finished == nil ? $0 : nil }
  }

  mutating func endPurchase() { purchase = nil }

  mutating func beginRestore(_ token: Token, on presentationID: String? = nil, call: Token? = nil) {
    restore = RestoreSlot(
      token: token, presentationID: presentationID, calls: call.map { [$0] } ?? [])
  }

  /// Lets a call share the outcome of the running restore.
  mutating func joinRestore(_ call: Token) { restore?.calls.append(call) }

  /// Lets a paywall share the outcome of the running restore.
  mutating func joinRestore(on presentationID: String) { restore?.presentationID = presentationID }

  /// Stores a result until the owned products are loaded.
  mutating func hold(_ result: RestorationResult) { restore?.finished = result }

  /// The restore that awaits a result. Each restore has one result.
  func restore(awaiting token: Token) -> RestoreSlot? {
    restore.flatMap { $0.token == token && $0.finished == nil ? $0 : nil }
  }

  mutating func endRestore() { restore = nil }

  mutating func beginPlain(_ token: Token, for call: Token) { plainCalls[token] = call }

  mutating func takePlain(_ token: Token) -> Token? { plainCalls.removeValue(forKey: token) }
}

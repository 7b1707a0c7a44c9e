internal import CivilTime
internal import RuleEngine

/// Why the owned products are loaded.
enum OwnedLoad: Hashable, Sendable {
  case configuring
  case purchase
  case restore
  /// The store said that something changed.
  case refresh
}

/// What the user has paid for.
struct Ownership {
  private(set) var status: SubscriptionStatus
  /// Whether there is none any more after there was one: AgentWallie's status `expired`.
  private(set) var hasExpired: Bool
  /// Codes that were redeemed.
  private(set) var codes: [String]
  /// Those that give something to the app's user, who may become somebody else.
  private(set) var userCodes: Set<String>
  /// What was bought on the web.
  private(set) var web: [WebEntitlement]
  /// What the backend says of the customer.
  private(set) var customer: CustomerInfo
  /// When the backend was asked for that last.
  private(set) var refreshedAt: Instant?
  /// A checkout whose end nobody has seen.
  var pendingCheckout: PendingCheckout?
  /// Whether the backend is being asked for that one.
  var isAskingForCheckout = false
  /// Whether it is being asked.
  var isRefreshing = false
  /// Identifiers of the products that the store says the user owns.
  private(set) var products: [String] = []
  /// The store's signed transactions of these.
  private(set) var receipts: [String] = []
  /// When entitlements that the store gave end, by ID. Those that do not end are not here.
  private(set) var expiries: [String: Instant]
  /// Entitlements that have not expired although the store's last answer was empty.
  private(set) var held: [Entitlement] = []
  /// Purchases that await approval.
  private(set) var pendingPurchases: [PendingPurchase]
  private var loads: [Token: OwnedLoad] = [:]
  /// Whether those that wait for the status are being told that it stayed unknown.
  private(set) var isGivenUp = false

  init(_ stored: StoredState) {
    status = stored.status
    hasExpired = stored.hasExpired
    codes = stored.codes
    userCodes = stored.userCodes
    web = stored.webEntitlements
    customer = stored.customer
    refreshedAt = stored.webRefreshedAt
    pendingCheckout = stored.pendingCheckout
    expiries = stored.expiries
    pendingPurchases = stored.pendingPurchases
  }

  /// - Returns: the status before, or nil when it means the same.
  mutating func set(_ status: SubscriptionStatus) -> SubscriptionStatus? {
    guard !self.status.means(status) else { return nil }
    switch status {
    case .active: hasExpired = false
    case .inactive: hasExpired = hasExpired || self.status.isActive
    case .unknown: break
    }
    defer { self.status = status }
    return self.status
  }

  mutating func giveUp(_ isOver: Bool) { isGivenUp = isOver }

  /// Takes what the store says is owned. An empty answer removes only what has expired.
  ///
  /// - Parameter entitlements: what owning a product gives.
  mutating func own(
    _ answer: [OwnedProduct], at now: Instant, entitlements: (String) -> [Entitlement]
  ) {
    let owned = answer.filter { !$0.hasEnded }
    products = owned.map(\.id)
    receipts = owned.compactMap(\.signedTransaction)
    guard answer.isEmpty else {
      held = []
      expiries = Self.expiries(of: owned, entitlements)
      return
    }
    held = status.entitlements.filter { entitlement in
      expiries[entitlement.id].map { $0 > now } ?? false
    }
    expiries = expiries.filter { expiry in held.contains { $0.id == expiry.key } }
  }

  /// The last end of each entitlement; none for those that a product gives without an end.
  private static func expiries(
    of owned: [OwnedProduct], _ entitlements: (String) -> [Entitlement]
  ) -> [String: Instant] {
    var ends: [String: Instant] = [:]
    var endless: Set<String> = []
    for product in owned {
      for entitlement in entitlements(product.id) {
        guard let expiry = product.expiresAt else {
          endless.insert(entitlement.id)
          continue
        }
        ends[entitlement.id] = max(ends[entitlement.id] ?? expiry, expiry)
      }
    }
    return ends.filter { !endless.contains($0.key) }
  }

  // MARK: Purchases that wait for approval

  /// Remembers a purchase that awaits approval: the last one of each product.
  mutating func keep(_ purchase: PendingPurchase) {
    endPending(purchase.storeID)
    pendingPurchases.append(purchase)
    pendingPurchases.removeFirst(max(0, pendingPurchases.count - PendingPurchase.mostKept))
  }

  /// Forgets a purchase that awaited approval.
  mutating func endPending(_ storeID: String) {
    pendingPurchases.removeAll { $0.storeID == storeID }
  }

  /// - Parameter running: what is being bought again, and completes itself.
  /// - Returns: the purchases that were approved, by what the store says is owned.
  mutating func takeApproved(except running: String?) -> [PendingPurchase] {
    let approved = pendingPurchases.filter {
      products.contains($0.storeID) && $0.storeID != running
    }
    for purchase in approved { endPending(purchase.storeID) }
    return approved
  }

  /// Takes what an answer says was bought on the web. An empty answer removes only what has expired.
  mutating func ownOnWeb(_ answer: WebAnswer, at now: Instant) {
    web = answer.isEmpty ? web.filter { $0.expiresAt.map { $0 > now } ?? true } : answer.active
  }

  /// - Returns: whether that is news.
  mutating func know(_ customer: CustomerInfo) -> Bool {
    defer { self.customer = customer }
    return self.customer != customer
  }

  mutating func refresh(at now: Instant) { refreshedAt = now }

  mutating func know(_ code: String, isOfUser: Bool) {
    if !codes.contains(code) { codes.append(code) }
    if isOfUser { userCodes.insert(code) }
  }

  /// Forgets what the user who is gone had on the web, and their codes; those of the device stay.
  mutating func forgetUser() {
    codes.removeAll { userCodes.contains($0) }
    (userCodes, web, refreshedAt, isRefreshing) = ([], [], nil, false)
    customer = CustomerInfo()
    pendingCheckout = nil
    pendingPurchases = []
    hasExpired = false
  }

  mutating func begin(_ load: OwnedLoad, _ token: Token) { loads[token] = load }

  mutating func take(_ token: Token) -> OwnedLoad? { loads.removeValue(forKey: token) }
}

internal import CivilTime
internal import RuleEngine

/// Why the owned products are being loaded.
enum OwnedLoad: Hashable, Sendable {
  case configuring
  case purchase
  case restore
  /// The store reported a change.
  case refresh
}

/// The user's purchases and entitlements.
struct Ownership {
  private(set) var status: SubscriptionStatus
  /// Whether a subscription existed and has ended: AgentWallie's status `expired`.
  private(set) var hasExpired: Bool
  /// The redeemed codes.
  private(set) var codes: [String]
  /// The redeemed codes that belong to the app's user, who may change.
  private(set) var userCodes: Set<String>
  /// The entitlements bought on the web.
  private(set) var web: [WebEntitlement]
  /// The backend's data about the customer.
  private(set) var customer: CustomerInfo
  /// The last time that customer data was requested from the backend.
  private(set) var refreshedAt: Instant?
  /// A checkout whose result is unknown.
  var pendingCheckout: PendingCheckout?
  /// Whether the result of the pending checkout is being requested.
  var isAskingForCheckout = false
  /// Whether web entitlements are being requested.
  var isRefreshing = false
  /// Identifiers of the products that the store reports as owned.
  private(set) var products: [String] = []
  /// The store's signed transactions of the owned products.
  private(set) var receipts: [String] = []
  /// The end dates of entitlements from the store, by ID. Entitlements without an end are omitted.
  private(set) var expiries: [String: Instant]
  /// Entitlements that have not expired although the store's last answer was empty.
  private(set) var held: [Entitlement] = []
  /// Purchases that await approval.
  private(set) var pendingPurchases: [PendingPurchase]
  private var loads: [Token: OwnedLoad] = [:]
  /// Whether the placements that wait for the status are being notified that it stayed unknown.
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

  /// - Returns: the previous status, or nil if the new status is equivalent.
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

  /// Sets the products that the store reports as owned. An empty answer removes only expired
  /// entitlements.
  ///
  /// - Parameter entitlements: returns the entitlements that a product grants.
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

  /// The latest end date of each entitlement. Entitlements that any product grants without an end are omitted.
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

  /// Stores a purchase that awaits approval. Each product has at most one stored purchase.
  mutating func keep(_ purchase: PendingPurchase) {
    endPending(purchase.storeID)
    pendingPurchases.append(purchase)
    pendingPurchases.removeFirst(max(0, pendingPurchases.count - PendingPurchase.mostKept))
  }

  /// Removes a purchase that awaited approval.
  mutating func endPending(_ storeID: String) {
    pendingPurchases.removeAll { $0.storeID == storeID }
  }

  /// - Parameter running: the product of a running purchase, which is completed separately.
  /// - Returns: the purchases that were approved, according to the products that the store reports
  ///   as owned.
  mutating func takeApproved(except running: String?) -> [PendingPurchase] {
    let approved = pendingPurchases.filter {
      products.contains($0.storeID) && $0.storeID != running
    }
    for purchase in approved { endPending(purchase.storeID) }
    return approved
  }

  /// Sets the entitlements that an answer reports as bought on the web. An empty answer removes only expired
  /// entitlements.
  mutating func ownOnWeb(_ answer: WebAnswer, at now: Instant) {
    web = answer.isEmpty ? web.filter { $0.expiresAt.map { $0 > now } ?? true } : answer.active
  }

  /// - Returns: whether the data has changed.
  mutating func know(_ customer: CustomerInfo) -> Bool {
    defer { self.customer = customer }
    return self.customer != customer
  }

  mutating func refresh(at now: Instant) { refreshedAt = now }

  mutating func know(_ code: String, isOfUser: Bool) {
    if !codes.contains(code) { codes.append(code) }
    if isOfUser { userCodes.insert(code) }
  }

  /// Removes the previous user's web entitlements and codes. The device's entitlements and codes stay.
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

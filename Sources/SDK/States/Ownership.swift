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
  private var loads: [Token: OwnedLoad] = [:]
  /// Whether those that wait for the status are being told that it stayed unknown.
  private(set) var isGivenUp = false

  init(_ stored: StoredState) {
    status = stored.status
    hasExpired = stored.hasExpired
    codes = stored.codes
    userCodes = stored.userCodes
    web = stored.webEntitlements
    refreshedAt = stored.webRefreshedAt
    pendingCheckout = stored.pendingCheckout
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

  mutating func own(_ products: [String]) { self.products = products }

  /// Takes what an answer says was bought on the web. An empty answer removes only what has expired.
  mutating func ownOnWeb(_ answer: WebAnswer, at now: Instant) {
    web = answer.isEmpty ? web.filter { $0.expiresAt.map { $0 > now } ?? true } : answer.active
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
    pendingCheckout = nil
    hasExpired = false
  }

  mutating func begin(_ load: OwnedLoad, _ token: Token) { loads[token] = load }

  mutating func take(_ token: Token) -> OwnedLoad? { loads.removeValue(forKey: token) }
}

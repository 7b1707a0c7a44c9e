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
  /// Codes that were redeemed.
  let codes: [String]
  /// What was bought on the web.
  private(set) var web: [Entitlement]
  /// Identifiers of the products that the store says the user owns.
  private(set) var products: [String] = []
  private var loads: [Token: OwnedLoad] = [:]

  init(_ stored: StoredState) {
    status = stored.status
    codes = stored.codes
    web = stored.webEntitlements
  }

  /// - Returns: the status before, or nil when it means the same.
  mutating func set(_ status: SubscriptionStatus) -> SubscriptionStatus? {
    guard !self.status.means(status) else { return nil }
    defer { self.status = status }
    return self.status
  }

  mutating func own(_ products: [String]) { self.products = products }

  mutating func ownOnWeb(_ entitlements: [Entitlement]) { web = entitlements }

  mutating func begin(_ load: OwnedLoad, _ token: Token) { loads[token] = load }

  mutating func take(_ token: Token) -> OwnedLoad? { loads.removeValue(forKey: token) }
}

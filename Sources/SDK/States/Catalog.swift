/// A request to the store for products.
struct ProductLoad: Sendable {
  enum Purpose: Hashable, Sendable {
    /// The products are for the placement with this turn.
    case registration(Token)
    /// The products are for preloading this number of paywalls.
    case preload(Int)
    /// The products are loaded in advance, under AgentWallie's rules.
    case prefetch
    case call(Token)
    /// The product belongs to a purchase that was approved after a restart.
    case approval(PendingPurchase)
  }

  var purpose: Purpose
  var identifiers: [String]
  var placement = ""
  var info = PaywallInfo.none
  var attempt = 0

  /// Whether a failed load may be retried. Calls are answered with the store's first result.
  var mayTryAgain: Bool { if case .call = purpose { false } else { true } }
}

/// The config in use, and the paywalls and products loaded for it.
struct Catalog {
  private(set) var config: ApplicationConfig?
  /// The source of the config.
  private(set) var origin: ConfigOrigin?
  /// Runs the rules of the config.
  private(set) var runner: RuleRunner?
  /// Paywalls from the backend, which the config lacks in the user's language.
  private var paywalls: [String: PaywallResponse] = [:]
  private var products: [String: StoreProduct] = [:]
  private var loads: [Token: ProductLoad] = [:]
  /// The products of the config that the store returned last.
  private(set) var prefetched: Set<String> = []

  mutating func adopt(
    _ config: ApplicationConfig, _ needs: HistoryNeeds, from origin: ConfigOrigin
  ) {
    self.config = config
    self.origin = origin
    runner = RuleRunner(config.rules, needs)
    paywalls = [:]
  }

  /// The paywall, if it needs no request.
  func paywall(_ identifier: String, locale: String) -> PaywallResponse? {
    config?.staticPaywall(identifier, locale: locale) ?? paywalls[identifier]
  }

  mutating func keep(_ paywall: PaywallResponse, as identifier: String) {
    paywalls[identifier] = paywall
  }

  func product(_ identifier: String) -> StoreProduct? { products[identifier] }

  mutating func keep(_ products: [StoreProduct]) {
    for product in products { self.products[product.id] = product }
  }

  mutating func prefetch(_ identifiers: [String]) { prefetched = Set(identifiers) }

  mutating func begin(_ load: ProductLoad, _ token: Token) { loads[token] = load }

  mutating func take(_ token: Token) -> ProductLoad? { loads.removeValue(forKey: token) }
}

/// The facts about a customer that decide whether a trial is available.
public struct TrialHistory: Hashable, Sendable {
  /// An entitlement of the customer or of the config.
  public struct Entitlement: Hashable, Sendable {
    public var id: String
    public var isActive: Bool
    /// The product that last granted the entitlement; nil if the customer never had it.
    public var latestProductID: String?
    public var store: PricedProduct.Store?

    public init(
      id: String, isActive: Bool = false, latestProductID: String? = nil,
      store: PricedProduct.Store? = nil
    ) {
      self.id = id
      self.isActive = isActive
      self.latestProductID = latestProductID
      self.store = store
    }

    /// Whether the customer has ever had the entitlement.
    public var wasHeld: Bool { isActive || latestProductID != nil || store == .superwall }
  }

  /// The customer's entitlements. Nil means that the entitlements are unknown, and counts as having had every
  /// entitlement.
  public var entitlements: [Entitlement]?
  /// Whether the App Store considers the customer eligible for the product's offer; nil if the App Store was not asked.
  public var storeEligibility: Bool?
  /// Whether the customer has an active subscription in the product's group.
  public var hasActiveSubscriptionInGroup: Bool
  /// Whether the customer is in a trial within the product's group.
  public var hasActiveTrialInGroup: Bool

  public init(
    entitlements: [Entitlement]? = nil, storeEligibility: Bool? = nil,
    hasActiveSubscriptionInGroup: Bool = false, hasActiveTrialInGroup: Bool = false
  ) {
    self.entitlements = entitlements
    self.storeEligibility = storeEligibility
    self.hasActiveSubscriptionInGroup = hasActiveSubscriptionInGroup
    self.hasActiveTrialInGroup = hasActiveTrialInGroup
  }

  /// Whether the customer has ever had one of the entitlements.
  func held(anyOf identifiers: [String]) -> Bool {
    guard let entitlements else { return true }
    return entitlements.contains { $0.wasHeld && identifiers.contains($0.id) }
  }
}

/// The rules that decide whether a paywall may show a trial to a customer. The rules follow AddPaywallProducts.swift of
/// the iOS SDK and PaywallLogic.kt of the Android SDK.
public struct TrialRules: Hashable, Sendable {
  /// The paywall's setting for introductory offers.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    case automatic
    case eligible
    case ineligible
  }

  public var mode: Mode
  /// The platform whose rules apply. The web uses the rules of iOS.
  public var platform: Platform
  /// The developer's decision, which overrides all rules.
  public var override: Bool?

  public init(mode: Mode = .automatic, platform: Platform = .ios, override: Bool? = nil) {
    self.mode = mode
    self.platform = platform
    self.override = override
  }

  /// Whether any of a paywall's products has a trial for this customer.
  public func isTrialAvailable(_ products: [PricedProduct], _ history: TrialHistory) -> Bool {
    override ?? products.contains { isAvailable($0, history) }
  }

  /// Whether the product has a trial for this customer, ignoring the override.
  public func isAvailable(_ product: PricedProduct, _ history: TrialHistory) -> Bool {
    switch product.store {
    case .playStore:
      // Play hides offers from customers that are not eligible. The mode of the paywall has no effect.
      return product.offersTrial
    case .appStore where product.trialDays == nil || product.intro != nil:
      return isAvailableInAppStore(product, history)
    default:
      guard product.trialDays ?? 0 > 0, mode != .ineligible else { return false }
      // On Android "eligible" takes precedence over the customer's history. On iOS the history takes precedence.
      if mode == .eligible, platform == .android { return true }
      return !product.entitlements.isEmpty && !history.held(anyOf: product.entitlements)
    }
  }

  private func isAvailableInAppStore(_ product: PricedProduct, _ history: TrialHistory) -> Bool {
    guard product.intro != nil else { return false }
    switch mode {
    case .ineligible: return false
    case .eligible: return !history.hasActiveTrialInGroup
    case .automatic:
      // Apple grants no introductory offer to customers that change within a group.
      return history.storeEligibility ?? false && !history.hasActiveSubscriptionInGroup
    }
  }
}

/// The introductory offers that are available to a user when no store can be asked, for previews and checks.
package enum OfferEligibility: Hashable, Sendable {
  /// Every offer is available.
  case all
  /// No offer is available, because the user had a trial, or has a subscription.
  case none
  /// The offers of products that grant no entitlement of the subscriber. If there are no entitlements to compare, no
  /// offer is included.
  case subscriber(entitlements: [String])

  /// Whether the eligibility includes the offer of a product.
  package func includes(_ product: PricedProduct) -> Bool {
    switch self {
    case .all: return true
    case .none: return false
    case .subscriber(let entitlements):
      if product.entitlements.isEmpty || entitlements.isEmpty { return false }
      return !product.entitlements.contains { entitlements.contains($0) }
    }
  }
}

extension PricedProduct {
  /// Whether the product has an introductory offer, free or paid, or days of trial.
  public var offersTrial: Bool {
    if store == .playStore, !offers.isEmpty { return selectedOffer?.hasTrial ?? false }
    return intro != nil || trialDays ?? 0 > 0
  }
}

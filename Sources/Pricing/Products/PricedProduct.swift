/// A product of a store, as far as its price, periods and trial go.
public struct PricedProduct: Hashable, Sendable {
  /// Who sells it.
  public enum Store: String, Hashable, Sendable, CaseIterable {
    case appStore = "APP_STORE"
    case playStore = "PLAY_STORE"
    case stripe = "STRIPE"
    case paddle = "PADDLE"
    case superwall = "SUPERWALL"
    case custom = "CUSTOM"
    case other = "OTHER"

    /// Whether it is paid for on the web, through a checkout.
    public var isWeb: Bool { self == .stripe || self == .paddle }
  }

  /// The name of the place on the paywall: `primary`, `secondary` ...
  public var slot: String?
  /// What the paywall calls the product.
  public var label: String?
  /// The store's identifier.
  public var identifier: String
  /// The identifier in a config whose products have their own.
  public var configID: String?
  /// Google Play: `product:basePlan:offer`. Stripe and Paddle: `environment:price:trial`. Nil where
  /// it is the identifier.
  public var fullIdentifier: String?
  public var store: Store
  /// What one period costs, or the product where it has no period. Nil where only the store knows.
  public var price: Money?
  /// The currency, also where the price is told by ``offers`` or ``purchaseOptions``.
  public var currency: Currency?
  /// The locale of the store's prices, such as `en_US@currency=USD`.
  public var locale: String?
  /// The store's own text of the price.
  public var displayPrice: String?
  /// How often it is charged; nil for what is bought once.
  public var period: Period?
  /// The period as it was written in ISO 8601, which systems understand differently.
  package var isoPeriod: ISOPeriod?
  /// The word for the period that a dashboard gives: `week`.
  public var displayPeriod: String?
  public var intro: IntroductoryOffer?
  /// Days of the trial where the store counts nothing else: Stripe, Paddle, custom products.
  public var trialDays: Int?
  /// The ISO 3166 alpha-3 code of the storefront: `USA`.
  public var storefront: String?
  /// The subscriptions among which a user has one at a time; nil for what is no subscription.
  public var subscriptionGroupID: String?
  public var isFamilyShareable = false
  /// Identifiers of the entitlements that the product gives.
  public var entitlements: [String]
  /// What the store sells it as; nil where the source does not say.
  package var kind: ProductKind?
  /// How long a subscription lasts that does not renew; nil where the source does not say.
  package var accessPeriod: Period?
  /// The App Store: offers beside the introductory one.
  package var storeOffers: [StoreOffer]
  /// Stripe: the discount on what it charges.
  package var coupon: Coupon?
  /// Google Play: what the store offers for the subscription.
  package var offers: [PlayOffer]
  /// Google Play: the ways to buy a one-time product.
  package var purchaseOptions: [PlayPurchaseOption]
  /// The term of billing that is asked for.
  package var billingPlan: BillingPlan?
  /// All terms of billing that the store offers.
  package var billingPlans: [BillingPlan]
  /// Where it stands in the text that it was decoded from, as `products[2]`.
  package var path: String

  public init(
    identifier: String, store: Store = .appStore, price: Money? = nil, locale: String? = nil,
    period: Period? = nil, intro: IntroductoryOffer? = nil
  ) {
    self.identifier = identifier
    self.store = store
    self.price = price
    currency = price?.currency
    self.locale = locale
    self.period = period
    self.intro = intro
    entitlements = []
    storeOffers = []
    offers = []
    purchaseOptions = []
    billingPlans = []
    path = ""
  }
}

/// What a new subscriber pays, or does not pay, before the regular price.
public struct IntroductoryOffer: Hashable, Sendable {
  /// How it is paid.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// Nothing, for one period.
    case freeTrial
    /// The price, for each of the periods.
    case payAsYouGo
    /// The price once, for one longer period.
    case payUpFront
  }

  public var mode: Mode
  public var period: Period
  /// The period as it was written in ISO 8601.
  package var isoPeriod: ISOPeriod?
  /// How many periods there are, at least 1.
  public var cycles: Int
  /// What one period costs, in micros of the product's currency.
  public var micros: Int64
  /// The store's own text of the price.
  public var displayPrice: String?

  public init(
    _ mode: Mode, _ period: Period, cycles: Int = 1, micros: Int64 = 0, displayPrice: String? = nil
  ) {
    self.mode = mode
    self.period = period
    self.cycles = max(cycles, 1)
    self.micros = micros
    self.displayPrice = displayPrice
  }

  /// Whether nothing is paid.
  public var isFree: Bool { mode == .freeTrial || micros == 0 }
}

/// A term of billing within a longer commitment (iOS 26.4 and later): 12 months, paid monthly.
package struct BillingPlan: Hashable, Sendable {
  /// How it is billed.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case upFront = "UP_FRONT"
    case monthly = "MONTHLY"
  }

  package var kind: Kind
  /// What one billing costs, in micros of the product's currency; nil where the plan is only asked
  /// for.
  package var micros: Int64?
  /// How often it is billed.
  package var period: Period?

  package init(_ kind: Kind, micros: Int64? = nil, period: Period? = nil) {
    self.kind = kind
    self.micros = micros
    self.period = period
  }

  /// Whether the store really offers the term: it names what a billing costs.
  package var isAvailable: Bool { micros != nil }

  /// What the whole commitment costs: one billing times the number of billings.
  package func total(of commitment: Period) throws(PricingError) -> Int64? {
    guard let micros, let period else { return nil }
    let cycles = Period.billingCycles(of: period, in: commitment)
    return try ExactPrice.product(micros, Int64(cycles))
  }
}

extension PricedProduct {
  /// The introductory offer, or the free one that days of trial are.
  package var introOrTrialDays: IntroductoryOffer? {
    if let intro, intro.period.count > 0 { return intro }
    guard let trialDays, trialDays > 0, let period = Period(.day, trialDays) else { return nil }
    return IntroductoryOffer(.freeTrial, period)
  }
}

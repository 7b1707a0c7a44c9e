/// A store product with its price, period and trial.
public struct PricedProduct: Hashable, Sendable {
  /// The store that sells the product.
  public enum Store: String, Hashable, Sendable, CaseIterable {
    case appStore = "APP_STORE"
    case playStore = "PLAY_STORE"
    case stripe = "STRIPE"
    case paddle = "PADDLE"
    case superwall = "SUPERWALL"
    case custom = "CUSTOM"
    case other = "OTHER"

    /// Whether products of this store are paid on the web, through a checkout.
    public var isWeb: Bool { self == .stripe || self == .paddle }
  }

  /// The slot of the product on the paywall: `primary`, `secondary` ...
  public var slot: String?
  /// The name of the product on the paywall.
  public var label: String?
  /// The store's identifier.
  public var identifier: String
  /// The product's identifier in a config, if it differs from the store's.
  public var configID: String?
  /// The store's full identifier. For Google Play, it is `product:basePlan:offer`. For Stripe and Paddle, it is
  /// `environment:price:trial`. The value is nil if it would equal the identifier.
  public var fullIdentifier: String?
  public var store: Store
  /// The price of one period, or of the whole product if it has no period; nil if the price is unknown.
  public var price: Money?
  /// The currency, which is set even if only ``offers`` or ``purchaseOptions`` contain the price.
  public var currency: Currency?
  /// The locale of the store's prices, such as `en_US@currency=USD`.
  public var locale: String?
  /// The price as a string from the store.
  public var displayPrice: String?
  /// The time between charges, or nil for a one-time purchase.
  public var period: Period?
  /// The period as written in ISO 8601, which systems interpret differently.
  package var isoPeriod: ISOPeriod?
  /// The dashboard's word for the period, such as `week`.
  public var displayPeriod: String?
  public var intro: IntroductoryOffer?
  /// The length of the trial in days, for products whose trials are always in days: Stripe, Paddle and custom products.
  public var trialDays: Int?
  /// The ISO 3166 alpha-3 code of the storefront, such as `USA`.
  public var storefront: String?
  /// The subscription group. A user can have one subscription per group at a time. Nil if the product is not a
  /// subscription.
  public var subscriptionGroupID: String?
  public var isFamilyShareable = false
  /// The identifiers of the entitlements that the product grants.
  public var entitlements: [String]
  /// The store's type of the product, or nil if the source does not contain it.
  package var kind: ProductKind?
  /// The duration of a subscription that does not renew, or nil if the source does not contain it.
  package var accessPeriod: Period?
  /// The App Store's offers in addition to the introductory offer.
  package var storeOffers: [StoreOffer]
  /// The discount on the product's charges, for Stripe.
  package var coupon: Coupon?
  /// The offers for the subscription, for Google Play.
  package var offers: [PlayOffer]
  /// The purchase options of a one-time product, for Google Play.
  package var purchaseOptions: [PlayPurchaseOption]
  /// The requested billing plan.
  package var billingPlan: BillingPlan?
  /// All billing plans that the store offers.
  package var billingPlans: [BillingPlan]
  /// The place in the source that the product was decoded from, such as `products[2]`.
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

/// The terms for new subscribers, before the regular price applies.
public struct IntroductoryOffer: Hashable, Sendable {
  /// The mode of payment.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// The offer is free for one period.
    case freeTrial
    /// The price is paid for each of the periods.
    case payAsYouGo
    /// The price is paid once, for one longer period.
    case payUpFront
  }

  public var mode: Mode
  public var period: Period
  /// The period as written in ISO 8601.
  package var isoPeriod: ISOPeriod?
  /// The number of periods, at least 1.
  public var cycles: Int
  /// The price of one period, in micros of the product's currency.
  public var micros: Int64
  /// The price as a string from the store.
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

  /// Whether there is no charge.
  public var isFree: Bool { mode == .freeTrial || micros == 0 }
}

/// A billing plan within a longer commitment (iOS 26.4 and later): 12 months, paid monthly.
package struct BillingPlan: Hashable, Sendable {
  /// The kind of billing.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case upFront = "UP_FRONT"
    case monthly = "MONTHLY"
  }

  package var kind: Kind
  /// The price of one billing, in micros of the product's currency. Nil if the plan is only requested.
  package var micros: Int64?
  /// The time between billings.
  package var period: Period?

  package init(_ kind: Kind, micros: Int64? = nil, period: Period? = nil) {
    self.kind = kind
    self.micros = micros
    self.period = period
  }

  /// Whether the store offers the plan, with a price.
  package var isAvailable: Bool { micros != nil }

  /// The price of the whole commitment: one billing times the number of billings.
  package func total(of commitment: Period) throws(PricingError) -> Int64? {
    guard let micros, let period else { return nil }
    let cycles = Period.billingCycles(of: period, in: commitment)
    return try ExactPrice.product(micros, Int64(cycles))
  }
}

extension PricedProduct {
  /// The introductory offer, or a free one for the days of the trial.
  package var introOrTrialDays: IntroductoryOffer? {
    if let intro, intro.period.count > 0 { return intro }
    guard let trialDays, trialDays > 0, let period = Period(.day, trialDays) else { return nil }
    return IntroductoryOffer(.freeTrial, period)
  }
}

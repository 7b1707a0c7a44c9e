public import Expressions

/// Where a product is sold.
public enum StoreKind: String, Hashable, Sendable {
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

/// A product as the config names it.
public struct PaywallProduct: Hashable, Sendable {
  public var id: String
  /// The slot on the paywall, such as `primary`.
  public var name: String?
  public var store: StoreKind
  public var entitlements: [Entitlement]
  /// Trial days of a product that is sold on the web.
  public var trialDays: Int?

  public init(
    id: String, name: String? = nil, store: StoreKind, entitlements: [Entitlement] = [],
    trialDays: Int? = nil
  ) {
    self.id = id
    self.name = name
    self.store = store
    self.entitlements = entitlements
    self.trialDays = trialDays
  }

  /// The contract's JSON: a full `Product`, on every platform.
  public var value: Value {
    let own = Value.members(["id": .string(id)])
    return .members([
      "id": .string(id), "name": name.map { .string($0) },
      "entitlements": .list(entitlements.map(\.value)), "store": .string(store.rawValue),
      "appStoreProduct": store == .appStore ? own : nil,
      "stripeProduct": store == .stripe
        ? .members(["id": .string(id), "trialDays": trialDays.map { .whole($0) }]) : nil,
      "paddleProduct": store == .paddle ? own : nil,
      "customProduct": store == .custom ? own : nil,
    ])
  }
}

/// A span of the calendar: how long a subscription or an offer runs.
public struct SubscriptionPeriod: Hashable, Sendable {
  public enum Unit: String, Hashable, Sendable {
    case day
    case week
    case month
    case year
  }

  public var unit: Unit
  public var count: Int

  public init(unit: Unit, count: Int) {
    self.unit = unit
    self.count = count
  }

  /// In days, by the SDKs' table: a month counts thirty, a year 365.
  var days: Int {
    switch unit {
    case .day: count
    case .week: count * 7
    case .month: count * 30
    case .year: count * 365
    }
  }
}

/// A product as the store sells it.
public struct StoreProduct: Hashable, Sendable {
  /// What new subscribers get.
  public struct IntroductoryOffer: Hashable, Sendable {
    /// How the offer is paid.
    public enum Mode: String, Hashable, Sendable {
      case freeTrial
      case payAsYouGo
      case payUpFront
    }

    public var mode: Mode
    public var period: SubscriptionPeriod
    /// How many periods the offer runs.
    public var periods: Int
    /// Millionths of the currency's unit, for each period.
    public var priceMicros: Int64

    public init(
      mode: Mode, period: SubscriptionPeriod, periods: Int = 1, priceMicros: Int64 = 0
    ) {
      self.mode = mode
      self.period = period
      self.periods = periods
      self.priceMicros = priceMicros
    }
  }

  public var id: String
  public var store: StoreKind
  /// Millionths of the currency's unit.
  public var priceMicros: Int64
  /// ISO 4217, such as `USD`.
  public var currencyCode: String
  public var currencySymbol: String?
  /// Of the storefront, such as `en_US`.
  public var locale: String
  /// The price as the store prints it; nil when it does not.
  public var displayPrice: String?
  /// Nil for a product that is bought once.
  public var period: SubscriptionPeriod?
  public var introductoryOffer: IntroductoryOffer?
  /// Whether this user may still have the introductory offer.
  public var isEligibleForOffer: Bool
  public var subscriptionGroupID: String?
  public var isFamilyShareable: Bool
  /// Google Play's name of the base plan.
  public var basePlanID: String?
  /// Google Play's name of the offer.
  public var offerID: String?
  /// What it gives, by the config; the store does not know.
  public var entitlements: [Entitlement] = []

  public init(
    id: String, store: StoreKind = .appStore, priceMicros: Int64, currencyCode: String,
    currencySymbol: String? = nil, locale: String = "en_US", displayPrice: String? = nil,
    period: SubscriptionPeriod? = nil, introductoryOffer: IntroductoryOffer? = nil,
    isEligibleForOffer: Bool = true, subscriptionGroupID: String? = nil,
    isFamilyShareable: Bool = false, basePlanID: String? = nil, offerID: String? = nil
  ) {
    self.id = id
    self.store = store
    self.priceMicros = priceMicros
    self.currencyCode = currencyCode
    self.currencySymbol = currencySymbol
    self.locale = locale
    self.displayPrice = displayPrice
    self.period = period
    self.introductoryOffer = introductoryOffer
    self.isEligibleForOffer = isEligibleForOffer
    self.subscriptionGroupID = subscriptionGroupID
    self.isFamilyShareable = isFamilyShareable
    self.basePlanID = basePlanID
    self.offerID = offerID
  }

  /// Whether buying it now starts a trial.
  public var startsTrial: Bool { introductoryOffer != nil && isEligibleForOffer }
}

/// A transaction as the store reports it. Texts and times are the store's; absent is unknown.
public struct StoreTransaction: Hashable, Sendable {
  public var storeTransactionID: String?
  public var originalTransactionID: String?
  /// ISO 8601, as all dates here.
  public var transactionDate: String?
  public var originalTransactionDate: String?
  public var expirationDate: String?
  public var revocationDate: String?
  public var offerID: String?
  public var subscriptionGroupID: String?
  public var appAccountToken: String?
  /// Google Play's token, which `consume` takes.
  public var purchaseToken: String?
  /// The transaction with the store's signature (JWS), for a server to verify.
  public var signedTransaction: String?

  public init(
    storeTransactionID: String? = nil, originalTransactionID: String? = nil,
    transactionDate: String? = nil, purchaseToken: String? = nil, signedTransaction: String? = nil
  ) {
    self.storeTransactionID = storeTransactionID
    self.originalTransactionID = originalTransactionID
    self.transactionDate = transactionDate
    self.purchaseToken = purchaseToken
    self.signedTransaction = signedTransaction
  }

  /// The contract's JSON; what is not known is absent.
  public var value: Value {
    .members([
      "transactionDate": transactionDate.map { .string($0) },
      "originalTransactionIdentifier": originalTransactionID.map { .string($0) },
      "storeTransactionId": storeTransactionID.map { .string($0) },
      "originalTransactionDate": originalTransactionDate.map { .string($0) },
      "subscriptionGroupId": subscriptionGroupID.map { .string($0) },
      "expirationDate": expirationDate.map { .string($0) },
      "offerId": offerID.map { .string($0) },
      "revocationDate": revocationDate.map { .string($0) },
      "appAccountToken": appAccountToken.map { .string($0) },
      "purchaseToken": purchaseToken.map { .string($0) },
    ])
  }
}

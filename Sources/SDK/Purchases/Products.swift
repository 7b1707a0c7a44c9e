public import Expressions
public import Pricing

/// A product as the config names it.
public struct PaywallProduct: Hashable, Sendable {
  public var id: String
  /// The slot on the paywall, such as `primary`.
  public var name: String?
  public var store: PricedProduct.Store
  public var entitlements: [Entitlement]
  /// Trial days of a product that is sold on the web.
  public var trialDays: Int?
  /// Shown as the price while the store does not say one.
  public var displayPrice: String?
  /// Shown as the period while the store does not say one, such as `year`.
  public var displayPeriod: String?

  public init(
    id: String, name: String? = nil, store: PricedProduct.Store, entitlements: [Entitlement] = [],
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

/// A product as the store sells it to the user.
///
/// What it costs, and when, is a `PricedProduct`: apps write with it what every paywall says.
public struct StoreProduct: Hashable, Sendable {
  /// What the config calls it, and those who buy it. Google Play's products have base plans and
  /// offers, so that one product of the store may be several here: `pro:monthly:sw-auto`.
  public package(set) var id: String
  /// What the store says of it to everybody.
  public var priced: PricedProduct
  /// Whether this user may still have the introductory offer.
  public var isEligibleForOffer: Bool
  /// What it gives, by the config; the store does not know.
  public var entitlements: [Entitlement] = []

  public init(_ priced: PricedProduct, isEligibleForOffer: Bool = true) {
    id = priced.identifier
    self.priced = priced
    self.isEligibleForOffer = isEligibleForOffer
  }

  /// - Parameter id: what the config calls it, where that is not the store's identifier.
  package init(_ priced: PricedProduct, id: String) {
    self.init(priced)
    self.id = id
  }

  public var store: PricedProduct.Store { priced.store }
  /// Nil where the store did not say what it costs.
  public var price: Money? { priced.price }
  /// The price as the store prints it; nil when it does not.
  public var displayPrice: String? { priced.displayPrice }
  /// Nil for a product that is bought once.
  public var period: Period? { priced.period.flatMap { $0.count > 0 ? $0 : nil } }
  public var introductoryOffer: IntroductoryOffer? { priced.introOrTrialDays }
  /// Google Play's name of the base plan; nil for a product without one.
  public var basePlanID: String? { playID?.basePlan.name }
  /// Google Play's name of the offer.
  public var offerID: String? { playID?.offer.name }

  private var playID: PlayProductID? {
    store.isWeb ? nil : priced.fullIdentifier.map { PlayProductID($0) }
  }
}

extension PlayProductID.Choice {
  fileprivate var name: String? {
    if case .specific(let name) = self { name } else { nil }
  }
}

/// A transaction as the store reports it. Texts and times are the store's; absent is unknown.
public struct StoreTransaction: Hashable, Sendable {
  /// A reduced price, or a free time.
  public enum OfferType: String, Hashable, Sendable {
    case introductory
    case promotional
    /// A code that the user entered, in the app or at the store.
    case code
    case winBack
  }

  public var storeTransactionID: String?
  public var originalTransactionID: String?
  /// ISO 8601, as all dates here.
  public var transactionDate: String?
  public var originalTransactionDate: String?
  public var expirationDate: String?
  public var revocationDate: String?
  public var offerID: String?
  /// What kind of offer it was bought with, if any.
  public var offerType: OfferType?
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

public import Expressions
public import Pricing

/// A product in the config.
public struct PaywallProduct: Hashable, Sendable {
  public var id: String
  /// The slot on the paywall, such as `primary`.
  public var name: String?
  public var store: PricedProduct.Store
  public var entitlements: [Entitlement]
  /// The length of the trial in days, for a product that is sold on the web.
  public var trialDays: Int?
  /// The price to display until the store returns a price.
  public var displayPrice: String?
  /// The period to display until the store returns a period, such as `year`.
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

  /// The product as JSON, in the same form on every platform.
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

/// A product that the store sells to the user.
///
/// ``priced`` contains the price and the periods. Apps can use it to format prices as paywalls do.
public struct StoreProduct: Hashable, Sendable {
  /// The product's identifier in the config and for purchases. A Google Play product with several base plans and offers
  /// is several products here, such as `pro:monthly:sw-auto`.
  public package(set) var id: String
  /// The store's data, which is the same for all users.
  public var priced: PricedProduct
  /// Whether this user is still eligible for the introductory offer.
  public var isEligibleForOffer: Bool
  /// The entitlements that the config lists for the product.
  public var entitlements: [Entitlement] = []

  public init(_ priced: PricedProduct, isEligibleForOffer: Bool = true) {
    id = priced.identifier
    self.priced = priced
    self.isEligibleForOffer = isEligibleForOffer
  }

  /// - Parameter id: the product's identifier in the config, if it differs from the identifier in the store.
  package init(_ priced: PricedProduct, id: String) {
    self.init(priced)
    self.id = id
  }

  public var store: PricedProduct.Store { priced.store }
  /// The price, or nil if the store did not report a price.
  public var price: Money? { priced.price }
  /// The price as a string from the store; nil if the store does not format prices.
  public var displayPrice: String? { priced.displayPrice }
  /// The billing period; nil for a product that is bought once.
  public var period: Period? { priced.period.flatMap { $0.count > 0 ? $0 : nil } }
  public var introductoryOffer: IntroductoryOffer? { priced.introOrTrialDays }
  /// The name of Google Play's base plan; nil for a product without a base plan.
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

/// A transaction as the store reports it. Values that the store does not report are nil.
public struct StoreTransaction: Hashable, Sendable {
  /// The type of offer that a purchase used.
  public enum OfferType: String, Hashable, Sendable {
    case introductory
    case promotional
    /// A code that the user entered, in the app or at the store.
    case code
    case winBack
  }

  public var storeTransactionID: String?
  public var originalTransactionID: String?
  /// The date of the transaction in ISO 8601, like all dates in this type.
  public var transactionDate: String?
  public var originalTransactionDate: String?
  public var expirationDate: String?
  public var revocationDate: String?
  public var offerID: String?
  /// The kind of offer that the purchase used; nil if it used no offer.
  public var offerType: OfferType?
  public var subscriptionGroupID: String?
  public var appAccountToken: String?
  /// Google Play's purchase token, for ``Tollgate/consume(purchaseToken:)``.
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

  /// The transaction as JSON, without unknown values.
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

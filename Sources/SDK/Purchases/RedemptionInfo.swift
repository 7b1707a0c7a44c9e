public import Expressions
public import RuleEngine

/// The data of a redeemed code.
public struct RedemptionInfo: Hashable, Sendable {
  /// The owner of the code's entitlements.
  public enum Ownership: Hashable, Sendable {
    case appUser(id: String)
    case device(id: String)
  }

  /// The person who paid.
  public struct PurchaserInfo: Hashable, Sendable {
    public var userID: String
    public var email: String?
    public var storeIdentifiers: StoreIdentifiers
  }

  /// The store's identifiers of the customer and the subscriptions.
  public enum StoreIdentifiers: Hashable, Sendable {
    case stripe(customerID: String, subscriptionIDs: [String])
    case paddle(customerID: String, subscriptionIDs: [String])
    /// A purchase in another store, with all data from the backend as an object.
    case other(store: String, Value)
  }

  /// The paywall where the payment was made.
  public struct PaywallInfo: Hashable, Sendable {
    public var identifier: String
    public var placementName: String
    /// The parameters of the placement, as an object.
    public var placementParams: Value
    public var experimentID: String
    public var variantID: String
    /// The product that was bought, or nil if the backend does not report it.
    public var productID: String?
    /// All data from the backend, an object.
    public var value: Value
  }

  public var ownership: Ownership
  public var purchaserInfo: PurchaserInfo
  public var paywallInfo: PaywallInfo?
  public var entitlements: [Entitlement]

  /// Decodes the backend's JSON. The result is nil if a required member is missing.
  public init?(decoding value: Value) {
    guard let owner = value["ownership"], let purchaser = value["purchaserInfo"] else { return nil }
    switch owner["type"]?.text {
    case "APP_USER": ownership = .appUser(id: owner["appUserId"]?.text ?? "")
    case "DEVICE": ownership = .device(id: owner["deviceId"]?.text ?? "")
    default: return nil
    }
    purchaserInfo = PurchaserInfo(
      userID: purchaser["appUserId"]?.text ?? "", email: purchaser["email"]?.text,
      storeIdentifiers: StoreIdentifiers(decoding: purchaser["storeIdentifiers"] ?? .null))
    paywallInfo = value["paywallInfo"].flatMap { PaywallInfo(decoding: $0) }
    entitlements = Entitlement.decode(wire: value["entitlements"])
  }

  /// The JSON form in the SDK contract.
  public var value: Value {
    let owner: Value =
      switch ownership {
      case .appUser(let id): .object(["type": "APP_USER", "appUserId": .string(id)])
      case .device(let id): .object(["type": "DEVICE", "deviceId": .string(id)])
      }
    let purchaser = Value.members([
      "appUserId": .string(purchaserInfo.userID), "email": purchaserInfo.email.map { .string($0) },
      "storeIdentifiers": purchaserInfo.storeIdentifiers.value,
    ])
    return .members([
      "ownership": owner, "purchaserInfo": purchaser, "paywallInfo": paywallInfo?.value,
      "entitlements": .list(entitlements.map(\.value)),
    ])
  }
}

extension RedemptionInfo.StoreIdentifiers {
  init(decoding value: Value) {
    func texts(_ key: String) -> [String] { (value[key]?.elements ?? []).compactMap(\.text) }
    switch value["store"]?.text {
    case "STRIPE":
      self = .stripe(
        customerID: value["stripeCustomerId"]?.text ?? "",
        subscriptionIDs: texts("stripeSubscriptionIds"))
    case "PADDLE":
      self = .paddle(
        customerID: value["paddleCustomerId"]?.text ?? "",
        subscriptionIDs: texts("paddleSubscriptionIds"))
    case let store?: self = .other(store: store, value)
    case nil: self = .other(store: "OTHER", .object(["store": "OTHER"]))
    }
  }

  /// The JSON form in the SDK contract.
  public var value: Value {
    switch self {
    case .stripe(let customer, let subscriptions):
      [
        "store": "STRIPE", "stripeCustomerId": .string(customer),
        "stripeSubscriptionIds": .texts(subscriptions),
      ]
    case .paddle(let customer, let subscriptions):
      [
        "store": "PADDLE", "paddleCustomerId": .string(customer),
        "paddleSubscriptionIds": .texts(subscriptions),
      ]
    case .other(_, let value): value
    }
  }
}

extension RedemptionInfo.PaywallInfo {
  init?(decoding value: Value) {
    guard value.isObject else { return nil }
    identifier = value["identifier"]?.text ?? ""
    placementName = value["placementName"]?.text ?? ""
    placementParams = value["placementParams"].flatMap { $0.isObject ? $0 : nil } ?? .map([])
    experimentID = value["experimentId"]?.text ?? ""
    variantID = value["variantId"]?.text ?? ""
    productID = value["productIdentifier"]?.text
    self.value = value
  }
}

public import Expressions
public import RuleEngine

/// The backend's data about a customer.
public struct CustomerInfo: Hashable, Sendable {
  /// Each subscription as JSON with `transactionId`, `productId`, `isActive`, `store` and other members.
  public var subscriptions: [Value]
  public var nonSubscriptions: [Value]
  /// The active entitlements.
  public var entitlements: [Entitlement]

  /// A customer without any data.
  public init() { (subscriptions, nonSubscriptions, entitlements) = ([], [], []) }

  var isEmpty: Bool { self == CustomerInfo() }

  /// The data in the JSON form of the SDK contract, for storing.
  var value: Value {
    [
      "subscriptions": .list(subscriptions), "nonSubscriptions": .list(nonSubscriptions),
      "entitlements": .list(entitlements.map(\.value)),
    ]
  }

  /// Decodes the backend's JSON. Missing members are empty.
  public init(decoding value: Value) {
    subscriptions = value["subscriptions"]?.elements ?? []
    nonSubscriptions = value["nonSubscriptions"]?.elements ?? []
    entitlements = Entitlement.decode(wire: value["entitlements"])
  }
}

/// A code to redeem.
public struct RedeemableCode: Hashable, Sendable {
  public var code: String
  /// Whether this device redeems the code for the first time.
  public var isFirstRedemption: Bool

  public init(_ code: String, isFirstRedemption: Bool = true) {
    self.code = code
    self.isFirstRedemption = isFirstRedemption
  }

  var value: Value {
    .object(["code": .string(code), "firstRedemption": .bool(isFirstRedemption)])
  }
}

/// A request to redeem a new code together with all codes that are already known.
public struct RedemptionRequest: Hashable, Sendable {
  public var deviceID: String
  public var aliasID: String
  public var appUserID: String?
  public var appTransactionID: String?
  public var externalAccountID: String?
  public var codes: [RedeemableCode]
  /// Signed transactions of the App Store.
  public var receipts: [String]
  /// Data of the app, a JSON object.
  public var metadata: Value

  public init(
    deviceID: String, aliasID: String, appUserID: String? = nil, codes: [RedeemableCode] = [],
    receipts: [String] = [], metadata: Value = .object([:])
  ) {
    self.deviceID = deviceID
    self.aliasID = aliasID
    self.appUserID = appUserID
    self.codes = codes
    self.receipts = receipts
    self.metadata = metadata
  }

  /// The JSON form in the SDK contract.
  public var value: Value {
    .members([
      "deviceId": .string(deviceID), "aliasId": .string(aliasID),
      "appUserId": appUserID.map { .string($0) },
      "appTransactionId": appTransactionID.map { .string($0) },
      "externalAccountId": externalAccountID.map { .string($0) },
      "codes": .list(codes.map(\.value)),
      "receipts": .list(
        receipts.map { .object(["type": "IOS", "jwsRepresentation": .string($0)]) }),
      "metadata": metadata,
    ])
  }
}

/// The backend's response to redeemed codes, or to a poll for a checkout's result.
public struct RedemptionAnswer: Hashable, Sendable {
  /// The progress of a checkout's redemption.
  public enum State: String, Hashable, Sendable {
    case pending
    case failed
    case complete
  }

  /// The progress of a checkout; nil for the redemption of codes.
  public var state: State?
  public var results: [RedemptionResult]
  package var web: WebAnswer
  public var entitlements: [Entitlement] { web.active.map(\.entitlement) }
  public var customer: CustomerInfo?

  /// Reads an answer. Unreadable results are dropped.
  init(decoding value: Value) throws(BackendError) {
    guard value.isObject else { throw .decoding("it is not a JSON object") }
    results = (value["codes"]?.elements ?? []).compactMap { RedemptionResult(decoding: $0) }
    if let name = value["status"]?.text {
      state = State(rawValue: name)
      // Codes are valid regardless of the status.
      guard state != nil || !results.isEmpty else {
        throw .decoding("'status' is not pending, failed or complete")
      }
    }
    customer = value["customerInfo"].flatMap { $0.isObject ? CustomerInfo(decoding: $0) : nil }
    web = WebAnswer(decoding: value)
  }
}

/// A user's entitlements, as the backend reports them.
public struct EntitlementsAnswer: Hashable, Sendable {
  package var web: WebAnswer
  public var entitlements: [Entitlement] { web.active.map(\.entitlement) }
  public var customer: CustomerInfo?

  init(decoding value: Value) throws(BackendError) {
    guard value["entitlements"]?.elements != nil || value["customerInfo"]?.isObject == true else {
      throw .decoding("'entitlements' and 'customerInfo' are missing")
    }
    customer = value["customerInfo"].flatMap { $0.isObject ? CustomerInfo(decoding: $0) : nil }
    web = WebAnswer(decoding: value)
  }
}

/// The result of AgentWallie's server for a signed transaction.
public struct ReceiptAnswer: Hashable, Sendable {
  public var isValid: Bool
  public var transactionID: String
  public var originalTransactionID: String?
  public var productID: String
  public var entitlements: [String]
  /// The expiry date in ISO 8601; nil for a purchase that does not expire.
  public var expiresDate: String?
  /// The status: `active`, `expired` or `revoked`.
  public var status: String

  init(decoding value: Value) throws(BackendError) {
    guard let valid = value["valid"]?.truth, let transaction = value["transaction_id"]?.text,
      let product = value["product_id"]?.text
    else { throw .decoding("'valid', 'transaction_id' or 'product_id' is missing") }
    (isValid, transactionID, productID) = (valid, transaction, product)
    originalTransactionID = value["original_transaction_id"]?.text
    entitlements = (value["entitlements"]?.elements ?? []).compactMap(\.text)
    expiresDate = value["expires_date"]?.text
    status = value["status"]?.text ?? "active"
  }
}

/// A user's subscriptions, as AgentWallie's server reports them.
public struct SubscriptionsAnswer: Hashable, Sendable {
  public var userID: String
  public var status: String
  public var entitlements: [String]
  /// The subscriptions, each as JSON from the server.
  public var subscriptions: [Value]

  init(decoding value: Value) throws(BackendError) {
    guard let status = value["status"]?.text else { throw .decoding("'status' is missing") }
    self.status = status
    userID = value["user_id"]?.text ?? ""
    entitlements = (value["entitlements"]?.elements ?? []).compactMap(\.text)
    subscriptions = value["subscriptions"]?.elements ?? []
  }
}

public import Expressions
public import RuleEngine

/// How redeeming a code came out.
public enum RedemptionResult: Hashable, Sendable {
  case success(code: String, RedemptionInfo)
  case error(code: String, message: String)
  /// The code is too old; whether a new one was sent, and to which address.
  case codeExpired(code: String, resent: Bool, obfuscatedEmail: String?)
  case invalidCode(code: String)
  case expiredSubscription(code: String, RedemptionInfo)

  public var code: String {
    switch self {
    case .success(let code, _), .error(let code, _), .codeExpired(let code, _, _),
      .invalidCode(let code), .expiredSubscription(let code, _):
      code
    }
  }

  /// The subscriptions at Stripe that a successful redemption stands for.
  public var stripeSubscriptionIDs: [String]? {
    guard case .success(_, let info) = self, info.storeIdentifiers["store"]?.text == "STRIPE" else {
      return nil
    }
    return (info.storeIdentifiers["stripeSubscriptionIds"]?.elements ?? []).compactMap(\.text)
  }

  /// Whether the code is worth asking for again: it gave something, or may.
  var isKept: Bool {
    switch self {
    case .success, .expiredSubscription, .codeExpired: true
    case .error, .invalidCode: false
    }
  }

  /// Whether what the code gives belongs to the app's user, and not to the device.
  var isOfUser: Bool {
    switch self {
    case .success(_, let info), .expiredSubscription(_, let info):
      if case .appUser = info.ownership { true } else { false }
    case .error, .invalidCode, .codeExpired: false
    }
  }

  /// ``stripeSubscriptionIDs`` as Superwall's SDK spells it.
  public var stripeSubscriptionIds: [String]? { stripeSubscriptionIDs }

  /// Reads one code of a redeem answer; nil when it is none.
  public init?(decoding value: Value) {
    guard let code = value["code"]?.text else { return nil }
    let info = value["redemptionInfo"].flatMap { RedemptionInfo(decoding: $0) }
    switch (value["status"]?.text, info) {
    case ("SUCCESS", let info?): self = .success(code: code, info)
    case ("EXPIRED_SUBSCRIPTION", let info?): self = .expiredSubscription(code: code, info)
    case ("CODE_EXPIRED", _):
      let expired = value["expired"] ?? .null
      self = .codeExpired(
        code: code, resent: expired["resent"]?.truth ?? false,
        obfuscatedEmail: expired["obfuscatedEmail"]?.text)
    case ("INVALID_CODE", _): self = .invalidCode(code: code)
    case ("ERROR", _):
      self = .error(code: code, message: value["error"]?["message"]?.text ?? "redeeming failed")
    default: return nil
    }
  }

  /// The contract's JSON.
  public var value: Value {
    let code = Value.string(code)
    switch self {
    case .success(_, let info):
      return .object(["status": "SUCCESS", "code": code, "redemptionInfo": info.value])
    case .error(_, let message):
      return .object([
        "status": "ERROR", "code": code, "error": .object(["message": .string(message)]),
      ])
    case .codeExpired(_, let resent, let email):
      let expired = Value.members([
        "resent": .bool(resent), "obfuscatedEmail": email.map { .string($0) },
      ])
      return .object(["status": "CODE_EXPIRED", "code": code, "expired": expired])
    case .invalidCode: return .object(["status": "INVALID_CODE", "code": code])
    case .expiredSubscription(_, let info):
      return .object(["status": "EXPIRED_SUBSCRIPTION", "code": code, "redemptionInfo": info.value])
    }
  }
}

/// What is known of a redeemed code.
public struct RedemptionInfo: Hashable, Sendable {
  /// Who has what the code gives.
  package enum Ownership: Hashable, Sendable {
    case appUser(id: String)
    case device(id: String)
  }

  package var ownership: Ownership
  public var purchaserUserID: String
  public var purchaserEmail: String?
  /// `{"store": "STRIPE", ...}`, as the store names its own things.
  public var storeIdentifiers: Value
  /// The paywall that was paid on, as the contract's `RedemptionPaywallInfo`.
  public var paywall: Value?
  public var entitlements: [Entitlement]

  /// Reads the backend's JSON; nil when something that is required is missing.
  public init?(decoding value: Value) {
    guard let owner = value["ownership"], let purchaser = value["purchaserInfo"] else { return nil }
    switch owner["type"]?.text {
    case "APP_USER": ownership = .appUser(id: owner["appUserId"]?.text ?? "")
    case "DEVICE": ownership = .device(id: owner["deviceId"]?.text ?? "")
    default: return nil
    }
    purchaserUserID = purchaser["appUserId"]?.text ?? ""
    purchaserEmail = purchaser["email"]?.text
    storeIdentifiers = purchaser["storeIdentifiers"] ?? .object(["store": "OTHER"])
    paywall = value["paywallInfo"].flatMap { $0.isObject ? $0 : nil }
    entitlements = Entitlement.decode(wire: value["entitlements"])
  }

  /// The contract's JSON.
  public var value: Value {
    let owner: Value =
      switch ownership {
      case .appUser(let id): .object(["type": "APP_USER", "appUserId": .string(id)])
      case .device(let id): .object(["type": "DEVICE", "deviceId": .string(id)])
      }
    let purchaser = Value.members([
      "appUserId": .string(purchaserUserID), "email": purchaserEmail.map { .string($0) },
      "storeIdentifiers": storeIdentifiers,
    ])
    return .members([
      "ownership": owner, "purchaserInfo": purchaser, "paywallInfo": paywall,
      "entitlements": .list(entitlements.map(\.value)),
    ])
  }
}

extension Entitlement {
  /// Reads the backend's list `[{"identifier" or "id", "type", "isActive"?}]`. What is said to be
  /// inactive is left out; what is not said counts as active.
  static func decode(wire value: Value?) -> [Entitlement] {
    (value?.elements ?? []).compactMap { element in
      guard element["isActive"]?.truth != false,
        let id = element["identifier"]?.text ?? element["id"]?.text
      else { return nil }
      return Entitlement(id: id)
    }
  }
}

public import Expressions
internal import RuleEngine

/// The result of redeeming a code.
public enum RedemptionResult: Hashable, Sendable {
  case success(code: String, redemptionInfo: RedemptionInfo)
  case error(code: String, error: ErrorInfo)
  /// The code has expired.
  case expiredCode(code: String, expired: ExpiredCodeInfo)
  case invalidCode(code: String)
  case expiredSubscription(code: String, redemptionInfo: RedemptionInfo)

  /// Why a code could not be redeemed.
  public struct ErrorInfo: Hashable, Sendable {
    public var message: String

    public init(message: String) { self.message = message }
  }

  /// The backend's reaction to an expired code.
  public struct ExpiredCodeInfo: Hashable, Sendable {
    /// Whether an email with a new code was sent.
    public var resent: Bool
    /// The email address that the new code was sent to, partly hidden.
    public var obfuscatedEmail: String?

    public init(resent: Bool, obfuscatedEmail: String? = nil) {
      self.resent = resent
      self.obfuscatedEmail = obfuscatedEmail
    }
  }

  public var code: String {
    switch self {
    case .success(let code, _), .error(let code, _), .expiredCode(let code, _),
      .invalidCode(let code), .expiredSubscription(let code, _):
      code
    }
  }

  /// The Stripe subscriptions that a successful redemption gives access to.
  public var stripeSubscriptionIDs: [String]? {
    guard case .success(_, let info) = self,
      case .stripe(_, let subscriptions) = info.purchaserInfo.storeIdentifiers
    else { return nil }
    return subscriptions
  }

  /// Whether to store the code and request it again, because the code granted an entitlement or may do so.
  var isKept: Bool {
    switch self {
    case .success, .expiredSubscription, .expiredCode: true
    case .error, .invalidCode: false
    }
  }

  /// Whether the code's entitlements belong to the app's user instead of the device.
  var isOfUser: Bool {
    switch self {
    case .success(_, let info), .expiredSubscription(_, let info):
      if case .appUser = info.ownership { true } else { false }
    case .error, .invalidCode, .expiredCode: false
    }
  }

  /// The same as ``stripeSubscriptionIDs``, with the spelling of Superwall's SDK.
  public var stripeSubscriptionIds: [String]? { stripeSubscriptionIDs }

  /// Decodes the result for one code; nil if the JSON is malformed.
  public init?(decoding value: Value) {
    guard let code = value["code"]?.text else { return nil }
    let info = value["redemptionInfo"].flatMap { RedemptionInfo(decoding: $0) }
    switch (value["status"]?.text, info) {
    case ("SUCCESS", let info?): self = .success(code: code, redemptionInfo: info)
    case ("EXPIRED_SUBSCRIPTION", let info?):
      self = .expiredSubscription(code: code, redemptionInfo: info)
    case ("CODE_EXPIRED", _):
      let expired = value["expired"] ?? .null
      let info = ExpiredCodeInfo(
        resent: expired["resent"]?.truth ?? false,
        obfuscatedEmail: expired["obfuscatedEmail"]?.text)
      self = .expiredCode(code: code, expired: info)
    case ("INVALID_CODE", _): self = .invalidCode(code: code)
    case ("ERROR", _):
      let message = value["error"]?["message"]?.text ?? "redeeming failed"
      self = .error(code: code, error: ErrorInfo(message: message))
    default: return nil
    }
  }

  /// The JSON form in the SDK contract.
  public var value: Value {
    let code = Value.string(code)
    switch self {
    case .success(_, let info):
      return .object(["status": "SUCCESS", "code": code, "redemptionInfo": info.value])
    case .error(_, let error):
      return .object([
        "status": "ERROR", "code": code, "error": .object(["message": .string(error.message)]),
      ])
    case .expiredCode(_, let info):
      let expired = Value.members([
        "resent": .bool(info.resent),
        "obfuscatedEmail": info.obfuscatedEmail.map { .string($0) },
      ])
      return .object(["status": "CODE_EXPIRED", "code": code, "expired": expired])
    case .invalidCode: return .object(["status": "INVALID_CODE", "code": code])
    case .expiredSubscription(_, let info):
      return .object(["status": "EXPIRED_SUBSCRIPTION", "code": code, "redemptionInfo": info.value])
    }
  }
}

extension Entitlement {
  /// Reads the backend's list `[{"identifier" or "id", "type", "isActive"?}]`. Inactive entitlements are dropped.
  /// Entitlements without `isActive` count as active.
  static func decode(wire value: Value?) -> [Entitlement] {
    (value?.elements ?? []).compactMap { element in
      guard element["isActive"]?.truth != false,
        let id = element["identifier"]?.text ?? element["id"]?.text
      else { return nil }
      return Entitlement(id: id)
    }
  }
}

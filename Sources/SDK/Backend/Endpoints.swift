internal import Expressions

/// The requests of the core, without headers: the core adds the key where the contract wants it.
enum Endpoints {
  static let subscriptions = "/subscriptions-api/public/v1"

  static func staticConfig(apiKey: String) -> HTTPRequest {
    HTTPRequest(.get, "/api/v1/static_config", query: [.init("pk", apiKey)])
  }

  static func paywall(_ identifier: String, apiKey: String) -> HTTPRequest {
    HTTPRequest(
      .get, host: .api, segments: ["api", "v1", "paywall", identifier],
      query: [.init("pk", apiKey)])
  }

  static func assignments(apiKey: String) -> HTTPRequest {
    authorized(HTTPRequest(.get, "/api/v1/assignments"), apiKey)
  }

  /// Tells the server which variants the user has seen or been held out by. The server takes at
  /// most ``confirmationLimit`` at once.
  static func confirm(_ assignments: [(experiment: String, variant: String)], apiKey: String)
    -> HTTPRequest
  {
    let pairs = assignments.map { pair -> Value in
      .object(["experiment_id": .string(pair.experiment), "variant_id": .string(pair.variant)])
    }
    return authorized(
      HTTPRequest(
        .post, "/api/v1/confirm_assignments", body: .object(["assignments": .list(pairs)])),
      apiKey)
  }

  /// How many assignments one request may carry.
  static let confirmationLimit = 100

  static func redeem(_ body: Value, apiKey: String) -> HTTPRequest {
    authorized(
      HTTPRequest(.post, host: .subscriptions, "\(subscriptions)/redeem", body: body), apiKey)
  }

  /// - Parameter path: what stands behind `/checkout`; empty for the session.
  static func checkout(_ path: String, _ body: Value, apiKey: String) -> HTTPRequest {
    let path = path.isEmpty ? "/session" : path
    return authorized(
      HTTPRequest(.post, host: .subscriptions, "\(subscriptions)/checkout\(path)", body: body),
      apiKey)
  }

  static func entitlements(user: String, deviceID: String?, apiKey: String) -> HTTPRequest {
    let segments = ["subscriptions-api", "public", "v1", "users", user, "entitlements"]
    let query = deviceID.map { [HTTPRequest.Field("deviceId", $0)] } ?? []
    return authorized(
      HTTPRequest(.get, host: .subscriptions, segments: segments, query: query), apiKey)
  }

  /// AgentWallie: has a signed transaction verified.
  static func receipt(signed: String, userID: String, deviceID: String, apiKey: String)
    -> HTTPRequest
  {
    HTTPRequest(
      .post, host: .agentWallie, "/v1/receipts/\(apiKey)",
      body: .object([
        "signed_transaction_info": .string(signed), "user_id": .string(userID),
        "device_id": .string(deviceID),
      ]))
  }

  private static func authorized(_ request: HTTPRequest, _ apiKey: String) -> HTTPRequest {
    var request = request
    request.headers.append(.init("Authorization", "Bearer \(apiKey)"))
    return request
  }
}

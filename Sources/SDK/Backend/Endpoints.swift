internal import Expressions

/// The SDK's requests, without headers. The client adds the API key if the contract requires a key.
enum Endpoints {
  static let subscriptions = "/subscriptions-api/public/v1"

  static func staticConfig(apiKey: String) -> BackendRequest {
    BackendRequest(.get, "/api/v1/static_config", query: [.init("pk", apiKey)])
  }

  static func artifact(_ artifact: ConfigArtifact) -> BackendRequest {
    BackendRequest(.get, host: .api, segments: artifact.segments)
  }

  static func paywall(_ identifier: String, apiKey: String) -> BackendRequest {
    BackendRequest(
      .get, host: .api, segments: ["api", "v1", "paywall", identifier],
      query: [.init("pk", apiKey)])
  }

  static func assignments(apiKey: String) -> BackendRequest {
    authorized(BackendRequest(.get, "/api/v1/assignments"), apiKey)
  }

  /// Reports the user's variants to the server. The server accepts at most ``confirmationLimit`` assignments at once.
  static func confirm(_ assignments: [(experiment: String, variant: String)], apiKey: String)
    -> BackendRequest
  {
    let pairs = assignments.map { pair -> Value in
      .object(["experiment_id": .string(pair.experiment), "variant_id": .string(pair.variant)])
    }
    return authorized(
      BackendRequest(
        .post, "/api/v1/confirm_assignments", body: .object(["assignments": .list(pairs)])),
      apiKey)
  }

  /// The maximum number of assignments in a request.
  static let confirmationLimit = 100

  /// Uploads events for the backend's statistics.
  static func events(_ events: [CollectedEvent], apiKey: String) -> BackendRequest {
    let body = Value.object(["events": .list(events.map(\.uploaded))])
    return authorized(BackendRequest(.post, host: .collector, "/api/v1/events", body: body), apiKey)
  }

  static func redeem(_ body: Value, apiKey: String) -> BackendRequest {
    authorized(
      BackendRequest(.post, host: .subscriptions, "\(subscriptions)/redeem", body: body), apiKey)
  }

  static func products(apiKey: String) -> BackendRequest {
    authorized(BackendRequest(.get, host: .subscriptions, "\(subscriptions)/products/"), apiKey)
  }

  static func entitlements(user: String, deviceID: String?, apiKey: String) -> BackendRequest {
    let segments = ["subscriptions-api", "public", "v1", "users", user, "entitlements"]
    let query = deviceID.map { [BackendRequest.Field("deviceId", $0)] } ?? []
    return authorized(
      BackendRequest(.get, host: .subscriptions, segments: segments, query: query), apiKey)
  }

  /// Requests verification of a signed transaction from AgentWallie's server.
  static func receipt(signed: String, userID: String, deviceID: String, apiKey: String)
    -> BackendRequest
  {
    BackendRequest(
      .post, host: .agentWallie, "/v1/receipts/\(apiKey)",
      body: .object([
        "signed_transaction_info": .string(signed), "user_id": .string(userID),
        "device_id": .string(deviceID),
      ]))
  }

  /// Requests the data of AgentWallie's server about a user.
  static func subscriptions(ofUser user: String, apiKey: String) -> BackendRequest {
    BackendRequest(.get, host: .agentWallie, segments: ["v1", "subscriptions", apiKey, user])
  }

  fileprivate static func authorized(_ request: BackendRequest, _ apiKey: String) -> BackendRequest
  {
    var request = request
    request.headers.append(.init("Authorization", "Bearer \(apiKey)"))
    return request
  }
}

// MARK: Checkout

extension Endpoints {
  static func beginCheckout(_ request: CheckoutRequest, apiKey: String) -> BackendRequest {
    checkout("session", request.value, apiKey)
  }

  static func checkoutStatus(contextID: String, apiKey: String) -> BackendRequest {
    checkout("status", .object(["checkoutId": .string(contextID)]), apiKey)
  }

  static func confirmCheckout(
    contextID: String, setupIntentID: String, email: String, apiKey: String
  ) -> BackendRequest {
    let body: Value = [
      "setupIntentId": .string(setupIntentID), "checkoutContextId": .string(contextID),
      "email": .string(email),
    ]
    return checkout("session/confirm", body, apiKey)
  }

  static func completeCheckout(contextID: String, apiKey: String) -> BackendRequest {
    checkout("session/complete", .object(["checkoutContextId": .string(contextID)]), apiKey)
  }

  static func pollRedemption(
    contextID: String, deviceID: String, appUserID: String?, apiKey: String
  ) -> BackendRequest {
    let body = Value.members([
      "checkoutContextId": .string(contextID), "deviceId": .string(deviceID),
      "appUserId": appUserID.map { .string($0) },
    ])
    return checkout("session/poll-redemption-result", body, apiKey)
  }

  private static func checkout(_ path: String, _ body: Value, _ apiKey: String) -> BackendRequest {
    authorized(
      BackendRequest(.post, host: .subscriptions, "\(subscriptions)/checkout/\(path)", body: body),
      apiKey)
  }
}

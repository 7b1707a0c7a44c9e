public import Expressions
public import RuleEngine

extension BackendClient {
  // MARK: Config

  /// The static config: `GET /api/v1/static_config`, which `Config.decode` reads.
  public func staticConfig() async throws(BackendError) -> [UInt8] {
    try await send(Endpoints.staticConfig(apiKey: publicKey), .safe)
  }

  /// A paywall: `GET /api/v1/paywall/{identifier}`, as JSON.
  public func paywall(_ identifier: String) async throws(BackendError) -> Value {
    guard !identifier.isBlank else { throw .notFound }
    return try await object(Endpoints.paywall(identifier, apiKey: publicKey), .never)
  }

  /// An artifact of the config API, unmodified.
  ///
  /// - Throws: ``BackendError/artifactNotFound`` if it does not exist.
  public func artifact(_ artifact: ConfigArtifact) async throws(BackendError) -> [UInt8] {
    do throws(BackendError) {
      return try await send(Endpoints.artifact(artifact), .never)
    } catch .notFound {
      throw .artifactNotFound
    }
  }

  /// The application that an artifact describes.
  public func application(_ artifact: ConfigArtifact) async throws(BackendError)
    -> ApplicationArtifact
  {
    guard let value = try? Value.parse(json: try await self.artifact(artifact)) else {
      throw .decoding("it is not JSON")
    }
    return try ApplicationArtifact(decoding: value)
  }

  /// The static config, found through the artifacts: the public key's application, the domain of its web paywalls, and
  /// that domain's config. All three requests use paths that the backend is known to serve.
  public func staticConfigFromArtifacts() async throws(BackendError) -> [UInt8] {
    let application = try await application(.application(publicKey: publicKey))
    guard let domain = application.webPaywallDomain, !domain.isEmpty else {
      throw .missingWebPaywallDomain
    }
    return try await artifact(.staticConfig(domain: domain))
  }

  // MARK: Products and entitlements

  /// All products in the backend: `GET .../products/`. Malformed products are dropped.
  public func products() async throws(BackendError) -> ProductList {
    let body = try await send(Endpoints.products(apiKey: publicKey), .safe)
    guard let list = ProductList.decode(json: body).output else {
      throw .decoding("it is not a list of products")
    }
    return list
  }

  /// A user's entitlements: `GET .../users/{user or device}/entitlements`.
  ///
  /// - Parameters:
  ///   - user: the user's ID in the app, or the device's ID.
  ///   - deviceID: the device whose entitlements are included.
  public func entitlements(ofUser user: String, deviceID: String? = nil)
    async throws(BackendError) -> EntitlementsAnswer
  {
    guard !user.isBlank else { throw .notFound }
    let request = Endpoints.entitlements(user: user, deviceID: deviceID, apiKey: publicKey)
    return try EntitlementsAnswer(
      decoding: try await object(request, .safe, limit: options.entitlementsLimit))
  }

  /// Redeems codes: `POST .../redeem`. A failed request is retried, because the backend redeems each code only once.
  public func redeem(_ redemption: RedemptionRequest) async throws(BackendError)
    -> RedemptionAnswer
  {
    let request = Endpoints.redeem(redemption.value, apiKey: publicKey)
    return try RedemptionAnswer(
      decoding: try await object(request, .safe, limit: options.redemptionLimit))
  }

  // MARK: Checkout
  //
  // An empty context throws `missingCheckoutSession` without sending a request.

  /// Begins a checkout: `POST .../checkout/session`. This request is never retried, because a retry would begin a
  /// second checkout.
  ///
  /// - Throws: ``BackendError/unexpectedDirective(_:)`` if the backend requests a kind of checkout that is not allowed,
  ///   ``BackendError/missingCheckoutSession`` if the response has no session.
  public func beginCheckout(_ checkout: CheckoutRequest) async throws(BackendError)
    -> CheckoutSession
  {
    guard !checkout.productIdentifier.isBlank else { throw .invalidProductFormat }
    let request = Endpoints.beginCheckout(checkout, apiKey: publicKey)
    return try CheckoutSession(
      decoding: try await object(request, .never), allowed: checkout.allowedDirectives)
  }

  /// The progress of a checkout: `POST .../checkout/status`.
  public func checkoutStatus(contextID: String) async throws(BackendError) -> CheckoutStatus {
    guard !contextID.isBlank else { throw .missingCheckoutSession }
    let request = Endpoints.checkoutStatus(contextID: contextID, apiKey: publicKey)
    return try CheckoutStatus(decoding: try await object(request, .safe))
  }

  /// Confirms a checkout whose payment is set up: `POST .../checkout/session/confirm`. This request is never retried.
  public func confirmCheckout(contextID: String, setupIntentID: String, email: String)
    async throws(BackendError) -> CheckoutConfirmation
  {
    guard !contextID.isBlank else { throw .missingCheckoutSession }
    let request = Endpoints.confirmCheckout(
      contextID: contextID, setupIntentID: setupIntentID, email: email, apiKey: publicKey)
    return try CheckoutConfirmation(decoding: try await object(request, .never))
  }

  /// Marks a checkout as complete: `POST .../checkout/session/complete`. This request is never retried.
  ///
  /// - Returns: the URL that redeems the purchase.
  public func completeCheckout(contextID: String) async throws(BackendError) -> String {
    guard !contextID.isBlank else { throw .missingCheckoutSession }
    let request = Endpoints.completeCheckout(contextID: contextID, apiKey: publicKey)
    let answer = try await object(request, .never)
    guard let url = answer["redemptionUrl"]?.text else {
      throw .decoding("'redemptionUrl' is missing")
    }
    return url
  }

  /// The result of a checkout so far: `POST .../checkout/session/poll-redemption-result`.
  public func pollRedemption(contextID: String, deviceID: String, appUserID: String? = nil)
    async throws(BackendError) -> RedemptionAnswer
  {
    guard !contextID.isBlank else { throw .missingCheckoutSession }
    let request = Endpoints.pollRedemption(
      contextID: contextID, deviceID: deviceID, appUserID: appUserID, apiKey: publicKey)
    return try RedemptionAnswer(decoding: try await object(request, .safe))
  }

  // MARK: Assignments, for compatibility

  /// The user's assignments on the server: `GET /api/v1/assignments`, a compatibility endpoint.
  public func assignments() async throws(BackendError) -> [Assignment] {
    try Self.assignments(
      in: try await object(Endpoints.assignments(apiKey: publicKey), .safe))
  }

  /// Reports assignments to the server: `POST /api/v1/confirm_assignments`, a compatibility endpoint. The server
  /// accepts either all assignments or no assignment. Reporting the same assignments again has no effect.
  ///
  /// - Throws: ``BackendError/tooManyAssignments`` for more than 100, without sending a request.
  @discardableResult
  public func confirm(_ assignments: [Assignment]) async throws(BackendError) -> [Assignment] {
    guard assignments.count <= Endpoints.confirmationLimit else { throw .tooManyAssignments }
    let pairs = assignments.map { (experiment: $0.experimentID, variant: $0.variantID) }
    return try Self.assignments(
      in: try await object(Endpoints.confirm(pairs, apiKey: publicKey), .safe))
  }

  private static func assignments(in answer: Value) throws(BackendError) -> [Assignment] {
    guard let elements = answer["assignments"]?.elements else {
      throw .decoding("'assignments' is missing")
    }
    return elements.compactMap { element in
      guard let experiment = element["experiment_id"]?.text,
        let variant = element["variant_id"]?.text
      else { return nil }
      return Assignment(experimentID: experiment, variantID: variant)
    }
  }

  // MARK: AgentWallie

  /// Has AgentWallie's server verify a signed transaction: `POST /v1/receipts/{key}`. A failed request is retried,
  /// because the server stores each transaction only once.
  ///
  /// - Parameters:
  ///   - signed: the signed transaction from StoreKit: three parts in base64url.
  ///   - userID: the user that made the purchase.
  ///   - deviceID: the device on which the purchase was made.
  public func postReceipt(_ signed: String, userID: String, deviceID: String)
    async throws(BackendError) -> ReceiptAnswer
  {
    guard !signed.isBlank else { throw .invalidSignature }
    let request = Endpoints.receipt(
      signed: signed, userID: userID, deviceID: deviceID, apiKey: publicKey)
    return try ReceiptAnswer(decoding: try await object(request, .safe))
  }

  /// A user's subscriptions on AgentWallie's server: `GET /v1/subscriptions/{key}/{user}`.
  public func subscriptions(ofUser user: String) async throws(BackendError) -> SubscriptionsAnswer {
    guard !user.isBlank else { throw .notFound }
    let request = Endpoints.subscriptions(ofUser: user, apiKey: publicKey)
    return try SubscriptionsAnswer(decoding: try await object(request, .safe))
  }
}

internal import Expressions
internal import RuleEngine
internal import SDK

/// Calls of the backend client, by their names in scenarios.
struct ClientCalls: Sendable {
  private let recorder: AnswerRecorder
  private let client: BackendClient

  init(_ transport: any Transport, _ time: any TimeSource, _ executor: any TaskExecutor) {
    recorder = AnswerRecorder(transport)
    client = BackendClient(
      publicKey: "pk_test", transport: recorder, time: time, entropy: .sequence(seed: 0),
      executor: executor)
  }

  /// Calls an endpoint. Returns the unchanged answer if the client can read it, otherwise the error.
  func result(_ endpoint: String, _ arguments: Value) async -> Value {
    do throws(BackendError) {
      try await call(endpoint, arguments)
      return ["value": (try? Value.parse(json: recorder.last)) ?? .null]
    } catch {
      return ["error": ["code": .string(error.code), "message": .string(error.message)]]
    }
  }

  private func call(_ endpoint: String, _ arguments: Value) async throws(BackendError) {
    func text(_ key: String) -> String { arguments[key]?.text ?? "" }
    let context = text("checkoutContextId")
    switch endpoint {
    case "checkout.session": _ = try await client.beginCheckout(checkout(arguments))
    case "checkout.status": _ = try await client.checkoutStatus(contextID: text("checkoutId"))
    case "checkout.confirm":
      _ = try await client.confirmCheckout(
        contextID: context, setupIntentID: text("setupIntentId"), email: text("email"))
    case "checkout.complete": _ = try await client.completeCheckout(contextID: context)
    case "checkout.pollRedemption":
      _ = try await client.pollRedemption(
        contextID: context, deviceID: text("deviceId"), appUserID: arguments["appUserId"]?.text)
    case "redeem": _ = try await client.redeem(redemption(arguments))
    case "entitlements":
      _ = try await client.entitlements(
        ofUser: text("appUserIdOrDeviceId"), deviceID: arguments["deviceId"]?.text)
    case "products": _ = try await client.products()
    case "config.read":
      guard
        let artifact = ConfigArtifact(
          group: text("group"), key: text("key"), resource: text("resource"),
          isManifest: text("style") == "manifest",
          responseVersion: arguments["responseVersion"]?.text)
      else { throw .artifactNotFound }
      _ = try await client.artifact(artifact)
    case "assignments": _ = try await client.assignments()
    case "confirmAssignments":
      try await client.confirm(
        (arguments["assignments"]?.elements ?? []).map {
          Assignment(
            experimentID: $0["experiment_id"]?.text ?? "", variantID: $0["variant_id"]?.text ?? "")
        })
    case "agentwallie.receipt":
      _ = try await client.postReceipt(
        text("signed_transaction_info"), userID: text("user_id"), deviceID: text("device_id"))
    default: _ = try await client.subscriptions(ofUser: text("userId"))
    }
  }

  private func checkout(_ arguments: Value) -> CheckoutRequest {
    CheckoutRequest(
      currencyCode: arguments["currencyCode"]?.text ?? "",
      productIdentifier: arguments["productIdentifier"]?.text ?? "",
      store: arguments["store"]?.text ?? "stripe",
      allowedDirectives: (arguments["allowedCheckoutDirectives"]?.elements ?? []).compactMap {
        $0.text.flatMap { CheckoutDirectiveKind(rawValue: $0) }
      },
      context: arguments["context"] ?? .map([]),
      stripeCustomerID: arguments["stripeCustomerId"]?.text)
  }

  private func redemption(_ arguments: Value) -> RedemptionRequest {
    var request = RedemptionRequest(
      deviceID: arguments["deviceId"]?.text ?? "", aliasID: arguments["aliasId"]?.text ?? "",
      appUserID: arguments["appUserId"]?.text,
      codes: (arguments["codes"]?.elements ?? []).compactMap { code in
        code["code"]?.text.map {
          RedeemableCode($0, isFirstRedemption: code["firstRedemption"]?.truth ?? true)
        }
      },
      receipts: (arguments["receipts"]?.elements ?? []).compactMap {
        $0["jwsRepresentation"]?.text
      },
      metadata: arguments["metadata"] ?? .map([]))
    request.appTransactionID = arguments["appTransactionId"]?.text
    request.externalAccountID = arguments["externalAccountId"]?.text
    return request
  }
}

/// Records the body of the last answer.
private final class AnswerRecorder: Transport {
  private let transport: any Transport
  private let body = Locked<[UInt8]>([])

  init(_ transport: any Transport) { self.transport = transport }

  var last: [UInt8] { body.withLock { $0 } }

  func send(_ request: BackendRequest) async throws(TransportFailure) -> BackendResponse {
    let response = try await transport.send(request)
    body.withLock { $0 = response.body }
    return response
  }
}

import CivilTime
import Expressions
import Foundation
import RuleEngine
import Testing

@testable import SDK
@testable import SDKLive

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A clock on which pauses take no time, and limits of time pass only where a test says so.
private final class PausingTime: TimeSource {
  let now = Instant(milliseconds: 1_772_366_400_000)
  /// In milliseconds.
  private let slept = Locked<[Int64]>([])
  private let limits: Set<Int64>
  private let limitsPass: Bool

  init(limits: Set<Int64> = [30_000, 10_000, 5_000_000], limitsPass: Bool = false) {
    self.limits = limits
    self.limitsPass = limitsPass
  }

  var pauses: [Int64] { slept.withLock { $0 } }

  func sleep(milliseconds: Int64) async throws {
    if limits.contains(milliseconds) {
      if limitsPass { return }
      try await Task.sleep(for: .seconds(3_600))
    }
    slept.withLock { $0.append(milliseconds) }
    try Task.checkCancellation()
  }
}

/// A clock on which everything is over at once.
private final class HastyTime: TimeSource {
  let now = Instant(milliseconds: 0)
  private let slept = Locked<[Int64]>([])

  var all: [Int64] { slept.withLock { $0 } }

  func sleep(milliseconds: Int64) async throws { slept.withLock { $0.append(milliseconds) } }
}

/// A backend that never answers, and does not hear that nobody waits any more.
private final class SilentTransport: Transport {
  private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])
  private let count = Locked(0)

  var requests: Int { count.withLock { $0 } }

  func send(_ request: BackendRequest) async throws(TransportFailure) -> BackendResponse {
    count.withLock { $0 += 1 }
    await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    throw .network("released")
  }

  func release() {
    for continuation in waiting.withLock({ $0 }) { continuation.resume() }
  }
}

@Suite("Backend client")
struct BackendClientTests {
  private let time = PausingTime()

  /// A client of a scripted backend, and what it was asked.
  private func client(
    _ rules: ScriptedTransport.Rule..., environment: NetworkEnvironment = .release
  ) -> (BackendClient, Locked<[BackendRequest]>) {
    let asked = Locked<[BackendRequest]>([])
    let transport = ScriptedTransport(rules: rules, time: time) { request in
      asked.withLock { $0.append(request) }
    }
    var options = BackendClient.Options()
    options.environment = environment
    // A limit of its own, which no pause of the contract is as long as.
    options.entitlementsLimit = .seconds(5_000)
    let client = BackendClient(
      publicKey: "pk_1", transport: transport, time: time, entropy: .sequence(seed: 1),
      options: options)
    return (client, asked)
  }

  private let prefix = "/subscriptions-api/public/v1"

  // MARK: Retries and limits

  @Test func readsAreRepeatedWithTheContractsPauses() async throws {
    let (client, asked) = client(
      .init(.get, "\(prefix)/users/u/entitlements", [.json(nil, status: 503)]))
    await #expect(throws: BackendError.internalError(503)) {
      try await client.entitlements(ofUser: "u")
    }
    #expect(asked.withLock { $0.count } == 7)
    #expect(time.pauses == (0..<6).map { Retry.pause(before: $0, of: 6) })
  }

  @Test func aLaterAnswerCounts() async throws {
    let answer: Value = ["entitlements": [["identifier": "pro"]]]
    let (client, asked) = client(
      .init(
        .get, "\(prefix)/users/u/entitlements",
        [.networkError("gone"), .json(nil, status: 429), .json(answer)]))
    let found = try await client.entitlements(ofUser: "u")
    #expect(found.entitlements == [Entitlement(id: "pro")])
    #expect(asked.withLock { $0.count } == 3)
  }

  /// What begins something, and what will not get better, is asked once.
  @Test func othersAreNotRepeated() async throws {
    let (client, asked) = client(
      .init(.post, "\(prefix)/checkout/session", [.json(nil, status: 500)]),
      .init(.get, "/api/v1/assignments", [.json(nil, status: 403)]))
    let checkout = CheckoutRequest(
      currencyCode: "USD", productIdentifier: "live:price_1:no-trial", context: [:])
    await #expect(throws: BackendError.internalError(500)) {
      try await client.beginCheckout(checkout)
    }
    await #expect(throws: BackendError.unauthorized) { try await client.assignments() }
    #expect(asked.withLock { $0.count } == 2 && time.pauses.isEmpty)
  }

  @Test func aBackendThatNeverAnswersCostsTheLimit() async throws {
    let silent = SilentTransport()
    let time = PausingTime(limitsPass: true)
    let client = BackendClient(publicKey: "pk", transport: silent, time: time)
    await #expect(throws: BackendError.timeout) { try await client.paywall("p") }
    #expect(silent.requests == 1)
    await #expect(throws: BackendError.timeout) { try await client.staticConfig() }
    #expect(silent.requests == 8)
    silent.release()
  }

  /// How often every endpoint is asked, and how long an attempt may take.
  @Test func endpointsHaveTheirLimits() async throws {
    typealias Ask = @Sendable (BackendClient) async throws -> Void
    let checkout = CheckoutRequest(currencyCode: "USD", productIdentifier: "p", context: [:])
    let codes = RedemptionRequest(deviceID: "d", aliasID: "a", codes: [RedeemableCode("c")])
    let endpoints: [(name: String, attempts: Int, limit: Int64, ask: Ask)] = [
      ("config", 3, 1_000, { _ = try await $0.staticConfig() }),
      ("paywall", 1, 1_000, { _ = try await $0.paywall("p") }),
      ("artifact", 1, 1_000, { _ = try await $0.artifact(.application(publicKey: "k")) }),
      ("products", 3, 1_000, { _ = try await $0.products() }),
      ("entitlements", 3, 2_000, { _ = try await $0.entitlements(ofUser: "u") }),
      ("redeem", 3, 4_000, { _ = try await $0.redeem(codes) }),
      ("session", 1, 1_000, { _ = try await $0.beginCheckout(checkout) }),
      ("status", 3, 1_000, { _ = try await $0.checkoutStatus(contextID: "c") }),
      (
        "confirm", 1, 1_000,
        { _ = try await $0.confirmCheckout(contextID: "c", setupIntentID: "s", email: "e") }
      ),
      ("complete", 1, 1_000, { _ = try await $0.completeCheckout(contextID: "c") }),
      ("poll", 3, 1_000, { _ = try await $0.pollRedemption(contextID: "c", deviceID: "d") }),
      ("assignments", 3, 1_000, { _ = try await $0.assignments() }),
      ("confirmations", 3, 1_000, { _ = try await $0.confirm([]) }),
      ("receipt", 3, 1_000, { _ = try await $0.postReceipt("x", userID: "u", deviceID: "d") }),
      ("subscriptions", 3, 1_000, { _ = try await $0.subscriptions(ofUser: "u") }),
    ]
    var options = BackendClient.Options()
    (options.limit, options.entitlementsLimit) = (.seconds(1), .seconds(2))
    (options.redemptionLimit, options.retries) = (.seconds(4), 2)
    for (name, attempts, limit, ask) in endpoints {
      let (silent, time) = (SilentTransport(), HastyTime())
      let client = BackendClient(
        publicKey: "pk", transport: silent, time: time, entropy: .sequence(seed: 1),
        options: options)
      await #expect(throws: BackendError.timeout, "\(name)") { try await ask(client) }
      let pauses = (0..<attempts - 1).map { Retry.pause(before: $0, of: 2) }
      let expected = [limit] + pauses.flatMap { [$0, limit] }
      #expect(time.all == expected, "\(name)")
      silent.release()
    }
    options.retries = -1
    let (silent, time) = (SilentTransport(), HastyTime())
    let client = BackendClient(publicKey: "pk", transport: silent, time: time, options: options)
    await #expect(throws: BackendError.timeout) { try await client.staticConfig() }
    #expect(time.all == [1_000])
    silent.release()
  }

  /// Answers that lack what the contract promises.
  @Test func answersThatLackSomething() async throws {
    let (client, asked) = client(
      .init(
        .get, "/config-api/read/v1-application-public-api-key/pk_1/application/v1",
        [.json(["applicationId": 1, "webPaywallDomain": ""]), .json(["applicationId": 1])]),
      .init(.post, "\(prefix)/checkout/session/complete", [.json([:])]),
      .init(
        .get, "/api/v1/assignments",
        [
          .json([:]),
          .json([
            "assignments": [["experiment_id": "e"], ["experiment_id": "f", "variant_id": "v"]]
          ]),
        ]),
      .init(.get, "/api/v1/paywall/p", [.json(.list([]))]), environment: .local)
    for _ in 0..<2 {
      await #expect(throws: BackendError.missingWebPaywallDomain) {
        try await client.staticConfigFromArtifacts()
      }
    }
    await #expect(throws: BackendError.decoding("'redemptionUrl' is missing")) {
      try await client.completeCheckout(contextID: "c")
    }
    await #expect(throws: BackendError.decoding("'assignments' is missing")) {
      try await client.assignments()
    }
    #expect(try await client.assignments() == [Assignment(experimentID: "f", variantID: "v")])
    await #expect(throws: BackendError.decoding("it is not a JSON object")) {
      try await client.paywall("p")
    }
    #expect(asked.withLock { $0.allSatisfy { $0.environment == .local } })
  }

  @Test func cancellingEndsACall() async throws {
    let silent = SilentTransport()
    let client = BackendClient(publicKey: "pk", transport: silent, time: time)
    let call = Task { try await client.products() }
    while silent.requests == 0 { await Task.yield() }
    call.cancel()
    await #expect(throws: BackendError.cancelled) { try await call.value }
    silent.release()
  }

  // MARK: Errors of the wire

  @Test(
    arguments: [
      ("invalid_product_format", .invalidProductFormat),
      ("MissingStoreApplicationId", .missingStoreApplicationID),
      ("MissingWebPaywallDomainError", .missingWebPaywallDomain),
      ("checkout_context_sealing", .checkoutContext(.sealing)),
      ("unexpected_directive", .unexpectedDirective("")),
      ("missing_checkout_session", .missingCheckoutSession),
      ("unknown_variant", .unknownVariant), ("something_else", .http(422)),
    ] as [(String, BackendError)])
  func codes(code: String, error: BackendError) async throws {
    for body: Value in [
      ["error": ["code": .string(code), "message": "m"]], ["_tag": .string(code)],
    ] {
      let (client, _) = client(
        .init(.post, "\(prefix)/checkout/session/complete", [.json(body, status: 422)]))
      await #expect(throws: error) { try await client.completeCheckout(contextID: "v1:k:x") }
    }
    #expect(!error.message.isEmpty)
  }

  // MARK: Checkout

  @Test func checkouts() async throws {
    let redirect: Value = [
      "directive": [
        "directive": "redirect", "checkoutUrl": "https://c", "checkoutSessionId": "cs",
      ], "checkoutContextId": "v1:k:x",
    ]
    let drawer: Value = [
      "directive": [
        "directive": "drawer", "publishableKey": "pk", "checkoutSessionId": "cs",
        "intentType": "setup",
      ], "checkoutContextId": "v1:k:x",
    ]
    let status: Value = [
      "status": "completed", "paymentStatus": "paid", "redemptionUrl": "https://r",
    ]
    let confirmed: Value = [
      "customerId": "cus", "subscriptionId": "sub", "redemptionUrl": "https://r",
    ]
    let (client, asked) = client(
      .init(.post, "\(prefix)/checkout/session", [.json(redirect), .json(drawer)]),
      .init(.post, "\(prefix)/checkout/status", [.json(status)]),
      .init(.post, "\(prefix)/checkout/session/confirm", [.json(confirmed)]),
      .init(.post, "\(prefix)/checkout/session/complete", [.json(["redemptionUrl": "https://r"])]),
      .init(
        .post, "\(prefix)/checkout/session/poll-redemption-result",
        [.json(["status": "pending", "codes": []])]))
    var checkout = CheckoutRequest(
      currencyCode: "USD", productIdentifier: "live:price_1:7", context: ["product": [:]])
    let session = try await client.beginCheckout(checkout)
    #expect(session.directive == .redirect(checkoutURL: "https://c", sessionID: "cs"))
    let sent = asked.withLock { $0[0] }
    #expect(sent.headers.contains { $0.name == "Authorization" && $0.value == "Bearer pk_1" })
    #expect(sent.body?["stripeCustomerId"] == .null && sent.body?["store"] == "stripe")
    // The answer is a drawer, and only a page was allowed.
    checkout.allowedDirectives = [.redirect]
    await #expect(throws: BackendError.unexpectedDirective("drawer")) {
      try await client.beginCheckout(checkout)
    }
    #expect(try await client.checkoutStatus(contextID: "v1:k:x").state == .completed)
    let confirmation = try await client.confirmCheckout(
      contextID: "v1:k:x", setupIntentID: "seti", email: "a@b.c")
    #expect(confirmation.subscriptionID == "sub")
    #expect(try await client.completeCheckout(contextID: "v1:k:x") == "https://r")
    let poll = try await client.pollRedemption(contextID: "v1:k:x", deviceID: "d")
    #expect(poll.state == .pending && poll.results.isEmpty)
  }

  @Test(
    arguments: [
      ([:], .missingCheckoutSession), (["checkoutContextId": ""], .missingCheckoutSession),
      (["checkoutContextId": "c"], .decoding("'directive.directive' is missing")),
      (
        ["checkoutContextId": "c", "directive": ["directive": "popup"]],
        .unexpectedDirective("popup")
      ),
      (
        [
          "checkoutContextId": "c",
          "directive": ["directive": "redirect", "checkoutUrl": "https://u"],
        ],
        .missingCheckoutSession
      ),
      (
        [
          "checkoutContextId": "c",
          "directive": ["directive": "embedded", "checkoutSessionId": "s"],
        ], .decoding("'directive.publishableKey' is missing")
      ),
    ] as [(Value, BackendError)])
  func incompleteSessions(answer: Value, error: BackendError) async throws {
    let (client, _) = client(.init(.post, "\(prefix)/checkout/session", [.json(answer)]))
    await #expect(throws: error) {
      try await client.beginCheckout(
        CheckoutRequest(currencyCode: "USD", productIdentifier: "p", context: [:]))
    }
  }

  // MARK: Redemption, products, artifacts

  @Test func redemptions() async throws {
    let answer: Value = [
      "codes": [
        ["status": "INVALID_CODE", "code": "a"], ["status": "ODD", "code": "b"],
        ["status": "CODE_EXPIRED", "code": "c", "expired": ["resent": true]],
      ], "entitlements": [],
      "customerInfo": [
        "subscriptions": [], "entitlements": [["identifier": "pro", "isActive": true]],
      ],
    ]
    let (client, asked) = client(.init(.post, "\(prefix)/redeem", [.json(answer)]))
    let found = try await client.redeem(
      RedemptionRequest(
        deviceID: "d", aliasID: "al", codes: [RedeemableCode("a")], receipts: ["x.y.z"]))
    #expect(
      found.results == [
        .invalidCode(code: "a"),
        .expiredCode(code: "c", expired: .init(resent: true, obfuscatedEmail: nil)),
      ])
    #expect(found.entitlements == [Entitlement(id: "pro")])
    let body = try #require(asked.withLock { $0[0].body })
    #expect(body["receipts"] == [["type": "IOS", "jwsRepresentation": "x.y.z"]])
    #expect(body["codes"] == [["code": "a", "firstRedemption": true]])
    #expect(body["appUserId"] == nil)
  }

  @Test func productsAndAssignments() async throws {
    let list: Value = [
      "object": "list",
      "data": [
        [
          "object": "product", "identifier": "com.x", "platform": "ios",
          "price": ["amount": 999, "currency": "USD"],
          "subscription": ["period": "month", "period_count": 1],
          "entitlements": [["identifier": "pro", "type": "SERVICE_LEVEL"]],
        ]
      ],
    ]
    let (client, asked) = client(
      .init(.get, "\(prefix)/products/", [.json(list)]),
      .init(.post, "/api/v1/confirm_assignments", [.echoAssignments()]))
    #expect(try await client.products().products.map(\.identifier) == ["com.x"])
    let own = (0..<100).map { Assignment(experimentID: "\($0)", variantID: "v") }
    #expect(try await client.confirm(own) == own)
    await #expect(throws: BackendError.tooManyAssignments) {
      try await client.confirm(own + [own[0]])
    }
    #expect(asked.withLock { $0.count } == 2)
  }

  @Test func artifacts() async throws {
    let application: Value = [
      "applicationId": 1, "storeApplicationIds": ["stripe": 9, "paddle": .null],
      "webPaywallDomain": "pay.example.com",
    ]
    let (client, asked) = client(
      .init(
        .get, "/config-api/read/v1-application-public-api-key/pk_1/application/v1",
        [.json(application)]),
      .init(
        .get, "/config-api/read/v1-web-paywall-domain/pay.example.com/static-config/v1",
        [.json(["build_id": "b"])]))
    let found = try await client.application(.application(publicKey: "pk_1"))
    #expect(found.storeApplicationIDs == ["stripe": 9])
    #expect(try await client.staticConfigFromArtifacts() == Array(#"{"build_id":"b"}"#.utf8))
    #expect(asked.withLock { $0.allSatisfy { $0.headers.isEmpty } })
    await #expect(throws: BackendError.artifactNotFound) {
      try await client.artifact(.applicationManifest(publicKey: "pk_1"))
    }
    #expect(ConfigArtifact.applicationManifest(publicKey: "k").basis == .inferredManifest)
    #expect(ConfigArtifact.retentionMessaging(publicKey: "k").basis == .verifiedManifest)
    #expect(ConfigArtifact.entitlements(applicationID: "9").basis == .verifiedRead)
    #expect(
      ConfigArtifact.entitlements(applicationID: "9").segments.joined(separator: "/")
        == "config-api/read/v1-application-id/9/entitlements/v1")
  }

  @Test func agentWallie() async throws {
    let receipt: Value = [
      "valid": true, "transaction_id": "1", "product_id": "p", "entitlements": ["pro"],
      "status": "active",
    ]
    let (client, _) = client(
      .init(.post, "/v1/receipts/pk_1", [.json(receipt)]),
      .init(
        .get, "/v1/subscriptions/pk_1/u",
        [.json(["user_id": "u", "status": "expired", "entitlements": []])]))
    let posted = try await client.postReceipt("x.y.z", userID: "u", deviceID: "d")
    #expect(posted.isValid && posted.entitlements == ["pro"] && posted.expiresDate == nil)
    #expect(try await client.subscriptions(ofUser: "u").status == "expired")
  }

  /// An ID with a slash is one segment of the path.
  @Test func slashesInIDs() async throws {
    let (client, asked) = client(
      .init(.get, "*/entitlements", [.json(["entitlements": []])]), environment: .local)
    _ = try await client.entitlements(ofUser: "$Super:1/2", deviceID: "d e")
    let request = asked.withLock { $0[0] }
    #expect(
      URLSessionTransport().urlRequest(request)?.url?.absoluteString
        == "http://localhost:3045/subscriptions-api/public/v1/users/$Super:1%2F2/entitlements?deviceId=d%20e"
    )
  }
}

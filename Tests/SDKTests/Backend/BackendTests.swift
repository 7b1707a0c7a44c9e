import Expressions
import Foundation
import RuleEngine
import Testing

@testable import SDK
@testable import SDKLive

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests")
struct RequestTests {
  /// The pauses that the contract names, in seconds.
  @Test func pausesGrow() {
    let pauses = (0..<6).map { Double(Retry.pause(before: $0, of: 6)) / 1_000 }
    for (pause, wanted) in zip(pauses, [5.0, 6.54, 8.55, 11.18, 14.62, 19.12]) {
      #expect(abs(pause - wanted) < 0.01)
    }
    #expect(abs(pauses.reduce(0, +) - 65.0) < 0.1)
    #expect(Retry.pause(before: 0, of: 0) == 5_000)
  }

  @Test(
    arguments: [
      (200, nil), (204, nil), (301, .http(301)), (400, .http(400)), (401, .unauthorized),
      (403, .unauthorized), (404, .notFound), (408, .http(408)), (418, .http(418)),
      (500, .internalError(500)), (503, .internalError(503)),
    ] as [(Int, BackendError?)])
  func statuses(status: Int, error: BackendError?) {
    #expect(BackendError(status: status) == error)
  }

  @Test func whatMayBeRetried() {
    let transient = [408, 425, 429, 499, 500, 502, 503, 504]
    for status in [301, 400, 401, 403, 404, 410, 418, 422] + transient {
      #expect(BackendError(status: status)?.isTransient == transient.contains(status), "\(status)")
    }
    #expect(BackendError.network("x").isTransient && BackendError.timeout.isTransient)
    #expect(!BackendError.decoding("x").isTransient)
  }

  @Test func addressesOfServers() throws {
    func url(_ request: BackendRequest, _ environment: NetworkEnvironment = .release) -> String? {
      var request = request
      request.environment = environment
      return URLSessionTransport(agentWallie: "https://wallie.example.com/x")
        .urlRequest(request)?.url?.absoluteString
    }
    #expect(
      url(Endpoints.staticConfig(apiKey: "pk 1"))
        == "https://api.superwall.me/api/v1/static_config?pk=pk%201")
    #expect(
      url(BackendRequest(.get, host: .subscriptions, "/a/$Super:1/é/b c"))
        == "https://subscriptions-api.superwall.com/a/$Super:1/%C3%A9/b%20c")
    #expect(
      url(Endpoints.assignments(apiKey: "k"), .custom("http://127.0.0.1:80/p"))
        == "http://127.0.0.1:80/p/api/v1/assignments")
    #expect(url(BackendRequest(.post, host: .collector, "/e"), .local) == "http://localhost:3000/e")
    #expect(
      url(Endpoints.receipt(signed: "s", userID: "u", deviceID: "d", apiKey: "k"))
        == "https://wallie.example.com/x/v1/receipts/k")
    let request = try #require(
      URLSessionTransport().urlRequest(Endpoints.redeem(["codes": []], apiKey: "pk")))
    #expect(request.httpMethod == "POST" && request.httpBody == .init(#"{"codes":[]}"#.utf8))
    #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer pk")
    #expect(URLSessionTransport().urlRequest(BackendRequest(.get, host: .agentWallie, "/x")) == nil)
  }
}

@Suite("Answers")
struct AnswerTests {
  /// A status that is not told is that of a receipt that counts; names that are missing are an error.
  @Test func receipts() throws {
    let answer: Value = ["valid": true, "transaction_id": "t", "product_id": "p"]
    let receipt = try ReceiptAnswer(decoding: answer)
    #expect(receipt.isValid && receipt.status == "active" && receipt.entitlements.isEmpty)
    let expired = try ReceiptAnswer(decoding: answer.merging(patch: ["status": "expired"]))
    #expect(expired.status == "expired")
    for key in ["valid", "transaction_id", "product_id"] {
      #expect(throws: BackendError.self) {
        try ReceiptAnswer(decoding: answer.merging(patch: .object([key: .null])))
      }
    }
  }

  /// Of entitlements with one ID the first counts.
  @Test func entitlementsAreThereOnce() {
    let status = SubscriptionStatus(entitlements: ["a", "b", "a"].map { Entitlement(id: $0) })
    #expect(status.entitlements.map(\.id) == ["a", "b"])
    #expect(SubscriptionStatus(entitlements: []) == .inactive)
  }
}

@Suite("Application config")
struct ApplicationConfigTests {
  @Test func readsPaywallsProductsAndSettings() throws {
    let config = try ApplicationConfig.decode(Samples.configText, platform: .ios)
    #expect(config.paywalls.count == 11 && config.config.products.count == 4)
    #expect(config.paywalls["pw_gated"]?.gating == .gated)
    #expect(config.paywalls["pw_open"]?.gating == .nonGated)
    #expect(config.paywalls["pw_back"]?.reroutesBackButton == true)
    #expect(config.paywalls["pw_survey_close"]?.paywall.surveys.first?.condition == .onManualClose)
    #expect(config.entitlements(ofProduct: "com.tollgate.pro.year") == [Entitlement(id: "pro")])
    #expect(config.entitlements(ofProduct: "com.tollgate.coins").isEmpty)
    #expect(config.entitlements == [Entitlement(id: "pro")])
    #expect(config.settings.sessionTimeout == 3_600_000)
    #expect(config.settings.webToApp?.entitlementsMaxAge == 86_400_000)
  }

  /// Broken elements are left out, their siblings stay.
  @Test func survivesBrokenElements() throws {
    let broken: Value = [
      "build_id": "b", "trigger_options": [1, ["event_name": "x"]],
      "paywall_responses": [
        5, ["name": "no identifier"],
        [
          "identifier": "pw", "products_v2": [["store_product": 1], "x"],
          "surveys": [["id": "s", "assignment_key": "k", "presentation_condition": "LATER"]],
          "local_notifications": [["type": "OTHER", "title": "t"]], "feature_gating": "ODD",
        ],
      ],
      "products_v3": [
        [
          "store_product": ["store": "MOON", "product_identifier": "p"], "entitlements": [],
        ],
        [
          "store_product": ["store": "APP_STORE", "product_identifier": "q"],
          "entitlements": [["identifier": "e", "type": "CONSUMABLE"]],
        ],
      ],
      "toggles": "none",
    ]
    let config = try ApplicationConfig.decode(Array(broken.json.utf8), platform: .ios)
    let paywall = try #require(config.paywalls["pw"])
    #expect(config.paywalls.count == 1 && config.config.products.map(\.storeID) == ["q"])
    #expect(paywall.products.isEmpty && paywall.paywall.surveys.isEmpty)
    #expect(paywall.paywall.localNotifications.isEmpty)
    #expect(paywall.gating == .nonGated && paywall.paywall.name == "pw")
  }

  @Test(arguments: [
    ("en_US", [], true), ("de_DE", ["de"], false), ("de_DE", ["fr"], true),
    ("en_GB", ["en"], true), ("en_GB", ["en_GB"], false), ("de_DE", ["de_DE"], false),
    ("de", ["de"], false),
  ])
  func languagesWithPaywallsOfTheirOwnAreFetched(
    locale: String, locales: [String], isStatic: Bool
  ) throws {
    let list = Value.list(locales.map { ["locale": .string($0)] })
    let value = Samples.config.merging(patch: ["localization": ["locales": list]])
    let config = try ApplicationConfig.decode(Array(value.json.utf8), platform: .ios)
    #expect((config.staticPaywall("pw_gated", locale: locale) != nil) == isStatic)
    #expect(config.staticPaywall("nobody", locale: locale) == nil)
  }
}

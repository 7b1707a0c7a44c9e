import Expressions
import Service
import Testing

@testable import Sandbox

@Suite struct AccessTests {
  private static let base = SandboxServer.base

  /// Every endpoint that takes a key refuses everybody without one.
  @Test func nobodyGetsInWithoutAKey() async throws {
    try await SandboxServer.run { server in
      for (method, path) in [
        ("GET", "/api/v1/static_config"), ("GET", "/api/v1/assignments"),
        ("POST", "/api/v1/confirm_assignments"), ("POST", "/api/v1/events"),
        ("POST", "/api/v1/enrich"), ("POST", "\(Self.base)/redeem"),
        ("POST", "\(Self.base)/checkout/session"), ("POST", "\(Self.base)/checkout/status"),
        ("POST", "\(Self.base)/checkout/session/confirm"),
        ("POST", "\(Self.base)/checkout/session/complete"),
        ("POST", "\(Self.base)/checkout/session/poll-redemption-result"),
        ("GET", "\(Self.base)/users/u/entitlements"), ("GET", "\(Self.base)/products"),
        ("GET", "/sandbox/events"), ("GET", "/sandbox/codes"), ("POST", "/sandbox/reset"),
        ("POST", "/v1/projects/1/products"), ("PUT", "/sandbox/faults"),
      ] {
        for headers in [
          [:], ["Authorization": "Bearer pk_wrong"], ["Authorization": "Basic pk_sandbox"],
        ] {
          let reply = try await server.send(
            method, path, method == "GET" ? nil : "{}", headers: headers)
          #expect(reply.status == 401 && reply.code == "unauthorized", "\(path) \(headers)")
        }
      }
      for path in ["config/k", "subscriptions/k/u"] {
        #expect(try await server.get("/v1/\(path)", headers: [:]).status == 401)
      }
    }
  }

  @Test func theConsoleTakesSecretKeysOnly() async throws {
    try await SandboxServer.run { server async throws in
      #expect(try await server.get("/sandbox/events").status == 403)
      #expect(try await server.get("/sandbox/events", headers: SandboxServer.owner).status == 200)
      let admin = ["Authorization": "Bearer admin"]
      #expect(try await server.get("/sandbox/events?application=1", headers: admin).status == 200)
      #expect(try await server.get("/sandbox/events?application=2", headers: admin).status == 404)
    }
  }

  @Test func applicationsSeeNothingOfEachOther() async throws {
    var fixtures = try Fixtures(file: SandboxServer.fixturesPath)
    let first = fixtures.applications[0]
    fixtures.applications.append(
      Fixtures.Application(
        id: "2", publicKey: "pk_2", secretKey: "sk_2", config: first.config,
        entry: ["domain": "two.example", "products": []]))
    try await SandboxServer.run(fixtures: fixtures) { server in
      let other = ["Authorization": "Bearer pk_2"]
      let secret = ["Authorization": "Bearer sk_2"]
      let context = try #require(
        try await server.beginCheckout().body["checkoutContextId"]?.text)
      let status = try await server.post(
        "\(Self.base)/checkout/status", ["checkoutId": .string(context)], headers: other)
      #expect(status.code == "missing_checkout_session")
      _ = try await server.redeem(["PROMO-CODE"])
      let entitlements = try await server.get(
        "\(Self.base)/users/user_1/entitlements", headers: other)
      #expect(entitlements.body["entitlements"] == [])
      #expect(try await server.get("/sandbox/codes", headers: secret).body == ["codes": []])
      #expect(
        try await server.get("/sandbox/codes?application=1", headers: secret).status == 403)
    }
  }
}

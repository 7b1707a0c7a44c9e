import Expressions
import RuleEngine
import Service
import Testing

@testable import Sandbox

@Suite struct ConfigTests {
  @Test func theConfigIsServedAsItIs() async throws {
    let fixture = try Fixtures(file: SandboxServer.fixturesPath)
    try await SandboxServer.run { server in
      let reply = try await server.get("/api/v1/static_config?pk=pk_sandbox", headers: [:])
      #expect(Array(reply.text.utf8) == fixture.applications[0].config)
      let tag = try #require(reply.headers["etag"])
      let again = try await server.get(
        "/api/v1/static_config?pk=pk_sandbox", headers: ["If-None-Match": tag])
      #expect(again.status == 304 && again.text.isEmpty)
      #expect(Config.decode(superwall: Array(reply.text.utf8)).output?.paywalls.count == 2)
    }
  }

  @Test func paywallsAreServedAlone() async throws {
    try await SandboxServer.run { server in
      let reply = try await server.get("/api/v1/paywall/web-paywall?pk=pk_sandbox", headers: [:])
      #expect(reply.body["identifier"] == "web-paywall")
      #expect(
        try await server.get("/api/v1/paywall/none?pk=pk_sandbox").code == "paywall_not_found")
    }
  }

  /// `POST /api/v1/paywall` decides here, by what the request says.
  @Test func aPlacementGivesItsPaywall() async throws {
    try await SandboxServer.run { server in
      func paywall(_ event: String, _ body: Value? = nil) async throws -> SandboxServer.Reply {
        try await server.post(
          "/api/v1/paywall",
          body ?? .object(["event": .object(["event_name": .string(event), "parameters": [:]])]))
      }
      #expect(try await paywall("web_checkout").body["identifier"] == "web-paywall")
      #expect(try await paywall("campaign_trigger").body["identifier"] == "test-paywall")
      // Nobody says how old the user is, and a holdout shows nothing.
      for event in ["grown_ups", "held_out", "nowhere"] {
        let none = try await paywall(event)
        #expect(none.status == 404 && none.code == "paywall_not_found", "\(event)")
      }
      let first = try await paywall("", ["app_user_id": "u", "event": .null])
      #expect(first.body["identifier"] == "test-paywall")
      #expect(try await paywall("", ["event": [:]]).code == "invalid_body")
      #expect(try await paywall("", ["event": .null, "app_user_id": 3]).code == "invalid_body")
    }
  }

  @Test func theDebuggerFindsPaywalls() async throws {
    var fixtures = try Fixtures(file: SandboxServer.fixturesPath)
    let members = fixtures.applications[0].entry.members ?? []
    fixtures.applications[0].entry = .map(
      members.map { .init(key: .string($0.key), value: $0.value) }
        + [.init(key: "debugKey", value: "debug")])
    try await SandboxServer.run(fixtures: fixtures) { server in
      let debug = ["Authorization": "Bearer debug"]
      #expect(try await server.get("/api/v1/paywalls", headers: debug).status == 200)
      #expect(try await server.get("/sandbox/events", headers: debug).status == 403)
      let one: Value = ["id": "2", "identifier": "web-paywall", "name": "Web"]
      for id in ["2", "web-paywall"] {
        let reply = try await server.get("/v2/paywalls/resolve?id=\(id)")
        #expect(reply.body["id"] == one["id"] && reply.body["identifier"] == one["identifier"])
      }
      #expect(try await server.get("/v2/paywalls/resolve").code == "paywall_not_found")
      let list = try await server.get("/v2/paywalls/preview-list")
      #expect(list.body["data"]?.elements?.map { $0["id"] } == ["1", "2"])
    }
  }

  @Test func productsHaveWholeAmountsUnlessAskedForDecimals() async throws {
    try await SandboxServer.run { server in
      for path in ["products", "products/"] {
        let reply = try await server.get("\(SandboxServer.base)/\(path)")
        #expect(reply.body["object"] == "list")
        let product = try #require(reply.body["data"]?.elements?.first)
        #expect(product["price"] == ["amount": 4_999, "currency": "USD"])
        #expect(product["subscription"]?["period"] == "year")
        #expect(product["platform"] == "ios" && product["storefront"] == "USA")
      }
      let decimal = try await server.get("\(SandboxServer.base)/products?amounts=decimal")
      #expect(decimal.body["data"]?.elements?.first?["price"]?["amount"] == 49.99)
    }
  }

  @Test func artifactsAreFoundByTheirNames() async throws {
    try await SandboxServer.run { server in
      let read = "/config-api/read"
      let manifest = "/config-api/public/manifest"
      for (path, member) in [
        ("\(read)/v1-application-public-api-key/pk_sandbox/application/v1", "webPaywallDomain"),
        ("\(manifest)/v1-application-public-api-key/pk_sandbox/application", "organizationId"),
        ("\(read)/v1-web-paywall-domain/paywall.example.com/application/v1", "applicationId"),
        ("\(read)/v1-web-paywall-domain/paywall.example.com/static-config/v1", "build_id"),
        ("\(read)/v1-application-id/1/entitlements/v1", "products"),
        ("\(manifest)/v1-retention-messaging-config/pk_sandbox/config", "production"),
      ] {
        let reply = try await server.get(path, headers: [:])
        #expect(reply.status == 200 && reply.body[member] != nil, "\(path): \(reply.text)")
      }
      for path in [
        "\(read)/v1-application-public-api-key/pk_other/application/v1",
        "\(read)/v1-application-public-api-key/sk_sandbox/application/v1",
        "\(read)/v9/pk_sandbox/application/v1",
        "\(read)/v1-application-public-api-key/pk_sandbox/application/v2",
        "\(read)/v1-web-paywall-domain/other.example/application/v1",
        "\(manifest)/v1-application-id/1/entitlements",
      ] {
        let reply = try await server.get(path, headers: [:])
        #expect(reply.status == 404 && reply.code == "artifact_not_found", "\(path)")
      }
    }
  }

  @Test func enrichmentAnswersBothParts() async throws {
    try await SandboxServer.run { server in
      let reply = try await server.post("/api/v1/enrich", ["user": .map([]), "device": .map([])])
      #expect(reply.body == ["user": .map([]), "device": .map([])])
    }
  }
}

extension ConfigTests {
  @Test func aConfigThatWasPutInItsPlaceIsServed() async throws {
    let number = Locked(1)
    let fixture = try Fixtures(file: SandboxServer.fixturesPath).applications[0]
    let text = String(decoding: fixture.config, as: UTF8.self)
    let next = Array(
      text.replacing("sandbox-1", with: "sandbox-2").replacing("\"456\"", with: "\"999\"").utf8)
    try await SandboxServer.run {
      $0.currentConfig = { _ in
        let number = number.withLock { $0 }
        return (number, number == 1 ? fixture.config : next)
      }
    } test: { server in
      let path = "/api/v1/static_config?pk=pk_sandbox"
      let first = try await server.get(path)
      #expect(first.body["build_id"] == "sandbox-1")
      number.withLock { $0 = 2 }
      let second = try await server.get(path)
      #expect(second.body["build_id"] == "sandbox-2")
      #expect(first.headers["etag"] != second.headers["etag"])
      let body: Value = ["assignments": [["experiment_id": "123", "variant_id": "999"]]]
      #expect(try await server.post("/api/v1/confirm_assignments", body).status == 200)
    }
  }
}

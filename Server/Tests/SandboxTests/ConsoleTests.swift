import Expressions
import Service
import Testing

@testable import Sandbox

@Suite struct ConsoleTests {
  private static let owner = SandboxServer.owner

  @Test func aCheckoutIsListedAndCompleted() async throws {
    try await SandboxServer.run { server in
      let begun = try await server.beginCheckout()
      let context = try #require(begun.body["checkoutContextId"]?.text)
      let list = try await server.get("/sandbox/checkouts", headers: Self.owner)
      let checkout = try #require(list.body["checkouts"]?.elements?.first)
      #expect(checkout["state"] == "created" && checkout["user"]?.text == SandboxServer.user)
      #expect(checkout["code"] == nil)
      let id = try #require(checkout["id"]?.text)
      let done = try await server.post(
        "/sandbox/checkouts/\(id)/complete", headers: Self.owner)
      #expect(done.body["state"] == "completed")
      #expect(try await server.checkout("status", context).body["status"] == "completed")
      let late = try await server.post("/sandbox/checkouts/\(id)/abandon", headers: Self.owner)
      #expect(late.status == 409 && late.code == "checkout_completed")
      let none = try await server.post("/sandbox/checkouts/cs_0/complete", headers: Self.owner)
      #expect(none.status == 404)
    }
  }

  @Test func aCodeIsAddedAndExpires() async throws {
    try await SandboxServer.run { server in
      let code: Value = ["code": "NEW", "entitlements": ["gold"], "email": "a@b.example"]
      #expect(try await server.post("/sandbox/codes", code, headers: Self.owner).status == 201)
      let twice = try await server.post("/sandbox/codes", code, headers: Self.owner)
      #expect(twice.status == 409 && twice.code == "code_exists")
      _ = try await server.redeem(["NEW"])
      #expect(try await server.entitlements(of: SandboxServer.user) == ["gold"])
      _ = try await server.post("/sandbox/codes/NEW/expire", headers: Self.owner)
      let other = try await server.redeem(["NEW"], user: "user_2", device: "d2")
      #expect(other["codes"]?.elements?.first?["status"] == "CODE_EXPIRED")
    }
  }

  @Test func aReceiptIsSignedAndRevoked() async throws {
    try await SandboxServer.run { server in
      let signed = try await server.post(
        "/sandbox/receipts", ["transactionId": "77", "days": 10], headers: Self.owner)
      let jws = try #require(signed.body["signed_transaction_info"])
      let receipt = try await server.post(
        "/v1/receipts/pk_sandbox",
        ["signed_transaction_info": jws, "user_id": "u", "device_id": "d"], headers: [:])
      #expect(receipt.body["transaction_id"] == "77" && receipt.body["valid"] == true)
      let list = try await server.get("/sandbox/subscriptions", headers: Self.owner)
      #expect(list.body["subscriptions"]?.elements?.contains { $0["id"] == "77" } == true)
      let revoked = try await server.post(
        "/sandbox/subscriptions/77/revoke", headers: Self.owner)
      #expect(revoked.body["status"] == "revoked")
      let status = try await server.get("/v1/subscriptions/pk_sandbox/u", headers: [:])
      #expect(status.body["status"] == "expired" && status.body["entitlements"] == [])
      let none = try await server.post("/sandbox/subscriptions/x/revoke", headers: Self.owner)
      #expect(none.status == 404)
      for days in [.string("x"), .int(.max), .int(.min), .double(1e300)] as [Value] {
        let reply = try await server.post("/sandbox/receipts", ["days": days], headers: Self.owner)
        #expect(reply.status == 400 && reply.code == "invalid_body")
      }
    }
  }

  @Test func everythingIsForgotten() async throws {
    try await SandboxServer.run { server in
      _ = try await server.redeem(["PROMO-CODE"])
      _ = try await server.beginCheckout()
      _ = try await server.post("/sandbox/reset", headers: Self.owner)
      #expect(try await server.entitlements(of: SandboxServer.user) == [])
      let list = try await server.get("/sandbox/checkouts", headers: Self.owner)
      #expect(list.body == ["checkouts": []])
      let codes = try await server.get("/sandbox/codes", headers: Self.owner)
      #expect(codes.body["codes"]?.elements?.count == 5)
    }
  }

  @Test func answersHaveTheIDOfTheirRequest() async throws {
    try await SandboxServer.run { server in
      var headers = SandboxServer.app
      headers["X-Request-Id"] = "r-1"
      let known = try await server.get("/api/v1/assignments", headers: headers)
      #expect(known.headers["x-request-id"] == "r-1")
      let refused = try await server.get("/api/v1/assignments", headers: [:])
      #expect(refused.status == 401 && refused.headers["x-request-id"]?.isEmpty == false)
    }
  }
}

/// What `tollgate-server sandbox-jws` prints.
@Suite struct SandboxReceiptTests {
  @Test func everySandboxTakesIt() async throws {
    let fixtures = try Fixtures(file: SandboxServer.fixturesPath)
    let now = SandboxServer.TestClock(ServiceTime.now())
    try await SandboxServer.run(clock: now) { server in
      var receipt = SandboxReceipt()
      for (days, status) in [(365, "active"), (-1, "expired"), (nil, "active")] as [(Int?, String)]
      {
        receipt.days = days
        for known in [fixtures, nil] {
          let jws = try receipt.signed(fixtures: known)
          let reply = try await server.post(
            "/v1/receipts/pk_sandbox",
            ["signed_transaction_info": .string(jws), "user_id": "u", "device_id": "d"],
            headers: [:])
          #expect(reply.body["status"]?.text == status, "\(reply.text)")
          #expect(reply.body["product_id"] == "com.myapp.pro.yearly")
        }
      }
    }
  }
}

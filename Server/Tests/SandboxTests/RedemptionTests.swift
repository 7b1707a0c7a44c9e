import Expressions
import Testing

@testable import Sandbox

@Suite struct RedemptionTests {
  private static func statuses(_ body: Value) -> [String] {
    (body["codes"]?.elements ?? []).compactMap { $0["status"]?.text }
  }

  @Test func everyStatusHasItsShape() async throws {
    try await SandboxServer.run { server in
      let body = try await server.redeem([
        "PROMO-CODE", "BROKEN-CODE", "OLD-CODE", "nothing", "ENDED-SUBSCRIPTION",
      ])
      #expect(
        Self.statuses(body) == [
          "SUCCESS", "ERROR", "CODE_EXPIRED", "INVALID_CODE", "EXPIRED_SUBSCRIPTION",
        ])
      let codes = try #require(body["codes"]?.elements)
      #expect(
        codes[0]["redemptionInfo"]?["ownership"]
          == ["type": "APP_USER", "appUserId": .string(SandboxServer.user)])
      #expect(
        codes[0]["redemptionInfo"]?["purchaserInfo"]?["storeIdentifiers"]?["store"] == "STRIPE")
      #expect(codes[1]["error"]?["message"] == "the payment could not be found")
      #expect(codes[2]["expired"] == ["resent": true, "obfuscatedEmail": "u***@example.com"])
      #expect(codes[3] == ["status": "INVALID_CODE", "code": "nothing"])
      #expect(
        codes[4]["redemptionInfo"]?["entitlements"]?.elements?.first?["isActive"] == false)
      let entitlement = try #require(
        body["customerInfo"]?["entitlements"]?.elements?.first, "\(body.json)")
      #expect(entitlement["id"] == "pro" && entitlement["identifier"] == "pro")
      #expect(entitlement["isActive"] == true && entitlement["productIds"]?.elements != nil)
      let subscription = try #require(body["customerInfo"]?["subscriptions"]?.elements?.first)
      for name in [
        "transactionId", "productId", "purchaseDate", "willRenew", "isRevoked", "isInGracePeriod",
        "isInBillingRetryPeriod", "isActive",
      ] {
        #expect(subscription[name] != nil, "\(name)")
      }
    }
  }

  @Test func anExpiredCodesMessageIsNotSentWheneverSomebodyAsks() async throws {
    try await SandboxServer.run { server async throws in
      func resent() async throws -> Value? {
        try await server.redeem(["OLD-CODE"])["codes"]?.elements?.first?["expired"]?["resent"]
      }
      #expect(try await resent() == true)
      #expect(try await resent() == false)
      server.clock.advance(WallTime.day)
      #expect(try await resent() == true)
    }
  }

  @Test func redeemingAgainIsTheSame() async throws {
    try await SandboxServer.run { server in
      let first = try await server.redeem(["ONE-OWNER"])
      #expect(try await server.redeem(["ONE-OWNER"]) == first)
      // Even when the code itself has expired since.
      _ = try await server.post("/sandbox/codes/ONE-OWNER/expire", headers: SandboxServer.owner)
      #expect(Self.statuses(try await server.redeem(["ONE-OWNER"])) == ["SUCCESS"])
      let other = try await server.redeem(["ONE-OWNER"], user: "user_2", device: "d2")
      #expect(Self.statuses(other) == ["ERROR"])
      #expect(try await server.entitlements(of: "user_2") == [])
    }
  }

  /// IDs are kept, so they are short, and no two of them are one in the database.
  @Test func idsThatCannotBeKeptAreRefused() async throws {
    try await SandboxServer.run { server in
      for id in ["d\u{0}x", String(repeating: "d", count: 1_001)] {
        for body: Value in [
          ["deviceId": .string(id), "codes": []],
          ["deviceId": "d", "appUserId": .string(id), "codes": []],
        ] {
          let reply = try await server.post("\(SandboxServer.base)/redeem", body)
          #expect(reply.status == 400)
        }
      }
      let longest: Value = ["deviceId": .string(String(repeating: "d", count: 1_000)), "codes": []]
      let reply = try await server.post("\(SandboxServer.base)/redeem", longest)
      #expect(reply.status == 200)
    }
  }

  @Test func whatADeviceHasGoesToItsUser() async throws {
    try await SandboxServer.run { server in
      let body = try await server.redeem(["ONE-OWNER"], user: nil)
      #expect(
        body["codes"]?.elements?.first?["redemptionInfo"]?["ownership"]
          == ["type": "DEVICE", "deviceId": .string(SandboxServer.device)])
      let device = "%24SuperwallDevice%3A1"
      #expect(try await server.entitlements(of: device) == ["pro"])
      #expect(
        try await server.entitlements(of: "%24SuperwallAlias%3A1", device: device) == ["pro"])
      #expect(try await server.entitlements(of: "user_1", device: device) == ["pro"])
      #expect(try await server.entitlements(of: "user_1") == ["pro"])
      #expect(try await server.entitlements(of: device) == [])
    }
  }

  @Test func endingASubscriptionTakesItsEntitlements() async throws {
    try await SandboxServer.run { server in
      _ = try await server.redeem(["PROMO-CODE"])
      _ = try await server.post(
        "/sandbox/subscriptions/sub_PROMO-CODE/revoke", headers: SandboxServer.owner)
      #expect(try await server.entitlements(of: "user_1") == [])
      let body = try await server.redeem(["PROMO-CODE"])
      #expect(Self.statuses(body) == ["EXPIRED_SUBSCRIPTION"])
      #expect(body["customerInfo"]?["subscriptions"]?.elements?.first?["isRevoked"] == true)
    }
  }

  @Test func receiptsOfDevicesAreKeptWhereTheyHold() async throws {
    try await SandboxServer.run { server in
      let jws = try server.authority.sign(
        TestTransaction(product: "com.myapp.pro.yearly", bundle: "com.myapp")
          .payload(now: server.clock.now))
      for (receipts, expected) in [
        (.map([]), []), ([["type": "IOS", "jwsRepresentation": "a.b.c"]], []),
        ([["type": "IOS", "jwsRepresentation": .string(jws)]], ["pro"]),
      ] as [(Value, [String])] {
        let reply = try await server.post(
          "\(SandboxServer.base)/redeem",
          ["deviceId": "d", "appUserId": "user_9", "codes": [], "receipts": receipts])
        #expect(reply.status == 200)
        #expect(try await server.entitlements(of: "user_9") == expected)
      }
    }
  }

  @Test func idsMayHaveAnyCharacters() async throws {
    try await SandboxServer.run { server in
      _ = try await server.redeem(["PROMO-CODE"], user: "a/b c?d#é", device: "x")
      #expect(try await server.entitlements(of: "a%2Fb%20c%3Fd%23%C3%A9") == ["pro"])
    }
  }
}

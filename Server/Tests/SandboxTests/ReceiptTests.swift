import Crypto
import Expressions
import Foundation
import Testing

@testable import Sandbox

@Suite struct ReceiptTests {
  private static func post(
    _ jws: String, user: String = SandboxServer.user, to server: SandboxServer
  ) async throws -> SandboxServer.Reply {
    try await server.post(
      "/v1/receipts/pk_sandbox",
      ["signed_transaction_info": .string(jws), "user_id": .string(user), "device_id": "d"],
      headers: [:])
  }

  private static func transaction(_ id: String = "2001") -> TestTransaction {
    TestTransaction(product: "com.myapp.pro.yearly", bundle: "com.myapp", id: id)
  }

  private static func status(of user: String = SandboxServer.user, _ server: SandboxServer)
    async throws -> Value
  {
    try await server.get("/v1/subscriptions/pk_sandbox/\(user)", headers: [:]).body
  }

  @Test func aSignedTransactionMakesItsUserASubscriber() async throws {
    try await SandboxServer.run { server in
      #expect(try await Self.status(server)["status"] == "inactive")
      let jws = try server.authority.sign(Self.transaction().payload(now: server.clock.now))
      let reply = try await Self.post(jws, to: server)
      #expect(reply.status == 200)
      #expect(reply.body["valid"] == true && reply.body["transaction_id"] == "2001")
      #expect(reply.body["entitlements"] == ["pro"] && reply.body["status"] == "active")
      #expect(reply.body["expires_date"]?.text?.hasSuffix("Z") == true)
      #expect(try await Self.post(jws, to: server).body == reply.body)
      let status = try await Self.status(server)
      #expect(status["status"] == "active" && status["entitlements"] == ["pro"])
      #expect(status["subscriptions"]?.elements?.count == 1)
      // It is over when its time is.
      server.clock.advance(365 * WallTime.day)
      let later = try await Self.status(server)
      #expect(later["status"] == "expired" && later["entitlements"] == [])
      #expect(later["subscriptions"]?.elements?.first?["auto_renew_enabled"] == false)
    }
  }

  @Test func anOlderSignatureDoesNotUndoANewerOne() async throws {
    try await SandboxServer.run { server in
      let payload = Self.transaction().payload(now: server.clock.now)
      let old = try server.authority.sign(payload)
      var revoked = Self.transaction()
      revoked.isRevoked = true
      server.clock.advance(60_000)
      let new = try server.authority.sign(revoked.payload(now: server.clock.now))
      _ = try await Self.post(old, to: server)
      #expect(try await Self.post(new, to: server).body["status"] == "revoked")
      #expect(try await Self.post(old, to: server).body["status"] == "revoked")
      #expect(try await Self.status(server)["status"] == "expired")
    }
  }

  @Test func aRestoredPurchaseBelongsToWhoeverRestoredIt() async throws {
    try await SandboxServer.run { server in
      let jws = try server.authority.sign(Self.transaction().payload(now: server.clock.now))
      _ = try await Self.post(jws, to: server)
      _ = try await Self.post(jws, user: "user_2", to: server)
      #expect(try await Self.status(of: "user_2", server)["status"] == "active")
      #expect(try await Self.status(server)["status"] == "inactive")
    }
  }

  @Test func eachForgeryIsRefusedForItsReason() async throws {
    try await SandboxServer.run { server in
      let now = server.clock.now
      let payload = Self.transaction().payload(now: now)
      let right = server.authority
      func reason(_ jws: String) async throws -> String? {
        let reply = try await Self.post(jws, to: server)
        #expect(reply.status == 400 && reply.body["valid"] == false, "\(reply.text)")
        return reply.body["error"]?["reason"]?.text
      }
      // Another root of the same name, another chain, the wrong order, too few, too many.
      let other = try SandboxAuthority(named: "Somebody Else")
      #expect(try await reason(try other.sign(payload)) == "untrusted_chain")
      let chain = right.chain
      for wrong in [
        [chain[0], chain[2], chain[1]], [chain[1], chain[0], chain[2]], chain.reversed(),
        Array(chain.prefix(2)), chain + [chain[2]], [], [chain[0], other.chain[1], chain[2]],
        [chain[0], chain[1], other.chain[2]],
      ] {
        #expect(try await reason(try right.sign(payload, chain: wrong)) == "untrusted_chain")
      }
      // A leaf of ours over a key that is not its own.
      #expect(try await reason(try other.sign(payload, chain: chain)) == "bad_signature")
      var flaws = SandboxAuthority.Flaws()
      flaws.leafNotAfter = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000 - 60)
      #expect(
        try await reason(try SandboxAuthority(flaws: flaws).sign(payload)) == "certificate_expired")
      for (name, flaws) in Self.flaws {
        let authority = try SandboxAuthority(flaws: flaws)
        #expect(try await reason(try authority.sign(payload)) == "certificate_usage", "\(name)")
      }
      let foreign = TestTransaction(product: "p", bundle: "com.other").payload(now: now)
      #expect(try await reason(try right.sign(foreign)) == "other_bundle")
      #expect(try await Self.status(server)["status"] == "inactive")
    }
  }

  private static let flaws: [(String, SandboxAuthority.Flaws)] = [
    ("unmarked", SandboxAuthority.Flaws(leafIsUnmarked: true)),
    ("may not sign", SandboxAuthority.Flaws(leafMayNotSign: true)),
    ("no authority", SandboxAuthority.Flaws(intermediateIsNoAuthority: true)),
  ]

  @Test func aChangedPartIsRefused() async throws {
    try await SandboxServer.run { server in
      let jws = try server.authority.sign(Self.transaction().payload(now: server.clock.now))
      let parts = jws.split(separator: ".").map(String.init)
      let stolen = Self.transaction("2002").payload(now: server.clock.now)
      let none = Value.object(["alg": "none"])
      let wrong = [
        "\(parts[0]).\(Base64URL.encode(Array(stolen.json.utf8))).\(parts[2])",
        "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "\(jws).x", "hello", "a.b.c",
        "\(Base64URL.encode(Array(none.json.utf8))).\(parts[1]).", parts[0] + ".." + parts[2],
        "\(parts[0]).\(Base64URL.encode(Array("zz".utf8))).\(parts[2])",
        "\(parts[0]).\(parts[1]).\(parts[2])=",
      ]
      for text in wrong {
        let reply = try await Self.post(text, to: server)
        #expect(reply.status == 400 && reply.body["valid"] == false, "\(text): \(reply.text)")
        #expect(["invalid_signature", "invalid_receipt"].contains(reply.code), "\(text)")
      }
    }
  }

  @Test func verifyingCanBeTurnedOff() async throws {
    try await SandboxServer.run {
      $0.verifiesReceipts = false
    } test: { server async throws in
      let payload = Self.transaction().payload(now: server.clock.now)
      let header = Base64URL.encode(Array(#"{"alg":"ES256","x5c":[]}"#.utf8))
      let jws = "\(header).\(Base64URL.encode(Array(payload.json.utf8))).c2ln"
      #expect(try await Self.post(jws, to: server).body["status"] == "active")
      #expect(try await Self.post("a.b", to: server).status == 400)
    }
  }

  @Test func productsCanBeAdded() async throws {
    try await SandboxServer.run { server in
      let body: Value = [
        "name": "Coach", "store": "apple", "storeProductId": "com.myapp.coach",
        "entitlements": ["coach"], "displayPrice": "$5",
      ]
      let path = "/v1/projects/1/products"
      #expect(try await server.post(path, body).status == 403)
      #expect(try await server.post(path, body, headers: SandboxServer.owner).status == 201)
      let config = try await server.get("/v1/config/pk_sandbox", headers: [:]).body
      #expect(
        config["products"]?.elements?.last?["store_product_id"] == "com.myapp.coach")
      var transaction = Self.transaction("2009")
      transaction.product = "com.myapp.coach"
      let jws = try server.authority.sign(transaction.payload(now: server.clock.now))
      #expect(try await Self.post(jws, to: server).body["entitlements"] == ["coach"])
    }
  }
}

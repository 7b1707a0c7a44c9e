import Expressions
import Service
import Testing

@testable import Sandbox

/// Requests that no client sends.
@Suite struct HostileTests {
  private static let paths = [
    "/api/v1/confirm_assignments", "/api/v1/events", "/v1/events/pk_sandbox",
    "/v1/receipts/pk_sandbox", "\(SandboxServer.base)/redeem",
    "\(SandboxServer.base)/checkout/session", "\(SandboxServer.base)/checkout/status",
    "\(SandboxServer.base)/checkout/session/confirm",
    "\(SandboxServer.base)/checkout/session/complete",
    "\(SandboxServer.base)/checkout/session/poll-redemption-result",
  ]

  @Test func whatIsNoObjectIsRefused() async throws {
    try await SandboxServer.run { server in
      let brackets = String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000)
      let objects = String(repeating: #"{"a":"#, count: 20_000)
      for path in Self.paths {
        for body in [
          "", "{", "[]", "null", "1", "\"x\"", brackets, objects, "{\"events\":\(brackets)}",
          "\u{0}",
        ] {
          let reply = try await server.send("POST", path, body)
          #expect(reply.status == 400, "\(path) \(body.prefix(20)): \(reply.text)")
          #expect(["not_json", "invalid_body"].contains(reply.code), "\(path) \(body.prefix(20))")
        }
      }
    }
  }

  /// Each member of each body with each kind of JSON.
  @Test func membersOfAnotherKindAreRefusedAndNeverTrap() async throws {
    try await SandboxServer.run { server in
      let names = [
        "assignments", "events", "deviceId", "appUserId", "codes", "receipts", "checkoutId",
        "checkoutContextId", "setupIntentId", "email", "productIdentifier", "store", "context",
        "allowedCheckoutDirectives", "signed_transaction_info", "user_id", "device_id",
      ]
      let values: [Value] = [
        .null, true, 1, -1.5, "x", [], [1], [.null], [.map([])], .map([]), ["a": "b"],
      ]
      for path in Self.paths {
        for name in names {
          for value in values {
            let reply = try await server.post(path, .members([name: value]))
            #expect(reply.status < 500, "\(path) \(name) \(value.json): \(reply.text)")
            #expect(reply.body.members != nil, "\(path) \(name)")
          }
        }
      }
    }
  }

  @Test func aBodyThatIsTooLargeIsRefused() async throws {
    try await SandboxServer.run {
      $0.limits.body = 1_000
    } test: { server in
      let reply = try await server.send(
        "POST", "/api/v1/events", "{\"events\":\"" + String(repeating: "x", count: 2_000) + "\"}")
      #expect(reply.status == 413 && reply.code == "body_too_large")
      #expect(try await server.post("/api/v1/events", ["events": []]).status == 200)
    }
  }

  /// Others wait while a request is written.
  @Test func listsHaveALimit() async throws {
    try await SandboxServer.run { server in
      for (count, status) in [(10_000, 200), (10_001, 400)] {
        let events: Value = ["events": .list(Array(repeating: ["event_name": "e"], count: count))]
        let reply = try await server.post("/api/v1/events", events)
        #expect(reply.status == status)
      }
    }
  }

  @Test func textOfAnyKindGoesThrough() async throws {
    try await SandboxServer.run { server in
      for text in ["'; DROP TABLE sandbox_codes; --", "💥é", String(repeating: "x", count: 1_000)] {
        let body = try await server.redeem([text], user: text, device: text)
        #expect(body["codes"]?.elements?.first?["status"] == "INVALID_CODE")
        #expect(body["codes"]?.elements?.first?["code"]?.text == text)
      }
      // What is not kept may be longer, and hold anything.
      for text in ["\u{0}", String(repeating: "x", count: 10_000)] {
        let body = try await server.redeem([text])
        #expect(body["codes"]?.elements?.first?["status"] == "INVALID_CODE")
        #expect(body["codes"]?.elements?.first?["code"]?.text == text)
      }
      #expect(
        try await server.redeem(["PROMO-CODE"])["codes"]?.elements?.first?["status"] == "SUCCESS")
    }
  }
}

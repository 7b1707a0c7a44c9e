import Expressions
import Testing

@testable import Sandbox

@Suite struct EventTests {
  private static func event(_ id: String, _ name: String = "app_open") -> Value {
    .object([
      "event_id": .string(id), "event_name": .string(name), "parameters": ["a": 1],
      "created_at": "2026-01-01T00:00:00.000Z",
    ])
  }

  private static func received(_ server: SandboxServer, _ query: String = "") async throws
    -> [Value]
  {
    let reply = try await server.get("/sandbox/events\(query)", headers: SandboxServer.owner)
    return try #require(reply.body["events"]?.elements, "\(reply.text)")
  }

  @Test func eventsAreKeptOnce() async throws {
    try await SandboxServer.run { server in
      let body: Value = ["events": [Self.event("1"), Self.event("2"), Self.event("1")]]
      #expect(try await server.post("/api/v1/events", body).body == ["status": "ok"])
      #expect(try await server.post("/api/v1/events", body).body == ["status": "ok"])
      let events = try await Self.received(server)
      #expect(events.map { $0["eventId"]?.text } == ["1", "2"])
      #expect(events[0]["body"]?["parameters"] == ["a": 1])
      #expect(events[0]["user"]?.text == SandboxServer.user)
    }
  }

  @Test func whatIsNoEventIsNamedAndKeepsNoOtherBack() async throws {
    try await SandboxServer.run { server in
      let body: Value = ["events": [Self.event("1"), "x", .map([]), Self.event("2")]]
      let reply = try await server.post("/api/v1/events", body)
      #expect(reply.status == 200 && reply.body["invalid_indexes"] == [1, 2])
      #expect(try await Self.received(server).count == 2)
    }
  }

  @Test func wallieTakesLargeBatches() async throws {
    try await SandboxServer.run { server in
      let events = (0..<2_000).map { number -> Value in
        .object([
          "id": .string("E\(number % 1_500)"), "user_id": "u", "event_name": "paywall_open",
          "properties": .map([]),
        ])
      }
      let reply = try await server.post(
        "/v1/events/pk_sandbox", ["events": .list(events)], headers: [:])
      #expect(reply.status == 202)
      let newest = try await Self.received(server, "?source=agentwallie&limit=1000")
      #expect(newest.count == 1_000)
      let last = try #require(newest.first?["id"]?.wholeNumber)
      let later = try await Self.received(server, "?source=agentwallie&limit=10&after=\(last)")
      #expect(later.first?["id"]?.wholeNumber == last + 1 && later.count == 10)
    }
  }
}

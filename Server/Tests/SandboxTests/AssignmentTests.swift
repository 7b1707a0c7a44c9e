import Expressions
import Testing

@testable import Sandbox

@Suite struct AssignmentTests {
  private static let path = "/api/v1/confirm_assignments"

  private static func pairs(_ pairs: [(String, String)]) -> Value {
    .object([
      "assignments": .list(
        pairs.map { .object(["experiment_id": .string($0.0), "variant_id": .string($0.1)]) })
    ])
  }

  @Test func confirmedOnesComeBackInOrder() async throws {
    try await SandboxServer.run { server in
      let body = Self.pairs([("125", "460"), ("123", "456")])
      let first = try await server.post(Self.path, body)
      #expect(
        first.body == body.merging(patch: ["status": "ok"])
          || first.body["assignments"] == body["assignments"])
      let again = try await server.post(Self.path, body)
      #expect(again.body == first.body)
      #expect(try await server.get("/api/v1/assignments").body == body)
      let events = try await server.get(
        "/sandbox/events?name=assignment_confirm", headers: SandboxServer.owner)
      #expect(events.body["events"]?.elements?.count == 2)
    }
  }

  @Test func allOrNothingIsKept() async throws {
    try await SandboxServer.run { server in
      let unknown = try await server.post(Self.path, Self.pairs([("123", "456"), ("9", "1")]))
      #expect(unknown.status == 400 && unknown.code == "unknown_experiment")
      let variant = try await server.post(Self.path, Self.pairs([("123", "456"), ("124", "456")]))
      #expect(variant.status == 400 && variant.code == "unknown_variant")
      let many = try await server.post(
        Self.path, Self.pairs(Array(repeating: ("123", "456"), count: 101)))
      #expect(many.status == 400 && many.code == "too_many_assignments")
      #expect(try await server.get("/api/v1/assignments").body == ["assignments": []])
      let most = try await server.post(
        Self.path, Self.pairs(Array(repeating: ("123", "456"), count: 100)))
      #expect(most.status == 200)
    }
  }

  @Test func anAliasBringsItsAssignmentsToItsUser() async throws {
    try await SandboxServer.run { server in
      var anonymous = SandboxServer.app
      anonymous["X-App-User-ID"] = ""
      _ = try await server.send(
        "POST", Self.path, Self.pairs([("123", "456")]).json, headers: anonymous)
      #expect(try await server.get("/api/v1/assignments").body == Self.pairs([("123", "456")]))
      var other = SandboxServer.app
      other["X-App-User-ID"] = "user_2"
      other["X-Alias-ID"] = "$SuperwallAlias:2"
      #expect(
        try await server.get("/api/v1/assignments", headers: other).body == ["assignments": []])
      let events = try await server.get(
        "/sandbox/events?name=userAlias_potentiallyMerge", headers: SandboxServer.owner)
      #expect(events.body["events"]?.elements?.count == 2)
    }
  }

  @Test func nobodyHasNone() async throws {
    try await SandboxServer.run { server async throws in
      let headers = ["Authorization": "Bearer pk_sandbox"]
      #expect(
        try await server.get("/api/v1/assignments", headers: headers).body == ["assignments": []])
    }
  }
}

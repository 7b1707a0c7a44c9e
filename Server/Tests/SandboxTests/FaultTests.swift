import Expressions
import Testing

@testable import Sandbox

@Suite struct FaultTests {
  private static func script(_ json: String) throws -> FaultScript {
    try FaultScript(json: Array(json.utf8))
  }

  @Test func aStatusHappensSoOften() async throws {
    let faults = try Self.script(
      #"{"faults":[{"path":"/api/v1/static*","status":503,"count":2,"skip":1}]}"#)
    try await SandboxServer.run {
      $0.faults = faults
    } test: { server in
      var statuses: [Int] = []
      for _ in 0..<4 {
        statuses.append(try await server.get("/api/v1/static_config?pk=pk_sandbox").status)
      }
      #expect(statuses == [200, 503, 503, 200])
      let seen = try await server.get("/sandbox/faults", headers: SandboxServer.admin)
      #expect(seen.body["faults"]?.elements?.first?["happened"] == 2)
    }
  }

  @Test func aConnectionEndsWithoutAnAnswer() async throws {
    let faults = try Self.script(
      #"{"faults":[{"path":"/api/v1/enrich","method":"post","drop":true,"count":1}]}"#)
    try await SandboxServer.run {
      $0.faults = faults
    } test: { server in
      await #expect(throws: (any Error).self) { try await server.post("/api/v1/enrich") }
    }
  }

  @Test func theConsoleChangesThem() async throws {
    try await SandboxServer.run { server in
      let body: Value = [
        "faults": [["path": "*", "status": 418, "body": ["teapot": true]]]
      ]
      let put = try await server.send(
        "PUT", "/sandbox/faults", body.json, headers: SandboxServer.owner)
      #expect(put.status == 200)
      let reply = try await server.get("/api/v1/assignments")
      #expect(reply.status == 418 && reply.body == ["teapot": true])
      let none = try await server.send(
        "PUT", "/sandbox/faults", #"{"faults":[]}"#, headers: SandboxServer.owner)
      #expect(none.status == 200)
      #expect(try await server.get("/api/v1/assignments").status == 200)
    }
  }

  /// What one application's owner lets go wrong goes wrong for that application alone.
  @Test func applicationsHaveFaultsOfTheirOwn() async throws {
    try await SandboxServer.run(fixtures: try SandboxServer.two()) { server in
      func put(_ status: Int, _ query: String, _ headers: [String: String]) async throws -> Int {
        let body = #"{"faults":[{"path":"/api/*","status":\#(status)}]}"#
        return try await server.send("PUT", "/sandbox/faults\(query)", body, headers: headers)
          .status
      }
      func statuses() async throws -> [Int] {
        var found: [Int] = []
        for key in ["pk_sandbox", "pk_two"] {
          found.append(
            try await server.get(
              "/api/v1/assignments", headers: ["Authorization": "Bearer \(key)"]
            ).status)
        }
        return found
      }
      #expect(try await put(501, "", SandboxServer.owner) == 200)
      #expect(try await statuses() == [501, 200])
      #expect(try await put(502, "", ["Authorization": "Bearer sk_two"]) == 200)
      #expect(try await statuses() == [501, 502])
      // Nobody sees or changes another's.
      let seen = try await server.get("/sandbox/faults", headers: SandboxServer.owner)
      #expect(seen.body["faults"]?.elements?.map { $0["status"] } == [501])
      #expect(try await put(503, "?application=2", SandboxServer.owner) == 403)
      let named = #"{"faults":[{"path":"/","status":500,"application":"2"}]}"#
      let refused = try await server.send(
        "PUT", "/sandbox/faults", named, headers: SandboxServer.owner)
      #expect(refused.status == 400 && refused.code == "invalid_faults")
      // The admin's are everybody's, and take the place of all.
      #expect(try await put(504, "?application=2", SandboxServer.admin) == 200)
      #expect(try await statuses() == [501, 504])
      #expect(try await put(505, "", SandboxServer.admin) == 200)
      #expect(try await statuses() == [505, 505])
      #expect(try await put(506, "", SandboxServer.owner) == 200)
      let all = try await server.get("/sandbox/faults", headers: SandboxServer.admin)
      #expect(all.body["faults"]?.elements?.count == 2)
      let reset = try await server.send(
        "PUT", "/sandbox/faults", #"{"faults":[]}"#, headers: SandboxServer.admin)
      #expect(reset.status == 200)
      #expect(try await statuses() == [200, 200])
    }
  }

  @Test func resettingTakesTheFaultsOfAnApplicationBack() async throws {
    try await SandboxServer.run { server in
      let body = #"{"faults":[{"path":"*","status":500}]}"#
      _ = try await server.send("PUT", "/sandbox/faults", body, headers: SandboxServer.owner)
      #expect(try await server.get("/api/v1/assignments").status == 500)
      _ = try await server.post("/sandbox/reset", headers: SandboxServer.owner)
      #expect(try await server.get("/api/v1/assignments").status == 200)
    }
  }

  @Test func thereAreNotTooMany() {
    let fault = #"{"path":"/"}"#
    let many = Array(repeating: fault, count: 101).joined(separator: ",")
    #expect(throws: FaultScript.Problem.self) { try Self.script(#"{"faults":[\#(many)]}"#) }
    let long = String(repeating: "*", count: 1_001)
    #expect(throws: FaultScript.Problem.self) {
      try Self.script(#"{"faults":[{"path":"\#(long)"}]}"#)
    }
  }

  @Test(arguments: [
    "{", "[]", #"{"faults":{}}"#, #"{"faults":[{}]}"#, #"{"faults":[{"path":"x"}]}"#,
    #"{"faults":[{"path":"/","status":99}]}"#, #"{"faults":[{"path":"/","delay":-1}]}"#,
    #"{"faults":[{"path":"/","stauts":500}]}"#,
  ])
  func whatIsNoScriptIsRefused(text: String) {
    #expect(throws: FaultScript.Problem.self) { try Self.script(text) }
  }

  @Test func patternsTakeTimeOfTheirProductAtMost() throws {
    let stars = String(repeating: "*a", count: 400)
    let faults = try Self.script(#"{"faults":[{"path":"\#(stars)b","status":500}]}"#)
    #expect(faults.next("GET", String(repeating: "a", count: 5_000)) == nil)
  }
}

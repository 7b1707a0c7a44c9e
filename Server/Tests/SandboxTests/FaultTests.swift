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
      let seen = try await server.get("/sandbox/faults", headers: SandboxServer.owner)
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

  @Test(arguments: [
    "{", "[]", #"{"faults":{}}"#, #"{"faults":[{}]}"#, #"{"faults":[{"path":"x"}]}"#,
    #"{"faults":[{"path":"/","status":99}]}"#, #"{"faults":[{"path":"/","delay":-1}]}"#,
    #"{"faults":[{"path":"/","stauts":500}]}"#,
  ])
  func whatIsNoScriptIsRefused(text: String) {
    #expect(throws: FaultScript.Problem.self) { try Self.script(text) }
  }

  @Test func patternsTakeTimeOfTheirProductAtMost() throws {
    let stars = String(repeating: "*a", count: 200)
    let faults = try Self.script(#"{"faults":[{"path":"\#(stars)b","status":500}]}"#)
    #expect(faults.next("GET", String(repeating: "a", count: 5_000)) == nil)
  }
}

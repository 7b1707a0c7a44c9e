import Expressions
import Foundation
import Logging
import Service
import Testing

@testable import Sandbox

/// What docs/sandbox.md says is so.
@Suite struct GuideTests {
  private static func guide() throws -> String {
    try String(contentsOf: ServerProcess.root.appending(path: "docs/sandbox.md"), encoding: .utf8)
  }

  private static func blocks(_ language: String) throws -> [String] {
    try guide().components(separatedBy: "```\(language)\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
  }

  @Test func everyEndpointIsThere() throws {
    let guide = try Self.guide()
    let backend = try SandboxBackend(
      database: try ServiceDatabase.open(in: nil),
      options: SandboxOptions(
        fixtures: try Fixtures(file: SandboxServer.fixturesPath), log: Logger(label: "test")))
    for endpoint in backend.endpoints where !endpoint.path.contains("app-store") {
      let path = endpoint.path.replacing(SandboxBackend.subscriptions, with: "...")
        .replacing("{name}", with: "{key}").replacing("{version}", with: "v1")
        .replacing("{project}", with: "{id}")
      // Several in a row are told by what differs.
      let parts = path.split(separator: "/")
      let tails = (1..<3).map { "`/" + parts.suffix($0).joined(separator: "/") + "`" }
      #expect(
        guide.contains("\(path)`") || guide.contains("\(path)?")
          || tails.contains { guide.contains($0) }, "\(endpoint.method) \(path)")
    }
  }

  @Test func theFaultsCanBeRead() throws {
    let text = try #require(try Self.blocks("json").first)
    let script = try FaultScript(json: Array(text.utf8))
    #expect(script.value["faults"]?.elements?.count == 3)
  }

  @Test func theCodesGiveWhatTheyGive() async throws {
    let lines = try Self.guide().split(separator: "\n").filter { $0.hasPrefix("| `") }
    var expected: [(String, String)] = []
    for line in lines {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let code = cells[0].trimmingCharacters(in: ["`"])
      guard cells.count == 2, code == code.uppercased(), !code.contains(" "),
        let status = cells[1].split(separator: "`").first
      else { continue }
      expected.append((code, String(status)))
    }
    #expect(expected.count == 5)
    let codes = expected
    try await SandboxServer.run { server in
      for (code, status) in codes {
        let body = try await server.redeem([code])
        #expect(body["codes"]?.elements?.first?["status"]?.text == status, "\(code)")
      }
    }
  }

  // MARK: The commands

  /// The guide's commands, but for the port.
  @Test func theCommandsWork() async throws {
    let commands = try Self.blocks("sh")
    let start = try #require(commands.first).split(separator: " ").map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    #expect(start.first == "tollgate-server" && start.suffix(2) == ["--port", "8080"])
    let server = try ServerProcess(start.dropFirst().dropLast() + ["0"])
    defer { server.kill() }
    let sandbox = try server.sandbox()
    let receipt = try #require(commands.last)
    let signing = try #require(
      receipt.components(separatedBy: "$(tollgate-server ").last?.components(separatedBy: ")").first
    )
    let jws = try ServerProcess(signing.split(separator: " ").map(String.init)).text()
    let reply = try await sandbox.post(
      "/v1/receipts/pk_sandbox",
      [
        "signed_transaction_info": .string(jws.trimmingCharacters(in: .newlines)),
        "user_id": "user_123", "device_id": "device_abc",
      ], headers: [:])
    #expect(reply.body["valid"] == true && reply.body["entitlements"] == ["pro"], "\(reply.text)")
    server.process.terminate()
    server.process.waitUntilExit()
    #expect(server.process.terminationStatus == 0)
  }
}

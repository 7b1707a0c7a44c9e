import Expressions
import Foundation
import Logging
import Service
import Testing

@testable import Sandbox

/// What docs/sandbox.md says is so.
@Suite struct GuideTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func guide() throws -> String {
    try String(contentsOf: root.appending(path: "docs/sandbox.md"), encoding: .utf8)
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

  private static let tool = Bundle.allBundles.map(\.bundleURL).first {
    $0.pathExtension == "xctest"
  }
  .map { $0.deletingLastPathComponent() }
  .map { $0.appending(path: "tollgate-server") }

  private static func process(_ arguments: [String]) throws -> (Process, Pipe) {
    let process = Process()
    let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "tollgate-server")
    process.executableURL = tool ?? built
    process.arguments = arguments
    process.currentDirectoryURL = root
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    return (process, output)
  }

  /// The guide's commands, but for the port.
  @Test func theCommandsWork() async throws {
    let commands = try Self.blocks("sh")
    let start = try #require(commands.first).split(separator: " ").map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    #expect(start.first == "tollgate-server" && start.suffix(2) == ["--port", "8080"])
    let (server, output) = try Self.process(start.dropFirst().dropLast() + ["0"])
    defer { server.terminate() }
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
      line.append(byte)
    }
    let address = try #require(try Value.parse(json: line)["url"]?.text)
    let receipt = try #require(commands.last)
    let signing = try #require(
      receipt.components(separatedBy: "$(tollgate-server ").last?.components(separatedBy: ")").first
    )
    let (signer, signed) = try Self.process(signing.split(separator: " ").map(String.init))
    let jws = String(
      decoding: try signed.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    signer.waitUntilExit()
    let sandbox = SandboxServer(
      address: address, clock: .init(0), authority: try SandboxAuthority())
    let reply = try await sandbox.post(
      "/v1/receipts/pk_sandbox",
      [
        "signed_transaction_info": .string(jws.trimmingCharacters(in: .newlines)),
        "user_id": "user_123", "device_id": "device_abc",
      ], headers: [:])
    #expect(reply.body["valid"] == true && reply.body["entitlements"] == ["pro"], "\(reply.text)")
    server.terminate()
    server.waitUntilExit()
    #expect(server.terminationStatus == 0)
  }
}

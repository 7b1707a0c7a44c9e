import Expressions
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The server as a process: how it begins, is stopped, and is killed.
@Suite(.serialized) struct ProcessTests {
  private static func post(_ server: ServerProcess, _ path: String, _ body: String) async throws
    -> (
      status: Int, text: String
    )
  {
    var request = URLRequest(url: URL(string: server.url + path)!)
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    let (data, response) = try await URLSession.shared.data(for: request)
    return ((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
  }

  @Test func askingToStopEndsItWithoutAnError() async throws {
    let server = try ServerProcess(["--config", "config.json"])
    #expect(try await Self.post(server, "/v1/decide", #"{"userId":"u"}"#).status == 200)
    server.process.terminate()
    server.process.waitUntilExit()
    #expect(server.process.terminationStatus == 0)
    for line in server.log.split(separator: "\n") where !line.hasPrefix("secret key") {
      #expect(try Value.parse(json: line.utf8)["level"] != nil)
    }
  }

  @Test(arguments: [
    ["--config", "missing.json"], ["--config", "users.ndjson"], [],
    ["--config", "config.json", "--fixtures", "config.json"],
    ["--config", "config.json", "--admin-token-file", "missing"],
    ["--config", "config.json", "--redact", "email"],
    ["--config", "config.json", "--rate-limit", "-1"],
    ["--config", "config.json", "--time-zone", "Mars"],
    ["--fixtures", "config.json"], ["--config", "config.json", "--data", "config.json"],
    ["--config", "config.json", "--sample-now", "yesterday"],
    ["--config", "config.json", "--host", "256.1.1.1"],
    ["--config", "config.json", "--also-port", "0"],
    ["--config", "config.json", "--also-port", "8081", "--also-port", "8081"],
    ["--config", "config.json", "--keep-requests", "0"],
    ["--config", "config.json", "--keep-events", "0"],
    ["--config", "config.json", "--state", "postgres"],
    ["--config", "config.json", "--state", "postgres", "--database-url-file", "missing"],
    ["--config", "config.json", "--state", "postgres", "--database-schema", "A"],
    ["--config", "config.json", "--state", "postgres", "--database-connections", "0"],
    ["--config", "config.json", "--database-url-file", "token"],
    ["--config", "config.json", "--database-schema", "other"],
    ["--config", "config.json", "--state", "sqlite", "--database-lock-timeout", "9"],
  ])
  func wrongUseIsToldInWords(arguments: [String]) {
    do {
      _ = try ServerProcess(arguments)
      Issue.record("it began")
    } catch {
      #expect("\(error)".contains("Error: "))
      #expect(!"\(error)".contains("Fatal error") && !"\(error)".contains("Error Domain"))
    }
  }

  /// Files that are compressed are said to be so, and not taken for users who cannot be read.
  @Test(arguments: ["--config", "--users", "--products", "--texts"])
  func compressedFilesAreNamed(option: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data([0x1f, 0x8b, 8, 0]).write(to: folder.appending(path: "packed"))
    let config = try TestServer.file("corpus/demo/config.json")
    try Data(config).write(to: folder.appending(path: "config.json"))
    let more = option == "--config" ? [] : ["--config", "config.json"]
    do {
      _ = try ServerProcess(more + [option, "packed"], in: folder)
      Issue.record("it began")
    } catch {
      #expect("\(error)".contains("packed is compressed"))
    }
  }

  @Test func aPortThatIsTakenIsNamed() async throws {
    let first = try ServerProcess(["--config", "config.json"])
    do {
      _ = try ServerProcess(["--config", "config.json", "--port", "\(first.port)"], port: nil)
      Issue.record("it began")
    } catch {
      #expect("\(error)".contains("port \(first.port) is in use"))
    }
  }

  /// Apps that ask several ports of this machine find the same server at each.
  @Test func severalPortsAreListenedAt() async throws {
    let first = try ServerProcess(["--config", "config.json"])
    first.process.terminate()
    first.process.waitUntilExit()
    let server = try ServerProcess(["--config", "config.json", "--also-port", "\(first.port)"])
    for url in [server.url, first.url] {
      let (data, _) = try await URLSession.shared.data(from: URL(string: url + "/healthz")!)
      #expect(String(decoding: data, as: UTF8.self) == #"{"status":"ok"}"#)
    }
    server.process.terminate()
    server.process.waitUntilExit()
    #expect(server.process.terminationStatus == 0)
  }

  /// Each part of the server describes itself, and nothing else.
  @Test(arguments: [("--no-service", "/api/v1/events"), ("--no-sandbox", "/v1/decide")])
  func whatIsThereIsDescribed(option: String, path: String) async throws {
    let server = try ServerProcess(["--config", "config.json", option])
    let url = URL(string: server.url + "/openapi.json")!
    let (data, _) = try await URLSession.shared.data(from: url)
    let paths = try Value.parse(json: Array(data))["paths"]
    #expect(["/api/v1/events", "/v1/decide"].filter { paths?[$0] != nil } == [path])
  }

  /// Two servers at one folder would decide by different configs.
  @Test func aFolderHasOneServer() throws {
    let first = try ServerProcess(["--config", "config.json", "--data", "state"])
    do {
      _ = try ServerProcess(["--config", "config.json", "--data", "state"], in: first.folder)
      Issue.record("it began")
    } catch {
      #expect("\(error)".contains("another server has the folder 'state'"))
    }
    first.process.terminate()
    first.process.waitUntilExit()
    let next = try ServerProcess(["--config", "config.json", "--data", "state"], in: first.folder)
    next.process.terminate()
    next.process.waitUntilExit()
    #expect(next.process.terminationStatus == 0)
  }

  @Test func filesThatAreWatchedAreReadAgain() async throws {
    let server = try ServerProcess(["--config", "config.json", "--watch"])
    let path = server.folder.appending(path: "config.json")
    let old = try String(contentsOf: path, encoding: .utf8)
    func isThere() async throws -> Bool {
      try await !Self.post(
        server, "/v1/decide", #"{"userId":"u","placements":["export_report_2"]}"#
      ).text.contains("placementNotFound")
    }
    func waits(_ wanted: () async throws -> Bool) async throws -> Bool {
      for _ in 0..<300 {
        if try await wanted() { return true }
        try await Task.sleep(for: .milliseconds(100))
      }
      return false
    }
    #expect(try await !isThere())
    try Data("{".utf8).write(to: path, options: .atomic)
    #expect(try await waits { server.log.contains("cannot be used") })
    #expect(try await Self.post(server, "/v1/decide", #"{"userId":"u"}"#).status == 200)
    try Data(old.replacing("\"export_report\"", with: "\"export_report_2\"").utf8)
      .write(to: path, options: .atomic)
    #expect(try await waits(isThere))
  }

  /// Half a request must not keep others waiting, and is ended.
  @Test func halfRequestsHoldNobodyUp() async throws {
    let server = try ServerProcess(["--config", "config.json"])
    let script = """
      for i in 1 2 3 4 5 6 7 8; do
        exec {fd}<>/dev/tcp/127.0.0.1/\(server.port)
        printf 'POST /v1/decide HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 100\\r\\n\\r\\n{"us' >&$fd
      done
      curl -s -m 20 \(server.url)/v1/decide -d '{"userId":"u","placements":[]}'
      exec {bad}<>/dev/tcp/127.0.0.1/\(server.port)
      printf 'NONSENSE\\r\\n\\r\\n' >&$bad
      head -n 1 <&$bad
      """
    let result = try ServerProcess.run(script, in: server.folder)
    #expect(result.code == 0)
    #expect(result.output.hasPrefix(#"{"decisions":[]}"#), "\(result.output)")
    #expect(result.output.contains("400"))
  }
}

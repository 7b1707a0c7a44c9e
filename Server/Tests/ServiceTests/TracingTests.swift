import Expressions
import Foundation
import Logging
import Testing

@testable import Service

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The header `traceparent` in logs, error answers and spans.
@Suite struct TracingTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let valid = "00-\(trace)-00f067aa0ba902b7-01"
  private static let invalid = [
    "", "00", "00-\(trace)-00f067aa0ba902b7", "ff-\(trace)-00f067aa0ba902b7-01",
    "00-\(trace)-00f067aa0ba902b7-01-", "00-\(trace)-00f067aa0ba902b7-01-more",
    "00-\(trace.uppercased())-00f067aa0ba902b7-01", "00-\(trace)-0000000000000000-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-\(trace)-00f067aa0ba902b-01", "00-\(trace)-00f067aa0ba902b7-1",
    "00-\(trace)-00f067aa0ba902bg-01", "0-\(trace)-00f067aa0ba902b7-01",
    "00_\(trace)_00f067aa0ba902b7_01", " 00-\(trace)-00f067aa0ba902b7-01", "00-\(trace)é-0",
    "\(valid), \(valid)", "cc-\(trace)-00f067aa0ba902b7-01more",
  ]

  @Test func onlyValidFormsAreTaken() {
    for header in Self.invalid { #expect(TraceParent(header) == nil, "\(header)") }
    let parent = TraceParent(Self.valid)
    #expect(parent?.traceID == Self.trace && parent?.spanID == "00f067aa0ba902b7")
    #expect(parent?.isSampled == true && "\(parent!)" == Self.valid)
    #expect(TraceParent("00-\(Self.trace)-00f067aa0ba902b7-00")?.isSampled == false)
    #expect(TraceParent("00-\(Self.trace)-00f067aa0ba902b7-fe")?.isSampled == false)
    // A later version may have more, which is not passed on.
    let later = TraceParent("cc-\(Self.trace)-00f067aa0ba902b7-03-what <the> future brings")
    #expect(later.map { "\($0)" } == "cc-\(Self.trace)-00f067aa0ba902b7-03")
  }

  private struct Recorder: LogHandler {
    let lines: Locked<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
      lines.withLock { $0.append("\(event.message) \(all["traceparent"].map { "\($0)" } ?? "-")") }
    }
  }

  @Test func logsAndErrorsHaveIt() async throws {
    let lines = Locked<[String]>([])
    let server = try await TestServer(log: Logger(label: "test") { _ in Recorder(lines: lines) })
    for (method, path, body, key) in [
      ("POST", "/v1/decide", "{", TestServer.publicKey), ("GET", "/nothing", nil, ""),
      ("GET", "/v1/decide", nil, ""), ("GET", "/v1/audit", nil, TestServer.publicKey),
      ("POST", "/ofrep/v1/evaluate/flags/export_report", "{}", "wrong"),
    ] {
      let answer = try await server.send(
        method, path, body, key: key, headers: ["traceparent": Self.valid])
      #expect(answer.status >= 400)
      #expect(answer.json["error"]?["traceparent"]?.text == Self.valid, "\(answer.text)")
    }
    #expect(lines.withLock { $0 }.count { $0 == "answered \(Self.valid)" } == 5)
    for header in Self.invalid where header.utf8.allSatisfy({ (32..<127).contains($0) }) {
      // Spaces around a header are not part of it.
      if header.hasPrefix(" ") { continue }
      let answer = try await server.send(
        "GET", "/nothing", headers: ["traceparent": header])
      #expect(answer.json["error"]?["traceparent"] == nil, "\(header)")
    }
    #expect(try await server.send("GET", "/nothing").json["error"]?["traceparent"] == nil)
    #expect(lines.withLock { $0 }.contains("answered -"))
  }

  /// OpenFeature's clients give `metadata` to the app. All flags have one tag, whichever request asks for them.
  @Test func failedEvaluationsHaveIt() async throws {
    let server = try await TestServer {
      $0.fixtures = Fixtures(applications: [
        .init(
          id: "1", publicKey: TestServer.publicKey, secretKey: "sk",
          config: Array(OFREPTests.broken.utf8))
      ])
    }
    let path = "/ofrep/v1/evaluate/flags"
    let user = #"{"context":{"targetingKey":"u"}}"#
    for (path, body) in [
      (path + "/nowhere", user), (path + "/broken", user), (path + "/broken.shown", user),
      (path + "/broken", "{"), (path + "/broken", "{}"),
      (path + "/broken", #"{"context":{"targetingKey":"u","device":3}}"#), (path, "{"),
      (path, "{}"), (path, #"{"context":{"targetingKey":"u","device":3}}"#),
    ] {
      let answer = try await server.send(
        "POST", path, body, headers: ["traceparent": Self.valid])
      #expect(answer.status >= 400 && answer.json["errorCode"] != nil)
      #expect(answer.json["metadata"]?["traceparent"]?.text == Self.valid, "\(answer.text)")
      let plain = try await server.post(path, body)
      #expect(plain.status == answer.status && plain.json["metadata"] == nil)
    }
    let traced = try await server.send("POST", path, user, headers: ["traceparent": Self.valid])
    #expect(try await traced.text == server.post(path, user).text)
  }

  @Test func linesOfStreamsHaveIt() async throws {
    let server = try await TestServer { $0.keepsState = true }
    let body = """
      {"userId":"a"}
      nonsense
      {"userId":""}
      {"userId":"b","now":"never"}
      {"userId":"c","plam":1}
      {"userId":"d","requestId":"r"}
      {"userId":"e","requestId":"r"}
      {"userId":"\(String(repeating: "x", count: 3 << 20))"}
      """
    for header in [Self.valid, nil] {
      let answer = try await server.send(
        "POST", "/v1/decide/stream", body, headers: header.map { ["traceparent": $0] } ?? [:])
      let errors = try answer.text.split(separator: "\n")
        .map { try Value.parse(json: $0.utf8)["error"] }
      #expect(errors.map { $0?["line"]?.wholeNumber } == [nil, 2, 3, 4, 5, nil, 7, 8])
      #expect(errors.allSatisfy { $0 == nil || $0?["traceparent"]?.text == header })
    }
  }

  private static func send(_ server: ServerProcess, _ path: String, _ body: String, _ flags: String)
    async throws -> String
  {
    var request = URLRequest(url: URL(string: server.url + path)!)
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    request.setValue(
      "00-\(trace)-00f067aa0ba902b7-\(flags)", forHTTPHeaderField: "traceparent")
    return String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
  }

  /// Spans of a request, of deciding and of the database, for requests that are sampled.
  @Test func sampledRequestsAreRecorded() async throws {
    let server = try ServerProcess([
      "--config", "config.json", "--data", "state", "--state", "sqlite", "--trace-file", "spans",
    ])
    let body = #"{"userId":"secret-user","user":{"plan":"free"},"requestId":"r1"}"#
    for flags in ["00", "01"] {
      _ = try await Self.send(server, "/v1/decide?secret-query", body, flags)
    }
    _ = try await Self.send(server, "/v1/decide/stream", body.replacing("r1", with: "r2"), "01")
    _ = try await Self.send(server, "/v1/decide", "{", "01")
    let file = server.folder.appending(path: "spans")
    var spans: [Value] = []
    let deadline = ContinuousClock.now + .seconds(20)
    repeat {
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(!text.contains("secret"))
      spans = try text.split(separator: "\n").compactMap {
        try Value.parse(json: $0.utf8)["resourceSpans"]?.elements?[0]["scopeSpans"]?.elements?[0][
          "spans"]?.elements?[0]
      }
      try await Task.sleep(for: .milliseconds(20))
    } while spans.count < 9 && ContinuousClock.now < deadline
    #expect(spans.allSatisfy { $0["traceId"]?.text == Self.trace })
    func names(below parent: Value?) -> [String?] {
      spans.filter { $0["parentSpanId"] == parent }.map { $0["name"]?.text }
    }
    #expect(
      names(below: "00f067aa0ba902b7") == [
        "POST /v1/decide", "POST /v1/decide/stream", "POST /v1/decide",
      ])
    let roots = spans.filter { $0["parentSpanId"] == "00f067aa0ba902b7" }
    #expect(roots.allSatisfy { $0["kind"] == 2 })
    // The answer was stored by the request before, which was not sampled.
    #expect(names(below: roots[0]["spanId"]) == ["read state", "decide"])
    #expect(
      names(below: roots[1]["spanId"]) == ["update state", "read state", "read state", "decide"])
    #expect(names(below: roots[2]["spanId"]) == [])
    for span in spans {
      let times = ["startTimeUnixNano", "endTimeUnixNano"].map { Int(span[$0]?.text ?? "") ?? 0 }
      #expect(times[0] > 0 && times[0] <= times[1] && span["spanId"]?.text?.utf8.count == 16)
    }
  }
}

import Expressions
import Foundation
import Requests
import RuleEngine
import Service
import Testing

@Suite struct DecidingTests {
  private static let mara =
    #""userId":"u-mara","user":{"plan":"free","country":"DE"},"device":{"sessions":12},"now":"2026-03-01T12:00:00Z""#

  /// What the engine gives for a record of the demo.
  private func expected(_ record: [UInt8], _ placements: [String]) throws -> [String] {
    let config = try Config.decode(TestServer.file("corpus/demo/config.json")).get()
    let rules = try RuleSet.compile(config).get()
    var frame = Frame(for: rules.program)
    let now = try RequestTime.instant(.string(TestServer.time), "now")
    var reader = UserRecordReader(rules, at: HistoryClock(now: now))
    try reader.read(json: record, into: &frame)
    let state = reader.state(now: now)
    return placements.map { name in
      rules.decide(name, frame: &frame, state: state, assigner: .hash(salt: "demo"))
        .outcomeLine(
          subjectID: state.subjectID, errors: rules.errors(name, frame: &frame, state: state)
        ).json
    }
  }

  @Test func oneUserGetsWhatTheEngineGives() async throws {
    let server = try await TestServer()
    let names = server.service.applications[0].current.ruleSet.placementNames
    let record = String(decoding: try TestServer.file("corpus/demo/user.json"), as: UTF8.self)
    let body =
      record.trimmingCharacters(in: .whitespacesAndNewlines).dropLast()
      + #","now":"\#(TestServer.time)"}"#
    let answer = try await server.post("/v1/decide", String(body))
    #expect(answer.status == 200)
    #expect(answer.headers["tollgate-config-version"] == "1")
    let lines = try expected(Array(record.utf8), names)
    #expect(answer.text == #"{"decisions":["# + lines.joined(separator: ",") + "]}")
  }

  @Test func whatIsAskedForIsThere() async throws {
    let server = try await TestServer {
      $0.settings.texts = try TextFile.decode(json: TestServer.file("corpus/demo/texts.json")).get()
    }
    let record = String(decoding: try TestServer.file("corpus/demo/user.json"), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines).dropLast()
    let answer = try await server.post(
      "/v1/decide",
      record + #","placements":["export_report","nowhere"],"now":"\#(TestServer.time)","#
        + #""explain":true,"reasons":true,"products":true,"texts":true}"#)
    let decisions = try #require(answer.json["decisions"]?.elements)
    #expect(decisions.map { $0["placement"]?.text } == ["export_report", "nowhere"])
    #expect(decisions[1]["result"]?["result"] == "placementNotFound")
    let first = decisions[0]
    #expect(first["paywall"]?.text != nil)
    #expect(first["explanation"]?["audiences"]?.elements?.isEmpty == false)
    #expect(first["reason"] == first["explanation"]?["reason"])
    #expect(first["products"]?.elements?.isEmpty == false)
    #expect(first["texts"]?.members?.isEmpty == false)
  }

  @Test(arguments: [
    ("", "not_json"), ("{", "not_json"), ("[1]", "not_json"), ("{}", "bad_user"),
    (#"{"userId":7}"#, "bad_user"), (#"{"userId":"u","user":[]}"#, "bad_user"),
    (#"{"userId":"u","placements":"p"}"#, "bad_request"),
    (#"{"userId":"u","placements":[1]}"#, "bad_request"),
    (#"{"userId":"u","now":"yesterday"}"#, "bad_request"),
    (#"{"userId":"u","explain":"yes"}"#, "bad_request"),
    (#"{"userId":"u","requestId":""}"#, "bad_request"),
    (String(repeating: "[", count: 20_000), "not_json"),
    (#"{"userId":"u","user":"# + String(repeating: #"{"a":"#, count: 20_000), "not_json"),
  ])
  func whatIsNoQuestionIsRefused(body: String, code: String) async throws {
    let server = try await TestServer()
    let answer = try await server.post("/v1/decide", body)
    #expect(answer.status == 400)
    #expect(answer.code == code)
    #expect(answer.json["error"]?["message"]?.text?.isEmpty == false)
  }

  @Test func largeBodiesAreRefused() async throws {
    let server = try await TestServer { $0.limits.body = 10_000 }
    let body = #"{"userId":"u","user":{"x":""# + String(repeating: "x", count: 20_000) + #""}}"#
    let answer = try await server.post("/v1/decide", body)
    #expect(answer.status == 413)
    #expect(answer.code == "body_too_large")
    #expect(try await server.post("/v1/decide", #"{"userId":"u"}"#).status == 200)
  }

  @Test func nothingIsThereAtOtherPaths() async throws {
    let server = try await TestServer()
    let answer = try await server.post("/v1/nothing", "{}")
    #expect(answer.status == 404)
    #expect(answer.code == "not_found")
    let method = try await server.send("DELETE", "/v1/decide")
    #expect(method.status == 405 && method.code == "method_not_allowed")
    #expect(method.headers["allow"] == "POST, OPTIONS")
    #expect(try await server.send("GET", "/v1/config/rollback").headers["allow"] == "POST, OPTIONS")
    let asked = try await server.send("OPTIONS", "/v1/config")
    #expect(asked.status == 204 && asked.headers["allow"] == "GET, HEAD, PUT, OPTIONS")
  }

  @Test func whatCanBeReadHasAHead() async throws {
    let server = try await TestServer()
    let whole = try await server.send("GET", "/v1/config", key: "sk_test")
    let head = try await server.send("HEAD", "/v1/config", key: "sk_test")
    #expect(head.status == 200 && head.bytes.isEmpty)
    #expect(head.headers["etag"] == whole.headers["etag"])
  }

  /// A small body could become any, so that none is unpacked.
  @Test func encodedBodiesAreRefused() async throws {
    let server = try await TestServer()
    for path in ["/v1/decide", "/v1/decide/stream", "/v1/explain", "/v1/config"] {
      let answer = try await server.send(
        path == "/v1/config" ? "PUT" : "POST", path, "{}", key: "sk_test",
        headers: ["Content-Encoding": "gzip"])
      #expect(answer.status == 415 && answer.code == "unsupported_encoding", "\(path)")
    }
    let plain = try await server.send(
      "POST", "/v1/decide", #"{"userId":"u"}"#, headers: ["Content-Encoding": "identity"])
    #expect(plain.status == 200)
  }

  /// Clients write null where they have nothing to say.
  @Test func nullSaysNothing() async throws {
    let server = try await TestServer()
    for (path, body) in [
      ("/v1/decide", #"{"userId":"u","reasons":null,"placements":null,"now":null}"#),
      ("/v1/explain", #"{"userId":"u","placement":null,"now":null,"seed":null,"set":null}"#),
      ("/v1/check", #"{"config":null,"platform":null,"now":null}"#),
      ("/v1/render", #"{"template":"x","dialect":null,"html":null,"locale":null,"user":null}"#),
      ("/v1/match", #"{"users":[],"placements":null,"seed":null}"#),
      ("/v1/superscript/evaluate", #"{"expression":"1","device":null,"answers":null}"#),
    ] {
      let answer = try await server.post(path, body)
      #expect(answer.status == 200, "\(path) \(answer.text)")
    }
  }

  /// Members of another kind than `/openapi.json` says are errors that name them.
  @Test func membersOfAnotherKindAreNamed() async throws {
    let server = try await TestServer()
    for (path, body, name) in [
      ("/v1/explain", #"{"user":{"userId":"u"},"placement":3}"#, "'placement' must be a string"),
      ("/v1/diff", #"{"new":{},"placements":["a",1]}"#, "'placements' must be a list of strings"),
      ("/v1/check", #"{"platform":"amiga"}"#, "'platform' must be ios, android"),
      ("/v1/render", #"{"user":{}}"#, "'template' is missing"),
      ("/v1/match", "[]", "must be an object of JSON, not a list"),
      (
        "/v1/superscript/evaluate", #"{"expression":"1","device":[]}"#, "'device' must be an object"
      ),
      ("/v1/superscript/evaluate", #"{"expression":["1"]}"#, "'expression' must be a string"),
    ] {
      let answer = try await server.post(path, body)
      #expect(answer.status == 400 && answer.text.contains(name), "\(answer.text)")
    }
  }

  /// What is put while a body arrives is for the next request.
  @Test func aRequestIsDecidedByTheConfigThatItBeganWith() async throws {
    let server = try await TestServer()
    let connection = try RawConnection(to: server.url)
    let body = #"{"userId":"u","placements":["export_report_2"]}"#
    connection.send(
      "POST /v1/decide HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer pk_test\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body.prefix(10))
    try await Task.sleep(for: .milliseconds(200))
    let config = String(decoding: try TestServer.file("corpus/demo/config.json"), as: UTF8.self)
      .replacing(#""export_report""#, with: #""export_report_2""#)
    #expect(try await server.send("PUT", "/v1/config", config, key: "sk_test").status == 200)
    connection.send(String(body.dropFirst(10)))
    let answer = await connection.receive(until: "]}").lowercased()
    #expect(answer.contains("tollgate-config-version: 1\r\n"))
    #expect(answer.contains("placementnotfound"))
    let next = try await server.post("/v1/decide", body)
    #expect(next.headers["tollgate-config-version"] == "2")
    #expect(!next.text.contains("placementNotFound"))
  }

  /// Errors of rules are told with the outcome, and counted once for each decision.
  @Test func failedRulesAreToldAndCounted() async throws {
    let config = #"""
      {"trigger_options":[{"event_name":"p","rules":[{
        "experiment_id":"7","experiment_group_id":"1","expression_cel":"user.name.startsWith('A')",
        "variants":[{"variant_id":"70","variant_type":"HOLDOUT","percentage":100}]}]}]}
      """#
    let server = try await TestServer {
      $0.fixtures = Fixtures(applications: [
        .init(id: "1", publicKey: "pk_test", secretKey: "sk_test", config: Array(config.utf8))
      ])
    }
    for _ in 0..<3 {
      let answer = try await server.post("/v1/decide", #"{"userId":"u","user":{"name":7}}"#)
      let decision = answer.json["decisions"]?.elements?.first
      #expect(decision?["errors"]?.elements?.first?["path"] == "user.name")
    }
    let metrics = try await server.send("GET", "/metrics", key: nil).text
    let counted = metrics.split(separator: "\n")
      .first { $0.hasPrefix("tollgate_rule_errors_total") }
    #expect(counted?.hasSuffix(" 3") == true)
  }

  /// Users of single requests and of streams for whom a missing attribute decided are counted.
  @Test func missingAttributesAreCounted() async throws {
    let config = #"""
      {"trigger_options":[{"event_name":"p","rules":[{
        "experiment_id":"7","experiment_group_id":"1","expression_cel":"user.seed < 50",
        "variants":[{"variant_id":"70","variant_type":"HOLDOUT","percentage":100}]}]}]}
      """#
    let server = try await TestServer {
      $0.fixtures = Fixtures(applications: [
        .init(id: "1", publicKey: "pk_test", secretKey: "sk_test", config: Array(config.utf8))
      ])
    }
    for user in [#"{"plan":"free"}"#, #"{"seed":7}"#, #"{"seed":70}"#, "{}"] {
      _ = try await server.post("/v1/decide", #"{"userId":"u","user":\#(user)}"#)
    }
    let lines = ["{}", "{}", #"{"seed":1}"#].map { #"{"userId":"u","user":\#($0)}"# }
    _ = try await server.post("/v1/decide/stream", lines.joined(separator: "\n"))
    let metrics = try await server.send("GET", "/metrics", key: nil).text
    let counted = metrics.split(separator: "\n")
      .first { $0.hasPrefix("tollgate_missing_attributes_total") }
    #expect(counted?.contains(#"attribute="user.seed",matched="true""#) == true)
    #expect(counted?.hasSuffix(" 4") == true, "\(counted ?? metrics[...])")
  }
}

import Expressions
import Service
import Testing

/// A request selects the SDK that decides. On the Web, numbers count as conditions.
@Suite struct PlatformTests {
  private static let config = """
    {"build_id": "b", "paywall_responses": [{"identifier": "plans"}], "trigger_options": [
      {"event_name": "open", "rules": [{"experiment_group_id": "1", "experiment_id": "2",
        "expression_cel": "user.visits", "variants": [
          {"percentage": 100, "variant_id": "3", "variant_type": "TREATMENT", "paywall_identifier": "plans"}]}]}]}
    """

  private static func server() async throws -> TestServer {
    try await TestServer {
      $0.fixtures = Fixtures(applications: [
        .init(id: "1", publicKey: "pk_test", secretKey: "sk_test", config: Array(config.utf8))
      ])
    }
  }

  private static func user(_ members: String = "") -> String {
    #"{"userId":"u","user":{"visits":3},"placements":["open"]\#(members)}"#
  }

  /// The result of a request, or its code of an error.
  private static func result(_ answer: Value) -> String? {
    let decision = answer["decisions"]?.elements?.first
    return answer["error"]?["code"]?.text ?? decision?["result"]?["result"]?.text
  }

  @Test(arguments: [
    ("", "noAudienceMatch"), (#","platform":"ios""#, "noAudienceMatch"),
    (#","platform":"web""#, "paywall"), (#","platform":"web","sdkVersion":"newest""#, "paywall"),
    (#","platform":null"#, "noAudienceMatch"), (#","platform":"windows""#, "bad_request"),
    (#","platform":7"#, "bad_request"),
    (#","sdkVersion":"record","device":{"platform":"web","sdkVersion":"1.0"}"#, "paywall"),
    (#","platform":"web","sdkVersion":"record""#, "paywall"),
  ])
  func aRequestSelectsItsPlatform(_ members: String, _ expected: String) async throws {
    let server = try await Self.server()
    let one = try await server.post("/v1/decide", Self.user(members))
    #expect(Self.result(one.json) == expected)
    // Neighbours that select nothing are decided as before.
    let lines = [Self.user(), Self.user(members), #"{"userId":"u","user":{"visits":3}}"#]
    let stream = try await server.post("/v1/decide/stream", lines.joined(separator: "\n"))
    let results = try stream.text.split(separator: "\n").map {
      Self.result(try Value.parse(json: $0.utf8))
    }
    #expect(results == ["noAudienceMatch", expected, "noAudienceMatch"])
  }

  @Test(arguments: [
    ("platform=web", "paywall"), ("platform=ios", "noAudienceMatch"),
    ("sdkVersion=record", "paywall"), ("platform=windows", "bad_request"),
    ("platfrom=web", "unknown_member"), ("platform=web&platform=ios", "repeated_member"),
  ])
  func aStreamSelectsItsPlatform(_ query: String, _ expected: String) async throws {
    let server = try await Self.server()
    let record =
      #"{"userId":"u","user":{"visits":3},"device":{"platform":"web","sdkVersion":"1.0"}}"#
    for lines in [record, record + "\n" + #"{"userId":"v","placements":["open"],"explain":true}"#] {
      let answer = try await server.post("/v1/decide/stream?\(query)", lines)
      let first = answer.text.split(separator: "\n").first.map(String.init) ?? ""
      #expect(Self.result(try Value.parse(json: first.utf8)) == expected, "\(answer.text)")
    }
  }

  @Test func explanationsAndCountsFollow() async throws {
    let server = try await Self.server()
    let record = #"{"userId":"u","user":{"visits":3}}"#
    for (platform, taken) in [("web", 1), ("ios", 0)] {
      let why = try await server.post(
        "/v1/explain", #"{"placement":"open","platform":"\#(platform)","user":\#(record)}"#)
      #expect(why.json["result"]?["result"]?.text == (taken == 1 ? "paywall" : "noAudienceMatch"))
      let match = try await server.post(
        "/v1/match", #"{"users":[\#(record)],"platform":"\#(platform)"}"#)
      let outcomes = match.json["placements"]?["open"]?["outcomes"]
      #expect(outcomes?["paywall"]?.wholeNumber == taken)
    }
    for (path, members) in [
      ("/v1/explain", #""user":\#(record)"#), ("/v1/match", #""users":[\#(record)]"#),
      ("/v1/cover", #""tests":[]"#), ("/v1/diff", #""new":\#(Self.config)"#),
    ] {
      let answer = try await server.post(path, #"{\#(members),"platform":"windows"}"#)
      #expect(answer.status == 400 && answer.json["error"]?["path"] == "platform", "\(path)")
    }
    // The two configs differ in nothing.
    let diff = try await server.post(
      "/v1/diff", #"{"new":\#(Self.config),"platform":"web"}"#)
    #expect(diff.json["placements"]?["open"]?["verdict"] == "same")
  }

  /// As `/v1/decide` would.
  @Test func linesOfAStreamHaveKnownMembersOnly() async throws {
    let server = try await Self.server()
    let lines = [
      #"{"userId":"a","user":{"visits":3,"explian":true}}"#, #"{"userId":"b","explian":true}"#,
      #"{"userId":"c","placement":"open"}"#, #"{"userId":"d"}"#,
      #"{"userId":"e","sdkVersion":"4.1.0","explian":true}"#, #"{"userId":"f","seed":"s"}"#,
    ]
    let answer = try await server.post("/v1/decide/stream", lines.joined(separator: "\n"))
    let all = try answer.text.split(separator: "\n").map { try Value.parse(json: $0.utf8) }
    #expect(
      all.map { $0["error"]?["path"]?.text } == [
        nil, "explian", "placement", nil, "explian", nil,
      ])
    #expect(all.compactMap { $0["error"]?["line"]?.wholeNumber } == [2, 3, 5])
    #expect(all[1]["error"]?["message"]?.text?.contains("did you mean 'explain'?") == true)
  }
}

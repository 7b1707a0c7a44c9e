import Foundation
import Testing

/// The command line as its users meet it: what it prints where, what it reads from standard input,
/// and how it ends.
@Suite struct ProcessTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus").path

  private let config = corpus + "/demo/config.json"
  private let users = corpus + "/demo/users.ndjson"
  private let user = corpus + "/demo/user.json"
  private let now = "2026-03-01T12:00:00Z"

  private func json(_ text: some StringProtocol) throws -> NSDictionary {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(value as? NSDictionary)
  }

  // MARK: decide

  @Test func decidePrintsOneLine() throws {
    let result = try BuiltTool.run(
      "decide", config, "--placement", "export_report", "--user", user, "--now", now, "--seed",
      "demo")
    #expect(result.code == 0)
    #expect(result.lines.count == 1)
    let line = try json(result.output)
    #expect(
      Set(line.allKeys.compactMap { $0 as? String })
        == ["userId", "placement", "result", "audience", "paywall"])
    #expect(line["placement"] as? String == "export_report")
    // The record may come from standard input.
    let piped = try BuiltTool.run(
      [
        "decide", config, "--placement", "export_report", "--user", "-", "--now", now, "--seed",
        "demo",
      ],
      input: try Data(contentsOf: URL(filePath: user)))
    #expect(piped.output == result.output)
    // Without --now it is the time of start.
    let later = try BuiltTool.run("decide", config, "--placement", "export_report", "--user", user)
    #expect(later.code == 0)
  }

  @Test func decideKnowsNoSuchPlacement() throws {
    let result = try BuiltTool.run(
      "decide", config, "--placement", "export_reprot", "--user", "-", "--now", now,
      input: "{\"userId\":\"u\"}")
    #expect(result.code == 2)
    #expect(result.output == "")
    #expect(result.errors.contains("export_report"))
  }

  @Test(arguments: [
    ("", "standard input: the record is empty"), ("[1]", "JSON object"), ("7", "JSON object"),
    ("{}", "userId"),
    ("{\"userId\":5}", "userId"), ("{\"userId\":\"u\",\n\"user\":{\"a\":}}", ":2:13"),
    ("{\"userId\":\"u\"} x", "is followed by other characters"),
    ("{\"userId\":\"u\",\"occurrences\":{\"k\":[1]}}", "k"),
  ])
  func decideRefusesRecords(record: String, reason: String) throws {
    let result = try BuiltTool.run(
      "decide", config, "--placement", "export_report", "--user", "-", "--now", now, input: record)
    #expect(result.code == 2)
    #expect(result.output == "")
    #expect(result.errors.contains(reason), "\(result.errors)")
  }

  // MARK: explain

  private static let wallie = """
    {"campaigns":[{"id":"c","name":"C","status":"active",
    "placements":[{"id":"p","name":"export","type":"custom","status":"active"}],
    "audiences":[{"id":"a","name":"Free","priority_order":0,
    "filters":[{"field":"user.plan","operator":"is","value":"free"}],
    "experiment":{"id":"exp-1","status":"running","holdout_percentage":20,"variants":[
    {"id":"v1","paywall_id":"pw","traffic_percentage":50},
    {"id":"v2","paywall_id":"pw","traffic_percentage":30}]}},
    {"id":"b","name":"Rest","priority_order":1,"filters":[]}]}],
    "paywalls":{"pw":{"version":"1","name":"n","settings":{},"components":[]}}}
    """

  private func agentWallieFile() throws -> URL {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "tollgate-wallie-\(UUID().uuidString).json")
    try Data(Self.wallie.utf8).write(to: file)
    return file
  }

  @Test func explainTellsEverything() throws {
    let text = try BuiltTool.run(
      "explain", config, "--placement", "export_report", "--user", user, "--now", now, "--seed",
      "demo")
    #expect(text.code == 0 && text.errors == "")
    let wanted = [
      "user u-mara at \(now)", "export_report: paywall export-trial",
      "audience 0 (export-long): does not match",
      "no       params.pages > 20                      params.pages is 12",
      "audience 1 (export-free): held back by its limit: shown 2 times in the last 24 hours (2026-02-28 19:05, 2026-03-01 08:40), at most 2, counted as 'export_free'",
      "size(device.activeEntitlements) is 0", "export-settled-none: holdout", "1/10  10 %",
      "drew 0.271 of 1: variant export-settled-trial below 0.45",
      "- store the assignment of export-settled-trial in export-settled",
    ]
    for line in wanted { #expect(text.output.contains(line), "\(line)") }
  }

  @Test func explainAsJSON() throws {
    let result = try BuiltTool.run(
      "explain", config, "--placement", "export_report", "--user", user, "--now", now, "--seed",
      "demo", "--json")
    #expect(result.code == 0 && result.lines.count == 1)
    let value = try json(result.output)
    let reason = try #require(value["reason"] as? NSDictionary)
    #expect(reason["code"] as? String == "paywall")
    let heldBack = try #require((reason["heldBack"] as? [NSDictionary])?.first)
    #expect(heldBack["audience"] as? Int == 1)
    let limit: NSDictionary = ["key": "export_free", "count": 2, "of": 2, "minutes": 1_440]
    #expect(heldBack["limit"] as? NSDictionary == limit)
    let draw = try #require(reason["draw"] as? NSDictionary)
    #expect(draw["from"] as? Double == 0 && draw["to"] as? Double == 0.45)
    #expect(value["audience"] as? Int == 2)
    let audiences = try #require(value["audiences"] as? [NSDictionary])
    let codes = audiences.map { ($0["reason"] as? NSDictionary)?["code"] as? String }
    #expect(codes == ["expressionFalse", "occurrenceLimit", "matched"])
    let clauses = try #require(audiences[0]["clauses"] as? [NSDictionary])
    #expect(clauses.suffix(2).map { $0["text"] as? String } == ["params.pages > 20", "false"])
    #expect(clauses.suffix(2).map { $0["outcome"] as? String } == ["false", "false"])
    #expect(clauses.suffix(2).map { $0["reached"] as? Bool } == [true, false])
    let shares = try #require(value["shares"] as? [NSDictionary])
    #expect(shares.map { $0["probability"] as? String } == ["9/20", "9/20", "1/10"])
  }

  /// One audience by itself, whether or not it would be reached.
  @Test func explainOneAudience() throws {
    let file = try agentWallieFile()
    defer { try? FileManager.default.removeItem(at: file) }
    func explain(_ audience: String, _ more: [String] = []) throws -> BuiltTool.Result {
      try BuiltTool.run(
        ["explain", file.path, "--placement", "export", "--user", "-", "--audience", audience]
          + more, input: Data(#"{"userId":"u","user":{"plan":"free"}}"#.utf8))
    }
    let second = try explain("1")
    #expect(second.code == 0)
    #expect(second.output.contains("audience 1 (Rest, b): matched"))
    #expect(try explain("0").output.contains(#"yes      user.plan is "free"  user.plan is "free""#))
    #expect(try json(try explain("1", ["--json"]).output)["name"] as? String == "Rest")
    #expect(try explain("Rest").output.contains("audience 1 (Rest, b): matched"))
    let none = try explain("2")
    #expect(none.code == 2 && none.output == "")
    #expect(none.errors.contains("no audience '2'; it has 0 (a), 1 (b)"))
  }

  @Test func explainKnowsNoSuchPlacement() throws {
    for more in [[], ["--audience", "0"]] {
      let result = try BuiltTool.run(
        ["explain", config, "--placement", "export_reprot", "--user", user] + more)
      #expect(result.errors.contains("did you mean 'export_report'?"))
      #expect(result.code == 2)
      #expect(result.output == "")
    }
  }

  // MARK: formats and assigners

  @Test func formatsAreDetected() throws {
    let user = #"{"userId":"user-4","user":{"plan":"free"}}"#
    let file = try agentWallieFile()
    defer { try? FileManager.default.removeItem(at: file) }
    func decide(_ more: String...) throws -> BuiltTool.Result {
      try BuiltTool.run(
        ["decide", file.path, "--placement", "export", "--user", "-"] + more,
        input: Data(user.utf8))
    }
    // djb2 puts user-4 into the holdout of exp-1.
    let detected = try json(try decide("--assigner", "djb2").output)
    #expect((detected["result"] as? NSDictionary)?["result"] as? String == "holdout")
    let forced = try decide("--assigner", "djb2", "--config-format", "agentwallie")
    #expect(try json(forced.output) == detected)
    let wrong = try decide("--config-format", "superwall")
    #expect(wrong.errors.contains("'trigger_options' is missing"))
    #expect(try decide("--config-format", "other").code != 0)
    let distribution = try json(try decide("--distribution").output)
    let shares = try #require(distribution["shares"] as? [NSDictionary])
    #expect(shares.map { $0["probability"] as? String } == ["1/2", "3/10", "1/5"])
    let batch = try BuiltTool.run(
      [
        "precompute", file.path, "--users", "-", "--now", now, "--assigner", "djb2", "--placement",
        "export",
      ], input: Data(user.utf8))
    #expect(try json(batch.output) == detected)
  }

  /// The second severity: what this config does to SDKs in the field.
  @Test func checkElsewhere() throws {
    let text = #"{"build_id":"b","trigger_options":[]}"#
    #expect(try BuiltTool.run("check", "-", input: text).code == 0)
    let result = try BuiltTool.run("check", "-", "--elsewhere", input: text)
    #expect(result.code == 1)
    #expect(result.output.contains("= elsewhere: iOS and Android reject the whole config"))
    #expect(
      result.lines.last?.hasSuffix("rejected as a whole by the SDKs for ios, android") == true)
    #expect(try BuiltTool.run("check", config, "--elsewhere").code == 0)
    let lines = try BuiltTool.run("check", "-", "--json", input: text).lines
    let first = try json(try #require(lines.first))
    let elsewhere = try #require((first["elsewhere"] as? [NSDictionary])?.first)
    #expect(elsewhere["sdks"] as? [String] == ["ios", "android"])
    #expect(elsewhere["consequence"] as? String == "rejects-config")
    #expect(elsewhere["severity"] as? String == "error")
  }

  // MARK: precompute

  @Test func precomputeStreams() throws {
    let records = (0..<50).map { "{\"userId\":\"user-\($0)\"}" }
    var outputs: Set<String> = []
    for lineEnd in ["\n", "\r\n", "\n\n"] {
      for threads in ["1", "4"] {
        let result = try BuiltTool.run(
          "precompute", config, "--users", "-", "--now", now, "--threads", threads,
          input: records.joined(separator: lineEnd) + (threads == "1" ? lineEnd : ""))
        #expect(result.code == 0)
        #expect(result.errors.contains("50 users"))
        outputs.insert(result.output)
      }
    }
    #expect(outputs.count == 1)
    #expect(outputs.first?.split(separator: "\n").count == 300)
  }

  /// Outcomes on standard output, the summary beside them on standard error; without outcomes the
  /// summary is the output.
  @Test func precomputeSums() throws {
    let lines = "{\"userId\":\"a\"}\n{}\n{\"userId\":\"b\"}\n"
    let both = try BuiltTool.run(
      "precompute", config, "--users", "-", "--now", now, "--summary", "json", input: lines)
    #expect(both.code == 0)
    #expect(both.lines.count == 12)
    #expect(both.errors.contains("standard input:2: rejected: "))
    let summary = try #require(
      both.errors.split(separator: "\n").first { $0.hasPrefix("{\"users\"") })
    let alone = try BuiltTool.run(
      "precompute", config, "--users", "-", "--now", now, "--summary", "json", "--out", "none",
      input: lines)
    #expect(alone.output == summary + "\n")
    let value = try json(summary)
    #expect(value["users"] as? Int == 2)
    #expect(value["rejected"] as? Int == 1)
    let placements = try #require(value["placements"] as? NSDictionary)
    #expect(placements.count == 6)
    for case let placement as NSDictionary in placements.allValues {
      let outcomes = try #require(placement["outcomes"] as? [String: Int])
      #expect(
        Set(outcomes.keys)
          == ["paywall", "holdout", "noAudienceMatch", "placementNotFound", "error"])
      #expect(outcomes.values.reduce(0, +) == 2)
    }
  }

  @Test func precomputeWide() throws {
    let result = try BuiltTool.run(
      "precompute", config, "--users", "-", "--now", now, "--layout", "wide", "--placement",
      "export_report", "--placement", "session_start", input: "{\"userId\":\"a\"}")
    #expect(result.code == 0)
    let line = try json(result.output)
    #expect(
      Set(line.allKeys.compactMap { $0 as? String })
        == ["userId", "export_report", "session_start"])
  }

  @Test func precomputeStrictly() throws {
    let result = try BuiltTool.run(
      "precompute", config, "--users", "-", "--now", now, "--strict", "--placement",
      "export_report",
      "--summary", "json", input: "{\"userId\":\"a\"}\n{}\n{\"userId\":\"b\"}\n[]\n")
    #expect(result.code == 3)
    #expect(result.lines.count == 2)
    #expect(result.errors.contains("standard input:2: rejected: "))
    #expect(result.errors.contains("{\"users\":2,\"rejected\":2,"))
  }

  /// Unknown keys of records are told once, with their number.
  @Test func precomputeTellsUnknownKeys() throws {
    let result = try BuiltTool.run(
      "precompute", config, "--users", "-", "--now", now, "--out", "none",
      input: "{\"userId\":\"a\",\"plan\":1}\n{\"userId\":\"b\",\"plan\":2,\"events\":{}}\n")
    #expect(result.code == 0)
    #expect(result.errors.contains("'plan'"))
    #expect(result.errors.contains("2 users"))
    #expect(!result.errors.contains("'events'"))
  }

  // MARK: check

  @Test func checkPrintsWhatItFinds() throws {
    let text = """
      {
        "build_id": "b",
        "trigger_options": [{"event_name": "p", "rules": [
          {"experiment_id": "e", "experiment_group_id": "g", "preload": {"behavior": "ALWAYS"},
           "expression_cel": "user.a = 1",
           "variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]}]}]
      }
      """
    let shown = try BuiltTool.run("check", "-", input: text)
    #expect(shown.code == 1)
    #expect(
      shown.output.contains(
        """
        error[syntax-error]: '=' is not an operator
          --> standard input:5:32: trigger_options[0].rules[0].expression_cel
           | user.a = 1
           |        ^
           = help: write '==' to compare
        """), "\(shown.output)")
    #expect(
      shown.lines.last?.hasPrefix("1 placement, 1 audience, 0 attributes: 1 error, ") == true)
    let machine = try BuiltTool.run("check", "-", "--json", input: text)
    #expect(machine.code == 1)
    let errors = try machine.lines.map { try json($0) }.filter {
      $0["severity"] as? String == "error"
    }
    let error = try #require(errors.first)
    #expect(errors.count == 1)
    #expect(error["code"] as? String == "syntax-error")
    #expect(error["path"] as? String == "trigger_options[0].rules[0].expression_cel")
    #expect(error["file"] as? String == "-")
    #expect(error["line"] as? Int == 5 && error["column"] as? Int == 32)
    #expect(error["range"] as? [String: Int] == ["from": 195, "to": 196])
    #expect(Array(text.utf8)[195] == UInt8(ascii: "="))
    #expect(error["expressionRange"] as? [String: Int] == ["from": 7, "to": 8])
    #expect(error["message"] is String)
    #expect(error["suggestion"] as? String == "write '==' to compare")
  }

  @Test(arguments: ["", "[]", "{", "nonsense", "\u{FEFF}{}"])
  func checkOfNoConfig(text: String) throws {
    let result = try BuiltTool.run("check", "-", input: text)
    #expect(result.code == 1)
    #expect(result.output.contains("error[decode-failure]"))
  }

  @Test func checkOfTheDemo() throws {
    let result = try BuiltTool.run("check", config, "--strict")
    #expect(result.code == 0)
    #expect(result.lines.count == 1)
    #expect(result.errors == "")
  }

  /// A config with thousands of mistakes is told in one pass over the text. The limit of time is
  /// there for what would take hours.
  @Test(.timeLimit(.minutes(30)))
  func checkOfManyMistakes() throws {
    let rules = (0..<1_500).map {
      """
      {"event_name":"p\($0)","rules":[{"experiment_id":"e\($0)","experiment_group_id":"g",
      "expression_cel":"user.a == \($0) &&","preload":{"behavior":"ALWAYS"},
      "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":1,
      "paywall_identifier":"paywall_\($0)x"}]}]}
      """
    }.joined(separator: ",\n")
    let paywalls = (0..<1_500).map { "{\"identifier\":\"paywall_\($0)\",\"name\":\"n\"}" }
      .joined(separator: ",")
    let text = """
      {"build_id":"b","paywall_responses":[\(paywalls)],"trigger_options":[
      \(rules)]}
      """
    let result = try BuiltTool.run("check", "-", input: text)
    #expect(result.code == 1)
    #expect(
      result.lines.last?.contains("3,000 errors, 1 warning, 0 notes") == true,
      "\(result.lines.last ?? "")")
    #expect(
      result.output.contains(
        "--> standard input:5999:36: trigger_options[1499].rules[0].expression_cel"))
  }

  // MARK: How commands end

  @Test func filesThatAreNotThere() throws {
    let missing = Self.corpus + "/nothing.json"
    for arguments in [
      ["check", missing], ["decide", missing, "--placement", "p", "--user", user],
      ["decide", config, "--placement", "export_report", "--user", missing],
      ["precompute", missing, "--users", users], ["precompute", config, "--users", missing],
      ["check", Self.corpus],
    ] {
      let result = try BuiltTool.run(arguments)
      #expect(result.code == 2, "\(arguments)")
      #expect(result.output == "")
      #expect(result.errors.contains("nothing.json") || result.errors.contains("corpus"))
    }
  }

  @Test func commandsThatAreNotUnderstood() throws {
    for arguments in [
      ["check"], ["nope"], ["decide", config], ["precompute", config],
      ["precompute", config, "--users", users, "--threads", "0"],
      ["precompute", config, "--users", users, "--layout", "tall"],
      ["precompute", config, "--users", users, "--out", "none", "--now", "yesterday"],
      ["decide", config, "--placement", "p", "--user", user, "--now", "2026-13-01T00:00:00Z"],
    ] {
      let result = try BuiltTool.run(arguments)
      #expect(result.code == 2, "\(arguments) \(result.errors)")
      #expect(result.output == "")
    }
    #expect(try BuiltTool.run("--version").output.hasPrefix("tollgate "))
    #expect(try BuiltTool.run("--help").code == 0)
  }

  #if os(Linux)
    /// Libraries that cost a command time whenever it starts.
    @Test func largeLibrariesAreNotLoaded() throws {
      let libraries = try BuiltTool.run("/usr/bin/ldd", [try BuiltTool.tool()]).output
      #expect(libraries.contains("libc.so"))
      for name in ["libFoundation.so", "libFoundationInternationalization", "ICU", "libcurl"] {
        #expect(!libraries.contains(name), "\(libraries)")
      }
    }
  #endif
}

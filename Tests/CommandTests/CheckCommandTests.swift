import Foundation
import Testing

/// What check says, how much it counts, and its form for machines.
@Suite("The command check")
struct CheckCommandTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A config to which nothing can be said, with these rules.
  private func complete(_ rules: String, without key: String? = nil) -> String {
    let keys = [
      #""build_id":"b""#, #""log_level":10"#, #""app_session_timeout_ms":1"#, #""toggles":[]"#,
      #""products":[]"#, #""postback":{}"#, #""disable_preload":{"all":false,"triggers":[]}"#,
      #""localization":{"locales":[]}"#, #""paywall_responses":[]"#,
    ]
    let kept = keys.filter { key == nil || !$0.hasPrefix("\"\(key ?? "")\"") }
    return
      "{\(kept.joined(separator: ",")),\n\"trigger_options\":[{\"event_name\":\"p\",\"rules\":[\(rules)]}]}"
  }

  private func rule(
    percentage: String = "100", more: String = #""preload":{"behavior":"ALWAYS"}"#
  ) -> String {
    """
    {"experiment_id":"e","experiment_group_id":"g",\(more),"variants":[{"variant_id":"v",
    "variant_type":"TREATMENT","percentage":\(percentage),"paywall_identifier":"pw"}]}
    """
  }

  private func check(_ text: String, _ more: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(["check", "-"] + more, input: Data(text.utf8))
  }

  private func findings(_ text: String, _ more: String...) throws -> [NSDictionary] {
    try BuiltTool.run(["check", "-", "--json"] + more, input: Data(text.utf8)).lines.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
    }
  }

  // MARK: How much counts

  /// A value of which SDKs reject the whole is an error, and a note for those who have no SDK; rules
  /// decide in any case.
  @Test func fractions() throws {
    let text = complete(rule(percentage: "33.3"))
    let found = try #require(try findings(text).first)
    #expect(found["code"] as? String == "would-reject")
    #expect(found["severity"] as? String == "error")
    #expect(found["path"] as? String == "trigger_options[0].rules[0].variants[0].percentage")
    #expect(try check(text).code == 1)
    #expect(try check(text, "--elsewhere", "strict").code == 1)
    #expect(try check(text, "--elsewhere", "off").code == 0)
    #expect(try check(text, "--elsewhere", "off", "--strict").code == 0)
    #expect(try findings(text, "--elsewhere", "off").first?["severity"] as? String == "note")
    let decided = try BuiltTool.run(
      ["decide", "-", "--placement", "p", "--user", #"{"userId":"u"}"#], input: Data(text.utf8))
    #expect(decided.code == 0)
    #expect(decided.output.contains(#""paywall":"pw""#))
    #expect(!decided.errors.contains("error"))
  }

  /// So is a weight of another type, which counts as 0; without a weight nobody knows what is meant.
  @Test(arguments: [#""50""#, "null", "true", "[50]"])
  func weightsOfAnotherType(percentage: String) throws {
    let text = complete(rule(percentage: percentage))
    let found = try findings(text, "--elsewhere", "off")
    let weight = try #require(
      found.first { ($0["path"] as? String)?.hasSuffix("variants[0].percentage") == true })
    #expect(weight["code"] as? String == "would-reject")
    #expect(weight["severity"] as? String == "note")
    let message = try #require(weight["message"] as? String)
    #expect(message.hasPrefix("'percentage' must be a number, not "), "\(message)")
    #expect(message.hasSuffix("; 0 is used"))
    #expect(try check(text, "--elsewhere", "off").code == 0)
    #expect(try check(text).code == 1)
    let absent = text.replacing(#""percentage":\#(percentage),"#, with: "")
    #expect(try check(absent, "--elsewhere", "off").code == 1)
  }

  /// A pattern that nobody takes is an error in every dialect, one that one of them takes a difference;
  /// deciding goes on with both.
  @Test(arguments: [
    ("(unclosed", "bad-regex", "error"), ("(?=a)", "bad-regex", "error"),
    (#"(a)\1"#, "bad-regex", "error"), ("(?R)", "bad-regex", "error"),
    ("(?C1)", "bad-regex", "error"), ("(?>a)", "bad-regex", "error"),
    ("(?x) a b", "dialect-difference", "note"), (#"\u0041"#, "dialect-difference", "note"),
    (#"\Qa.b\E"#, "dialect-difference", "note"), ("p{,2}", "dialect-difference", "note"),
  ])
  func patterns(_ pattern: String, code: String, severity: String) throws {
    let expression = "device.deviceModel.matches('\(pattern.replacing("\\", with: "\\\\"))')"
    let condition = try JSONEncoder().encode(expression)
    let text = complete(
      rule(
        more: #""preload":{"behavior":"ALWAYS"},"expression_cel":"#
          + String(decoding: condition, as: UTF8.self)))
    let found = try findings(text)
    #expect(found.map { $0["code"] as? String } == [code])
    #expect(found.map { $0["severity"] as? String } == [severity])
    #expect(
      found.first?["path"] as? String == "trigger_options[0].rules[0].expression_cel")
    #expect(try check(text).code == (severity == "error" ? 1 : 0))
    if severity == "error" {
      #expect(
        try findings(text, "--dialect", "cel").map { $0["code"] as? String } == ["bad-regex"])
    }
    for dialect in ["superscript", "cel"] {
      let decided = try BuiltTool.run(
        [
          "decide", "-", "--placement", "p", "--dialect", dialect, "--user", #"{"userId":"u"}"#,
        ], input: Data(text.utf8))
      // In CEL, a rule with what is not a pattern there does not compile.
      let code = dialect == "cel" ? try check(text, "--dialect", "cel").code : 0
      #expect(decided.code == code, "\(dialect)")
      #expect(decided.output.contains("noAudienceMatch"), "\(dialect): \(decided.output)")
    }
    // The rule compiles, so that a whole file of users is decided too.
    let config = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: config) }
    try Data(text.utf8).write(to: config)
    let run = try BuiltTool.run(
      "precompute", config.path, "--users", "-", input: #"{"userId":"u"}"# + "\n")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("noAudienceMatch"))
  }

  /// Keys of a config by hand are one warning, with all of them beside it.
  @Test func configsByHand() throws {
    let text = #"{"trigger_options":[{"event_name":"p","rules":[\#(rule(more: #""note":1"#))]}]}"#
    let found = try findings(text, "--quiet")
    #expect(found.count == 1)
    #expect(found.first?["code"] as? String == "not-an-export")
    #expect(found.first?["severity"] as? String == "warning")
    #expect(
      found.first?["message"] as? String
        == "build_id, paywall_responses and 8 more are missing: SDKs require them, Tollgate does not"
    )
    let related = try #require(found.first?["related"] as? [NSDictionary])
    #expect(related.map { $0["path"] as? String } == ["", "trigger_options[0].rules[0]"])
    #expect(related.last?["message"] as? String == "'preload' is missing")
    #expect(try check(text).code == 0)
    #expect(try check(text, "--strict").code == 1)
    #expect(try check(text, "--elsewhere", "strict").code == 1)
    #expect(try check(text, "--elsewhere").code == 1)
    #expect(try check(text, "--elsewhere", "off", "--strict").code == 0)
    #expect(try check(text, "--elsewhere", "of").code != 0)
  }

  /// One that is missing among others that are there is told where it is missing.
  @Test func oneMissingKey() throws {
    let found = try findings(complete(rule(), without: "toggles"))
    #expect(found.count == 1)
    #expect(found.first?["message"] as? String == "'toggles' is missing")
    #expect(found.first?["severity"] as? String == "warning")
    let rules = [rule(), rule(more: #""expression_cel":"user.a == 1""#), rule()]
    let inner = try findings(complete(rules.reversed().joined(separator: ",\n")), "--quiet")
    #expect(inner.contains { $0["path"] as? String == "trigger_options[0].rules[1]" })
    #expect(try findings(complete(rule())).isEmpty)
  }

  /// The config in docs/libraries.md, and that of the demo.
  @Test func theSamples() throws {
    let readme = try String(
      contentsOf: Self.root.appending(path: "docs/libraries.md"), encoding: .utf8)
    let start = try #require(readme.range(of: "let json = #\"\"\"\n"))
    let end = try #require(readme.range(of: "\"\"\"#", range: start.upperBound..<readme.endIndex))
    let sample = String(readme[start.upperBound..<end.lowerBound])
    #expect(sample.contains("trigger_options"))
    #expect(try findings(sample).isEmpty)
    let demo = try String(
      contentsOf: Self.root.appending(path: "corpus/demo/config.json"), encoding: .utf8)
    #expect(try findings(demo, "--elsewhere", "strict").isEmpty)
  }

  // MARK: Its forms

  /// Places are those of the file: lines and columns from 1, columns in characters, ranges in bytes.
  @Test func places() throws {
    let text = complete(
      "\n  "
        + rule(
          more:
            #""preload":{"behavior":"ALWAYS"},"expression_cel":"user.\u0061 == \"é\" && user.b = 1""#
        ))
    let found = try #require(try findings(text).first)
    #expect(found["code"] as? String == "syntax-error")
    #expect(found["file"] as? String == "-")
    let range = try #require(found["range"] as? [String: Int])
    let bytes = Array(text.utf8)
    let from = try #require(range["from"])
    #expect(String(decoding: bytes[from...].prefix(4), as: UTF8.self) == "= 1\"")
    #expect(found["line"] as? Int == 3)
    let line = text.split(separator: "\n", omittingEmptySubsequences: false)[2]
    let column = try #require(line.range(of: "= 1\"")).lowerBound
    #expect(found["column"] as? Int == line.distance(from: line.startIndex, to: column) + 1)
    let inner = try #require(found["expressionRange"] as? [String: Int])
    #expect(inner["from"] == #"user.a == "é" && user.b "#.utf8.count)
    let shown = try check(text)
    #expect(
      shown.output.contains(
        "--> standard input:3:\(found["column"] ?? 0): trigger_options[0].rules[0].expression_cel"),
      "\(shown.output)")
  }

  /// What is found stands in the order of the file.
  @Test func order() throws {
    let text = complete(
      [rule(percentage: "0.5"), rule(more: #""expression_cel":"a ="#), rule(percentage: "1.5")]
        .joined(separator: ",\n"))
    let lines = try findings(text).compactMap { $0["line"] as? Int }
    #expect(lines == lines.sorted())
  }

  @Test(arguments: [
    ("{\"a\":1,}", "remove the comma before it"), ("{'a':1}", "strings need double quotes"),
    ("{\"a\":1 // x\n}", "JSON has no comments"),
  ])
  func nearlyJSON(text: String, help: String) throws {
    let result = try check(text)
    #expect(result.code == 1)
    #expect(result.output.contains("= help: \(help)"))
    let found = try #require(try findings(text).first)
    #expect(found["suggestion"] as? String == help)
    #expect(found["line"] as? Int == 1)
  }

  /// Differences between languages are lines of the same form.
  @Test func dialectReport() throws {
    let text = complete(
      rule(more: #""preload":{"behavior":"ALWAYS"},"expression_cel":"user.missing == 'x'""#))
    let found = try findings(text, "--dialect-report")
    #expect(!found.isEmpty)
    for finding in found {
      #expect(["dialect-difference", "platform-difference"].contains(finding["code"] as? String))
      #expect(finding["severity"] as? String == "note")
      #expect(finding["line"] as? Int == 2)
      #expect(finding["outcomes"] is NSDictionary)
    }
    #expect(try check(text, "--dialect-report").output.contains("standard input:2:"))
  }

  /// The worst of several files decides, wherever it stands.
  @Test func exitCodesOfSeveralFiles() throws {
    let folder = try TestFolder()
    try folder.write("good.json", complete(rule()))
    try folder.write("bad.json", complete(rule(percentage: "-1")))
    let files = ["good": "good.json", "bad": "bad.json", "none": "none.json"]
    for (names, code) in [
      (["good", "good"], 0), (["good", "bad"], 1), (["bad", "good"], 1), (["good", "none"], 2),
      (["none", "good"], 2), (["none", "bad"], 2), (["bad", "none", "good"], 2),
    ] as [([String], Int32)] {
      let run = try folder.tollgate(["check"] + names.compactMap { files[$0] })
      #expect(run.code == code, "\(names): \(run.output)\(run.errors)")
    }
  }

  /// What changes decisions is told by each clause, the rest once for all that come to the same.
  @Test func dialectReportForPeople() throws {
    let rules = [("user.n == 1", "s"), ("user.n == 2", "s"), ("user.m == 2", "t")].map {
      rule(more: #""expression_cel":"\#($0) && user.\#($1).contains('x')""#)
    }
    let told = try check(complete(rules.joined(separator: ",")), "--dialect-report").output
    let report = try #require(
      told.range(of: "No decision was found that changes because of these clauses:"))
    let decisive = told[..<report.lowerBound]
    #expect(decisive.components(separatedBy: "cel: error no-such-overload\n").count == 4)
    #expect(
      decisive.contains(#"with attributes {"user":{"t":["x"],"m":2},"device":{},"params":{}}"#))
    let others = told[report.upperBound...].split(separator: "\n").dropFirst()
    #expect(
      Array(others) == [
        "  user.n == 1", "    cel: error no-such-attribute", "    ios, android, web: false",
        #"  with attributes {"user":{},"device":{},"params":{}}"#, "  the same for 2 other clauses",
        "clauses that differ between cel and superscript: 3 with an effect on decisions, 3 without; "
          + "between ios, android and web: 3 with, 0 without",
      ], "\(told)")
  }
}

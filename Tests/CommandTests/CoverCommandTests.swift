import Expressions
import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `tollgate cover`: what tests leave out.
@Suite struct CoverCommandTests {
  private static let config = #"""
    {"build_id":"b","trigger_options":[{"event_name":"p","rules":[
      {"experiment_id":"free","experiment_group_id":"g","expression_cel":"user.plan == 'free' && user.age > 17",
       "occurrence":{"key":"k","max_count":2,"interval":{"type":"MINUTES","minutes":60}},
       "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"annual"}]},
      {"experiment_id":"rest","experiment_group_id":"g","expression_cel":null,
       "variants":[{"variant_id":"w","variant_type":"HOLDOUT","percentage":100}]},
      {"experiment_id":"never","experiment_group_id":"g","expression_cel":"user.plan == 'pro'",
       "variants":[{"variant_id":"x","variant_type":"HOLDOUT","percentage":100}]}]}],
     "product_identifiers":[],"paywall_responses":[{"identifier":"annual"}]}
    """#

  private static let adult =
    #"{"placement":"p","userId":"a","user":{"plan":"free","age":18},"expect":{"result":"paywall"}}"#
  private static let now = ["--now", "2026-03-01T12:00:00Z"]

  private func folder(_ tests: String = adult) throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    try folder.write("t.jsonl", tests)
    return folder
  }

  @Test func whatIsLeftOut() throws {
    let folder = try folder()
    let result = try folder.tollgate(["cover", "config.json", "t.jsonl"] + Self.now)
    #expect(result.code == 0, "\(result.errors)")
    #expect(
      result.output == """
        placement  audiences  clauses  limits  variants  covered
        --------------------------------------------------------
        p                1/2      2/4     0/3       1/2   36.4 %

        Not exercised:

        p, audience 0 (free): 'user.plan == 'free'' is never false
          --> config.json:2:71
           | user.plan == 'free' && user.age > 17
           | ^^^^^^^^^^^^^^^^^^^

        p, audience 0 (free): 'user.age > 17' is never false
          --> config.json:2:94
           | user.plan == 'free' && user.age > 17
           |                        ^^^^^^^^^^^^^

        p, audience 0 (free): no test has reached the limit k, is taken for the last time that the limit k allows or has reached the limit k too long ago to count
          --> config.json:2:3

        p, audience 1 (rest): no test gets here, so its 2 points are not exercised
          --> config.json:5:3

        Excluded: no user can exercise it:
          p, audience 2 (never): earlier audiences take every user

        36.4 % covered: 4 of 11 by 1 test; 4 cannot be exercised

        """)
    #expect(
      result.errors == """
        note: 5 tests would close the gaps that can be closed: tollgate cover config.json t.jsonl \
        --write more.tests.jsonl --now 2026-03-01T12:00:00Z

        """)
  }

  /// The command that it prints closes all, and the tests that it writes pass.
  @Test(arguments: ["config.json", "agentwallie.json"])
  func writtenTestsCloseTheGaps(config: String) throws {
    let folder = try folder("")
    try FileManager.default.copyItem(
      atPath: TestFolder.config, toPath: folder.path("demo.json"))
    var path = "demo.json"
    if config == "agentwallie.json" {
      let made = try folder.tollgate(["init", "new", "--config-format", "agentwallie"])
      #expect(made.code == 0, "\(made.errors)")
      path = "new/config.json"
    }
    let seed = ["--seed", "s"]
    let first = try folder.tollgate(
      ["test", "--init", "--config", path, "--out", "first.tests.jsonl"] + Self.now)
    #expect(first.code == 0, "\(first.errors)")
    let open = try folder.tollgate(["cover", path, "first.tests.jsonl"] + seed + Self.now)
    let command = String(try #require(open.errors.components(separatedBy: "can be closed: ").last))
    #expect(command.hasPrefix("tollgate cover "))
    let written = try folder.shell(
      command.replacing("tollgate", with: "$TOLLGATE", maxReplacements: 1))
    #expect(written.code == 0, "\(written.errors)")
    let closed = try folder.tollgate(
      ["cover", path, "*.tests.jsonl", "--fail-under", "100"] + seed + Self.now)
    #expect(closed.code == 0, "\(closed.output)\(closed.errors)")
    #expect(closed.output.contains("100.0 % covered"), "\(closed.output)")
    #expect(!closed.output.contains("unknown"))
    let tests = try folder.tollgate(["test", "more.tests.jsonl", "--config", path] + seed)
    #expect(tests.code == 0, "\(tests.output)")
    #expect(tests.output.contains(" passed, 0 failed"))
  }

  @Test func asJSON() throws {
    let folder = try folder()
    let result = try folder.tollgate(["cover", "config.json", "t.jsonl", "--json"] + Self.now)
    let value = try Value.parse(json: result.output.utf8)
    #expect(value["tests"] == 1)
    #expect(value["exercised"] == 4)
    #expect(value["points"] == 11)
    #expect(value["impossible"] == 4)
    #expect(value["share"] == .double(4.0 / 11))
    let audiences = try #require(value["audiences"]?.elements)
    #expect(
      audiences[0].json == #"{"placement":"p","audience":0,"reached":1,"taken":1}"#)
    #expect(
      audiences[2]["gaps"]?.json
        == #"[{"count":"taken","verdict":"impossible","reason":"earlier audiences take every user"}]"#
    )
    let clause = try #require(value["clauses"]?.elements?[1])
    #expect(
      clause.json
        == #"{"placement":"p","audience":0,"range":{"from":156,"to":169},"line":2,"column":94,"expressionRange":{"from":23,"to":36},"text":"user.age > 17","true":1,"false":0,"decides":1,"decidesTrue":1,"decidesFalse":0,"gaps":[{"count":"decidesFalse","verdict":"closable"}]}"#
    )
    #expect(
      value["limits"]?.elements?[0].json
        == #"{"placement":"p","audience":0,"key":"k","of":2,"usedUp":0,"lastTime":0,"longAgo":0,"gaps":[{"count":"usedUp","verdict":"closable"},{"count":"lastTime","verdict":"closable"},{"count":"longAgo","verdict":"closable"}]}"#
    )
    #expect(
      value["variants"]?.elements?[0].json
        == #"{"placement":"p","audience":0,"variant":"v","users":1}"#)
  }

  @Test func asPage() throws {
    let folder = try folder()
    let result = try folder.tollgate(
      ["cover", "config.json", "t.jsonl", "--report", "c.html"] + Self.now)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.errors.hasPrefix("Report: c.html\n"))
    let page = try #require(folder.bytes("c.html"))
    let parser = XMLParser(data: page)
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    let text = String(decoding: page, as: UTF8.self)
    #expect(text.contains("Test coverage: config.json"))
    #expect(text.contains("36.4 %"))
    #expect(text.contains("is never false"))
    #expect(text.contains("--write more.tests.jsonl"))
  }

  @Test func failing() throws {
    let folder = try folder()
    let below = try folder.tollgate(
      ["cover", "config.json", "t.jsonl", "--fail-under", "36.4", "--quiet"] + Self.now)
    #expect(below.code == 1)
    #expect(below.errors == "error: 36.4 % is less than the 36.4 % of --fail-under\n")
    let enough = try folder.tollgate(
      ["cover", "config.json", "t.jsonl", "--fail-under", "36", "--quiet"] + Self.now)
    #expect(enough.code == 0)
    #expect(enough.errors.isEmpty)
    for bad in ["-1", "101", "nan", "x"] {
      #expect(
        try folder.tollgate(["cover", "config.json", "t.jsonl", "--fail-under=\(bad)"]).code == 2)
    }
  }

  /// Tests in all forms, and with times of their own, count; those that fail are told, and those that
  /// cannot be run end with 2.
  @Test func testsAsTestTakesThem() throws {
    let folder = try folder(#"{"users":"u.csv","expect":"e.csv"}"#)
    try folder.write("u.csv", "userId,user.plan,user.age\na,free,18\nb,free,17\n")
    try folder.write("e.csv", "userId,placement,result\na,p,paywall\nb,p,paywall\n")
    let table = try folder.tollgate(["cover", "config.json", "t.jsonl"] + Self.now)
    #expect(table.code == 0)
    #expect(table.output.hasSuffix("63.6 % covered: 7 of 11 by 2 tests; 4 cannot be exercised\n"))
    #expect(
      table.errors.hasPrefix(
        "note: 1 test expects an outcome that differs from the config's; 'tollgate test' shows it\n"
      ))
    let used = Self.adult.replacing(
      #""user":"#,
      with:
        #""now":"2026-01-01","occurrences":{"k":["2026-01-01T00:00:00Z","2026-01-01T00:00:00Z"]},"user":"#
    )
    try folder.write("list.json", "[\(used),\n\(Self.adult)]")
    let list = try folder.tollgate(["cover", "config.json", "list.json"] + Self.now)
    #expect(list.output.contains("p                2/2      2/4     1/3       2/2   63.6 %"))
    try folder.write("t.jsonl", Self.adult.replacing(#""p""#, with: #""pp""#) + "\n{}\n")
    let bad = try folder.tollgate(["cover", "config.json", "t.jsonl", "--quiet"] + Self.now)
    #expect(bad.code == 2)
    #expect(bad.errors.contains("t.jsonl:1: the config has no placement 'pp'; did you mean 'p'?"))
    #expect(bad.errors.contains("t.jsonl:2: 'placement' is missing"))
    #expect(bad.output.contains("0 % covered: 0 of 11 by 0 tests"))
  }

  @Test func wrongUse() throws {
    let folder = try folder()
    #expect(try folder.tollgate("cover", "config.json", "none.jsonl").code == 2)
    #expect(try folder.tollgate("cover", "-", "-").code == 2)
    #expect(try folder.tollgate("cover", "config.json", "t.jsonl", "--write", "t.jsonl").code == 2)
    #expect(try folder.tollgate("cover", "config.json", "--write", "config.json").code == 2)
    #expect(try folder.tollgate("cover", "config.json", "--write", "").code == 2)
    #expect(folder.text("t.jsonl") == Self.adult)
    #expect(folder.text("config.json") == Self.config)
    #expect(try folder.tollgate("cover", "config.json", "--write", "none/t.jsonl").code == 74)
    #expect(
      try folder.tollgate("cover", "config.json", "--report-ids", "--report", "c.html").code == 2)
    // Tests on standard output are nothing but tests.
    let piped = try folder.tollgate(["cover", "config.json", "--write", "-"] + Self.now)
    #expect(piped.code == 0)
    #expect(piped.lines.allSatisfy { $0.hasPrefix(#"{"name":"p: audience"#) })
    #expect(piped.errors.contains("0 % covered"))
    // Tests that are there are replaced by nobody who did not ask for it.
    try folder.write("more.jsonl", "old")
    let kept = try folder.tollgate("cover", "config.json", "--write", "more.jsonl")
    #expect(kept.code == 2)
    #expect(kept.errors.contains("more.jsonl already exists"))
    #expect(try folder.tollgate("cover", "config.json", "--force").code == 2)
    // What is complete leaves a file alone.
    try folder.write("all.jsonl", piped.output)
    let complete = try folder.tollgate(
      ["cover", "config.json", "all.jsonl", "--write", "more.jsonl", "--force"] + Self.now)
    #expect(
      complete.errors
        == "note: all gaps are closed or cannot be closed, so more.jsonl was not written\n")
    #expect(folder.text("more.jsonl") == "old")
    try folder.write("config.json", Self.config.replacing("> 17", with: "> > 17"))
    #expect(try folder.tollgate("cover", "config.json", "t.jsonl").code == 1)
  }

  @Test func textsOfPaywalls() throws {
    let folder = try folder(#"{"placement":"p","userId":"a","expect":{"result":"holdout"}}"#)
    try folder.write(
      "texts.json", #"{"paywalls":{"annual":{"title":"Hello","cta":"Go"}}}"#)
    let arguments = ["cover", "config.json", "--render", "texts.json"] + Self.now
    let open = try folder.tollgate(arguments + ["t.jsonl"])
    #expect(open.code == 0, "\(open.errors)")
    #expect(open.output.contains("paywall annual: no test shows it: title and cta\n"))
    let shown = try folder.tollgate(arguments + ["t.jsonl", "--json"])
    #expect(
      try Value.parse(json: shown.output.utf8)["texts"]?.json
        == #"[{"paywall":"annual","name":"title","shown":0,"gaps":[{"count":"shown","verdict":"closable"}]},{"paywall":"annual","name":"cta","shown":0,"gaps":[{"count":"shown","verdict":"closable"}]}]"#
    )
    try folder.write("t.jsonl", Self.adult)
    let closed = try folder.tollgate(arguments + ["t.jsonl"])
    #expect(!closed.output.contains("no test shows it"))
  }

  /// On a narrow terminal lines are wrapped, and the share is what stays of the table.
  @Test func narrowTerminals() throws {
    let folder = try folder()
    let shown = try Pseudoterminal.run(
      ["cover", "config.json", "t.jsonl", "--quiet"] + Self.now, columns: 40, in: folder.path,
      ["NO_COLOR": "1"])
    let lines = shown.output.split(whereSeparator: \.isNewline)
    #expect(lines.contains { $0.contains("36.4 %") })
    #expect(lines.filter { !$0.contains("-->") }.allSatisfy { $0.count <= 40 }, "\(shown.output)")
  }
}

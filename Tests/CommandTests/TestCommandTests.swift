import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `tollgate test`: users' own tests of their rules.
@Suite struct TestCommandTests {
  private static let config = #"""
    {"build_id":"b","trigger_options":[{"event_name":"p","rules":[
      {"experiment_id":"free","experiment_group_id":"g","expression_cel":"user.plan == 'free' && user.age > 17",
       "occurrence":{"key":"k","max_count":1,"interval":{"type":"MINUTES","minutes":60}},
       "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"annual"}]},
      {"experiment_id":"rest","experiment_group_id":"g","expression_cel":"user.plan != 'pro'",
       "variants":[{"variant_id":"w","variant_type":"HOLDOUT","percentage":100}]}]}],
     "product_identifiers":[],"paywall_responses":[{"identifier":"annual"}]}
    """#

  private func folder(_ tests: String = "") throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    if !tests.isEmpty { try folder.write("t.jsonl", tests) }
    return folder
  }

  private func run(_ folder: TestFolder, _ arguments: String...) throws -> BuiltTool.Result {
    try folder.tollgate(["test"] + arguments + ["--config", "config.json"])
  }

  private static let good = [
    #"{"name":"adults","placement":"p","userId":"a","user":{"plan":"free","age":18},"expect":{"result":"paywall","audience":"free","variant":"v","paywall":"annual","experiment":"free"}}"#,
    #"{"placement":"p","userId":"b","user":{"plan":"free","age":17},"expect":{"result":"holdout","audience":1,"paywall":null}}"#,
    #"{"placement":"p","userId":"c","user":{"plan":"pro","age":17},"expect":{"result":"noAudienceMatch","audience":null}}"#,
    #"{"placement":"p","userId":"d","user":{"plan":"free","age":18},"now":"2026-03-01T12:30:00Z","occurrences":{"k":["2026-03-01T12:00:00Z"]},"expect":{"variant":"w"}}"#,
    #"{"placement":"p","userId":"d","user":{"plan":"free","age":18},"now":"2026-03-01T13:00:01Z","occurrences":{"k":["2026-03-01T12:00:00Z"]},"expect":{"variant":"v"}}"#,
    #"{"placement":"q","userId":"e","expect":{"result":"placementNotFound"}}"#,
  ]

  /// Files without a test test nothing, and a job that runs them must not pass.
  @Test(arguments: ["\n", "[]", "  \n\n  "])
  func noTests(text: String) throws {
    let folder = try folder(text)
    let result = try run(folder, "t.jsonl")
    #expect(result.code == 2, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("t.jsonl"))
    try folder.write("good.jsonl", Self.good.joined(separator: "\n"))
    #expect(try run(folder, "t.jsonl", "good.jsonl").code == 2)
  }

  /// Names that the placement does not have are told with what may be meant.
  @Test(arguments: [
    (#""audience":"fre""#, "the placement has no audience 'fre'; did you mean 'free'?"),
    (#""paywall":"anual""#, "the placement has no paywall 'anual'; did you mean 'annual'?"),
    (#""variant":"zebra""#, "the placement has no variant 'zebra'; it has v, w"),
  ])
  func unknownNames(expected: String, message: String) throws {
    let folder = try folder(
      #"{"placement":"p","userId":"a","user":{"plan":"free","age":18},"expect":{\#(expected)}}"#)
    let result = try run(folder, "t.jsonl")
    #expect(result.code == 1)
    #expect(result.output.contains(message), "\(result.output)")
  }

  @Test func linesAndLists() throws {
    let folder = try folder(Self.good.joined(separator: "\n\n") + "\n")
    try folder.write("list.json", "[\n" + Self.good.joined(separator: ",\n") + "\n]")
    let lines = try run(folder, "t.jsonl")
    #expect(lines.code == 0, "\(lines.errors)\(lines.output)")
    #expect(lines.output == "6 passed, 0 failed\n")
    let both = try run(folder, "*.json*", "--quiet")
    #expect(both.code == 2, "the config is no test")
    let list = try run(folder, "list.json", "t.jsonl")
    #expect(list.code == 0)
    #expect(list.output == "12 passed, 0 failed\n")
  }

  /// Workflows of GitHub show what failed beside the test.
  @Test func annotations() throws {
    let folder = try folder(
      Self.good[1] + "\n"
        + Self.good[0].replacing("\"age\":18", with: "\"age\":16")
        .replacing("adults", with: "##[x]") + "\n")
    let command = "\"$TOLLGATE\" test t.jsonl --config config.json"
    let shown = try folder.shell("GITHUB_ACTIONS=true \(command)")
    #expect(shown.code == 1)
    let annotation = try #require(shown.lines.first { $0.hasPrefix("::") })
    #expect(annotation.hasPrefix("::error file=t.jsonl,line=2::# #[x]%0A"), "\(annotation)")
    #expect(annotation.contains("%0Aresult: expected paywall, got holdout%0A"), "\(annotation)")
    #expect(!shown.output.contains("##["))
    for plain in ["GITHUB_ACTIONS= \(command)", "GITHUB_ACTIONS=true \(command) --json"] {
      #expect(try !folder.shell(plain).output.contains("::error"))
    }
    let piped = try folder.shell(
      "GITHUB_ACTIONS=true \(command.replacing("t.jsonl", with: "-")) < t.jsonl")
    #expect(piped.code == 1 && !piped.output.contains("::error"), "\(piped.output)")
  }

  @Test func failuresSayWhy() throws {
    let folder = try folder(
      Self.good[0].replacingOccurrences(of: "\"age\":18", with: "\"age\":16") + "\n"
        + #"{"placement":"p","userId":"n","user":{"plan":"free","age":20},"expect":{"audience":"rest"}}"#
    )
    let failed = try run(folder, "t.jsonl")
    #expect(failed.code == 1)
    #expect(
      failed.output == """
        FAILED adults  (t.jsonl:1)
          result      expected paywall, got holdout
          audience    expected free, got 1 (rest)
          experiment  expected free, got rest
          variant     expected v, got w
          paywall     expected annual, got none
          user a, p: holdout, no paywall (variant w of rest, the only variant), audience 1 (rest)
          audience 0 (free): does not match
              no  user.age > 17  user.age is 16
          audience 1 (rest): matched
              yes  user.plan != 'pro'  user.plan is "free"

        FAILED t.jsonl:2
          audience  expected rest, got 0 (free)
          user n, p: paywall annual (variant v of free, the only variant), audience 0 (free)
          audience 1 (rest): not reached
          audience 0 (free): matched
              yes  user.plan == 'free'  user.plan is "free"
              yes  user.age > 17        user.age is 20

        0 passed, 2 failed

        """)
    let quiet = try run(folder, "t.jsonl", "--quiet")
    #expect(quiet.output + "0 passed, 2 failed\n" == failed.output)
    let json = try run(folder, "t.jsonl", "--json")
    #expect(json.code == 1)
    #expect(json.lines.count == 3)
    #expect(json.lines[2] == #"{"passed":0,"failed":2,"unusable":0}"#)
    #expect(json.lines[1].contains(#"{"field":"audience","expected":"rest","got":"0 (free)"}"#))
  }

  @Test func tables() throws {
    let folder = try folder(#"{"users":"data/u.csv","expect":"data/e.csv"}"#)
    try FileManager.default.createDirectory(
      atPath: folder.path("data"), withIntermediateDirectories: false)
    try folder.write("data/u.csv", "userId,user.plan,user.age\na,free,18\nb,pro,1\nc,,\n")
    try folder.write(
      "data/e.csv",
      "userId,placement,result,audience,experiment,variant,paywall,errors\n"
        + "a,p,paywall,0,free,v,annual,\nb,p,noAudienceMatch,,,,,\nb,p,holdout,rest,,,,\n"
        + "d,p,holdout,,,,,\n")
    let found = try run(folder, "t.jsonl")
    #expect(found.code == 2)
    #expect(found.errors == "error: data/e.csv:5: there is no user 'd' in data/u.csv\n")
    #expect(found.output.contains("FAILED b at p  (data/e.csv:4)\n"))
    #expect(found.output.hasSuffix("2 passed, 1 failed, 1 could not be run\n"))
    // What precompute writes is a table of expectations.
    let written = try folder.tollgate(
      "precompute", "config.json", "--users", "data/u.csv", "--out", "data/e.csv", "--quiet")
    #expect(written.code == 0)
    let again = try run(folder, "t.jsonl")
    #expect(again.code == 0, "\(again.output)\(again.errors)")
    #expect(again.output == "3 passed, 0 failed\n")
  }

  /// What a test says of time and seed counts, whatever the command line says.
  @Test func timesAndSeeds() throws {
    let folder = try folder(
      #"{"users":"u.jsonl","expect":"e.csv","now":"2026-03-01T13:00","seed":"s1"}"#)
    try folder.write(
      "config.json",
      Self.config.replacingOccurrences(
        of: #"[{"variant_id":"w","variant_type":"HOLDOUT","percentage":100}]"#,
        with: #"""
          [{"variant_id":"w","variant_type":"HOLDOUT","percentage":50},
           {"variant_id":"x","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"annual"}]
          """#))
    let users = (0..<20).map {
      #"{"userId":"u\#($0)","user":{"plan":"free","age":18},"#
        + #""occurrences":{"k":["2026-03-01T11:3\#($0 % 10):00Z"]}}"#
    }
    try folder.write("u.jsonl", users.joined(separator: "\n"))
    func precompute(_ now: String, _ seed: String) throws -> String {
      let written = try folder.tollgate(
        "precompute", "config.json", "--users", "u.jsonl", "--out", "e.csv", "--quiet", "--now",
        now,
        "--seed", seed)
      #expect(written.code == 0, "\(written.errors)")
      return try #require(folder.text("e.csv"))
    }
    let others = try [precompute("2026-03-01T12:00Z", "s2"), precompute("2026-03-01T12:35Z", "s1")]
    let expected = try precompute("2026-03-01T12:00Z", "s1")
    #expect(!others.contains(expected), "time and seed make a difference")
    let basis = ["--now", "2026-04-01", "--seed", "s2", "--time-zone", "Europe/Berlin"]
    let table = try folder.tollgate(["test", "t.jsonl", "--config", "config.json"] + basis)
    #expect(table.output == "20 passed, 0 failed\n", "\(table.errors)")
    let rows = expected.split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
    let lines = zip(users, rows).map { user, row in
      #"{"placement":"p","now":"2026-03-01T12:00Z","seed":"s1","expect":{"result":"\#(row[2])"},"#
        + user.dropFirst()
    }
    try folder.write("lines.jsonl", lines.joined(separator: "\n"))
    let each = try folder.tollgate(["test", "lines.jsonl", "--config", "config.json"] + basis)
    #expect(each.output == "20 passed, 0 failed\n", "\(each.errors)")
  }

  @Test func junit() throws {
    let folder = try folder(
      Self.good[0] + "\n"
        + #"{"name":"<\"&'\u0001>","placement":"p","userId":"n","expect":{"result":"paywall"}}"#
        + "\n{}\n")
    let failed = try run(folder, "t.jsonl", "--junit", "out.xml")
    #expect(failed.code == 2)
    let parser = XMLParser(data: try #require(folder.bytes("out.xml")))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    let text = try #require(folder.text("out.xml"))
    #expect(text.contains(#"<testsuites tests="3" failures="1" errors="1">"#))
    #expect(text.contains(#"<testcase name="adults" classname="p" file="t.jsonl" line="1"/>"#))
    #expect(text.contains(#"name="&lt;&quot;&amp;'\#u{FFFD}&gt;""#))
    #expect(text.contains("result: expected paywall, got holdout"))
  }

  @Test(arguments: [
    ("", "t.jsonl is empty"), ("{", "t.jsonl:1:2: "), ("[]", "t.jsonl has no tests"),
    ("3", "a test must be a JSON object"), (#"{"userId":"u"}"#, "t.jsonl has users, not tests"),
    (#"{"userId":"u","expect":{"result":"holdout"}}"#, "'placement' is missing"),
    (#"{"userId":"u","placement":"p"}"#, "'expect' is missing"),
    (#"{"userId":"u","placement":"p","expect":{}}"#, "'expect' is empty"),
    (
      #"{"userId":"u","placement":"p","expect":{"reslt":"paywall"}}"#, "did you mean 'result'?"
    ),
    (
      #"{"userId":"u","placement":"p","expect":{"result":"holdot"}}"#, "did you mean 'holdout'?"
    ),
    (
      #"{"userId":"u","placement":"p","expect":{"audience":-1}}"#,
      "'audience' must be a number from 0, an ID, or null for no audience"
    ),
    (
      #"{"userId":"u","placement":"pp","expect":{"result":"holdout"}}"#,
      "t.jsonl:1: the config has no placement 'pp'; did you mean 'p'?"
    ),
    (#"{"placement":"p","expect":{"result":"holdout"}}"#, "'userId' is missing"),
    (
      #"{"userId":"u","placement":"p","now":"today","expect":{"result":"holdout"}}"#,
      "'now': 'today' is not an ISO 8601 time"
    ),
    (#"{"users":"none.ndjson","expect":"e.csv"}"#, "error: t.jsonl:1: cannot open e.csv: "),
    (#"{"users":"u","expects":"e"}"#, "a table is"),
    (#"{"users":"u","expect":"e","sed":"x"}"#, "no key 'sed'; it takes users, expect, now, seed"),
    (#"{"users":"u","expect":"e","seed":1}"#, "t.jsonl:1: 'seed' must be a string"),
    (#"{"users":"u","expect":"e","now":"noon"}"#, "'now': 'noon' is not an ISO 8601 time"),
    (
      #"{"userId":"u","placement":"p","seed":1,"expect":{"result":"holdout"}}"#,
      "'seed' must be a string"
    ),
    ("[\n  {\"userId\":\"u\",\"placement\":\"p\"}\n]", "t.jsonl:2: 'expect' is missing"),
    (
      "[{\"userId\":\"\\\"],\",\"placement\":\"p\",\"expect\":{\"audience\":null}},\n {\"userId\":\"u\"}]",
      "t.jsonl:2: "
    ),
  ])
  func whatIsNoTest(text: String, message: String) throws {
    let folder = try folder()
    try folder.write("t.jsonl", text)
    let result = try run(folder, "t.jsonl")
    #expect(result.code == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  /// Of a user who is there twice the first record counts.
  @Test(arguments: [
    ("a,p,paywall", "1 passed, 0 failed\n"), ("", "error: e.csv has no rows\n"),
    ("a,p,", "error: e.csv:2: 'result' is empty\n"),
  ])
  func tablesOfAUser(row: String, said: String) throws {
    let folder = try folder(#"{"users":"u.ndjson","expect":"e.csv"}"#)
    try folder.write(
      "u.ndjson",
      #"{"userId":"a","user":{"plan":"free","age":18}}"# + "\n"
        + #"{"userId":"a","user":{"plan":"pro","age":18}}"# + "\n")
    try folder.write("e.csv", "userId,placement,result\n\(row)")
    let result = try run(folder, "t.jsonl")
    #expect((row == "a,p,paywall" ? result.output : result.errors) == said)
  }

  /// A file of another kind is not told line by line.
  @Test func filesOfOtherKinds() throws {
    let folder = try folder()
    try folder.write("t.jsonl", TestFolder.users(500))
    let result = try run(folder, "t.jsonl")
    #expect(result.code == 2)
    #expect(
      result.errors
        == "error: t.jsonl has users, not tests: a test is a user record with 'placement' and 'expect'\n"
    )
    #expect(result.output == "0 passed, 0 failed, 1 could not be run\n")
    let config = try run(folder, "config.json")
    #expect(config.errors == "error: config.json is a config, not a file of tests\n")
    // Where some lines are tests, each of the others is told, but not all of five hundred.
    try folder.write("t.jsonl", Self.good[0] + "\n" + TestFolder.users(500))
    let mixed = try run(folder, "t.jsonl")
    #expect(mixed.errors.split(separator: "\n").count == 21)
    #expect(mixed.errors.hasSuffix("... and 480 more that could not be run\n"))
    #expect(mixed.output == "1 passed, 0 failed, 500 could not be run\n")
  }

  @Test func wrongUse() throws {
    let folder = try folder(Self.good[0])
    #expect(try run(folder).code == 2)
    #expect(try run(folder, "none.jsonl").code == 2)
    #expect(try run(folder, "-", "-").code == 2)
    #expect(try run(folder, "--init", "t.jsonl").code == 2)
    #expect(try run(folder, "t.jsonl", "--out", "x").code == 2)
    #expect(try run(folder, "t.jsonl", "--junit", "t.jsonl").code == 2)
    #expect(folder.text("t.jsonl") == Self.good[0])
    #expect(try run(folder, "t.jsonl", "--junit", "/dev/full").code == 74)
    try folder.write("config.json", Self.config.replacingOccurrences(of: "!=", with: "!=="))
    #expect(try run(folder, "t.jsonl").code == 1)
  }

  /// The tests to begin with pass, and take in every audience and variant that somebody gets.
  @Test func firstTests() throws {
    let folder = try TestFolder()
    let config = TestFolder.config
    let basis = ["--now", "2026-03-01T12:00:00Z", "--seed", "demo"]
    let written = try folder.tollgate(
      ["test", "--init", "--config", config, "--out", "first.jsonl"] + basis)
    #expect(written.code == 0, "\(written.errors)")
    let lines = try #require(folder.text("first.jsonl")).split(separator: "\n")
    #expect(written.errors.hasSuffix("Wrote \(lines.count) tests to first.jsonl\n"))
    let run = try folder.tollgate(["test", "first.jsonl", "--config", config])
    #expect(run.code == 0)
    #expect(run.output == "\(lines.count) passed, 0 failed\n")
    let text = try #require(
      FileManager.default.contents(atPath: config).map { String(decoding: $0, as: UTF8.self) })
    for variant in text.matches(of: /"variant_id": *"([^"]+)"/).map(\.1) {
      #expect(lines.contains { $0.contains("\"variant\":\"\(variant)\"") }, "\(variant)")
    }
    // What is there may be tests of somebody's own.
    try folder.write("first.jsonl", Self.good[0])
    let again = try folder.tollgate(["test", "--init", "--config", config, "--out", "first.jsonl"])
    #expect(again.code == 2)
    #expect(again.errors.contains("first.jsonl already exists"))
    #expect(folder.text("first.jsonl") == Self.good[0])
    let forced = try folder.tollgate(
      ["test", "--init", "--config", config, "--out", "first.jsonl", "--force"] + basis)
    #expect(forced.code == 0)
    let piped = try folder.tollgate(["test", "--init", "--config", config] + basis)
    #expect(piped.output == folder.text("first.jsonl"))
  }

  /// Texts of the paywall that a user gets, as `precompute --render` renders them.
  @Test func texts() throws {
    let user = #""placement":"p","userId":"a","user":{"plan":"free","age":18,"name":"Ann"}"#
    let long = String(repeating: "and on ", count: 20)
    let folder = try folder(
      [
        #"{\#(user),"expect":{"texts":{"title":"Hello Ann","long":"\#(long)Ann"}}}"#,
        #"{\#(user),"expect":{"result":"paywall","texts":{"title":"Hello Bob","none":"x"}}}"#,
        #"{\#(user),"expect":{"texts":{"long":"\#(long)Bob"}}}"#,
        #"{"placement":"p","userId":"b","user":{"plan":"lite"},"expect":{"result":"holdout","texts":{"title":""}}}"#,
      ].joined(separator: "\n"))
    try folder.write(
      "texts.json",
      #"{"paywalls":{"annual":{"title":"Hello {{ user.name }}","long":"\#(long){{ user.name }}"}}}"#
    )
    let result = try run(folder, "t.jsonl", "--render", "texts.json")
    #expect(result.code == 1, "\(result.errors)")
    #expect(
      result.output == """
        FAILED t.jsonl:2
          texts.title  expected "Hello Bob", got "Hello Ann"
          texts.none   expected "x", got none
          user a, p: paywall annual (variant v of free, the only variant), audience 0 (free)

        FAILED t.jsonl:3
          texts.long  expected …on and on and on and on Bob", got …on and on and on and on Ann"
          user a, p: paywall annual (variant v of free, the only variant), audience 0 (free)

        FAILED t.jsonl:4
          texts.title  expected "", got none
          user b, p: holdout, no paywall (variant w of rest, the only variant), audience 1 (rest)

        1 passed, 3 failed

        """)
    let without = try run(folder, "t.jsonl")
    #expect(without.code == 2)
    #expect(
      without.errors.hasPrefix(
        "error: t.jsonl:1: the test expects texts: give the templates with --render FILE\n"))
  }

  /// A change of the tests, and of a file that they name, runs them again; Ctrl-C ends.
  @Test func watching() throws {
    let folder = try folder(#"{"users":"u.csv","expect":"e.csv"}"#)
    try folder.write("u.csv", "userId,user.plan,user.age\na,free,18\n")
    try folder.write("e.csv", "userId,placement,result\na,p,holdout\n")
    let script = """
      until_lines() { while [ "$(grep -c "$1" out)" -lt "$2" ]; do sleep 0.05; done; }
      : > out
      $TOLLGATE test t.jsonl --config config.json --watch >out 2>err &
      run=$!
      until_lines '1 failed' 1
      printf 'userId,placement,result\\na,p,paywall\\n' > e.csv
      until_lines '1 passed' 1
      printf '{' > config.json
      while ! grep -q error err; do sleep 0.05; done
      kill -TERM $run
      wait $run
      """
    let result = try folder.shell(script)
    #expect(result.code == 143, "\(folder.text("err") ?? "")")
    #expect(folder.text("err")?.contains("Waiting for a change") == true)
  }
}

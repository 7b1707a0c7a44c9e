import Foundation
import Testing

/// Many files, fixes, pages, and the forms for other programs.
@Suite("The output of check")
struct CheckOutputTests {
  /// A config with one audience and this condition, as a JSON text.
  private func config(_ condition: String) -> String {
    """
    {"build_id":"b","log_level":10,"app_session_timeout_ms":1,"toggles":[],"products":[],"postback":{},
    "disable_preload":{"all":false,"triggers":[]},"localization":{"locales":[]},"paywall_responses":[],
    "trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g",
      "expression_cel":"\(condition)","preload":{"behavior":"ALWAYS"},
      "variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]}]}]}

    """
  }

  private let clean = "device.daysSinceInstall > 3"
  private let misspelt = #"device.regionCod == \"US\""#

  private func objects(_ text: String) throws -> [NSDictionary] {
    try text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
    }
  }

  // MARK: Files

  /// Each finding names its file, and the exit code is the worst of all.
  @Test func manyFiles() throws {
    let folder = try TestFolder()
    try folder.write("a.json", config(clean))
    try folder.write("b.json", config(misspelt))
    try folder.write("c.json", config("user.a =="))
    let all = try folder.shell(#""$TOLLGATE" check --json a.json b.json c.json"#)
    #expect(all.code == 1)
    #expect(try objects(all.output).map { $0["file"] as? String } == ["b.json", "c.json"])
    let pattern = try folder.shell(#""$TOLLGATE" check '[ab].json' a.json"#)
    #expect(pattern.code == 0)
    #expect(pattern.lines.filter { $0.contains("1 placement, 1 audience") }.count == 2)
    #expect(pattern.output.contains("--> b.json:4:28: trigger_options[0].rules[0].expression_cel"))
    #expect(try folder.shell(#""$TOLLGATE" check --strict 'b*.json'"#).code == 1)
    let missing = try folder.shell(#""$TOLLGATE" check a.json nope.json c.json"#)
    #expect(missing.code == 2)
    #expect(missing.errors.contains("nope.json"))
    #expect(missing.output.contains("syntax-error"))
    #expect(try folder.shell(#""$TOLLGATE" check 'x*.json'"#).code == 2)
    #expect(try folder.shell(#""$TOLLGATE" check"#).code == 2)
  }

  /// The line of the file is shown where a finding is not in an expression.
  @Test func linesOfTheFile() throws {
    let text = config(clean).replacing(":100", with: ":\"many\"")
    let result = try BuiltTool.run("check", "-", input: text)
    let lines = result.output.split(separator: "\n").map(String.init)
    let line = try #require(lines.firstIndex { $0.hasPrefix("   | ") })
    // Of a long line what is around the place.
    #expect(lines[line].hasPrefix("   | ..."))
    #expect(lines[line].contains(#""variant_type":"HOLDOUT","percentage":"many"}"#))
    let mark = lines[line + 1].distance(
      from: lines[line + 1].startIndex, to: try #require(lines[line + 1].firstIndex(of: "^")))
    let start = lines[line].index(lines[line].startIndex, offsetBy: mark)
    #expect(lines[line][start...].hasPrefix(#""many""#))
    #expect(lines[line + 1].filter { $0 == "^" }.count == 6)
  }

  // MARK: Fixes

  @Test func fixesInJSON() throws {
    let text = config("user.a == 'é' && " + misspelt)
    let found = try #require(
      objects(try BuiltTool.run("check", "-", "--json", input: text).output).first)
    let fix = try #require(found["fix"] as? NSDictionary)
    #expect(fix["safe"] as? Bool == true)
    let edit = try #require((fix["edits"] as? [NSDictionary])?.first)
    let from = try #require(edit["from"] as? Int)
    let to = try #require(edit["to"] as? Int)
    #expect(String(decoding: Array(text.utf8)[from..<to], as: UTF8.self) == "regionCod")
    #expect(edit["text"] as? String == "regionCode")
  }

  @Test func safeFixesAreMade() throws {
    let folder = try TestFolder()
    let text = config(
      #"device.regionCod == \"US\" && device.platform == \"ANDROID\" && user.email.endsWith('x')"#)
    try folder.write("a.json", text)
    let result = try folder.shell(#""$TOLLGATE" check --fix a.json"#)
    #expect(result.code == 0)
    #expect(result.errors == "a.json: 3 findings fixed\n")
    #expect(result.output.contains("0 errors, 0 warnings, 0 notes"))
    #expect(
      folder.text("a.json")
        == config(
          #"device.regionCode == \"US\" && device.platform == \"Android\" && "#
            + "(has(user.email) ? user.email.endsWith('x') : false)"))
    #expect(folder.names == ["a.json"])
    // Nothing is left to do.
    #expect(try folder.shell(#""$TOLLGATE" check --fix a.json"#).errors.isEmpty)
  }

  @Test func unsafeFixesAreNotMade() throws {
    let folder = try TestFolder()
    let text = config(#"device.appVersion >= \"3.10.0\""#)
    try folder.write("a.json", text)
    let result = try folder.shell(#""$TOLLGATE" check --fix a.json"#)
    #expect(result.output.contains("text-order"))
    #expect(folder.text("a.json") == text)
    #expect(try BuiltTool.run("check", "-", "--fix", input: text).code == 2)
  }

  /// A file that cannot be replaced is left as it is, and so is one that is no JSON.
  @Test func filesThatCannotBeFixed() throws {
    let folder = try TestFolder()
    try folder.write("a.json", "{\"trigger_options\": [")
    #expect(try folder.shell(#""$TOLLGATE" check --fix a.json"#).code == 1)
    #expect(folder.text("a.json") == "{\"trigger_options\": [")
    try folder.write("b.json", config(misspelt))
    let packed = try folder.shell(#"gzip -k b.json && "$TOLLGATE" check --fix b.json.gz"#)
    #expect(packed.code == 2)
    #expect(packed.errors.contains("compressed"))
  }

  // MARK: Pages

  @Test func pages() throws {
    let page = try BuiltTool.run("check", "--explain", "duplicate-id")
    #expect(page.code == 0)
    #expect(page.output.hasPrefix("duplicate-id (warning)\n\n"))
    #expect(page.output.contains("Better:"))
    let close = try BuiltTool.run("check", "--explain", "duplicate-ids")
    #expect(close.code == 2)
    #expect(close.errors.contains("did you mean 'duplicate-id'?"))
    #expect(try BuiltTool.run("check", "--explain", "x").errors.contains("would-reject"))
    #expect(try BuiltTool.run("check", TestFolder.config, "--explain", "escape").code == 2)
  }

  // MARK: Other programs

  @Test func sarif() throws {
    let folder = try TestFolder()
    try folder.write("a b.json", config(misspelt))
    let result = try folder.shell(#""$TOLLGATE" check --sarif 'a b.json' "$CONFIG""#)
    #expect(result.code == 0)
    let document = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? NSDictionary)
    #expect(document["version"] as? String == "2.1.0")
    let run = try #require((document["runs"] as? [NSDictionary])?.first)
    let results = try #require(run["results"] as? [NSDictionary])
    #expect(results.count == 1)
    #expect(results[0]["ruleId"] as? String == "unknown-attribute")
    #expect(results[0]["level"] as? String == "warning")
    let rules = run.at("tool.driver.rules") as? [NSDictionary]
    #expect(rules?.map { $0["id"] as? String } == ["unknown-attribute"])
    let location = try #require((results[0]["locations"] as? [NSDictionary])?.first)
    #expect(
      location.at("physicalLocation.artifactLocation.uri") as? String
        == "a%20b.json")
    #expect(location.at("physicalLocation.region.startLine") as? Int == 4)
    #expect(location.at("physicalLocation.region.startColumn") as? Int == 28)
    #expect(location.at("physicalLocation.region.endColumn") as? Int == 37)
    #expect(results[0]["fixes"] is [NSDictionary])
    #expect(try BuiltTool.run("check", "-", "--sarif", "--json", input: config(clean)).code == 2)
  }

  @Test func sarifTakesNoFile() throws {
    let folder = try TestFolder()
    try folder.write("a.json", config(clean))
    let result = try folder.tollgate("check", "a.json", "--sarif", "out.sarif")
    #expect(result.code == 2)
    #expect(
      result.errors.hasPrefix(
        "error: --sarif prints to standard output; write: --sarif > out.sarif")
    )
    #expect(try folder.tollgate("check", "--sarif", "a.json").code == 0)
  }

  @Test func annotations() throws {
    let folder = try TestFolder()
    try folder.write("a,b.json", config(misspelt))
    let result = try folder.shell(#"GITHUB_ACTIONS=true "$TOLLGATE" check a,b.json"#)
    #expect(
      result.lines.contains(
        "::warning file=a%2Cb.json,line=4,col=28,title=unknown-attribute::"
          + "there is no attribute 'device.regionCod'; did you mean 'device.regionCode'?"))
    let without = try folder.shell(#"GITHUB_ACTIONS= "$TOLLGATE" check a,b.json"#)
    #expect(!without.output.contains("::warning"))
    // Nothing that a config says is a command to the runner.
    try folder.write("c.json", config(###"user.x == \"##[stop-commands]t\" && ("###))
    let hostile = try folder.shell(#"GITHUB_ACTIONS=true "$TOLLGATE" check c.json"#)
    #expect(hostile.output.contains("# #[stop-commands]t"))
    #expect(!hostile.output.contains("##["))
    #expect(try folder.shell(#"GITHUB_ACTIONS= "$TOLLGATE" check c.json"#).output.contains("##["))
    let json = try folder.shell(#"GITHUB_ACTIONS=true "$TOLLGATE" check --json a,b.json"#)
    #expect(!json.output.contains("::warning"))
  }

  // MARK: Schemas

  /// A few users need not have every value, but their spelling is right.
  @Test(arguments: [(29, "premium", false), (30, "premium", true), (29, "Pro", true)])
  func valuesThatFewUsersLack(count: Int, value: String, isFound: Bool) throws {
    let folder = try TestFolder()
    let users = (0..<count).map {
      #"{"userId":"u\#($0)","user":{"plan":"\#($0 % 2 == 0 ? "free" : "pro")"}}"#
    }
    try folder.write("users.ndjson", users.joined(separator: "\n"))
    try folder.write("a.json", config("user.plan == '\(value)'"))
    let found = try folder.shell(
      #""$TOLLGATE" schema users.ndjson --out s.json; "$TOLLGATE" check --json --schema s.json a.json"#
    )
    #expect(found.output.contains("value-not-in-enum") == isFound, "\(found.output)")
  }

  /// What is learned from users is what a check takes.
  @Test func learnedSchemas() throws {
    let folder = try TestFolder()
    let users = (0..<40).map { number in
      """
      {"userId":"u\(number)","user":{"age":\(number),"plan":"\(number % 2 == 0 ? "free" : "pro")",\
      "roles":["a"]\(number < 10 ? #","nick":"x\#(number)""# : "")},"device":{"build":"1.\(number)"}}
      """
    }
    try folder.write("users.ndjson", users.joined(separator: "\n") + "\nnot JSON\n")
    let learned = try folder.shell(#""$TOLLGATE" schema users.ndjson --out schema.json"#)
    #expect(learned.code == 0)
    #expect(learned.errors.contains("1 line rejected"))
    let schema = try #require(
      JSONSerialization.jsonObject(with: Data((folder.text("schema.json") ?? "").utf8))
        as? NSDictionary)
    #expect(schema.at("learned.users") as? Int == 40)
    #expect(schema.at("user.age.type") as? String == "int")
    #expect(schema.at("user.age.max") as? Int == 39)
    #expect(schema.at("user.age.required") as? Bool == true)
    #expect(schema.at("user.plan.enum") as? [String] == ["free", "pro"])
    #expect(schema.at("user.plan.counts.pro") as? Int == 20)
    #expect(schema.at("user.roles.list") as? String == "string")
    #expect(schema.at("user.nick.type") as? String == "string")
    #expect(schema.at("user.nick.share") as? Double == 0.25)
    #expect(schema.at("device.build.type") as? String == "string")
    try folder.write(
      "a.json", config("user.plan == 'premium' || user.age == 'old' || user.agee > 1"))
    let found = try folder.shell(#""$TOLLGATE" check --json --schema schema.json a.json"#)
    #expect(found.code == 1)
    #expect(
      try objects(found.output).map { $0["code"] as? String }
        == ["type-error", "value-not-in-enum", "unknown-attribute"])
    // The same users in other forms.
    let forms = try folder.shell(
      #"""
      gzip -k users.ndjson && "$TOLLGATE" schema users.ndjson.gz > b.json; cat users.ndjson | \
      "$TOLLGATE" schema - > c.json; cmp schema.json b.json && cmp schema.json c.json
      """#)
    #expect(forms.code == 0)
    try folder.write("users.csv", "userId,user.age\nu1,3\nu2,4\n")
    #expect(
      try folder.shell(#""$TOLLGATE" schema users.csv"#).output.contains(
        #""age": {"type":"int","min":3,"max":4,"required":true,"present":2,"share":1.0}"#))
    try folder.write("none.ndjson", "\n")
    #expect(try folder.shell(#""$TOLLGATE" schema none.ndjson"#).code == 2)
    #expect(
      try folder.shell(#""$TOLLGATE" schema users.csv --out users.csv"#).code == 2)
    try folder.write("bad.json", #"{"user": {"age": "nit"}}"#)
    let bad = try folder.shell(#""$TOLLGATE" check --schema bad.json a.json"#)
    #expect(bad.code == 2)
    #expect(bad.errors.contains("bad.json:1:18: user.age"))
    #expect(bad.errors.contains("did you mean 'int'?"))
  }
}

extension NSDictionary {
  /// The value behind names that dots part.
  fileprivate func at(_ path: String) -> Any? {
    path.split(separator: ".").reduce(self as Any?) { ($0 as? NSDictionary)?[String($1)] }
  }
}

import Foundation
import Testing

/// `explain --all`: every placement for one user.
@Suite struct ExplainAllTests {
  private static let user = TestFolder.demo + "/user.json"

  private func explain(_ more: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(
      [
        "explain", TestFolder.config, "--user", Self.user, "--now", "2026-03-01T12:00:00Z",
        "--seed", "demo",
      ] + more)
  }

  @Test func aLineForEachPlacement() throws {
    let result = try explain("--all")
    #expect(result.code == 0 && result.errors == "")
    #expect(
      result.output == """
        user u-mara at 2026-03-01T12:00:00Z, assigner hash, seed 'demo'
        onboarding_done   no match              -                               none of 3 audiences matches
        workout_finished  paywall plans         audience 2 (workout-regulars)   variant workout-regulars-plans, the only one
        export_report     paywall export-trial  audience 2 (export-settled)     variant export-settled-trial, assigned now
        settings_upgrade  paywall plans         audience 2 (settings-everyone)  variant settings-everyone-plans, assigned now
        session_start     no match              -                               none of 4 audiences matches
        paywall_decline   no match              -                               none of 2 audiences matches

        """)
  }

  @Test func jsonIsTheWholeOfEach() throws {
    let all = try #require(
      try JSONSerialization.jsonObject(with: Data(try explain("--all", "--json").output.utf8))
        as? [NSDictionary])
    #expect(all.count == 6)
    for (number, placement) in ["onboarding_done", "workout_finished", "export_report"].enumerated()
    {
      let one = try explain("--placement", placement, "--json")
      let told = try JSONSerialization.jsonObject(with: Data(one.output.utf8))
      #expect(told as? NSDictionary == all[number])
    }
  }

  @Test func anotherValueChangesSome() throws {
    let result = try explain("--all", "--set", "user.plan=lapsed")
    #expect(result.lines[1] == "with user.plan = \"lapsed\" (was \"free\")")
    #expect(result.lines.count == 8)
    #expect(
      result.lines[5].hasSuffix(
        "; without, audience 2 (settings-everyone), paywall plans (variant settings-everyone-plans)"
      ))
    #expect(result.lines.count { $0.contains("; without, ") } == 1)
    let none = try explain("--all", "--set", "user.seed=77")
    #expect(none.lines[1].hasSuffix(": no difference"))
    let json = try explain("--all", "--json", "--set", "user.plan=lapsed")
    #expect(json.output.components(separatedBy: #""without":{"result""#).count == 7)
  }

  @Test(arguments: [
    ([], "give --placement NAME, or --all"),
    (["--all", "--audience", "1"], "--audience needs --placement"),
    (["--all", "--sweep", "user.plan"], "--sweep needs --placement"),
  ])
  func whatDoesNotGoTogether(options: [String], message: String) throws {
    let result = try BuiltTool.run(
      ["explain", TestFolder.config, "--user", Self.user] + options)
    #expect(result.code == 2)
    #expect(result.output == "")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  /// Names of wide characters take two columns each.
  @Test func columnsOfWideNames() throws {
    let folder = try TestFolder()
    try folder.write(
      "config.json",
      #"{"trigger_options":[{"event_name":"日本語","rules":[]},{"event_name":"abcdef","rules":[]}]}"#
    )
    let result = try folder.tollgate(
      "explain", "config.json", "--all", "--user", #"{"userId":"u"}"#)
    #expect(
      result.lines.suffix(2) == [
        "日本語  no match  -  it has no audiences", "abcdef  no match  -  it has no audiences",
      ])
  }

  /// Why no user matches, in a few words, the most telling reason first; a rule that does not compile
  /// is told by the exit code, too.
  @Test func shortReasons() throws {
    let folder = try TestFolder()
    func rule(_ id: String, _ expression: String, _ more: String = "") -> String {
      #"{"experiment_id":"\#(id)","experiment_group_id":"g","expression_cel":"\#(expression)","#
        + #""variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":1}]\#(more)}"#
    }
    let limit =
      #","occurrence":{"key":"k","max_count":1,"interval":{"type":"INFINITY"}}"#
    func trigger(_ name: String, _ rules: String...) -> String {
      #"{"event_name":"\#(name)","rules":[\#(rules.joined(separator: ","))]}"#
    }
    let triggers = [
      trigger("limited", rule("a", "user.mail.endsWith('x')"), rule("b", "true", limit)),
      trigger("failing", rule("a", "user.n == 1"), rule("b", "user.mail.endsWith('x')")),
      trigger("one", rule("a", "user.n == 1")), trigger("none"), trigger("kept", rule("a", "true")),
    ]
    func config(_ triggers: [String]) -> String {
      #"{"build_id":"b","trigger_options":[\#(triggers.joined(separator: ","))],"#
        + #""product_identifiers":[],"paywall_responses":[]}"#
    }
    try folder.write("config.json", config(triggers))
    let user = #"{"userId":"u","occurrences":{"k":["2026-02-01T00:00:00Z"]}}"#
    let result = try folder.tollgate(
      "explain", "config.json", "--all", "--user", user, "--now", "2026-03-01")
    #expect(result.code == 0, "\(result.errors)")
    let reasons = [
      "limited  no match  -             audience 1 (b) held back by its limit: shown once so far, at most 1",
      "failing  no match  -             audience 1 (b): user.mail is missing, and endsWith needs a string",
      "one      no match  -             audience 0 (a) does not match",
      "none     no match  -             it has no audiences",
      "kept     holdout   audience 0 (a)  variant v, the only one",
    ].map { $0.replacing("-             ", with: "-               ") }
    #expect(Array(result.lines.dropFirst()) == reasons, "\(result.output)")
    try folder.write("broken.json", config(triggers + [trigger("bad", rule("z", "user.n =="))]))
    let broken = try folder.tollgate("explain", "broken.json", "--all", "--user", user)
    #expect(broken.code == 1)
    #expect(
      broken.lines.last?.hasSuffix("audience 0 (z) has an expression that does not compile") == true
    )
  }
}

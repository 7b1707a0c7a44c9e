import Expressions
import Foundation
import Testing

@testable import tollgate

/// `replay --events`: exports of two SDK versions, made up by deciding with these versions.
@Suite struct ReplayEventsTests {
  private static func config(build: String = "b1") -> String {
    #"{"build_id":"\#(build)","trigger_options":[{"event_name":"export","rules":["#
      + #"{"experiment_id":"e1","experiment_group_id":"g","expression_cel":"user.age > 18","expression_js":"true","variants":["#
      + #"{"variant_id":"v1","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"annual"},"#
      + #"{"variant_id":"v2","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"monthly"}]},"#
      + #"{"experiment_id":"e2","experiment_group_id":"g","expression_cel":"user.visits > 3","variants":["#
      + #"{"variant_id":"x","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"basic"}]}]}]}"#
  }

  private struct Row {
    var day = 1
    var user: String
    var sdk = "4.16.2"
    var build = "b1"
    var result: String
    var experiment = ""
    var variant = ""
    var attributes: String

    var csv: String {
      let quoted = attributes.replacingOccurrences(of: "\"", with: "\"\"")
      return
        "2026-03-\(day < 10 ? "0" : "")\(day) 10:00:00,\(user),iOS,\(sdk),\(build),export,\(result),"
        + "\(experiment),\(variant),\"\(quoted)\"\n"
    }
  }

  private static let header =
    "ts,user_id,platform,sdk_version,config_build_id,placement,result,experiment_id,variant_id,user\n"

  private func replay(_ rows: [Row], _ options: [String] = []) throws -> (BuiltTool.Result, Value) {
    let folder = try TestFolder()
    try folder.write("c.json", Self.config())
    try folder.write("e.csv", Self.header + rows.map(\.csv).joined())
    let result = try folder.tollgate(
      ["replay", "--events", "e.csv", "--config", "c.json", "--json"] + options)
    return (result, (try? Value.parse(json: result.output.utf8)) ?? .null)
  }

  /// The string "25" is above 18 for iOS 4.11.2, and not comparable for 4.16.2. A version such as 4.10 is no number.
  @Test func eachVersionDecidesItsRows() throws {
    let text = #"{"age":"25","visits":9}"#
    var (result, report) = try replay([
      Row(
        user: "a", sdk: "4.11.2", result: "present", experiment: "e1", variant: "v1",
        attributes: text),
      Row(user: "b", result: "present", experiment: "e2", variant: "x", attributes: text),
      Row(
        user: "c", sdk: "4.10", result: "present", experiment: "e1", variant: "v2", attributes: text
      ),
      Row(user: "d", result: "no_rule_match", attributes: #"{"age":3,"visits":1}"#),
    ])
    #expect(result.code == 0, "\(result.errors)")
    #expect(report["decisions"] == 4 && report["reproduced"] == 4)
    (result, report) = try replay([
      Row(user: "a", result: "present", experiment: "e1", variant: "v1", attributes: text),
      Row(user: "b", sdk: "4.10", result: "no_rule_match", attributes: text),
    ])
    #expect(result.code == 1)
    #expect(report["reproduced"] == 0)
    #expect(report["versions"]?.elements?.count == 2)
    #expect(report["differences"]?.elements?.count == 2)
  }

  /// An attribute that no row has was not exported; one that other rows have may be missing.
  @Test func namesWhatIsMissing() throws {
    let (_, none) = try replay([
      Row(user: "a", result: "present", experiment: "e2", variant: "x", attributes: #"{"age":3}"#)
    ])
    let first = none["differences"]?.elements?.first
    #expect(first?["notExported"] == ["user.visits"])
    #expect(first?["explanation"]?.text?.contains("user.visits") == true)
    let (_, some) = try replay([
      Row(user: "a", result: "present", experiment: "e2", variant: "x", attributes: #"{"age":3}"#),
      Row(user: "b", result: "no_rule_match", attributes: #"{"age":3,"visits":1}"#),
    ])
    #expect(some["differences"]?.elements?.first?["notExported"] == [])
    #expect(some["differences"]?.elements?.first?["missing"] == ["user.visits"])
  }

  /// Rows of other builds, results that rules do not give and unreadable rows are counted by themselves.
  @Test func whatIsNotCompared() throws {
    let ok = #"{"age":3}"#
    let (result, report) = try replay([
      Row(user: "a", result: "no_rule_match", attributes: ok),
      Row(user: "b", build: "b0", result: "no_rule_match", attributes: ok),
      Row(user: "c", result: "userIsSubscribed", attributes: ok),
      Row(user: "d", result: "no_rule_match", attributes: "{"),
      Row(user: "e", sdk: "3.9.0", result: "no_rule_match", attributes: ok),
      Row(user: "f", sdk: "x", result: "no_rule_match", attributes: ok),
    ])
    #expect(report["decisions"] == 2 && report["reproduced"] == 2)
    #expect(report["rejected"] == 1 && report["withoutVersion"] == 1)
    let reasons = (report["notCompared"]?.elements ?? []).compactMap { $0["reason"]?.text }
    #expect(reasons.count == 3)
    for part in ["'b0'", "'userIsSubscribed'", "JavaScript"] {
      #expect(reasons.contains { $0.contains(part) }, "\(part) in \(reasons)")
    }
    #expect(result.errors.contains("e.csv:5: 'user' must be an object"), "\(result.errors)")
  }

  /// An export of other builds says nothing about the rules, and does not pass as reproduced.
  @Test func nothingCompared() throws {
    let (result, report) = try replay([
      Row(user: "a", build: "b0", result: "no_rule_match", attributes: #"{"age":3}"#)
    ])
    #expect(result.code == 1 && report["decisions"] == 0)
  }

  /// From day 6 on, version 4.16.2 gives every user the first variant.
  @Test func unequalShares() throws {
    let rows = (0..<2_000).map { number in
      let (day, isNew) = (1 + number / 200, number % 2 == 0)
      let variant = isNew && day > 5 ? "v1" : number % 4 < 2 ? "v1" : "v2"
      return Row(
        day: day, user: "u\(number)", sdk: isNew ? "4.16.2" : "4.15.0", result: "present",
        experiment: "e1", variant: variant, attributes: #"{"age":30}"#)
    }
    let (result, report) = try replay(rows)
    #expect(result.code == 1)
    #expect(report["decisions"] == report["reproduced"])
    let experiment = try #require(report["experiments"]?.elements?.first)
    #expect(experiment["mismatch"] == true)
    #expect(experiment["since"] == "2026-03-06")
    #expect((experiment["chiSquare"]?.number ?? 0) > 50)
    #expect(experiment["versions"] == ["iOS SDK 4.16.2"])
    let fair = try replay(rows.filter { $0.sdk == "4.15.0" })
    #expect(fair.0.code == 0)
    #expect(fair.1["experiments"]?.elements?.first?["mismatch"] == false)
    // The order of rows does not matter: of two rows of a user, the earlier one counts.
    let second = rows.map { row in
      var row = row
      (row.day, row.variant) = (14, "v2")
      return row
    }
    let (_, unordered) = try replay((second + rows.reversed()).shuffled())
    #expect(unordered["experiments"] == report["experiments"])
    // A user counts once, however many rows there are.
    let repeated = (0..<500).map { _ in
      Row(
        user: "one", result: "present", experiment: "e1", variant: "v1", attributes: #"{"age":30}"#)
    }
    #expect(try replay(repeated).1["experiments"]?.elements?.first?["users"] == 1)
  }

  /// A variant or a paywall that the config does not have is named.
  @Test func whatTheConfigDoesNotHave() throws {
    let (_, report) = try replay([
      Row(user: "a", result: "present", experiment: "e1", variant: "v9", attributes: #"{"age":30}"#)
    ])
    let difference = report["differences"]?.elements?.first
    #expect(
      difference?["unknown"]?.text == "the experiment 'e1' of the config has no variant 'v9'")
    let folder = try TestFolder()
    try folder.write("c.json", Self.config())
    // The identifier counts, wherever it stands.
    let row =
      #"{"ts":"2026-03-01T10:00:00Z","user_id":"u","platform":"iOS","sdk_version":"4.16.2","#
      + #""placement":"export","result":"present","user":{"age":30},"#
    try folder.write(
      "e.ndjson",
      row + #""paywall_identifier":"annual","paywall_id":"77"}"# + "\n"
        + row + #""paywall_id":"77","paywall_identifier":"annual"}"# + "\n"
        + row + #""experiment_id":"e1","paywall_id":"77"}"# + "\n")
    let result = try folder.tollgate("replay", "--events", "e.ndjson", "--config", "c.json")
    #expect(result.output.hasPrefix("2 of 3 decisions reproduced"), "\(result.output)")
    #expect(result.output.contains("no variant of the experiment 'e1' has the paywall '77'"))
  }

  /// What is wrong with a file as a whole is said once.
  @Test(arguments: [
    ("ts;user_id;placement;result\n1;u;p;error\n", "cells are separated by ';'"),
    (
      "ts,user_id,plcement,result\n1,u,p,error\n",
      "has no column placement; did you mean 'placement' by 'plcement'?"
    ),
    ("a,b\n1,2\n", "has no column ts, user_id, placement, result; it has a, b"),
    (#"[{"ts":1}]"#, "is one JSON list, and decisions must be one object per line"),
    ("{\n\"ts\": 1\n}", "is JSON over several lines, and decisions must be one object per line"),
    (#"{"trigger_options":[]}"#, "is a config; decisions are one object per line"),
    ("PAR1....", "is a Parquet file"),
  ])
  func filesOfOtherForms(text: String, message: String) throws {
    let folder = try TestFolder()
    try folder.write("c.json", Self.config())
    try folder.write("e", text)
    let result = try folder.tollgate("replay", "--events", "e", "--config", "c.json")
    #expect(result.code == 2 && result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count <= 2)
  }

  @Test func misspeltColumnsAreNamed() throws {
    let folder = try TestFolder()
    try folder.write("c.json", Self.config())
    try folder.write(
      "e.csv",
      "ts,user_id,platform,sdk_versoin,placement,result\n1772366400,u,iOS,4.16.2,x,event_not_found\n"
    )
    let result = try folder.tollgate("replay", "--events", "e.csv", "--config", "c.json")
    #expect(
      result.errors.contains("'sdk_versoin' is unknown and ignored; did you mean 'sdk_version'?"))
    #expect(result.output.contains("1 row without a readable SDK version"))
  }

  @Test func severalBuilds() throws {
    let folder = try TestFolder()
    try folder.write("1.json", Self.config())
    try folder.write(
      "2.json", Self.config(build: "b2").replacingOccurrences(of: "age > 18", with: "age > 50"))
    let row =
      #"{"ts":1772366400,"userId":"u","platform":"iOS","sdkVersion":"4.16.2","placement":"export","#
    try folder.write(
      "e.ndjson",
      row + #""configBuildId":"b1","result":"paywall","experimentId":"e1","user":{"age":30}}"#
        + "\n"
        + row + #""configBuildId":"b2","result":"noAudienceMatch","user":"{\"age\":30}"}"# + "\n")
    let both = try folder.tollgate(
      "replay", "--events", "e.ndjson", "--config", "1.json", "--config", "2.json")
    #expect(both.code == 0, "\(both.errors)\(both.output)")
    #expect(both.output.hasPrefix("2 of 2 decisions reproduced"))
    for (arguments, part) in [
      (["--config", "1.json", "--config", "1.json"], "have the same build ID, 'b1'"),
      ([], "--events needs --config FILE"),
      (["--config", "1.json", "--differences=-1"], "--differences must be 0 or more"),
    ] {
      let result = try folder.tollgate(["replay", "--events", "e.ndjson"] + arguments)
      #expect(result.code == 2 && result.errors.contains(part), "\(result.errors)")
    }
    try folder.write("empty.csv", "")
    let empty = try folder.tollgate("replay", "--events", "empty.csv", "--config", "1.json")
    #expect(empty.code == 2 && empty.errors.contains("has no rows"), "\(empty.errors)")
  }
}

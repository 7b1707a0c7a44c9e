import Expressions
import Foundation
import Testing

@testable import tollgate

/// Rules that fail for a user are told in every form of outcomes, and in the summary.
@Suite struct RuleErrorsTests {
  /// Two audiences that fail for users without an e-mail address, of two placements.
  private static let config = """
    {"trigger_options":[
      {"event_name":"upgrade","rules":[
        {"experiment_id":"corp","experiment_group_id":"c1",
         "expression_cel":"user.plan == \\"free\\" && user.email.endsWith(\\"@corp.example\\")",
         "variants":[{"variant_id":"v1","variant_type":"TREATMENT","percentage":100,
                      "paywall_identifier":"pw"}]},
        {"experiment_id":"math","experiment_group_id":"c1",
         "expression_cel":"100 / user.visits > 3",
         "variants":[{"variant_id":"v2","variant_type":"HOLDOUT","percentage":100}]}]},
      {"event_name":"quiet","rules":[]}]}
    """

  private static let users = """
    {"userId":"a","user":{"plan":"free","email":"a@corp.example","visits":1}}
    {"userId":"b","user":{"plan":"free","visits":0}}
    {"userId":"c","user":{"plan":"free","visits":50}}
    {"userId":"d","user":{"plan":"paid","email":"d","visits":2}}

    """

  private static let absent =
    #"{"audience":0,"clause":"user.email.endsWith(\"@corp.example\")","code":"no-such-attribute","#
    + #""path":"user.email"}"#
  private static let divided =
    #"{"audience":1,"clause":"100 / user.visits > 3","code":"division-by-zero","#
    + #""path":"user.visits"}"#

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    try folder.write("users.ndjson", Self.users)
    return folder
  }

  private func run(_ folder: TestFolder, _ arguments: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(
      try BuiltTool.tool(),
      [
        "precompute", "config.json", "--users", "users.ndjson", "--now", "2026-03-01T12:00:00Z",
        "--seed", "s",
      ] + arguments, in: folder.path)
  }

  @Test func inLines() throws {
    let folder = try folder()
    #expect(try run(folder, "--out", "out.ndjson").code == 0)
    let lines = (folder.text("out.ndjson") ?? "").split(separator: "\n").filter {
      $0.contains(#""upgrade""#)
    }
    #expect(lines.count == 4)
    #expect(!lines[0].contains("errors"))
    #expect(lines[1].hasSuffix(#","errors":[\#(Self.absent),\#(Self.divided)]}"#))
    #expect(lines[2].hasSuffix(#","errors":[\#(Self.absent)]}"#))
    #expect(!lines[3].contains("errors"))
    #expect(!(folder.text("out.ndjson") ?? "").contains(#""quiet","result":{"result":"error"#))
  }

  @Test(arguments: ["long", "wide"])
  func inCells(layout: String) throws {
    let folder = try folder()
    #expect(try run(folder, "--out", "out.csv", "--layout", layout).code == 0)
    let cell = { (errors: String) in
      "\"[" + errors.replacingOccurrences(of: "\"", with: "\"\"") + "]\""
    }
    let text = folder.text("out.csv") ?? ""
    #expect(text.contains(cell(Self.absent + "," + Self.divided)))
    #expect(text.contains(cell(Self.absent)))
    let header = text.split(separator: "\n").first ?? ""
    #expect(header.contains(layout == "long" ? ",errors" : ",upgrade_errors"))
    // Every row has as many cells as the header.
    let commas = header.filter { $0 == "," }.count
    for row in text.split(separator: "\n").dropFirst() where !row.contains("\"") {
      #expect(row.filter { $0 == "," }.count == commas)
    }
  }

  @Test func inTables() throws {
    let folder = try folder()
    #expect(try run(folder, "--out", "out.sqlite").code == 0)
    let database = try SQLiteDatabase(folder.path("out.sqlite"))
    let rows = try database.rows(
      "SELECT user_id, placement, audience, code, path FROM errors ORDER BY user_id, audience")
    #expect(
      rows == [
        ["b", "upgrade", 0, "no-such-attribute", "user.email"],
        ["b", "upgrade", 1, "division-by-zero", "user.visits"],
        ["c", "upgrade", 0, "no-such-attribute", "user.email"],
      ])
    let counts = try ["rule_errors", "user_errors", "users", "decisions"].map {
      try database.rows("SELECT count(*) FROM \($0)").first?.first
    }
    #expect(counts == [2, 3, 4, 8])
  }

  @Test func inSummaries() throws {
    let folder = try folder()
    let text = try run(folder, "--out", "none").output
    #expect(
      text.contains(
        """
          upgrade, audience 0: user.email.endsWith("@corp.example")
            user.email is missing, and endsWith needs a string: 2 users, e.g. b
          upgrade, audience 1: 100 / user.visits > 3
            100 / user.visits divides by zero: 1 user, b
        """))
    let json = try run(folder, "--out", "none", "--summary", "json").output
    #expect(
      json.contains(
        #""errors":[{"audience":0,"clause":"user.email.endsWith(\"@corp.example\")","#
          + #""code":"no-such-attribute","path":"user.email","users":2,"example":"b"},"#))
    // Where nothing fails, nothing is said.
    try folder.write(
      "users.ndjson", #"{"userId":"a","user":{"plan":"paid","email":"a","visits":1}}"#)
    #expect(!(try run(folder, "--out", "none").output.contains("failed")))
  }

  /// Twenty kinds are told, each with as much of the clause as has room.
  @Test(arguments: [20, 21])
  func asManyAsAreRead(kinds: Int) throws {
    let folder = try folder()
    let placements = (0..<kinds).map { number in
      """
      {"event_name":"placement_\(number)","rules":[{"experiment_id":"e\(number)","experiment_group_id":"c",
       "expression_cel":"user.a.endsWith('\(String(repeating: "x", count: 100))')",
       "variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]}]}
      """
    }
    try folder.write(
      "config.json", "{\"trigger_options\":[\(placements.joined(separator: ","))]}")
    let lines = try run(folder, "--out", "none").lines
    #expect(lines.contains("  and 1 more kind") == (kinds > 20))
    let heads = lines.filter { $0.contains(", audience 0: user.a") }
    #expect(heads.count == 20 && heads.allSatisfy { $0.count == 84 && $0.contains("…") })
  }

  /// `--resume` of a run that is complete, and of one that is not, tells what the whole run met.
  @Test(arguments: ["out.ndjson", "out.sqlite", "out.csv.gz", "out.csv.zst"])
  func afterAnInterruption(name: String) throws {
    let folder = try folder()
    let text = (0..<300).map { _ in Self.users }.joined()
    try folder.write("users.ndjson", text)
    let whole = try run(folder, "--out", "whole-" + name)
    #expect(whole.code == 0)
    // A run that ends in the middle: its input does.
    try folder.write("users.ndjson", text)
    let script =
      "(head -c \(text.utf8.count / 2) users.ndjson; sleep 1; kill -9 $(cat pid)) | "
      + "sh -c 'echo $$ >pid; exec $TOLLGATE precompute config.json --users - --seed s "
      + "--now 2026-03-01T12:00:00Z --checkpoint-every 0 --out \(name)'"
    _ = try folder.shell(script)
    let resumed = try folder.shell(
      "$TOLLGATE precompute config.json --users - --seed s --now 2026-03-01T12:00:00Z "
        + "--checkpoint-every 0 --out \(name) --resume <users.ndjson")
    #expect(resumed.code == 0, "\(resumed.errors)")
    #expect(resumed.output.contains("600 users, e.g. b"))
    if name != "out.sqlite" { #expect(folder.bytes(name) == folder.bytes("whole-" + name)) }
    let again = try run(folder, "--out", "whole-" + name, "--resume")
    #expect(again.output.contains("600 users, e.g. b"))
  }

  @Test func inDecide() throws {
    let folder = try folder()
    let result = try BuiltTool.run(
      [
        "decide", folder.path("config.json"), "--placement", "upgrade", "--user", "-",
        "--now", "2026-03-01T12:00:00Z",
      ], input: Data(#"{"userId":"b","user":{"plan":"free","visits":0}}"#.utf8))
    #expect(result.code == 0)
    #expect(result.output.contains(#""errors":[\#(Self.absent),\#(Self.divided)]}"#))
  }
}

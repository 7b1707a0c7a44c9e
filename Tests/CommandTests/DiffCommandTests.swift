import Expressions
import Foundation
import Testing

@testable import tollgate

/// `tollgate diff OLD NEW`.
@Suite struct DiffCommandTests {
  /// The demo's config, and the same with a weight, a limit and a paywall changed.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    for name in ["config.json", "users.ndjson"] {
      try FileManager.default.copyItem(
        atPath: TestFolder.demo + "/" + name, toPath: folder.path(name))
    }
    try folder.write("next.json", try Self.next())
    return folder
  }

  private static func next() throws -> String {
    let config = try String(contentsOfFile: TestFolder.config, encoding: .utf8)
    let next = config.replacing(#""percentage": 45,"#, with: #""percentage": 40,"#)
      .replacing(#""paywall_identifier": "export-trial""#, with: #""paywall_identifier": "plans""#)
    #expect(next != config)
    return next
  }

  private static let settings = ["--now", "2026-03-01T12:00:00Z", "--seed", "s"]

  private func diff(_ folder: TestFolder, _ arguments: String...) throws -> BuiltTool.Result {
    try folder.tollgate(["diff", "config.json", "next.json"] + arguments + Self.settings)
  }

  private func json(_ result: BuiltTool.Result) throws -> Value {
    try Value.parse(json: result.output.utf8)
  }

  /// Lines of outcomes, by user and placement, as `precompute` writes them.
  private func outcomes(_ folder: TestFolder, _ config: String) throws -> [String: Value] {
    let result = try folder.tollgate(
      ["precompute", config, "--users", "users.ndjson", "--quiet"] + Self.settings)
    #expect(result.code == 0)
    var outcomes: [String: Value] = [:]
    for line in result.lines {
      let value = try Value.parse(json: line.utf8)
      let key = "\(value["userId"]?.text ?? "") \(value["placement"]?.text ?? "")"
      let experiment = value["result"]?["experiment"]
      outcomes[key] = .list([
        value["result"]?["result"] ?? .null, experiment?["variant"]?["id"] ?? .null,
        value["paywall"] ?? .null,
      ])
    }
    return outcomes
  }

  @Test func movesAreThoseOfTwoRuns() throws {
    let folder = try folder()
    let (old, new) = (try outcomes(folder, "config.json"), try outcomes(folder, "next.json"))
    let moved = old.filter { new[$0.key] != $0.value }
    #expect(moved.count > 50)
    let result = try diff(folder, "--users", "users.ndjson", "--json", "--out", "moved.ndjson")
    #expect(result.code == 1, "\(result.errors)")
    let report = try json(result)
    var counted = 0
    for placement in report["placements"]?.members ?? [] {
      let kinds = placement.value["kinds"]?.elements ?? []
      #expect(
        placement.value["moved"]?.wholeNumber
          == kinds.reduce(0) { $0 + ($1["users"]?.wholeNumber ?? 0) })
      counted += Int(placement.value["moved"]?.wholeNumber ?? 0)
      for kind in kinds {
        #expect(["weights", "paywall"].contains(kind["reason"]?.text ?? ""), "\(kind.json)")
      }
    }
    #expect(counted == moved.count)
    let lines = (folder.text("moved.ndjson") ?? "").split(separator: "\n")
    let written = try lines.map { line in
      let value = try Value.parse(json: line.utf8)
      return "\(value["userId"]?.text ?? "") \(value["placement"]?.text ?? "")"
    }
    #expect(written.sorted() == moved.keys.sorted())
    #expect(
      Set(moved.keys.map { $0.split(separator: " ")[0] }).count
        == Int(report["moved"]?.wholeNumber ?? 0))
  }

  @Test func theReportDoesNotDependOnThreads() throws {
    let folder = try folder()
    // More than one part of the input.
    let line = (folder.text("users.ndjson") ?? "").split(separator: "\n").joined(separator: "\n")
    try folder.write("many.ndjson", [line, line, line].joined(separator: "\n"))
    let one = try diff(
      folder, "--users", "many.ndjson", "--json", "--threads", "1", "--out", "one.csv")
    let three = try diff(
      folder, "--users", "many.ndjson", "--json", "--threads", "3", "--out", "three.csv")
    #expect(one.code == 1)
    #expect(one.output == three.output && !one.output.isEmpty)
    #expect(folder.bytes("one.csv") == folder.bytes("three.csv"))
    #expect(
      folder.text("one.csv")?.split(separator: "\n").first
        == """
        user_id,placement,from_result,from_audience,from_variant,from_paywall,to_result,to_audience,\
        to_variant,to_paywall,reason
        """)
  }

  @Test func everyFormHasTheSameUsers() throws {
    let folder = try folder()
    try folder.compress("users.ndjson", .zstd)
    for name in ["moved.csv", "moved.csv.gz", "moved.ndjson.zst", "moved.sqlite"] {
      let result = try diff(
        folder, "--users", "users.ndjson.zst", "--out", name, "--exit-zero", "--quiet")
      #expect(result.code == 0, "\(result.errors)")
      // Three lines of the demo's users are refused.
      #expect(result.errors.split(separator: "\n").allSatisfy { $0.contains("rejected: ") })
    }
    let plain = folder.text("moved.csv") ?? ""
    #expect(
      String(decoding: try FileText.read(folder.path("moved.csv.gz")), as: UTF8.self) == plain)
    let packed = try FileText.read(folder.path("moved.ndjson.zst"))
    let count = plain.count { $0 == "\n" } - 1
    #expect(packed.count { $0 == UInt8(ascii: "\n") } == count)
    let database = try SQLiteDatabase(folder.path("moved.sqlite"))
    let rows = try database.rows(
      "SELECT user_id, placement, from_paywall, to_paywall, reason FROM moved")
    #expect(rows.count == count)
    let first = plain.split(separator: "\n")[1].split(
      separator: ",", omittingEmptySubsequences: false)
    #expect(rows[0][0].text == String(first[0]) && rows[0][4].text == first.last.map(String.init))
    // Once more, in its place; and what is none stays.
    #expect(
      try diff(folder, "--users", "users.ndjson", "--out", "moved.sqlite", "--exit-zero").code == 0)
    try folder.write("other.sqlite", "mine")
    let refused = try diff(folder, "--users", "users.ndjson", "--out", "other.sqlite")
    #expect(refused.code == 2 && folder.text("other.sqlite") == "mine")
    #expect(folder.names.filter { $0.hasSuffix(".new") } == [])
  }

  @Test func withoutUsers() throws {
    let folder = try folder()
    let same = try folder.tollgate(
      ["diff", "config.json", "config.json", "--quiet"] + Self.settings)
    #expect(same.code == 0 && same.output == "All 6 placements give every user the same outcome.\n")
    let both = try folder.tollgate(
      ["diff", "config.json", "config.json", "--placement", "export_report"]
        + ["--placement", "workout_finished", "--quiet"] + Self.settings)
    #expect(both.code == 0 && both.output == "Both placements give every user the same outcome.\n")
    // A placement that is named twice is one.
    let once = ["--placement", "export_report"]
    for users in [[], ["--users", "users.ndjson"]] {
      let results = try [once, once + once].map {
        try folder.tollgate(
          ["diff", "config.json", "next.json", "--json"] + users + $0 + Self.settings)
      }
      #expect(results[0].output == results[1].output && !results[0].output.isEmpty)
      #expect(results.allSatisfy { $0.errors.contains("Comparing 1 placement as of ") })
    }
    let result = try diff(folder, "--json")
    #expect(result.code == 1)
    let report = try json(result)
    let verdicts = Set(
      (report["placements"]?.members ?? []).compactMap { $0.value["verdict"]?.text })
    #expect(verdicts == ["same", "differs"])
    #expect(report["changes"]?.elements?.isEmpty == false)
    for placement in report["placements"]?.members ?? [] {
      for witness in placement.value["witnesses"]?.elements ?? [] {
        let record = try #require(witness["record"]).json
        var paywalls: [Value?] = []
        for config in ["config.json", "next.json"] {
          let decided = try folder.tollgate(
            ["decide", config, "--placement", placement.key, "--user", record, "--json"]
              + ["--quiet"] + Self.settings)
          paywalls.append(try Value.parse(json: decided.output.utf8)["result"])
        }
        #expect(paywalls[0] != paywalls[1], "\(record)")
      }
    }
  }

  @Test func reportsForPeople() throws {
    let folder = try folder()
    let text = try diff(folder, "--users", "users.ndjson")
    #expect(text.output.contains("Changes of the config\n"))
    #expect(text.output.contains("users get a different outcome ("))
    let markdown = try diff(folder, "--users", "users.ndjson", "--format", "markdown")
    #expect(markdown.code == 1 && markdown.output.hasPrefix("### "))
    #expect(markdown.output.contains("|---|---|---|--:|--:|---|---|\n| `"))
    #expect(markdown.output.contains("\n- `"))
    let witnesses = try diff(folder, "--format", "markdown", "--exit-zero")
    #expect(witnesses.code == 0 && witnesses.output.contains("- from `"))
    #expect(Markdown.escaped("a|b @x <i> *_") == "a\\|b &#64;x &lt;i&gt; \\*\\_")
    #expect(Markdown.code("a`b|c") == "``a`b\\|c``")
  }

  @Test func wrongUse() throws {
    let folder = try folder()
    try folder.write("empty.ndjson", "\n")
    try folder.write("refused.ndjson", "{\"userId\":\"u\"}\nnonsense\n")
    func error(_ arguments: String...) throws -> (Int32, String) {
      let result = try folder.tollgate(["diff", "config.json", "next.json"] + arguments)
      return (result.code, result.errors)
    }
    for (arguments, message) in [
      (["--placement", "nowhere"], "no placement 'nowhere'"),
      (["--out", "x.csv"], "--out needs --users"),
      (["--json", "--format", "markdown"], "not both"),
      (["--users", "empty.ndjson"], "no users in empty.ndjson"),
      (["--users", "empty.ndjson", "--out", "moved.csv"], "no users in empty.ndjson"),
      (["--users", "users.ndjson", "--out", "users.ndjson"], "are the same file"),
      (["--users", "users.ndjson", "--out", "x.parquet"], "files are not supported"),
    ] {
      let result = try folder.tollgate(["diff", "config.json", "next.json"] + arguments)
      #expect(result.code == 2, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
    }
    // Where there are no users, no file is written, and none replaced.
    #expect(!folder.names.contains { $0.hasPrefix("moved.csv") })
    try folder.write("moved.csv", "")
    #expect(try error("--users", "empty.ndjson", "--out", "moved.csv").0 == 2)
    #expect(folder.text("moved.csv") == "")
    let strict = try error("--users", "refused.ndjson", "--strict", "--exit-zero")
    #expect(strict.0 == 3 && strict.1.contains("refused.ndjson:2"), "\(strict)")
    let broken = (folder.text("next.json") ?? "").replacing(
      #""expression_cel": "device"#, with: #""expression_cel": "== device"#)
    try folder.write("next.json", broken)
    #expect(try error().0 == 1)
    #expect(try error("--keep-going", "--exit-zero").0 == 0)
  }

  /// Without users each placement that differs is told, with who gets what, and somebody who does.
  @Test func differencesInWords() throws {
    let folder = try TestFolder()
    let config = try String(contentsOfFile: TestFolder.config, encoding: .utf8)
    try folder.write("old.json", config)
    try folder.write(
      "new.json", config.replacing("params.pages > 20", with: "params.pages > 10"))
    let told = try folder.tollgate(["diff", "old.json", "new.json"]).output
    #expect(
      told.contains(
        """

        export_report differs:
          from 'export-gate' (variant 'export-free-gate', audience 1) to 'export-gate' (variant \
        'export-long-gate', audience 0): audience 0 (export-long) takes these users: its condition has changed
            {"userId":"somebody",
        """), "\(told)")
    #expect(
      told.contains("\n\n1 of 6 placements differs, 5 give every user the same outcome.\n"),
      "\(told)")
  }
}

import Expressions
import Foundation
import RuleEngine
import Testing

@testable import tollgate

/// Tables of outcomes: names that SQL takes as they are, and the same cells in CSV and databases.
@Suite struct OutcomeColumnsTests {
  /// A config of placements with two audiences each, the first of which fails for users without an
  /// e-mail address, and the second for those without visits.
  private static func config(_ placements: [String]) throws -> String {
    func text(_ text: String) -> String { Value.string(text).json }
    let triggers = placements.map { placement in
      """
      {"event_name":\(text(placement)),"rules":[
        {"experiment_id":\(text("free, " + placement)),"experiment_group_id":"g",
         "expression_cel":"user.plan == 'free' && user.email.endsWith('@x')",
         "variants":[{"variant_id":"v \\"1\\"","variant_type":"TREATMENT","percentage":60,
                      "paywall_identifier":"pw"},
                     {"variant_id":"v2","variant_type":"HOLDOUT","percentage":40}]},
        {"experiment_id":"rest","experiment_group_id":"g","expression_cel":"100 / user.visits > 50",
         "variants":[{"variant_id":"v3","variant_type":"TREATMENT","percentage":100,
                      "paywall_identifier":"other"}]}]}
      """
    }
    return "{\"trigger_options\":[\(triggers.joined(separator: ","))]}"
  }

  private static let users = """
    {"userId":"a","user":{"plan":"free","visits":1,"email":"a@x"}}
    {"userId":"b, the \\"second\\"","user":{"plan":"free","visits":9}}
    {"userId":"c","user":{"plan":"pro","visits":0}}
    {"userId":"d","user":{}}
    {"userId":"e","user":{"plan":"free"}}

    """

  private func folder(_ placements: [String]) throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", try Self.config(placements))
    try folder.write("users.ndjson", Self.users)
    return folder
  }

  private func run(_ folder: TestFolder, _ arguments: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(
      try BuiltTool.tool(),
      [
        "precompute", "config.json", "--users", "users.ndjson", "--now", "2026-03-01T12:00:00Z",
        "--seed", "it's, 1", "--summary", "json",
      ] + arguments, in: folder.path)
  }

  private static let fields = ["result", "audience", "experiment", "variant", "paywall", "errors"]

  /// A table as CSV, as outcomes are written.
  private func table(_ folder: TestFolder, _ name: String) throws -> String {
    let database = try SQLiteDatabase(folder.path(name))
    let columns = try database.rows("SELECT name FROM pragma_table_info('outcomes')")
    let rows = try database.rows("SELECT * FROM outcomes")
    return ([columns.flatMap { $0 }] + rows).map { row in
      row.map { cell in
        let text = cell.text ?? (cell == .null ? "" : cell.json)
        let isPlain = !text.contains { "\",\n".contains($0) }
        return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
      }.joined(separator: ",") + "\n"
    }.joined()
  }

  // MARK: Names

  private static let placements: [(name: String, prefix: String)] = [
    ("export_report", "export_report"), ("Export-Report", "export_report_2"),
    ("2024 sale", "p_2024_sale"), ("p_2024_sale_2", "p_2024_sale_2"),
    ("2024.sale", "p_2024_sale_3"),
    ("größe", "gr__e"), ("order", "order"), ("a\"b", "a_b"), ("a;b", "a_b_2"), ("A_B", "a_b_3"),
    ("it's, 1", "it_s__1"),
  ]

  @Test func namesForSQL() throws {
    let folder = try folder(Self.placements.map(\.name))
    let wide = try run(folder, "--out", "out.csv", "--layout", "wide")
    #expect(wide.code == 0, "\(wide.errors)")
    let lines = (folder.text("out.csv") ?? "").split(separator: "\n")
    let names = lines[0].split(separator: ",").map(String.init)
    #expect(
      names
        == ["user_id"]
        + Self.placements.flatMap { placement in
          Self.fields.map { "\(placement.prefix)_\($0)" }
        })
    // Each name that has a number is told once.
    let notes = wide.errors.split(separator: "\n").filter { $0.hasPrefix("note: ") }
    #expect(notes.count == 4, "\(notes)")
    #expect(notes[0].hasPrefix("note: the columns of 'Export-Report' are called export_report_2_"))
    // Without quotes they are names to SQL.
    let database = try SQLiteDatabase(folder.path("names.sqlite"))
    try database.execute("CREATE TABLE outcomes (\(names.joined(separator: ", ")))")
    try database.execute("SELECT \(names.joined(separator: ", ")) FROM outcomes")
    let others = try run(folder, "--out", "long.csv")
    #expect(!others.errors.contains("note: "))
    #expect(
      folder.text("long.csv")?.hasPrefix(
        "user_id,placement,result,audience,experiment,variant,paywall,errors\n") == true)
  }

  // MARK: Databases

  @Test(arguments: [[], ["--run-columns"]])
  func wideDatabases(more: [String]) throws {
    let folder = try folder(Self.placements.map(\.name))
    for name in ["out.csv", "out.sqlite"] {
      let result = try BuiltTool.run(
        try BuiltTool.tool(),
        [
          "precompute", "config.json", "--users", "users.ndjson", "--now",
          "2026-03-01T12:00:00Z", "--seed", "it's, 1", "--layout", "wide", "--out", name,
        ] + more, in: folder.path)
      #expect(result.code == 0, "\(result.errors)")
      #expect(result.errors.contains("export_report_2_"))
      #expect(try folder.tollgate("replay", name + ".manifest.json").code == 0)
    }
    let expected = try #require(folder.text("out.csv"))
    #expect(expected.contains("division-by-zero") && expected.contains("no-such-attribute"))
    #expect(try table(folder, "out.sqlite") == expected)
    let database = try SQLiteDatabase(folder.path("out.sqlite"))
    #expect(
      try database.rows(
        "SELECT user_id FROM outcomes WHERE order_errors LIKE '%division-by-zero%'")
        == [[.string("c")]])
    #expect(
      try database.rows("SELECT count(*) FROM errors WHERE placement = 'order'") == [[.int(7)]])
  }

  /// SQLite's libraries take 2,000 columns, unless they were built for more.
  @Test func asManyColumnsAsThereCanBe() throws {
    let limit = try SQLiteDatabase.columnLimit()
    #expect(limit >= 2_000)
    guard limit < 10_000 else { return }
    let most = (limit - 1) / 6
    let folder = try folder((0...most).map { "p\($0)" })
    let tooMany = try run(folder, "--out", "out.sqlite", "--layout", "wide")
    #expect(tooMany.code == 2)
    #expect(
      tooMany.errors.contains(
        "error: --out out.sqlite: the wide layout of \(grouped(most + 1)) placements has "
          + "\(grouped(1 + 6 * (most + 1))) columns, and SQLite takes \(grouped(limit)); "),
      "\(tooMany.errors)")
    #expect(folder.names == ["config.json", "users.ndjson"])
    #expect(try run(folder, "--out", "out.csv", "--layout", "wide").code == 0)
    try folder.write("config.json", try Self.config((0..<most).map { "p\($0)" }))
    for name in ["out.csv", "out.sqlite"] {
      let result = try run(folder, "--out", name, "--layout", "wide")
      #expect(result.code == 0, "\(result.errors)")
    }
    #expect(try table(folder, "out.sqlite") == folder.text("out.csv"))
    let withRun = try run(folder, "--out", "x.sqlite", "--layout", "wide", "--run-columns")
    #expect(withRun.code == (1 + 6 * most + 3 > limit ? 2 : 0))
  }

  // MARK: The run

  private static let now = "2026-03-01T12:00:00Z"

  @Test func runColumnsInLines() throws {
    let folder = try folder(["export", "seeds"])
    let hash = XXH64.text(of: Array((folder.text("config.json") ?? "").utf8))
    let end = #","now":"\#(Self.now)","seed":"it's, 1","config_hash":"\#(hash)""#
    for layout in ["long", "wide"] {
      #expect(try run(folder, "--out", "plain", "--layout", layout).code == 0)
      #expect(try run(folder, "--out", "run", "--layout", layout, "--run-columns").code == 0)
      let plain = (folder.text("plain") ?? "").split(separator: "\n")
      let run = (folder.text("run") ?? "").split(separator: "\n")
      #expect(run.count == plain.count && run.count == (layout == "long" ? 10 : 5))
      for (line, plain) in zip(run, plain) {
        #expect(line == plain.dropLast() + end + "}", "\(line)")
      }
      #expect(run.contains { $0.contains("\"errors\":[") })
      let cells = ",\(Self.now),\"it's, 1\",\(hash)"
      #expect(try self.run(folder, "--out", "plain.csv", "--layout", layout).code == 0)
      #expect(
        try self.run(folder, "--out", "run.csv", "--layout", layout, "--run-columns").code == 0)
      let table = (folder.text("plain.csv") ?? "").split(separator: "\n").enumerated().map {
        $1 + ($0 == 0 ? ",now,seed,config_hash" : cells) + "\n"
      }
      #expect(folder.text("run.csv") == table.joined())
    }
  }

  @Test func runColumnsInDatabases() throws {
    let folder = try folder(["export", "seeds"])
    #expect(try run(folder, "--out", "out.sqlite", "--run-columns").code == 0)
    #expect(
      try table(folder, "out.sqlite").hasPrefix(
        "user_id,placement,result,audience,experiment,variant,paywall,now,seed,config_hash\n"))
    let database = try SQLiteDatabase(folder.path("out.sqlite"))
    let rows = try database.rows(
      "SELECT DISTINCT now, seed, config_hash FROM outcomes WHERE user_id = 'a'")
    let hash = XXH64.text(of: Array((folder.text("config.json") ?? "").utf8))
    #expect(rows == [[.string(Self.now), .string("it's, 1"), .string(hash)]])
  }

  /// Whether outcomes have these columns is one of a run's settings.
  @Test func runColumnsAreSettings() throws {
    let folder = try folder(["export"])
    #expect(try run(folder, "--out", "out", "--run-columns").code == 0)
    let other = try run(folder, "--out", "out", "--resume")
    #expect(other.code == 2)
    #expect(other.errors.contains("runColumns was true and is false"), "\(other.errors)")
    #expect(try run(folder, "--out", "out", "--resume", "--run-columns").code == 0)
    #expect(try folder.tollgate("replay", "out.manifest.json").code == 0)
    // Manifests of before do not say it.
    #expect(try run(folder, "--out", "old").code == 0)
    let manifest = try #require(folder.text("old.manifest.json"))
    try folder.write("old.manifest.json", manifest.replacing(#""runColumns":false,"#, with: ""))
    #expect(folder.text("old.manifest.json") != manifest)
    #expect(try folder.tollgate("replay", "old.manifest.json").code == 0)
  }

  /// In the wide layout of NDJSON placements are members beside those of the run.
  @Test func placementsCalledLikeRunColumns() throws {
    let folder = try folder(["seed", "export"])
    let lines = try run(folder, "--out", "o", "--layout", "wide", "--run-columns")
    #expect(lines.code == 2)
    #expect(lines.errors.contains("--run-columns: the wide layout of NDJSON has a member 'seed'"))
    for more in [["--layout", "long"], ["--layout", "wide", "--format", "csv"]] {
      let result = try BuiltTool.run(
        try BuiltTool.tool(),
        ["precompute", "config.json", "--users", "users.ndjson", "--run-columns"] + more,
        in: folder.path)
      #expect(result.code == 0, "\(result.errors)")
    }
  }
}

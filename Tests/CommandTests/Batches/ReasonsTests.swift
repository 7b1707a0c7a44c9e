import Expressions
import Foundation
import Testing

@testable import tollgate

/// `precompute --reasons` says in every form what `explain --json` says.
@Suite struct ReasonsTests {
  private static let config = """
    {"trigger_options":[
      {"event_name":"upgrade","rules":[
        {"experiment_id":"often","experiment_group_id":"g",
         "expression_cel":"user.plan == \\"free\\"",
         "occurrence":{"key":"shown","max_count":1,"interval":{"type":"MINUTES","minutes":60}},
         "variants":[{"variant_id":"v0","variant_type":"TREATMENT","percentage":100,
                      "paywall_identifier":"pw"}]},
        {"experiment_id":"math","experiment_group_id":"g",
         "expression_cel":"100 / user.visits > 3",
         "variants":[{"variant_id":"v1","variant_type":"TREATMENT","percentage":50,
                      "paywall_identifier":"pw"},
                     {"variant_id":"v2","variant_type":"HOLDOUT","percentage":50}]}]},
      {"event_name":"nobody","rules":[]}]}
    """

  /// Held back and drawn, held back and failing, drawn, stored, and nothing to say.
  private static let records = [
    #"{"userId":"a","user":{"plan":"free","visits":1},"occurrences":{"shown":["2026-03-01T11:30:00Z"]}}"#,
    #"{"userId":"b, \"b\"","user":{"plan":"free","visits":0},"occurrences":{"shown":["2026-03-01T11:30:00Z"]}}"#,
    #"{"userId":"c","user":{"plan":"pro","visits":3}}"#,
    #"{"userId":"d","user":{"visits":3},"assignments":[{"experimentId":"math","variantId":"v2"}]}"#,
    #"{"userId":"e","user":{"plan":"free"}}"#,
  ]

  private static let basis = ["--now", "2026-03-01T12:00:00Z", "--seed", "s"]

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    try folder.write("users.ndjson", Self.records.joined(separator: "\n") + "\n")
    return folder
  }

  private func run(_ folder: TestFolder, _ arguments: [String]) throws -> BuiltTool.Result {
    try BuiltTool.run(try BuiltTool.tool(), arguments, in: folder.path)
  }

  private func precompute(_ folder: TestFolder, _ out: String, _ more: String...) throws -> Int32 {
    try run(
      folder,
      ["precompute", "config.json", "--users", "users.ndjson", "--reasons", "--out", out]
        + Self.basis + more
    ).code
  }

  /// The reason of each user at `upgrade` by the command that explains, as JSON; empty for none.
  private func explained(_ folder: TestFolder) throws -> [String] {
    try Self.records.map { record in
      let result = try run(
        folder,
        ["explain", "config.json", "--placement", "upgrade", "--user", record, "--json"]
          + Self.basis)
      let value = try Value.parse(json: Array(result.output.utf8))
      guard case .map(let entries)? = value["reason"] else { return "" }
      let rest = entries.filter { $0.key != "code" }
      return rest.isEmpty ? "" : Value.map(rest).json
    }
  }

  @Test func inEveryForm() throws {
    let folder = try folder()
    let expected = try explained(folder)
    #expect(expected[0].hasPrefix(#"{"heldBack":[{"audience":0,"limit":{"key":"shown","count":1,"#))
    #expect(expected[0].contains(#""draw":{"number":0."#))
    #expect(expected[1].contains(#""errors":[{"audience":1,"code":"division-by-zero","text":"#))
    #expect(expected[3].hasSuffix(#""stored":true}"#))
    #expect(expected[3].contains(#""missing":[{"audience":0,"clause":"user.plan"#))
    #expect(expected[4] == "")
    for layout in ["long", "wide"] {
      for out in ["out.ndjson", "out.csv", "out.sqlite"] {
        #expect(try precompute(folder, "\(layout)-\(out)", "--layout", layout) == 0)
        let found = try reasons(folder, "\(layout)-\(out)", isWide: layout == "wide")
        #expect(found == expected, "\(layout) \(out)")
      }
    }
  }

  /// The reasons at `upgrade` in a file of outcomes.
  private func reasons(_ folder: TestFolder, _ name: String, isWide: Bool) throws -> [String] {
    if name.hasSuffix(".sqlite") {
      let rows = try SQLiteDatabase(folder.path(name)).rows(
        isWide
          ? "SELECT upgrade_reason FROM outcomes ORDER BY rowid"
          : "SELECT reason FROM outcomes WHERE placement = 'upgrade' ORDER BY user_id")
      return rows.map { $0.first?.text ?? "" }
    }
    let lines = (folder.text(name) ?? "").split(separator: "\n")
    if name.hasSuffix(".csv") {
      let header = lines[0].split(separator: ",").map(String.init)
      #expect(header.last == (isWide ? "nobody_reason" : "reason"))
      let rows = lines.dropFirst().filter { isWide || $0.contains(",upgrade,") }
      return rows.map { row in
        guard let start = row.range(of: ",\"{\""), let end = row.range(of: "}\"") else { return "" }
        return row[start.upperBound...].isEmpty
          ? ""
          : String(row[row.index(start.lowerBound, offsetBy: 2)..<row.index(after: end.lowerBound)])
            .replacingOccurrences(of: "\"\"", with: "\"")
      }
    }
    let values = try lines.map { try Value.parse(json: Array($0.utf8)) }
    let outcomes =
      isWide ? values.map { $0["upgrade"] } : values.filter { $0["placement"] == "upgrade" }
    return outcomes.map { $0?["reason"]?.json ?? "" }
  }

  /// What is compressed, and a run again, have the same.
  @Test func compressedAndAgain() throws {
    let folder = try folder()
    for out in ["out.csv.gz", "out.ndjson.zst", "out.sqlite"] {
      #expect(try precompute(folder, out) == 0)
      #expect(try run(folder, ["replay", "\(out).manifest.json", "--quiet"]).code == 0)
    }
    #expect(try precompute(folder, "out.csv") == 0)
    let unpacked = try BuiltTool.run(
      "/usr/bin/env", ["gzip", "-dc", "out.csv.gz"], in: folder.path)
    #expect(unpacked.output == folder.text("out.csv"))
  }

  /// A run that has written outcomes with reasons is not continued without.
  @Test func continuedAsItBegan() throws {
    let folder = try folder()
    #expect(try precompute(folder, "out.ndjson") == 0)
    let again = try run(
      folder,
      ["precompute", "config.json", "--users", "users.ndjson", "--out", "out.ndjson", "--resume"]
        + Self.basis)
    #expect(again.code == 2)
    #expect(again.errors.contains("reasons was true and is false"))
  }

  @Test func withoutOutcomesTheyAreNowhere() throws {
    let folder = try folder()
    let run = ["precompute", "config.json", "--users", "users.ndjson", "--reasons"] + Self.basis
    let note = "note: --reasons has no effect with --out none: reasons are in outcomes\n"
    #expect(try folder.tollgate(run + ["--out", "none"]).errors.contains(note))
    #expect(try !folder.tollgate(run + ["--out", "none", "--quiet"]).errors.contains(note))
    #expect(try !folder.tollgate(run + ["--out", "out.ndjson"]).errors.contains(note))
  }
}

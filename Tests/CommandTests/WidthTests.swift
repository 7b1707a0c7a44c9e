import Expressions
import Foundation
import Testing

@testable import tollgate

/// What people read fits their terminal, and says the same as a pipe gets.
@Suite("Widths") struct WidthTests {
  private static let asOf = ["--now", "2026-03-01T12:00:00Z", "--seed", "spring", "--quiet"]

  /// The demo, a config with other weights and conditions, and one with mistakes.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    let config = try String(contentsOfFile: TestFolder.config, encoding: .utf8)
    try folder.write("old.json", config)
    try folder.write(
      "new.json",
      config.replacing("params.pages > 20", with: "params.pages > 10")
        .replacing("\"percentage\": 70", with: "\"percentage\": 50")
        .replacing("\"percentage\": 30", with: "\"percentage\": 50"))
    try folder.write(
      "wrong.json",
      #"{"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g","#
        + #""expression_cel":"user.plan == \"free\" && user.age = 18","variants":[]}]}]}"#)
    let users = try String(contentsOfFile: TestFolder.demo + "/users.ndjson", encoding: .utf8)
    try folder.write(
      "u.ndjson", users.split(separator: "\n").prefix(1_000).map { $0 + "\n" }.joined())
    return folder
  }

  private static let commands: [[String]] = [
    ["check", "wrong.json"], ["check", "wrong.json", "old.json", "--dialect-report"],
    ["diff", "old.json", "new.json"], ["diff", "old.json", "new.json", "--users", "u.ndjson"],
    ["match", "old.json", "--users", "u.ndjson", "--placement", "export_report"],
    ["migrate-weights", "old.json", "new.json", "--users", "u.ndjson", "--out", "a.ndjson"],
    ["simulate-traffic", "old.json", "--users", "u.ndjson", "--days", "2"],
    ["functions"], ["functions", "getHours"],
  ]

  private static func lines(_ text: String) -> [Substring] {
    // A line that shows progress is written over.
    text.split(separator: "\n", omittingEmptySubsequences: true)
      .map { $0.split(separator: "\r").last ?? $0 }
  }

  private static func isTime(_ command: [String]) -> Bool {
    !["check", "functions"].contains(command[0])
  }

  @Test(arguments: commands, [60, 80, 100, 130])
  func fits(command: [String], columns: UInt16) throws {
    let folder = try folder()
    let arguments = command + (Self.isTime(command) ? Self.asOf : [])
    let shown = try Pseudoterminal.run(
      arguments, columns: columns, in: folder.path, ["NO_COLOR": "1"]
    ).output
    #expect(Self.lines(shown).count > 2, "\(shown)")
    for line in Self.lines(shown) {
      // Words are left whole: what can be copied is not broken.
      let isOneWord = line.drop { $0 == " " }.split(separator: " ").count == 1
      #expect(TextWidth.columns(line) <= Int(columns) || isOneWord, "\(line)")
    }
  }

  /// What says in sentences what has no room in a table.
  @Test(arguments: [60, 80, 130])
  func moves(columns: UInt16) throws {
    let folder = try folder()
    let shown = try Pseudoterminal.run(
      ["diff", "old.json", "new.json", "--users", "u.ndjson"] + Self.asOf, columns: columns,
      in: folder.path, ["NO_COLOR": "1"]
    ).output
    let words = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      words.contains(
        "export_report 118 users (11.8 %) from 'export-gate' (variant 'export-free-gate', audience 1) "
          + "to 'export-trial' (variant 'export-free-trial', audience 1): audience 1 (export-free) "
      ),
      "\(shown)")
    #expect(!shown.contains("…"), "\(shown)")
  }

  /// Records of users stay JSON where they are broken.
  @Test func records() throws {
    let folder = try folder()
    let shown = try Pseudoterminal.run(
      ["diff", "old.json", "new.json"] + Self.asOf, columns: 60, in: folder.path,
      ["NO_COLOR": "1"]
    ).output
    var records: [String] = []
    for line in Self.lines(shown) {
      if line.hasPrefix("    {") {
        records.append(String(line))
      } else if line.hasPrefix("     \""), !records.isEmpty {
        records[records.count - 1] += "\n" + line
      }
    }
    #expect(records.contains { $0.contains("\n") }, "\(shown)")
    for record in records {
      #expect(throws: Never.self) { try Value.parse(json: Array(record.utf8)) }
    }
  }

  /// A line of a source that is too long is cut where it is: in front of the place, behind it, or both.
  @Test(arguments: [
    ("a.bc == 1 && d.ef == 2 && g.hi", 0, 4, "a.bc == 1 && d.ef…", "^^^^"),
    ("a.bc == 1 && d.ef == 2 && g.hi", 5, 2, "a.bc == 1 && d.ef…", "     ^^"),
    ("a.bc == 1 && d.ef == 2 && g.hi", 13, 4, "… 1 && d.ef == 2 …", "       ^^^^"),
    ("a.bc == 1 && d.ef == 2 && g.hi", 26, 4, "… 2 && g.hi", "       ^^^^"),
    ("a.bc == 1 && d.ef", 13, 4, "a.bc == 1 && d.ef", "             ^^^^"),
  ])
  func excerptsAreCut(source: String, at: Int, count: Int, shown: String, mark: String) {
    let style = TextStyle(hasColor: false, width: 23)
    let under = String(repeating: " ", count: at) + String(repeating: "^", count: count)
    #expect(style.findings("   | \(source)\n   | \(under)") == "   | \(shown)\n   | \(mark)")
  }

  @Test func brokenJSON() {
    let style = TextStyle(hasColor: false, width: 20)
    #expect(
      style.wrappedJSON(#"  {"a":"x, \" ,y","bb":[1,2,3,4]}"#)
        == [#"  {"a":"x, \" ,y","#, #"   "bb":[1,2,3,4]}"#])
    #expect(TextStyle(hasColor: false, width: nil).wrappedJSON("[1,2]") == ["[1,2]"])
  }

  /// A pipe has lines of any length, unless the environment says how long.
  @Test func pipes() throws {
    let folder = try folder()
    let command = "$TOLLGATE diff old.json new.json " + Self.asOf.joined(separator: " ")
    let wide = try folder.shell(command).output
    #expect(Self.lines(wide).contains { $0.count > 300 })
    let narrow = try folder.shell("COLUMNS=70 \(command)").output
    #expect(Self.lines(narrow).allSatisfy { $0.count <= 70 }, "\(narrow)")
    for form in ["--json", "--markdown"] {
      let plain = try folder.shell("\(command) \(form)").output
      #expect(try folder.shell("COLUMNS=70 \(command) \(form)").output == plain)
    }
  }
}

import ArgumentParser
import Expressions
import Foundation
import Testing

@testable import tollgate

/// Colours, and what fits: as streams, the environment and --color say.
@Suite("Terminals") struct ColorTests {
  private static let escape = "\u{1B}["

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(
      "c.json",
      #"{"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g","#
        + #""expression_cel":"user.plan == \"日本\" && user.age >= 18 && user.country in [\"DE\", \"AT\"] && "#
        + #"user.a = 1","variants":[]}]}]}"#)
    return folder
  }

  private static func plain(_ text: String) -> String {
    text.replacing(try! Regex("\u{1B}\\[[0-9;]*m"), with: "")
  }

  @Test(
    arguments: [
      ([:], [], true), (["NO_COLOR": "1"], [], false), (["NO_COLOR": ""], [], true),
      (["TERM": "dumb"], [], false), ([:], ["--color", "never"], false),
      (["NO_COLOR": "1"], ["--color=always"], true),
      (["TERM": "dumb"], ["--color", "always"], true),
      (["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], [], false),
    ] as [([String: String], [String], Bool)])
  func onATerminal(variables: [String: String], options: [String], hasColor: Bool) throws {
    let folder = try folder()
    let shown = try Pseudoterminal.run(
      ["check", "c.json"] + options, columns: 100, in: folder.path, variables
    ).output
    #expect(shown.contains("[syntax-error]"))
    #expect(shown.contains(Self.escape) == hasColor, "\(shown.debugDescription)")
    let wrong = try Pseudoterminal.run(
      ["check", "nofile"] + options, columns: 100, in: folder.path, variables
    ).output
    #expect(wrong.contains(Self.escape + "1;31merror:") == hasColor, "\(wrong.debugDescription)")
  }

  /// A colour is what is added; the text is that of a pipe.
  @Test func inPipes() throws {
    let folder = try folder()
    let piped = try folder.tollgate("check", "c.json").output
    #expect(!piped.contains(Self.escape))
    let colored = try folder.tollgate("check", "c.json", "--color", "always").output
    #expect(colored.contains(Self.escape))
    #expect(Self.plain(colored) == piped)
    #expect(
      try folder.shell("env -u NO_COLOR CLICOLOR_FORCE=1 $TOLLGATE check c.json").output.contains(
        Self.escape))
  }

  @Test(arguments: [
    ["check", "c.json", "--json"], ["check", "c.json", "--sarif"],
    [
      "explain", TestFolder.config, "--placement", "export_report", "--user", "{\"userId\":\"u\"}",
      "--json",
    ],
    ["products", TestFolder.demo + "/products.json", "--json"],
    ["fmt", "-e", "user.a==1"],
  ])
  func neverInDocuments(arguments: [String]) throws {
    let result = try folder().tollgate(arguments + ["--color", "always"])
    #expect(!result.output.isEmpty)
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test func notInFiles() throws {
    let folder = try TestFolder()
    try folder.write("u.ndjson", TestFolder.users(5))
    let run = try folder.precompute(
      "--users", "u.ndjson", "--out", "out.ndjson", "--rejects", "r.ndjson", "--summary", "text",
      "--color", "always")
    #expect(run.code == 0, "\(run.errors)")
    for name in folder.names {
      #expect(folder.text(name)?.contains("\u{1B}") == false, "\(name)")
    }
  }

  @Test func unknownChoices() throws {
    let result = try BuiltTool.run("check", "x", "--color", "sometimes")
    #expect(result.code == 2)
    #expect(
      result.errors.hasPrefix("error: The value 'sometimes' is invalid for '--color <when>'."))
    let withColor = try VocabularyTests.arguments().filter { $0.names == ["color"] }.map(\.command)
    #expect(withColor == TollgateCommand.configuration.subcommands.map { $0._commandName })
  }

  // MARK: Width

  private func widest(_ shown: String) -> Int {
    Self.plain(shown).split(separator: "\n").map { TextWidth.columns($0) }.max() ?? 0
  }

  /// Excerpts are cut around the place, and the mark stays under it.
  @Test(arguments: [40, 60, 80, 200])
  func excerpts(columns: UInt16) throws {
    let folder = try folder()
    let shown = Self.plain(
      try Pseudoterminal.run(["check", "c.json"], columns: columns, in: folder.path).output)
    let lines = shown.split(separator: "\n").map(String.init)
    let mark = try #require(
      lines.firstIndex { $0.hasPrefix("   |") && $0.hasSuffix(" ^") })
    let at = TextWidth.columns(lines[mark]) - 1
    #expect(TextWidth.columns(lines[mark - 1]) <= Int(columns))
    let before = TextWidth.prefix(lines[mark - 1], at)
    #expect(lines[mark - 1].dropFirst(before.count).first == "=", "\(shown)")
  }

  @Test(arguments: [40, 60, 80, 120])
  func tables(columns: UInt16) throws {
    let folder = try TestFolder()
    let long = String(repeating: "long-name-", count: 8)
    let config = try String(contentsOfFile: TestFolder.config, encoding: .utf8)
      .replacing("export_report", with: "日本語" + long)
    try folder.write("c.json", config)
    try folder.write("u.ndjson", TestFolder.users(2))
    let shown = try Pseudoterminal.run(
      [
        "precompute", "c.json", "--users", "u.ndjson", "--out", "none", "--now", "2026-03-01",
        "--seed", "s", "--placement", "日本語" + long,
      ], columns: columns, in: folder.path
    ).output
    let table = Self.plain(shown).split(separator: "\n").filter { $0.hasPrefix("日") }
    #expect(table.count == 2, "\(shown)")
    #expect(table.allSatisfy { TextWidth.columns($0) <= Int(columns) }, "\(shown)")
    // Heads stay whole, and shares and what can be worked out from the others go first.
    let heads = Self.plain(shown).split(separator: "\n").filter { $0.hasPrefix("placement ") }
    #expect(heads.count == 2)
    #expect(heads.allSatisfy { !$0.contains("…") }, "\(shown)")
    if columns == 40 { #expect(!table.contains { $0.contains("%") }, "\(shown)") }
    #expect(heads.last?.contains("held back") == (columns >= 60))
    #expect(table.allSatisfy { $0.contains("…") }, "\(shown)")
    // The path of a file is one word, which stays whole: a short one, wherever the tests lie.
    try FileManager.default.copyItem(
      atPath: TestFolder.demo + "/products.json", toPath: folder.path("p.json"))
    let products = try Pseudoterminal.run(
      ["products", "p.json"], columns: columns, in: folder.path
    ).output
    #expect(widest(products) <= Int(columns), "\(products)")
  }

  @Test func columnsOfTheEnvironment() throws {
    let folder = try TestFolder()
    func width(_ variables: [String: String]) throws -> Int {
      widest(
        try Pseudoterminal.run(
          ["products", TestFolder.demo + "/products.json"], columns: 200, in: folder.path,
          variables
        ).output)
    }
    #expect(try width(["COLUMNS": "60"]) <= 60)
    #expect(try width(["COLUMNS": "none"]) > 60)
    #expect(try width([:]) > 60)
  }

  /// What is rewritten in place is shorter than a line, and gone at the end.
  @Test(arguments: [20, 60, 200])
  func progress(columns: UInt16) throws {
    let folder = try TestFolder()
    try folder.write("u.ndjson", TestFolder.users(20_000))
    let shown = try Pseudoterminal.run(
      [
        "precompute", TestFolder.config, "--users", "u.ndjson", "--out", "none", "--now",
        "2026-03-01", "--seed", "s", "--summary", "json", "--color", "never",
      ], columns: columns, in: folder.path
    ).output
    let rewritten = shown.components(separatedBy: "\r\u{1B}[K").dropFirst()
    #expect(rewritten.count > 1, "\(shown.debugDescription)")
    for line in rewritten {
      let text = line.prefix { $0 != "\n" }
      if text.hasPrefix("  ") { #expect(text.count < columns, "\(text)") }
    }
    #expect(rewritten.last?.hasPrefix("  ") == false, "\(shown.debugDescription)")
    let dumb = try Pseudoterminal.run(
      ["precompute", TestFolder.config, "--users", "u.ndjson", "--out", "none"], columns: columns,
      in: folder.path, ["TERM": "dumb"]
    ).output
    #expect(!dumb.contains("\u{1B}"))
  }

  /// All placements of the demo, of which a table takes 121 columns.
  @Test(arguments: [40, 60, 80, 130])
  func explanations(columns: UInt16) throws {
    let user = TestFolder.demo + "/user.json"
    for more in [["--all"], ["--placement", "export_report"]] {
      let arguments =
        ["explain", TestFolder.config, "--user", user, "--now", "2026-03-01", "--seed", "demo"]
        + more
      let shown = try Pseudoterminal.run(arguments, columns: columns).output
      #expect(widest(shown) <= Int(columns), "\(shown)")
      let words = { (text: String) in
        Self.plain(text).split { ": \n-".contains($0) }.map(String.init).sorted()
      }
      // Nothing is lost.
      #expect(words(shown) == words(try BuiltTool.run(arguments).output))
    }
  }

  /// Nothing is left of it when the user is found.
  @Test func progressOfReading() throws {
    let folder = try TestFolder()
    try folder.write("c.json", #"{"trigger_options":[]}"#)
    try folder.write(
      "u.ndjson",
      (0..<60_000).map { #"{"userId":"u\#($0)","user":{"a":[1,2,3,4,5,6,7,8]}}"# + "\n" }.joined())
    let arguments = ["explain", "c.json", "--all", "--users", "u.ndjson", "--id", "u59999"]
    let shown = try Pseudoterminal.run(arguments, columns: 60, in: folder.path).output
    #expect(shown.contains(" users read, "), "\(shown.debugDescription)")
    #expect(shown.contains("\r\u{1B}[Kuser u59999 at "), "\(shown.debugDescription)")
    let quiet = try Pseudoterminal.run(arguments + ["--quiet"], columns: 60, in: folder.path).output
    #expect(!quiet.contains(" users read, "))
  }
}

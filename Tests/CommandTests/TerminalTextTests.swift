import Foundation
import Testing

@testable import tollgate

/// What is printed of names that files hold, whoever wrote them: a terminal does not obey it.
@Suite struct TerminalTextTests {
  private static let config = #"""
    {"build_id":"b","trigger_options":[{"event_name":"a\u001b[31m\u0007","rules":[
      {"experiment_id":"e\u001b]0;x\u0007","experiment_group_id":"g",
       "expression_cel":"user.k == \"\u001b[31m\" && device.\u001b == 1","variants":[]},
      {"experiment_id":"f\u009b2J\u202e","experiment_group_id":"g",
       "expression_cel":"user.n.endsWith(\"x\") || user.k == \"\\u001b[2J\"",
       "variants":[{"variant_id":"v\u001b","variant_type":"HOLDOUT","percentage":100}]}]}],
     "product_identifiers":[],"paywall_responses":[]}
    """#
  private static let record =
    #"{"userId":"u\u001b[2J\nerror: x","user":{"k":"\u001b[31m"},"k\u001b[31m\ny":1,"#
    + #""subscriptionStatus":"\u001b[2J"}"#

  private static func hasNoControls(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      $0 == "\n" || $0.properties.generalCategory != .control && !(0x2028...0x202E ~= $0.value)
    }
  }

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    try folder.write("user.json", Self.record)
    try folder.write(
      "users",
      Self.record + "\n"
        + #"{"userId":"v","occurrences":{"\u001b[31m\nz":5}}"# + "\n"
        + #"{"userId":"v","sessionStart":"\u001b[31m\nz"}"# + "\n")
    return folder
  }

  @Test(arguments: [
    ["explain", "config.json", "--user", "user.json", "--all"],
    ["explain", "config.json", "--users", "users", "--id", "\u{1B}[2J\nx", "--all"],
    ["explain", "config.json", "--user", "user.json", "--placement", "a\u{1B}[31m\u{7}"],
    [
      "explain", "config.json", "--user", "user.json", "--placement", "a\u{1B}[31m\u{7}",
      "--audience", "1",
    ],
    [
      "explain", "config.json", "--user", "user.json", "--placement", "a\u{1B}[31m\u{7}",
      "--audience", "\u{1B}\n",
    ],
    ["decide", "config.json", "--user", "user.json", "--placement", "\u{1B}[2J\nx"],
    ["decide", "config.json", "--user", "user.json", "--placement", "a", "--seed", "\u{1B}[2J\nx"],
    ["check", "config.json"],
    ["precompute", "config.json", "--users", "users", "--out", "none", "--keep-going"],
    ["precompute", "config.json", "--users", "users", "--placement", "b", "--out", "none"],
  ])
  func commands(arguments: [String]) throws {
    let folder = try folder()
    let result = try BuiltTool.run(try BuiltTool.tool(), arguments, in: folder.path)
    #expect(result.code < 3, "\(result.errors)")
    let text = result.output + result.errors
    #expect(!text.isEmpty)
    #expect(text.contains("\u{FFFD}"), "\(text)")
    #expect(Self.hasNoControls(text), "\(text.debugDescription)")
  }

  /// What a terminal shows of a decision.
  @Test(arguments: [[], ["--distribution"], ["--seed", "\u{1B}[2J\nx"]])
  func decisionsInWords(more: [String]) throws {
    let folder = try folder()
    let result = try Pseudoterminal.runApart(
      ["decide", "config.json", "--user", "user.json", "--placement", "a\u{1B}[31m\u{7}"] + more,
      in: folder.path)
    #expect(result.output.hasPrefix("a\u{FFFD}[31m\u{FFFD}"), "\(result.output)")
    #expect(Self.hasNoControls(result.output), "\(result.output.debugDescription)")
  }

  /// A line break in a name does not make a line that looks like one of ours.
  @Test func namesStayInTheirLine() throws {
    let folder = try folder()
    let result = try folder.tollgate(
      "precompute", "config.json", "--users", "users", "--out", "none", "--keep-going")
    let lines = (result.output + result.errors).split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("error: x") || $0.hasPrefix("y'") || $0 == "z" })
    #expect(lines.contains { $0.contains("u\u{FFFD}[2J\u{FFFD}error: x") })
    #expect(
      lines.contains { $0.contains("'k\u{FFFD}[31m\u{FFFD}y' is not a key of a user record") })
    #expect(lines.contains { $0.contains("'\u{FFFD}[2J' is not a subscriptionStatus") })
    let explained = try folder.tollgate(
      "explain", "config.json", "--user", "user.json", "--placement", "a\u{1B}[31m\u{7}")
    #expect(explained.output.hasPrefix("user u\u{FFFD}[2J\u{FFFD}error: x at "))
  }

  /// JSON says what is in the files.
  @Test func jsonKeepsNames() throws {
    let result = try folder().tollgate(
      "decide", "config.json", "--user", "user.json", "--placement", "a\u{1B}[31m\u{7}")
    #expect(result.output.contains(#""placement":"a\u001b[31m\u0007""#), "\(result.output)")
  }

  /// Columns that may be spared are shown as long as there is just room for them.
  @Test func columnsThatMayBeSpared() {
    var table = TextTable(rows: [["name", "a", "b"], ["x", "1", "2"]])
    table.spare = [[2]]
    for (room, columns) in [(table.width + 1, 3), (table.width, 3), (table.width - 1, 2)] {
      let lines = table.lines(TextStyle(hasColor: false, width: room))
      #expect(lines[0].split(separator: " ").count == columns, "\(room)")
    }
  }

  /// A head may stand above two columns; what it needs more than they have goes to the second.
  @Test(arguments: [("long head", 9), ("head of two", 11), ("hd", 4)])
  func headsAboveTwoColumns(head: String, width: Int) {
    var table = TextTable(rows: [["n", head, ""], ["abc", "1", "2"], ["b", "3", "4"]])
    table.spanning = [1]
    #expect(table.width == 3 + 2 + width)
    let lines = table.lines(TextStyle(hasColor: false, width: nil))
    #expect(lines[0].contains(head) && lines[2].count == table.width && lines[2].hasSuffix("2"))
  }
}

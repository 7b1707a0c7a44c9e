import Expressions
import Foundation
import RuleEngine
import RuleInsight
import Testing

/// Diagnostics and explanations as people read them, in `corpus/diagnostics`: each command is run in
/// that folder, and what comes out compared with the text beside its input, letter by letter.
/// `make update WHAT=messages` rewrites the texts; read the difference before you commit it.
@Suite("Rendered texts") struct RenderedTextTests {
  /// A command whose output is in `NAME.txt`.
  struct Example: Codable, CustomTestStringConvertible {
    var name: String
    var arguments: [String]

    var testDescription: String { name }
  }

  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus/diagnostics")
  private static let isWriting =
    ProcessInfo.processInfo.environment["TOLLGATE_UPDATE"] == "messages"
  static let examples: [Example] = {
    let file = try? Data(contentsOf: folder.appending(path: "examples.json"))
    return file.flatMap { try? JSONDecoder().decode([Example].self, from: $0) } ?? []
  }()

  private static func file(_ name: String) -> URL { folder.appending(path: "\(name).txt") }

  @Test(arguments: examples) func text(example: Example) throws {
    let result = try BuiltTool.run(
      try BuiltTool.tool(), example.arguments, in: Self.folder.path)
    var text = "$ tollgate \(example.arguments.joined(separator: " "))\n" + result.output
    if !result.errors.isEmpty { text += "[standard error]\n" + result.errors }
    text += "[exit \(result.code)]\n"
    if Self.isWriting { return try Data(text.utf8).write(to: Self.file(example.name)) }
    let wanted = try String(contentsOf: Self.file(example.name), encoding: .utf8)
    if text == wanted { return }
    let (before, after) = (wanted.split(separator: "\n"), text.split(separator: "\n"))
    let changes = after.difference(from: before).map {
      switch $0 {
      case .remove(_, let line, _): "- \(line)"
      case .insert(_, let line, _): "+ \(line)"
      }
    }
    Issue.record("\(example.name).txt:\n\(changes.joined(separator: "\n"))")
  }

  // Without a comparison, for the texts are written while others run.
  private static func texts() throws -> [String: String] {
    var texts: [String: String] = [:]
    for example in examples {
      texts[example.name] = try String(contentsOf: file(example.name), encoding: .utf8)
    }
    return texts
  }

  /// Every code of a finding is in a text.
  @Test(.enabled(if: !isWriting)) func everyCodeIsShown() throws {
    let all = try Self.texts().values.joined()
    for code in CodePage.all.keys.map(\.rawValue) {
      let isShown = all.contains("[\(code)]") || all.contains("\"code\":\"\(code)\"")
      #expect(isShown, "\(code)")
    }
  }

  /// Whatever an audience or a variant can come to is explained.
  @Test(.enabled(if: !isWriting)) func everyStepIsExplained() throws {
    let all = try Self.texts().filter { $0.key.hasPrefix("explain/") }.values.joined()
    for words in [
      "): matched\n", "): does not match\n", "no audience matches", "held back by its limit: ",
      "so far (", "in this session (", "never shown, at most ", "not shown in the last hour",
      "): skipped: the user has the entitlement ",
      "does not match: the expression does not compile",
      "not true or false", "is missing, and endsWith needs a string", "a type that does not fit",
      "holdout, no paywall", "the only variant", "assigned now", "(stored variant ", "reassigned: ",
      "drew 0.", " of 100: variant ", "<- this user", "every user\n", "in parentheses: not needed",
      "is missing and counts as ", "effects of the decision:", "would take this user if ",
      "record an occurrence under ",
    ] { #expect(all.contains(words), "\(words)") }
  }

  /// What a command says may depend on the day, and a text that does is wrong the day after.
  @Test func everyExampleSaysWhenItIs() throws {
    var takesTime: [String: Bool] = [:]
    for example in Self.examples where !example.arguments.contains("--now") {
      let command = example.arguments[0]
      if takesTime[command] == nil {
        let help = try BuiltTool.run(try BuiltTool.tool(), ["help", command], in: Self.folder.path)
        #expect(help.code == 0, "\(command)")
        takesTime[command] = help.output.contains("--now")
      }
      #expect(takesTime[command] == false, "\(example.name)")
    }
  }

  /// Each example has a name of its own, and no text is left without one.
  @Test(.enabled(if: !isWriting)) func namesAndFiles() throws {
    let names = Self.examples.map(\.name)
    #expect(names.count > 70 && Set(names).count == names.count)
    let files = try #require(FileManager.default.enumerator(atPath: Self.folder.path))
    let texts = files.compactMap { $0 as? String }.filter { $0.hasSuffix(".txt") }
    #expect(Set(texts) == Set(names.map { "\($0).txt" }))
  }
}

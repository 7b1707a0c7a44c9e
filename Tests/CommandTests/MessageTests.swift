import Expressions
import Foundation
import RuleEngine
import Testing

/// What is said of mistakes, in `Messages/`: each is made, and what comes out compared word for word.
/// `make update WHAT=messages` rewrites them; read the difference before you commit it.
@Suite("Messages") struct MessageTests {
  /// A mistake: a command line, or an expression.
  struct Mistake: Codable, Equatable {
    var name: String
    var arguments: [String]?
    /// The files of the folder that the command runs in, beside `demo`.
    var files: [String: String]?
    var stdin: String?
    var exit: Int32?
    var stdout: [String]?
    var stderr: [String]?
    var expression: String?
    /// `superscript` when it is not said.
    var dialect: String?
    /// What is said of the expression.
    var says: [String]?
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Messages")
  private static let topics = [
    "arguments", "configs", "expressions", "invariants", "products", "scripts", "templates",
    "users",
  ]
  private static let isWriting =
    ProcessInfo.processInfo.environment["TOLLGATE_UPDATE"] == "messages"

  @Test(arguments: topics)
  func messages(topic: String) throws {
    let file = Self.folder.appending(path: "\(topic).json")
    let mistakes = try JSONDecoder().decode([Mistake].self, from: Data(contentsOf: file))
    #expect(mistakes.count > 15)
    let folder = try TestFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("demo"), withDestinationPath: TestFolder.demo)
    let made = try mistakes.map { try $0.expression == nil ? run($0, folder) : compile($0) }
    if Self.isWriting { return try Self.write(made, to: file) }
    for (expected, got) in zip(mistakes, made) where expected != got {
      Issue.record("\(topic), \(expected.name):\n\(got.difference(from: expected))")
    }
  }

  private static func write(_ mistakes: [Mistake], to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(mistakes) + Data("\n".utf8)).write(to: file)
  }

  private func run(_ mistake: Mistake, _ folder: TestFolder) throws -> Mistake {
    for (name, text) in mistake.files ?? [:] { try folder.write(name, text) }
    defer {
      for name in folder.names where name != "demo" {
        try? FileManager.default.removeItem(atPath: folder.path(name))
      }
    }
    let result = try BuiltTool.run(
      try BuiltTool.tool(), mistake.arguments ?? [], input: Data((mistake.stdin ?? "").utf8),
      in: folder.path)
    var made = mistake
    made.exit = result.code
    made.stdout = Self.lines(result.output)
    made.stderr = Self.lines(result.errors)
    return made
  }

  /// The lines of a text, without those that tell how long something took.
  private static func lines(_ text: String) -> [String]? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      .filter { !$0.hasPrefix("Done: ") && !$0.contains(" decisions per second") }
    let whole = lines.last == "" ? lines.dropLast() : lines[...]
    return whole.isEmpty ? nil : Array(whole)
  }

  private func compile(_ mistake: Mistake) -> Mistake {
    let language: RuleLanguage = mistake.dialect == "cel" ? .cel : .standard
    let source = mistake.expression ?? ""
    let found = language.environment().compile(source).diagnostics
    var made = mistake
    made.says = found.flatMap { Self.lines($0.text(in: source)) ?? [] }
    return made
  }

  /// Whoever adds a mistake says it once.
  @Test func eachHasItsName() throws {
    for topic in Self.topics {
      let file = Self.folder.appending(path: "\(topic).json")
      let names = try JSONDecoder().decode([Mistake].self, from: Data(contentsOf: file)).map(\.name)
      #expect(Set(names).count == names.count)
    }
  }
}

extension MessageTests.Mistake {
  /// What differs, for whoever reads a failed test.
  fileprivate func difference(from expected: Self) -> String {
    func lines(_ mistake: Self) -> [String] {
      ["exit \(mistake.exit ?? 0)"] + (mistake.stdout ?? []) + (mistake.stderr ?? [])
        + (mistake.says ?? [])
    }
    let (before, after) = (lines(expected), lines(self))
    return after.difference(from: before).map {
      switch $0 {
      case .remove(_, let line, _): "- \(line)"
      case .insert(_, let line, _): "+ \(line)"
      }
    }.joined(separator: "\n")
  }
}

import Expressions
import Foundation
import TestSupport
import Testing

/// Every expression of the corpus, in every dialect.
@Suite struct FormattingCorpusTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "corpus")

  private static let keys: Set = ["expr", "expression", "expressionCel", "expression_cel"]

  /// Texts under the keys of expressions, however deep.
  private static func expressions(in value: Value, _ found: inout Set<String>) {
    switch value {
    case .list(let values): for value in values { expressions(in: value, &found) }
    case .map(let entries):
      for entry in entries {
        if case .string(let key) = entry.key, case .string(let text) = entry.value,
          keys.contains(key)
        {
          found.insert(text)
        }
        expressions(in: entry.value, &found)
      }
    default: break
    }
  }

  private static let all: [String] = {
    var found: Set<String> = []
    let files = FileManager.default.enumerator(at: corpus, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard let data = try? Data(contentsOf: file) else { continue }
      let texts =
        file.pathExtension == "jsonl"
        ? data.split(separator: UInt8(ascii: "\n")) : file.pathExtension == "json" ? [data] : []
      for text in texts {
        if let value = try? Value.parse(json: text) { expressions(in: value, &found) }
      }
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }()

  /// The environments of both dialects; in CEL names that nobody declared may stand too.
  private static let environments: [ExpressionEnvironment] = {
    var open = ExpressionEnvironment()
    open.allowsUnknownNames = true
    return [open, FormattingTests.environment(.superscript), .superscript()]
  }()

  @Test(arguments: Extent.some(0..<16, every: 8))
  func nothingChanges(part: Int) {
    for (number, source) in Self.all.enumerated() where number % 16 == part {
      for environment in Self.environments {
        let problem = FormattingTests.problem(source, in: environment)
        #expect(problem == nil, "\(source) in \(environment.dialect)")
      }
    }
  }

  /// Most of it is formatted, and not left alone.
  @Test func muchIsFormatted() {
    #expect(Self.all.count > 5_000)
    let some = Self.all.enumerated().filter { $0.offset % 24 == 0 }.map(\.element)
    for environment in Self.environments {
      let formatted = some.count { environment.format($0).refusal.isEmpty }
      #expect(formatted * 2 > some.count, "\(formatted) of \(some.count)")
    }
  }
}

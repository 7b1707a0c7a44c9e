import Foundation
import RuleEngine
import SDK
import Testing

/// Tests/CRITERIA.md names tests and scenarios that exist, and leaves out no method and no event.
@Suite struct CriteriaTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func files(in folder: String, named ending: String) -> [String] {
    let start = root.appendingPathComponent(folder)
    let paths = FileManager.default.enumerator(atPath: start.path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix(ending) }.compactMap {
      try? String(contentsOf: start.appendingPathComponent($0), encoding: .utf8)
    }
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static func words(_ line: Substring) -> [Substring] {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
  }

  /// `Suite/function` of every test; a suite is a type at the beginning of a line.
  private static let tests: Set<String> = {
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "extension"]
    var tests: Set<String> = []
    for text in files(in: "Tests", named: ".swift") {
      var suite = ""
      var isTest = false
      for line in lines(text) {
        let words = words(line)
        if line.first?.isWhitespace == false, let kind = words.firstIndex(where: kinds.contains),
          kind + 1 < words.count
        {
          suite = String(words[kind + 1])
        }
        if line.contains("@Test") { isTest = true }
        if isTest, let name = words.firstIndex(of: "func"), name + 1 < words.count {
          tests.insert("\(suite)/\(words[name + 1])")
          isTest = false
        }
      }
    }
    return tests
  }()

  private static let scenarios: Set<String> = {
    let texts = files(in: "corpus", named: "sdk-scenarios.jsonl")
    let ids = texts.flatMap { lines($0) }.compactMap { line in
      line.firstRange(of: "\"id\"").map { line[$0.upperBound...].split(separator: "\"")[1] }
    }
    return Set(ids.map(String.init))
  }()

  /// The rows of the tables, each with what is written as code in its cells, by the section's number.
  private static let rows: [Int: [[[String]]]] = {
    let text = try? String(
      contentsOf: root.appendingPathComponent("Tests/CRITERIA.md"), encoding: .utf8)
    var section = 0
    var rows: [Int: [[[String]]]] = [:]
    for line in lines(text ?? "") {
      if line.hasPrefix("## ") {
        section = line.dropFirst(3).first?.wholeNumberValue ?? 0
      } else if line.hasPrefix("| "), !line.hasSuffix("| tested by |") {
        let cells = line.dropFirst().dropLast().split(separator: "|")
        rows[section, default: []].append(cells.map { code(in: $0) })
      }
    }
    return rows
  }()

  private static func code(in cell: Substring) -> [String] {
    let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
  }

  @Test func whatHoldsThemExists() {
    #expect(Set(Self.rows.keys) == Set(1...8))
    #expect(Self.tests.count > 500)
    #expect(Self.scenarios.count > 300)
    for row in Self.rows.values.joined() {
      let names = row.last ?? []
      #expect(!names.isEmpty, "nothing holds \(row)")
      for name in names {
        let isThere = name.contains("/") ? Self.tests.contains(name) : Self.scenarios.contains(name)
        #expect(isThere, "there is no test and no scenario '\(name)'")
      }
    }
  }

  @Test func methodsAndEventsAreComplete() {
    let methods = (Self.rows[1] ?? []).compactMap(\.first?.first)
    #expect(methods.sorted() == Bridge.methods.sorted())
    let events = (Self.rows[2] ?? []).compactMap(\.first?.first)
    let names = ModuleEvent.Name.allCases.map(\.rawValue)
    #expect(
      events.sorted() == (names + SuperwallEventName.allCases.map(\.rawValue)).sorted())
  }
}

import Expressions
import Foundation
import RuleEngine
import RuleInsight
import Testing

/// `tollgate functions`.
@Suite struct FunctionsCommandTests {
  private static let entries = FunctionReference.entries

  private func lines(_ arguments: String...) throws -> [String] {
    let result = try BuiltTool.run(try BuiltTool.tool(), ["functions"] + arguments)
    #expect(result.code == 0, "\(result.errors)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test func everyFunctionHasALine() throws {
    let lines = try lines()
    for entry in Self.entries {
      let line = lines.first { line in
        line.hasPrefix("  \(entry.name) ") && line.hasSuffix("  \(entry.page.summary)")
      }
      #expect(line != nil, "\(entry.name)")
    }
    let headings = lines.filter { !$0.hasPrefix(" ") }
    #expect(headings.first == "Strings" && headings.count == FunctionFamily.allCases.count - 1)
  }

  @Test func functionsOfADialect() throws {
    let superscript = try lines("--dialect", "superscript")
    #expect(superscript.contains { $0.hasPrefix("  device.daysSince ") })
    #expect(superscript.contains { $0.hasPrefix("  startsWith ") })
    #expect(!superscript.contains { $0.hasPrefix("  charAt ") })
    let cel = try lines("--dialect", "cel")
    #expect(
      cel.contains { $0.hasPrefix("  charAt ") } && !cel.contains { $0.hasPrefix("  device.") })
  }

  /// Several functions of one name are all described.
  @Test func aName() throws {
    let lines = try lines("contains")
    #expect(lines.filter { $0 == "contains (Strings)" }.count == 2)
    #expect(lines.contains("  string.contains(string) -> bool"))
    #expect(lines.contains("Known in: superscript (ios, android, web)"))
    #expect(try self.lines("abs").first == "math.abs (Numbers)")
    #expect(try self.lines("yearsSince").last == "Known in: superscript (ios, web)")
  }

  @Test func json() throws {
    let all = try Value.parse(json: try #require(try lines("--json").first).utf8)
    #expect(all.elements?.count == Self.entries.count)
    let one = try Value.parse(json: try #require(try lines("charAt", "--json").first).utf8)
    let wanted: Value = [
      [
        "name": "charAt", "family": "strings", "signatures": ["string.charAt(int) -> string"],
        "summary": "Returns the character at a position. The first character has position 0.",
        "example": "'tea'.charAt(1) == 'e'", "dialects": ["cel"], "platforms": [],
      ]
    ]
    #expect(one.json == wanted.json)
  }

  /// Every name is on the page of the code that is found where a function does not exist.
  @Test func thePageOfUnknownFunctions() throws {
    let result = try BuiltTool.run("check", "--explain", "unknown-function")
    let words = Set(result.output.split { " ,\n".contains($0) }.map(String.init))
    #expect(words.isSuperset(of: FunctionReference.names))
  }
}

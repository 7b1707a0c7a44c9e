import Foundation
import Testing

/// The examples that are run are those that are read.
@Suite struct ExamplesTests {
  private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let root = here.deletingLastPathComponent().deletingLastPathComponent()
  private static let extractor = ExampleExtractor(root: root)

  @Test func theTestsAreMadeFromWhatIsWritten() throws {
    let file = Self.here.appendingPathComponent("Examples.swift")
    let made = try String(contentsOf: file, encoding: .utf8)
    let isCurrent = made == Self.extractor.source
    #expect(isCurrent, "an example was changed: run `make update WHAT=examples`")
  }

  @Test(arguments: ["Expressions", "RuleEngine"])
  func everyPublicTypeIsInAnExample(_ module: String) {
    let types = Self.extractor.types.filter { $0.file.hasPrefix("Sources/\(module)/") }
    let shown = Set(
      Self.extractor.examples.filter { $0.file.hasPrefix("Sources/\(module)/") }
        .flatMap(\.lines).joined(separator: "\n")
        .split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    #expect(types.count > 10)
    #expect(types.filter { !$0.hasExample && !shown.contains($0.name) }.map(\.name) == [])
  }

  @Test func guidesAreRead() {
    #expect(Self.extractor.examples.contains { $0.file == "docs/libraries.md" })
    #expect(Self.extractor.examples.contains { $0.language == "cel" })
  }
}

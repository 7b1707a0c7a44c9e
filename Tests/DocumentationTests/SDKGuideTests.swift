import Foundation
import Testing

/// Swift in the guides about the SDK needs an app around it, so it stands in tests and in examples, which
/// are compiled; here the guides are held to them, line by line.
@Suite struct SDKGuideTests {
  private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let root = here.deletingLastPathComponent().deletingLastPathComponent()

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// Sources of this target and of the examples, without spaces at the beginnings of lines.
  private static let sources: [[String]] = {
    var sources: [[String]] = []
    for folder in [here, root.appendingPathComponent("Examples")] {
      let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
      for path in (paths ?? []) where path.hasSuffix(".swift") && !path.contains(".build/") {
        let file = folder.appendingPathComponent(path)
        if path == "Examples.swift" { continue }
        sources.append(lines((try? String(contentsOf: file, encoding: .utf8)) ?? ""))
      }
    }
    return sources
  }()

  private static func isCompiled(_ block: [String]) -> Bool {
    guard let first = block.first else { return true }
    return sources.contains { source in
      source.indices.contains { place in
        source[place] == first && source[place...].starts(with: block)
      }
    }
  }

  @Test(arguments: ["docs/testing.md", "docs/migrating.md"])
  func blocksAreCompiled(guide: String) throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent(guide), encoding: .utf8)
    var open: [String]?
    var (before, count) = ("", 0)
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("```") {
        if let block = open {
          count += 1
          #expect(
            Self.isCompiled(Self.lines(block.joined(separator: "\n"))),
            "\(guide):\(number + 1): these lines stand in no test and no example")
          open = nil
        } else if line == "```swift", !before.hasPrefix("<!-- not compiled: ") {
          open = []
        }
      } else if open != nil {
        open?.append(String(line))
      }
      if !line.isEmpty { before = String(line) }
    }
    #expect(count >= 4)
  }
}

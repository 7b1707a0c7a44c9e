import Foundation
import Testing

/// The commands of guides do what the guides say.
@Suite struct GuideCommandTests {
  private struct Block {
    var language: String
    var lines: [String]
  }

  private static func blocks(_ guide: String) throws -> [Block] {
    let file = URL(filePath: TestFolder.demo).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/\(guide)")
    var blocks: [Block] = []
    var isInside = false
    for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isInside.toggle()
        if isInside { blocks.append(Block(language: String(line.dropFirst(3)), lines: [])) }
      } else if isInside {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    return blocks
  }

  /// What is not run, because it asks a server, has at least options that there are.
  @Test(arguments: ["configs.md", "getting-started.md"])
  func optionsExist(guide: String) throws {
    let lines = try Self.blocks(guide).flatMap(\.lines).filter { $0.contains("tollgate fetch") }
    #expect(!lines.isEmpty)
    let help = try BuiltTool.run("fetch", "--help").output
    for line in lines {
      let command = line.components(separatedBy: "tollgate fetch")[1].prefix { $0 != "|" }
      for word in command.split(separator: " ") where word.hasPrefix("--") {
        #expect(help.contains("\(word) ") || help.contains("\(word)\n"), "\(word)")
      }
    }
  }

  /// The record of a config that was fetched, as the guide shows it.
  @Test func theRecordHasTheKeysOfTheGuide() throws {
    let run = try FetchRun()
    try run.fetchBefore()
    func keys(_ text: String) throws -> Set<String> {
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      return Set(try #require(json).keys).subtracting(["etag"])
    }
    let shown = try #require(Self.blocks("configs.md").first { $0.language == "json" })
    let written = try #require(run.folder.text("config.json.fetched"))
    #expect(try keys(shown.lines.joined(separator: "\n")) == keys(written))
  }
}

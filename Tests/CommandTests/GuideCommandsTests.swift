import Foundation
import Testing

/// What README and the guides show of the command line works, and prints what they say.
///
/// Blocks marked `sh` are run, those of one guide in one shell, unless the line above says
/// `<!-- not run: why -->`.
/// A block under `<!-- output of: COMMAND -->` is exactly what that command prints.
@Suite struct GuideCommandsTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  struct Block {
    var line: Int
    var lastLine = 0
    var marker: String
    var language: String
    var text: String
  }

  /// `UsersGuideTests` run what they can of the one that needs warehouses; the server's is run by its own
  /// tests.
  private static let elsewhere = ["users.md", "server.md"]

  static let guides: [String] = {
    func pages(_ folder: String) -> [String] {
      let files =
        (try? FileManager.default.contentsOfDirectory(atPath: root.path + "/" + folder)) ?? []
      return files.filter { $0.hasSuffix(".md") && !elsewhere.contains($0) }.sorted()
        .map { "\(folder)/\($0)" }
    }
    return ["README.md"] + pages("docs") + pages("docs/commands")
  }()

  static func blocks(of guide: String) throws -> [Block] {
    let text = try String(contentsOf: root.appending(path: guide), encoding: .utf8)
    var blocks: [Block] = []
    var open: Block?
    var before = ""
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("```") {
        if var block = open {
          block.lastLine = number + 1
          blocks.append(block)
          open = nil
        } else {
          open = Block(
            line: number + 1, marker: before, language: String(line.dropFirst(3)), text: "")
        }
      } else if open != nil {
        open?.text += line + "\n"
      }
      if !line.isEmpty { before = String(line) }
    }
    return blocks
  }

  /// A folder with what guides name, and the tool on the path.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    let demo = URL(filePath: TestFolder.config).deletingLastPathComponent()
    let place = URL(filePath: folder.path)
    for name in try FileManager.default.contentsOfDirectory(atPath: demo.path) {
      try FileManager.default.copyItem(
        at: demo.appending(path: name), to: place.appending(path: name))
    }
    try FileManager.default.moveItem(
      at: place.appending(path: "export-trial.liquid"), to: place.appending(path: "headline.liquid")
    )
    let bin = place.appending(path: "bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: bin.appending(path: "tollgate"), withDestinationURL: URL(filePath: try BuiltTool.tool()))
    // Where the shell of SQLite is not installed, Python's does.
    try folder.writeProgram(
      "bin/sqlite3",
      """
      #!/bin/sh
      exec python3 -c 'import sqlite3,sys
      for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")' "$@"
      """)
    return folder
  }

  private func run(_ script: String, in folder: TestFolder) throws -> BuiltTool.Result {
    // Git asks who commits.
    let names = ["AUTHOR", "COMMITTER"].map { "GIT_\($0)_NAME=t GIT_\($0)_EMAIL=t@example.com" }
    let settings = "PATH=\"$PATH:\(folder.path)/bin\" \(names.joined(separator: " "))"
    return try BuiltTool.run(
      "/bin/bash", ["-c", "export \(settings); set -e\n" + script], in: folder.path)
  }

  /// A block without a language right behind one that is run is in its output, line by line.
  @Test(arguments: guides)
  func commandsWork(guide: String) throws {
    let blocks = try Self.blocks(of: guide)
    let run = blocks.indices.filter {
      blocks[$0].language == "sh" && !blocks[$0].marker.hasPrefix("<!-- not run: ")
    }
    guard !run.isEmpty else { return }
    let end = "== end of block"
    let script = run.map {
      "echo '\(guide):\(blocks[$0].line)' >&2\n\(blocks[$0].text)\necho '\(end)'"
    }
    .joined(separator: "\n")
    let result = try self.run(script, in: try folder())
    #expect(result.code == 0, "\(result.errors)")
    for (output, number) in zip(result.output.components(separatedBy: end), run) {
      guard let next = blocks.dropFirst(number + 1).first, next.language.isEmpty,
        !next.marker.hasPrefix("<!--"), next.line - blocks[number].lastLine <= 3
      else { continue }
      let lines = Set(output.split(separator: "\n"))
      for line in next.text.split(separator: "\n") {
        #expect(lines.contains(line), "\(guide):\(next.line): \(line)\n\(output)")
      }
    }
  }

  @Test(arguments: guides)
  func outputIsTrue(guide: String) throws {
    for block in try Self.blocks(of: guide) {
      let head = "<!-- output of: "
      guard block.marker.hasPrefix(head), block.marker.hasSuffix(" -->") else { continue }
      let command = String(block.marker.dropFirst(head.count).dropLast(4))
      let result = try run(command, in: try folder())
      #expect(result.output == block.text, "\(guide):\(block.line): \(result.errors)")
    }
  }

  /// `Tools/make_pages.py` writes parts of pages from the command's own help.
  @Test func generatedPagesAreCurrent() throws {
    let result = try BuiltTool.run(
      "/usr/bin/env", ["python3", "Tools/make_pages.py", "check", try BuiltTool.tool()],
      in: Self.root.path)
    #expect(result.code == 0, "\(result.errors)")
  }

  /// Every command stands in a block that is run.
  @Test func commandsAreInBlocksThatAreRun() throws {
    var run = 0
    for guide in Self.guides {
      for block in try Self.blocks(of: guide) {
        if block.language == "sh" { run += 1 }
        let hasCommand = block.text.split(separator: "\n").contains { $0.hasPrefix("tollgate ") }
        #expect(!hasCommand || block.language == "sh", "\(guide):\(block.line)")
      }
    }
    #expect(run >= 8)
  }

  // MARK: Servers

  /// What is not run, because it asks a server, has at least options that there are.
  @Test(arguments: ["configs.md", "getting-started.md"])
  func optionsExist(guide: String) throws {
    let lines = try Self.blocks(of: "docs/\(guide)").flatMap { $0.text.split(separator: "\n") }
      .filter { $0.contains("tollgate fetch") }
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
    let shown = try #require(
      Self.blocks(of: "docs/configs.md").first { $0.language == "json" })
    let written = try #require(run.folder.text("config.json.fetched"))
    #expect(try keys(shown.text) == keys(written))
  }
}

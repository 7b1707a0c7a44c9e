import Foundation
import RuleEngine
import Testing

@testable import tollgate

@Suite struct OutputFileTests {
  /// Room that is set aside for a large file is given back, and the file has what was written.
  @Test func largeFilesHaveTheirLength() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "tollgate-output-\(UInt64.random(in: 0 ... .max))"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let part = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0) }
    func begun() throws -> OutputFile.State {
      let first = try OutputFile(path)
      for _ in 0..<12 { try first.write(part) }
      // As after a kill: not closed, and something that the checkpoint does not count.
      let counted = first.state
      try first.write(part)
      return counted
    }
    let counted = try begun()
    let file = try OutputFile(path, after: counted)
    for _ in 0..<8 { try file.write(part) }
    try file.close()
    try file.takePlace()
    #expect(file.count == 20 * part.count)
    let content = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(content.count == 20 * part.count)
    for i in 0..<20 { #expect(content[i * part.count..<(i + 1) * part.count].elementsEqual(part)) }
    #expect(content.withUnsafeBytes { XXH64.hash($0) } == file.hash.finish())
    var status = stat()
    #expect(stat(path, &status) == 0)
    // Some file systems set a little aside themselves.
    #expect(Int(status.st_blocks) * 512 < content.count + (8 << 20))
  }

  /// What was written after the last checkpoint is written again, and may be less.
  @Test func whatACheckpointDoesNotCountIsCutOff() throws {
    let folder = try TestFolder()
    let path = folder.path("out")
    func begun() throws -> OutputFile.State {
      let first = try OutputFile(path)
      try first.write(Array("counted, ".utf8))
      let counted = first.state
      try first.write(Array("and this is not".utf8))
      return counted
    }
    let file = try OutputFile(path, after: try begun())
    try file.write(Array("more".utf8))
    try file.close()
    try file.takePlace()
    #expect(folder.text("out") == "counted, more")
  }
}

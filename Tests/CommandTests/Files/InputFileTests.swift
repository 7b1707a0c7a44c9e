import Foundation
import RuleEngine
import Testing

@testable import tollgate

/// What is read from files, and what is said when they change meanwhile.
@Suite struct InputFileTests {
  private func read(_ bytes: Lookahead, by step: Int = 1_000) throws -> [UInt8] {
    var content: [UInt8] = []
    var memory = [UInt8](repeating: 0, count: step)
    while true {
      let count = try memory.withUnsafeMutableBytes { try bytes.read(into: $0) }
      if count == 0 { return content }
      content += memory[..<count]
    }
  }

  private func truncate(_ folder: TestFolder, _ name: String, to size: UInt64) throws {
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.path(name)))
    try handle.truncate(atOffset: size)
    try handle.close()
  }

  /// What was cut off is not an end.
  @Test func filesThatBecomeShorter() throws {
    let folder = try TestFolder()
    let text = TestFolder.users(5_000)
    try folder.write("all", text)
    // More than is looked at before the rest, also when it is compressed.
    try folder.write("cut", TestFolder.users(60_000))
    #expect(try folder.shell("gzip -n -k all cut").code == 0)
    for name in ["cut", "cut.gz"] {
      let file = try InputFile(folder.path(name))
      let content = try file.content(holdsUsers: true).bytes
      try truncate(folder, name, to: UInt64((file.size ?? 0) - 10))
      #expect(throws: CommandError.self) { try read(content) }
    }
    let file = try InputFile(folder.path("all"))
    let reader = SegmentReader(lineLimit: 1 << 20)
    func count(_ file: InputFile, to end: Int) throws -> Int {
      try reader.withLines(of: file, from: 0, to: end) { $0.count }
    }
    #expect(try count(file, to: text.utf8.count) == text.utf8.count)
    try truncate(folder, "all", to: 10_000)
    #expect(throws: CommandError.self) { try count(file, to: text.utf8.count) }
    // What grows is read as far as it was.
    try folder.write("more", "a\n")
    let growing = try InputFile(folder.path("more"))
    try folder.write("more", "a\nb\n")
    #expect(try count(growing, to: growing.size ?? 0) == 2)
  }

  /// Every line is read with the segment in which it begins, wherever segments are cut.
  @Test func linesOfSegments() throws {
    let folder = try TestFolder()
    let short = "a\nbcd\n\nefghi\nj"
    let long =
      String(repeating: "x", count: 3_000) + "\n" + String(repeating: "y", count: 9_000) + "\nz\n"
    for (text, cuts) in [
      (short, Array(1..<short.utf8.count)), (long, [2_999, 3_000, 3_001, 3_500, 12_001, 12_002]),
    ] {
      let file = try InputFile(try folder.write("lines", text))
      let reader = SegmentReader(lineLimit: 10_000)
      for (first, second) in cuts.flatMap({ cut in cuts.filter { $0 > cut }.map { (cut, $0) } }) {
        let parts = try [(0, first), (first, second), (second, text.utf8.count)].map { from, to in
          try reader.withLines(of: file, from: from, to: to) {
            String(decoding: $0, as: UTF8.self)
          }
        }
        #expect(parts.joined() == text, "cut at \(first) and \(second)")
      }
    }
  }

  /// Bytes that were looked at are read like all others, in whatever pieces they come.
  @Test(arguments: [1, 7, 1_000, 200_000])
  func lookingAhead(piece: Int) throws {
    let text = Array(TestFolder.users(3_000).utf8)
    var at = 0
    let bytes = Lookahead { memory in
      let count = min(piece, memory.count, text.count - at)
      memory.copyBytes(from: text[at..<at + count])
      at += count
      return count
    }
    #expect(try bytes.peek(16).starts(with: text[..<16]))
    let found = try bytes.peek { next, _ in next.firstIndex(of: 0x0A) }
    #expect(found == text.firstIndex(of: 0x0A))
    bytes.drop(5)
    #expect(try read(bytes, by: 333) == Array(text[5...]))
    #expect(try bytes.peek(16).isEmpty)
    #expect(try bytes.peek { _, isWhole in isWhole ? true : nil })
  }

  /// The form of users is told as soon as it can be, and not before.
  @Test func problemsTakeAsManyBytesAsTheyNeed() {
    func problem(_ text: String, isWhole: Bool = false) -> String? {
      UserForm.ndjson.problem(Array(text.utf8), isWhole: isWhole, path: "u")
    }
    #expect(problem("") == nil)
    #expect(problem("", isWhole: true) == "")
    #expect(problem("{\"userId\":\"a") == nil)
    #expect(problem("{\"userId\":\"a\"}\n") == "")
    #expect(problem("{\n") == nil)
    #expect(problem("{\n  ") == nil)
    #expect(problem("{\n  \"")?.contains("several lines") == true)
    #expect(problem("{\n{") == "")
    #expect(problem("{\n", isWhole: true) == "")
    #expect(problem("[1]\n") == nil)
    #expect(problem("[1]\n{") == "")
    #expect(problem("[1]\n", isWhole: true)?.contains("JSON list") == true)
    #expect(problem("[\n")?.contains("JSON list") == true)
    let long = String(repeating: "x", count: UserForm.window)
    #expect(problem("{\"a\":\"" + long) == "")
    #expect(problem("[\"" + long)?.contains("JSON list") == true)
  }
}

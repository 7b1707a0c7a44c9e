import Expressions
import Foundation
import RuleEngine
import Testing

@testable import tollgate

/// Files that gzip compresses: the bytes follow from the text alone.
@Suite struct GzipOutputTests {
  private static func text(_ count: Int) -> [UInt8] {
    var random = PrecomputeFilesTests.SeededRandom(state: 7)
    return (0..<count).map { _ in UInt8(random.next(40) + 40) }
  }

  private func compress(_ text: [UInt8], cuts: [Int]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let gzip = try GzipOutput()
    var from = 0
    for to in cuts + [text.count] {
      try text[from..<to].withUnsafeBytes { try gzip.add($0) { bytes += $0 } }
      from = to
    }
    try gzip.finish(isEmpty: text.isEmpty) { bytes += $0 }
    return bytes
  }

  private func content(_ bytes: [UInt8]) throws -> [UInt8] {
    var rest = bytes[...]
    let gzip = try GzipInput("test") { memory in
      let count = min(memory.count, rest.count)
      memory.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
    var content: [UInt8] = []
    var memory = [UInt8](repeating: 0, count: 100_000)
    while true {
      let count = try memory.withUnsafeMutableBytes { try gzip.read(into: $0) }
      if count == 0 { return content }
      content += memory[..<count]
    }
  }

  @Test func bytesDoNotDependOnCuts() throws {
    let size = GzipOutput.memberSize
    for count in [0, 1, 100, size - 1, size, size + 1, 3 * size, 3 * size + 12_345] {
      let text = Self.text(count)
      let whole = try compress(text, cuts: [])
      #expect(try content(whole) == text)
      var random = PrecomputeFilesTests.SeededRandom(state: UInt64(count))
      for _ in 0..<5 {
        let cuts = (0..<random.next(9)).map { _ in random.next(count + 1) }.sorted()
        #expect(try compress(text, cuts: cuts) == whole, "\(count) \(cuts)")
      }
      // Cuts next to the ends of members.
      let near = [size - 1, size, size + 1, 2 * size].filter { $0 <= count }
      #expect(try compress(text, cuts: near) == whole)
    }
  }

  /// RFC 1952: no flags, no time, an unknown system; one for each member.
  @Test func headersSayNothing() throws {
    let bytes = try compress(Self.text(GzipOutput.memberSize + 1), cuts: [])
    #expect(Array(bytes[..<10]) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    let members = bytes.indices.filter { bytes[$0...].starts(with: bytes[..<10]) }
    #expect(members.count == 2)
  }

  /// A file goes on where its state says, wherever that was taken.
  @Test func filesContinueFromAnyState() throws {
    let folder = try TestFolder()
    let text = Self.text(GzipOutput.memberSize * 2 + 999)
    let part = 70_001
    let whole = try OutputFile(folder.path("whole.gz"), isCompressed: true)
    var states = [whole.state]
    for from in stride(from: 0, to: text.count, by: part) {
      try whole.write(Array(text[from..<min(from + part, text.count)]))
      states.append(whole.state)
    }
    try whole.close()
    let expected = try #require(folder.bytes("whole.gz"))
    #expect(try content(Array(expected)) == text)
    #expect(whole.textHash?.finish() == text.withUnsafeBytes { XXH64.hash($0) })
    for (number, state) in states.enumerated() {
      // What was written behind the state is dropped; where nothing was written, the file is emptied.
      try folder.write("again.gz", expected.prefix(state.bytes.count) + Data("more".utf8))
      let stored = try #require(OutputFile.State(state.value))
      #expect(stored == state)
      let file = try OutputFile(folder.path("again.gz"), isCompressed: true, after: stored)
      if number * part < text.count { try file.write(Array(text[(number * part)...])) }
      try file.close()
      #expect(folder.bytes("again.gz") == expected, "state \(number)")
      #expect(file.state.bytes == whole.state.bytes)
    }
  }

  @Test func statesThatAreNone() throws {
    let state = OutputFile.State(isCompressed: true).value
    #expect(OutputFile.State(state) != nil)
    let text = state.json
    for (old, new) in [
      (#""pending":"""#, #""pending":"0""#), (#""pending":"""#, #""pending":"0x""#),
      (#""pending":"""#, #""pending":7"#), (#""bytes":0"#, #""bytes":1"#),
    ] {
      let changed = try Value.parse(json: text.replacing(old, with: new).utf8)
      #expect(changed != state)
      #expect(OutputFile.State(changed) == nil, "\(new)")
    }
  }

  // MARK: Runs

  @Test(arguments: ["out.ndjson.gz", "out.csv.gz"])
  func runsWriteTheSameText(name: String) throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(6_000))
    let plain = String(name.dropLast(3))
    #expect(try folder.precompute("--users", "users", "--out", plain).code == 0)
    var files: Set<Data> = []
    for threads in ["1", "2", "7"] {
      #expect(
        try folder.precompute(
          "--users", "users", "--out", name, "--threads", threads, "--rejects", "r.gz"
        ).code == 0)
      files.insert(try #require(folder.bytes(name)))
    }
    let piped = try folder.shell(
      "cat users | $TOLLGATE precompute $CONFIG --now 2026-03-01T12:00:00Z --seed s --users - "
        + "--out p-\(name)")
    #expect(piped.code == 0)
    files.insert(try #require(folder.bytes("p-\(name)")))
    #expect(files.count == 1)
    #expect(try content(Array(files.first ?? Data())) == Array(folder.bytes(plain) ?? Data()))
    #expect(try folder.shell("gzip -t \(name) r.gz && gzip -dc r.gz | wc -l").output == "6\n")
    // A run without refused lines leaves an empty file that gzip can read.
    try folder.write("good", "{\"userId\":\"a\"}\n")
    #expect(
      try folder.precompute("--users", "good", "--out", "g", "--rejects", "r.gz").code == 0)
    let rejects = try folder.shell("gzip -dc r.gz")
    #expect(rejects.code == 0 && rejects.output == "")
  }

  @Test func replaysCompareTheText() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(6_000))
    #expect(
      try folder.precompute("--users", "users", "--out", "o.csv.gz", "--rejects", "r.gz").code == 0)
    func replay() throws -> BuiltTool.Result {
      try folder.tollgate("replay", "o.csv.gz.manifest.json")
    }
    let same = try replay()
    #expect(same.code == 0, "\(same.output)\(same.errors)")
    #expect(same.output.contains("outcomes: the same "))
    #expect(same.output.contains("rejects: the same "))
    let bytes = try #require(folder.bytes("o.csv.gz"))
    // Packed by somebody else, it says the same.
    #expect(try folder.shell("gzip -dc o.csv.gz | gzip -9 > x && mv x o.csv.gz").code == 0)
    #expect(folder.bytes("o.csv.gz") != bytes)
    #expect(try replay().code == 0)
    for at in [12, bytes.count / 2, bytes.count - 6] {
      var changed = bytes
      changed[at] ^= 0x10
      try folder.write("o.csv.gz", changed)
      let result = try replay()
      #expect(result.code == 1, "\(at)")
      #expect(result.output.contains("outcomes: different from o.csv.gz at byte "))
    }
    for changed in [bytes.dropLast(9), bytes + bytes, Data(), Data("text".utf8)] {
      try folder.write("o.csv.gz", changed)
      #expect(try replay().code == 1)
    }
    try FileManager.default.removeItem(atPath: folder.path("o.csv.gz"))
    #expect(try replay().output.contains("bytes (by hash; o.csv.gz is gone)"))
  }

  /// What is there beyond what a run writes is a difference, too.
  @Test(arguments: ["o.ndjson", "o.csv", "o.sqlite"])
  func replaysSeeWhatWasAdded(name: String) throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(100))
    #expect(try folder.precompute("--users", "users", "--out", name).code == 0)
    let bytes = try #require(folder.bytes(name))
    for changed in [bytes + Data("\n".utf8), bytes.dropLast(1)] {
      try folder.write(name, changed)
      #expect(try folder.tollgate("replay", name + ".manifest.json").code == 1)
    }
  }
}

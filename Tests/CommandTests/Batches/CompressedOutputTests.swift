import Expressions
import Foundation
import RuleEngine
import Testing

@testable import tollgate

/// Files that are compressed: the bytes follow from the text alone.
@Suite struct CompressedOutputTests {
  private static func text(_ count: Int) -> [UInt8] {
    var random = PrecomputeFilesTests.SeededRandom(state: 7)
    return (0..<count).map { _ in UInt8(random.next(40) + 40) }
  }

  private func compress(_ text: [UInt8], _ compression: Compression, cuts: [Int]) throws
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    let output = try CompressedOutput(compression)
    var from = 0
    for to in cuts + [text.count] {
      try text[from..<to].withUnsafeBytes { try output.add($0) { bytes += $0 } }
      from = to
    }
    try output.finish(isEmpty: text.isEmpty) { bytes += $0 }
    return bytes
  }

  /// - Parameters:
  ///   - piece: how many bytes are read at once.
  ///   - room: how many are asked for.
  private func content(
    _ bytes: [UInt8], _ compression: Compression, piece: Int = .max, room: Int = 100_000
  ) throws -> [UInt8] {
    var rest = bytes[...]
    let input = try CompressedInput("test", compression) { memory in
      let count = min(memory.count, rest.count, piece)
      memory.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
    var content: [UInt8] = []
    var memory = [UInt8](repeating: 0, count: room)
    while true {
      let count = try memory.withUnsafeMutableBytes { try input.read(into: $0) }
      if count == 0 { return content }
      content += memory[..<count]
    }
  }

  @Test(arguments: Compression.allCases)
  func bytesDoNotDependOnCuts(compression: Compression) throws {
    let size = CompressedOutput.memberSize
    for count in [0, 1, 100, size - 1, size, size + 1, 3 * size, 3 * size + 12_345] {
      let text = Self.text(count)
      let whole = try compress(text, compression, cuts: [])
      #expect(try content(whole, compression) == text)
      var random = PrecomputeFilesTests.SeededRandom(state: UInt64(count))
      for _ in 0..<5 {
        let cuts = (0..<random.next(9)).map { _ in random.next(count + 1) }.sorted()
        #expect(try compress(text, compression, cuts: cuts) == whole, "\(count) \(cuts)")
      }
      // Cuts next to the ends of members.
      let near = [size - 1, size, size + 1, 2 * size].filter { $0 <= count }
      #expect(try compress(text, compression, cuts: near) == whole)
    }
  }

  /// RFC 1952: no flags, no time, an unknown system; one for each member.
  @Test func headersSayNothing() throws {
    let text = Self.text(CompressedOutput.memberSize + 1)
    let bytes = try compress(text, .gzip, cuts: [])
    #expect(Array(bytes[..<10]) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    let members = bytes.indices.filter { bytes[$0...].starts(with: bytes[..<10]) }
    #expect(members.count == 2)
  }

  /// RFC 8878: a frame of one segment with its size and a checksum, for each 256 KiB.
  @Test func framesSayTheirSizes() throws {
    let text = Self.text(CompressedOutput.memberSize + 1)
    let bytes = try compress(text, .zstd, cuts: [])
    #expect(Array(bytes[..<9]) == [0x28, 0xB5, 0x2F, 0xFD, 0xA4, 0, 0, 4, 0])
    let frames = bytes.indices.filter { bytes[$0...].starts(with: bytes[..<4]) }
    #expect(frames.count == 2)
    #expect(Array(bytes[frames[1]...].dropFirst(4).prefix(2)) == [0x24, 1])
  }

  /// However little comes at once and is asked for, also where members end there.
  @Test(arguments: Compression.allCases)
  func contentInPieces(compression: Compression) throws {
    let text = Self.text(3_000)
    let one = try compress(text, compression, cuts: [])
    let empty = try compress([], compression, cuts: [])
    let bytes = one + empty + one + [0, 0, 0] + empty
    for piece in [1, 2, 7, one.count, one.count + 1, .max] {
      for room in [1, 3, 1_000, 3_000, 6_000, 100_000] {
        let content = try content(bytes, compression, piece: piece, room: room)
        #expect(content == text + text, "\(piece) \(room)")
      }
    }
    for end in [1, 5, one.count / 2, one.count - 1] {
      #expect(throws: CommandError.self) {
        try content(Array(one[..<end]), compression, room: 3_000)
      }
    }
    #expect(throws: CommandError.self) { try content(one + [7], compression) }
    #expect(try content([], compression) == [])
  }

  /// A file goes on where its state says, wherever that was taken.
  @Test(arguments: Compression.allCases)
  func filesContinueFromAnyState(compression: Compression) throws {
    let folder = try TestFolder()
    let text = Self.text(CompressedOutput.memberSize * 2 + 999)
    let part = 70_001
    let whole = try OutputFile(folder.path("whole"), compression)
    var states = [whole.state]
    for from in stride(from: 0, to: text.count, by: part) {
      try whole.write(Array(text[from..<min(from + part, text.count)]))
      states.append(whole.state)
    }
    try whole.close()
    try whole.takePlace()
    let expected = try #require(folder.bytes("whole"))
    #expect(try content(Array(expected), compression) == text)
    #expect(whole.textHash?.finish() == text.withUnsafeBytes { XXH64.hash($0) })
    for (number, state) in states.enumerated() {
      // What was written behind the state is dropped; where nothing was written, the file is emptied.
      try folder.write("again.partial", expected.prefix(state.bytes.count) + Data("more".utf8))
      let stored = try #require(OutputFile.State(state.value))
      #expect(stored == state)
      let file = try OutputFile(folder.path("again"), compression, after: stored)
      if number * part < text.count { try file.write(Array(text[(number * part)...])) }
      try file.close()
      #expect(folder.bytes("again") == (number == 0 ? nil : expected))
      try file.takePlace()
      #expect(folder.bytes("again") == expected, "state \(number)")
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

  @Test(arguments: [
    ("out.ndjson.gz", "gzip"), ("out.csv.gz", "gzip"), ("out.ndjson.zst", "zstd"),
    ("out.csv.zst", "zstd"),
  ])
  func runsWriteTheSameText(name: String, packer: String) throws {
    let folder = try TestFolder()
    let compression = try #require(Compression(rawValue: packer))
    let rejects = "r." + compression.ending
    try folder.write("users", TestFolder.users(6_000))
    let plain = String(Compression.withoutEnding(name))
    #expect(try folder.precompute("--users", "users", "--out", plain).code == 0)
    var files: Set<Data> = []
    for threads in ["1", "2", "7"] {
      #expect(
        try folder.precompute(
          "--users", "users", "--out", name, "--threads", threads, "--rejects", rejects
        ).code == 0)
      files.insert(try #require(folder.bytes(name)))
    }
    let piped = try folder.shell(
      "cat users | $TOLLGATE precompute $CONFIG --now 2026-03-01T12:00:00Z --seed s --users - "
        + "--out p-\(name)")
    #expect(piped.code == 0)
    files.insert(try #require(folder.bytes("p-\(name)")))
    #expect(files.count == 1)
    #expect(
      try content(Array(files.first ?? Data()), compression)
        == Array(folder.bytes(plain) ?? Data()))
    if try folder.shell("\(packer) --version").code == 0 {
      let lines = try folder.shell(
        "\(packer) -t \(name) \(rejects) 2>&- && \(packer) -dc \(rejects) | wc -l")
      #expect(lines.output == "6\n")
    }
    // A run without refused lines leaves an empty file that can be read as a compressed one.
    try folder.write("good", "{\"userId\":\"a\"}\n")
    #expect(
      try folder.precompute("--users", "good", "--out", "g", "--rejects", rejects).code == 0)
    let bytes = try #require(folder.bytes(rejects))
    #expect(bytes.count > 8)
    #expect(try content(Array(bytes), compression) == [])
  }

  @Test(arguments: Compression.allCases)
  func replaysCompareTheText(compression: Compression) throws {
    let folder = try TestFolder()
    let (name, refused) = ("o.csv." + compression.ending, "r." + compression.ending)
    try folder.write("users", TestFolder.users(6_000))
    #expect(
      try folder.precompute("--users", "users", "--out", name, "--rejects", refused).code == 0)
    func replay() throws -> BuiltTool.Result {
      try folder.tollgate("replay", name + ".manifest.json")
    }
    let same = try replay()
    #expect(same.code == 0, "\(same.output)\(same.errors)")
    #expect(same.output.contains("outcomes: the same "))
    #expect(same.output.contains("rejects: the same "))
    let bytes = try #require(folder.bytes(name))
    // Packed by somebody else, it says the same.
    let text = try content(Array(bytes), compression)
    let half = text.count / 2
    try folder.write(
      name,
      Data(
        try compress(Array(text[..<half]), compression, cuts: [])
          + compress(Array(text[half...]), compression, cuts: [])))
    #expect(folder.bytes(name) != bytes)
    #expect(try replay().code == 0)
    for at in [12, bytes.count / 2, bytes.count - 6] {
      var changed = bytes
      changed[at] ^= 0x10
      try folder.write(name, changed)
      let result = try replay()
      #expect(result.code == 1, "\(at)")
      #expect(result.output.contains("outcomes: different from \(name) at byte "))
    }
    for changed in [bytes.dropLast(9), bytes + bytes, Data(), Data("text".utf8)] {
      try folder.write(name, changed)
      #expect(try replay().code == 1)
    }
    try FileManager.default.removeItem(atPath: folder.path(name))
    #expect(try replay().output.contains("bytes (by hash; \(name) is gone)"))
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

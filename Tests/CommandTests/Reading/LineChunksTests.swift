import TestSupport
import Testing

@testable import tollgate

/// Where lines and rows end does not depend on the pieces in which a text comes.
@Suite struct LineChunksTests {
  private static let limit = 12

  /// The chunks of a text, read in pieces.
  private func chunks(_ text: String, isCSV: Bool, size: Int, limit: Int = limit) throws -> [String]
  {
    let bytes = Array(text.utf8)
    var at = 0
    var chunks = LineChunks(size: size, lineLimit: limit, isCSV: isCSV) { memory in
      let count = min(memory.count, bytes.count - at)
      memory.copyBytes(from: bytes[at..<at + count])
      at += count
      return count
    }
    var result: [String] = []
    while let chunk = try chunks.next() { result.append(String(decoding: chunk, as: UTF8.self)) }
    #expect(chunks.offset == bytes.count)
    return result
  }

  /// The rows of all chunks.
  private func rows(_ text: String, size: Int, limit: Int = limit) throws -> [String] {
    try chunks(text, isCSV: true, size: size, limit: limit).flatMap { chunk in
      var chunk = chunk
      return chunk.withUTF8 { bytes in
        let text = UnsafeRawBufferPointer(bytes)
        var rows: [String] = []
        _ = CSVRows.forEach(text) {
          rows.append(String(decoding: text[$0.from..<$0.to], as: UTF8.self))
        }
        return rows
      }
    }
  }

  @Test(arguments: [
    ("a,b\nc,d\n", ["a,b", "c,d"]), ("a,\"b\nc\"\nd", ["a,\"b\nc\"", "d"]),
    // Longer than the limit, in quotes: its first line, and then the others.
    ("a,\"bcdef\nghi\njkl\"\nm,n\n", ["a,\"bcdef\n", "ghi", "jkl\"", "m,n"]),
    ("\"nothing\ncloses\nthis\n", ["\"nothing\n", "closes", "this"]),
    // Longer than the limit without a newline: cut, and the next row is whole.
    ("a,\"0123456789012345\nb,c\nd,e\n", ["a,\"0123456789\n", "b,c", "d,e"]),
    ("0123456789012345\nb,c\n", ["0123456789012", "b,c"]),
  ])
  func rowsOfCSV(text: String, expected: [String]) throws {
    for size in [1, 2, 3, 5, 8, 13, 64, 4096] {
      #expect(try rows(text, size: size) == expected, "read \(size) bytes at a time")
    }
  }

  @Test func anyPieces() throws {
    var random = SplitMix(seed: 7)
    let letters: [Character] = ["a", "\"", "\"", ",", "\n", "\n", "\r", "b"]
    for _ in 0..<Extent.count(5_000, or: 300) {
      let count = Int.random(in: 0..<90, using: &random)
      let text = String((0..<count).map { _ in letters.randomElement(using: &random)! })
      let whole = try rows(text, size: 4096)
      for size in [1, 3, 17] {
        #expect(try rows(text, size: size) == whole, "\(text.debugDescription) at \(size)")
      }
    }
  }

  /// Quotes that open in every line would have each line look at all that follow.
  @Test func quotesThatNeverClose() throws {
    let lines = 20_000
    let text = String(repeating: "x\",\"\n", count: lines)
    let found = try rows(text, size: 1 << 16, limit: 1 << 20)
    #expect(found.count == lines)
    // Nor do they swallow the whole lines between them.
    let others = try rows(
      text.replacing("\n", with: "\nwhole,line\n"), size: 1 << 16, limit: 1 << 20)
    #expect(others.count == 2 * lines && others.count { $0 == "whole,line" } == lines)
  }

  @Test func longLines() throws {
    let text = "short\n" + String(repeating: "x", count: 40) + "\nafter\n"
    for size in [1, 7, 4096] {
      let lines = try chunks(text, isCSV: false, size: size).joined().split(separator: "\n")
      #expect(lines.first == "short" && lines.last == "after" && lines.count == 3)
      #expect(lines[1].utf8.count > Self.limit)
    }
  }
}

import CShims
import TestSupport
import Testing

/// Operations on many bytes at once: the machine's form against the one in C.
@Suite struct VectorTests {
  @Test func agreeWithPlainC() {
    var random = SplitMix(seed: 77)
    // Mostly what texts hold, and what stops them.
    let frequent = Array("abcxyz019 ~\"'\\\n\u{7F}".utf8) + [0x80, 0xFF, 0x00, 0x1F, 0x20, 0x21]
    func bytes() -> [UInt8] {
      let stops = Int.random(in: 0...3, using: &random) == 0
      return (0..<16).map { _ in
        stops
          ? frequent.randomElement(using: &random)! : UInt8.random(in: 0x61...0x7A, using: &random)
      }
    }
    for _ in 0..<20_000 {
      let a = bytes()
      var b = a
      if Bool.random(using: &random) {
        b[Int.random(in: 0..<16, using: &random)] = .random(in: 0...255, using: &random)
      }
      #expect(plainBytes(a) == plainBytesInC(a), "\(a)")
      for quote in [UInt8(ascii: "\""), UInt8(ascii: "'")] {
        #expect(textEnd(a, quote: quote) == textEndInC(a, quote: quote), "\(a)")
      }
      let (text, literal) = (a + b, Bool.random(using: &random) ? a + b : b + a)
      for count in 1...32 {
        let mask = UInt32.max >> UInt32(32 - count)
        #expect(
          isLiteral(text, literal, mask: mask) == isLiteralInC(text, literal, mask: mask),
          "\(text) \(literal) \(count)")
        let isSame = text.prefix(count) == literal.prefix(count)
        #expect(isLiteralInC(text, literal, mask: mask) == isSame)
      }
      let count = Int.random(in: 0...15, using: &random)
      var (cell, other) = ([UInt8](repeating: 9, count: 16), [UInt8](repeating: 9, count: 16))
      writeShortText(0x80 | UInt8(count), a, count: count, to: &cell)
      writeShortTextInC(0x80 | UInt8(count), a, count: count, to: &other)
      #expect(cell == other, "\(a) \(count)")
    }
  }

  /// Tests of 64 cells at once, as the machine makes them and as plain C does.
  @Test func testsOfCells() {
    var random = SplitMix(seed: 78)
    let tests: [CellTest] = [
      .lowIs, .lowIsAtLeast, .highIs, .highIsLess, .highIsAtMost, .bothAre,
    ]
    // Few different ones, so that they are equal often.
    let words: [UInt64] = [0, 1, 9, 10, 0x109, 0xFF0A, 1 << 63, .max, .max - 1, 1 << 62]
    for _ in 0..<2_000 {
      let cells = (0..<128).map { _ in words.randomElement(using: &random)! }
      let value = words.randomElement(using: &random)!
      let mask = words.randomElement(using: &random)!
      for test in tests {
        let rows = testCells(cells, test, mask: mask, value)
        #expect(rows == testCellsInC(cells, test, mask: mask, value))
        #expect(rows == testCellsWithAVX2(cells, test, mask: mask, value))
        for row in [0, 7, 8, 63] {
          let (low, high) = (cells[2 * row], cells[2 * row + 1])
          let holds =
            switch test {
            case .lowIs: low & mask == value
            case .lowIsAtLeast: low & mask >= value
            case .highIs: high == value
            case .highIsLess: Int64(bitPattern: high) < Int64(bitPattern: value)
            case .highIsAtMost: Int64(bitPattern: high) <= Int64(bitPattern: value)
            case .bothAre: low == mask && high == value
            }
          #expect((rows >> UInt64(row) & 1 == 1) == holds)
        }
      }
    }
  }

  /// Rows that masks share, and how many.
  @Test func sharedRows() {
    var random = SplitMix(seed: 79)
    for _ in 0..<200 {
      let mask = (0..<8).map { _ in UInt64.random(in: 0...(.max), using: &random) }
      let other = (0..<8).map { _ in UInt64.random(in: 0...(.max), using: &random) }
      var both = [UInt64](repeating: 9, count: 8)
      let count = countBoth(mask, other, to: &both)
      #expect(both == zip(mask, other).map { $0 & $1 })
      #expect(count == both.reduce(0) { $0 + $1.nonzeroBitCount })
    }
  }

  /// Cells of texts that lie one behind the other, to the last byte of their memory and from the first.
  @Test func cellsOfTexts() {
    var random = SplitMix(seed: 80)
    for _ in 0..<400 {
      let texts = (0..<Int.random(in: 1...64, using: &random)).map { _ in
        let most = Int.random(in: 0...9, using: &random) == 0 ? 40 : 16
        return (0..<Int.random(in: 0...most, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      }
      let start = Int64.random(in: 0...3, using: &random)
      let ends = texts.reduce(into: [start]) { $0.append($0[$0.count - 1] + Int64($1.count)) }
      let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: max(Int(ends[ends.count - 1]), 1))
      defer { bytes.deallocate() }
      bytes.initialize(repeating: 0xEE, count: Int(start))
      for (text, end) in zip(texts, ends) {
        (bytes + Int(end)).initialize(from: text, count: text.count)
      }
      for (areLarge, write) in [
        (true, writeTexts), (false, writeTexts), (true, writeTextsPlainly),
        (false, writeTextsPlainly),
      ] {
        var cells = [UInt8](repeating: 9, count: 1_024)
        let small = ends.map { Int32($0) }
        let left = ends.withUnsafeBytes { large in
          small.withUnsafeBytes { small in
            write(
              (areLarge ? large : small).baseAddress!, bytes, areLarge, texts.count, 0x80, &cells)
          }
        }
        for (row, text) in texts.enumerated() {
          let isLong = text.count > 15
          #expect(left >> UInt64(row) & 1 == (isLong ? 1 : 0))
          let expected =
            isLong
            ? [UInt8](repeating: 9, count: 16)
            : [0x80 | UInt8(text.count)] + text + [UInt8](repeating: 0, count: 15 - text.count)
          #expect(Array(cells[16 * row..<16 * row + 16]) == expected)
        }
        #expect(cells.dropFirst(16 * texts.count).allSatisfy { $0 == 9 })
      }
    }
  }
}

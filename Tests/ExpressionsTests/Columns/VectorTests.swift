import CShims
import Testing

/// Operations on sixteen bytes: the machine's form against the one in C.
@Suite struct VectorTests {
  @Test func agreeWithPlainC() {
    var random = SeededGenerator(seed: 77)
    // Mostly what texts hold, and what stops them.
    let frequent = Array("abcxyz019 ~\"'\\\n\u{7F}".utf8) + [0x80, 0xFF, 0x00, 0x1F, 0x20, 0x21]
    func bytes() -> [UInt8] {
      let stops = Int.random(in: 0...3, using: &random) == 0
      return (0..<16).map { _ in
        stops ? frequent.randomElement(using: &random)! : UInt8.random(in: 0x61...0x7A, using: &random)
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
      for count in 1...16 {
        #expect(isSame(a, b, count: count) == isSameInC(a, b, count: count), "\(a) \(b) \(count)")
      }
      let count = Int.random(in: 0...15, using: &random)
      var (cell, other) = ([UInt8](repeating: 9, count: 16), [UInt8](repeating: 9, count: 16))
      writeShortText(0x80 | UInt8(count), a, count: count, to: &cell)
      writeShortTextInC(0x80 | UInt8(count), a, count: count, to: &other)
      #expect(cell == other, "\(a) \(count)")
    }
  }
}

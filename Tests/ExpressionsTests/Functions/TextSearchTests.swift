import TestSupport
import Testing

@testable import Expressions

@Suite("Searching in texts")
struct TextSearchTests {
  /// Texts of few letters and much repetition, where searches go wrong.
  private static func text(_ count: Int, _ generator: inout SplitMix) -> [UInt8] {
    let period = Int.random(in: 1...9, using: &generator)
    let pattern = (0..<period).map { _ in UInt8.random(in: 0x61...0x62, using: &generator) }
    var text = (0..<count).map { pattern[$0 % period] }
    for _ in 0..<Int.random(in: 0...2, using: &generator) where count > 0 {
      text[Int.random(in: 0..<count, using: &generator)] = UInt8.random(
        in: 0x61...0x62, using: &generator)
    }
    return text
  }

  @Test func findsWhatASimpleSearchFinds() {
    var generator = SplitMix(seed: 7)
    for _ in 0..<5000 {
      let hay = TextSearchTests.text(Int.random(in: 0...160, using: &generator), &generator)
      var part = TextSearchTests.text(Int.random(in: 0...70, using: &generator), &generator)
      if Bool.random(using: &generator), part.count < hay.count {
        let start = Int.random(in: 0...(hay.count - part.count), using: &generator)
        part = Array(hay[start..<(start + part.count)])
      }
      let from = Int.random(in: 0...hay.count, using: &generator)
      let places = hay.count < part.count ? [] : Array(0...(hay.count - part.count))
      let matches = places.filter { hay[$0..<($0 + part.count)].elementsEqual(part) }
      hay.withUnsafeBufferPointer { hay in
        part.withUnsafeBufferPointer { part in
          #expect(TextSearch(part).first(in: hay, from: from) == matches.first { $0 >= from })
          #expect(TextSearch.last(of: part, in: hay) == matches.last)
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(30))) func takesLinearTime() {
    let length = 1_000_000
    let hay = [UInt8](repeating: 0x61, count: length)
    // Each of them costs a simple search a quarter of the square of the length.
    for odd in [0, length / 4, length / 2 - 1] {
      var part = [UInt8](repeating: 0x61, count: length / 2)
      part[odd] = 0x62
      hay.withUnsafeBufferPointer { hay in
        part.withUnsafeBufferPointer { part in
          #expect(TextSearch(part).first(in: hay, from: 0) == nil)
          #expect(TextSearch.last(of: part, in: hay) == nil)
        }
      }
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import Expressions

@Suite("Doubles with a precision")
struct ExactDecimalTests {
  private func text(_ value: Double, _ precision: Int, isFixed: Bool) -> String {
    var arena = Arena(limit: 1 << 20)
    var text = ByteBuilder(in: &arena)
    let exact = ExactDecimal(value)
    if isFixed {
      exact.appendFixed(precision: precision, to: &text, &arena)
    } else {
      exact.appendScientific(precision: precision, to: &text, &arena)
    }
    return text.finish(&arena).text
  }

  private func check(_ value: Double, _ precision: Int) {
    let fixed = text(value, precision, isFixed: true)
    #expect(fixed == String(format: "%.\(precision)f", value), "\(value) \(precision)")
    let scientific = text(value, precision, isFixed: false)
    #expect(scientific == String(format: "%.\(precision)e", value), "\(value) \(precision)")
  }

  @Test func printsAsCDoes() {
    var generator = SplitMix(seed: 11)
    for _ in 0..<2000 {
      let value = Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
      guard value.isFinite else { continue }
      check(value, Int.random(in: 0...20, using: &generator))
    }
    for _ in 0..<2000 {
      let value = Double(Int.random(in: -100_000...100_000, using: &generator)) / 1024
      check(value, Int.random(in: 0...12, using: &generator))
    }
  }

  @Test(arguments: [
    0, -0.0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 0.5, 1.5, 2.5,
    9.5, 99.5, 0.05, 0.95, 999_999.5, 1e22, 1e23, 123_456_789.123_456_789, 9_007_199_254_740_992,
    -0.000_000_5,
  ])
  func ends(value: Double) {
    for precision in [0, 1, 2, 5, 6, 17, 100, 1000] { check(value, precision) }
  }
}

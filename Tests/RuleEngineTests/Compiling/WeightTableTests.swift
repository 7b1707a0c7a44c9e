import Testing

@testable import RuleBatch
@testable import RuleEngine

/// Which variant a draw falls on: the first whose cumulative weight is larger.
@Suite struct WeightTableTests {
  @Test(
    arguments: [
      ([50, 50], 0, 0), ([50, 50], 49.999_999, 0), ([50, 50], 50, 1), ([50, 50], 99.999, 1),
      ([0, 100], 0, 1), ([100, 0], 0, 0), ([100, 0], 99.999, 0), ([0, 0, 7, 0], 0, 2),
      ([0, 0, 7, 0], 6.999, 2), ([10, 20, 30, 40], 9.999, 0), ([10, 20, 30, 40], 10, 1),
      ([10, 20, 30, 40], 29.999, 1), ([10, 20, 30, 40], 30, 2), ([10, 20, 30, 40], 60, 3),
      ([0.5, 0.25, 0.25], 0.5, 1), ([0.5, 0.25, 0.25], 0.749, 1), ([0.5, 0.25, 0.25], 0.75, 2),
      ([33.3, 33.3, 33.3], 33.2, 0), ([33.3, 33.3, 33.3], 99.8, 2), ([1], 0, 0), ([0], 0.9, 0),
      ([0, 0, 0], 0, 0), ([0, 0, 0], 0.999, 0), ([0, 0, 0], 1, 1), ([0, 0, 0], 2.999, 2),
      ([200, 300], 199, 0), ([200, 300], 200, 1), ([1e-9, 1e-9], 0.5e-9, 0),
      ([1e-9, 1e-9], 1.5e-9, 1),
    ] as [([Double], Double, Int)])
  func draws(weights: [Double], draw: Double, variant: Int) {
    #expect(WeightTable(weights).variant(draw: draw) == variant)
  }

  @Test(
    arguments: [
      ([], 0), ([5], 5), ([0], 1), ([0, 0, 0], 3), ([45, 45, 10], 100), ([0.5, 0.25], 0.75),
    ] as [([Double], Double)])
  func drawRange(weights: [Double], range: Double) {
    #expect(WeightTable(weights).drawRange == range)
  }

  /// Batches compare the 53 bits of a draw with the first number that is not below a sum of weights.
  @Test(
    arguments: [
      (50, 100), (25, 100), (1, 3), (2, 3), (0, 1), (1, 1), (0.1, 0.3), (33.3, 99.9), (7, 0.5),
    ] as [(Double, Double)])
  func limitOfBits(sum: Double, range: Double) {
    let limit = VariantChooser.limit(sum, range: range)
    func isBelow(_ bits: UInt64) -> Bool { sum > Double(bits) * 0x1p-53 * range }
    #expect(limit == 0 || isBelow(limit - 1))
    #expect(limit == 1 << 53 || !isBelow(limit))
  }

  @Test func withoutVariantsThereIsNone() {
    #expect(WeightTable([]).variant(draw: 0) == nil)
  }

  /// A draw at or past the end, or none at all, never leaves the table and never falls on a variant
  /// without weight.
  @Test(
    arguments: [
      ([50, 50, 0], [0, 1]), ([0, 10, 0, 0], [1]), ([0, 0], [0, 1]), ([1], [0]),
      ([0.1, 0.2, 0.3], [0, 1, 2]),
    ] as [([Double], [Int])])
  func oddDraws(weights: [Double], allowed: [Int]) throws {
    let table = WeightTable(weights)
    for draw in [-1, -Double.infinity] {
      let variant = try #require(table.variant(draw: draw))
      #expect(weights.indices.contains(variant))
    }
    for draw in [
      -0.0, table.drawRange, table.drawRange.nextDown, table.drawRange.nextUp, 1e300, .infinity,
      .nan, .leastNonzeroMagnitude,
    ] {
      let variant = try #require(table.variant(draw: draw))
      #expect(allowed.contains(variant), "\(draw) gives \(variant)")
    }
  }
}

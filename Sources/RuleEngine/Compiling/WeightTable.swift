/// The weights of an experiment's variants, prepared for choosing variants.
@usableFromInline package struct WeightTable: Sendable, Hashable {
  /// Sums of the weights up to and including each variant.
  package let cumulative: [Double]

  /// - Parameter areFloating: whether shares are summed as doubles, as old SDKs do. A draw on the border of two
  ///   variants may then get the first variant.
  package init(_ weights: [Double], areFloating: Bool = false) {
    var sum = 0.0
    var sums = weights.map { weight in
      sum += weight
      return sum
    }
    if areFloating, sum > 0 {
      var share = 0.0
      for place in weights.indices.dropLast() {
        share += weights[place] / sum
        // In those SDKs draws are whole numbers, so a draw can lie exactly on the border.
        if sums[place] / sum < share { sums[place] = sums[place].nextUp }
      }
    }
    cumulative = sums
  }

  package var count: Int { cumulative.count }
  package var sum: Double { cumulative.last ?? 0 }

  /// The range of draws: the sum of the weights, or the number of variants if all weights are zero. A single variant
  /// needs no draw.
  package var drawRange: Double { sum > 0 ? sum : Double(count) }

  /// The variant for a draw in `0..<drawRange`: the first variant whose cumulative weight exceeds the draw. Nil if
  /// there are no variants.
  package func variant(draw: Double) -> Int? {
    cumulative.withUnsafeBufferPointer { WeightTable.variant(draw: draw, cumulative: $0) }
  }

  @inlinable @inline(__always)
  package static func variant(draw: Double, cumulative: UnsafeBufferPointer<Double>) -> Int? {
    // SAFETY: Every index is below the count. Tests: WeightTableTests, DistributionTests.
    let count = cumulative.count
    guard count > 1 else { return count == 1 ? 0 : nil }
    let sum = cumulative[count - 1]
    guard sum > 0 else { return draw >= 0 ? Int(min(draw, Double(count - 1))) : 0 }
    for i in 0..<count where cumulative[i] > draw { return i }
    // Rounding may make a draw equal to the sum. The last variant with a weight then gets the draw.
    return cumulative.firstIndex(of: sum)
  }
}

/// Pearson's chi-squared statistic of some counts.
struct ChiSquared: Equatable {
  var statistic: Double
  var degrees: Int

  /// The probability of a deviation that is at least this large, by chance alone.
  var p: Double { Self.tail(statistic, degrees) }

  /// The tail of the chi-squared distribution beyond a value.
  ///
  /// For whole degrees of freedom, the tail is a finite sum of positive terms. The terms are added from their
  /// logarithms, so that neither a large statistic nor many degrees exceed the range of a `Double`.
  static func tail(_ statistic: Double, _ degrees: Int) -> Double {
    guard degrees > 0, statistic > 0 else { return 1 }
    guard statistic.isFinite else { return 0 }
    let half = statistic / 2
    let isEven = degrees.isMultiple(of: 2)
    var sum = isEven ? 0 : erfc(half.squareRoot())
    // The exponents of `half` in the sum: 0, 1, 2.. or 1/2, 3/2..
    var exponent = isEven ? 0 : 0.5
    var term = isEven ? -half : -half + log(half) / 2 - log(Double.pi / 4) / 2
    while exponent < Double(degrees) / 2 {
      sum += exp(term)
      exponent += 1
      term += log(half / exponent)
    }
    return min(sum, 1)
  }
}

/// The dependence of two ways to divide the same users.
struct Association: Equatable {
  var test: ChiSquared
  /// Cramér's V: 0 for independence, 1 if one division determines the other.
  var strength: Double
}

/// The tests of reports.
enum Statistics {
  /// With a smaller expected number in a cell, the approximation behind the tests is too coarse.
  static let leastExpected = 5.0

  /// How well counts fit shares. Entries without a share and a count are ignored.
  ///
  /// - Returns: nil if fewer than two counts are possible, or there are too few users.
  static func fit(_ counts: [Int], to shares: [Double]) -> ChiSquared? {
    let total = Double(counts.reduce(0, +))
    let sum = shares.reduce(0, +)
    guard total > 0 else { return nil }
    var (statistic, cells) = (0.0, 0)
    for (count, share) in zip(counts, shares) where count > 0 || share > 0 {
      let expected = total * share / sum
      // An impossible draw was made. No number of users makes an impossible draw likely.
      if expected == 0 { return ChiSquared(statistic: .infinity, degrees: 1) }
      guard expected >= leastExpected else { return nil }
      statistic += (Double(count) - expected) * (Double(count) - expected) / expected
      cells += 1
    }
    return cells > 1 ? ChiSquared(statistic: statistic, degrees: cells - 1) : nil
  }

  /// How much the rows of a table depend on its columns. Empty rows and columns are ignored.
  ///
  /// - Returns: nil if fewer than two rows or columns remain, or there are too few users.
  static func association(_ table: [[Int]]) -> Association? {
    let expected = expected(table)
    let rows = table.count { $0.contains { $0 > 0 } }
    let columns = (table.first ?? []).indices.count { column in
      table.contains { $0[column] > 0 }
    }
    guard rows > 1, columns > 1 else { return nil }
    var statistic = 0.0
    for (counts, means) in zip(table, expected) {
      for (count, mean) in zip(counts, means) where mean > 0 {
        guard mean >= leastExpected else { return nil }
        statistic += (Double(count) - mean) * (Double(count) - mean) / mean
      }
    }
    let total = Double(table.joined().reduce(0, +))
    let smaller = Double(min(rows, columns) - 1)
    return Association(
      test: ChiSquared(statistic: statistic, degrees: (rows - 1) * (columns - 1)),
      strength: (statistic / (total * smaller)).squareRoot())
  }

  /// The expected counts of a table if rows and columns were independent.
  static func expected(_ table: [[Int]]) -> [[Double]] {
    let sums = table.map { Double($0.reduce(0, +)) }
    let columns = (table.first ?? []).indices.map { column in
      Double(table.reduce(0) { $0 + $1[column] })
    }
    let total = max(sums.reduce(0, +), 1)
    return sums.map { sum in columns.map { sum * $0 / total } }
  }
}

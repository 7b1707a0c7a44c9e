/// When a request that failed is sent again (the iOS SDK's rule).
enum Retry {
  /// The maximum number of retries, unless the call sets another maximum.
  static let count = 6

  /// The pause before a retry in milliseconds, without jitter: 5^(1 + n/most) seconds. Six retries wait 5.0, 6.5, 8.5,
  /// 11.2, 14.6 and 19.1 seconds.
  ///
  /// - Parameters:
  ///   - retry: the number of the retry, from 0.
  ///   - most: the maximum number of retries.
  static func pause(before retry: Int, of most: Int) -> Int64 {
    Int64(5_000 * fiveToThe(Double(retry) / Double(max(most, 1))))
  }

  /// A power of five with an exponent between 0 and 1, computed with the series of exp. The result is exact enough for
  /// pauses, and the same on every platform.
  private static func fiveToThe(_ exponent: Double) -> Double {
    let x = 1.609_437_912_434_100_3 * exponent
    var term = 1.0
    var sum = 1.0
    for n in 1...30 {
      term *= x / Double(n)
      sum += term
    }
    return sum
  }
}

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The cost of one operation.
struct Measurement: Sendable {
  /// Nanoseconds of CPU in the fastest batch.
  var minimum: Double
  /// Nanoseconds of CPU in the median batch.
  var median: Double
  /// The number of allocated blocks, or nil if allocations are not counted.
  var allocations: Double?

  /// - Parameter samples: nanoseconds per operation, one number for each batch.
  init(samples: [Double], allocations: Double? = nil) {
    minimum = samples.min() ?? .nan
    median = samples.median
    self.allocations = allocations
  }
}

extension [Double] {
  /// The middle number. For an even count, the mean of the two in the middle.
  var median: Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }

  /// The correct mean for ratios: twice as fast on one rule compensates for half as fast on another.
  var geometricMean: Double {
    guard !isEmpty else { return .nan }
    return exp(reduce(0) { $0 + log($1) } / Double(count))
  }

  var mean: Double { isEmpty ? .nan : reduce(0, +) / Double(count) }
}

internal import Probes

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Measures the cost of an operation for its thread.
///
/// It measures thread CPU time, not wall time, so that other work on the machine only has an effect through caches and clock
/// rates. The minimum over the batches is the cost without disturbance. Compared with it, the median shows the amount of
/// disturbance.
struct Stopwatch: Sendable {
  /// The intended duration of a batch.
  var batchNanoseconds: UInt64 = 5_000_000
  /// The number of batches that are measured, after a warm-up of about one batch.
  var batches = 9

  /// - Parameters:
  ///   - operations: the number of operations in one round.
  ///   - run: runs the given number of rounds. It contains the loop, so that no closure is called per operation.
  func measure(operations: Int = 1, _ run: (_ rounds: Int) -> Void) -> Measurement {
    let rounds = calibrate(run)
    let total = Double(rounds * operations)
    var samples: [Double] = []
    var allocated: [Int] = []
    for _ in 0..<batches {
      let allocations = Allocations()
      samples.append(Double(Stopwatch.time { run(rounds) }) / total)
      if let count = allocations.sinceThen { allocated.append(count) }
    }
    return Measurement(samples: samples, allocations: allocated.min().map { Double($0) / total })
  }

  /// The number of rounds in a batch. Determining it warms caches and branch predictors.
  private func calibrate(_ run: (Int) -> Void) -> Int {
    var rounds = 1
    while true {
      let elapsed = max(Stopwatch.time { run(rounds) }, 1)
      if elapsed >= batchNanoseconds / 2 {
        let wanted = Double(rounds) * Double(batchNanoseconds) / Double(elapsed)
        return max(1, Int(wanted))
      }
      rounds *= elapsed < batchNanoseconds / 32 ? 8 : 2
    }
  }

  private static func time(_ body: () -> Void) -> UInt64 {
    let start = threadNanoseconds()
    body()
    return threadNanoseconds() - start
  }

  /// CPU time that the current thread has used.
  static func threadNanoseconds() -> UInt64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

  /// Wall time, from an arbitrary start.
  static func wallNanoseconds() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// Consumes results that are not needed.
enum BlackHole {
  @inline(__always)
  static func take(_ number: Int) { probe_consume(Int64(number)) }
}

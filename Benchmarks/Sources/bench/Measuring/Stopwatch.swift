internal import Probes

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Measures what an operation costs the thread that runs it.
///
/// Thread CPU time is counted, not wall time, so that other work on the machine disturbs only
/// through caches and clock rates. The minimum over the batches is what the operation costs when
/// nothing disturbs it; the median beside it tells how much was disturbed.
struct Stopwatch: Sendable {
  /// How long a batch of operations should take.
  var batchNanoseconds: UInt64 = 5_000_000
  /// How many batches are measured, after a warm-up of about one batch.
  var batches = 9

  /// - Parameters:
  ///   - operations: how many operations one round makes.
  ///   - run: makes as many rounds as it is told. The loop is the caller's, so that no closure is
  ///     called per operation.
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

  /// The number of rounds that fill a batch. Finding it warms caches and branch predictors.
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

  /// Time on the wall, from an arbitrary beginning.
  static func wallNanoseconds() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// Where results go that nobody reads.
enum BlackHole {
  @inline(__always)
  static func take(_ number: Int) { probe_consume(Int64(number)) }
}

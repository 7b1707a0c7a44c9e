import RuleEngine
import Testing

@Suite("Occurrence limits")
struct OccurrenceLimitTests {
  @Test(arguments: [(0, 1, true), (1, 1, false), (1, 2, true), (0, 0, false), (5, 2, false)])
  func allowsOneMoreBelowTheLimit(stored: Int, most: Int, expected: Bool) {
    let limit = OccurrenceLimit(key: "k", maxCount: most, interval: .infinity)
    #expect(limit.allows(storedCount: stored) == expected)
  }

  /// An occurrence exactly as old as the interval counts; one a millisecond older does not.
  @Test func theEdgeOfAnIntervalCounts() {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: .minutes(60))
    #expect(limit.count([0], now: 3_600_000) == 1)
    #expect(limit.count([0], now: 3_600_001) == 0)
    #expect(limit.count([-1, 0, 1], now: 3_600_000) == 2)
  }

  /// What is later than now has not happened.
  @Test(arguments: [OccurrenceLimit.Interval.infinity, .minutes(60), .minutes(.max), .session])
  func whatIsLaterDoesNotCount(interval: OccurrenceLimit.Interval) {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: interval)
    #expect(limit.count([9, 10, 11, .distantFuture], now: 10, sessionStart: 5) == 2)
  }

  @Test func hugeIntervalsCountEverything() {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: .minutes(.max))
    #expect(limit.count([.distantPast, 0, .distantFuture], now: 0) == 2)
  }
}

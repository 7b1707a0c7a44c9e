import RuleEngine
import Testing

@testable import RuleEngine

/// Occurrence limits as people read them.
@Suite struct LimitWordsTests {
  private func limit(_ count: Int, _ interval: OccurrenceLimit.Interval) -> OccurrenceLimit {
    OccurrenceLimit(key: "k", maxCount: count, interval: interval)
  }

  @Test(
    arguments: [
      (0, "0 minutes", nil), (1, "a minute", "minute"), (2, "2 minutes", nil),
      (59, "59 minutes", nil), (60, "an hour", "hour"), (61, "61 minutes", nil),
      (90, "90 minutes", nil), (120, "2 hours", nil), (1_440, "24 hours", nil),
      (1_500, "25 hours", nil), (1_441, "1441 minutes", nil), (2_880, "2 days", nil),
      (2_881, "2881 minutes", nil), (2_940, "49 hours", nil), (43_200, "30 days", nil),
    ] as [(Int, String, String?)])
  func spans(minutes: Int, words: String, last: String?) {
    let interval = OccurrenceLimit.Interval.minutes(minutes)
    #expect(LimitWords.describe(limit(2, interval)) == "at most 2 times in \(words)")
    #expect(LimitWords.describe(limit(1, interval)) == "at most once in \(words)")
    #expect(LimitWords.short(limit(1, interval)) == "1 in \(words)")
    let last = last ?? words
    #expect(
      LimitWords.rule(limit(3, interval)) == "at most 3 in the last \(last), counted as 'k'")
    #expect(
      LimitWords.describe(limit(3, interval), count: 2)
        == "shown 2 times in the last \(last), at most 3")
    #expect(
      LimitWords.describe(limit(3, interval), count: 1)
        == "shown once in the last \(last), at most 3")
    #expect(
      LimitWords.describe(limit(3, interval), count: 0)
        == "not shown in the last \(last), at most 3")
  }

  @Test func withoutMinutes() {
    #expect(LimitWords.describe(limit(2, .infinity)) == "at most 2 times ever")
    #expect(LimitWords.describe(limit(1, .session)) == "at most once in a session")
    #expect(LimitWords.short(limit(3, .infinity)) == "3 ever")
    #expect(LimitWords.short(limit(1, .session)) == "1 in a session")
    #expect(LimitWords.rule(limit(3, .infinity)) == "at most 3 ever, counted as 'k'")
    #expect(LimitWords.rule(limit(3, .session)) == "at most 3 in this session, counted as 'k'")
    #expect(LimitWords.describe(limit(1, .infinity), count: 0) == "never shown, at most 1")
    #expect(LimitWords.describe(limit(1, .infinity), count: 1) == "shown once so far, at most 1")
    #expect(
      LimitWords.describe(limit(1, .session), count: 0) == "not shown in this session, at most 1")
  }

  /// Dates are told where one is not that of the decision, and five times at most.
  @Test(
    arguments: [
      ([], ""), (["2026-03-01T08:05:59Z"], " (08:05)"),
      (["2026-03-01T08:05:00Z", "2026-03-01T09:00:00Z"], " (08:05, 09:00)"),
      (["2026-02-28T23:59:59Z"], " (2026-02-28 23:59)"),
      (["2026-02-28T01:02:00Z", "2026-02-28T03:04:00Z"], " (2026-02-28 01:02, 03:04)"),
      (
        ["2026-02-28T23:59:59Z", "2026-03-01T00:00:00Z"], " (2026-02-28 23:59, 2026-03-01 00:00)"
      ),
      (
        (1...5).map { "2026-03-01T0\($0):00:00Z" }, " (01:00, 02:00, 03:00, 04:00, 05:00)"
      ),
      (
        (1...6).map { "2026-03-01T0\($0):00:00Z" },
        " (01:00, 02:00, 03:00, 04:00, 05:00 and 1 more)"
      ),
      (
        (1...9).map { "2026-03-01T0\($0):00:00Z" },
        " (01:00, 02:00, 03:00, 04:00, 05:00 and 4 more)"
      ),
    ] as [([String], String)])
  func times(_ texts: [String], wanted: String) throws {
    let clock = HistoryClock(now: try WireTime.instant("2026-03-01T12:00:00Z"))
    let times = try texts.map { try WireTime.instant($0) }
    let limit = limit(9, .session)
    let shown =
      switch times.count {
      case 0: "not shown in this session"
      case 1: "shown once in this session"
      default: "shown \(times.count) times in this session"
      }
    #expect(
      LimitWords.describe(limit, times: times, clock)
        == "\(shown)\(wanted), at most 9, counted as 'k'")
  }
}

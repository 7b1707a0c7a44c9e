import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// Occurrence limits as records give them: which stored times count, and what happens at the limit.
@Suite struct OccurrenceEdgeTests {
  private static let now = "2026-03-01T12:00:00Z"

  /// The audience that decides for a record whose limited rule is the first of two.
  private func audience(_ limit: String, _ occurrences: String) throws -> Int? {
    let rules = try ruleSet(wireRule("limited", occurrence: limit), wireRule("open"))
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
    let record = "{\"userId\":\"u\",\"occurrences\":\(occurrences)}"
    try reader.read(json: record.utf8, into: &frame)
    let now = try WireTime.instant(Self.now)
    let decision = rules.decide(
      "p", frame: &frame, state: reader.state(now: now), assigner: .hash(salt: ""))
    // The same through a batch.
    var worker = BatchWorker(BatchPlan(rules, now: now, assigner: .hash(salt: "")))
    let tally = worker.process(Array(record.utf8)).tally
    #expect(
      tally.placements[0].audiences.map(\.taken) == (decision.audience == 0 ? [1, 0] : [0, 1]))
    #expect(tally.placements[0].audiences[0].matched == 1)
    return decision.audience
  }

  private func limit(_ count: Int, minutes: Int?, key: String = "k") -> String {
    let interval =
      minutes.map { "{\"type\":\"MINUTES\",\"minutes\":\($0)}" } ?? "{\"type\":\"INFINITY\"}"
    return "{\"key\":\"\(key)\",\"max_count\":\(count),\"interval\":\(interval)}"
  }

  /// An occurrence exactly as old as the interval counts; a millisecond more, and it does not.
  @Test(arguments: [
    ("2026-03-01T11:00:00Z", 60, 1), ("2026-03-01T10:59:59.999Z", 60, 0),
    ("2026-03-01T11:00:00.001Z", 60, 1), ("2026-03-01T12:00:00Z", 60, 1),
    ("2026-03-01T12:00:00Z", 0, 1), ("2026-03-01T11:59:59.999Z", 0, 0),
    ("2026-03-01T13:00:00+02:00", 60, 1), ("2026-03-01T12:59:59+02:00", 60, 0),
    ("2026-02-28T12:00:00Z", 1_440, 1), ("2026-02-28T11:59:59Z", 1_440, 0),
    // After the decision: it has not happened yet.
    ("2026-03-01T12:00:00.001Z", 60, 0), ("2030-01-01T00:00:00Z", 60, 0),
  ])
  func edges(time: String, minutes: Int, audience expected: Int) throws {
    #expect(try audience(limit(1, minutes: minutes), "{\"k\":[\"\(time)\"]}") == expected)
  }

  @Test(arguments: [
    (0, 0, 1), (1, 0, 0), (1, 1, 1), (2, 1, 0), (3, 2, 0), (3, 3, 1), (3, 7, 1), (-1, 0, 1),
  ])
  func counts(most: Int, stored: Int, audience expected: Int) throws {
    let times = Array(repeating: "\"2026-03-01T11:59:00Z\"", count: stored).joined(separator: ",")
    for minutes in [60, nil] {
      #expect(try audience(limit(most, minutes: minutes), "{\"k\":[\(times)]}") == expected)
    }
  }

  /// Without an end, everything counts, however old; with one, only what lies within it.
  @Test func oldAndNew() throws {
    let times = "[\"1971-01-01T00:00:00Z\",\"2026-03-01T11:30:00Z\",\"2026-02-01T00:00:00Z\"]"
    #expect(try audience(limit(3, minutes: nil), "{\"k\":\(times)}") == 1)
    #expect(try audience(limit(4, minutes: nil), "{\"k\":\(times)}") == 0)
    #expect(try audience(limit(1, minutes: 60), "{\"k\":\(times)}") == 1)
    #expect(try audience(limit(2, minutes: 60), "{\"k\":\(times)}") == 0)
    #expect(try audience(limit(1, minutes: 29), "{\"k\":\(times)}") == 0)
  }

  /// Only the rule's own key counts, to the byte.
  @Test(arguments: [
    "{}", "{\"K\":[T]}", "{\"kk\":[T]}", "{\"\":[T]}", "{\"other\":[T,T,T]}", "{\"k\":[]}",
  ])
  func otherKeys(occurrences: String) throws {
    let json = occurrences.replacing("T", with: "\"2026-03-01T11:59:00Z\"")
    #expect(try audience(limit(1, minutes: nil), json) == 0)
  }

  @Test func keysAreBytes() throws {
    let stored = "{\"cafe\u{301}\":[\"2026-03-01T11:59:00Z\"]}"
    #expect(try audience(limit(1, minutes: nil, key: "caf\u{E9}"), stored) == 0)
    #expect(try audience(limit(1, minutes: nil, key: "cafe\u{301}"), stored) == 1)
  }

  /// Huge intervals and counts do not overflow.
  @Test(arguments: [Int.max, Int.max / 60_000, Int.max / 60_000 + 1, 1 << 40])
  func hugeIntervals(minutes: Int) throws {
    #expect(try audience(limit(1, minutes: minutes), "{\"k\":[\"0001-01-01T00:00:00Z\"]}") == 1)
    #expect(try audience(limit(.max, minutes: minutes), "{\"k\":[\"9999-12-31T23:59:59Z\"]}") == 0)
  }

  /// Two rules that share a key count the same occurrences, each against its own limit.
  @Test func sharedKeys() throws {
    let rules = try ruleSet(
      wireRule("one", occurrence: limit(1, minutes: nil)),
      wireRule("two", occurrence: limit(2, minutes: nil)), wireRule("open"))
    for (stored, expected) in [(0, 0), (1, 1), (2, 2)] {
      let times = Array(repeating: 0 as Instant, count: stored)
      #expect(try decide(rules, occurrences: ["k": times]).audience == expected)
    }
  }

  /// A limit is asked only when the expression holds, and the rule is not taken for what it says.
  @Test func expressionsComeFirst() throws {
    let rules = try ruleSet(
      wireRule("a", expression: "user.n == 1", occurrence: limit(0, minutes: nil)), wireRule("b"))
    let limited = try decide(rules, ["user": ["n": 1]])
    #expect(limited.audience == 1)
    let expected = OccurrenceLimit(key: "k", maxCount: 0, interval: .infinity)
    let first = try reasons(rules, ["user": ["n": 1]]).first
    #expect(first == .occurrenceLimit(count: 0, limit: expected))
    #expect(try reasons(rules, ["user": ["n": 2]]).first == .expressionFalse(valueType: nil))
  }
}

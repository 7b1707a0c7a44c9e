import Expressions
import Testing

@testable import RuleEngine

/// What a history keeps, and what of it counts.
@Suite("Event history")
struct EventHistoryTests {
  /// The Web SDK counts its triggers among the last two thousand events of any name.
  @Test(arguments: [(1_999, 1_999), (2_000, 2_000), (2_001, 2_000), (2_100, 2_000)])
  func webLooksAtTwoThousand(events: Int, counted: Int64) {
    var history = EventHistory()
    history.record("trigger_fire", at: (0..<events).map { Instant(milliseconds: Int64($0)) })
    let question = HostQuestion(function: "placementsSinceInstall", argument: .text(""))
    let clock = HistoryClock(now: 10_000)
    #expect(history.answer(to: question, at: clock, on: .web) == .int(counted))
  }

  @Test func theOldestGoWhereThereIsALimit() {
    var history = EventHistory()
    for time in [1, 2, 3, 4] as [Instant] { history.record("open", at: time, keeping: 3) }
    #expect(history.series.map(\.times) == [[2, 3, 4]])
  }

  @Test func whatIsBeforeAMomentIsNotTheMomentItself() {
    var history = EventHistory()
    history.record("open", at: [4, 5, 6])
    history.record("close", at: [5])
    let before = history.before(5, "open")
    #expect(before.series.map(\.times) == [[4], [5]])
  }

  private static func time(_ text: String) -> Instant { try! WireTime.instant(text) }

  private func number(
    _ function: String, _ history: EventHistory, _ clock: HistoryClock, _ platform: Platform
  ) -> Value {
    history.answer(
      to: HostQuestion(function: function, argument: .text("e")), at: clock, on: platform)
  }

  /// What is exactly as old as a window counts, what is older or yet to come does not. A month ago is
  /// 28 February for Android, 30 days ago for others.
  @Test(
    arguments: [
      ("placementsInHour", Platform.ios, 3_600_000), ("placementsInDay", .ios, 86_400_000),
      ("placementsInWeek", .ios, 604_800_000), ("placementsInMonth", .ios, 2_592_000_000),
      ("placementsInHour", .android, 3_600_000), ("placementsInDay", .android, 86_400_000),
      ("placementsInWeek", .android, 604_800_000), ("placementsInMonth", .android, 2_678_400_000),
      ("placementsInHour", .web, 3_600_000), ("placementsInDay", .web, 86_400_000),
      ("placementsInWeek", .web, 604_800_000), ("placementsInMonth", .web, 2_592_000_000),
      ("reviewRequestsInHour", .android, 3_600_000), ("reviewRequestsInDay", .android, 86_400_000),
      ("reviewRequestsInWeek", .android, 604_800_000),
      ("reviewRequestsInMonth", .android, 2_678_400_000),
      ("reviewRequestsInYear", .android, 31_536_000_000),
    ])
  func windows(function: String, platform: Platform, length: Int64) {
    let now = Self.time("2026-03-31T12:00:00Z")
    var history = EventHistory()
    let name =
      function.hasPrefix("review") ? "review_requested" : platform == .web ? "trigger_fire" : "e"
    history.record(name, at: [now - (length + 1), now - length, now, now + 1])
    history.record("other", at: now)
    #expect(number(function, history, HistoryClock(now: now), platform) == 2)
  }

  @Test(
    arguments: [
      ("minutesSince", "2026-03-01T11:00:00.001Z", 59, 59),
      ("minutesSince", "2026-03-01T11:00:00Z", 60, 0),
      ("minutesSince", "2026-03-01T10:59:00Z", 61, 1),
      ("hoursSince", "2026-02-28T12:00:00.001Z", 23, 23),
      ("hoursSince", "2026-02-28T12:00:00Z", 24, 0), ("hoursSince", "2026-02-28T11:00:00Z", 25, 1),
      ("daysSince", "2026-02-28T12:00:00.001Z", 0, 0), ("daysSince", "2026-02-28T12:00:00Z", 1, 1),
      ("monthsSince", "2026-02-28T23:59:59Z", 0, 1), ("monthsSince", "2026-02-01T12:00:00Z", 1, 1),
      ("monthsSince", "2026-02-01T12:00:00.001Z", 0, 1),
      ("monthsSince", "2025-03-01T12:00:00.001Z", 11, 12),
      ("monthsSince", "2025-12-31T12:00:00Z", 2, 3),
      ("yearsSince", "2025-03-01T12:00:00Z", 1, 1), ("yearsSince", "2025-03-01T12:00:01Z", 0, 1),
      ("yearsSince", "2024-02-29T12:00:00Z", 2, 2), ("yearsSince", "2024-12-31T12:00:00Z", 1, 2),
    ])
  func timeSince(function: String, event: String, others: Int64, android: Int64) {
    var history = EventHistory()
    history.record("e", at: [Self.time(event), 0, Self.time("2026-03-01T12:00:00.001Z")])
    let clock = HistoryClock(now: Self.time("2026-03-01T12:00:00Z"))
    #expect(number(function, history, clock, .ios) == .int(others))
    #expect(number(function, history, clock, .android) == .int(android))
    #expect(number(function, history, clock, .web) == .null)
    let kind = ComputedProperty.Kind.allCases.first { $0.functionName == function }
    let property = ComputedProperty(kind: kind!, eventName: "e")
    #expect(history.value(of: property, at: clock, on: .ios) == .int(others))
    #expect(history.value(of: property, at: clock, on: .web) == nil)
  }

  /// A day is over at the same time of day, and a month that is short at its end.
  @Test(
    arguments: [
      ("daysSince", "2026-03-28T11:00:00Z", "2026-03-29T09:59:59Z", 0),
      ("daysSince", "2026-03-28T11:00:00Z", "2026-03-29T10:00:00Z", 1),
      ("daysSince", "2026-10-24T10:00:00Z", "2026-10-25T10:59:59Z", 0),
      ("daysSince", "2026-10-24T10:00:00Z", "2026-10-25T11:00:00Z", 1),
      ("monthsSince", "2026-01-31T11:00:00Z", "2026-02-28T10:59:59Z", 0),
      ("monthsSince", "2026-01-31T11:00:00Z", "2026-02-28T11:00:00Z", 1),
      ("monthsSince", "2026-01-31T22:59:59Z", "2026-02-28T22:30:00Z", 0),
      ("yearsSince", "2024-02-29T11:00:00Z", "2025-02-28T11:00:00Z", 1),
      ("yearsSince", "2024-02-29T11:00:00Z", "2025-02-28T10:59:59Z", 0),
    ])
  func unitsOfBerlin(function: String, event: String, now: String, wanted: Int64) throws {
    var history = EventHistory()
    history.record("e", at: Self.time(event))
    let clock = try #require(HistoryClock(now: Self.time(now), timeZone: "Europe/Berlin"))
    #expect(number(function, history, clock, .ios) == .int(wanted))
  }

  /// Android's day and month begin at the same time of the clock on the wall.
  @Test func windowsOfBerlin() throws {
    let now = Self.time("2026-03-29T10:00:00Z")
    let clock = try #require(HistoryClock(now: now, timeZone: "Europe/Berlin"))
    var history = EventHistory()
    history.record("e", at: [now - Int64(23 * 3_600_000), now - Int64(23 * 3_600_000 + 1)])
    #expect(number("placementsInDay", history, clock, .android) == 1)
    #expect(number("placementsInDay", history, clock, .ios) == 2)
  }

  @Test func whatNeverHappened() {
    let clock = HistoryClock(now: 1_000)
    var history = EventHistory()
    history.record("e", at: 1_001)
    for function in ["minutesSince", "daysSince", "yearsSince"] {
      #expect(number(function, history, clock, .android) == 0)
      #expect(number(function, history, clock, .ios) == .null)
    }
    #expect(number("placementsSinceInstall", history, clock, .ios) == 0)
    #expect(number("requestReview", history, clock, .ios) == true)
    #expect(number("reviewRequestsSinceInstall", history, clock, .ios) == 0)
    #expect(number("unknown", history, clock, .ios) == .null)
    let question = HostQuestion(function: "placementsInDay", argument: .anyKnown)
    #expect(history.answer(to: question, at: clock, on: .ios) == .map([]))
    let later = HistoryClock(now: 1_001)
    #expect(history.answer(to: question, at: later, on: .ios) == ["e": 1])
    let others = HostQuestion(function: "placementsInDay", argument: .anyOther)
    #expect(history.answer(to: others, at: later, on: .ios) == 0)
  }

  /// Events of which only the number is known count since the install, except on the web.
  @Test func earlierEvents() {
    let history = EventHistory([
      (name: "e", times: [5, 6], earlier: 3), (name: "review_requested", times: [5], earlier: 4),
      (name: "trigger_fire", times: [5], earlier: 9),
    ])
    let clock = HistoryClock(now: 1_000)
    #expect(number("placementsSinceInstall", history, clock, .ios) == 5)
    #expect(number("placementsSinceInstall", history, clock, .web) == 1)
    #expect(number("placementsInDay", history, clock, .ios) == 2)
    #expect(number("reviewRequestsSinceInstall", history, clock, .android) == 5)
  }

  /// Series are joined by name; one that is empty does not make the event known.
  @Test func merging() {
    func series(_ name: String, _ times: [Instant]) -> EventHistory.Series {
      EventHistory.Series(name: name, times: times)
    }
    var history = EventHistory()
    history.merge([series("a", [1]), series("none", [])])
    history.merge([series("b", [2]), series("a", [3, 4]), series("empty", [])])
    #expect(history.series == [series("a", [1, 3, 4]), series("b", [2])])
    history.record("a", at: [])
    history.record("c", at: [])
    #expect(history.series.map(\.name) == ["a", "b"])
    for count in [1, 2, 16, 17, 40] {
      let all = (0..<count).map { series("\($0)", [1]) }
      #expect(all.lastOfRepeated() == all)
      let again = all + [series("0", [2])]
      #expect(again.lastOfRepeated() == Array(all.dropFirst()) + [series("0", [2])])
    }
  }
}

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
}

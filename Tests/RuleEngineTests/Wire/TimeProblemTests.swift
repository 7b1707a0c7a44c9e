import Testing

@testable import RuleEngine

/// What is said of times that neither a calendar nor a clock has.
@Suite struct TimeProblemTests {
  @Test(
    arguments: [
      ("2026-13-01", "months are from 01 to 12"), ("2026-00-01", "months are from 01 to 12"),
      ("2026-01-00", "days are from 01 to 31"), ("2026-02-29", "the month has no day 29"),
      ("2024-02-30T09:00Z", "the month has no day 30"), ("2026-04-31", "the month has no day 31"),
      ("2026-03-01T24:00:00Z", "hours are from 00 to 23"),
      ("2026-03-01 12:60", "minutes are from 00 to 59"),
      ("2016-12-31T23:59:60Z", "seconds are from 00 to 59"),
      // These have their day, and every other number: the offset is wrong.
      ("2026-03-30T12:00:00+25:00", nil), ("2026-03-31T12:00-99:00", nil),
    ] as [(String, String?)])
  func whichNumber(text: String, reason: String?) {
    #expect {
      try WireTime.instant(text, in: "UTC")
    } throws: { error in
      let fault = error as? WireTime.Fault
      return fault == .noSuchTime
        && fault?.message(text) == "the time '\(text)' does not exist"
          + (reason.map { ": \($0)" } ?? "")
    }
  }

  @Test(
    arguments: [
      ("1772366400", "2026-03-01T12:00:00Z"), ("1772366400.25", "2026-03-01T12:00:00Z"),
      ("1772366400123", "2026-03-01T12:00:00.123Z"), ("x1772366400", nil), ("1772366400s", nil),
    ] as [(String, String?)])
  func numbersAsTimes(text: String, time: String?) {
    #expect(WireTime.secondsSince1970(text) == time)
  }

  /// Numbers of seconds and of milliseconds that are in our time are told as times.
  @Test(arguments: [
    ("499999999", false), ("500000000", true), ("4999999999", true), ("5000000000", false),
    ("499999999999", false), ("500000000000", true), ("4999999999999", true),
    ("5000000000000", false), ("-500000000", false), ("٥٠٠٠٠٠٠٠٠", false),
  ])
  func numbersOfSeconds(text: String, isTime: Bool) {
    #expect((WireTime.secondsSince1970(text) != nil) == isTime)
  }
}

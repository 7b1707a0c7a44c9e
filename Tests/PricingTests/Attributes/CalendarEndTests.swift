import CivilTime
import Expressions
import Foundation
import TestSupport
import Testing

@testable import Pricing

@Suite("The end of a trial")
struct CalendarEndTests {
  private func end(_ now: String, _ zone: String, _ unit: Period.Unit, _ count: Int) throws
    -> String
  {
    let start = Instant(try Timestamp(rfc3339: now))
    let rules = try #require(TimeZones.zone(named: zone))
    let period = try #require(Period(unit, count))
    let end = CalendarEnd(now: start, zone: rules).instant(after: period)
    return try #require(end.timestamp).text
  }

  @Test(
    arguments: [
      ("2026-03-06T00:00:00Z", "UTC", Period.Unit.day, 7, "2026-03-13T00:00:00Z"),
      // Clocks go forward on 29 March 2026: the same time of day is an hour less away.
      ("2026-03-28T11:00:00Z", "Europe/Berlin", .day, 1, "2026-03-29T10:00:00Z"),
      // 2:30 does not exist on that day; it is 3:30.
      ("2026-03-28T01:30:00Z", "Europe/Berlin", .day, 1, "2026-03-29T01:30:00Z"),
      // 2:30 is there twice on 25 October; the first is meant.
      ("2026-10-24T00:30:00Z", "Europe/Berlin", .day, 1, "2026-10-25T00:30:00Z"),
      ("2026-01-31T12:00:00Z", "UTC", .month, 1, "2026-02-28T12:00:00Z"),
      ("2028-02-29T12:00:00Z", "UTC", .year, 1, "2029-02-28T12:00:00Z"),
      ("2026-03-06T23:30:00Z", "Asia/Kathmandu", .month, 1, "2026-04-06T23:30:00Z"),
      ("1969-12-31T23:59:59.5Z", "UTC", .day, 1, "1970-01-01T23:59:59.5Z"),
      // A day that Samoa left out.
      ("2011-12-29T20:00:00Z", "Pacific/Apia", .day, 1, "2011-12-30T20:00:00Z"),
    ] as [(String, String, Period.Unit, Int, String)])
  func isTheSameTimeOfDay(
    now: String, zone: String, unit: Period.Unit, count: Int, expected: String
  ) throws {
    #expect(try end(now, zone, unit, count) == expected)
  }

  /// Foundation's calendar as the oracle, in zones with and without summer time.
  @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo"])
  func agreesWithFoundation(zone: String) throws {
    let rules = try #require(TimeZones.zone(named: zone))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    var random = SplitMix(seed: 3)
    for _ in 0..<500 {
      let seconds = Int64(random.next() % 4_000_000_000)
      let count = Int(random.next() % 40) + 1
      let unit = Period.Unit.allCases[Int(random.next() % 4)]
      let period = try #require(Period(unit, count))
      let got = CalendarEnd(now: Instant(seconds: seconds), zone: rules).date(after: period)
      let component: Calendar.Component = [.day, .day, .month, .year][unit.rawValue]
      let end = try #require(
        calendar.date(
          byAdding: component, value: unit == .week ? count * 7 : count,
          to: Date(timeIntervalSince1970: Double(seconds))))
      let parts = calendar.dateComponents([.year, .month, .day], from: end)
      #expect(got.year == parts.year && got.month == parts.month && got.day == parts.day)
    }
  }
}

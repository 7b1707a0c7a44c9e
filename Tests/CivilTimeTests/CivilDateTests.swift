import CivilTime
import Expressions
import Foundation
import TestSupport
import Testing

@Suite struct CivilDateTests {
  @Test(arguments: [
    (1970, 1, 1, 0, 4, 1),
    (1969, 12, 31, -1, 3, 365),
    (2000, 2, 29, 11_016, 2, 60),
    (1900, 3, 1, -25_508, 4, 60),
    (1600, 12, 31, -134_775, 0, 366),
    (1, 1, 1, -719_162, 1, 1),
    (0, 2, 29, -719_469, 2, 60),
    (-1, 12, 31, -719_529, 5, 365),
    (9999, 12, 31, 2_932_896, 5, 365),
    (2026, 11, 21, 20_778, 6, 325),
  ])
  func knownDays(
    year: Int, month: Int, day: Int, count: Int, weekday: Int, dayOfYear: Int
  ) throws {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    #expect(date.daysSince1970 == count)
    #expect(CivilDate(daysSince1970: count) == date)
    #expect(date.weekday == weekday)
    #expect(date.dayOfYear == dayOfYear)
  }

  /// Counts every day of the years -400 to 10,400 by hand.
  @Test func everyDayFollowsTheOneBefore() {
    var count = CivilDate(year: -400, month: 1, day: 1)!.daysSince1970
    var failures = 0
    for year in -400...10_400 {
      var dayOfYear = 0
      for month in 1...12 {
        for day in 1...CivilDate.days(inMonth: month, of: year) {
          dayOfYear += 1
          let date = CivilDate(daysSince1970: count)
          let isRight =
            date.year == year && date.month == month && date.day == day
            && date.daysSince1970 == count && date.dayOfYear == dayOfYear
          if !isRight { failures += 1 }
          count += 1
        }
      }
      if dayOfYear != (CivilDate.isLeap(year) ? 366 : 365) { failures += 1 }
    }
    #expect(failures == 0)
  }

  @Test func agreesWithFoundationSinceTheGregorianCalendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    var generator = SplitMix(seed: 1)
    for _ in 0..<2_000 {
      // 1583 to 9999; before October 1582 Foundation counts by the Julian calendar.
      let day = Int.random(in: -141_347...2_932_896, using: &generator)
      let date = CivilDate(daysSince1970: day)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: Double(day) * 86_400))
      #expect(date.year == parts.year)
      #expect(date.month == parts.month)
      #expect(date.day == parts.day)
      #expect(date.weekday + 1 == parts.weekday)
    }
  }

  @Test func leapYears() {
    for year in [-400, -4, 0, 4, 1600, 1996, 2000, 2024, 2400] { #expect(CivilDate.isLeap(year)) }
    for year in [-100, -1, 1, 1700, 1900, 2023, 2100] { #expect(!CivilDate.isLeap(year)) }
  }

  @Test func refusesDaysThatDoNotExist() {
    for (year, month, day) in [
      (2023, 2, 29), (1900, 2, 29), (2024, 2, 30), (2024, 4, 31), (2024, 0, 1), (2024, 13, 1),
      (2024, 1, 0), (2024, 1, 32), (2024, -1, 1), (1_000_000, 1, 1), (-1_000_000, 1, 1),
      (.max, 1, 1), (2024, .max, 1), (2024, 1, .min),
    ] {
      #expect(CivilDate(year: year, month: month, day: day) == nil)
    }
  }

  @Test(arguments: [
    ("2026-01-31", 1, "2026-02-28"),
    ("2024-01-31", 1, "2024-02-29"),
    ("2024-01-31", 13, "2025-02-28"),
    ("2024-03-31", -1, "2024-02-29"),
    ("2024-01-15", -1, "2023-12-15"),
    ("2024-12-31", 2, "2025-02-28"),
    ("2024-08-31", 0, "2024-08-31"),
    ("0001-01-31", 1, "0001-02-28"),
    ("2024-05-31", -12 * 2023, "0001-05-31"),
  ])
  func addsMonths(start: String, months: Int, end: String) throws {
    #expect(try date(start).adding(months: months) == date(end))
  }

  @Test func addsYearsAndDays() throws {
    #expect(try date("2024-02-29").adding(years: 1) == date("2025-02-28"))
    #expect(try date("2024-02-29").adding(years: 4) == date("2028-02-29"))
    #expect(try date("2024-02-29").adding(years: -1) == date("2023-02-28"))
    #expect(try date("2023-12-31").adding(days: 1) == date("2024-01-01"))
    #expect(try date("2024-03-01").adding(days: -1) == date("2024-02-29"))
  }

  @Test func hugeNumbersStopAtTheEnds() throws {
    let today = try date("2026-11-21")
    #expect(CivilDate(daysSince1970: .min) == .earliest)
    #expect(CivilDate(daysSince1970: .max) == .latest)
    #expect(CivilDate(daysSince1970: CivilDate.earliest.daysSince1970) == .earliest)
    #expect(CivilDate(daysSince1970: CivilDate.latest.daysSince1970) == .latest)
    #expect(CivilDate(daysSince1970: CivilDate.latest.daysSince1970 + 1) == .latest)
    for start in [today, .earliest, .latest] {
      #expect(start.adding(days: .max) == .latest)
      #expect(start.adding(days: .min) == .earliest)
      #expect(start.adding(months: .max) == .latest)
      #expect(start.adding(months: .min) == .earliest)
      #expect(start.adding(years: .max) == .latest)
      #expect(start.adding(years: .min) == .earliest)
    }
    #expect(CivilDate.earliest.adding(months: -1) == .earliest)
    #expect(CivilDate.latest.adding(months: 1) == .latest)
    #expect(CivilDate.latest.adding(days: 1) == .latest)
    #expect(CivilDate.days(inMonth: .max, of: 2024) == 0)
  }

  @Test func ordersByTheCalendar() throws {
    #expect(try date("2023-12-31") < date("2024-01-01"))
    #expect(try date("2024-01-31") < date("2024-02-01"))
    #expect(try date("2024-02-01") < date("2024-02-02"))
    #expect(CivilDate.earliest < CivilDate.latest)
  }

  private func date(_ text: String) throws -> CivilDate {
    let parts = text.split(separator: "-").compactMap { Int($0) }
    return try #require(CivilDate(year: parts[0], month: parts[1], day: parts[2]))
  }
}

@Suite struct CivilTimeTests {
  @Test func showsTheClock() throws {
    let time = CivilTime(try Timestamp(rfc3339: "2009-02-13T23:31:20.123456789Z"))
    #expect((time.year, time.month, time.day) == (2009, 2, 13))
    #expect((time.hour, time.minute, time.second) == (23, 31, 20))
    #expect(time.nanosecond == 123_456_789)
    #expect(time.weekday == 5)
    #expect(time.dayOfYear == 44)
    #expect(time.secondsSince1970() == 1_234_567_880)
  }

  @Test func offsetsMoveTheDay() {
    let ahead = CivilTime(secondsSince1970: 0, offset: 39_600)
    #expect((ahead.day, ahead.hour) == (1, 11))
    let behind = CivilTime(secondsSince1970: 0, offset: -1)
    #expect((behind.year, behind.month, behind.day) == (1969, 12, 31))
    #expect((behind.hour, behind.minute, behind.second) == (23, 59, 59))
    #expect(behind.secondsSince1970(offset: -1) == 0)
    let huge = CivilTime(secondsSince1970: 0, offset: .min)
    #expect(huge.secondsSince1970(offset: .min) == 0)
  }

  @Test func beforeTheFirstAndAfterTheLastYear() {
    let early = CivilTime(Timestamp.earliest, offset: -86_399)
    #expect((early.year, early.month, early.day, early.hour) == (0, 12, 31, 0))
    let late = CivilTime(Timestamp.latest, offset: 86_399)
    #expect((late.year, late.month, late.day, late.hour) == (10_000, 1, 1, 23))
    for seconds in [Int64.min, .max] {
      for offset in [Int32(-86_399), 86_399] {
        let time = CivilTime(secondsSince1970: seconds, offset: offset)
        #expect(time.date == (seconds < 0 ? CivilDate.earliest : CivilDate.latest))
      }
    }
    #expect(CivilTime(secondsSince1970: .min, offset: .min).date == .earliest)
    #expect(CivilTime(secondsSince1970: .max, offset: .max).date == .latest)
  }

  @Test func isBuiltFromItsParts() throws {
    let date = try #require(CivilDate(year: 2026, month: 3, day: 14))
    let time = try #require(CivilTime(date: date, hour: 9, minute: 26, second: 53))
    #expect(time.secondsSince1970(offset: 3600) == 1_773_476_813)
    #expect(CivilTime(date: date, hour: 24) == nil)
    #expect(CivilTime(date: date, hour: -1) == nil)
    #expect(CivilTime(date: date, hour: 0, minute: 60) == nil)
    #expect(CivilTime(date: date, hour: 0, second: 60) == nil)
    #expect(CivilTime(date: date, hour: 0, nanosecond: 1_000_000_000) == nil)
  }
}

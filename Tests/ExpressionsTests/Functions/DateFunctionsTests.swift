import Foundation
import TestSupport
import Testing

@testable import CivilTime
@testable import Expressions

/// Days and months of calendars. The corpus has the answers of each function; here is what holds
/// for every zone and instant.
@Suite struct DateFunctionsTests {
  private func text(_ source: String) throws -> String {
    let program = try #require(ExpressionEnvironment().compile("string(\(source))").output)
    do throws(EvaluationError) {
      guard case .string(let text) = try program.evaluate(.map([])) else { return "no text" }
      return text
    } catch {
      return error.kind.slug
    }
  }

  /// What clocks show finds the instant back, or the first of two.
  @Test func clocksFindTheirInstant() throws {
    var generator = SplitMix(seed: 12)
    var repeated = 0
    for name in TimeZones.names {
      let zone = try #require(TimeZones.zone(named: name))
      for _ in 0..<200 {
        let instant = Int64.random(in: 0..<2_200_000_000, using: &generator)
        let shown = CivilTime(secondsSince1970: instant, offset: zone.offset(atUTC: instant))
        let found = zone.secondsSince1970(showing: shown)
        let again = CivilTime(secondsSince1970: found, offset: zone.offset(atUTC: found))
        #expect(again == shown, "\(name) at \(instant)")
        #expect(found <= instant, "\(name) at \(instant)")
        if found < instant { repeated += 1 }
      }
    }
    #expect(repeated > 0)
  }

  /// Midnights follow each other by about a day, and none lies between an instant and the midnight
  /// before it.
  @Test(arguments: [
    "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Pacific/Apia",
    "Africa/Cairo", "Asia/Beirut", "Australia/Lord_Howe", "Asia/Kathmandu", "-12:00", "+14:00",
  ])
  func daysFollowEachOther(name: String) throws {
    let zone = try #require(TimeZones.zone(named: name))
    var midnight: Int64?
    for day in 14_000..<21_000 {
      let date = CivilDate(daysSince1970: day)
      let time = try #require(CivilTime(date: date, hour: 0))
      let next = zone.secondsSince1970(showing: time)
      if let midnight {
        let length = next - midnight
        // A day that was left out begins when the next one does.
        #expect((82_800...90_000).contains(length) || name == "Pacific/Apia" && length >= 0)
        let last = CivilTime(
          secondsSince1970: next - 1, offset: zone.offset(atUTC: next - 1))
        #expect(length == 0 || last.date < date)
      }
      midnight = next
    }
  }

  /// Foundation's calendar agrees where neither has a choice.
  @Test(arguments: ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney"])
  func foundationAgrees(name: String) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: name))
    var generator = SplitMix(seed: 7)
    for _ in 0..<150 {
      let seconds = Int64.random(in: 946_684_800..<1_893_456_000, using: &generator)
      let date = Date(timeIntervalSince1970: Double(seconds))
      let start = Int64(calendar.startOfDay(for: date).timeIntervalSince1970)
      #expect(
        try text("int(timestamp(\(seconds)).startOfDay('\(name)'))") == "\(start)")
      let months = Int.random(in: -30...30, using: &generator)
      let moved = try #require(calendar.date(byAdding: .month, value: months, to: date))
      let movedSeconds = Int64(moved.timeIntervalSince1970)
      // Where clocks were put back at night, there are two answers.
      let got = try #require(
        Int64(try text("int(timestamp(\(seconds)).addMonths(\(months), '\(name)'))")))
      #expect([0, 3_600, -3_600].contains(got - movedSeconds))
      let hour = calendar.component(.hour, from: moved)
      if hour > 3 { #expect(got == movedSeconds) }
    }
  }

  @Test(arguments: [
    "2026-11-21", "0001-01-01", "9999-12-31", "2024-02-29", "2000-02-29",
  ])
  func readsDates(text: String) {
    var text = text
    let date = text.withUTF8 { CivilDate(iso8601: $0) }
    #expect(date.map { String(format: "%04d-%02d-%02d", $0.year, $0.month, $0.day) } == text)
  }

  @Test(arguments: [
    "", "2026-11-2", "2026-11-211", "2026-1-211", "2026-13-01", "2026-00-01", "2026-02-29",
    "1900-02-29", "2026-04-31", "0000-01-01", "-026-01-01", "2026_11_21", "2026-11-2x",
    "20261121  ",
    "2026-11-21Z", " 2026-11-21",
  ])
  func readsNothingElse(text: String) {
    var text = text
    #expect(text.withUTF8 { CivilDate(iso8601: $0) } == nil)
  }
}

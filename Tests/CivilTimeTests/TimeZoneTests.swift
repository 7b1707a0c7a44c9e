import CivilTime
import Expressions
import Foundation
import TestSupport
import Testing

@Suite struct TimeZoneTests {
  @Test func theTableIsWhole() {
    let names = TimeZones.names
    #expect(TimeZones.isComplete)
    #expect(names.count > 590)
    #expect(
      zip(names, names.dropFirst()).allSatisfy {
        Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
      })
    #expect(names.allSatisfy { TimeZones.zone(named: $0) != nil })
    #expect(!TimeZones.version.isEmpty)
  }

  @Test(arguments: [
    ("UTC", 0), ("GMT", 0), ("Etc/UTC", 0), ("Etc/GMT+5", -18_000), ("Asia/Kathmandu", 20_700),
    ("+05:30", 19_800), ("-02:30", -9_000), ("02:00", 7_200), ("+00:00", 0), ("-00:00", 0),
    ("+23:59", 86_340), ("-23:59", -86_340), ("23:59", 86_340),
  ])
  func knows(name: String, offset: Int32) throws {
    let zone = try #require(TimeZones.zone(named: name))
    #expect(zone.offset(atUTC: 1_700_000_000) == offset)
  }

  @Test(arguments: [
    "", "Z", "z", "utc", "europe/berlin", "Europe", "Europe/", "Europe/Berli", "Europe/Berlinn",
    "Europe/Berlin ", " Europe/Berlin", "Europe/Berlin\u{0}", "Factory", "localtime", "posixrules",
    "posix/UTC", "right/UTC", "../UTC", "CEST", "Zulu2", "A", "~", "\n", "Europe/Berlin\nEurope",
    "+24:00", "24:00", "+05:60", "+5:30", "5:30", "+0530", "+05", "+05.30", "05:30+", "x05:30",
    "+05:3", "+05:300", "++5:30", "+-5:30", "+ 5:30",
  ])
  func doesNotKnow(name: String) {
    #expect(TimeZones.zone(named: name) == nil)
  }

  /// The time functions of CEL take a few forms more.
  @Test(arguments: [
    ("", 0 as Int32?), ("5:30", 19_800), ("+5:30", 19_800), ("-5:30", -19_800), ("-0:30", -1_800),
    ("05:30", 19_800), ("UTC", 0), ("Asia/Kathmandu", 20_700), ("5:60", nil), ("5:3", nil),
    (":30", nil),
    ("+:30", nil), ("5", nil), ("++5:30", nil), (" 5:30", nil), ("x:30", nil), ("Z", nil),
  ])
  func knowsInExpressions(name: String, offset: Int32?) {
    let zone = Array(name.utf8).withUnsafeBufferPointer { TimeZones.zone(inExpressions: $0) }
    #expect(zone?.offset(atUTC: 1_700_000_000) == offset)
  }

  @Test func linksShareTheirRules() {
    #expect(TimeZones.zone(named: "US/Central") == TimeZones.zone(named: "America/Chicago"))
    #expect(TimeZones.zone(named: "UTC") == .utc)
    #expect(TimeZones.zone(named: "Asia/Calcutta") == TimeZones.zone(named: "Asia/Kolkata"))
    #expect(TimeZones.zone(named: "Asia/Kolkata") == TimeZones.zone(named: "+05:30"))
    #expect(TimeZones.zone(named: "Europe/Berlin") != TimeZones.zone(named: "Europe/London"))
  }

  @Test func fixedOffsetsAreBelowADay() {
    #expect(TimeZoneRules(fixedOffset: 86_399)?.offset(atUTC: 0) == 86_399)
    #expect(TimeZoneRules(fixedOffset: -86_399)?.offset(atUTC: 0) == -86_399)
    #expect(TimeZoneRules(fixedOffset: 86_400) == nil)
    #expect(TimeZoneRules(fixedOffset: .min) == nil)
  }

  /// The last second before a change of clocks and the first one after it.
  @Test(arguments: [
    ("Europe/Berlin", "2026-03-29T01:00:00Z", 3_600, 7_200),
    ("Europe/Berlin", "2026-10-25T01:00:00Z", 7_200, 3_600),
    ("Europe/Berlin", "1980-04-06T01:00:00Z", 3_600, 7_200),
    ("Europe/Berlin", "2099-03-29T01:00:00Z", 3_600, 7_200),
    ("America/New_York", "2007-03-11T07:00:00Z", -18_000, -14_400),
    ("America/New_York", "2060-11-07T06:00:00Z", -14_400, -18_000),
    // Summer at the turn of the year.
    ("Australia/Sydney", "2050-10-01T16:00:00Z", 36_000, 39_600),
    ("Australia/Sydney", "2050-04-02T16:00:00Z", 39_600, 36_000),
    // Half an hour of daylight time.
    ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 39_600, 37_800),
    // Winter is the exception to the standard.
    ("Europe/Dublin", "2040-10-28T01:00:00Z", 3_600, 0),
    ("Europe/Dublin", "2040-03-25T01:00:00Z", 0, 3_600),
    // Clocks change at -1 o'clock, and at 26 o'clock.
    ("America/Nuuk", "2040-03-25T01:00:00Z", -7_200, -3_600),
    ("Asia/Jerusalem", "2040-03-23T00:00:00Z", 7_200, 10_800),
    // The day that was left out.
    ("Pacific/Apia", "2011-12-30T10:00:00Z", -36_000, 50_400),
    // Not at a whole minute.
    ("Africa/Monrovia", "1972-01-07T00:44:30Z", -2_670, 0),
    // Predictions beyond 2037.
    ("Africa/Casablanca", "2050-06-26T02:00:00Z", 0, 3_600),
  ])
  func changesAtTheSecond(name: String, text: String, before: Int32, after: Int32) throws {
    let zone = try #require(TimeZones.zone(named: name))
    let instant = try Timestamp(rfc3339: text).seconds
    #expect(zone.offset(atUTC: instant - 1) == before)
    #expect(zone.offset(atUTC: instant) == after)
  }

  @Test func everyInstantHasAnOffset() throws {
    for name in TimeZones.names {
      let zone = try #require(TimeZones.zone(named: name))
      // What held when 1970 began holds for all time before it.
      #expect(zone.offset(atUTC: .min) == zone.offset(atUTC: 0))
      for seconds in [Int64.max, Timestamp.latest.seconds, Timestamp.earliest.seconds] {
        #expect(-86_399...86_399 ~= zone.offset(atUTC: seconds))
      }
    }
  }

  /// Offsets of all zones that Foundation knows at random instants of the years 1970 to 2100.
  ///
  /// Foundation may have another release of tzdata. With the same release one zone differs where
  /// the distribution keeps histories that the default build of tzdata merges (WET before 1996).
  @Test func agreesWithFoundation() throws {
    let isSameRelease = TimeZone.timeZoneDataVersion == TimeZones.version
    var generator = SplitMix(seed: 7)
    var compared = 0
    var differences: [String: Int] = [:]
    for name in TimeZones.names {
      guard let oracle = TimeZone(identifier: name) else { continue }
      let zone = try #require(TimeZones.zone(named: name))
      for _ in 0..<100 {
        let seconds = Int64.random(in: 0..<4_133_980_800, using: &generator)
        var instants = [seconds]
        let date = Date(timeIntervalSince1970: Double(seconds))
        if let change = oracle.nextDaylightSavingTimeTransition(after: date) {
          let instant = Int64(change.timeIntervalSince1970)
          instants += [instant - 1, instant]
        }
        for instant in instants where instant < 4_133_980_800 {
          let date = Date(timeIntervalSince1970: Double(instant))
          compared += 1
          if Int(zone.offset(atUTC: instant)) != oracle.secondsFromGMT(for: date) {
            differences[name, default: 0] += 1
          }
        }
      }
    }
    #expect(compared > 20_000)
    let different = differences.values.reduce(0, +)
    #expect(differences.count <= (isSameRelease ? 2 : 30), "\(differences)")
    #expect(different * 100 <= compared * (isSameRelease ? 1 : 3), "\(differences)")
  }

  @Test func calendarAgreesWithFoundation() throws {
    var generator = SplitMix(seed: 8)
    var calendar = Calendar(identifier: .gregorian)
    for name in TimeZone.knownTimeZoneIdentifiers {
      let zone = try #require(TimeZones.zone(named: name))
      calendar.timeZone = try #require(TimeZone(identifier: name))
      for _ in 0..<5 {
        let seconds = Int64.random(in: 0..<4_133_980_800, using: &generator)
        let date = Date(timeIntervalSince1970: Double(seconds))
        let offset = zone.offset(atUTC: seconds)
        guard Int(offset) == calendar.timeZone.secondsFromGMT(for: date) else { continue }
        let time = CivilTime(secondsSince1970: seconds, offset: offset)
        let parts = calendar.dateComponents(
          [.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
        #expect([time.year, time.month, time.day] == [parts.year, parts.month, parts.day])
        #expect([time.hour, time.minute, time.second] == [parts.hour, parts.minute, parts.second])
        #expect(time.weekday + 1 == parts.weekday)
        #expect(time.dayOfYear == calendar.ordinality(of: .day, in: .year, for: date))
        #expect(time.secondsSince1970(offset: offset) == seconds)
      }
    }
  }

  /// A time that clocks skip is as long after the change as after the last time before it; of one that
  /// they show twice the first counts.
  @Test(arguments: [
    ("Europe/Berlin", "2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z"),
    ("America/New_York", "2026-03-08T02:30:00Z", "2026-03-08T07:30:00Z"),
    ("Australia/Sydney", "2026-10-04T02:30:00Z", "2026-10-03T16:30:00Z"),
    ("Europe/Berlin", "2026-10-25T02:30:00Z", "2026-10-25T00:30:00Z"),
  ])
  func localTimes(name: String, local: String, expected: String) throws {
    let zone = try #require(TimeZones.zone(named: name))
    let seconds = try Timestamp(iso8601: local, in: nil).seconds
    let found = zone.secondsSince1970(local: seconds)
    #expect(found == (try Timestamp(iso8601: expected, in: nil).seconds))
  }

  /// What clocks show, back as the time: where it is shown twice the earlier one, and where it is
  /// skipped as long after the change.
  @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])
  func timesOfClocks(name: String) throws {
    let zone = try #require(TimeZones.zone(named: name))
    let start: Int64 = 1_767_225_600
    var changes = 0
    for day in 0..<366 {
      let noon = start + Int64(day) * 86_400
      guard zone.offset(atUTC: noon) != zone.offset(atUTC: noon + 86_400) || day == 5 else {
        continue
      }
      changes += 1
      for step in 0..<96 {
        let local = noon + Int64(step) * 1_800
        let offsets = Set(
          (-26...26).map { Int64(zone.offset(atUTC: local + Int64($0) * 3_600)) })
        let shown = offsets.map { local - $0 }.filter {
          $0 + Int64(zone.offset(atUTC: $0)) == local
        }
        let wanted = shown.min() ?? local - Int64(zone.offset(atUTC: local - 86_400))
        #expect(zone.secondsSince1970(local: local) == wanted, "\(day) \(step)")
      }
    }
    #expect(changes == (name == "Asia/Kolkata" ? 1 : 3))
  }
}

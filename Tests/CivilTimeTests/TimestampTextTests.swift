import CivilTime
import Expressions
import Foundation
import TestSupport
import Testing

@Suite struct TimestampTextTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0, 0),
    ("2009-02-13T23:31:30Z", 1_234_567_890, 0),
    ("2009-02-14T00:31:30+01:00", 1_234_567_890, 0),
    ("2009-02-13T14:01:30-09:30", 1_234_567_890, 0),
    ("2009-02-13T23:31:30-00:00", 1_234_567_890, 0),
    ("2009-02-13T23:31:30.1Z", 1_234_567_890, 100_000_000),
    ("2009-02-13T23:31:30.000000001Z", 1_234_567_890, 1),
    ("2009-02-13T23:31:30.123456789123456789Z", 1_234_567_890, 123_456_789),
    ("2009-02-13T23:31:30.9999999999+23:59", 1_234_481_550, 999_999_999),
    ("1969-12-31T23:59:59.5Z", -1, 500_000_000),
    ("2024-02-29T00:00:00Z", 1_709_164_800, 0),
    ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
    ("0000-12-31T23:00:00-01:00", -62_135_596_800, 0),
    ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999),
  ])
  func accepts(text: String, seconds: Int64, nanoseconds: Int32) throws {
    let expected = try #require(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    #expect(try Timestamp(rfc3339: text) == expected)
    #expect(try Timestamp(iso8601: text, in: nil) == expected)
  }

  @Test(
    arguments: [
      ("", .malformed),
      ("2020-01-01", .malformed),
      ("2020-01-01T00:00", .malformed),
      ("2020-01-01T00:00Z", .malformed),
      ("2020-01-01 00:00:00Z", .malformed),
      ("2020-01-01t00:00:00Z", .malformed),
      ("2020-01-01T00:00:00z", .malformed),
      ("2020-01-01T00:00:00", .missingZone),
      ("2020-01-01T00:00:00.5", .missingZone),
      ("2020-01-01T00:00:00.Z", .malformed),
      ("2020-01-01T00:00:00,5Z", .malformed),
      ("2020-01-01T00:00:00Z ", .malformed),
      (" 2020-01-01T00:00:00Z", .malformed),
      ("2020-01-01T00:00:00ZZ", .malformed),
      ("2020-01-01T0:00:00Z", .malformed),
      ("2020-1-1T00:00:00Z", .malformed),
      ("20-01-01T00:00:00Z", .malformed),
      ("20200101T000000Z", .malformed),
      ("10000-01-01T00:00:00Z", .malformed),
      ("+2020-01-01T00:00:00Z", .malformed),
      ("-001-01-01T00:00:00Z", .malformed),
      ("2020/01/01T00:00:00Z", .malformed),
      ("2020-01-01T00.00.00Z", .malformed),
      ("2020-01-01T00:00:00+0100", .malformed),
      ("2020-01-01T00:00:00+01", .malformed),
      ("2020-01-01T00:00:00+1:00", .malformed),
      ("2020-01-01T00:00:00 01:00", .malformed),
      ("2020-01-01T00:00:00+01:00:00", .malformed),
      ("2020-01-01T00:00:00+0a:00", .malformed),
      ("2020-01-01T00:00:00 UTC", .malformed),
      ("٢٠٢٠-01-01T00:00:00Z", .malformed),
      ("2020-01-01T24:00:00Z", .noSuchTime),
      ("2020-01-01T23:60:00Z", .noSuchTime),
      ("2020-12-31T23:59:60Z", .noSuchTime),
      ("2020-00-01T00:00:00Z", .noSuchTime),
      ("2020-13-01T00:00:00Z", .noSuchTime),
      ("2020-01-00T00:00:00Z", .noSuchTime),
      ("2020-02-30T00:00:00Z", .noSuchTime),
      ("2019-02-29T00:00:00Z", .noSuchTime),
      ("1900-02-29T00:00:00Z", .noSuchTime),
      ("2020-04-31T00:00:00Z", .noSuchTime),
      ("2020-01-01T00:00:00+24:00", .noSuchTime),
      ("2020-01-01T00:00:00-01:60", .noSuchTime),
      ("0000-01-01T00:00:00Z", .outOfRange),
      ("0001-01-01T00:00:00+00:01", .outOfRange),
      ("9999-12-31T23:59:59-00:01", .outOfRange),
    ] as [(String, TimestampTextError)])
  func refuses(text: String, error: TimestampTextError) {
    #expect(throws: error) { try Timestamp(rfc3339: text) }
  }

  @Test(arguments: [
    ("2026-03-14", "2026-03-14T00:00:00Z"),
    ("2026-03-14T09:26", "2026-03-14T09:26:00Z"),
    ("2026-03-14 09:26", "2026-03-14T09:26:00Z"),
    ("2026-03-14t09:26z", "2026-03-14T09:26:00Z"),
    ("2026-03-14 09:26:53", "2026-03-14T09:26:53Z"),
    ("2026-03-14 09:26:53.25", "2026-03-14T09:26:53.25Z"),
    ("2026-03-14 09:26:53,25Z", "2026-03-14T09:26:53.25Z"),
    ("2026-03-14 09:26:53 +0000", "2026-03-14T09:26:53Z"),
    ("2026-03-14T09:26+0130", "2026-03-14T07:56:00Z"),
    ("2026-03-14T09:26:53-08", "2026-03-14T17:26:53Z"),
    ("2026-03-14T09:26:53.5 -08:30", "2026-03-14T17:56:53.5Z"),
    ("0001-01-01", "0001-01-01T00:00:00Z"),
  ])
  func readsWhatPeopleWrite(text: String, expected: String) throws {
    #expect(try Timestamp(iso8601: text, in: .utc).text == expected)
  }

  /// A text without a zone means what clocks show where it was written; in a file nobody knows.
  @Test(arguments: [
    ("2026-03-01", "Europe/Berlin", "2026-02-28T23:00:00Z"),
    ("2026-03-01T12:00", "Europe/Berlin", "2026-03-01T11:00:00Z"),
    ("2026-07-01 12:00:00.5", "Europe/Berlin", "2026-07-01T10:00:00.5Z"),
    ("2026-03-01T12:00Z", "Europe/Berlin", "2026-03-01T12:00:00Z"),
    ("2026-03-01T12:00-08:00", "Europe/Berlin", "2026-03-01T20:00:00Z"),
    ("2026-03-01T12:00", "+05:30", "2026-03-01T06:30:00Z"),
    ("2026-03-01T12:00", "Pacific/Kiritimati", "2026-02-28T22:00:00Z"),
    // Clocks are put forward from 2 to 3.
    ("2026-03-29T01:59:59", "Europe/Berlin", "2026-03-29T00:59:59Z"),
    ("2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00Z"),
    // And back from 3 to 2: what they show twice is the earlier.
    ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00Z"),
    ("2026-10-25T03:00", "Europe/Berlin", "2026-10-25T02:00:00Z"),
    ("2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00Z"),
  ])
  func withoutAZone(text: String, zone: String, expected: String) throws {
    let rules = try #require(TimeZones.zone(named: zone))
    #expect(try Timestamp(iso8601: text, in: rules).text == expected)
    if !text.hasSuffix("Z"), !text.hasSuffix("-08:00") {
      #expect(throws: TimestampTextError.missingZone) { try Timestamp(iso8601: text, in: nil) }
    }
  }

  /// What clocks skip is not a time that they show.
  @Test(arguments: [
    ("2026-03-29T02:00", "Europe/Berlin"), ("2026-03-29T02:30", "Europe/Berlin"),
    ("2026-03-29 02:59:59.999", "Europe/Berlin"), ("2026-03-08T02:30", "America/New_York"),
    ("2011-12-30", "Pacific/Apia"),
  ])
  func skippedTimes(text: String, zone: String) throws {
    let rules = try #require(TimeZones.zone(named: zone))
    #expect(throws: TimestampTextError.skippedTime) { try Timestamp(iso8601: text, in: rules) }
    #expect(throws: Never.self) { try Timestamp(iso8601: text, in: .utc) }
  }

  @Test func instantsOfClocks() throws {
    let berlin = try #require(TimeZones.zone(named: "Europe/Berlin"))
    func instants(_ text: String) throws -> [String] {
      berlin.instants(local: try Timestamp(iso8601: text, in: .utc).seconds)
        .compactMap { Timestamp(seconds: $0, nanoseconds: 0)?.text }
    }
    #expect(try instants("2026-03-29T02:30") == [])
    #expect(try instants("2026-03-29T03:00") == ["2026-03-29T01:00:00Z"])
    #expect(
      try instants("2026-10-25T02:30") == ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"])
    #expect(try instants("2026-10-25T03:00") == ["2026-10-25T02:00:00Z"])
  }

  /// In every zone, what a time is read as is what the zone's clocks show then, except for what they
  /// never show.
  @Test func clocksShowWhatIsRead() throws {
    var generator = SplitMix(seed: 5)
    var skipped = 0
    for name in TimeZones.names {
      let zone = try #require(TimeZones.zone(named: name))
      for _ in 0..<20 {
        let local = Int64.random(in: 0...2_100_000_000, using: &generator)
        let time = zone.secondsSince1970(local: local)
        let isShown = time + Int64(zone.offset(atUTC: time)) == local
        if !isShown { skipped += 1 }
        // No clock shows it either: neither offset that is in force around it leads there.
        if !isShown {
          for offset in [zone.offset(atUTC: time - 86_400), zone.offset(atUTC: time + 86_400)] {
            #expect(zone.offset(atUTC: local - Int64(offset)) != offset)
          }
        }
      }
    }
    #expect(skipped < 20)
  }

  @Test(
    arguments: [
      ("", .malformed),
      ("2026", .malformed),
      ("2026-03", .malformed),
      ("2026-3-14", .malformed),
      ("20260314", .malformed),
      ("14.03.2026", .malformed),
      ("2026-03-14T", .malformed),
      ("2026-03-14Z", .malformed),
      ("2026-03-14T09", .malformed),
      ("2026-03-14T0926", .malformed),
      ("2026-03-14T09:26:", .malformed),
      ("2026-03-14T09:26.5", .malformed),
      ("2026-03-14T09:26:53.", .malformed),
      ("2026-03-14T09:26:53 ", .malformed),
      ("2026-03-14T09:26:53+", .malformed),
      ("2026-03-14T09:26:53+1", .malformed),
      ("2026-03-14T09:26:53+01:", .malformed),
      ("2026-03-14T09:26:53+01:00x", .malformed),
      ("2026-03-14T09:26:53 CET", .malformed),
      ("2026-03-14  09:26", .malformed),
      ("2026-03-14T24:00", .noSuchTime),
      ("2026-02-29", .noSuchTime),
      ("2026-03-14T09:26:60", .noSuchTime),
      ("2026-03-14T09:26+24", .noSuchTime),
      ("0000-12-31", .outOfRange),
      ("9999-12-31T23:59-00:01", .outOfRange),
    ] as [(String, TimestampTextError)])
  func refusesWhatNobodyShouldWrite(text: String, error: TimestampTextError) {
    #expect(throws: error) { try Timestamp(iso8601: text, in: .utc) }
  }

  @Test(arguments: [
    (0, 0, "1970-01-01T00:00:00Z"),
    (0, 100_000_000, "1970-01-01T00:00:00.1Z"),
    (0, 120_000, "1970-01-01T00:00:00.00012Z"),
    (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
    (-62_135_596_800, 1, "0001-01-01T00:00:00.000000001Z"),
    (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
  ])
  func writes(seconds: Int64, nanoseconds: Int32, text: String) throws {
    #expect(try #require(Timestamp(seconds: seconds, nanoseconds: nanoseconds)).text == text)
  }

  @Test func comesBackFromItsText() throws {
    var generator = SplitMix(seed: 2)
    for _ in 0..<20_000 {
      let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &generator)
      let digits = [1, 1000, 1_000_000, 1_000_000_000].randomElement(using: &generator)!
      let nanoseconds = Int32.random(in: 0..<Int32(digits), using: &generator)
      let time = try #require(
        Timestamp(seconds: seconds, nanoseconds: nanoseconds * Int32(1_000_000_000 / digits)))
      let isSame = try Timestamp(rfc3339: time.text) == time
      #expect(isSame)
    }
  }

  @Test func agreesWithFoundation() throws {
    let formatter = ISO8601DateFormatter()
    var generator = SplitMix(seed: 3)
    for _ in 0..<500 {
      let seconds = Int64.random(in: -11_000_000_000...253_402_300_799, using: &generator)
      let text = try #require(Timestamp(seconds: seconds)).text
      #expect(formatter.string(from: Date(timeIntervalSince1970: Double(seconds))) == text)
    }
  }

  @Test func noTextAtAll() {
    let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    #expect(throws: TimestampTextError.malformed) { try Timestamp(rfc3339: nothing) }
    #expect(throws: TimestampTextError.malformed) { try Timestamp(iso8601: nothing, in: .utc) }
    #expect(throws: DurationTextError.malformed) { try TimeSpan(duration: nothing) }
    #expect(TimeZones.zone(named: nothing) == nil)
  }

  /// Every damaged text is read or refused; what is read can be written and read again.
  @Test func damagedTextsDoNoHarm() throws {
    var generator = SplitMix(seed: 4)
    let alphabet = Array("0123456789TZtz:-+., \u{0}\u{FF}é/".utf8)
    let original = Array("2024-02-29T23:59:59.123456789+05:30".utf8)
    for _ in 0..<50_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = alphabet.randomElement(using: &generator)!
        case 1: bytes.remove(at: place)
        default: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
        }
      }
      let strict = bytes.withUnsafeBufferPointer { try? Timestamp(rfc3339: $0) }
      let lenient = bytes.withUnsafeBufferPointer { try? Timestamp(iso8601: $0, in: nil) }
      if let strict {
        #expect(lenient == strict)
        #expect(try Timestamp(rfc3339: strict.text) == strict)
      }
    }
  }

  /// Hours, minutes and seconds are two digits each, in the zone too.
  @Test(arguments: [
    "2026-03-01T1a:00Z", "2026-03-01T1:00Z", "2026-03-01T12:0/Z", "2026-03-01T12:00:0:Z",
    "2026-03-01T12:00+0a:00", "2026-03-01T12:00+01:0:", "2026-03-01T12:00+1", "2026-03-01T:2:00Z",
  ])
  func pairsThatAreNoDigits(text: String) {
    #expect(throws: TimestampTextError.malformed) { try Timestamp(iso8601: text, in: nil) }
  }
}

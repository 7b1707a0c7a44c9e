import CivilTime
import Expressions
import Testing

@Suite struct TimestampTests {
  @Test func hasTheYears1To9999() throws {
    #expect(Timestamp(seconds: -62_135_596_800) == .earliest)
    #expect(Timestamp(seconds: -62_135_596_801) == nil)
    #expect(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999) == .latest)
    #expect(Timestamp(seconds: 253_402_300_800) == nil)
    #expect(Timestamp(seconds: .min) == nil)
    #expect(Timestamp(seconds: .max) == nil)
    #expect(Timestamp(seconds: 0, nanoseconds: -1) == nil)
    #expect(Timestamp(seconds: 0, nanoseconds: 1_000_000_000) == nil)
  }

  @Test(arguments: [
    ("2009-02-13T23:01:00Z", "120s", "2009-02-13T23:03:00Z"),
    ("2009-02-13T23:10:00Z", "-600s", "2009-02-13T23:00:00Z"),
    ("0001-01-01T00:00:01.000000001Z", "-999999999ns", "0001-01-01T00:00:00.000000002Z"),
    ("0001-01-01T00:00:01.999999999Z", "999999999ns", "0001-01-01T00:00:02.999999998Z"),
    ("1970-01-01T00:00:00Z", "-1ns", "1969-12-31T23:59:59.999999999Z"),
    ("1969-12-31T23:59:59.999999999Z", "1ns", "1970-01-01T00:00:00Z"),
    ("1970-01-01T00:00:00Z", "9223372036854775807ns", "2262-04-11T23:47:16.854775807Z"),
    ("1970-01-01T00:00:00Z", "-9223372036854775808ns", "1677-09-21T00:12:43.145224192Z"),
  ])
  func addsSpans(start: String, span: String, end: String) throws {
    let (start, end) = (try Timestamp(rfc3339: start), try Timestamp(rfc3339: end))
    let span = try TimeSpan(duration: span)
    #expect(start.adding(span) == end)
    #expect(end.subtracting(span) == start)
    #expect(end.since(start) == span)
    if let negated = span.negated {
      #expect(start.subtracting(negated) == end)
      #expect(start.since(end) == negated)
    }
  }

  @Test func leavesNoTimeOutOfRange() throws {
    let second = try #require(TimeSpan(seconds: 1))
    let nanosecond = TimeSpan(nanoseconds: 1)
    let last = try #require(Timestamp(seconds: 253_402_300_799))
    #expect(last.adding(second) == nil)
    #expect(Timestamp.latest.adding(nanosecond) == nil)
    #expect(Timestamp.earliest.subtracting(second) == nil)
    #expect(Timestamp.earliest.subtracting(nanosecond) == nil)
    #expect(Timestamp.earliest.adding(TimeSpan(nanoseconds: -1)) == nil)
    #expect(Timestamp.earliest.adding(TimeSpan(nanoseconds: .min)) == nil)
    #expect(Timestamp.latest.subtracting(TimeSpan(nanoseconds: .min)) == nil)
    #expect(Timestamp.latest.adding(TimeSpan(nanoseconds: .max)) == nil)
    #expect(Timestamp.latest.since(.earliest) == nil)
    #expect(Timestamp.earliest.since(.latest) == nil)
  }

  @Test func differencesReachTheEndsOfSpans() throws {
    let low = try Timestamp(rfc3339: "1677-09-21T00:12:43.145224192Z")
    let nanosecond = TimeSpan(nanoseconds: 1)
    #expect(low.since(.epoch) == TimeSpan(nanoseconds: .min))
    #expect(try #require(low.subtracting(nanosecond)).since(.epoch) == nil)
    #expect(Timestamp.epoch.since(low) == nil)
    #expect(try Timestamp.epoch.since(#require(low.adding(nanosecond)))?.nanoseconds == .max)
  }

  @Test func ordersByTime() throws {
    let times = try [
      "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.6Z",
      "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000001Z", "1970-01-01T01:00:01+01:00",
    ].map { try Timestamp(rfc3339: $0) }
    #expect(times.reversed().sorted() == times)
    #expect(times[0] < times[1])
    #expect(!(times[0] < times[0]))
  }

  /// The selectors of the conformance tests, whose months and days count from 0.
  @Test(arguments: [
    ("2009-02-13T23:31:30Z", "Australia/Sydney", 13, 44, 10),
    ("2009-02-13T23:31:30Z", "+11:00", 13, 44, 10),
    ("2009-02-13T02:00:00Z", "-02:30", 11, 42, 23),
    ("2009-02-13T02:00:00Z", "America/St_Johns", 11, 42, 22),
    ("2009-02-13T23:31:30Z", "US/Central", 12, 43, 17),
    ("2009-02-13T23:31:30Z", "UTC", 12, 43, 23),
    ("2009-02-13T23:31:30Z", "02:00", 13, 44, 1),
    ("2009-02-13T23:31:30Z", "-09:30", 12, 43, 14),
  ])
  func selectsInZones(
    text: String, zone: String, dayOfMonth: Int, dayOfYear: Int, hour: Int
  ) throws {
    let rules = try #require(TimeZones.zone(named: zone))
    let time = CivilTime(try Timestamp(rfc3339: text), in: rules)
    #expect(time.year == 2009)
    #expect(time.month - 1 == 1)
    #expect(time.day - 1 == dayOfMonth)
    #expect(time.dayOfYear - 1 == dayOfYear)
    #expect(time.hour == hour)
  }
}

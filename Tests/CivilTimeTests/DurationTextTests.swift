import CivilTime
import Expressions
import TestSupport
import Testing

@Suite struct DurationTextTests {
  @Test(
    arguments: [
      ("0", 0),
      ("-0", 0),
      ("+0", 0),
      ("0s", 0),
      ("1ns", 1),
      ("1us", 1_000),
      ("1\u{B5}s", 1_000),
      ("1\u{3BC}s", 1_000),
      ("100ms", 100_000_000),
      ("5s", 5_000_000_000),
      ("+5s", 5_000_000_000),
      ("2m", 120_000_000_000),
      ("1h30m", 5_400_000_000_000),
      ("30m1h", 5_400_000_000_000),
      ("1h1h", 7_200_000_000_000),
      ("-1.5s", -1_500_000_000),
      ("-1m30s", -90_000_000_000),
      ("1h2m3s4ms5us6ns", 3_723_004_005_006),
      (".5s", 500_000_000),
      ("5.s", 5_000_000_000),
      ("0.3h", 1_080_000_000_000),
      ("1.0000000001s", 1_000_000_000),
      ("0.9ns", 0),
      ("1.999us", 1_999),
      ("0.000000000277777777777777777777h", 999),
      ("0.000000000000277778h", 1),
      ("0.999999999999999999999999s", 999_999_999),
      ("000000000000000000000000000001s", 1_000_000_000),
      ("1000000s", 1_000_000_000_000_000),
      ("9223372036.854775807s", .max),
      ("9223372036854775807ns", .max),
      ("2562047h47m16.854775807s", .max),
      ("-9223372036854775808ns", .min),
      ("-9223372036.854775808s", .min),
      ("-2562047h47m16.854775808s", .min),
    ] as [(String, Int64)])
  func accepts(text: String, nanoseconds: Int64) throws {
    #expect(try TimeSpan(duration: text).nanoseconds == nanoseconds)
  }

  @Test(
    arguments: [
      ("", .malformed),
      ("-", .malformed),
      ("+", .malformed),
      ("s", .malformed),
      (".", .malformed),
      (".s", .malformed),
      ("-.s", .malformed),
      ("1s.", .malformed),
      ("--1s", .malformed),
      (" 1s", .malformed),
      ("1", .missingUnit),
      ("00", .missingUnit),
      ("1.5", .missingUnit),
      ("1h30", .missingUnit),
      ("1..5s", .missingUnit),
      ("1d", .unknownUnit),
      ("1w", .unknownUnit),
      ("1H", .unknownUnit),
      ("1 s", .unknownUnit),
      ("1s ", .unknownUnit),
      ("1h 30m", .unknownUnit),
      ("1h-30m", .unknownUnit),
      ("1sec", .unknownUnit),
      ("1e3s", .unknownUnit),
      ("1,5s", .unknownUnit),
      ("1xxxxxxxxns", .unknownUnit),
      ("1\u{B5}", .unknownUnit),
      ("9223372036854775808ns", .outOfRange),
      ("-9223372036854775809ns", .outOfRange),
      ("9223372036.854775808s", .outOfRange),
      ("9223372037s", .outOfRange),
      ("2562047h47m16.854775808s", .outOfRange),
      ("2562048h", .outOfRange),
      ("320000000000s", .outOfRange),
      ("-320000000000s", .outOfRange),
      ("18446744073709551616ns", .outOfRange),
      ("99999999999999999999999999999999h", .outOfRange),
      ("-9223372036854775808ns9223372036854775808ns", .outOfRange),
      ("-9223372036854775808ns1ns", .outOfRange),
    ] as [(String, DurationTextError)])
  func refuses(text: String, error: DurationTextError) {
    #expect(throws: error) { try TimeSpan(duration: text) }
  }

  @Test(
    arguments: [
      (0, "0s"),
      (1, "0.000000001s"),
      (-1, "-0.000000001s"),
      (-1_500_000_000, "-1.5s"),
      (3_600_001_000_000, "3600.001s"),
      (1_000_000_000_000_000, "1000000s"),
      (.max, "9223372036.854775807s"),
      (.min, "-9223372036.854775808s"),
    ] as [(Int64, String)])
  func writesSeconds(nanoseconds: Int64, text: String) throws {
    let span = TimeSpan(nanoseconds: nanoseconds)
    #expect(span.text == text)
    #expect(try TimeSpan(duration: text) == span)
  }

  @Test func comesBackFromItsText() throws {
    var generator = SplitMix(seed: 5)
    for _ in 0..<20_000 {
      let shift = Int.random(in: 0..<63, using: &generator)
      let span = TimeSpan(nanoseconds: Int64.random(in: .min ... .max, using: &generator) >> shift)
      let isSame = try TimeSpan(duration: span.text) == span
      #expect(isSame)
    }
  }

  @Test func randomTextsDoNoHarm() {
    var generator = SplitMix(seed: 6)
    let alphabet = ["0", "1", "9", ".", "-", "+", "h", "m", "s", "us", "µs", "ns", "ms", "d", " "]
    for _ in 0..<50_000 {
      let length = Int.random(in: 0...24, using: &generator)
      let text = (0..<length).map { _ in alphabet.randomElement(using: &generator)! }.joined()
      if let span = try? TimeSpan(duration: text) {
        let isSame = (try? TimeSpan(duration: span.text)) == span
        #expect(isSame)
      }
    }
  }

  @Test func arithmeticStopsAtTheEnds() throws {
    let long = TimeSpan(nanoseconds: .max)
    let short = TimeSpan(nanoseconds: .min)
    let one = TimeSpan(nanoseconds: 1)
    #expect(long.adding(one) == nil)
    #expect(short.subtracting(one) == nil)
    #expect(short.negated == nil)
    #expect(long.negated == TimeSpan(nanoseconds: -.max))
    #expect(long.adding(short) == TimeSpan(nanoseconds: -1))
    #expect(TimeSpan(seconds: 9_223_372_036)?.seconds == 9_223_372_036)
    #expect(TimeSpan(seconds: 9_223_372_037) == nil)
    #expect(TimeSpan(seconds: .min) == nil)
    #expect(short < one && one < long)
  }

  @Test func partsRoundTowardZero() throws {
    let span = try TimeSpan(duration: "-3730.999s")
    #expect((span.hours, span.minutes, span.seconds) == (-1, -62, -3730))
    #expect(span.millisecondsOfSecond == -999)
    let other = try TimeSpan(duration: "123.321456789s")
    #expect((other.minutes, other.seconds, other.millisecondsOfSecond) == (2, 123, 321))
  }
}

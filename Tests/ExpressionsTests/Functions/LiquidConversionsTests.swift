import CivilTime
import Testing

@testable import Expressions

/// Numbers of templates.
@Suite struct LiquidConversionsTests {
  /// A double that is whole is an int as far as doubles are exact.
  @Test(arguments: [
    (9_007_199_254_740_992.0, true), (-9_007_199_254_740_992, true),
    (9_007_199_254_740_994, false), (0.5, false), (.infinity, false), (.nan, false),
  ])
  func wholeNumbers(value: Double, isInt: Bool) {
    #expect((LiquidConversions.number(value).tag == Tag.int) == isInt)
  }

  /// The number that a text begins with, as Ruby reads it, and the whole number that it is.
  @Test(
    arguments: [
      ("12", 12, 12), ("-12", -12, -12), ("+5", 5, 5), ("1:5", 1, nil), ("1/5", 1, nil),
      ("12abc", 12, nil), ("", 0, nil), ("-", 0, nil), ("abc", 0, nil), (" 7 ", 7, 7),
      ("1_000", 1_000, 1_000), ("_1", 0, nil), ("-_1", 0, nil), ("1__0", 1, nil), ("1_", 1, nil),
      ("1_:", 1, nil), ("9", 9, 9),
      ("0", 0, 0), ("00", 0, 0), ("0009", 9, nil), ("0_17", 17, 15), ("-0x1f", 0, -31),
      ("0B11", 0, 3),
      ("0D9", 0, 9), ("0o8", 0, nil), ("0x", 0, nil), ("0x_1", 0, nil), ("- 1", 0, nil),
      (
        "999999999999999999", 999_999_999_999_999_999,
        999_999_999_999_999_999
      ),
      ("1000000000000000000", 1_000_000_000_000_000_000, 1_000_000_000_000_000_000),
      ("9223372036854775807", .max, .max), ("9223372036854775808", nil, nil),
      ("0x7fffffffffffffff", 0, .max), ("0x8000000000000000", 0, nil),
    ] as [(String, Int64?, Int64?)])
  func leadingNumbers(text: String, number: Int64?, integer: Int64?) {
    var arena = Arena(limit: 4_096)
    let cell = Array(text.utf8).withUnsafeBufferPointer { arena.text(copying: $0) } ?? .null
    withUnsafePointer(to: cell) { place in
      let (found, whole) = (
        LiquidConversions.rubyNumber(place), LiquidConversions.rubyInteger(place)
      )
      #expect((found.tag == Tag.int ? found.intValue : nil) == number)
      #expect((whole.tag == Tag.int ? whole.intValue : nil) == integer)
    }
  }

  /// Parts of a millisecond stay where a time is moved.
  @Test(
    arguments: [
      (1.0, LiquidTimeUnit.seconds, 11, 123_456_789), (-1, .seconds, 9, 123_456_789),
      (0.5, .seconds, 10, 623_456_789), (-0.5, .seconds, 9, 623_456_789),
      (877, .milliseconds, 11, 456_789), (876, .milliseconds, 10, 999_456_789),
      (-124, .milliseconds, 9, 999_456_789), (2, .minutes, 130, 123_456_789),
      (1, .days, 86_410, 123_456_789), (-11, .seconds, -1, 123_456_789),
      (1, .months, 2_678_410, 123_456_789), (1, .years, 31_536_010, 123_456_789),
    ])
  func shifts(amount: Double, unit: LiquidTimeUnit, seconds: Int64, nanoseconds: Int32) throws {
    let start = try #require(Timestamp(seconds: 10, nanoseconds: 123_456_789))
    let moved = try #require(DateShifts.shift(start, by: amount, unit))
    #expect(DateShifts.shift(start, by: 9e11, .weeks) == nil)
    #expect(DateShifts.shift(start, by: 1e12, .milliseconds) == nil)
    #expect(DateShifts.shift(start, by: .nan, unit) == nil)
    #expect(moved.seconds == seconds && moved.nanoseconds == nanoseconds, "\(moved)")
  }

  /// Decimals have twenty digits before the point at most, and so many behind it.
  @Test func decimalsOfDoubles() {
    #expect(LiquidDecimal(12.25)?.mantissa == 1_225)
    #expect(LiquidDecimal(12.25)?.scale == 2)
    #expect(LiquidDecimal(-0.5)?.mantissa == -5)
    #expect(LiquidDecimal(1e19)?.mantissa == 10_000_000_000_000_000_000)
    #expect(LiquidDecimal(9e19)?.scale == 0)
    #expect(LiquidDecimal(1e20) == nil)
    #expect(LiquidDecimal(.infinity) == nil)
    #expect(LiquidDecimal(0.125, mostScale: 3) != nil)
    #expect(LiquidDecimal(0.125, mostScale: 2) == nil)
  }
}

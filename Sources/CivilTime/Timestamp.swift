/// An instant between the years 1 and 9999 in UTC, to the nanosecond.
///
/// The range is that of CEL's timestamps. Operations whose result would be outside this range return nil. A timestamp
/// has sixteen bytes and no references.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z, rounded down. Leap seconds are not counted.
  package let seconds: Int64

  /// Nanoseconds after `seconds`, 0 to 999,999,999, even before 1970.
  package let nanoseconds: Int32

  /// 0001-01-01T00:00:00Z.
  package static let earliest = Timestamp(known: -62_135_596_800, 0)

  /// 9999-12-31T23:59:59.999999999Z.
  package static let latest = Timestamp(known: 253_402_300_799, 999_999_999)

  /// The beginning of 1970.
  package static let epoch = Timestamp(known: 0, 0)

  /// Creates a timestamp from numbers that are known to be in range.
  @inlinable package init(known seconds: Int64, _ nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The instant, or nil if it is before the year 1 or after the year 9999, or if the nanoseconds are not those of one second.
  package init?(seconds: Int64, nanoseconds: Int32 = 0) {
    guard Timestamp.containsSecond(seconds), 0...999_999_999 ~= nanoseconds else { return nil }
    self.init(known: seconds, nanoseconds)
  }

  /// Whether the years 1 to 9999 contain a second counted from 1970.
  @inline(__always)
  static func containsSecond(_ seconds: Int64) -> Bool {
    -62_135_596_800...253_402_300_799 ~= seconds
  }

  /// The instant after a span of time, or before it if the span is negative. The result is nil if it is out of range.
  package func adding(_ span: TimeSpan) -> Timestamp? {
    let whole = floorDivide(span.nanoseconds, by: nanosecondsInSecond)
    let rest = span.nanoseconds &- whole &* nanosecondsInSecond
    var sum = seconds &+ whole
    var nanosecondSum = Int64(nanoseconds) &+ rest
    if nanosecondSum >= nanosecondsInSecond {
      nanosecondSum &-= nanosecondsInSecond
      sum &+= 1
    }
    return Timestamp(seconds: sum, nanoseconds: Int32(truncatingIfNeeded: nanosecondSum))
  }

  /// The instant before a span of time, or after it if the span is negative. The result is nil if it is out of range.
  package func subtracting(_ span: TimeSpan) -> Timestamp? {
    if let negated = span.negated { return adding(negated) }
    // Only the lowest number of nanoseconds cannot be negated, but its halves can.
    let half = TimeSpan(nanoseconds: span.nanoseconds / 2)
    return subtracting(half)?.subtracting(half)
  }

  /// The time from `start` to this instant, which is negative if `start` is later. The result is nil if the time is
  /// longer than a ``TimeSpan`` can be.
  package func since(_ start: Timestamp) -> TimeSpan? {
    var whole = seconds &- start.seconds
    var rest = Int64(nanoseconds) &- Int64(start.nanoseconds)
    // Both parts need the same sign. Otherwise the product may overflow where the sum does not.
    if whole < 0, rest > 0 {
      whole &+= 1
      rest &-= nanosecondsInSecond
    } else if whole > 0, rest < 0 {
      whole &-= 1
      rest &+= nanosecondsInSecond
    }
    let (product, tooLong) = whole.multipliedReportingOverflow(by: nanosecondsInSecond)
    let (sum, overflow) = product.addingReportingOverflow(rest)
    return tooLong || overflow ? nil : TimeSpan(nanoseconds: sum)
  }

  /// Orders by time.
  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.seconds == right.seconds
      ? left.nanoseconds < right.nanoseconds : left.seconds < right.seconds
  }
}

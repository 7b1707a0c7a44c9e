/// A length of time to the nanosecond: CEL's duration.
///
/// One `Int64` of nanoseconds, as in the language definition: from -9223372036.854775808 s to 9223372036.854775807 s, about
/// 292 years in both directions. The wider range of protobuf's durations would be wrong, because the time between the ends
/// of the calendar must be an error.
package struct TimeSpan: Hashable, Comparable, Sendable {
  /// The length in nanoseconds, which is negative for the past.
  package let nanoseconds: Int64

  /// A length of zero.
  package static let zero = TimeSpan(nanoseconds: 0)

  /// A length in nanoseconds.
  @inlinable package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// A length in seconds, or nil if it is too long.
  package init?(seconds: Int64) {
    let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: nanosecondsInSecond)
    if overflow { return nil }
    self.init(nanoseconds: nanoseconds)
  }

  /// The same length in the other direction, or nil for the longest negative length.
  package var negated: TimeSpan? {
    TimeSpan.zero.subtracting(self)
  }

  /// The sum of both lengths, or nil if it is too long.
  package func adding(_ other: TimeSpan) -> TimeSpan? {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(other.nanoseconds)
    return overflow ? nil : TimeSpan(nanoseconds: sum)
  }

  /// The difference of both lengths, or nil if it is too long.
  package func subtracting(_ other: TimeSpan) -> TimeSpan? {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
    return overflow ? nil : TimeSpan(nanoseconds: difference)
  }

  /// The whole length in hours, rounded toward zero.
  package var hours: Int64 { nanoseconds / 3_600_000_000_000 }

  /// The whole length in minutes, rounded toward zero.
  package var minutes: Int64 { nanoseconds / 60_000_000_000 }

  /// The whole length in seconds, rounded toward zero.
  package var seconds: Int64 { nanoseconds / nanosecondsInSecond }

  /// The milliseconds of the part below a second, -999 to 999, rounded toward zero.
  package var millisecondsOfSecond: Int64 { nanoseconds % nanosecondsInSecond / 1_000_000 }

  /// Orders by length, negative lengths first.
  package static func < (left: TimeSpan, right: TimeSpan) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

/// The nanoseconds of one second.
let nanosecondsInSecond: Int64 = 1_000_000_000

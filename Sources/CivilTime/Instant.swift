/// A point in time, with millisecond precision.
///
/// ```swift
/// let start: Instant = 1_772_366_400_000
/// start.text  // "2026-03-01T12:00:00Z"
/// (start + 90_000) - start  // 90_000
/// ```
///
/// An integer literal is the number of milliseconds since the beginning of 1970 in UTC. Spans between instants are also
/// milliseconds. Arithmetic never traps, but saturates at the limits of 64 bits.
@frozen public struct Instant: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// The milliseconds since the beginning of 1970 in UTC, without leap seconds.
  public let milliseconds: Int64

  /// Creates an instant from milliseconds since the beginning of 1970 in UTC.
  @inlinable public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Creates an instant from milliseconds since the beginning of 1970 in UTC.
  @inlinable public init(integerLiteral value: Int64) { milliseconds = value }

  /// An instant from whole seconds since 1970.
  package init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  /// The instant of a timestamp, rounded down to a millisecond.
  package init(_ timestamp: Timestamp) {
    milliseconds = timestamp.seconds * 1_000 + Int64(timestamp.nanoseconds / 1_000_000)
  }

  /// The earliest instant.
  public static let distantPast = Instant(milliseconds: .min)

  /// The latest instant.
  public static let distantFuture = Instant(milliseconds: .max)

  /// Whole seconds since 1970, rounded down.
  package var seconds: Int64 { floorDivide(milliseconds, by: 1_000) }

  /// The milliseconds after ``seconds``, 0 to 999.
  package var millisecondOfSecond: Int64 { milliseconds &- seconds &* 1_000 }

  /// The same instant as a timestamp of the language, or nil outside the years 1 to 9999.
  package var timestamp: Timestamp? {
    Timestamp(seconds: seconds, nanoseconds: Int32(millisecondOfSecond) * 1_000_000)
  }

  /// The instant in RFC 3339 and UTC, or nil if it is outside the years 1 to 9999.
  public var text: String? { timestamp?.text }

  /// Orders by time.
  @inlinable public static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The instant some milliseconds later.
  @inlinable public static func + (start: Instant, span: Int64) -> Instant {
    let (sum, overflow) = start.milliseconds.addingReportingOverflow(span)
    return overflow ? (span < 0 ? distantPast : distantFuture) : Instant(milliseconds: sum)
  }

  /// The instant some milliseconds earlier.
  @inlinable public static func - (end: Instant, span: Int64) -> Instant {
    let (rest, overflow) = end.milliseconds.subtractingReportingOverflow(span)
    return overflow ? (span < 0 ? distantFuture : distantPast) : Instant(milliseconds: rest)
  }

  /// The milliseconds from `start` to `end`, negative if `end` is earlier than `start`.
  @inlinable public static func - (end: Instant, start: Instant) -> Int64 {
    let (span, overflow) = end.milliseconds.subtractingReportingOverflow(start.milliseconds)
    return overflow ? (end < start ? .min : .max) : span
  }

  /// Moves the instant by a number of milliseconds.
  @inlinable public static func += (instant: inout Instant, span: Int64) {
    instant = instant + span
  }
}

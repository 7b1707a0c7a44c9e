public import CivilTime
internal import Expressions
public import GRDB

/// Times in the formats of the contract: milliseconds since 1970, or ISO 8601.
enum WallTime {
  static let day: Int64 = 86_400_000

  static func instant(_ value: Value) -> Instant? {
    if let number = value.wholeNumber { return Instant(milliseconds: Int64(number)) }
    return value.text.flatMap { try? Timestamp(rfc3339: $0) }.map { Instant($0) }
  }

  /// A time in ISO 8601 with three digits of milliseconds, as in JavaScript, or nil outside the calendar.
  static func text(_ time: Instant) -> String? {
    guard let text = Timestamp(seconds: time.seconds)?.text else { return nil }
    let digits = String(1_000 + time.millisecondOfSecond).dropFirst()
    return text.dropLast() + ".\(digits)Z"
  }
}

extension Value {
  /// A time in milliseconds since 1970.
  static func time(_ time: Instant) -> Value { .int(time.milliseconds) }
}

/// Stores times in tables as milliseconds since 1970.
extension Instant: DatabaseValueConvertible {
  public var databaseValue: DatabaseValue { milliseconds.databaseValue }

  public static func fromDatabaseValue(_ value: DatabaseValue) -> Instant? {
    Int64.fromDatabaseValue(value).map { Instant(milliseconds: $0) }
  }
}

internal import CivilTime
internal import Expressions
internal import Foundation

/// Times in the formats of the contract: milliseconds since 1970, or ISO 8601.
enum WallTime {
  static let day: Int64 = 86_400_000

  static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  static func milliseconds(_ value: Value) -> Int64? {
    if let number = value.wholeNumber { return Int64(number) }
    guard let text = value.text,
      let time = try? Timestamp(rfc3339: text)
    else { return nil }
    return Instant(time).milliseconds
  }

  /// ISO 8601 with three digits of milliseconds, as in JavaScript, or nil outside the calendar.
  static func text(_ milliseconds: Int64) -> String? {
    let second = milliseconds.floorDivided(by: 1_000)
    let rest = milliseconds - second * 1_000
    guard let text = Timestamp(seconds: second)?.text else { return nil }
    let digits = String(1_000 + rest).dropFirst()
    return text.dropLast() + ".\(digits)Z"
  }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self < 0 && quotient * divisor != self ? quotient - 1 : quotient
  }
}

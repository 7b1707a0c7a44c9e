internal import Expressions

/// Times as files and command lines have them.
public enum WireTime {
  /// Milliseconds since 1970 of an ISO 8601 text. Without a zone it is UTC, without a time it is
  /// midnight. Fractions below a millisecond are cut off. Nil when it is no time.
  public static func milliseconds(_ text: String) -> Int64? {
    guard let time = try? Timestamp(iso8601: text) else { return nil }
    return time.seconds * 1_000 + Int64(time.nanoseconds / 1_000_000)
  }

  /// RFC 3339 text in UTC of milliseconds since 1970, or nil outside the years 1 to 9999.
  public static func text(milliseconds: Int64) -> String? {
    let seconds = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let isBefore = seconds.remainder < 0
    return Timestamp(
      seconds: seconds.quotient - (isBefore ? 1 : 0),
      nanoseconds: Int32((seconds.remainder + (isBefore ? 1_000 : 0)) * 1_000_000))?.text
  }
}

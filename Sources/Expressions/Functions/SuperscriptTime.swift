internal import CivilTime

/// Durations in cel-interpreter's string form.
enum UnitDuration {
  // SAFETY: Every index is compared with the count of the caller's view.
  // Tests: SuperscriptReferenceTests, AnyOperandsTests.

  /// Parses numbers with units, such as `1h30m` or `1e3s`, and returns the nanoseconds. The result is nil if the first
  /// number is missing. Characters after the last unit are ignored, and a leading sign applies to the whole duration.
  static func parse(_ text: ByteView) -> Int64? {
    var at = 0
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative { at = 1 }
    if text.count == at + 1, text[at] == UInt8(ascii: "0") { return 0 }
    var total: Int64?
    while at < text.count {
      guard let number = readNumber(text, &at) else { return nil }
      guard let value = number.value, let unit = readUnit(text, &at) else { break }
      let term = saturated((value * unit).rounded(.towardZero))
      let (sum, overflow) = (total ?? 0).addingReportingOverflow(term)
      if overflow { return nil }
      total = sum
    }
    return total.map { isNegative ? 0 &- $0 : $0 }
  }

  private static func saturated(_ value: Double) -> Int64 {
    if value.isNaN { return 0 }
    if value >= 0x1p63 { return .max }
    return value < -0x1p63 ? .min : Int64(value)
  }

  /// Reads the number that begins at the current place, if any. The result is nil if the digits of an exponent are
  /// missing.
  private static func readNumber(_ text: ByteView, _ at: inout Int) -> (value: Double?, Void)? {
    var end = at
    func byte() -> UInt8 { end < text.count ? text[end] : 0 }
    func digits() -> Int {
      let start = end
      while byte() &- 0x30 < 10 { end += 1 }
      return end - start
    }
    let isNegative = byte() == UInt8(ascii: "-")
    if isNegative || byte() == UInt8(ascii: "+") { end += 1 }
    let start = end
    let whole = digits()
    var fraction = 0
    if byte() == UInt8(ascii: ".") {
      end += 1
      fraction = digits()
    }
    guard whole + fraction > 0 else { return (word(text, &at), ()) }
    if byte() | 0x20 == UInt8(ascii: "e") {
      end += 1
      if byte() == UInt8(ascii: "-") || byte() == UInt8(ascii: "+") { end += 1 }
      guard digits() > 0 else { return nil }
    }
    let magnitude = RustNumbers.decimal(text[start..<end])
    at = end
    return (isNegative ? -magnitude : magnitude, ())
  }

  private static func word(_ text: ByteView, _ at: inout Int) -> Double? {
    for (name, value) in [("nan", Double.nan), ("infinity", .infinity), ("inf", .infinity)] {
      let end = at + name.utf8.count
      if end <= text.count, zip(text[at..<end], name.utf8).allSatisfy({ $0 | 0x20 == $1 }) {
        at = end
        return value
      }
    }
    return nil
  }

  /// Reads the next unit, and returns its length in nanoseconds.
  private static func readUnit(_ text: ByteView, _ at: inout Int) -> Double? {
    let first = at < text.count ? text[at] : 0
    let second = at + 1 < text.count ? text[at + 1] : 0
    if second == UInt8(ascii: "s") {
      at += 2
      switch first {
      case UInt8(ascii: "m"): return 1e6
      case UInt8(ascii: "u"): return 1e3
      case UInt8(ascii: "n"): return 1
      default: at -= 2
      }
    }
    at += 1
    switch first {
    case UInt8(ascii: "h"): return 3600e9
    case UInt8(ascii: "m"): return 60e9
    case UInt8(ascii: "s"): return 1e9
    default:
      at -= 1
      return nil
    }
  }

  /// The string form of a duration in Go: `1h30m0s`, `1.5s`, `100ms`.
  static func text(_ nanoseconds: Int64) -> String {
    if nanoseconds == 0 { return "0s" }
    let sign = nanoseconds < 0 ? "-" : ""
    let size = nanoseconds.magnitude
    switch size {
    case 0..<1_000: return "\(sign)\(size)ns"
    case 1_000..<1_000_000: return sign + decimal(size, 1_000) + "\u{B5}s"
    case 1_000_000..<1_000_000_000: return sign + decimal(size, 1_000_000) + "ms"
    default: break
    }
    let seconds = decimal(size % 60_000_000_000, 1_000_000_000) + "s"
    let minutes = size / 60_000_000_000
    if minutes == 0 { return sign + seconds }
    let hours = minutes / 60
    return sign + (hours > 0 ? "\(hours)h" : "") + "\(minutes % 60)m" + seconds
  }

  /// The decimal number `value / unit`, with as many digits as needed.
  private static func decimal(_ value: UInt64, _ unit: UInt64) -> String {
    var fraction = String(unit + value % unit).dropFirst()
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(value / unit)" + (fraction.isEmpty ? "" : ".\(fraction)")
  }
}

/// Instants with the UTC offset that they were written with. The offset only affects the string form. The cell stores
/// the offset in minutes in bytes 1 and 2.
enum OffsetTime {
  // SAFETY: The view of the local copy stays in the closure. Other indexes are compared with the
  // count. Tests: SuperscriptReferenceTests, AnyOperandsTests.

  /// Parses RFC 3339 as chrono does: `t`, `z` and a space are allowed too.
  static func parse(_ text: ByteView) -> Cell? {
    var bytes = Array(text)
    guard bytes.count >= 20 else { return nil }
    if bytes[10] == UInt8(ascii: "t") || bytes[10] == UInt8(ascii: " ") {
      bytes[10] = UInt8(ascii: "T")
    }
    if bytes[bytes.count - 1] == UInt8(ascii: "z") { bytes[bytes.count - 1] = UInt8(ascii: "Z") }
    let time = bytes.withUnsafeBufferPointer { try? Timestamp(rfc3339: $0) }
    guard let time else { return nil }
    var cell = Cell(time)
    cell.low |= UInt64(UInt16(bitPattern: offset(bytes))) << 8
    return cell
  }

  /// The minutes of the offset at the end of a well-formed string.
  private static func offset(_ bytes: [UInt8]) -> Int16 {
    guard bytes.last != UInt8(ascii: "Z") else { return 0 }
    let end = bytes.count
    func digit(_ fromEnd: Int) -> Int16 { Int16(bytes[end - fromEnd] &- 0x30) }
    let minutes = (digit(5) * 10 + digit(4)) * 60 + digit(2) * 10 + digit(1)
    return bytes[end - 6] == UInt8(ascii: "-") ? -minutes : minutes
  }

  /// The string form, such as `2026-01-01T00:00:00+00:00`. A fraction has three, six or nine digits.
  static func text(_ cell: Cell) -> String {
    let minutes = Int16(bitPattern: UInt16(truncatingIfNeeded: cell.low >> 8))
    let time = cell.timestampValue
    let local = Timestamp(seconds: time.seconds + Int64(minutes) * 60) ?? time
    let clock = String(local.text.prefix(19))
    let size = minutes.magnitude
    return clock + fraction(time.nanoseconds) + (minutes < 0 ? "-" : "+") + pair(size / 60) + ":"
      + pair(size % 60)
  }

  private static func fraction(_ nanoseconds: Int32) -> String {
    guard nanoseconds > 0 else { return "" }
    let digits = String(1_000_000_000 + Int(nanoseconds)).dropFirst()
    let count = nanoseconds % 1_000_000 == 0 ? 3 : nanoseconds % 1_000 == 0 ? 6 : 9
    return "." + digits.prefix(count)
  }

  private static func pair(_ number: UInt16) -> String { (number < 10 ? "0" : "") + String(number) }
}

/// UTF-8 without Foundation or `String`: lengths, validity and code points.
package enum UTF8Scan {
  // SAFETY: Each read compares with `room` or the count first. `write` needs up to four bytes,
  // which its callers have. Tests: JSONDifferentialTests, fuzz json.

  /// The length of the well-formed scalar that begins here, or 0 (overlong forms, surrogates, values past U+10FFFF
  /// and truncated sequences are not well-formed).
  package static func scalarLength(_ at: UnsafePointer<UInt8>, _ room: Int) -> Int {
    guard room > 0 else { return 0 }
    let first = at[0]
    func continues(_ i: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool { range ~= at[i] }
    switch first {
    case 0..<0x80: return 1
    case 0xC2...0xDF: return room >= 2 && continues(1) ? 2 : 0
    case 0xE0...0xEF:
      let second: ClosedRange<UInt8> =
        first == 0xE0 ? 0xA0...0xBF : first == 0xED ? 0x80...0x9F : 0x80...0xBF
      return room >= 3 && continues(1, second) && continues(2) ? 3 : 0
    case 0xF0...0xF4:
      let second: ClosedRange<UInt8> =
        first == 0xF0 ? 0x90...0xBF : first == 0xF4 ? 0x80...0x8F : 0x80...0xBF
      return room >= 4 && continues(1, second) && continues(2) && continues(3) ? 4 : 0
    default: return 0
    }
  }

  /// Whether all bytes are well-formed UTF-8.
  package static func isValid(_ bytes: ByteView) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    var at = 0
    while at < bytes.count {
      let length = scalarLength(base + at, bytes.count - at)
      guard length > 0 else { return false }
      at += length
    }
    return true
  }

  /// The number of code points of valid UTF-8. Every byte that is not a continuation byte begins a code point.
  package static func codePoints(_ bytes: ByteView) -> Int {
    var count = 0
    for byte in bytes where byte & 0xC0 != 0x80 { count &+= 1 }
    return count
  }

  /// Writes a scalar as UTF-8 (U+FFFD for a surrogate or a value past the end) and returns its length.
  package static func write(_ scalar: UInt32, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let scalar = Unicode.Scalar(scalar) ?? "\u{FFFD}"
    var count = 0
    // SAFETY: Every `Unicode.Scalar` has an encoding in UTF-8. Tests: JSONReaderTests.
    for byte in UTF8.encode(scalar).unsafelyUnwrapped {
      target[count] = byte
      count += 1
    }
    return count
  }
}

/// Digits of number literals.
package enum Digits {
  /// The value of a hexadecimal digit.
  package static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The whole number with these digits. The result is nil without digits, with other bytes, and above 64 bits.
  static func number(_ digits: some Sequence<UInt8>, radix: UInt64 = 10) -> UInt64? {
    var value: UInt64?
    for byte in digits {
      guard let digit = hex(byte), digit < radix else { return nil }
      let (product, overflow) = (value ?? 0).multipliedReportingOverflow(by: radix)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }
}

/// Parses numbers, independent of any locale.
package enum NumberText {
  // SAFETY: Every read compares with `room` or the count first. Digits are counted before the fast
  // path uses them. Tests: JSONDifferentialTests, fuzz json.

  /// The length of the JSON number that begins here, or nil.
  package static func jsonLength(_ at: UnsafePointer<UInt8>, _ room: Int) -> Int? {
    var i = 0
    func digits() -> Int {
      var count = 0
      while i + count < room, at[i + count] &- 0x30 < 10 { count += 1 }
      return count
    }
    if i < room, at[i] == UInt8(ascii: "-") { i += 1 }
    let whole = digits()
    guard whole > 0, whole == 1 || at[i] != 0x30 else { return nil }
    i += whole
    if i < room, at[i] == UInt8(ascii: ".") {
      i += 1
      let fraction = digits()
      guard fraction > 0 else { return nil }
      i += fraction
    }
    if i < room, at[i] | 0x20 == UInt8(ascii: "e") {
      i += 1
      if i < room, at[i] == UInt8(ascii: "+") || at[i] == UInt8(ascii: "-") { i += 1 }
      let exponent = digits()
      guard exponent > 0 else { return nil }
      i += exponent
    }
    return i
  }

  /// The value of a JSON number: without fraction and exponent an int, or a uint above the range of `Int64`, otherwise
  /// a double. The result is nil past the range of doubles.
  package static func number(_ bytes: ByteView) -> Cell? {
    let isInteger = !bytes.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
    if isInteger {
      let text = String(decoding: bytes, as: UTF8.self)
      if let value = Int64(text) { return Cell(value) }
      if let value = UInt64(text) { return Cell(value) }
    }
    return double(bytes).map { Cell($0) }
  }

  /// A decimal number of ASCII digits with optional sign, fraction and exponent, correctly rounded. The result is nil
  /// if the string is not a number, or the number is not finite.
  package static func double(_ bytes: ByteView) -> Double? {
    if let value = exactDouble(bytes) { return value }
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// The common case: at most 15 significant digits and a power of ten up to 22, where one multiplication or
  /// division of exactly represented numbers rounds correctly (Clinger 1990).
  private static func exactDouble(_ bytes: ByteView) -> Double? {
    guard let at = bytes.baseAddress, bytes.count > 0 else { return nil }
    var i = at[0] == UInt8(ascii: "-") ? 1 : 0
    let negative = i == 1
    var mantissa: UInt64 = 0
    var digits = 0
    var fraction = 0
    var seenPoint = false
    while i < bytes.count {
      let byte = at[i]
      if byte &- 0x30 < 10 {
        mantissa = mantissa &* 10 &+ UInt64(byte &- 0x30)
        digits += mantissa == 0 ? 0 : 1
        fraction += seenPoint ? 1 : 0
      } else if byte == UInt8(ascii: "."), !seenPoint {
        seenPoint = true
      } else {
        return nil
      }
      i += 1
    }
    guard digits <= 15, fraction <= 22 else { return nil }
    let value = Double(mantissa) / powersOfTen[fraction]
    return negative ? -value : value
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}

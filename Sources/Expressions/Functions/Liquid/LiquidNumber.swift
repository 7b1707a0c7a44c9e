internal import CShims

/// A decimal number: `mantissa / 10^scale`.
struct LiquidDecimal {
  // SAFETY: Every index is compared with the count of the caller's view.
  // Tests: LiquidConversionsTests, corpus.

  var mantissa: Int128
  var scale: Int

  static let mostDigits = 30

  init(_ value: Int64) {
    mantissa = Int128(value)
    scale = 0
  }

  init(mantissa: Int128, scale: Int) {
    self.mantissa = mantissa
    self.scale = scale
  }

  /// The shortest decimal number that parses back to the double. Fails if the number has too many digits, or more than
  /// `mostScale` digits after the point.
  init?(_ value: Double, mostScale: Int = LiquidDecimal.mostDigits) {
    guard value.isFinite else { return nil }
    let digits = DoubleDigits(value)
    let scale = digits.count - digits.point
    guard scale <= mostScale, digits.point <= 20 else { return nil }
    var mantissa: Int128 = 0
    for i in 0..<digits.count { mantissa = mantissa * 10 + Int128(digits[i]) }
    for _ in 0..<max(-scale, 0) { mantissa *= 10 }
    self.init(mantissa: value < 0 ? -mantissa : mantissa, scale: max(scale, 0))
  }

  /// Reads a decimal such as `-12.50` exactly. Fails if the string is not a number or has too many digits.
  init?(_ text: ByteView) {
    guard text.count <= LiquidDecimal.mostDigits else { return nil }
    var i = text.first == UInt8(ascii: "-") ? 1 : 0
    let isNegative = i == 1
    var mantissa: Int128 = 0
    var scale: Int?
    let first = i
    while i < text.count {
      if text[i] &- 0x30 < 10 {
        mantissa = mantissa * 10 + Int128(text[i] &- 0x30)
        scale = scale.map { $0 + 1 }
      } else if text[i] == UInt8(ascii: "."), scale == nil, i > first {
        scale = 0
      } else {
        return nil
      }
      i += 1
    }
    guard i > first, scale != 0 else { return nil }
    self.init(mantissa: isNegative ? -mantissa : mantissa, scale: scale ?? 0)
  }

  static func power(_ exponent: Int) -> Int128 {
    var power: Int128 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }

  /// Both numbers with the same scale, or nil if the result has too many digits.
  static func aligned(_ a: LiquidDecimal, _ b: LiquidDecimal) -> (Int128, Int128, scale: Int)? {
    let scale = max(a.scale, b.scale)
    guard scale <= LiquidDecimal.mostDigits else { return nil }
    let (x, xOver) = a.mantissa.multipliedReportingOverflow(by: power(scale - a.scale))
    let (y, yOver) = b.mantissa.multipliedReportingOverflow(by: power(scale - b.scale))
    return xOver || yOver ? nil : (x, y, scale)
  }

  /// The nearest double.
  var double: Double {
    var (mantissa, scale) = (mantissa, scale)
    while scale > 0, mantissa % 10 == 0 {
      mantissa /= 10
      scale -= 1
    }
    if mantissa.magnitude < 1 << 53, scale <= 22 {
      return Double(Int64(mantissa)) / Double(LiquidDecimal.power(scale))
    }
    return Double("\(mantissa)e-\(scale)") ?? 0
  }

  /// The number rounded to `places` digits after the point, half away from zero.
  func rounded(_ places: Int) -> LiquidDecimal {
    guard places < scale else { return self }
    let dropped = scale - places
    guard dropped <= LiquidDecimal.mostDigits + 8 else { return LiquidDecimal(0) }
    let unit = LiquidDecimal.power(dropped)
    var quotient = mantissa / unit
    if (mantissa % unit).magnitude * 2 >= unit.magnitude { quotient += mantissa < 0 ? -1 : 1 }
    if places >= 0 { return LiquidDecimal(mantissa: quotient, scale: places) }
    let (whole, overflow) = quotient.multipliedReportingOverflow(by: LiquidDecimal.power(-places))
    return overflow ? LiquidDecimal(0) : LiquidDecimal(mantissa: whole, scale: 0)
  }

  var floor: Int128 {
    let unit = LiquidDecimal.power(scale)
    let (quotient, rest) = mantissa.quotientAndRemainder(dividingBy: unit)
    return rest < 0 ? quotient - 1 : quotient
  }

  var ceiling: Int128 {
    let unit = LiquidDecimal.power(scale)
    let (quotient, rest) = mantissa.quotientAndRemainder(dividingBy: unit)
    return rest > 0 ? quotient + 1 : quotient
  }
}

/// The digits of the shortest decimal number that parses back to a finite double: `0.d1d2d3... * 10^point`.
struct DoubleDigits {
  // SAFETY: The buffer has 24 bytes. A double has at most 17 digits, and the loop stops at 24.
  // Tests: LiquidConversionsTests, RenderingTests, corpus.

  private var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)
  private(set) var count = 0
  private(set) var point = 0

  init(_ value: Double) {
    guard value != 0, value.isFinite else {
      count = 1
      point = 1
      return
    }
    var text = value.magnitude.description
    var exponent = 0
    var whole = 0
    var seenPoint = false
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    var used = 0
    var leading = true
    text.withUTF8 { text in
      withUnsafeMutableBytes(of: &digits) { room in
        var i = 0
        while i < text.count {
          let byte = text[i]
          if byte &- 0x30 < 10 {
            if !seenPoint { whole += 1 }
            if leading, byte == 0x30 {
              // Leading zeros only move the point.
              whole -= 1
            } else if used < 24 {
              leading = false
              room[used] = byte &- 0x30
              used += 1
            }
          } else if byte == UInt8(ascii: ".") {
            seenPoint = true
          } else {
            exponent = DoubleDigits.exponent(text, i + 1)
            break
          }
          i += 1
        }
        while used > 1, room[used - 1] == 0 { used -= 1 }
      }
    }
    bytes = digits
    count = used
    point = whole + exponent
  }

  private static func exponent(_ text: ByteView, _ start: Int) -> Int {
    var i = start
    let isNegative = i < text.count && text[i] == UInt8(ascii: "-")
    if i < text.count, text[i] &- 0x30 >= 10 { i += 1 }
    var exponent = 0
    while i < text.count {
      exponent = exponent * 10 + Int(text[i] &- 0x30)
      i += 1
    }
    return isNegative ? -exponent : exponent
  }

  subscript(i: Int) -> UInt8 {
    i < count ? withUnsafeBytes(of: bytes) { $0[i] } : 0
  }
}

extension OutputBuffer {
  /// Appends a double as the dialect prints it. In dialects with binary numbers, `5.0` is `5`.
  mutating func append(_ value: Double, _ numbers: LiquidStyle.Numbers) {
    if value.isNaN { return append("NaN" as StaticString) }
    if value.isInfinite {
      return append(value < 0 ? "-Infinity" as StaticString : "Infinity" as StaticString)
    }
    let isBinary = numbers == .binary
    if value == value.rounded(), abs(value) < 1e15 {
      if value == 0, value.sign == .minus, !isBinary { append(UInt8(ascii: "-")) }
      append(number: Int64(value))
      if !isBinary { append(".0" as StaticString) }
      return
    }
    let digits = DoubleDigits(value)
    if value < 0 { append(UInt8(ascii: "-")) }
    // Without an exponent, Ruby writes whole numbers of up to 15 digits, and others of up to 16 before the point.
    let isWhole = digits.count <= digits.point
    let (least, most) = isBinary ? (-5, 21) : (-3, isWhole ? 15 : 16)
    if digits.point < least || digits.point > most {
      return appendScientific(digits, isBinary)
    }
    if digits.point <= 0 {
      append("0." as StaticString)
      for _ in 0..<(-digits.point) { append(0x30) }
      for i in 0..<digits.count { append(0x30 &+ digits[i]) }
      return
    }
    for i in 0..<max(digits.point, digits.count) {
      if i == digits.point { append(UInt8(ascii: ".")) }
      append(0x30 &+ digits[i])
    }
    if digits.count <= digits.point, !isBinary { append(".0" as StaticString) }
  }

  private mutating func appendScientific(_ digits: DoubleDigits, _ isBinary: Bool) {
    append(0x30 &+ digits[0])
    if digits.count > 1 || !isBinary { append(UInt8(ascii: ".")) }
    if digits.count == 1, !isBinary { append(0x30) }
    for i in 1..<max(digits.count, 1) { append(0x30 &+ digits[i]) }
    let exponent = digits.point - 1
    append(exponent < 0 ? "e-" as StaticString : "e+" as StaticString)
    if !isBinary, abs(exponent) < 10 { append(0x30) }
    append(number: Int64(abs(exponent)))
  }
}

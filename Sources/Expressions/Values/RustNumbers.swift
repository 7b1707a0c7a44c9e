/// Parses numbers as Rust's standard library does: no white space, no underscores.
enum RustNumbers {
  // SAFETY: Slices of the caller's view are read through collection methods alone.
  // Tests: SuperscriptProgramTests, SuperscriptReferenceTests.

  /// The number in a string: a signed 64-bit integer, otherwise an unsigned integer, otherwise a double.
  static func number(_ text: ByteView) -> Cell? {
    int(text).map { Cell($0) } ?? uint(text).map { Cell($0) } ?? double(text).map { Cell($0) }
  }

  /// The number that replaces a string in superscript 1.0.1 to 1.0.12: like ``number(_:)``, but a double without a
  /// fraction is an integer. The casts saturate, so 2^64 is the largest uint.
  static func normalized(_ text: ByteView) -> Cell? {
    guard let first = text.first, canBegin(first), let number = number(text) else { return nil }
    guard number.tag == Tag.double else { return number }
    let double = number.doubleValue
    guard double == double.rounded(.towardZero), double.isFinite else { return number }
    let whole =
      double >= 0x1p63 ? Int64.max : double < -0x1p63 ? Int64.min : Int64(double)
    if Double(whole) == double { return Cell(whole) }
    let unsigned = double >= 0x1p64 ? UInt64.max : double < 0 ? 0 : UInt64(double)
    return Double(unsigned) == double ? Cell(unsigned) : number
  }

  /// Whether a number can begin with a byte. Most strings begin with another byte.
  @inline(__always)
  private static func canBegin(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "n"),
      UInt8(ascii: "N"):
      true
    default: false
    }
  }

  static func int(_ text: ByteView) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    guard let magnitude = magnitude(text[...], allowsMinus: true) else { return nil }
    if isNegative { return magnitude <= 1 << 63 ? Int64(bitPattern: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  static func uint(_ text: ByteView) -> UInt64? { magnitude(text[...], allowsMinus: false) }

  private static func magnitude(_ text: Slice<ByteView>, allowsMinus: Bool) -> UInt64? {
    var digits = text
    if digits.first == UInt8(ascii: "+") || allowsMinus && digits.first == UInt8(ascii: "-") {
      digits = digits.dropFirst()
    }
    return Digits.number(digits)
  }

  /// A decimal number that may lack its whole part or its fraction, `inf`, `infinity` or `nan`. A number that is too
  /// large is infinite.
  static func double(_ text: ByteView) -> Double? {
    var digits = text[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
    guard isDecimal(digits) else { return named(digits, isNegative) }
    let magnitude = decimal(digits)
    return isNegative ? -magnitude : magnitude
  }

  private static func named(_ text: Slice<ByteView>, _ isNegative: Bool) -> Double? {
    func isNamed(_ name: StaticString) -> Bool {
      name.withUTF8Buffer { name in text.elementsEqual(name) { $0 | 0x20 == $1 } }
    }
    if isNamed("inf") || isNamed("infinity") { return isNegative ? -.infinity : .infinity }
    return isNamed("nan") ? .nan : nil
  }

  private static func isDecimal(_ text: Slice<ByteView>) -> Bool {
    var rest = text
    func takeDigits() -> Int {
      let count = rest.prefix { $0 &- 0x30 < 10 }.count
      rest = rest.dropFirst(count)
      return count
    }
    var count = takeDigits()
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      count += takeDigits()
    }
    guard count > 0 else { return false }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
        rest = rest.dropFirst()
      }
      guard takeDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// The value of an unsigned decimal number. The standard library requires digits around a point.
  static func decimal(_ text: Slice<ByteView>) -> Double {
    var digits: [UInt8] = [0x30]
    for byte in text {
      if byte | 0x20 == UInt8(ascii: "e"), digits.last == UInt8(ascii: ".") { digits.append(0x30) }
      digits.append(byte)
    }
    if digits.last == UInt8(ascii: ".") { digits.append(0x30) }
    return Double(String(decoding: digits, as: UTF8.self)) ?? .infinity
  }
}

internal import CivilTime

/// Functions of one value as in cel-interpreter: numbers and strings are parsed and printed as in Rust, and
/// sizes are in bytes.
extension Superscript {
  // SAFETY: Views of operands are read during the call, and results are copied.
  // Tests: SuperscriptReferenceTests, AnyOperandsTests.neverTraps.

  /// The reply to a question whose argument is only known now: the map's reply for the argument, or the reply for all
  /// others. Operands: the map, the argument, the other reply. Further operands are ignored.
  static func answer(_ operands: Operands) -> Cell {
    var work = 0
    guard operands[1].pointee.isText, operands[0].pointee.tag == Tag.map else {
      return operands[2].pointee
    }
    let found = isWithin(operands[1], operands[0], &work)
    return found == .true ? index(operands[0], operands[1]) : operands[2].pointee
  }

  /// Whether a value is truthy in JavaScript. Objects are truthy, including empty objects. NaN is not truthy.
  static func isTrueInJavaScript(_ cell: Cell) -> Bool {
    switch cell.tag {
    case Tag.list, Tag.map, Tag.bytes, Tag.timestamp, Tag.function: true
    case Tag.double: cell.doubleValue != 0 && !cell.doubleValue.isNaN
    // The evaluator reports a duration as null.
    case Tag.duration: false
    default: isTruthy(cell)
    }
  }

  static func byteSize(_ value: UnsafePointer<Cell>) -> Cell {
    switch value.pointee.tag {
    case Tag.longText, Tag.shortText...: Cell(Int64(value.textBytes.count))
    case Tag.bytes, Tag.list, Tag.map: Cell(Int64(value.pointee.outsideCount))
    default: Arithmetic.noOverload(value.pointee)
    }
  }

  // MARK: Numbers

  private static let unconvertible = Cell(fault: .conversion)

  static func int(_ value: UnsafePointer<Cell>) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.int: return cell
    case Tag.uint: return Int64(exactly: cell.uintValue).map { Cell($0) } ?? unconvertible
    case Tag.double:
      let number = cell.doubleValue
      if number.isNaN { return Cell(Int64(0)) }
      guard number >= -0x1p63, number <= 0x1p63 else { return unconvertible }
      return Cell(number == 0x1p63 ? Int64.max : Int64(number))
    case Tag.longText, Tag.shortText...:
      return RustNumbers.int(value.textBytes).map { Cell($0) } ?? unconvertible
    default: return Arithmetic.noOverload(cell)
    }
  }

  static func uint(_ value: UnsafePointer<Cell>) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.uint: return cell
    case Tag.int: return UInt64(exactly: cell.intValue).map { Cell($0) } ?? unconvertible
    case Tag.double:
      let number = cell.doubleValue
      if number.isNaN { return Cell(UInt64(0)) }
      guard number >= 0, number <= 0x1p64 else { return unconvertible }
      return Cell(number == 0x1p64 ? UInt64.max : UInt64(number))
    case Tag.longText, Tag.shortText...:
      return RustNumbers.uint(value.textBytes).map { Cell($0) } ?? unconvertible
    default: return Arithmetic.noOverload(cell)
    }
  }

  static func double(_ value: UnsafePointer<Cell>) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.int, Tag.uint, Tag.double: return Cell(cell.nearestDouble)
    case Tag.longText, Tag.shortText...:
      return RustNumbers.double(value.textBytes).map { Cell($0) } ?? unconvertible
    default: return Arithmetic.noOverload(cell)
    }
  }

  // MARK: Text

  static func copy(_ text: String, _ arena: inout Arena) -> Cell {
    var text = text
    return text.withUTF8 { arena.text(copying: $0) } ?? Cell(fault: .limitExceeded)
  }

  static func text(_ value: UnsafePointer<Cell>, _ arena: inout Arena) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.longText, Tag.shortText...: return cell
    case Tag.int: return copy(String(cell.intValue), &arena)
    case Tag.uint: return copy(String(cell.uintValue), &arena)
    case Tag.double: return copy(PlainDouble.text(cell.doubleValue), &arena)
    case Tag.timestamp: return copy(OffsetTime.text(cell), &arena)
    case Tag.duration: return copy(UnitDuration.text(cell.intValue), &arena)
    case Tag.bytes:
      return copy(String(decoding: value.textBytes, as: UTF8.self), &arena)
    default: return Arithmetic.noOverload(cell)
    }
  }

  static func duration(_ text: ByteView) -> Cell {
    UnitDuration.parse(text).map { Cell(TimeSpan(nanoseconds: $0)) } ?? unconvertible
  }

  static func timestamp(_ text: ByteView) -> Cell {
    OffsetTime.parse(text) ?? unconvertible
  }
}

/// Doubles as Rust prints them: the shortest digits that parse back, never an exponent.
enum PlainDouble {
  static func text(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-inf" : "inf" }
    let sign = value.sign == .minus ? "-" : ""
    let parts = value.magnitude.description.split(separator: "e")
    let number = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    var whole = String(number[0])
    var fraction = number.count > 1 ? String(number[1]) : ""
    var exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    while exponent > 0 {
      whole.append(fraction.isEmpty ? "0" : fraction.removeFirst())
      exponent -= 1
    }
    while exponent < 0 {
      fraction = String(whole.popLast() ?? "0") + fraction
      exponent += 1
    }
    while whole.count > 1, whole.hasPrefix("0") { whole.removeFirst() }
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return sign + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
  }
}

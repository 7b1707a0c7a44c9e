internal import CivilTime

/// Functions of one value as cel-interpreter has them: numbers and texts as Rust reads and writes
/// them, sizes in bytes.
extension Superscript {
  static func call(_ function: Function, _ operands: Operands, _ arena: inout Arena) -> Cell {
    for i in 0..<operands.count where !operands[i].pointee.isValue {
      return Arithmetic.absent(operands[i].pointee)
    }
    switch function {
    case .greatestOf: return greatest(operands)
    case .indexOrNull: return index(operands[0], operands[1])
    case .overlay: return overlay(operands[0].pointee, operands[1].pointee, in: &arena)
    case .answerFor: return answer(operands)
    case .negateWrapping: return negate(operands[0].pointee)
    case .superscriptTruth: return Cell(isTrueInJavaScript(operands[0].pointee))
    default: return convert(function, operands[0], &arena)
    }
  }

  private static func convert(
    _ function: Function, _ value: UnsafePointer<Cell>, _ arena: inout Arena
  ) -> Cell {
    let cell = value.pointee
    let refused = Arithmetic.noOverload(cell)
    switch function {
    case .byteSize: return byteSize(value)
    case .sameNumber: return Tag.int...Tag.double ~= cell.tag ? cell : refused
    case .requireText: return cell.isText ? cell : refused
    case .requireList: return cell.tag == Tag.list ? cell : refused
    case .requireKey: return isKey(cell) ? cell : Cell(fault: .badMapKey, cell.tag)
    case .toIntTruncating: return int(value)
    case .toUintTruncating: return uint(value)
    case .toDoubleParsing: return double(value)
    case .toPlainText: return text(value, &arena)
    case .textToBytes:
      return cell.isText
        ? Conversions.call(.toBytes, Operands(value, count: 1), &arena) : refused
    case .textToDuration: return cell.isText ? duration(value.textBytes) : refused
    case .textToTimestamp: return cell.isText ? timestamp(value.textBytes) : refused
    case .intToText: return cell.tag == Tag.int ? text(value, &arena) : refused
    case .uintToText: return cell.tag == Tag.uint ? text(value, &arena) : refused
    case .doubleToText: return cell.tag == Tag.double ? text(value, &arena) : refused
    case .boolToText:
      return cell.tag == Tag.bool ? copy(cell.boolValue ? "true" : "false", &arena) : refused
    default: return refused
    }
  }

  /// The reply to a question whose argument is known only now: what the map holds under it, or
  /// the reply for all others. The map, the argument, the other reply; what follows is ignored.
  private static func answer(_ operands: Operands) -> Cell {
    var work = 0
    guard operands[1].pointee.isText, operands[0].pointee.tag == Tag.map else {
      return operands[2].pointee
    }
    let found = isWithin(operands[1], operands[0], &work)
    return found == .true ? index(operands[0], operands[1]) : operands[2].pointee
  }

  /// Objects are true, empty ones too; NaN is not.
  private static func isTrueInJavaScript(_ cell: Cell) -> Bool {
    switch cell.tag {
    case Tag.list, Tag.map, Tag.bytes, Tag.timestamp, Tag.function: true
    case Tag.double: cell.doubleValue != 0 && !cell.doubleValue.isNaN
    // The evaluator reports a duration as null.
    case Tag.duration: false
    default: isTruthy(cell)
    }
  }

  private static func byteSize(_ value: UnsafePointer<Cell>) -> Cell {
    switch value.pointee.tag {
    case Tag.longText, Tag.shortText...: Cell(Int64(value.textBytes.count))
    case Tag.bytes, Tag.list, Tag.map: Cell(Int64(value.pointee.outsideCount))
    default: Arithmetic.noOverload(value.pointee)
    }
  }

  // MARK: Numbers

  private static let unconvertible = Cell(fault: .conversion)

  private static func int(_ value: UnsafePointer<Cell>) -> Cell {
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

  private static func uint(_ value: UnsafePointer<Cell>) -> Cell {
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

  private static func double(_ value: UnsafePointer<Cell>) -> Cell {
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

  private static func text(_ value: UnsafePointer<Cell>, _ arena: inout Arena) -> Cell {
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

  private static func duration(_ text: ByteView) -> Cell {
    UnitDuration.parse(text).map { Cell(TimeSpan(nanoseconds: $0)) } ?? unconvertible
  }

  private static func timestamp(_ text: ByteView) -> Cell {
    OffsetTime.parse(text) ?? unconvertible
  }
}

/// Doubles as Rust prints them: the shortest digits that read back, never an exponent.
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

internal import CivilTime

/// Conversions between types, such as `int()`, `string()` and `timestamp()`.
enum Conversions {
  // SAFETY: Views of operands are read during the call, and results are copied. Bytes become a
  // string only if they are valid UTF-8. Tests: HostileInputTests.brokenTexts, AnyOperandsTests.

  private static func fault(_ value: UnsafePointer<Cell>) -> Cell {
    Arithmetic.noOverload(value.pointee)
  }

  private static let unconvertible = Cell(fault: .conversion)

  static func int(_ value: UnsafePointer<Cell>) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.int: return cell
    case Tag.uint: return Int64(exactly: cell.uintValue).map { Cell($0) } ?? Cell(fault: .overflow)
    case Tag.double:
      // The interval is open, because neither end is certain to truncate into the range.
      guard cell.doubleValue > -0x1p63, cell.doubleValue < 0x1p63 else {
        return Cell(fault: .overflow)
      }
      return Cell(Int64(cell.doubleValue))
    case Tag.timestamp: return Cell(cell.timestampValue.seconds)
    case Tag.longText, Tag.shortText...:
      return integer(value.textBytes) ?? unconvertible
    default: return fault(value)
    }
  }

  /// Parses decimal digits with an optional sign, as Go's ParseInt does.
  private static func integer(_ text: ByteView) -> Cell? {
    var at = 0
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative || text.first == UInt8(ascii: "+") { at = 1 }
    guard at < text.count, let magnitude = Digits.number(text[at...]) else { return nil }
    if isNegative {
      guard magnitude <= 1 << 63 else { return nil }
      return Cell(Int64(bitPattern: 0 &- magnitude))
    }
    return Int64(exactly: magnitude).map { Cell($0) }
  }

  static func uint(_ value: UnsafePointer<Cell>) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.uint: return cell
    case Tag.int:
      return UInt64(exactly: cell.intValue).map { Cell($0) } ?? Cell(fault: .overflow)
    case Tag.double:
      guard cell.doubleValue >= 0, cell.doubleValue < 0x1p64 else { return Cell(fault: .overflow) }
      return Cell(UInt64(cell.doubleValue))
    case Tag.longText, Tag.shortText...:
      return Digits.number(value.textBytes).map { Cell($0) } ?? unconvertible
    default: return fault(value)
    }
  }

  static func double(_ value: UnsafePointer<Cell>) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.double: return cell
    case Tag.int: return Cell(Double(cell.intValue))
    case Tag.uint: return Cell(Double(cell.uintValue))
    case Tag.longText, Tag.shortText...:
      return DoubleText.parse(value.textBytes).map { Cell($0) } ?? unconvertible
    default: return fault(value)
    }
  }

  static func bool(_ value: UnsafePointer<Cell>) -> Cell {
    if value.pointee.tag == Tag.bool { return value.pointee }
    guard value.pointee.isText else { return fault(value) }
    switch value.pointee.text {
    case "1", "t", "T", "true", "TRUE", "True": return .true
    case "0", "f", "F", "false", "FALSE", "False": return .false
    default: return unconvertible
    }
  }

  static func bytes(_ value: UnsafePointer<Cell>, _ arena: inout Arena) -> Cell {
    if value.pointee.tag == Tag.bytes { return value.pointee }
    guard value.pointee.isText else { return fault(value) }
    let text = value.textBytes
    guard let copy = arena.allocate(max(text.count, 1)) else { return Cell(fault: .limitExceeded) }
    if let start = text.baseAddress { copy.copyMemory(from: start, byteCount: text.count) }
    return Cell(tag: Tag.bytes, count: text.count, at: copy)
  }

  /// A value as a string. Doubles are printed like Go's `%g` with the shortest digits that parse back.
  static func text(_ value: UnsafePointer<Cell>, _ arena: inout Arena) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.longText, Tag.shortText...: return cell
    case Tag.int: return copy(String(cell.intValue), &arena)
    case Tag.uint: return copy(String(cell.uintValue), &arena)
    case Tag.double: return copy(DoubleText.converted(cell.doubleValue), &arena)
    case Tag.bool: return copy(cell.boolValue ? "true" : "false", &arena)
    case Tag.timestamp: return copy(cell.timestampValue.text, &arena)
    case Tag.duration: return copy(cell.durationValue.text, &arena)
    case Tag.ip, Tag.cidr: return Network.text(cell, &arena)
    case Tag.version: return Versions.text(cell, &arena)
    case Tag.bytes:
      guard UTF8Scan.isValid(value.textBytes) else { return unconvertible }
      return arena.text(copying: value.textBytes) ?? Cell(fault: .limitExceeded)
    default: return fault(value)
    }
  }

  private static func copy(_ text: String, _ arena: inout Arena) -> Cell {
    var text = text
    return text.withUTF8 { arena.text(copying: $0) } ?? Cell(fault: .limitExceeded)
  }

  static func duration(_ value: UnsafePointer<Cell>) -> Cell {
    if value.pointee.tag == Tag.duration { return value.pointee }
    guard value.pointee.isText else { return fault(value) }
    do throws(DurationTextError) {
      return Cell(try TimeSpan(duration: value.textBytes))
    } catch {
      return error == .outOfRange ? Cell(fault: .overflow) : unconvertible
    }
  }

  static func timestamp(_ value: UnsafePointer<Cell>) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.timestamp: return cell
    case Tag.int:
      return Timestamp(seconds: cell.intValue).map { Cell($0) } ?? Cell(fault: .overflow)
    case Tag.longText, Tag.shortText...:
      do throws(TimestampTextError) {
        return Cell(try Timestamp(rfc3339: value.textBytes))
      } catch {
        return error == .outOfRange ? Cell(fault: .overflow) : unconvertible
      }
    default: return fault(value)
    }
  }
}

/// Doubles as strings, as CEL's reference implementation reads and writes them.
enum DoubleText {
  // SAFETY: The views of the operand and of a local array end with the call.
  // Tests: AnyOperandsTests, ReferenceTests.

  /// The result of `string()` for a double, like Go's `%g`: the shortest digits that parse back to the same double.
  /// Below 1e-4 and from 1e6 on, the result has an exponent of at least two digits.
  static func converted(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return shortest(value, exponentFrom: 6)
  }

  /// The shortest digits of a finite double, as `format` prints them. Below 1e-4 and from 1e21 on, the result has an
  /// exponent.
  static func formatted(_ value: Double) -> String { shortest(value, exponentFrom: 21) }

  private static func shortest(_ value: Double, exponentFrom highest: Int) -> String {
    if value == 0 { return value.sign == .minus ? "-0" : "0" }
    let (digits, exponent) = decimal(value.magnitude)
    let sign = value < 0 ? "-" : ""
    if exponent < -4 || exponent >= highest {
      let rest = digits.dropFirst()
      let power = String(exponent.magnitude)
      return sign + digits.prefix(1) + (rest.isEmpty ? "" : "." + rest) + "e"
        + (exponent < 0 ? "-" : "+") + (power.count < 2 ? "0" : "") + power
    }
    if exponent < 0 {
      return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits
    }
    if digits.count <= exponent + 1 {
      return sign + digits + String(repeating: "0", count: exponent + 1 - digits.count)
    }
    return sign + digits.prefix(exponent + 1) + "." + digits.dropFirst(exponent + 1)
  }

  /// The significant digits of a positive double, and the power of ten of the first digit.
  private static func decimal(_ value: Double) -> (digits: String, exponent: Int) {
    let parts = value.description.split(separator: "e")
    var exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let number = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let whole = number[0]
    let fraction = number.count > 1 ? number[1] : ""
    var digits = String(whole + fraction)
    exponent += whole.count - 1
    while digits.hasPrefix("0"), digits.count > 1 {
      digits.removeFirst()
      exponent -= 1
    }
    while digits.hasSuffix("0"), digits.count > 1 { digits.removeLast() }
    return (digits, exponent)
  }

  /// Parses a number as Go's ParseFloat does: sign, digits, fraction and exponent, or inf and nan.
  static func parse(_ text: ByteView) -> Double? {
    var body = text[...]
    let isNegative = body.first == UInt8(ascii: "-")
    if isNegative || body.first == UInt8(ascii: "+") { body = body.dropFirst() }
    let word = String(decoding: body, as: UTF8.self).lowercased()
    if word == "inf" || word == "infinity" { return isNegative ? -.infinity : .infinity }
    if word == "nan" { return .nan }
    guard let first = body.first, first &- 0x30 < 10 || first == UInt8(ascii: "."),
      body.allSatisfy({ $0 &- 0x30 < 10 || [0x2E, 0x65, 0x45, 0x2B, 0x2D].contains($0) }),
      body.contains(where: { $0 &- 0x30 < 10 })
    else { return nil }
    var digits = Array(body)
    if digits[0] == UInt8(ascii: ".") { digits.insert(UInt8(ascii: "0"), at: 0) }
    guard let value = digits.withUnsafeBufferPointer({ NumberText.double($0) }) else { return nil }
    return isNegative ? -value : value
  }
}

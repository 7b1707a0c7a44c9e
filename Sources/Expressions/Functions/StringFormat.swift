internal import CivilTime

/// `text.format([values])` of the strings extension of CEL: `%s %d %f %e %b %o %x %X` and `%%`,
/// with a precision for `%f` and `%e`.
enum StringFormat {
  // SAFETY: Digits are counted before they are written, and the precision is limited. Clauses are
  // slices of the format, compared with its count. Tests: StringFormatTests, asan.

  /// The highest precision that other implementations accept.
  private static let mostPrecise = 1000

  /// The format with its clauses replaced by the elements of the list, in order. Elements without a clause are
  /// ignored.
  static func format(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let format = operands.text(0), let values = operands.elements(1) else {
      return operands.refused
    }
    var text = ByteBuilder(in: &arena)
    var at = 0
    var used = 0
    while at < format.count {
      let literal = ByteView(rebasing: format[at...].prefix { $0 != UInt8(ascii: "%") })
      text.append(literal, &arena)
      at += literal.count
      guard at < format.count else { break }
      guard let clause = Clause(format, at: &at) else { return Cell(fault: .conversion) }
      if clause.kind == .percent {
        text.append(UInt8(ascii: "%"), &arena)
        continue
      }
      guard let base = values.baseAddress, used < values.count else {
        return Cell(fault: .indexOutOfRange)
      }
      if let fault = append(base + used, as: clause, to: &text, &arena) { return fault }
      used += 1
    }
    return text.finish(&arena)
  }

  // MARK: Clauses

  /// One clause of a format.
  private struct Clause {
    enum Kind: UInt8 {
      case percent = 0x25
      case upperHex = 0x58
      case binary = 0x62
      case decimal = 0x64
      case scientific = 0x65
      case fixed = 0x66
      case octal = 0x6F
      case text = 0x73
      case hex = 0x78
    }

    var kind: Kind
    var precision = 6

    /// Parses the clause whose percent sign is here, or returns nil if there is none.
    init?(_ format: ByteView, at place: inout Int) {
      place += 1
      let start = place
      if place < format.count, format[place] == UInt8(ascii: ".") {
        place += 1
        precision = 0
        while place < format.count, format[place] &- 0x30 < 10 {
          precision = precision * 10 + Int(format[place] &- 0x30)
          guard precision <= mostPrecise else { return nil }
          place += 1
        }
        guard place > start + 1 else { return nil }
      }
      guard place < format.count, let kind = Kind(rawValue: format[place]),
        kind != .percent || place == start
      else { return nil }
      self.kind = kind
      place += 1
    }
  }

  /// Appends a value as a clause specifies. Returns the error if that is impossible.
  private static func append(
    _ value: UnsafePointer<Cell>, as clause: Clause, to text: inout ByteBuilder,
    _ arena: inout Arena
  ) -> Cell? {
    switch clause.kind {
    case .percent: return nil
    case .text: return append(value, depth: 0, to: &text, &arena)
    case .decimal: return appendDecimal(value, to: &text, &arena)
    case .fixed, .scientific:
      guard let number = number(value) else {
        return value.pointee.isText ? Cell(fault: .conversion) : refused(value)
      }
      guard number.isFinite else { return append(special: number, to: &text, &arena) }
      let exact = ExactDecimal(number)
      if clause.kind == .fixed {
        exact.appendFixed(precision: clause.precision, to: &text, &arena)
      } else {
        exact.appendScientific(precision: clause.precision, to: &text, &arena)
      }
      return nil
    case .binary:
      if value.pointee.tag == Tag.bool {
        text.append(UInt8(ascii: value.pointee.boolValue ? "1" : "0"), &arena)
        return nil
      }
      return append(value, radix: 2, to: &text, &arena)
    case .octal: return append(value, radix: 8, to: &text, &arena)
    case .hex, .upperHex:
      let isUpper = clause.kind == .upperHex
      if value.pointee.isText || value.pointee.tag == Tag.bytes {
        appendHex(value.textBytes, isUpper: isUpper, to: &text, &arena)
        return nil
      }
      return append(value, radix: 16, isUpper: isUpper, to: &text, &arena)
    }
  }

  private static func refused(_ value: UnsafePointer<Cell>) -> Cell {
    Cell(fault: .noSuchOverload, Tag.shortText, value.pointee.tag)
  }

  /// The number that `%f` and `%e` print. The strings "NaN", "Infinity" and "-Infinity" mean numbers too.
  private static func number(_ value: UnsafePointer<Cell>) -> Double? {
    switch value.pointee.tag {
    case Tag.int, Tag.uint, Tag.double: return value.pointee.nearestDouble
    case Tag.shortText...:
      switch value.pointee.text {
      case "NaN": return .nan
      case "Infinity": return .infinity
      case "-Infinity": return -.infinity
      default: return nil
      }
    default: return nil
    }
  }

  private static func append(
    special value: Double, to text: inout ByteBuilder, _ arena: inout Arena
  ) -> Cell? {
    text.append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity", &arena)
    return nil
  }

  /// Prints `%d`: integers, and other numbers with all of their digits. A number from JSON may be a double that is
  /// whole.
  private static func appendDecimal(
    _ value: UnsafePointer<Cell>, to text: inout ByteBuilder, _ arena: inout Arena
  ) -> Cell? {
    guard value.pointee.tag == Tag.double else {
      return append(value, radix: 10, to: &text, &arena)
    }
    let number = value.pointee.doubleValue
    guard number.isFinite else { return append(special: number, to: &text, &arena) }
    if number == number.rounded(.towardZero) {
      ExactDecimal(number).appendFixed(precision: 0, to: &text, &arena)
    } else {
      text.append(DoubleText.formatted(number), &arena)
    }
    return nil
  }

  private static func append(
    _ value: UnsafePointer<Cell>, radix: UInt64, isUpper: Bool = false,
    to text: inout ByteBuilder, _ arena: inout Arena
  ) -> Cell? {
    var rest: UInt64
    switch value.pointee.tag {
    case Tag.int:
      rest = value.pointee.intValue.magnitude
      if value.pointee.intValue < 0 { text.append(UInt8(ascii: "-"), &arena) }
    case Tag.uint: rest = value.pointee.uintValue
    default: return refused(value)
    }
    var length = 1
    var power = rest / radix
    while power > 0 {
      length += 1
      power /= radix
    }
    text.append(upTo: length, &arena) { digits in
      for place in stride(from: length - 1, through: 0, by: -1) {
        digits[place] = digit(UInt8(rest % radix), isUpper)
        rest /= radix
      }
      return length
    }
    return nil
  }

  private static func digit(_ value: UInt8, _ isUpper: Bool) -> UInt8 {
    value < 10
      ? UInt8(ascii: "0") + value : UInt8(ascii: isUpper ? "A" : "a") + (value - 10)
  }

  private static func appendHex(
    _ bytes: ByteView, isUpper: Bool, to text: inout ByteBuilder, _ arena: inout Arena
  ) {
    text.append(upTo: bytes.count * 2, &arena) { target in
      for (i, byte) in bytes.enumerated() {
        target[2 * i] = digit(byte >> 4, isUpper)
        target[2 * i + 1] = digit(byte & 0x0F, isUpper)
      }
      return bytes.count * 2
    }
  }

  // MARK: Values as strings

  /// Appends a value as `%s` prints it. Strings inside lists and maps have no quotes either.
  private static func append(
    _ value: UnsafePointer<Cell>, depth: Int, to text: inout ByteBuilder, _ arena: inout Arena
  ) -> Cell? {
    let cell = value.pointee
    switch cell.tag {
    case Tag.longText, Tag.shortText...: text.append(value.textBytes, &arena)
    case Tag.null: text.append("null", &arena)
    case Tag.bool: text.append(cell.boolValue ? "true" : "false", &arena)
    case Tag.int, Tag.uint: return append(value, radix: 10, to: &text, &arena)
    case Tag.double:
      let number = cell.doubleValue
      guard number.isFinite else { return append(special: number, to: &text, &arena) }
      text.append(DoubleText.formatted(number), &arena)
    case Tag.bytes:
      guard UTF8Scan.isValid(value.textBytes) else { return Cell(fault: .conversion) }
      text.append(value.textBytes, &arena)
    case Tag.timestamp:
      text.append(upTo: Timestamp.longestText, &arena) { cell.timestampValue.write(into: $0) }
    case Tag.duration:
      text.append(upTo: TimeSpan.longestText, &arena) { cell.durationValue.write(into: $0) }
    case Tag.type:
      let type = TypeName(rawValue: UInt8(truncatingIfNeeded: cell.high))
      text.append(type?.name ?? "dyn", &arena)
    case Tag.ip, Tag.cidr: Network.append(cell, to: &text, &arena)
    case Tag.version: Versions.append(cell, to: &text, &arena)
    case Tag.list: return appendList(cell.elements, depth: depth, to: &text, &arena)
    case Tag.map: return appendMap(cell.entries, depth: depth, to: &text, &arena)
    default: return refused(value)
    }
    return nil
  }

  /// Whether printing must stop. A value that is shared many times is printed many times, until the arena's limit is
  /// reached.
  private static func isPast(_ depth: Int, _ text: ByteBuilder) -> Bool {
    depth >= Nesting.deepest || text.isFull
  }

  private static func appendList(
    _ elements: UnsafeBufferPointer<Cell>, depth: Int, to text: inout ByteBuilder,
    _ arena: inout Arena
  ) -> Cell? {
    guard !isPast(depth, text) else { return Cell(fault: .limitExceeded) }
    text.append(UInt8(ascii: "["), &arena)
    if let base = elements.baseAddress {
      for i in 0..<elements.count {
        if i > 0 { text.append(", ", &arena) }
        if let fault = append(base + i, depth: depth + 1, to: &text, &arena) { return fault }
      }
    }
    text.append(UInt8(ascii: "]"), &arena)
    return nil
  }

  /// Appends a map. The entries are sorted by the strings of their keys.
  private static func appendMap(
    _ entries: UnsafeBufferPointer<Cell>, depth: Int, to text: inout ByteBuilder,
    _ arena: inout Arena
  ) -> Cell? {
    guard !isPast(depth, text) else { return Cell(fault: .limitExceeded) }
    let count = entries.count / 2
    text.append(UInt8(ascii: "{"), &arena)
    if let base = entries.baseAddress, count > 0 {
      guard let memory = arena.cells(count) else { return Cell(fault: .limitExceeded) }
      for i in 0..<count {
        let key = Conversions.text(base + 2 * i, &arena)
        guard key.isText else { return key }
        memory[i] = key
      }
      let keys = UnsafePointer(memory)
      let order = StableSort.order(of: count, &arena) {
        Comparing.orderBytes((keys + $0).textBytes, (keys + $1).textBytes) == .less
      }
      guard let order else { return Cell(fault: .limitExceeded) }
      for i in 0..<count {
        if i > 0 { text.append(", ", &arena) }
        text.append((keys + order[i]).textBytes, &arena)
        text.append(": ", &arena)
        let value = base + 2 * order[i] + 1
        if let fault = append(value, depth: depth + 1, to: &text, &arena) { return fault }
      }
    }
    text.append(UInt8(ascii: "}"), &arena)
    return nil
  }
}

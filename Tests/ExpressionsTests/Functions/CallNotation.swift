@testable import CivilTime
@testable import Expressions

/// Calls functions directly on cells, from a notation that reads well in tables.
///
/// `charAt('tacocat', 3)` calls ``Function/charAt``; calls may be inside each other. Operands are
/// `1`, `1u`, `1.0`, `'text'` (or with `"`, without escapes), `b'bytes'`, `[1, 2]`, `{'a': 1}`,
/// `true`, `false` and `null`; `missing` and `unknown` are not values. A bar in front of a text, as
/// in `|1000 'ab'`, repeats it.
struct CallNotation: ~Copyable {
  private let source: [UInt8]
  private var at = 0
  private var arena: Arena
  /// The types of the operands of the last call.
  private var lastOperands: [TypeName?] = []

  /// The result of a call in the same notation, with `error` and a slug for faults.
  static func result(_ call: String, limit: Int = 4 << 20) -> String {
    var notation = CallNotation(call, limit: limit)
    return notation.described()
  }

  /// The types of the operands and of the result of a call; nil for what is not a value.
  static func types(_ call: String, limit: Int = 4 << 20) -> (
    operands: [TypeName?], result: TypeName?
  ) {
    var notation = CallNotation(call, limit: limit)
    let result = type(of: notation.operand())
    return (notation.lastOperands, result)
  }

  private static func type(of cell: Cell) -> TypeName? {
    cell.isValue ? TypeName(of: cell) : nil
  }

  private init(_ call: String, limit: Int) {
    source = Array(call.utf8)
    arena = Arena(limit: limit)
  }
}

extension CallNotation {
  private mutating func described() -> String {
    let cell = operand()
    skipSpace()
    precondition(at == source.count, "the notation ends too early")
    return text(cell)
  }

  // MARK: Reading

  private mutating func skipSpace() {
    while at < source.count, source[at] == UInt8(ascii: " ") { at += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard at < source.count, source[at] == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func word() -> String {
    skipSpace()
    let start = at
    let others = Array("+-._".utf8)
    while at < source.count,
      (source[at] | 0x20) &- 0x61 < 26 || source[at] &- 0x30 < 10 || others.contains(source[at])
    {
      at += 1
    }
    return String(decoding: source[start..<at], as: UTF8.self)
  }

  private mutating func quoted() -> [UInt8] {
    let quote = source[at]
    let end = source[(at + 1)...].firstIndex(of: quote) ?? source.count
    defer { at = end + 1 }
    return Array(source[(at + 1)..<end])
  }

  private mutating func cells(_ values: [Cell], _ tag: UInt8, count: Int) -> Cell {
    guard let memory = arena.cells(max(values.count, 1)) else { preconditionFailure() }
    for (i, value) in values.enumerated() { memory[i] = value }
    return Cell(tag: tag, count: count, at: memory)
  }

  private mutating func operands(until end: Unicode.Scalar) -> [Cell] {
    var values: [Cell] = []
    while !take(end) {
      values.append(operand())
      if take(":") { values.append(operand()) }
      _ = take(",")
    }
    return values
  }

  private mutating func bytes(_ bytes: [UInt8], _ tag: UInt8) -> Cell {
    guard let memory = arena.allocate(bytes.count) else { preconditionFailure() }
    bytes.withUnsafeBytes {
      if let start = $0.baseAddress { memory.copyMemory(from: start, byteCount: $0.count) }
    }
    if tag == Tag.bytes { return Cell(tag: tag, count: bytes.count, at: memory) }
    return Cell(
      textAt: ByteView(start: memory.assumingMemoryBound(to: UInt8.self), count: bytes.count))
  }

  private mutating func operand() -> Cell {
    if take("[") {
      let values = operands(until: "]")
      return cells(values, Tag.list, count: values.count)
    }
    if take("{") {
      let values = operands(until: "}")
      return cells(values, Tag.map, count: values.count / 2)
    }
    var times = 1
    if take("|") { times = Int(word()) ?? 1 }
    skipSpace()
    if source[at] == UInt8(ascii: "'") || source[at] == UInt8(ascii: "\"") {
      let once = quoted()
      return bytes((0..<times).flatMap { _ in once }, Tag.longText)
    }
    let name = word()
    if name == "b", at < source.count, source[at] == UInt8(ascii: "'") {
      return bytes(quoted(), Tag.bytes)
    }
    if take("(") { return call(name, operands(until: ")")) }
    return literal(name)
  }

  private func literal(_ word: String) -> Cell {
    switch word {
    case "true": return .true
    case "false": return .false
    case "null": return .null
    case "missing": return .missing
    case "unknown": return Cell(low: UInt64(Tag.unknown), high: 0)
    case "none": return Cell(tag: Tag.optional, count: 0, at: nil)
    default:
      if let int = Int64(word) { return Cell(int) }
      if word.hasSuffix("u"), let uint = UInt64(word.dropLast()) { return Cell(uint) }
      guard let double = Double(word) else { preconditionFailure("no operand: \(word)") }
      return Cell(double)
    }
  }

  // MARK: Calling

  private mutating func call(_ name: String, _ values: [Cell]) -> Cell {
    lastOperands = values.map(CallNotation.type)
    if let fault = values.first(where: { $0.tag == Tag.fault }) { return fault }
    guard let function = Function.allCases.first(where: { String(describing: $0) == name }) else {
      preconditionFailure("no function: \(name)")
    }
    guard let base = cells(values, Tag.list, count: values.count).elements.baseAddress else {
      preconditionFailure("no operands: \(name)")
    }
    return Calls.call(function, Operands(base, count: values.count), &arena)
  }

  // MARK: Describing

  private mutating func text(_ cell: Cell) -> String {
    switch cell.tag {
    case Tag.fault:
      let kind = EvaluationError.Kind(rawValue: UInt8(truncatingIfNeeded: cell.low >> 8))
      return "error \(kind?.slug ?? "?")"
    case Tag.null: return "null"
    case Tag.bool: return "\(cell.boolValue)"
    case Tag.int: return "\(cell.intValue)"
    case Tag.uint: return "\(cell.uintValue)u"
    case Tag.double: return "\(cell.doubleValue)"
    case Tag.bytes: return "b'\(cell.text)'"
    case Tag.ip, Tag.cidr: return Network.text(cell, &arena).text
    case Tag.version: return Versions.text(cell, &arena).text
    case Tag.list: return "[" + texts(cell.elements).joined(separator: ", ") + "]"
    case Tag.map: return "{" + texts(cell.entries).joined(separator: ", ") + "}"
    case Tag.optional: return "optional(" + texts(cell.elements).joined() + ")"
    case Tag.type: return Value(cell).typeName
    case Tag.timestamp: return cell.timestampValue.text
    case Tag.duration: return cell.durationValue.text
    case Tag.longText, Tag.shortText...:
      return cell.text.contains("'") ? cell.text : "'\(cell.text)'"
    default: return "tag \(cell.tag)"
    }
  }

  private mutating func texts(_ cells: UnsafeBufferPointer<Cell>) -> [String] {
    var texts: [String] = []
    for cell in cells { texts.append(text(cell)) }
    return texts
  }
}

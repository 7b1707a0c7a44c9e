internal import CivilTime

/// Converts values to strings and numbers, as Ruby's and JavaScript's Liquid do.
extension RenderingState {
  // SAFETY: The bytes of a value are its own, or a copy in the arena that is made before the
  // scratch buffer is used again. Tests: RenderingTests, corpus, asan.

  /// Appends the printed form of a value. If the value has no printed form, nothing is appended and the result is
  /// false.
  @inline(__always)
  mutating func print(_ value: UnsafePointer<Cell>) -> Bool {
    let cell = value.pointee
    if cell.isText {
      append(text: value.textBytes)
      return true
    }
    if cell.tag == Tag.int {
      output.append(number: cell.intValue)
      return true
    }
    return printOther(value)
  }

  @inline(__always)
  private mutating func append(text: ByteView) {
    if escapesHTML {
      HTMLText.escape(text, into: &output, HTMLText.outputNames)
    } else {
      output.append(text)
    }
  }

  @inline(never)
  private mutating func printOther(_ value: UnsafePointer<Cell>) -> Bool {
    let mark = scratch.count
    let isText = LiquidConversions.append(value, to: &scratch, style, depth: 0)
    let bytes = ByteView(start: scratch.start + mark, count: scratch.count - mark)
    append(text: bytes)
    scratch.truncate(to: mark)
    return isText
  }

  /// The bytes of a value as a string: the value's own bytes, or a copy in the arena.
  mutating func text(_ value: UnsafePointer<Cell>, _ arena: inout Arena) -> ByteView {
    if value.pointee.isText { return value.textBytes }
    if value.pointee.isNil { return ByteView(start: nil, count: 0) }
    let mark = scratch.count
    // Inside a string, a list is written as Ruby and JavaScript write lists.
    LiquidConversions.appendAsPart(value, to: &scratch, style)
    defer { scratch.truncate(to: mark) }
    let count = scratch.count - mark
    guard count > 0, let copy = arena.allocate(count) else { return ByteView(start: nil, count: 0) }
    let bytes = copy.bindMemory(to: UInt8.self, capacity: count)
    bytes.update(from: scratch.start + mark, count: count)
    return ByteView(start: bytes, count: count)
  }

  /// The bytes that were appended to the scratch buffer after `mark`, as a string.
  mutating func takeText(from mark: Int, _ arena: inout Arena) -> Cell {
    defer { scratch.truncate(to: mark) }
    if scratch.isFull { return Cell(fault: .limitExceeded) }
    let bytes = ByteView(start: scratch.start + mark, count: scratch.count - mark)
    return arena.text(copying: bytes) ?? Cell(fault: .limitExceeded)
  }
}

// SAFETY: Tags are checked before views are read, and every index is compared with the count.
// Tests: RenderingTests, AnyArgumentsTests, corpus.
enum LiquidConversions {
  /// Appends the printed form of a value. The result is false if the value has no printed form: `[object Object]` and
  /// NaN are not printed.
  @discardableResult
  static func append(
    _ value: UnsafePointer<Cell>, to buffer: inout OutputBuffer, _ style: LiquidStyle, depth: Int
  ) -> Bool {
    let cell = value.pointee
    switch cell.tag {
    case Tag.longText, Tag.shortText...: buffer.append(value.textBytes)
    case Tag.int: buffer.append(number: cell.intValue)
    case Tag.uint: buffer.append(String(cell.uintValue))
    case Tag.bool: buffer.append(cell.boolValue ? "true" as StaticString : "false" as StaticString)
    case Tag.double:
      guard cell.doubleValue.isFinite else { return false }
      buffer.append(cell.doubleValue, style.numbers)
    case Tag.list:
      guard depth < Nesting.deepest, let base = cell.elements.baseAddress else { return true }
      var isText = true
      for i in 0..<cell.outsideCount where !buffer.isFull {
        isText = append(base + i, to: &buffer, style, depth: depth + 1) && isText
      }
      return isText
    case Tag.map:
      if style.isJavaScript { return false }
      appendInspected(value, to: &buffer, style, depth: depth)
    case Tag.range, Tag.descending, Tag.emptyRange: appendRange(cell, to: &buffer, style)
    case Tag.timestamp: buffer.append(cell.timestampValue.text)
    case Tag.duration: buffer.append(cell.durationValue.text)
    default: break
    }
    return true
  }

  private static func appendRange(_ cell: Cell, to buffer: inout OutputBuffer, _ style: LiquidStyle)
  {
    if style.isJavaScript {
      for i in 0..<cell.rangeCount where !buffer.isFull {
        buffer.append(number: cell.rangeElement(i).intValue)
        if buffer.isFull { return }
      }
      return
    }
    buffer.append(number: cell.intValue)
    buffer.append(".." as StaticString)
    buffer.append(number: cell.rangeEnd)
  }

  /// Appends the string that filters use for a value.
  static func appendAsPart(
    _ value: UnsafePointer<Cell>, to buffer: inout OutputBuffer, _ style: LiquidStyle
  ) {
    switch value.pointee.tag {
    case Tag.list where !style.isJavaScript: appendInspected(value, to: &buffer, style, depth: 0)
    default: append(value, to: &buffer, style, depth: 0)
    }
  }

  /// Appends a value in the form of Ruby's `inspect`: `{"a"=>[1, nil]}`.
  static func appendInspected(
    _ value: UnsafePointer<Cell>, to buffer: inout OutputBuffer, _ style: LiquidStyle, depth: Int
  ) {
    guard depth < Nesting.deepest, !buffer.isFull else { return }
    let cell = value.pointee
    switch cell.tag {
    case ...Tag.null: buffer.append("nil" as StaticString)
    case Tag.longText, Tag.shortText...: appendQuoted(value.textBytes, to: &buffer)
    case Tag.list:
      buffer.append(UInt8(ascii: "["))
      for i in 0..<cell.outsideCount {
        if i > 0 { buffer.append(", " as StaticString) }
        if let base = cell.elements.baseAddress {
          appendInspected(base + i, to: &buffer, style, depth: depth + 1)
        }
      }
      buffer.append(UInt8(ascii: "]"))
    case Tag.map:
      buffer.append(UInt8(ascii: "{"))
      for i in 0..<cell.outsideCount {
        if i > 0 { buffer.append(", " as StaticString) }
        if let base = cell.entries.baseAddress {
          appendInspected(base + 2 * i, to: &buffer, style, depth: depth + 1)
          buffer.append("=>" as StaticString)
          appendInspected(base + 2 * i + 1, to: &buffer, style, depth: depth + 1)
        }
      }
      buffer.append(UInt8(ascii: "}"))
    default: append(value, to: &buffer, style, depth: depth)
    }
  }

  private static func appendQuoted(_ text: ByteView, to buffer: inout OutputBuffer) {
    buffer.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        buffer.append(UInt8(ascii: "\\"))
        buffer.append(byte)
      case 0x0A: buffer.append("\\n" as StaticString)
      case 0x0D: buffer.append("\\r" as StaticString)
      case 0x09: buffer.append("\\t" as StaticString)
      default: buffer.append(byte)
      }
    }
    buffer.append(UInt8(ascii: "\""))
  }

  // MARK: Numbers

  /// White space as defined by Ruby's `strip` and C.
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 9 < 5 }

  static func trimmed(_ text: ByteView, _ isDropped: (UInt8) -> Bool = isSpace) -> ByteView {
    var (from, to) = (0, text.count)
    while from < to, isDropped(text[from]) { from += 1 }
    while to > from, isDropped(text[to - 1]) { to -= 1 }
    return ByteView(rebasing: text[from..<to])
  }

  /// A value as a number: an int cell for an integer, a double cell for a decimal.
  static func rubyNumber(_ value: UnsafePointer<Cell>) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.int, Tag.double: return cell
    case Tag.uint: return Cell(Double(cell.uintValue))
    case Tag.longText, Tag.shortText...:
      let text = trimmed(value.textBytes)
      if text.contains(UInt8(ascii: ".")), let decimal = LiquidDecimal(text) {
        return Cell(decimal.double)
      }
      return leadingInteger(text)
    default: return Cell(Int64(0))
    }
  }

  /// The whole number at the beginning of a string, or 0.
  private static func leadingInteger(_ text: ByteView) -> Cell {
    var i = 0
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative || text.first == UInt8(ascii: "+") { i += 1 }
    let start = i
    var value: Int64 = 0
    while i < text.count {
      // An underscore is only valid between two digits.
      if text[i] == UInt8(ascii: "_"), i > start, i + 1 < text.count, text[i + 1] &- 0x30 < 10 {
        i += 1
        continue
      }
      guard text[i] &- 0x30 < 10 else { break }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = tens.addingReportingOverflow(Int64(text[i] &- 0x30))
      guard !over, !overflow else { return Cell(fault: .overflow) }
      value = sum
      i += 1
    }
    return Cell(isNegative ? -value : value)
  }

  /// A value as ECMAScript's `Number(value)` reads it, or NaN if it is not a number.
  static func javaScriptNumber(_ value: UnsafePointer<Cell>) -> Double {
    let cell = value.pointee
    switch cell.tag {
    case Tag.int: return Double(cell.intValue)
    case Tag.uint: return Double(cell.uintValue)
    case Tag.double: return cell.doubleValue
    case Tag.null: return 0
    case Tag.bool: return cell.boolValue ? 1 : 0
    case Tag.word: return 0
    case Tag.longText, Tag.shortText...: return javaScriptNumber(value.textBytes)
    case Tag.list:
      if cell.outsideCount == 0 { return 0 }
      guard cell.outsideCount == 1, let base = cell.elements.baseAddress,
        base.pointee.tag != Tag.list
      else { return .nan }
      return base.pointee.isNil ? 0 : javaScriptNumber(base)
    default: return .nan
    }
  }

  private static let longestNumber = 1_024

  static func javaScriptNumber(_ text: ByteView) -> Double {
    let text = trimmed(text)
    if text.isEmpty { return 0 }
    // People write no numbers of this length, and parsing them takes long.
    if text.count > longestNumber { return .nan }
    if text.count > 2, text[0] == 0x30, let radix = radix(text[1]) {
      var value = 0.0
      for byte in text.dropFirst(2) {
        guard let digit = Digits.hex(byte), Int(digit) < radix else { return .nan }
        value = value * Double(radix) + Double(digit)
      }
      return value
    }
    let sign = text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") ? 1 : 0
    let digits = ByteView(rebasing: text[sign...])
    if digits.elementsEqual("Infinity".utf8) {
      return text[0] == UInt8(ascii: "-") ? -.infinity : .infinity
    }
    guard let first = digits.first, first &- 0x30 < 10 || first == UInt8(ascii: "."),
      digits.allSatisfy({
        $0 &- 0x30 < 10 || $0 == 0x2E || $0 | 0x20 == 0x65 || $0 == 0x2B || $0 == 0x2D
      })
    else { return .nan }
    if let value = NumberText.double(digits) {
      return text[0] == UInt8(ascii: "-") ? -value : value
    }
    return Double(String(decoding: text, as: UTF8.self)) ?? .nan
  }

  private static func radix(_ byte: UInt8) -> Int? {
    switch byte | 0x20 {
    case UInt8(ascii: "x"): 16
    case UInt8(ascii: "o"): 8
    case UInt8(ascii: "b"): 2
    default: nil
    }
  }

  /// A double as a cell. The cell is an int if the number is whole and small enough to be exact.
  static func number(_ value: Double) -> Cell {
    if value == value.rounded(), abs(value) <= 9_007_199_254_740_992 { return Cell(Int64(value)) }
    return Cell(value)
  }

  /// A whole number as Ruby's `Integer(value)` reads it, or an error.
  static func rubyInteger(_ value: UnsafePointer<Cell>) -> Cell {
    let cell = value.pointee
    if cell.tag == Tag.int { return cell }
    guard cell.isText else { return Cell(fault: .conversion) }
    let text = trimmed(value.textBytes)
    let isNegative = text.first == UInt8(ascii: "-")
    let sign = isNegative || text.first == UInt8(ascii: "+") ? 1 : 0
    let digits = ByteView(rebasing: text[sign...])
    guard let number = rubyDigits(digits) else { return Cell(fault: .conversion) }
    return Cell(isNegative ? -number : number)
  }

  /// The digits of a Ruby literal: `0x1F`, `0b11`, `0o17`, `017`, `0d10`, and `_` between two digits.
  private static func rubyDigits(_ text: ByteView) -> Int64? {
    var (at, base) = (0, Int64(10))
    if text.count > 1, text[0] == 0x30 {
      switch text[1] | 0x20 {
      case UInt8(ascii: "d"): at = 2
      case let letter:
        let named = radix(letter)
        if named != nil { at = 2 }
        base = Int64(named ?? 8)
      }
    }
    var value: Int64 = 0
    var isAfterDigit = false
    while at < text.count {
      if text[at] == UInt8(ascii: "_"), isAfterDigit {
        isAfterDigit = false
      } else {
        guard let digit = Digits.hex(text[at]), Int64(digit) < base else { return nil }
        let (shifted, over) = value.multipliedReportingOverflow(by: base)
        let (sum, overflow) = shifted.addingReportingOverflow(Int64(digit))
        if over || overflow { return nil }
        value = sum
        isAfterDigit = true
      }
      at += 1
    }
    return isAfterDigit ? value : nil
  }
}

/// The strings extension of CEL. Positions count code points, and the code works on UTF-8.
///
/// Parts of a long string are views of that string, not copies.
enum StringExtension {
  // SAFETY: Positions are compared with the count, and parts begin and end between characters.
  // Sizes are computed with overflow checks, by the same loop that writes.
  // Tests: StringExtensionTests, HostileInputTests, asan.

  private static let outOfRange = Cell(fault: .indexOutOfRange)

  // MARK: Positions

  /// The byte at which a code point begins, or the end of the string. The result is nil past the end.
  private static func place(ofCodePoint number: Int64, in text: ByteView) -> Int? {
    guard number >= 0, number <= text.count else { return nil }
    var left = Int(number)
    for (at, byte) in text.enumerated() where byte & 0xC0 != 0x80 {
      if left == 0 { return at }
      left -= 1
    }
    return left == 0 ? text.count : nil
  }

  private static func slice(_ text: ByteView, _ from: Int, _ to: Int) -> ByteView {
    ByteView(rebasing: text[from..<to])
  }

  /// The code point at a position as a string, or the empty string at the end.
  static func charAt(_ operands: Operands) -> Cell {
    guard let text = operands.text(0), let index = operands.int(1) else { return operands.refused }
    guard let start = place(ofCodePoint: index, in: text) else { return outOfRange }
    return Cell(textAt: slice(text, start, start + scalarLength(text, at: start)))
  }

  /// The number of bytes of the code point that begins here, or 0 at the end.
  private static func scalarLength(_ text: ByteView, at start: Int) -> Int {
    guard start < text.count else { return 0 }
    var end = start + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end - start
  }

  static func substring(_ operands: Operands) -> Cell {
    guard let text = operands.text(0), let from = operands.int(1) else { return operands.refused }
    guard operands.count > 2 else {
      guard let start = place(ofCodePoint: from, in: text) else { return outOfRange }
      return Cell(textAt: slice(text, start, text.count))
    }
    guard let to = operands.int(2) else { return operands.refused }
    guard let start = place(ofCodePoint: from, in: text), to >= from else { return outOfRange }
    let rest = slice(text, start, text.count)
    guard let length = place(ofCodePoint: to - from, in: rest) else { return outOfRange }
    return Cell(textAt: slice(rest, 0, length))
  }

  /// The first place of a part at or after a position, or -1. A position past the end is an error.
  static func indexOf(_ operands: Operands) -> Cell {
    guard let text = operands.text(0), let part = operands.text(1),
      let from = operands.count > 2 ? operands.int(2) : 0
    else { return operands.refused }
    guard let start = place(ofCodePoint: from, in: text) else { return outOfRange }
    guard let found = TextSearch(part).first(in: text, from: start) else { return Cell(Int64(-1)) }
    return Cell(from + Int64(UTF8Scan.codePoints(slice(text, start, found))))
  }

  /// The last place of a part at or before a position, or -1.
  static func lastIndexOf(_ operands: Operands) -> Cell {
    guard let text = operands.text(0), let part = operands.text(1) else { return operands.refused }
    var end = text.count
    if operands.count > 2 {
      guard let from = operands.int(2) else { return operands.refused }
      guard let start = place(ofCodePoint: from, in: text) else { return outOfRange }
      end = min(start + part.count, text.count)
    }
    guard let found = TextSearch.last(of: part, in: slice(text, 0, end)) else {
      return Cell(Int64(-1))
    }
    return Cell(Int64(UTF8Scan.codePoints(slice(text, 0, found))))
  }

  // MARK: Characters

  /// Changes the case of ASCII letters only.
  static func changeCase(
    _ operands: Operands, of letters: ClosedRange<UInt8>, _ arena: inout Arena
  ) -> Cell {
    guard let text = operands.text(0) else { return operands.refused }
    guard text.contains(where: { letters ~= $0 }) else { return operands[0].pointee }
    return arena.text(ofBytes: text.count) { target in
      for (i, byte) in text.enumerated() { target[i] = letters ~= byte ? byte ^ 0x20 : byte }
    }
  }

  /// The characters of a string, or the elements of a list, from the last to the first.
  static func reverse(_ operands: Operands, _ arena: inout Arena) -> Cell {
    if operands[0].pointee.tag == Tag.list { return ListExtension.reverse(operands, &arena) }
    guard let text = operands.text(0) else { return operands.refused }
    return arena.text(ofBytes: text.count) { target in
      var at = 0
      while at < text.count {
        let length = scalarLength(text, at: at)
        for i in 0..<length { target[text.count - at - length + i] = text[at + i] }
        at += length
      }
    }
  }

  /// Removes Unicode's white space from both ends.
  static func trim(_ operands: Operands) -> Cell {
    guard let text = operands.text(0) else { return operands.refused }
    var start = 0
    var end = text.count
    while start < end, isSpace(text, start, scalarLength(text, at: start)) {
      start += scalarLength(text, at: start)
    }
    while start < end {
      var last = end - 1
      while last > start, text[last] & 0xC0 == 0x80 { last -= 1 }
      guard isSpace(text, last, end - last) else { break }
      end = last
    }
    return Cell(textAt: slice(text, start, end))
  }

  /// Whether a code point is one of the 25 with the property White_Space.
  private static func isSpace(_ text: ByteView, _ at: Int, _ length: Int) -> Bool {
    switch length {
    case 1: return text[at] == 0x20 || 0x09...0x0D ~= text[at]
    case 2: return text[at] == 0xC2 && (text[at + 1] == 0x85 || text[at + 1] == 0xA0)
    case 3:
      switch (text[at], text[at + 1], text[at + 2]) {
      case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9),
        (0xE2, 0x80, 0xAF), (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80):
        return true
      default: return false
      }
    default: return false
    }
  }

  /// A string in double quotes, with escapes for nonprintable characters, `"` and `\`.
  static func quote(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let text = operands.text(0) else { return operands.refused }
    let escapes = text.reduce(0) { $0 + (escape(of: $1) == nil ? 0 : 1) }
    return arena.text(ofBytes: text.count + escapes + 2) { target in
      var at = 1
      target[0] = UInt8(ascii: "\"")
      for byte in text {
        if let letter = escape(of: byte) {
          target[at] = UInt8(ascii: "\\")
          target[at + 1] = letter
          at += 2
        } else {
          target[at] = byte
          at += 1
        }
      }
      target[at] = UInt8(ascii: "\"")
    }
  }

  private static func escape(of byte: UInt8) -> UInt8? {
    switch byte {
    case 0x07: UInt8(ascii: "a")
    case 0x08: UInt8(ascii: "b")
    case 0x09: UInt8(ascii: "t")
    case 0x0A: UInt8(ascii: "n")
    case 0x0B: UInt8(ascii: "v")
    case 0x0C: UInt8(ascii: "f")
    case 0x0D: UInt8(ascii: "r")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
    default: nil
    }
  }

  // MARK: Parts

  /// Calls the body with at most `limit` places of a part, which do not overlap. An empty part occurs before every code
  /// point and at the end.
  private static func forEachPlace(
    of part: ByteView, in text: ByteView, limit: Int64, _ body: (Int) -> Void
  ) {
    let search = TextSearch(part)
    var left = limit
    var at = 0
    while left != 0, let found = search.first(in: text, from: at) {
      body(found)
      left -= 1
      guard part.isEmpty else {
        at = found + part.count
        continue
      }
      guard at < text.count else { return }
      at += scalarLength(text, at: at)
    }
  }

  /// Replaces all occurrences of a part, or at most `limit` of them. A negative limit means no limit.
  static func replace(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let text = operands.text(0), let part = operands.text(1), let other = operands.text(2),
      let limit = operands.count > 3 ? operands.int(3) : -1
    else { return operands.refused }
    var places = 0
    forEachPlace(of: part, in: text, limit: limit) { _ in places += 1 }
    guard places > 0 else { return operands[0].pointee }
    let (added, overflow) = places.multipliedReportingOverflow(by: other.count)
    let (size, carry) = added.addingReportingOverflow(text.count - places * part.count)
    guard !overflow, !carry else { return Cell(fault: .limitExceeded) }
    return arena.text(ofBytes: size) { target in
      var read = 0
      var write = target
      forEachPlace(of: part, in: text, limit: limit) { place in
        copy(slice(text, read, place), to: &write)
        copy(other, to: &write)
        read = place + part.count
      }
      copy(slice(text, read, text.count), to: &write)
    }
  }

  /// The parts between separators, at most `limit` parts. The last part contains the rest of the string. An empty
  /// separator splits the string into code points. A negative limit means no limit.
  static func split(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let text = operands.text(0), let separator = operands.text(1),
      let limit = operands.count > 2 ? operands.int(2) : -1
    else { return operands.refused }
    guard limit != 0 else { return .emptyList }
    if separator.isEmpty { return scalars(text, limit: limit, &arena) }
    var parts = 1
    let cuts = limit < 0 ? -1 : limit - 1
    forEachPlace(of: separator, in: text, limit: cuts) { _ in parts += 1 }
    return arena.list(of: parts) { target in
      var start = 0
      var number = 0
      forEachPlace(of: separator, in: text, limit: cuts) { place in
        target[number] = Cell(textAt: slice(text, start, place))
        start = place + separator.count
        number += 1
      }
      target[number] = Cell(textAt: slice(text, start, text.count))
    }
  }

  private static func scalars(_ text: ByteView, limit: Int64, _ arena: inout Arena) -> Cell {
    let all = UTF8Scan.codePoints(text)
    let parts = limit < 0 ? all : Int(min(limit, Int64(all)))
    return arena.list(of: parts) { target in
      var at = 0
      for number in 0..<parts {
        let end = number == parts - 1 ? text.count : at + scalarLength(text, at: at)
        target[number] = Cell(textAt: slice(text, at, end))
        at = end
      }
    }
  }

  /// The strings of a list, joined with a separator.
  static func join(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let texts = operands.elements(0),
      let separator = operands.count > 1 ? operands.text(1) : ByteView(start: nil, count: 0)
    else { return operands.refused }
    guard let base = texts.baseAddress, texts.count > 0 else { return .emptyText }
    var (size, overflow) = (texts.count - 1).multipliedReportingOverflow(by: separator.count)
    for text in texts {
      guard text.isText else { return Cell(fault: .noSuchOverload, Tag.list, text.tag) }
      let length = text.isShortText ? Int(text.low & 0x0F) : text.outsideCount
      let (sum, carry) = size.addingReportingOverflow(length)
      (size, overflow) = (sum, overflow || carry)
    }
    guard !overflow else { return Cell(fault: .limitExceeded) }
    return arena.text(ofBytes: size) { target in
      var write = target
      for i in 0..<texts.count {
        if i > 0 { copy(separator, to: &write) }
        copy((base + i).textBytes, to: &write)
      }
    }
  }

  private static func copy(_ bytes: ByteView, to target: inout UnsafeMutablePointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    target.update(from: start, count: bytes.count)
    target += bytes.count
  }
}

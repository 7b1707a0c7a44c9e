/// Lengths and parts of strings, in code points in Ruby and UTF-16 units in ECMAScript. A part never begins
/// or ends inside a grapheme cluster.
enum LiquidTexts {
  // SAFETY: Parts begin and end between characters, and their ends are compared with the count.
  // Tests: HostileTemplateTests, AnyArgumentsTests, corpus.

  static func isASCII(_ text: ByteView) -> Bool {
    for byte in text where byte >= 0x80 { return false }
    return true
  }

  static func length(_ text: ByteView, isUTF16: Bool) -> Int {
    var count = 0
    for byte in text {
      if byte & 0xC0 != 0x80 { count &+= 1 }
      if isUTF16, byte >= 0xF0 { count &+= 1 }
    }
    return count
  }

  /// The part that begins `from` units into a string and is `count` units long. If the part begins inside a character,
  /// it starts at the next character. A character that does not fit at the end is omitted.
  static func slice(_ text: ByteView, from: Int, count: Int, isUTF16: Bool) -> ByteView {
    guard from >= 0, count > 0 else { return ByteView(rebasing: text[0..<0]) }
    if isASCII(text) {
      let start = min(from, text.count)
      return ByteView(rebasing: text[start..<(start + min(count, text.count - start))])
    }
    let (end, overflow) = from.addingReportingOverflow(count)
    let last = overflow ? Int.max : end
    var unit = 0
    var byte = 0
    var (first, past) = (text.count, text.count)
    var hasFirst = false
    for character in String(decoding: text, as: UTF8.self) {
      if !hasFirst, unit >= from {
        first = byte
        hasFirst = true
      }
      let units = isUTF16 ? character.utf16.count : character.unicodeScalars.count
      if unit + units > last {
        past = byte
        break
      }
      unit += units
      byte += character.utf8.count
    }
    return ByteView(rebasing: text[min(first, past)..<past])
  }

  static func end(_ text: ByteView, isFirst: Bool) -> Cell {
    let string = String(decoding: text, as: UTF8.self)
    guard let character = isFirst ? string.first : string.last else { return .emptyText }
    let count = character.utf8.count
    return Cell(
      textAt: isFirst
        ? ByteView(rebasing: text[..<count]) : ByteView(rebasing: text[(text.count - count)...]))
  }

  /// The position of a part, or nil.
  static func find(_ part: ByteView, in text: ByteView, from start: Int = 0) -> Int? {
    TextSearch(part).first(in: text, from: start)
  }

  /// Whether a byte begins a code point.
  static func isBoundary(_ text: ByteView, _ at: Int) -> Bool {
    at >= text.count || text[at] & 0xC0 != 0x80
  }
}

/// Characters with a special meaning in HTML.
enum HTMLText {
  // SAFETY: Every index is compared with the count. Static strings live as long as the process.
  // Tests: RenderingTests, corpus.

  enum Names {
    case ruby, javaScript
  }

  static let outputNames = Names.ruby

  static func name(_ byte: UInt8, _ names: Names) -> StaticString? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): names == .ruby ? "&quot;" : "&#34;"
    case UInt8(ascii: "'"): "&#39;"
    default: nil
    }
  }

  static func escape(_ text: ByteView, into buffer: inout OutputBuffer, _ names: Names) {
    var from = 0
    for i in 0..<text.count {
      guard let name = name(text[i], names) else { continue }
      buffer.append(ByteView(rebasing: text[from..<i]))
      buffer.append(name)
      from = i + 1
    }
    buffer.append(ByteView(rebasing: text[from...]))
  }
}

/// Why a tag or an output is invalid.
struct MarkupError: Error {
  var message: String
  var from: Int
  var to: Int
  var suggestion: String?
  var code = Diagnostic.Code.syntaxError
  /// Whether another token is expected at this place.
  var isExpectation = false
}

/// A cursor over the content between the delimiters of a tag.
struct Markup {
  // SAFETY: `source` is the template while it is compiled. Reads compare with `end`, which is at
  // most the count; other ranges come from a cursor over the same source. Tests: RenderingTests,
  // HostileTemplateTests.

  let source: ByteView
  var at: Int
  var end: Int

  static func isWord(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_")
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  var isAtEnd: Bool { at >= end }

  /// The byte here, or 0 at the end.
  @inline(__always)
  func peek(_ ahead: Int = 0) -> UInt8 { at + ahead < end ? source[at + ahead] : 0 }

  mutating func skipSpace() {
    while at < end, LiquidConversions.isSpace(source[at]) { at += 1 }
  }

  @inline(__always)
  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte, at < end else { return false }
    at += 1
    return true
  }

  /// Consumes a word if it begins here and ends after its last letter.
  mutating func take(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard at + count <= end else { return false }
    for i in 0..<count where source[at + i] != word.utf8Start[i] { return false }
    let next = at + count < end ? source[at + count] : 0
    guard !Markup.isWord(next), next != UInt8(ascii: "-"), next != UInt8(ascii: "?") else {
      return false
    }
    at += count
    return true
  }

  /// The name of letters, digits and underscores that begins here.
  mutating func word() -> TemplateTree.Bytes {
    let start = at
    while at < end, Markup.isWord(source[at]) { at += 1 }
    return TemplateTree.Bytes(start, at)
  }

  func bytes(_ bytes: TemplateTree.Bytes) -> ByteView {
    ByteView(rebasing: source[Int(bytes.from)..<Int(bytes.from + bytes.count)])
  }

  func string(_ bytes: TemplateTree.Bytes) -> String {
    String(decoding: self.bytes(bytes), as: UTF8.self)
  }

  /// The rest without leading and trailing white space.
  var rest: TemplateTree.Bytes {
    var (from, to) = (at, end)
    while from < to, LiquidConversions.isSpace(source[from]) { from += 1 }
    while to > from, LiquidConversions.isSpace(source[to - 1]) { to -= 1 }
    return TemplateTree.Bytes(from, to)
  }

  func error(_ message: String, _ suggestion: String? = nil) -> MarkupError {
    MarkupError(message: message, from: min(at, end), to: end, suggestion: suggestion)
  }

  /// An error that reports the expected token.
  func expected(_ what: String, _ suggestion: String? = nil) -> MarkupError {
    var error = error("expected \(what)", suggestion)
    error.isExpectation = true
    return error
  }

  func notALoop() -> MarkupError {
    error("write a loop as 'item in items'", "write {% for item in items %}")
  }
}

/// The state that the expression readers of all syntaxes share.
struct ExpressionReader {
  // SAFETY: Views of words and numbers are compared or converted at once. Only offsets go into the
  // tree. Tests: RenderingTests, TemplateAnalysisTests.

  let dialect: TemplateDialect
  let limits: TemplateLimits
  /// The number of nested expressions around the current expression.
  var depth = 0
  /// Unknown filters, with their places.
  var unknownFilters: [(name: String, range: SourceRange)] = []
  /// Operands, segments and arguments around the current place, until each list is complete.
  var open: [UInt32] = []

  /// Removes all elements after a mark. There are few elements, so removing them one by one is fastest.
  mutating func close(_ mark: Int) { while open.count > mark { open.removeLast() } }

  func limit(_ what: String, _ markup: Markup) -> MarkupError {
    MarkupError(
      message: what, from: markup.at, to: markup.end, suggestion: nil, code: .limitExceeded)
  }

  mutating func enter(_ markup: Markup) throws(MarkupError) {
    depth += 1
    if depth > limits.nesting { throw limit("expressions are nested too deeply", markup) }
  }

  /// A node for a number, which has digits and an optional sign and fraction.
  func number(_ text: ByteView, _ from: Int, _ to: Int, into tree: inout TemplateTree) -> UInt32 {
    if !text.contains(UInt8(ascii: ".")), let value = Int64(String(decoding: text, as: UTF8.self)) {
      let bits = UInt64(bitPattern: value)
      return tree.add(.int, from, to, 0, UInt32(truncatingIfNeeded: bits), UInt32(bits >> 32))
    }
    let value = NumberText.double(text) ?? Double(String(decoding: text, as: UTF8.self)) ?? 0
    if dialect.style.numbers == .binary, value == value.rounded(), abs(value) < 9e15 {
      let bits = UInt64(bitPattern: Int64(value))
      return tree.add(.int, from, to, 0, UInt32(truncatingIfNeeded: bits), UInt32(bits >> 32))
    }
    return tree.add(
      .double, from, to, 0, UInt32(truncatingIfNeeded: value.bitPattern),
      UInt32(value.bitPattern >> 32))
  }

  /// The node of a word that is a value, or nil.
  func literal(_ word: ByteView, _ from: Int, _ to: Int, into tree: inout TemplateTree) -> UInt32? {
    switch word.count {
    case 3 where word.elementsEqual("nil".utf8): return tree.add(.null, from, to)
    case 4 where word.elementsEqual("null".utf8): return tree.add(.null, from, to)
    case 4 where word.elementsEqual("true".utf8): return tree.add(.bool, from, to, 1)
    case 5 where word.elementsEqual("false".utf8): return tree.add(.bool, from, to, 0)
    case 5 where word.elementsEqual("empty".utf8): return tree.add(.empty, from, to)
    case 5 where word.elementsEqual("blank".utf8): return tree.add(.blank, from, to)
    default: return nil
    }
  }

  /// Adds a filter to a value. An unknown filter returns the value unchanged.
  mutating func filtered(
    _ value: UInt32, by name: TemplateTree.Bytes, _ arguments: ArraySlice<UInt32>, _ from: Int,
    _ to: Int,
    _ markup: Markup, into tree: inout TemplateTree
  ) -> UInt32 {
    guard let place = LiquidFilters.all.place(of: markup.bytes(name), in: dialect) else {
      unknownFilters.append(
        (markup.string(name), SourceRange(from: Int(name.from), to: Int(name.from + name.count))))
      return value
    }
    let list = tree.add(list: arguments)
    return tree.add(.filter, from, to, value, list, UInt32(place))
  }
}

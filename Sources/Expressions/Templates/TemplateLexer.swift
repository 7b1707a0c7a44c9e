/// A part of a template's source.
struct TemplatePiece {
  enum Kind {
    case text, output, tag, end
  }

  var kind: Kind
  /// The beginning and the end of the whole part.
  var from: Int
  var to: Int
  /// The range of the content between the delimiters, or of the text without the white space that tags remove.
  var contentFrom: Int
  var contentTo: Int
  /// Whether the closing delimiter was found.
  var isClosed = true
  /// Whether the tag removes the white space after it.
  var trimsRight = false
}

/// Splits a source into text, outputs and tags.
struct TemplateLexer {
  // SAFETY: `source` is the parser's view. Every index is compared with its count.
  // Tests: RenderingTests, HostileTemplateTests.

  let source: ByteView
  let delimiters: TemplateDelimiters
  /// Whether an end delimiter inside quotes does not end an output, as in liquidjs.
  let respectsQuotes: Bool
  private(set) var at = 0
  private var trimsNext = false
  /// The number of angles without a closing delimiter. After a few of these, all angles are plain text, because
  /// searching for an end each time would take quadratic time.
  private var unclosed = 0
  private static let mostUnclosed = 16

  init(_ source: ByteView, _ delimiters: TemplateDelimiters, respectsQuotes: Bool) {
    self.source = source
    self.delimiters = delimiters
    self.respectsQuotes = respectsQuotes
  }

  private static let percent = UInt8(ascii: "%")
  private static let brace = UInt8(ascii: "{")
  private static let angle = UInt8(ascii: "<")

  /// White space that tags remove.
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 9 < 5 || byte == 0 }

  /// The kind of tag or output that begins here, or nil.
  @inline(__always)
  private func opening(_ i: Int) -> TemplatePiece.Kind? {
    let byte = source[i]
    guard byte == TemplateLexer.brace || byte == TemplateLexer.angle, i + 1 < source.count else {
      return nil
    }
    if byte == TemplateLexer.brace ? delimiters == .angles : delimiters == .braces { return nil }
    if source[i + 1] == byte { return .output }
    return source[i + 1] == TemplateLexer.percent ? .tag : nil
  }

  /// Moves to a place, such as the end of a raw block.
  mutating func move(to place: Int, trimming: Bool) {
    at = place
    trimsNext = trimming
  }

  mutating func next() -> TemplatePiece {
    guard at < source.count else {
      return TemplatePiece(kind: .end, from: at, to: at, contentFrom: at, contentTo: at)
    }
    if let kind = opening(at), let piece = tag(kind) {
      at = piece.to
      trimsNext = piece.trimsRight
      return piece
    }
    return text()
  }

  private mutating func text() -> TemplatePiece {
    let start = at
    var end = at + (opening(at) == nil ? 0 : 2)
    while end < source.count, opening(end) == nil || isPlain(end) { end += 1 }
    var (from, to) = (start, end)
    if trimsNext { while from < to, TemplateLexer.isSpace(source[from]) { from += 1 } }
    if end + 2 < source.count, source[end + 2] == UInt8(ascii: "-") {
      while to > from, TemplateLexer.isSpace(source[to - 1]) { to -= 1 }
    }
    trimsNext = false
    at = end
    return TemplatePiece(kind: .text, from: start, to: end, contentFrom: from, contentTo: to)
  }

  /// Whether angles have no closing delimiter, and so are plain text: `a << b`.
  private mutating func isPlain(_ i: Int) -> Bool {
    guard source[i] == TemplateLexer.angle, let kind = opening(i) else { return false }
    if unclosed >= TemplateLexer.mostUnclosed { return true }
    let isClosed = closing(kind, i) != nil
    if !isClosed { unclosed += 1 }
    return !isClosed
  }

  private mutating func tag(_ kind: TemplatePiece.Kind) -> TemplatePiece? {
    if source[at] == TemplateLexer.angle, unclosed >= TemplateLexer.mostUnclosed { return nil }
    guard let close = closing(kind, at) else {
      if source[at] == TemplateLexer.angle {
        unclosed += 1
        return nil
      }
      return TemplatePiece(
        kind: kind, from: at, to: source.count, contentFrom: at + 2, contentTo: source.count,
        isClosed: false)
    }
    var piece = TemplatePiece(
      kind: kind, from: at, to: close + 2, contentFrom: at + 2, contentTo: close)
    if piece.contentFrom < piece.contentTo, source[piece.contentFrom] == UInt8(ascii: "-") {
      piece.contentFrom += 1
    }
    if piece.contentFrom < piece.contentTo, source[close - 1] == UInt8(ascii: "-") {
      piece.contentTo -= 1
      piece.trimsRight = true
    }
    return piece
  }

  /// The place of the delimiter that ends a tag or an output.
  private func closing(_ kind: TemplatePiece.Kind, _ start: Int) -> Int? {
    let last = source[start] == TemplateLexer.brace ? UInt8(ascii: "}") : UInt8(ascii: ">")
    let first = kind == .tag ? TemplateLexer.percent : last
    var i = start + 2
    while i + 1 < source.count {
      let byte = source[i]
      if byte == first, source[i + 1] == last { return i }
      if respectsQuotes, kind == .output, byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        guard let quote = endOfQuote(i) else { return closingPlainly(first, last, i + 1) }
        i = quote
      }
      i += 1
    }
    return nil
  }

  private func closingPlainly(_ first: UInt8, _ last: UInt8, _ start: Int) -> Int? {
    var i = start
    while i + 1 < source.count {
      if source[i] == first, source[i + 1] == last { return i }
      i += 1
    }
    return nil
  }

  private func endOfQuote(_ start: Int) -> Int? {
    var i = start + 1
    while i < source.count {
      if source[i] == source[start] { return i }
      i += source[i] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// Finds the tag that ends a raw block: `{% endraw %}`.
  ///
  /// - Returns: the end of the block's content, the end of the tag, and whether the tag removes white space before
  ///   and after it.
  func end(of name: StaticString, from start: Int, allowsControl: Bool)
    -> (textTo: Int, to: Int, trimsLeft: Bool, trimsRight: Bool)?
  {
    let name = ByteView(start: name.utf8Start, count: name.utf8CodeUnitCount)
    var i = start
    while i + 1 < source.count {
      guard opening(i) == .tag else {
        i += 1
        continue
      }
      var word = i + 2
      var trimsLeft = false
      if allowsControl, word < source.count, source[word] == UInt8(ascii: "-") {
        trimsLeft = true
        word += 1
      }
      while word < source.count, LiquidConversions.isSpace(source[word]) { word += 1 }
      if ByteView(rebasing: source[word...]).starts(with: name) {
        var end = word + name.count
        let isWord = end < source.count && Markup.isWord(source[end])
        let close = source[i] == TemplateLexer.brace ? UInt8(ascii: "}") : UInt8(ascii: ">")
        while end + 1 < source.count, !isWord {
          if source[end] == TemplateLexer.percent, source[end + 1] == close {
            return (i, end + 2, trimsLeft, source[end - 1] == UInt8(ascii: "-"))
          }
          if opening(end) == .tag { break }
          end += 1
        }
      }
      i += 2
    }
    return nil
  }
}

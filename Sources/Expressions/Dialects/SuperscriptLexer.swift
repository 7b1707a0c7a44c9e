/// Splits a superscript expression into tokens. The longest token wins. A sign directly before a number belongs to the
/// number, so `a-1` is a name and a number.
struct SuperscriptLexer {
  // SAFETY: `source` is the parser's view, which outlives the lexer. `byte` compares with the count
  // and returns 0 past the end, so tokens end inside the source. Tests: SuperscriptProgramTests,
  // fuzz parser.

  /// Why there is no token.
  struct Fault: Error {
    var message: String
    var range: SourceRange
    var suggestion: String?
    /// Whether the original terminates the process here.
    var abortsApp = false

    init(_ message: String, _ from: Int, _ to: Int, _ suggestion: String? = nil) {
      self.message = message
      range = SourceRange(from: from, to: to)
      self.suggestion = suggestion
    }

    /// The same error, at a place where the original terminates the process.
    var aborting: Fault {
      var fault = self
      fault.abortsApp = true
      return fault
    }
  }

  private let source: ByteView
  private(set) var at = 0

  init(_ source: ByteView) { self.source = source }

  private func byte(_ offset: Int = 0) -> UInt8 {
    let i = at &+ offset
    return i < source.count ? source[i] : 0
  }

  mutating func next() throws(Fault) -> Token {
    skipSpace()
    guard at < source.count else { return Token(kind: .end, from: at, to: at) }
    switch byte() {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      return try word()
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      return try text(prefix: 0, kind: .string)
    default:
      if let number = try number() { return number }
      return try symbol()
    }
  }

  // MARK: Space

  private mutating func skipSpace() {
    while at < source.count {
      switch byte() {
      case 0x20, 0x09...0x0D: at += 1
      case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
        while at < source.count, byte() != 0x0A, byte() != 0x0D { at += 1 }
      case 0x80...:
        guard let length = spaceLength() else { return }
        at += length
      default: return
      }
    }
  }

  /// The length of a space outside ASCII, or nil if there is none here.
  private func spaceLength() -> Int? {
    switch (byte(), byte(1), byte(2)) {
    case (0xC2, 0x85, _), (0xC2, 0xA0, _): 2
    case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9),
      (0xE2, 0x80, 0xAF), (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80):
      3
    default: nil
    }
  }

  // MARK: Symbols

  private mutating func take(_ kind: Token.Kind, _ length: Int) -> Token {
    defer { at += length }
    return Token(kind: kind, from: at, to: at + length)
  }

  private func fault(_ length: Int, _ message: String, _ suggestion: String? = nil) -> Fault {
    Fault(message, at, min(at + length, source.count), suggestion)
  }

  private mutating func symbol() throws(Fault) -> Token {
    let first = byte()
    let second = byte(1)
    let isPair = second == UInt8(ascii: "=")
    let isDouble = second == first
    switch first {
    case UInt8(ascii: "("): return take(.leftParenthesis, 1)
    case UInt8(ascii: ")"): return take(.rightParenthesis, 1)
    case UInt8(ascii: "["): return take(.leftBracket, 1)
    case UInt8(ascii: "]"): return take(.rightBracket, 1)
    case UInt8(ascii: "{"): return take(.leftBrace, 1)
    case UInt8(ascii: "}"): return take(.rightBrace, 1)
    case UInt8(ascii: "."): return take(.dot, 1)
    case UInt8(ascii: ","): return take(.comma, 1)
    case UInt8(ascii: ":"): return take(.colon, 1)
    case UInt8(ascii: "?"): return take(.question, 1)
    case UInt8(ascii: "+"): return take(.plus, 1)
    case UInt8(ascii: "*"): return take(.star, 1)
    case UInt8(ascii: "/"): return take(.slash, 1)
    case UInt8(ascii: "%"): return take(.percent, 1)
    case UInt8(ascii: "-"): return take(.minus, isDouble ? 2 : 1)
    case UInt8(ascii: "!"):
      return isPair ? take(.notEqual, 2) : take(.not, isDouble ? 2 : 1)
    case UInt8(ascii: "<") where second == UInt8(ascii: ">"):
      throw fault(2, "'<>' is not an operator", "write '!='")
    case UInt8(ascii: "<"): return isPair ? take(.lessOrEqual, 2) : take(.less, 1)
    case UInt8(ascii: ">"): return isPair ? take(.greaterOrEqual, 2) : take(.greater, 1)
    case UInt8(ascii: "=") where isPair: return take(.equal, 2)
    case UInt8(ascii: "&") where isDouble: return take(.and, 2)
    case UInt8(ascii: "|") where isDouble: return take(.or, 2)
    case UInt8(ascii: "="):
      throw fault(1, "'=' is not an operator", SyntaxHint.equals(before: byte(1)))
    case UInt8(ascii: "&"): throw fault(1, "'&' is not an operator", "write '&&'")
    case UInt8(ascii: "|"): throw fault(1, "'|' is not an operator", "write '||'")
    default:
      var length = 1
      while length < 4, byte(length) & 0xC0 == 0x80 { length += 1 }
      let (message, help) = CharacterHint.text(
        ByteView(rebasing: source[at..<min(at + length, source.count)]))
      throw fault(length, message, help)
    }
  }

  // MARK: Names and strings

  private mutating func word() throws(Fault) -> Token {
    let quote = byte(1)
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      switch byte() | 0x20 {
      case UInt8(ascii: "r"): return try text(prefix: 1, kind: .string)
      case UInt8(ascii: "b"): return try text(prefix: 1, kind: .bytes)
      default: break
      }
    }
    var length = 1
    while SuperscriptLexer.isNameByte(byte(length)) { length += 1 }
    let name = UnsafeBufferPointer(rebasing: source[at..<at + length])
    return take(SuperscriptLexer.keyword(name) ?? .identifier, length)
  }

  static func isNameByte(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte &- 0x30 < 10 || byte == UInt8(ascii: "_")
  }

  private static func keyword(_ name: ByteView) -> Token.Kind? {
    func isWord(_ word: StaticString) -> Bool {
      // SAFETY: A static string lives as long as the process, and the view has its count.
      // Tests: SuperscriptProgramTests.
      name.elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
    switch name.count {
    case 2: return isWord("in") ? .in : nil
    case 4: return isWord("true") ? .true : isWord("null") ? .null : nil
    case 5: return isWord("false") ? .false : nil
    default: return nil
    }
  }

  /// Reads a string in one pair of quotes. A backslash prevents the next character from closing the string, in raw
  /// strings too. Line breaks are allowed, but not after a backslash and not in bytes.
  private mutating func text(prefix: Int, kind: Token.Kind) throws(Fault) -> Token {
    let quote = byte(prefix)
    var length = prefix + 1
    while at + length < source.count {
      let next = byte(length)
      if next == quote { return take(kind, length + 1) }
      let isEscape = next == UInt8(ascii: "\\")
      if isEscape ? byte(length + 1) == 0x0A : next == 0x0A && kind == .bytes {
        throw fault(length, "a string must not contain a line break", "write \\n for a line break")
      }
      length += isEscape ? 2 : 1
    }
    let mark = quote == UInt8(ascii: "'") ? "'" : "\""
    throw fault(length, "a string has no closing \(mark)", "close it with \(mark)")
  }

  // MARK: Numbers

  private func digits(_ from: Int) -> Int {
    var count = 0
    while byte(from + count) &- 0x30 < 10 { count += 1 }
    return count
  }

  /// The length of an exponent that begins here, or 0.
  private func exponent(_ from: Int) -> Int {
    guard byte(from) | 0x20 == UInt8(ascii: "e") else { return 0 }
    let sign = byte(from + 1) == UInt8(ascii: "+") || byte(from + 1) == UInt8(ascii: "-") ? 1 : 0
    let count = digits(from + 1 + sign)
    return count == 0 ? 0 : 1 + sign + count
  }

  /// Reads a number with its sign, or returns nil if no number begins here. A plus is only a sign before a fraction or
  /// an exponent.
  private mutating func number() throws(Fault) -> Token? {
    let first = byte()
    let sign = first == UInt8(ascii: "-") || first == UInt8(ascii: "+") ? 1 : 0
    let whole = digits(sign)
    let point = sign + whole
    let fraction = byte(point) == UInt8(ascii: ".") ? digits(point + 1) : 0
    if fraction > 0 {
      let end = point + 1 + fraction
      return take(.double, end + exponent(end))
    }
    guard whole > 0 else { return nil }
    let power = exponent(point)
    if power > 0 { return take(.double, point + power) }
    guard first != UInt8(ascii: "+") else { return nil }
    try checkInteger(sign, whole)
    return take(.int, point)
  }

  /// Rejects hexadecimal and unsigned integers, at which the original stops.
  private func checkInteger(_ sign: Int, _ whole: Int) throws(Fault) {
    let end = sign + whole
    let mark = byte(end) | 0x20
    if whole == 1, byte(sign) == 0x30, mark == UInt8(ascii: "x"), Digits.hex(byte(end + 1)) != nil {
      var length = end + 1
      while Digits.hex(byte(length)) != nil { length += 1 }
      throw fault(
        length, "superscript cannot read hexadecimal numbers", "write the number in decimal"
      ).aborting
    }
    let isSpaced = byte(end) == 0x20 && byte(end + 1) | 0x20 == UInt8(ascii: "u")
    guard isSpaced || mark == UInt8(ascii: "u") else { return }
    let fault = fault(end + 1, "superscript cannot read unsigned numbers", "write uint(...)")
    // In the original, the `u` belongs to the number only after a space, and then the number does not parse.
    throw isSpaced ? fault.aborting : fault
  }
}

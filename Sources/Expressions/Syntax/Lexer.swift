internal import CShims

/// Splits an expression into tokens as CEL's grammar defines them.
///
/// The lexer never fails: invalid input becomes a token of the kind `invalid`, with the reason in ``problems``.
struct Lexer {
  // SAFETY: `source` is the parser's view, which outlives the lexer. `byte` compares with the count
  // and returns 0 past the end. 16 bytes are read only where more than 16 remain.
  // Tests: ParserTests, LiteralTests, fuzz lexer.

  private let source: ByteView
  private(set) var at = 0
  /// The errors of invalid tokens, in source order.
  private(set) var problems: [Diagnostic] = []
  /// The end of the last string whose bytes are known to be those in the source.
  private(set) var plainEnd = -1

  init(_ source: ByteView) { self.source = source }

  private func byte(_ offset: Int = 0) -> UInt8 {
    let i = at &+ offset
    return i < source.count ? source[i] : 0
  }

  mutating func next() -> Token {
    skipSpace()
    guard at < source.count else { return Token(kind: .end, from: at, to: at) }
    let first = byte()
    switch first {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      return word()
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return number()
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      return plainText(first) ?? text(prefix: 0, kind: .string, raw: false)
    case UInt8(ascii: "`"):
      return quotedIdentifier()
    case UInt8(ascii: "."):
      return byte(1) &- 0x30 < 10 ? number() : take(.dot, 1)
    default:
      return symbol(first)
    }
  }

  private mutating func skipSpace() {
    while at < source.count {
      switch byte() {
      case 0x20, 0x09, 0x0A, 0x0C, 0x0D: at += 1
      case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
        while at < source.count, byte() != 0x0A { at += 1 }
      default: return
      }
    }
  }

  private mutating func take(_ kind: Token.Kind, _ length: Int) -> Token {
    defer { at += length }
    return Token(kind: kind, from: at, to: at + length)
  }

  private mutating func invalid(
    _ length: Int, _ message: String, suggestion: String? = nil
  ) -> Token {
    let token = take(.invalid, length)
    problems.append(
      Diagnostic(.syntaxError, message, range: token.range, suggestion: suggestion))
    return token
  }

  private mutating func symbol(_ first: UInt8) -> Token {
    let second = byte(1)
    let isPair = second == UInt8(ascii: "=")
    switch first {
    case UInt8(ascii: "("): return take(.leftParenthesis, 1)
    case UInt8(ascii: ")"): return take(.rightParenthesis, 1)
    case UInt8(ascii: "["): return take(.leftBracket, 1)
    case UInt8(ascii: "]"): return take(.rightBracket, 1)
    case UInt8(ascii: "{"): return take(.leftBrace, 1)
    case UInt8(ascii: "}"): return take(.rightBrace, 1)
    case UInt8(ascii: ","): return take(.comma, 1)
    case UInt8(ascii: ":"): return take(.colon, 1)
    case UInt8(ascii: "?"): return take(.question, 1)
    case UInt8(ascii: "+"): return take(.plus, 1)
    case UInt8(ascii: "-"): return take(.minus, 1)
    case UInt8(ascii: "*"): return take(.star, 1)
    case UInt8(ascii: "/"): return take(.slash, 1)
    case UInt8(ascii: "%"): return take(.percent, 1)
    case UInt8(ascii: "!"): return isPair ? take(.notEqual, 2) : take(.not, 1)
    case UInt8(ascii: "<") where second == UInt8(ascii: ">"):
      return invalid(2, "'<>' is not an operator", suggestion: "write '!='")
    case UInt8(ascii: "<"): return isPair ? take(.lessOrEqual, 2) : take(.less, 1)
    case UInt8(ascii: ">"): return isPair ? take(.greaterOrEqual, 2) : take(.greater, 1)
    case UInt8(ascii: "="):
      return isPair
        ? take(.equal, 2)
        : invalid(1, "'=' is not an operator", suggestion: SyntaxHint.equals(before: second))
    case UInt8(ascii: "&"):
      return second == first
        ? take(.and, 2) : invalid(1, "'&' is not an operator", suggestion: "write '&&'")
    case UInt8(ascii: "|"):
      return second == first
        ? take(.or, 2) : invalid(1, "'|' is not an operator", suggestion: "write '||'")
    default:
      return unknownCharacter(first)
    }
  }

  private mutating func unknownCharacter(_ first: UInt8) -> Token {
    guard first >= 0x80, let base = source.baseAddress else {
      let (message, help) = CharacterHint.text(UnsafeBufferPointer(rebasing: source[at..<at + 1]))
      return invalid(1, message, suggestion: help)
    }
    let length = max(1, UTF8Scan.scalarLength(base + at, source.count - at))
    let (message, help) = CharacterHint.text(
      UnsafeBufferPointer(rebasing: source[at..<at + length]))
    return invalid(length, message, suggestion: help)
  }

  // MARK: Names

  private mutating func word() -> Token {
    if let text = prefixedText() { return text }
    let start = at
    while at < source.count, Lexer.isNameByte(byte()) { at += 1 }
    var token = Token(kind: .identifier, from: start, to: at)
    switch at - start {
    case 2 where matches("in", start): token.kind = .in
    case 4 where matches("true", start): token.kind = .true
    case 4 where matches("null", start): token.kind = .null
    case 5 where matches("false", start): token.kind = .false
    default: break
    }
    return token
  }

  static func isNameByte(_ byte: UInt8) -> Bool {
    let letter = byte | 0x20
    return letter >= 0x61 && letter <= 0x7A || byte &- 0x30 < 10 || byte == UInt8(ascii: "_")
  }

  private func matches(_ word: StaticString, _ start: Int) -> Bool {
    // SAFETY: The caller has compared the length of the name with that of the word.
    // Tests: ParserTests, fuzz lexer.
    for i in 0..<word.utf8CodeUnitCount where source[start + i] != word.utf8Start[i] {
      return false
    }
    return true
  }

  private mutating func quotedIdentifier() -> Token {
    var length = 1
    while at + length < source.count, byte(length) != UInt8(ascii: "`"), byte(length) != 0x0A {
      length += 1
    }
    guard byte(length) == UInt8(ascii: "`") else {
      return invalid(length, "a quoted name has no closing '`'", suggestion: "close it with '`'")
    }
    if length == 1 {
      return invalid(2, "a quoted name is empty", suggestion: "write [\"\"] for an empty key")
    }
    for i in 1..<length where !Lexer.isQuotedNameByte(byte(i)) {
      return invalid(
        length + 1,
        "a name in backquotes can only contain letters, digits, spaces and '_', '.', '-', '/'",
        suggestion: "write other keys in brackets, as in user[\"key\"]")
    }
    return take(.quotedIdentifier, length + 1)
  }

  /// Whether CEL's grammar allows a byte in a name in back quotes.
  static func isQuotedNameByte(_ byte: UInt8) -> Bool {
    isNameByte(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "/") || byte == UInt8(ascii: " ")
  }

  // MARK: Strings

  /// Reads a string with a prefix (`r`, `b` or `br`, in any case), or returns nil if none begins here.
  private mutating func prefixedText() -> Token? {
    var raw = false
    var bytes = false
    var length = 0
    while length < 2 {
      switch byte(length) | 0x20 {
      case UInt8(ascii: "r") where !raw: raw = true
      case UInt8(ascii: "b") where !bytes: bytes = true
      default: return nil
      }
      length += 1
      if byte(length) == UInt8(ascii: "\"") || byte(length) == UInt8(ascii: "'") {
        let token = text(prefix: length, kind: bytes ? .bytes : .string, raw: raw)
        let isSwapped = length == 2 && source[token.from] | 0x20 == UInt8(ascii: "r")
        return isSwapped && token.kind == .bytes ? swapped(token) : token
      }
    }
    return nil
  }

  /// Turns raw bytes with a swapped prefix into an invalid token whose end is known.
  private mutating func swapped(_ token: Token) -> Token {
    problems.append(
      Diagnostic(
        .syntaxError, "the prefix of raw bytes is 'br', with the b first",
        range: SourceRange(from: token.from, to: token.from + 2),
        suggestion: "write br\"...\""))
    return Token(kind: .invalid, from: token.from, to: token.to)
  }

  /// Reads a string of up to 15 ASCII characters without escapes, or returns nil if there is no such string.
  private mutating func plainText(_ quote: UInt8) -> Token? {
    guard let base = source.baseAddress, source.count - at > 16 else { return nil }
    let count = textEnd(base + at + 1, quote: quote)
    // Two quotes may be the beginning of a triple quote.
    guard count > 0 else { return nil }
    plainEnd = at + count + 2
    return take(.string, count + 2)
  }

  private mutating func text(prefix: Int, kind: Token.Kind, raw: Bool) -> Token {
    let quote = byte(prefix)
    let isTriple = byte(prefix + 1) == quote && byte(prefix + 2) == quote
    let fence = isTriple ? 3 : 1
    var length = prefix + fence
    while at + length < source.count {
      let next = byte(length)
      if next == quote, !isTriple || byte(length + 1) == quote && byte(length + 2) == quote {
        return take(kind, length + fence)
      }
      if !isTriple, next == 0x0A || next == 0x0D { break }
      length += next == UInt8(ascii: "\\") && !raw && at + length + 1 < source.count ? 2 : 1
    }
    let mark = String(repeating: Character(Unicode.Scalar(quote)), count: fence)
    return invalid(
      min(length, source.count - at), "a string has no closing \(mark)",
      suggestion: "close it with \(mark)")
  }

  // MARK: Numbers

  private mutating func number() -> Token {
    var length = 0
    func digits() -> Int {
      var count = 0
      while byte(length + count) &- 0x30 < 10 { count += 1 }
      return count
    }
    if byte() == 0x30, byte(1) | 0x20 == UInt8(ascii: "x"), Digits.hex(byte(2)) != nil {
      length = 2
      while Digits.hex(byte(length)) != nil { length += 1 }
      let isUnsigned = byte(length) | 0x20 == UInt8(ascii: "u")
      if byte(1) == UInt8(ascii: "X") {
        return invalid(
          length + (isUnsigned ? 1 : 0), "hexadecimal numbers begin with '0x', not with '0X'",
          suggestion: "write a small x")
      }
      return take(isUnsigned ? .hexUint : .hexInt, length + (isUnsigned ? 1 : 0))
    }
    length += digits()
    var kind = Token.Kind.int
    if byte(length) == UInt8(ascii: "."), byte(length + 1) &- 0x30 < 10 {
      kind = .double
      length += 1
      length += digits()
    }
    if byte(length) | 0x20 == UInt8(ascii: "e") {
      let sign = byte(length + 1) == UInt8(ascii: "+") || byte(length + 1) == UInt8(ascii: "-")
      if byte(length + (sign ? 2 : 1)) &- 0x30 < 10 {
        kind = .double
        length += sign ? 2 : 1
        length += digits()
      }
    }
    if kind == .int, byte(length) | 0x20 == UInt8(ascii: "u") {
      kind = .uint
      length += 1
    }
    return take(kind, length)
  }
}

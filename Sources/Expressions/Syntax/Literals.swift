/// Turns the source of literal tokens into values: escapes, digits, suffixes.
enum Literals {
  // SAFETY: `source` is the parser's view. The lexer has found the quotes and prefixes, so places
  // inside a token exist; those inside an escape are compared with the token's end.
  // Tests: LiteralTests, fuzz parser.

  /// Why a literal has no value, and the invalid bytes.
  struct Fault: Error {
    var range: SourceRange
    var message: String
    var suggestion: String?
  }

  /// Appends the content of a string or bytes literal to `output`.
  static func appendText(_ token: Token, in source: ByteView, to output: inout [UInt8])
    throws(Fault)
  {
    var start = token.from
    var raw = false
    while source[start] | 0x20 == UInt8(ascii: "r") || source[start] | 0x20 == UInt8(ascii: "b") {
      raw = raw || source[start] | 0x20 == UInt8(ascii: "r")
      start += 1
    }
    let quote = source[start]
    let isTriple =
      token.to - start >= 6 && source[start + 1] == quote && source[start + 2] == quote
    let fence = isTriple ? 3 : 1
    let end = token.to - fence
    var at = start + fence
    while at < end {
      if source[at] == UInt8(ascii: "\\"), !raw {
        at += try appendEscape(at, end, token.kind == .bytes, in: source, to: &output)
      } else if source[at] == 0x0D {
        // The specification normalises line endings inside triple-quoted literals.
        output.append(0x0A)
        at += at + 1 < end && source[at + 1] == 0x0A ? 2 : 1
      } else {
        output.append(source[at])
        at += 1
      }
    }
  }

  /// Appends the value of one escape and returns its length in the source.
  private static func appendEscape(
    _ at: Int, _ end: Int, _ isBytes: Bool, in source: ByteView, to output: inout [UInt8]
  ) throws(Fault) -> Int {
    let kind = at + 1 < end ? source[at + 1] : 0
    func fault(_ length: Int, _ message: String) -> Fault {
      Fault(
        range: SourceRange(from: at, to: min(at + length, end)), message: message,
        suggestion: "write '\\\\' for a backslash, or r\"...\" for a string without escapes")
    }
    func digits(_ count: Int, from: Int, radix: UInt32) throws(Fault) -> UInt32 {
      var value: UInt32 = 0
      for i in 0..<count {
        guard at + from + i < end, let digit = Digits.hex(source[at + from + i]),
          digit < radix
        else { throw fault(from + i + 1, "this escape needs \(count) digits") }
        value = value &* radix &+ UInt32(digit)
      }
      return value
    }
    func append(_ scalar: UInt32, _ length: Int) throws(Fault) {
      guard let scalar = Unicode.Scalar(scalar) else {
        throw fault(length, "this escape is not a code point")
      }
      output.append(contentsOf: String(Character(scalar)).utf8)
    }
    if let simple = simpleEscape(kind) {
      output.append(simple)
      return 2
    }
    switch kind {
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      let value = try digits(2, from: 2, radix: 16)
      if isBytes { output.append(UInt8(value)) } else { try append(value, 4) }
      return 4
    case UInt8(ascii: "0")...UInt8(ascii: "3"):
      let value = try digits(3, from: 1, radix: 8)
      if isBytes { output.append(UInt8(value)) } else { try append(value, 4) }
      return 4
    case UInt8(ascii: "u") where !isBytes:
      try append(try digits(4, from: 2, radix: 16), 6)
      return 6
    case UInt8(ascii: "U") where !isBytes:
      try append(try digits(8, from: 2, radix: 16), 10)
      return 10
    default:
      throw fault(2, "this escape does not exist")
    }
  }

  static func simpleEscape(_ kind: UInt8) -> UInt8? {
    switch kind {
    case UInt8(ascii: "a"): 0x07
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "v"): 0x0B
    case UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "\""), UInt8(ascii: "'"),
      UInt8(ascii: "`"):
      kind
    default: nil
    }
  }

  /// The magnitude of an integer literal, or nil above 64 bits.
  static func magnitude(_ token: Token, in source: ByteView) -> UInt64? {
    let isHex = token.kind == .hexInt || token.kind == .hexUint
    let isUnsigned = token.kind == .uint || token.kind == .hexUint
    let digits = source[(token.from + (isHex ? 2 : 0))..<(token.to - (isUnsigned ? 1 : 0))]
    return Digits.number(digits, radix: isHex ? 16 : 10)
  }
}

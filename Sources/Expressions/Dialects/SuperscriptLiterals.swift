/// The contents of superscript's string and bytes literals.
enum SuperscriptLiterals {
  // SAFETY: `source` is the parser's view. The lexer has found the quotes, so places inside a token
  // exist; those inside an escape are compared with its end. Tests: SuperscriptProgramTests, fuzz
  // parser.

  /// Appends the content of a literal to `output`.
  static func append(_ token: Token, in source: ByteView, to output: inout [UInt8])
    throws(SuperscriptLexer.Fault)
  {
    var start = token.from
    var isRaw = false
    while source[start] != UInt8(ascii: "\""), source[start] != UInt8(ascii: "'") {
      isRaw = isRaw || source[start] | 0x20 == UInt8(ascii: "r")
      start += 1
    }
    let quote = source[start]
    var at = start + 1
    while at < token.to - 1 {
      if source[at] == UInt8(ascii: "\\"), !isRaw {
        let escape = Escape(source: source, at: at, end: token.to - 1)
        at +=
          token.kind == .bytes
          ? try escape.appendByte(to: &output) : try escape.append(to: &output, quote: quote)
      } else if source[at] == UInt8(ascii: "\\") {
        // In a raw string the backslash is part of the content, unless it escapes a quote.
        if source[at + 1] != quote { output.append(source[at]) }
        output.append(source[at + 1])
        at += 2
      } else {
        output.append(source[at])
        at += 1
      }
    }
  }

  /// A backslash and the characters that it escapes.
  private struct Escape {
    var source: ByteView
    var at: Int
    var end: Int

    private var kind: UInt8 { at + 1 < end ? source[at + 1] : 0 }

    private func fault(_ length: Int) -> SuperscriptLexer.Fault {
      SuperscriptLexer.Fault(
        "superscript does not support this escape", at, min(at + length, end),
        "write '\\\\' for a backslash, or r\"...\" for a string without escapes"
      ).aborting
    }

    private func digits(_ count: Int, from: Int, radix: UInt32) throws(SuperscriptLexer.Fault)
      -> UInt32
    {
      var value: UInt32 = 0
      for i in 0..<count {
        guard at + from + i < end, let digit = Digits.hex(source[at + from + i]), digit < radix
        else { throw fault(from + i + 1) }
        value = value &* radix &+ UInt32(digit)
      }
      return value
    }

    /// In bytes, only `\xHH` and three octal digits are valid.
    func appendByte(to output: inout [UInt8]) throws(SuperscriptLexer.Fault) -> Int {
      switch kind {
      case UInt8(ascii: "x"): output.append(UInt8(try digits(2, from: 2, radix: 16)))
      case UInt8(ascii: "0")...UInt8(ascii: "3"):
        output.append(UInt8(try digits(3, from: 1, radix: 8)))
      default: throw fault(2)
      }
      return 4
    }

    func append(to output: inout [UInt8], quote: UInt8) throws(SuperscriptLexer.Fault) -> Int {
      if let simple = simple {
        output.append(simple)
        return 2
      }
      switch kind {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        // If the quote needs no backslash, the backslash is part of the content.
        if kind != quote { output.append(UInt8(ascii: "\\")) }
        output.append(kind)
        return 2
      case UInt8(ascii: "x"): return try appendScalar(2, from: 2, radix: 16, to: &output)
      case UInt8(ascii: "u"): return try appendScalar(4, from: 2, radix: 16, to: &output)
      case UInt8(ascii: "U"): return try appendScalar(8, from: 2, radix: 16, to: &output)
      case UInt8(ascii: "0")...UInt8(ascii: "3"):
        return try appendScalar(3, from: 1, radix: 8, to: &output)
      default: throw fault(2)
      }
    }

    private func appendScalar(
      _ count: Int, from: Int, radix: UInt32, to output: inout [UInt8]
    ) throws(SuperscriptLexer.Fault) -> Int {
      let value = try digits(count, from: from, radix: radix)
      guard let scalar = Unicode.Scalar(value) else { throw fault(from + count) }
      output.append(contentsOf: String(Character(scalar)).utf8)
      return from + count
    }

    /// The byte that a simple escape means, or nil. Quotes are handled separately.
    private var simple: UInt8? {
      kind == UInt8(ascii: "\"") || kind == UInt8(ascii: "'") ? nil : Literals.simpleEscape(kind)
    }
  }
}

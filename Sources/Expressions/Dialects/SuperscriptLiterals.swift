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
        // In a raw string a backslash stays, unless it only keeps a quote from closing the string.
        if source[at + 1] != quote { output.append(source[at]) }
        output.append(source[at + 1])
        at += 2
      } else {
        output.append(source[at])
        at += 1
      }
    }
  }

  /// A backslash and what follows it.
  private struct Escape {
    var source: ByteView
    var at: Int
    var end: Int

    private var kind: UInt8 { at + 1 < end ? source[at + 1] : 0 }

    private func fault(_ length: Int) -> SuperscriptLexer.Fault {
      SuperscriptLexer.Fault(
        "superscript does not know this escape", at, min(at + length, end),
        "write '\\\\' for a backslash, or r\"...\" for a string without escapes")
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

    /// In bytes there are only `\xHH` and three octal digits.
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
        // The backslash stays before the quote that needs none.
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

    /// Quotes are apart here.
    private var simple: UInt8? {
      kind == UInt8(ascii: "\"") || kind == UInt8(ascii: "'") ? nil : Literals.simpleEscape(kind)
    }
  }

  /// The number that a text reads as, as Rust parses it: a signed 64-bit integer, else an
  /// unsigned one, else a double.
  static func number(_ text: ByteView) -> Cell? {
    RustNumbers.int(text).map { Cell($0) } ?? RustNumbers.uint(text).map { Cell($0) }
      ?? RustNumbers.double(text).map { Cell($0) }
  }
}

/// Numbers from text as Rust's standard library reads them: no white space, no underscores.
enum RustNumbers {
  // SAFETY: Slices of the caller's view are read through collection methods alone.
  // Tests: SuperscriptProgramTests, SuperscriptReferenceTests.

  static func int(_ text: ByteView) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    guard let magnitude = magnitude(text[...], allowsMinus: true) else { return nil }
    if isNegative { return magnitude <= 1 << 63 ? Int64(bitPattern: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  static func uint(_ text: ByteView) -> UInt64? { magnitude(text[...], allowsMinus: false) }

  private static func magnitude(_ text: Slice<ByteView>, allowsMinus: Bool) -> UInt64? {
    var digits = text
    if digits.first == UInt8(ascii: "+") || allowsMinus && digits.first == UInt8(ascii: "-") {
      digits = digits.dropFirst()
    }
    return Digits.number(digits)
  }

  /// A decimal number that may lack its whole part or its fraction, `inf`, `infinity` or `nan`.
  /// What is too large is infinite.
  static func double(_ text: ByteView) -> Double? {
    var digits = text[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
    switch String(decoding: digits, as: UTF8.self).lowercased() {
    case "inf", "infinity": return isNegative ? -.infinity : .infinity
    case "nan": return .nan
    default: break
    }
    guard isDecimal(digits) else { return nil }
    let magnitude = decimal(digits)
    return isNegative ? -magnitude : magnitude
  }

  private static func isDecimal(_ text: Slice<ByteView>) -> Bool {
    var rest = text
    func takeDigits() -> Int {
      let count = rest.prefix { $0 &- 0x30 < 10 }.count
      rest = rest.dropFirst(count)
      return count
    }
    var count = takeDigits()
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      count += takeDigits()
    }
    guard count > 0 else { return false }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
        rest = rest.dropFirst()
      }
      guard takeDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// The value of a decimal number without sign. The standard library wants digits around a point.
  static func decimal(_ text: Slice<ByteView>) -> Double {
    var digits: [UInt8] = [0x30]
    for byte in text {
      if byte | 0x20 == UInt8(ascii: "e"), digits.last == UInt8(ascii: ".") { digits.append(0x30) }
      digits.append(byte)
    }
    if digits.last == UInt8(ascii: ".") { digits.append(0x30) }
    return Double(String(decoding: digits, as: UTF8.self)) ?? .infinity
  }
}

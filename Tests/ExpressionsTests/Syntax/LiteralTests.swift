import Testing

@testable import Expressions

/// Literals, after section "Values" of the CEL specification.
@Suite struct LiteralTests {
  @Test(arguments: [
    ("0", "0"), ("7", "7"), ("007", "7"), ("-7", "-7"), ("- 7", "-7"), ("0x1F", "31"),
    ("-0x1f", "-31"), ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("- 9223372036854775808", "-9223372036854775808"),
    ("0x7fffffffffffffff", "9223372036854775807"),
    ("-0x8000000000000000", "-9223372036854775808"), ("0u", "0u"), ("7U", "7u"), ("0xFFu", "255u"),
    ("18446744073709551615u", "18446744073709551615u"),
    ("0xffffffffffffffffU", "18446744073709551615u"), ("1.5", "1.5"), (".5", "0.5"),
    ("-.5", "-0.5"), ("1e3", "1000.0"), ("1E3", "1000.0"), ("1e+3", "1000.0"), ("1.5e-3", "0.0015"),
    ("0.0", "0.0"), ("-0.0", "-0.0"), ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ("5e-324", "5e-324"), ("2.2250738585072011e-308", "2.225073858507201e-308"),
    ("9007199254740993.0", "9007199254740992.0"), ("0.1", "0.1"),
    ("123456789012345678901234567890.0", "1.2345678901234568e+29"),
    ("0.00000000000000000000000000000000001", "1e-35"),
  ])
  func numbers(source: String, shape: String) {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics == [])
    #expect(parsed.shape == shape)
  }

  /// Too large for their type; the range is the number's.
  @Test(arguments: [
    ("9223372036854775808", 0, 19), ("99999999999999999999", 0, 20),
    ("-9223372036854775809", 1, 20), ("0x8000000000000000", 0, 18),
    ("18446744073709551616u", 0, 21), ("0x10000000000000000u", 0, 20),
    ("1 + 9223372036854775808", 4, 23),
    ("1e400", 0, 5), ("[1e999]", 1, 6),
  ])
  func numbersThatAreTooLarge(source: String, from: Int, to: Int) {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics.map(\.code) == [.syntaxError])
    #expect(parsed.diagnostics.first?.range == SourceRange(from: from, to: to))
  }

  /// A dot behind a whole number selects a field, and digits do not run into names.
  @Test(arguments: [
    ("1.a", "(. 1 a)"), ("1.e3", "(. 1 e3)"), ("1.size()", "(size on 1)"), ("1.5.a", "(. 1.5 a)"),
    ("5-3", "(- 5 3)"), ("5 -3", "(- 5 3)"), ("a-1", "(- a 1)"), ("1--1", "(- 1 -1)"),
    ("0X1F", nil), ("0XFFu", nil), ("1u2", nil), ("1a", nil), ("0x", nil), ("0xg", nil),
    ("1e", nil), ("1e+", nil),
    ("1.5u", nil), ("1.", nil), ("1..2", nil), ("1_000", nil), ("+1", nil),
  ])
  func numbersAndWhatFollows(source: String, shape: String?) {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics.isEmpty == (shape != nil))
    if let shape { #expect(parsed.shape == shape) }
  }

  @Test(
    arguments: [
      (#""""#, ""), (#"''"#, ""), (#""a""#, "a"), (#"'a'"#, "a"), (#"'"'"#, "\""), (#""'""#, "'"),
      (#"'\''"#, "'"), (#""\"""#, "\""), (#"'\"'"#, "\""), (#"'\`\?\\'"#, "`?\\"),
      (#"'\a\b\f\n\r\t\v'"#, "\u{07}\u{08}\u{0C}\n\r\t\u{0B}"), (#"'\x41\X42'"#, "AB"),
      (#"'\xff'"#, "\u{FF}"), (#"'\u00e9\u20AC'"#, "é€"), (#"'\U0001F92A'"#, "\u{1F92A}"),
      (#"'\U0010FFFF'"#, "\u{10FFFF}"), (#"'\101\000\377'"#, "A\u{0}\u{FF}"), (#"'\1011'"#, "A1"),
      (#"r'\n'"#, "\\n"), (#"R"\"#, nil), (#"R"\\""#, "\\\\"), (#"r'''\'''"#, "\\"),
      ("'''a\nb'''", "a\nb"), ("\"\"\"a\"b\"\"\"", "a\"b"), ("'''a''b'''", "a''b"), ("''''''", ""),
      ("'''\\''''", "'"), ("'''a\r\nb\rc'''", "a\nb\nc"), ("'é日\u{1F92A}'", "é日\u{1F92A}"),
      ("'\u{0}'", "\u{0}"), ("'cafe\u{301}'", "cafe\u{301}"),
      (#"'// no comment'"#, "// no comment"),
    ] as [(String, String?)])
  func texts(source: String, content: String?) throws {
    let parsed = ParsedText(source)
    guard let content else {
      #expect(!parsed.diagnostics.isEmpty)
      return
    }
    #expect(parsed.diagnostics == [])
    let node = parsed.tree[parsed.tree.root]
    try #require(node.kind == .string)
    #expect(Array(parsed.tree.text(node.a, node.b)) == Array(content.utf8))
  }

  @Test(
    arguments: [
      ("b''", []), ("b'abc'", [0x61, 0x62, 0x63]), ("b'é'", [0xC3, 0xA9]),
      (#"b'\xff\x00'"#, [0xFF, 0]),
      (#"B"\377""#, [0xFF]), (#"br'\n'"#, [0x5C, 0x6E]), (#"BR'\n'"#, [0x5C, 0x6E]),
      (#"bR'\x'"#, [0x5C, 0x78]),
      ("b'''a\n'''", [0x61, 0x0A]), (#"b'\n\''"#, [0x0A, 0x27]),
    ] as [(String, [UInt8])])
  func bytes(source: String, content: [UInt8]) throws {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics == [])
    let node = parsed.tree[parsed.tree.root]
    try #require(node.kind == .bytes)
    #expect(Array(parsed.tree.text(node.a, node.b)) == content)
  }

  /// Escapes that do not exist. The range is the escape's, or the text's when it has no end.
  @Test(arguments: [
    (#"'\s'"#, 1, 3), (#"'a\q'"#, 2, 4), (#"'\x4'"#, 1, 4), (#"'\xg0'"#, 1, 4), (#"'\u12'"#, 1, 5),
    (#"'\400'"#, 1, 3), (#"'\777'"#, 1, 3), (#"'\08'"#, 1, 4), (#"'\ud83e'"#, 1, 7),
    (#"'\U00110000'"#, 1, 11), (#"'\UFFFFFFFF'"#, 1, 11), (#"'\U0000d800'"#, 1, 11),
    (#"b'\u0041'"#, 2, 4), (#"b'\U00000041'"#, 2, 4), (#"'\8'"#, 1, 3), (#"'é\s'"#, 3, 5),
  ])
  func escapesThatDoNotExist(source: String, from: Int, to: Int) throws {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics.map(\.code) == [.syntaxError])
    let range = try #require(parsed.diagnostics.first?.range)
    #expect(range.from == from)
    #expect(range.to <= to && range.to > from)
  }

  @Test(arguments: [
    "'", "\"", "'a", "'a\"", "'a\n'", "'a\r'", "\"a\n\"", "'''a''", "'''a\n", "r'a", "b'", "rb'''x",
    "'a\\",
    "'\\", "'\\'", "\"\"\"", "\"\"\"\"", "'''''",
  ])
  func textsWithoutEnd(source: String) {
    let diagnostics = ParsedText(source).diagnostics
    #expect(diagnostics.first?.code == .syntaxError)
    #expect(diagnostics.allSatisfy { $0.range.map { $0.to <= source.utf8.count } == true })
  }
}

import Testing

@testable import Expressions

/// Which texts are JSON, what they mean, and where the others go wrong: RFC 8259, with the rule that
/// numbers without fraction and exponent are ints, then uints, then doubles.
@Suite struct JSONReaderTests {
  @Test(
    arguments: [
      ("0", .int(0)), ("-0", .int(0)), ("7", .int(7)), ("-7", .int(-7)),
      ("999999999999999999", .int(999_999_999_999_999_999)),
      ("1000000000000000000", .int(1_000_000_000_000_000_000)),
      ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
      ("9223372036854775808", .uint(1 << 63)), ("18446744073709551615", .uint(.max)),
      ("18446744073709551616", .double(18_446_744_073_709_551_616)),
      ("-9223372036854775809", .double(-9_223_372_036_854_775_808)),
      ("100000000000000000000000", .double(1e23)), ("1.0", .double(1)), ("-0.0", .double(-0.0)),
      ("1e0", .double(1)), ("1E+2", .double(100)), ("1e-2", .double(0.01)), ("0e5", .double(0)),
      ("0.1", .double(0.1)), ("123456789.125", .double(123_456_789.125)),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
      ("5e-324", .double(.leastNonzeroMagnitude)), ("1e-400", .double(0)),
      ("0.30000000000000004", .double(0.1 + 0.2)),
      ("9007199254740993.0", .double(9_007_199_254_740_992)),
      ("0.000000000000000000000000000000000000000000000001", .double(1e-48)),
      ("1234567890123456789012345678901234567890e-20", .double(1.2345678901234567e19)),
    ] as [(String, Value)])
  func numbers(text: String, expected: Value) throws {
    let value = try Value.parse(json: text.utf8)
    #expect(ReferenceEquality.areIdentical(value, expected), "\(value)")
  }

  @Test(
    arguments: [
      ("null", .null), ("true", true), ("false", false), ("\"\"", ""), (" \t\r\n1 \n", 1),
      ("[]", []), ("[ ]", []), ("[1,[2],[]]", [1, [2], []]), ("{}", .map([])), ("{ }", .map([])),
      ("{\"a\":1,\"b\":{}}", ["a": 1, "b": .map([])]), ("{\"\":null}", ["": .null]),
      ("[null,true,\"x\"]", [.null, true, "x"]),
    ] as [(String, Value)])
  func structures(text: String, expected: Value) throws {
    #expect(try Value.parse(json: text.utf8) == expected)
  }

  @Test(arguments: [
    (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{08}\u{0C}\n\r\t"), (#""\u0041""#, "A"),
    (#""\u00e9\u00E9""#, "éé"), (#""\u20ac""#, "€"), (#""\ud83e\udd2a""#, "\u{1F92A}"),
    (#""\uD83E\uDD2A""#, "\u{1F92A}"), (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\u0000""#, "\u{0}"),
    (#""\u001f""#, "\u{1F}"), (#""\uffff""#, "\u{FFFF}"), (#""x\ud83ey""#, "x\u{FFFD}y"),
    (#""\udd2a""#, "\u{FFFD}"), (#""\ud83e\u0041""#, "\u{FFFD}A"), (#""\ud83e\n""#, "\u{FFFD}\n"),
    (#""\udd2a\ud83e""#, "\u{FFFD}\u{FFFD}"), (#""\ud83e\ud83e\udd2a""#, "\u{FFFD}\u{1F92A}"),
    (#""\ud83e""#, "\u{FFFD}"), ("\"é日\u{1F92A}\"", "é日\u{1F92A}"),
    ("\"\u{7F}\u{80}\"", "\u{7F}\u{80}"),
    ("\"\u{2028}\u{FEFF}\"", "\u{2028}\u{FEFF}"), ("\"cafe\u{301}\"", "cafe\u{301}"),
    (#""1234567\n""#, "1234567\n"), (#""12345678\n""#, "12345678\n"), ("\"1234567é\"", "1234567é"),
  ])
  func texts(json: String, expected: String) throws {
    guard case .string(let text) = try Value.parse(json: json.utf8) else {
      Issue.record("no string")
      return
    }
    #expect(Array(text.utf8) == Array(expected.utf8))
    // The same text through the path that fills frames.
    let program = try #require(ExpressionEnvironment().compile("user.s").output)
    var frame = Frame(for: program)
    try frame.fill(json: "{\"user\":{\"s\":\(json)}}".utf8)
    #expect(try program.evaluate(in: &frame) == .string(expected))
  }

  @Test(arguments: [
    ("", JSONFault.Kind.unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("[", .unexpectedEnd, 1),
    ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("{", .unexpectedEnd, 1),
    ("{\"a\"", .unexpectedEnd, 4), ("{\"a\":", .unexpectedEnd, 5), ("{\"a\":1", .unexpectedEnd, 6),
    ("{\"a\":1,", .unexpectedEnd, 7), ("\"abc", .unexpectedEnd, 4), ("\"abc\\", .unexpectedEnd, 5),
    ("\"\\u0041", .unexpectedEnd, 7), ("\"a\\u00e9", .unexpectedEnd, 8),
    ("\"\\n", .unexpectedEnd, 3),
    ("tru", .unexpectedEnd, 3), ("nul", .unexpectedEnd, 3), ("f", .unexpectedEnd, 1),
    ("]", .unexpectedByte, 0), ("}", .unexpectedByte, 0), (",", .unexpectedByte, 0),
    ("[,]", .unexpectedByte, 1), ("[1,]", .unexpectedByte, 3), ("[1 2]", .unexpectedByte, 3),
    ("{1:2}", .unexpectedByte, 1), ("{a:1}", .unexpectedByte, 1), ("{\"a\" 1}", .unexpectedByte, 5),
    ("{\"a\":1,}", .unexpectedByte, 7), ("{,}", .unexpectedByte, 1),
    ("{\"a\":}", .unexpectedByte, 5),
    ("[1}", .unexpectedByte, 2), ("{\"a\":1]", .unexpectedByte, 6), ("True", .unexpectedByte, 0),
    ("truE", .unexpectedByte, 0), ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0),
    ("'a'", .unexpectedByte, 0), ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0),
    ("//x\n1", .unexpectedByte, 0), ("\u{FEFF}1", .unexpectedByte, 0),
    ("\u{A0}1", .unexpectedByte, 0),
    ("01", .badNumber, 0), ("-", .badNumber, 0), ("-a", .badNumber, 0), ("-01", .badNumber, 0),
    ("1.", .badNumber, 0), ("1.e5", .badNumber, 0), ("1e", .badNumber, 0), ("1e+", .badNumber, 0),
    ("[1.]", .badNumber, 1), ("1e400", .numberTooLarge, 0), ("-1e400", .numberTooLarge, 0),
    ("\"\\x\"", .badEscape, 1), ("\"a\\u12\"", .badEscape, 2), ("\"\\u12g4\"", .badEscape, 1),
    ("\"\\'\"", .badEscape, 1), ("\"\n\"", .controlCharacter, 1),
    ("\"abc\u{0}\"", .controlCharacter, 4),
    ("\"12345678\t\"", .controlCharacter, 9), ("\"\u{1F}\"", .controlCharacter, 1),
    ("1 1", .trailingBytes, 2), ("{} x", .trailingBytes, 3), ("null,", .trailingBytes, 4),
    ("1\u{0}", .trailingBytes, 1), ("truex", .trailingBytes, 4), ("0x10", .trailingBytes, 1),
    ("1_000", .trailingBytes, 1), ("[]]", .trailingBytes, 2),
  ])
  func rejects(text: String, kind: JSONFault.Kind, offset: Int) {
    do throws(JSONFault) {
      let value = try Value.parse(json: text.utf8)
      Issue.record("gives \(value)")
    } catch {
      #expect(error.kind == kind)
      // Within a word or a number the fault may point at its beginning or at the odd byte.
      #expect(
        error.offset >= offset && error.offset <= offset + 4 && error.offset <= text.utf8.count)
    }
  }

  /// Overlong forms, surrogates, values past the end, and sequences that break off.
  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80],
      [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF0, 0x80, 0x80, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0xA4], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xFE], [0xFF], [0xFF, 0xFE], [0xE9],
    ] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) throws {
    // In a value that is read, in one that is skipped, in a key, and behind a long plain part.
    let program = try #require(ExpressionEnvironment().compile("user.s").output)
    for place in [
      "{\"user\":{\"s\":\"%\"}}", "{\"other\":\"%\"}", "{\"user\":{\"%\":1}}", "{\"%\":1}",
      "{\"user\":{\"s\":\"a long and plain beginning, then %, then an end\"}}",
    ] {
      let parts = place.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
      let json = Array(parts[0]) + bytes + Array(parts[1])
      #expect(throws: JSONFault(kind: .badUTF8, offset: parts[0].count)) {
        try Value.parse(json: json)
      }
      var frame = Frame(for: program)
      #expect(throws: JSONFault(kind: .badUTF8, offset: parts[0].count)) {
        try frame.fill(json: json)
      }
    }
  }

  @Test func depth() throws {
    func nested(_ depth: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      #expect(throws: Never.self) { try Value.parse(json: nested(8, open, close).utf8, nesting: 8) }
      #expect(throws: JSONFault(kind: .tooDeep, offset: 8 * open.utf8.count)) {
        try Value.parse(json: nested(9, open, close).utf8, nesting: 8)
      }
      #expect(throws: JSONFault.self) { try Value.parse(json: nested(100_000, open, close).utf8) }
      #expect(throws: JSONFault.self) {
        try Value.parse(json: String(repeating: open, count: 100_000).utf8)
      }
    }
  }

  /// What is skipped is checked as deep and as strictly as what is read.
  @Test(arguments: ["user", "other"])
  func depthOfFilling(root: String) throws {
    let environment = ExpressionEnvironment(limits: Limits(dataNesting: 16))
    let program = try #require(environment.compile("user.a == 1 || size(user) > 5").output)
    var frame = Frame(for: program)
    func json(_ depth: Int) -> String {
      "{\"\(root)\":" + String(repeating: "{\"a\":", count: depth) + "1"
        + String(repeating: "}", count: depth) + "}"
    }
    #expect(throws: Never.self) { try frame.fill(json: json(15).utf8) }
    #expect(throws: JSONFault.self) { try frame.fill(json: json(17).utf8) }
    #expect(throws: JSONFault.self) { try frame.fill(json: json(50_000).utf8) }
    // After a fault the frame is empty.
    #expect(frame.slots[0].tag == Tag.map || frame.slots[0].tag == Tag.missing)
  }

  @Test(arguments: ["[1]", "1", "null", "\"user\"", "", "{\"user\":{}} {}", "{\"user\":{}"])
  func contextsAreObjects(json: String) throws {
    let program = try #require(ExpressionEnvironment().compile("has(user.a)").output)
    var frame = Frame(for: program)
    #expect(throws: JSONFault.self) { try frame.fill(json: json.utf8) }
  }
}

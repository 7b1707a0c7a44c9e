import Testing

@testable import Expressions

/// The cell: texts of up to 15 bytes inside, longer ones outside, and nobody can tell.
@Suite struct CellTests {
  private static let lengths = [0, 1, 6, 7, 8, 9, 14, 15, 16, 17, 31, 32, 33, 100]

  @Test func isSixteenBytes() {
    #expect(MemoryLayout<Cell>.size == 16)
    #expect(MemoryLayout<Cell>.stride == 16)
  }

  @Test(arguments: lengths)
  func textsKeepTheirBytes(length: Int) throws {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
    bytes.withUnsafeBufferPointer { view in
      let cell = Cell(textAt: view)
      #expect(cell.isShortText == (length <= 15))
      #expect(cell.isText)
      #expect(cell.isValue)
      withUnsafePointer(to: cell) { #expect(Array($0.textBytes) == bytes) }
    }
  }

  /// Every operator on texts around the border, made in every way there is: read, written in the
  /// expression, escaped, and put together at run time.
  @Test(arguments: lengths)
  func textsAroundTheBorder(length: Int) throws {
    let text = String(
      (0..<length).map { "abcdefghij"[String.Index(utf16Offset: $0 % 10, in: "abcdefghij")] })
    let json =
      "{\"user\":{\"s\":\"\(text)\",\"e\":\"\(text.map { "\\u00" + String($0.asciiValue!, radix: 16) }.joined())\"}}"
    let half = text.prefix(length / 2)
    let rest = text.dropFirst(length / 2)
    for (source, expected) in [
      ("user.s == '\(text)'", true), ("user.e == '\(text)'", true), ("user.s == user.e", true),
      ("user.s == '\(half)' + '\(rest)'", true), ("user.s + 'x' == user.e + 'x'", true),
      ("user.s + '' == user.e", true), ("user.s == user.e + 'x'", false),
      ("user.s != user.e", false),
      ("user.s < user.e + 'a'", true), ("user.s + 'a' > user.e", true), ("user.s <= user.e", true),
      ("user.s < user.e", false), ("user.s in ['\(text)']", true),
      ("user.e in ['y', '\(text)']", true),
      ("user.s in ['\(text)x']", false), ("user.s in {'\(text)': 1}", true),
      ("{'\(text)': 1}[user.e] == 1", true), ("{user.s: 1}[user.e + ''] == 1", true),
      ("size(user.s) == \(length)", true), ("size(user.s + user.e) == \(2 * length)", true),
      ("user.s.startsWith('\(half)')", true), ("user.s.endsWith('\(rest)')", true),
      ("user.s.contains('\(text)')", true), ("(user.s + 'x').endsWith(user.e + 'x')", true),
      ("user.s.contains(user.e + 'x')", false), ("[user.s] == [user.e]", true),
      ("user.s in [1, 2, 3, 4, 5, 6, 7, 8, 9, '\(text)']", true),
    ] {
      let program = try #require(ExpressionEnvironment().compile(source).output)
      var frame = Frame(for: program)
      try frame.fill(json: json.utf8)
      #expect(try program.evaluate(in: &frame) == .bool(expected), "\(source)")
    }
  }

  /// Code points of two to four bytes across the border are not cut, counted or compared wrongly.
  @Test(arguments: ["é", "日", "\u{1F92A}", "e\u{301}"])
  func wideCodePointsAroundTheBorder(wide: String) throws {
    for length in 10...18 {
      let text = String(repeating: "a", count: length) + wide
      let program = try #require(
        ExpressionEnvironment().compile(
          "[user.s == '\(text)', user.s + 'b' == '\(text)b', size(user.s)]"
        )
        .output)
      let count = Int64(length + wide.unicodeScalars.count)
      #expect(try program.evaluate(["user": ["s": .string(text)]]) == [true, true, .int(count)])
    }
  }

  /// Bits that differ only behind a text's end, in its length, or in its kind do not make it equal.
  @Test func textsAreNotNumbersOrZeroBytes() throws {
    let values: [Value] = [
      "", "\u{0}", "\u{0}\u{0}", "a", "a\u{0}", "0", .int(0), .uint(1 << 63), .double(0),
      .bool(false),
      .null, .list([]), .map([]), .string(String(repeating: "\u{0}", count: 15)),
      .string(String(repeating: "\u{0}", count: 16)),
    ]
    let program = try #require(ExpressionEnvironment().compile("user.a == user.b").output)
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() {
        let isNumberZero = a.isNumber && b.isNumber && [6, 8].contains(i) && [6, 8].contains(j)
        let result = try program.evaluate(["user": ["a": a, "b": b]])
        #expect(result == .bool(i == j || isNumberZero), "\(a) and \(b)")
      }
    }
  }

  /// Values that are nested deeper than they may be have no cell.
  @Test func nestingOfValues() {
    var arena = Arena(limit: 4_096)
    #expect(arena.cell(1, nesting: 1) != nil)
    #expect(arena.cell(1, nesting: 0) == nil)
    #expect(arena.cell([[1]], nesting: 3) != nil)
    #expect(arena.cell([[1]], nesting: 2) == nil)
    #expect(arena.cell(["a": ["b": 1]], nesting: 3) != nil)
    #expect(arena.cell(["a": ["b": 1]], nesting: 2) == nil)
  }
}

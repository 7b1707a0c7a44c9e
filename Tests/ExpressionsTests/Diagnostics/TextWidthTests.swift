import Expressions
import Testing

/// What fits into so many columns of a terminal.
@Suite struct TextWidthTests {
  @Test(
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("😀", 2),
      ("\u{2764}\u{FE0F}", 2), ("\u{2764}", 1), ("\t", 0), ("\u{200B}", 0), ("\u{301}", 0),
      ("ａ", 2), ("Ж", 1), ("\u{20000}", 2), ("👩‍👩‍👧", 2), ("~ ", 2), ("\u{7F}", 1),
    ])
  func columns(text: String, columns: Int) {
    #expect(TextWidth.columns(text) == columns)
  }

  @Test(
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…fg"), ("abcdefg", 5, "ab…fg"),
      ("abcdefg", 4, "ab…g"), ("abcdefg", 2, "a…"), ("abcdefg", 1, "…"), ("abcdefg", 0, ""),
      ("日本語日本", 6, "日…本"), ("日本語日本", 10, "日本語日本"), ("日本語日本", 9, "日本…日本"),
    ])
  func shortened(text: String, width: Int, wanted: String) {
    #expect(TextWidth.shortened(text, to: width) == wanted)
    #expect(TextWidth.columns(wanted) <= width)
  }

  @Test func beginnings() {
    #expect(TextWidth.prefix("abc", 2) == "ab")
    #expect(TextWidth.prefix("abc", 0) == "")
    #expect(TextWidth.prefix("a日b", 2) == "a")
    #expect(TextWidth.prefix("a日b", 3) == "a日")
  }

  @Test(
    arguments: [
      ("one two", 7, ["one two"]), ("one two three", 8, ["one two", "  three"]),
      ("ab cd ef", 5, ["ab cd", " ef"]), ("     ", 3, ["     "]),
      ("a verylongword b", 6, ["a", "  verylongword", "  b"]),
      ("    one two three four", 14, ["    one two", "    three four"]),
      // Between columns before between words; a mark stays with what is behind it.
      ("aaaaaaaaaa  bbbb  cccc", 16, ["aaaaaaaaaa  bbbb", "    cccc"]),
      ("aaaaaaaaaa  bbbb  cccc", 15, ["aaaaaaaaaa", "    bbbb  cccc"]),
      ("x  aaaaaaaa  bb", 12, ["x  aaaaaaaa", "    bb"]),
      ("日本 日本 日本", 9, ["日本 日本", "   日本"]),
    ])
  func wrapped(line: String, width: Int, wanted: [String]) {
    #expect(TextWidth.wrapped(line, to: width) == wanted)
  }
}

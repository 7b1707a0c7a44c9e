import TestSupport
import Testing

@testable import Expressions

/// What is said about texts that are not expressions, and where.
@Suite struct SyntaxDiagnosticTests {
  struct Place: Equatable, CustomTestStringConvertible {
    var from: Int
    var to: Int
    var testDescription: String { "\(from)..<\(to)" }
  }

  /// Where each diagnostic of a text points.
  private func places(_ source: String) -> [Place] {
    ParsedText(source).diagnostics.map { Place(from: $0.range?.from ?? -1, to: $0.range?.to ?? -1) }
  }

  /// One mistake, one diagnostic, at the token that does not fit.
  @Test(arguments: [
    ("", 0, 0), ("   ", 0, 0), ("a ==", 4, 4), ("a == && b", 5, 7), ("== a", 0, 2), ("a b", 2, 3),
    ("a b c", 2, 3), ("a = b", 2, 3), ("a & b", 2, 3), ("a | b", 2, 3), ("a and b", 2, 5),
    ("a or b", 2, 4), ("a AND b", 2, 5), ("not a", 0, 3), ("a.", 2, 2), ("a..b", 2, 3),
    ("a.1", 2, 3), ("a.in", 2, 4), ("a.true", 2, 6), ("a ? b", 5, 5), ("a ? : b", 4, 5),
    ("a ? b :", 7, 7), ("(a", 0, 1), ("[a", 0, 1), ("{a: b", 0, 1), ("f(a", 1, 2), ("a)", 1, 2),
    ("a]", 1, 2), ("a}", 1, 2), ("(a]", 0, 1), ("{a}", 2, 3), ("{a: }", 4, 5), ("[a b]", 3, 4),
    ("f(a b)", 4, 5), ("[,a]", 1, 2), ("[,,]", 1, 2), ("{,,}", 1, 2), ("f(a,)", 3, 4),
    ("f(,)", 2, 3),
    ("a.f(b, )", 5, 6), ("0X10", 0, 4), ("a == 0XFFu", 5, 10), ("rb'a'", 0, 2),
    ("a + Rb\"b\"", 4, 6), ("!-a", 1, 2),
    ("-!a", 1, 2), ("a.``", 2, 4), ("a.`x$y`", 2, 7), ("a.`\u{E9}`", 2, 6), ("()", 1, 2),
    ("a[]", 2, 3), ("#", 0, 1), ("a # b", 2, 3),
    ("a $ b", 2, 3), ("\u{201C}a\u{201D} == b", 0, 3), ("`a`", 0, 3), ("a.`b", 2, 4), ("if", 0, 2),
    ("while == 1", 0, 5), ("a; b", 1, 2), ("a => b", 2, 3), ("a === b", 2, 5), ("a <> b", 2, 4),
    ("a ! b", 2, 3), ("*a", 0, 1), (". a . ", 6, 6), ("a is b", 2, 4), ("a ?? b", 2, 4),
    ("in", 0, 2),
    ("1 in", 4, 4), ("é", 0, 2), ("a ≥ b", 2, 5), ("\u{FEFF}a", 0, 3), ("a\u{0B}b", 1, 2),
    ("a\u{0}", 1, 2),
  ])
  func pointsAtTheMistake(source: String, from: Int, to: Int) {
    let diagnostics = ParsedText(source).diagnostics
    #expect(diagnostics.allSatisfy { $0.code == .syntaxError && $0.severity == .error })
    #expect(places(source).first == Place(from: from, to: to))
    // Whatever follows from a mistake is said after it, and within the text.
    #expect(places(source).allSatisfy { $0.from >= from && $0.to <= source.utf8.count })
  }

  /// Going on after a mistake finds the next one.
  @Test(arguments: [
    ("a = b && c = d", [2, 11]), ("f(a b) == g(c d)", [4, 14]), ("'\\s' + '\\q'", [1, 8]),
    ("(a == ) && (b == )", [6, 17]), ("[1, , 2] + [3, , 4]", [4, 15]),
    ("9223372036854775808 + 9223372036854775808", [0, 22]), ("a # b", [2]),
    ("{a b} == {c d}", [3, 12]), ("0X1 + 0X2", [0, 6]), ("rb'a' == Rb'b'", [0, 9]),
    ("!-a && -!b", [1, 8]),
    ("f(a,) + g(b,)", [3, 11]), ("a.`$` == b.`$`", [2, 11]), ("f(a.`$`, b = c)", [4, 11]),
    ("f(1 2) + g(3 4)", [4, 13]), ("1 2 (3", [2, 4]), ("a b (1 +) c", [2, 8]),
  ])
  func goesOn(source: String, starts: [Int]) {
    let found = places(source).map(\.from)
    for start in starts { #expect(found.contains(start), "\(found)") }
  }

  @Test(arguments: [
    ("a = b", "=="), ("a & b", "&&"), ("a | b", "||"), ("a and b", "&&"), ("a or b", "||"),
    ("not a", "!"), ("a.in", "[\"in\"]"), ("\u{201C}a\u{201D}", "straight quotes"),
    ("(a ==", "literal"),
    ("'a", "close it"), ("'\\d'", "\\\\"), ("a ? b", "a : b"), ("0X1F", "small x"), ("rb'a'", "br"),
    ("f(a,)", "remove"), ("!-a", "!(-"), ("-!a", "-(!"),
    ("a.``", "[\"\"]"), ("a.`x$`", "brackets"),
  ])
  func suggests(source: String, part: String) {
    let suggestions = ParsedText(source).diagnostics.compactMap(\.suggestion)
    #expect(suggestions.contains { $0.contains(part) }, "\(suggestions)")
  }

  /// However many mistakes there are, they are few enough to read; the last one says that there are
  /// more.
  @Test func manyMistakes() {
    let source = Array(repeating: "a = b", count: 500).joined(separator: " && ")
    let diagnostics = ParsedText(source).diagnostics
    #expect(diagnostics.count > 1)
    #expect(diagnostics.count < 50)
    let starts = diagnostics.compactMap(\.range?.from)
    #expect(starts == starts.sorted())
  }

  /// Any bytes at all give a result, and ranges that lie within the text, from small to large.
  @Test(arguments: 0..<20)
  func anyTextIsSurvived(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let pieces = [
      "a", "user", ".", "..", "(", ")", "[", "]", "{", "}", "?", ":", ",", "'", "\"", "'''", "\\",
      "\n", " ",
      "+", "-", "*", "/", "%", "!", "=", "==", "!=", "<", "<=", "&&", "||", "&", "in", "not ",
      "and ", "has(",
      "size(", "1", "0x", "1e", "5u", "true", "null", "`", "//", "é", "\u{1F92A}", "#", "@", "r'",
      "b\"",
      "\u{201C}", ".?", "[?", "{?", "as", "\t", "\0",
    ]
    for _ in 0..<400 {
      let count = Int.random(in: 1...30, using: &random)
      let source = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
        .joined()
      let parsed = ParsedText(source)
      for diagnostic in parsed.diagnostics {
        let range = diagnostic.range ?? SourceRange(from: -1, to: -1)
        #expect(
          range.from >= 0 && range.from <= range.to && range.to <= source.utf8.count,
          "\(diagnostic) in \(source.debugDescription)")
      }
      // The checker takes what the parser lets pass.
      let compiled = ExpressionEnvironment().compile(source)
      #expect((compiled.output == nil) == compiled.diagnostics.contains { $0.severity == .error })
    }
  }
}

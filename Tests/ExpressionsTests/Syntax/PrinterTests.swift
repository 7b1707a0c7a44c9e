import TestSupport
import Testing

@testable import Expressions

private func parse(_ text: String) -> (tree: SyntaxTree, diagnostics: [Diagnostic]) {
  var text = text
  return text.withUTF8 { Parser.parse($0) }
}

@Suite("Printing expressions")
struct PrinterTests {
  @Test(arguments: [
    ("a&&b||c", "a && b || c"), ("a && (b||c)", "a && (b || c)"), ("(a&&b)&&c", "(a && b) && c"),
    ("1+2*3", "1 + 2 * 3"), ("(1+2)*3", "(1 + 2) * 3"), ("1-(2-3)", "1 - (2 - 3)"),
    ("1-2-3", "1 - 2 - 3"),
    ("a?b:c?d:e", "a ? b : c ? d : e"), ("(a?b:c)?d:e", "(a ? b : c) ? d : e"),
    ("a?(b?c:d):e", "a ? (b ? c : d) : e"),
    ("!a", "!a"), ("!(a==b)", "!(a == b)"), ("!!a", "!!a"), ("!(-a)", "!(-a)"), ("-(!a)", "-(!a)"),
    ("!(-1)", "!-1"), ("!(-(1))", "!(-(1))"),
    ("[,]", "[]"), ("-a", "-a"), ("-(1)", "-(1)"), ("-1", "-1"),
    ("(-1).x", "(-1).x"), ("- -1", "-(-1)"), ("'it\\'s \"x\"\\n'", #""it's \"x\"\n""#),
    ("b'\\xff'", #"b"\xff""#),
    ("r'\\d'", #""\\d""#), ("1u", "1u"), ("1.0", "1.0"), ("1e3", "1000.0"), ("[1,2,]", "[1, 2]"),
    ("{'a':1}", #"{"a": 1}"#),
    ("a.b.c(d)[0].?e[?f]", "a.b.c(d)[0].?e[?f]"), ("[?a]", "[?a]"), ("{?a:b}", "{?a: b}"),
    ("a.`x-y`", "a.`x-y`"),
    ("a.`in`", "a.`in`"), ("a.?`null`", "a.?`null`"), ("a.`if`", "a.if"),
    ("x in [1]", "x in [1]"), ("a == (b == c)", "a == (b == c)"), ("a == b == c", "a == b == c"),
    (".a", ".a"),
    ("a.exists(x,x>1)", "a.exists(x, x > 1)"), ("M{a:1}", "M{a: 1}"), ("(a + b).c", "(a + b).c"),
  ])
  func prints(source: String, expected: String) {
    let (tree, diagnostics) = parse(source)
    #expect(diagnostics.isEmpty)
    #expect(Printer.print(tree) == expected)
  }

  /// Printing and reading again gives the same tree, for random trees.
  @Test func readingBackGivesTheSameTree() {
    var generator = SplitMix(seed: 42)
    for _ in 0..<3_000 {
      let source = randomExpression(depth: 5, &generator)
      let (tree, diagnostics) = parse(source)
      #expect(diagnostics.isEmpty, "\(source)")
      let printed = Printer.print(tree)
      let again = parse(printed)
      #expect(again.diagnostics.isEmpty, "\(source) prints \(printed)")
      let isSame = tree.isSame(as: again.tree)
      #expect(isSame, "\(source) prints \(printed)")
    }
  }

  private func randomExpression(depth: Int, _ generator: inout SplitMix) -> String {
    func pick(_ choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
    func inner() -> String { randomExpression(depth: depth - 1, &generator) }
    let leaf = [
      "a", "user.plan", "1", "-1", "2u", "1.5", "-2.5", "'x'", "'\\n\"'", "b'\\x01z'", "true",
      "null", "[]", "{}",
    ]
    if depth == 0 { return pick(leaf) }
    let binary = pick(["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||"])
    switch Int.random(in: 0..<12, using: &generator) {
    case 0...3: return "(\(inner())) \(binary) (\(inner()))"
    case 4: return "(\(inner())) ? (\(inner())) : (\(inner()))"
    case 5: return "!(\(inner()))"
    case 6: return "-(\(inner()))"
    case 7: return "(\(inner())).f(\(inner()), \(inner()))"
    case 8: return "[\(inner()), ?\(inner())]"
    case 9: return "{\(inner()): \(inner())}"
    case 10: return "(\(inner()))[\(inner())].name"
    default: return pick(leaf)
    }
  }
}

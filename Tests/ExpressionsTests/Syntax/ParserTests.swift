import Testing

@testable import Expressions

/// How texts are understood, after the grammar of the CEL specification.
@Suite struct ParserTests {
  @Test(arguments: [
    // Every operator against its neighbours in the table of precedence.
    ("a || b && c", "(|| a (&& b c))"),
    ("a && b || c", "(|| (&& a b) c)"),
    ("a && b == c", "(&& a (== b c))"),
    ("a == b && c", "(&& (== a b) c)"),
    ("a == b + c", "(== a (+ b c))"),
    ("a + b == c", "(== (+ a b) c)"),
    ("a + b * c", "(+ a (* b c))"),
    ("a * b + c", "(+ (* a b) c)"),
    ("a - b % c", "(- a (% b c))"),
    ("!a.b", "(! (. a b))"),
    ("!a == b", "(== (! a) b)"),
    ("-a * b", "(* (- a) b)"),
    ("a * -b", "(* a (- b))"),
    ("a in b && c in d", "(&& (in a b) (in c d))"),
    ("a + b in c", "(in (+ a b) c)"),
    ("a ? b : c || d", "(?: a b (|| c d))"),
    ("a || b ? c : d", "(?: (|| a b) c d)"),
    ("a == b ? c : d", "(?: (== a b) c d)"),
  ])
  func precedence(source: String, shape: String) {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics == [])
    #expect(parsed.shape == shape)
  }

  @Test(arguments: [
    ("a - b - c", "(- (- a b) c)"),
    ("a / b * c", "(* (/ a b) c)"),
    ("a % b / c", "(/ (% a b) c)"),
    ("a < b == c", "(== (< a b) c)"),
    ("a == b != c", "(!= (== a b) c)"),
    ("a in b in c", "(in (in a b) c)"),
    ("a - (b - c)", "(- a (- b c))"),
    ("a ? b : c ? d : e", "(?: a b (?: c d e))"),
    ("(a ? b : c) ? d : e", "(?: (?: a b c) d e)"),
    ("a ? (b ? c : d) : e", "(?: a (?: b c d) e)"),
    ("a && b && c", "(&& a b c)"),
    ("a || b || c", "(|| a b c)"),
    ("!!a", "(! (! a))"),
    ("--a", "(- (- a))"),
    ("!-1", "(! -1)"), ("!(-a)", "(! (- a))"), ("-(!a)", "(- (! a))"), ("!-a", nil), ("-!a", nil),
    ("!!-a", nil), ("--!a", nil), ("!-1u", nil), ("!- 1", "(! -1)"),
    ("a.b.c", "(. (. a b) c)"),
    ("a[b][c]", "([] ([] a b) c)"),
    ("a.b(c).d(e)", "(d on (b on a c) e)"),
    ("a.b[c].d", "(. ([] (. a b) c) d)"),
    ("f(a)(b)", nil),
  ])
  func associativity(source: String, shape: String?) {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics.isEmpty == (shape != nil))
    if let shape { #expect(parsed.shape == shape) }
  }

  @Test(arguments: [
    ("f()", "(f)"), ("f(a)", "(f a)"), ("f(a, b)", "(f a b)"), ("a.f()", "(f on a)"),
    ("[]", "(list)"), ("[,]", "(list)"), ("{,}", "(map)"), ("A{,}", "(message A)"),
    ("[a]", "(list a)"), ("[a, b,]", "(list a b)"), ("{}", "(map)"),
    ("{a: b}", "(map a b)"), ("{a: b, c: d,}", "(map a b c d)"), ("{'a': {}}", "(map 'a' (map))"),
    ("[[a], []]", "(list (list a) (list))"), (".a", ".a"), (".a.b", "(. .a b)"),
    ("a.`b-c`", "(. a b-c)"), ("a.`in`", "(. a in)"), ("a.`b c/d.e_1`", "(. a b c/d.e_1)"),
    ("a.as", "(. a as)"),
    ("a.package.var", "(. (. a package) var)"), ("[?a]", "(list (? a))"),
    ("{?a: b}", "(map (? a) b)"), ("a.?b", "(.? a b)"), ("a[?b]", "([?] a b)"),
    ("A{b: c}", "(message A b c)"), ("a.B{}", "(message (. a B))"),
    ("intrinsic", "intrinsic"), ("nullable", "nullable"), ("trueish", "trueish"), ("_", "_"),
    ("_a1", "_a1"), ("True", "True"), ("r", "r"), ("b", "b"), ("rb", "rb"), ("br1", "br1"),
    ("has(a.b)", "(has (. a b))"), ("a.has(b)", "(has on a b)"),
  ])
  func operands(source: String, shape: String) {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics == [])
    #expect(parsed.shape == shape)
  }

  /// White space is blank, tab, line feed, form feed and carriage return; comments run to the end of
  /// their line.
  @Test(arguments: [
    "a+b", " a + b ", "a\n+\nb", "a\t+\tb", "a\r\n+ b", "a\u{0C}+ b", "a // one\n + // two\n b",
    "//\na + b", "a + b // end", "a + b//",
  ])
  func space(source: String) {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics == [])
    #expect(parsed.shape == "(+ a b)")
  }

  /// The bytes that a node covers, the outermost node last.
  @Test(arguments: [
    ("a", 0, 1), ("  a  ", 2, 3), ("a + b", 0, 5), (" (a + b) ", 1, 8), ("!a", 0, 2), ("- 5", 0, 3),
    ("a.b", 0, 3), ("a.b(c)", 0, 6), ("f(a, b )", 0, 8), ("[a ]", 0, 4), ("{a:b}", 0, 5),
    ("a[ 1 ]", 0, 6), ("'é'", 0, 4), ("'é' + a", 0, 8), ("a ? b : c", 0, 9), ("a && b", 0, 6),
    ("a // x\n", 0, 1), ("A{b:c}", 0, 6), (".a", 0, 2), ("r'a'", 0, 4), ("'''a'''", 0, 7),
    ("0x1Fu", 0, 5), ("((a))", 0, 5),
  ])
  func ranges(source: String, from: Int, to: Int) {
    let parsed = ParsedText(source)
    #expect(parsed.diagnostics == [])
    #expect(parsed.tree[parsed.tree.root].range == SourceRange(from: from, to: to))
  }
}

import Expressions
import Testing

/// What is said of slips that people bring from other languages, in both dialects.
@Suite struct SyntaxHintTests {
  @Test(
    arguments: [
      ("user.a == 1 and user.b", "'and' is not an operator", "write '&&'"),
      ("user.a == 1 OR user.b", "'OR' is not an operator", "write '||'"),
      ("user.a is 1", "'is' is not an operator", "write '=='"),
      ("user.a => 3", "'=' is not an operator", "did you mean '>='?"),
      ("user.a =~ 'x'", "'=~' is not an operator", "write a.matches(pattern)"),
      ("user.a =< 3", "'=' is not an operator", "did you mean '<='?"),
      ("user.a <> 3", "'<>' is not an operator", "write '!='"),
      ("not user.a", "'not' is not an operator", "write '!'"),
      ("user.b && NOT user.a == 1", "'NOT' is not an operator", "write '!'"),
      ("user.a = 3", "'=' is not an operator", "write '==' to compare"),
      ("user.a == \u{201C}x\u{201D}", "curly quotes do not begin a string", "use straight quotes"),
      (
        #"device.country == "US && device.x >= "003.004""#,
        "expected an operator or the end before a number",
        "the string before it goes from column 19 to 38 of the expression; is a quote missing?"
      ),
      (
        #"user.name == "Zoé"x"#, "expected an operator or the end before a name",
        "the string before it goes from column 14 to 18 of the expression; is a quote missing? "
          + "Within a string it is written \\\""
      ),
      (
        #"user.a == "b" "c""#, "expected an operator or the end before a string",
        "join two conditions with '&&' or '||'"
      ),
      (
        "user.a 5", "expected an operator or the end before a number",
        "join two conditions with '&&' or '||'"
      ),
    ] as [(String, String, String?)])
  func slips(source: String, message: String, suggestion: String?) throws {
    for environment in [ExpressionEnvironment(), .superscript(roots: ["user", "device"])] {
      let first = try #require(environment.compile(source).diagnostics.first)
      #expect(first.code == .syntaxError)
      #expect(first.message == message)
      #expect(first.suggestion == suggestion)
    }
  }

  /// Operators of other languages that are written like functions.
  @Test(arguments: [
    ("not (user.a == 1)", "write '!'"), ("and(user.a, user.b)", "write '&&'"),
  ])
  func operatorsAsFunctions(source: String, suggestion: String) throws {
    for environment in [ExpressionEnvironment(), .superscript(roots: ["user", "device"])] {
      let first = try #require(environment.compile(source).diagnostics.first)
      #expect(first.code == .unknownFunction)
      #expect(first.suggestion == suggestion)
    }
  }

  /// What is looked at for a hint may end behind any character.
  @Test(arguments: [
    "user.a === 1 and [b ?? 'c", "user?.plan == \"a\" \"b\"", "a =~ /x/ || user.first name == 5 %",
    "user.v == 1.2.3", "day > 2026-01-31", "list.exists(x => x > 3)", "(a, b) in {c: (d]}",
    "user.first-name is not null", "// a\n/* b */ # c", "«a» ≠ “b” – ½", "{{ user.a }}", "if (a) b",
    "return a -> b::c := 'd\\", "a !in b not in c", "1,000 + user.1a",
  ])
  func textsThatEndAnywhere(source: String) {
    for environment in [ExpressionEnvironment(), .superscript(roots: ["user", "device"])] {
      for end in source.indices + [source.endIndex] {
        let text = String(source[..<end])
        for diagnostic in environment.compile(text).diagnostics {
          let range = diagnostic.range ?? SourceRange(from: 0, to: 0)
          #expect(range.from <= range.to && range.to <= text.utf8.count, "\(text): \(diagnostic)")
        }
      }
    }
  }
}

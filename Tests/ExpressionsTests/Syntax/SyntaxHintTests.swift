import Expressions
import Testing

/// What is said of slips that people bring from other languages, in both dialects.
@Suite struct SyntaxHintTests {
  @Test(
    arguments: [
      ("user.a == 1 and user.b", "'and' is no operator", "write '&&'"),
      ("user.a == 1 OR user.b", "'OR' is no operator", "write '||'"),
      ("user.a is 1", "'is' is no operator", "write '=='"),
      ("user.a => 3", "'=' is no operator", "did you mean '>='?"),
      ("user.a =< 3", "'=' is no operator", "did you mean '<='?"),
      ("user.a = 3", "'=' is no operator", "write '==' to compare"),
      ("user.a == \u{201C}x\u{201D}", "curly quotes do not begin a string", "use straight quotes"),
      (
        #"device.country == "US && device.x >= "003.004""#,
        "expected an operator or the end before a number",
        "the string before it goes from column 19 to 38 of the expression; is a quote missing?"
      ),
      (
        #"user.name == "Zoé"x"#, "expected an operator or the end before a name",
        "the string before it goes from column 14 to 18 of the expression; is a quote missing?"
      ),
      (#"user.a == "b" "c""#, "expected an operator or the end before a string", nil),
      ("user.a 5", "expected an operator or the end before a number", nil),
    ] as [(String, String, String?)])
  func slips(source: String, message: String, suggestion: String?) throws {
    for environment in [Environment(), .superscript(roots: ["user", "device"])] {
      let first = try #require(environment.compile(source).diagnostics.first)
      #expect(first.code == .syntaxError)
      #expect(first.message == message)
      #expect(first.suggestion == suggestion)
    }
  }
}

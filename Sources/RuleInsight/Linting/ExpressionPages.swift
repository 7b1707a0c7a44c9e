internal import Expressions
internal import RuleEngine

/// Pages of diagnostic codes from compiling an expression or a template.
extension CodePage {
  static let ofExpressions: [CodePage] = [
    CodePage(
      .syntaxError, .error,
      what: "An expression has a syntax error.",
      why: "The audience never matches, in Tollgate and in SDKs.",
      example: .condition("user.plan == 'free' and user.age >= 18"),
      advice: "The mark shows where parsing stopped, and the help suggests a correction.",
      better: .condition("user.plan == 'free' && user.age >= 18")),
    CodePage(
      .unknownFunction, .error,
      what: "An expression calls a function that does not exist, or passes the wrong arguments.",
      why: """
        In superscript, the whole expression is null, so the audience never matches. In CEL, the expression \
        does not compile.
        """,
      example: .condition("user.email.startWith('a')"),
      advice: """
        'tollgate functions' lists all functions, and 'tollgate functions NAME' describes one.
        """,
      better: .condition("has(user.email) ? user.email.startsWith('a') : false"),
      lists: Dialect.allCases.reversed().map { dialect in
        let entries = FunctionReference.entries.filter { $0.page.dialects.contains(dialect) }
        let names = Set(entries.flatMap { $0.page.names }).sorted()
        return ("Functions of \(dialect.rawValue)", names)
      }),
    CodePage(
      .badRegex, .error,
      what: "A pattern is not a valid regular expression in any SDK.",
      why: "Evaluating the condition fails, so the audience does not match.",
      example: .condition("has(user.email) ? user.email.matches('(unclosed') : false"),
      advice: "Patterns use RE2 syntax, without look-around and back-references.",
      better: .condition("has(user.email) ? user.email.matches('(closed)') : false")),
    CodePage(
      .notSupported, .error,
      what: "An expression uses an unsupported part of CEL.",
      why: "The expression does not compile, so its audience never matches.",
      example: .other("Rule{plan: 'free'}"),
      advice: "Write a map instead of a message.",
      better: .other("{'plan': 'free'}")),
    CodePage(
      .limitExceeded, .error,
      what: "An expression or a text is too long or too deeply nested.",
      why: "Such an expression is not compiled, because time and memory for a config are limited.",
      example: .other("an expression of more than 100,000 bytes, or with 250 nested parentheses"),
      advice: "Simplify the expression, or split it into several audiences."),
    CodePage(
      .dialectDifference, .note,
      what: "A clause has different meanings in CEL and in superscript.",
      why: "For some users, the condition has a different result in the other language.",
      example: .other(
        "user.age < 18, for a user without age: true in superscript, an error in CEL"),
      advice: "State what should happen without the attribute: has(user.age) && user.age < 18."),
    CodePage(
      .notFormatted, .warning,
      what: "'tollgate fmt' did not format an expression.",
      why: "The expression contains a comment or does not compile.",
      example: .other("user.age > 18 // adults"),
      advice: "Remove the comment, or fix the expression."),
    CodePage(
      .renderError, .warning,
      what: "A part of a template failed and printed nothing.",
      why: "Users see a gap in the paywall's text.",
      example: .other("{{ products.primary.price | dividedby: 12 }}"),
      advice: "'tollgate check-template' lists the valid names and filters.",
      better: .other("{{ products.primary.price | divided_by: 12 }}")),
  ]
}

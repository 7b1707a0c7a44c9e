internal import Expressions
internal import RuleEngine

/// Pages of codes that compiling an expression or a text gives.
extension CodePage {
  static let ofExpressions: [CodePage] = [
    CodePage(
      .syntaxError, .error,
      what: "An expression is not in the language.",
      why: "The audience never matches, here and in SDKs.",
      example: .condition("user.plan == 'free' and user.age >= 18"),
      advice: "The mark shows where reading stopped, and the help what may have been meant.",
      better: .condition("user.plan == 'free' && user.age >= 18")),
    CodePage(
      .unknownFunction, .error,
      what: "An expression calls a function that does not exist, or with other arguments.",
      why: """
        In superscript an expression that calls it is null, so that its audience matches nobody; in \
        CEL it does not compile.
        """,
      example: .condition("user.email.startWith('a')"),
      advice: """
        Write a function of the language. 'tollgate functions' lists them with what they do, \
        'tollgate functions NAME' describes one.
        """,
      better: .condition("has(user.email) ? user.email.startsWith('a') : false"),
      lists: Dialect.allCases.reversed().map { dialect in
        let entries = FunctionReference.entries.filter { $0.page.dialects.contains(dialect) }
        let names = Set(entries.flatMap(\.page.names)).sorted()
        return ("Functions of \(dialect.rawValue)", names)
      }),
    CodePage(
      .badRegex, .error,
      what: "A pattern is not a regular expression that any SDK takes.",
      why: "Whoever's condition comes to it does not match: evaluating it is an error.",
      example: .condition("has(user.email) ? user.email.matches('(unclosed') : false"),
      advice: "Patterns are RE2's: without look-around and back-references.",
      better: .condition("has(user.email) ? user.email.matches('(closed)') : false")),
    CodePage(
      .notSupported, .error,
      what: "An expression uses a part of CEL that has no meaning here.",
      why: "It does not compile, so its audience never matches.",
      example: .other("Rule{plan: 'free'}"),
      advice: "Write a map in place of a message.",
      better: .other("{'plan': 'free'}")),
    CodePage(
      .limitExceeded, .error,
      what: "An expression or a text is too long or too deeply nested.",
      why: "It is not compiled, so that no config can take more time or memory than it may.",
      example: .other("an expression of more than 100,000 bytes, or 250 parentheses in each other"),
      advice: "Split it into several audiences, or simplify it."),
    CodePage(
      .dialectDifference, .note,
      what: "A clause means something else in CEL than in superscript.",
      why: "Whoever moves the condition to the other language gets other answers for some users.",
      example: .other(
        "user.age < 18, for a user without age: true in superscript, an error in CEL"),
      advice: "Say what is meant for users without the attribute: has(user.age) && user.age < 18."),
    CodePage(
      .notFormatted, .warning,
      what: "'tollgate fmt' left an expression as it is.",
      why: "It has a comment, or does not compile, and formatting must change nothing else.",
      example: .other("user.age > 18 // adults"),
      advice: "Take the comment out, or mend the expression."),
    CodePage(
      .renderError, .warning,
      what: "A part of a template gave nothing.",
      why: "Whoever sees the paywall sees a gap in its text.",
      example: .other("{{ products.primary.price | dividedby: 12 }}"),
      advice: "'tollgate check-template' shows which names and filters there are.",
      better: .other("{{ products.primary.price | divided_by: 12 }}")),
  ]
}

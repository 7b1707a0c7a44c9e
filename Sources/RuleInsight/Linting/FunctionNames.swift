package import Expressions
internal import RuleEngine

/// A condition reads an attribute that has the name of a function.
///
/// `user.duration == ""`: if the user has no `duration`, superscript uses the function instead.
enum FunctionNames: Lint {
  static let page = CodePage(
    .attributeNamedLikeFunction, .warning,
    what: "An attribute has the name of a function.",
    why: """
      In superscript, a missing attribute with the name of a function evaluates to that function: has() of the \
      attribute is true, '==' is always false, and '<' is an error.
      """,
    example: .condition("has(user.duration) && user.duration > 10"),
    advice: "Give the attribute another name, in the app and in the condition.",
    better: .condition("has(user.minutes) && user.minutes > 10"))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard let host = subject.language.platform?.hostFunctions else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      return expression.attributes.flatMap { id, path -> [Diagnostic] in
        guard let name = path.last, expression.dialect.isFunctionName(name, with: host),
          let range = expression.lastName(id)
        else { return [] }
        return findings(
          "'\(name)' is also a function: if the attribute is missing, superscript uses the function",
          in: condition, range: range, suggestion: "give the attribute another name")
      }
    }
  }
}

extension Diagnostic.Code {
  /// An attribute with the name of a function. If it is missing, superscript uses the function instead.
  package static let attributeNamedLikeFunction = Self(rawValue: "attribute-named-like-function")
}

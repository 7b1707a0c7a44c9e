internal import Expressions
internal import RuleEngine

/// A string with a dollar sign, which Android removes from users' values.
///
/// `params.price == "$4.99"`
enum DollarSigns: Lint {
  static let page = HistoryDifferences.page

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.isSuperscript else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      guard expression.source.utf8.contains(UInt8(ascii: "$")),
        ["Android", nil].contains(expression.platform)
      else { return [] }
      return expression.relations.flatMap { relation -> [Diagnostic] in
        guard let (attribute, literals) = relation.attributeWithLiterals(in: expression) else {
          return []
        }
        return literals.flatMap { literal -> [Diagnostic] in
          guard case .string(let text)? = expression.literal(literal), text.contains("$") else {
            return []
          }
          return condition.paths.map {
            Diagnostic(
              .platformDifference,
              "on Android '\(expression.text(attribute))' has no '$', because the SDK removes '$' from strings",
              severity: .warning, range: expression[literal].range, path: $0,
              suggestion: "compare something without '$', such as a number")
          }
        }
      }
    }
  }
}

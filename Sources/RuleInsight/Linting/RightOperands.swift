package import Expressions
internal import RuleEngine

/// An attribute that may be missing is the right operand of a comparison.
///
/// `12 <= user.visits`: superscript applies defaults to the left side only.
enum RightOperands: Lint {
  static let page = CodePage(
    .missingOnRight, .warning,
    what: "An attribute that some users lack is on the right side of a comparison.",
    why: """
      In superscript, a missing attribute on the left side of a comparison counts as 0, "" or false. On the \
      right side it counts as null: '<' and '>' are errors, '==' is false and '!=' is true. So 0 == user.visits \
      and user.visits == 0 have different results for users without visits.
      """,
    example: .condition("12 <= user.visits"),
    advice: "Write the attribute on the left side, or test whether the attribute exists.",
    better: .condition("user.visits >= 12"))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.isSuperscript else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      var found: [Diagnostic] = []
      GuardWalk(expression, isSuperscript: true).visit { id, place in
        guard let relation = Relation(id, in: expression), relation.kind != .in,
          let path = expression.path(relation.right), subject.schema.mayBeMissing(path),
          !place.guards.contains(path)
        else { return }
        if relation.isOrder, let other = expression.path(relation.left), other.count > 1 {
          found += attributes(path, id, condition)
        }
        guard let literal = expression.literal(relation.left),
          let (effect, sign) = effect(relation, literal)
        else { return }
        let turned = "\(expression.text(relation.right)) \(sign) \(expression.text(relation.left))"
        let name = path.joined(separator: ".")
        found += findings(
          "'\(name)' may be missing, and on the right it has no default: \(effect)",
          in: condition, range: expression[id].range, suggestion: "write \(turned)", subject: name)
      }
      return found
    }
  }

  /// Reports the right attribute of a comparison such as `user.visits > user.limit`, which is an
  /// error for users without a limit.
  private static func attributes(
    _ path: [String], _ id: ParsedExpression.ID, _ condition: LintSubject.Condition
  ) -> [Diagnostic] {
    let name = path.joined(separator: ".")
    return findings(
      "'\(name)' may be missing, and on the right it has no default: comparing is an error",
      in: condition, range: condition.expression[id].range,
      suggestion: "write has(\(name)) ? \(condition.expression.text(id)) : false", subject: name)
  }

  /// The effect of comparing with null on the right, and the operator after swapping the operands.
  /// Nil if the effect is the same with the attribute on the left.
  private static func effect(_ relation: Relation, _ literal: Value) -> (String, String)? {
    let error = "comparing is an error"
    switch relation.kind {
    case .less: return (error, ">")
    case .lessOrEqual: return (error, ">=")
    case .greater: return (error, "<")
    case .greaterOrEqual: return (error, "<=")
    case .equal:
      let isDefault = literal.number == 0 || literal == "" || literal == .bool(false)
      return isDefault ? ("the comparison is false", "==") : nil
    case .notEqual: return literal == .null ? nil : ("the comparison is true", "!=")
    default: return nil
    }
  }
}

extension Diagnostic.Code {
  /// An attribute that may be missing, on the right of a comparison.
  package static let missingOnRight = Self(rawValue: "missing-on-right")
}

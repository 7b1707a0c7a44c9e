internal import Expressions
internal import RuleEngine

/// A part of a condition that reads nothing, or compares a value with itself.
///
/// `"a" == "a" && user.plan == "free"`
enum ConstantParts: Lint {
  static let page = CodePage(
    .constantClause, .warning,
    what: "A clause or a filter is always true or always false.",
    why: "A clause with the same result for every user does not test what it should.",
    example: .condition(#""user.plan" == "free" || user.visits == 3"#),
    advice: "Correct the clause, or remove it.",
    better: .condition(#"user.plan == "free" || user.visits == 3"#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    let constant = ConstantValue(subject.language)
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      let isConstant = expression.constants(subject.language)
      var found: [Diagnostic] = []
      look(expression.root, parent: nil, expression) { id, parent in
        guard let message = message(id, parent, expression, isConstant[id], constant) else {
          return
        }
        found += findings(message, in: condition, range: expression[id].range)
      }
      return found
    }
  }

  /// Visits the parts that are used as conditions.
  private static func look(
    _ id: ParsedExpression.ID, parent: SyntaxTree.Kind?, _ expression: ParsedExpression,
    _ visitor: (ParsedExpression.ID, SyntaxTree.Kind?) -> Void
  ) {
    let node = expression[id]
    switch node.kind {
    case .and, .or:
      for operand in expression.tree.list(node.c) {
        look(Int(operand), parent: node.kind, expression, visitor)
      }
    case .not:
      // `!false` counts as a literal too.
      if expression.literal(Int(node.a)) != nil { visitor(id, parent) }
      look(Int(node.a), parent: .not, expression, visitor)
    case .conditional:
      visitor(id, parent)
      for operand in [node.a, node.b, node.c] {
        look(Int(operand), parent: .conditional, expression, visitor)
      }
    default: visitor(id, parent)
    }
  }

  private static func message(
    _ id: ParsedExpression.ID, _ parent: SyntaxTree.Kind?, _ expression: ParsedExpression,
    _ isConstant: Bool, _ constant: ConstantValue
  ) -> String? {
    let text = expression.text(id)
    guard text.utf8.count <= 1_000 else { return nil }
    let node = expression[id]
    if node.kind == .conditional {
      let (yes, no) = (expression.text(Int(node.b)), expression.text(Int(node.c)))
      return yes == no ? "both branches of '?:' are '\(yes)': the test has no effect" : nil
    }
    if node.kind == .not, case .bool(let value)? = expression.literal(Int(node.a)) {
      return parent == (value ? .and : .or)
        ? "'\(text)' makes the other operands of '\(value ? "&&" : "||")' irrelevant" : nil
    }
    if case .bool(let value)? = expression.literal(id) {
      // A literal that is a whole condition or a branch is intended.
      if parent == .or, value { return "'true' makes the other operands of '||' irrelevant" }
      if parent == .and, !value { return "'false' makes the other operands of '&&' irrelevant" }
      return nil
    }
    if let relation = Relation(id, in: expression) {
      if let path = expression.path(relation.left), path == expression.path(relation.right) {
        return "'\(text)' compares '\(path.joined(separator: "."))' with itself"
      }
    }
    guard isConstant, expression[id].kind == .call || Relation(id, in: expression) != nil,
      case .value(.bool(let value))? = constant.answer(text)
    else { return nil }
    return "'\(text)' is \(value ? "always" : "never") true: it reads no attribute"
  }
}

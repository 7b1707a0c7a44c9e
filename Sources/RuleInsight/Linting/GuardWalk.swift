internal import Expressions

/// Walks a condition, and determines for each part which attributes must exist for the part to decide.
struct GuardWalk {
  /// The facts about a place in the condition.
  struct Place {
    /// Attributes that exist when this part is evaluated.
    var guards: Set<[String]> = []
    /// Attributes that only look guarded: superscript evaluates both sides of `&&`, and an error in
    /// this part has another effect than false.
    var idleGuards: Set<[String]> = []
    /// Whether the condition is true only if this part is true.
    var isClause = true
    /// Whether an error in this part has the same effect as false.
    var absorbsErrors = true
  }

  private let expression: ParsedExpression
  private let isSuperscript: Bool

  init(_ expression: ParsedExpression, isSuperscript: Bool) {
    self.expression = expression
    self.isSuperscript = isSuperscript
  }

  /// Visits every part that is not itself `&&`, `||` or a choice, outer parts first.
  func visit(_ visitor: (ParsedExpression.ID, Place) -> Void) {
    visit(expression.root, Place(), visitor)
  }

  private func visit(
    _ id: ParsedExpression.ID, _ place: Place, _ visitor: (ParsedExpression.ID, Place) -> Void
  ) {
    let node = expression[id]
    switch node.kind {
    case .and: visitAnd(expression.tree.list(node.c).map(Int.init), place, visitor)
    case .or:
      let operands = expression.tree.list(node.c).map(Int.init)
      var inner = place
      inner.isClause = false
      for (number, operand) in operands.enumerated() {
        // After the last operand nothing remains to match.
        inner.absorbsErrors = place.absorbsErrors && number == operands.count - 1
        visit(operand, inner, visitor)
        inner.guards.formUnion(presences(operand, when: false))
      }
    case .conditional:
      let (test, yes, no) = (Int(node.a), Int(node.b), Int(node.c))
      var inner = place
      inner.isClause = false
      for (branch, outcome) in [(yes, true), (no, false)] {
        inner.guards = place.guards.union(presences(test, when: outcome))
        visit(branch, inner, visitor)
      }
      inner.guards = place.guards
      inner.absorbsErrors = false
      visit(test, inner, visitor)
    default:
      visitor(id, place)
      var inner = place
      inner.isClause = false
      if node.kind == .not { inner.absorbsErrors = false }
      for operand in expression.tree.operands(of: node) { visit(operand, inner, visitor) }
    }
  }

  private func visitAnd(
    _ operands: [ParsedExpression.ID], _ place: Place,
    _ visitor: (ParsedExpression.ID, Place) -> Void
  ) {
    let presences = operands.reduce(into: Set<[String]>()) {
      $0.formUnion(self.presences($1, when: true))
    }
    var inner = place
    if isSuperscript, !place.absorbsErrors {
      inner.idleGuards.formUnion(presences)
    } else {
      // On either side, an error becomes false or remains an error.
      inner.guards.formUnion(presences)
    }
    for operand in operands { visit(operand, inner, visitor) }
  }

  // MARK: Guards

  /// Attributes that must exist if a test has this outcome.
  private func presences(_ id: ParsedExpression.ID, when outcome: Bool) -> Set<[String]> {
    let node = expression[id]
    switch node.kind {
    case .not: return presences(Int(node.a), when: !outcome)
    case .and where outcome, .or where !outcome:
      return expression.tree.list(node.c).reduce(into: []) {
        $0.formUnion(presences(Int($1), when: outcome))
      }
    case .conditional where outcome:
      // `has(a) ? test : false` guards like `has(a) && test`.
      guard expression.literal(Int(node.c)) == .bool(false) else { return [] }
      return presences(Int(node.a), when: true).union(presences(Int(node.b), when: true))
    case .equal, .notEqual:
      return compared(node, isEqual: (node.kind == .equal) == outcome)
    case .in where outcome:
      // `"email" in user` guards like `has(user.email)`.
      if case .string(let name)? = expression.literal(Int(node.a)),
        let root = expression.path(Int(node.b)), root.count == 1
      {
        return [root + [name]]
      }
      return paths(Int(node.a))
    case .identifier, .select, .index:
      // A value that counts as true must exist.
      return outcome ? paths(id) : []
    case .call where outcome:
      guard let call = expression.call(id) else { return [] }
      if call.name == "has" { return paths(call.arguments.first) }
      // A value that contains something must exist.
      return call.name == "contains" ? paths(call.target) : []
    default: return []
    }
  }

  /// The path of a part that is an attribute; empty for other parts.
  private func paths(_ id: ParsedExpression.ID?) -> Set<[String]> {
    guard let id, let path = expression.path(id) else { return [] }
    return [path]
  }

  private func compared(_ node: SyntaxTree.Node, isEqual: Bool) -> Set<[String]> {
    for (attribute, other) in [(node.a, node.b), (node.b, node.a)] {
      guard let path = expression.path(Int(attribute)),
        let literal = expression.literal(Int(other))
      else { continue }
      let isNothing = literal == .null || literal == ""
      // In comparisons, superscript replaces a missing value with 0 or false.
      let isDefault = isSuperscript && (literal.number == 0 || literal == .bool(false))
      return isEqual != isNothing && !(isEqual && isDefault) ? [path] : []
    }
    return []
  }
}

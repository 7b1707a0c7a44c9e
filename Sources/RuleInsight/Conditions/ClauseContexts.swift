internal import Expressions

/// The circumstances in which a clause matters.
extension ConditionModel {
  /// The outcomes that count as a clause being true, in the language of the conditions.
  package var holdingClause: OutcomeSet {
    program.storage.environment.dialect == .superscript ? [.true, .truthy] : .true
  }

  /// The outcomes that other operands must have so that a clause decides: operands to its left, and
  /// tests of the choices around it. Nil for a clause that folding has removed from the condition.
  package func context(ofClause number: Int, in condition: Int) -> [ConditionSpace.Goal]? {
    guard let node = conditions[condition].clauses[number].node else { return nil }
    var seen: Set<Int> = []
    return path(to: node, from: conditions[condition].root, &seen)
  }

  /// The nodes that are the subject of questions about a condition and its clauses.
  package func nodes(askedAbout condition: Int) -> [Int] {
    var nodes = [conditions[condition].root]
    for (number, clause) in conditions[condition].clauses.enumerated() {
      guard let context = context(ofClause: number, in: condition) else { continue }
      nodes += context.map { $0.node } + [clause.node].compactMap { $0 }
    }
    return nodes
  }

  private func path(to target: Int, from node: Int, _ seen: inout Set<Int>)
    -> [ConditionSpace.Goal]?
  {
    if node == target { return [] }
    guard seen.insert(node).inserted else { return nil }
    let operands = nodes[node].operands
    for (i, operand) in operands.enumerated() {
      guard let goals = path(to: target, from: operand, &seen) else { continue }
      return before(i, of: nodes[node]) + goals
    }
    return nil
  }

  private func before(_ place: Int, of node: Node) -> [ConditionSpace.Goal] {
    let falsy: OutcomeSet = [.false, .null, .falsy]
    switch node.kind {
    case .fold:
      let wanted: OutcomeSet =
        switch OutcomeTables.Fold(rawValue: node.value) ?? .and {
        case .and: .true
        case .or: .notTrue
        case .both: [.true, .truthy]
        case .firstTruthy: falsy
        }
      return node.operands[..<place].map { ConditionSpace.Goal($0, wanted) }
    case .conditional where place > 0:
      return [ConditionSpace.Goal(node.operands[0], place == 1 ? holdingClause : falsy)]
    default: return []
    }
  }

  /// Whether a clause reads nothing, such as `false` in a choice.
  package func isLiteral(clause number: Int, of condition: Int) -> Bool {
    guard let node = conditions[condition].clauses[number].node else { return true }
    return slots(below: node).isEmpty
  }

  /// Whether a clause checks a prerequisite of a later one: that an attribute exists, is not null,
  /// has a type, or is truthy.
  package func isGuard(clause number: Int, of condition: Int) -> Bool {
    let clauses = conditions[condition].clauses
    guard let node = clauses[number].node, isGuard(node) else { return false }
    let groups = Set(slots(below: node).map { groupOf[$0] })
    return clauses[(number + 1)...].contains { clause in
      clause.node.map { slots(below: $0).contains { groups.contains(groupOf[$0]) } } ?? false
    }
  }

  /// The attributes and questions that a node of the formula reads, as candidates without a value.
  package func reads(_ node: Int) -> Set<ConditionSpace.Candidate> {
    Set(
      slots(below: node).compactMap { slot in
        groupOf[slot].map { group in
          let question = groups[group].question
          return ConditionSpace.Candidate(
            path: question == nil ? groups[group].path : [], question: question)
        }
      })
  }

  /// Whether two conditions read the same attribute.
  package func sharesAttributes(of condition: Int, with other: Int) -> Bool {
    let own = Set(slots(below: conditions[condition].root).compactMap { groupOf[$0] })
    return slots(below: conditions[other].root).contains {
      groupOf[$0].map { own.contains($0) } ?? false
    }
  }

  private func isGuard(_ number: Int) -> Bool {
    let node = nodes[number]
    switch node.kind {
    case .same, .unary: return node.operands.contains { isGuard($0) }
    case .atom: return isGuard(ofAtom: atoms[node.value].node)
    default: return false
    }
  }

  private func isGuard(ofAtom id: ConditionGraph.ID) -> Bool {
    let storage = program.storage
    let node = storage.graph[id]
    switch node.kind {
    case .present, .isThere, .hasField, .slot, .slotOrNull, .orElse, .rescue, .member: return true
    case .whenThere: return isGuard(ofAtom: Int(node.a))
    case .not: return isGuard(ofAtom: Int(node.a))
    case .equal, .compare, .less, .lessOrEqual:
      return [node.a, node.b].contains { operand in
        let cell = storage.graph.constant(Int(operand))
        // The other operand is a type, null, or the size of a value that is read later.
        return cell?.tag == Tag.null || cell?.tag == Tag.type
          || storage.graph.function(Int(operand)) == .typeOf
            && storage.graph[Int(operand)].kind == .call
          || storage.graph.measured(Int(operand)) != nil
      }
    default: return false
    }
  }

  /// The attributes that a node of the formula reads.
  private func slots(below number: Int) -> Set<Int> {
    var slots: Set<Int> = []
    var open = [number]
    while let next = open.popLast() {
      let node = nodes[next]
      if node.kind == .atom { slots.formUnion(atoms[node.value].slots) }
      open += node.operands
    }
    return slots
  }
}

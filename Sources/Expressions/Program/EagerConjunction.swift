/// Finds out whether, in an expression that fails, an operand of `&&` was false before another operand failed.
/// Superscript evaluates all operands, so the failure decides.
private struct EagerConjunction {
  let tree: SyntaxTree
  /// The outcomes of clauses, by number.
  let outcomes: [Clause.Outcome?]
  /// The operand that was false.
  private(set) var found: SyntaxTree.ID?

  init(_ tree: SyntaxTree, _ outcomes: [Clause.Outcome?]) {
    self.tree = tree
    self.outcomes = outcomes
  }

  /// The result of a node, or nil if the result is unknown or not a boolean.
  mutating func outcome(_ id: SyntaxTree.ID) -> Clause.Outcome? {
    let node = tree[id]
    let operands = tree.connected(node)
    switch node.kind {
    case .clause: return outcomes[Int(node.b)]
    case .and: return conjunction(operands)
    case .or: return disjunction(operands)
    case .not: return outcome(operands[0]).map(Self.opposite)
    default:
      switch outcome(operands[0]) {
      case .true: return outcome(operands[1])
      case .false: return outcome(operands[2])
      case let other: return other
      }
    }
  }

  private mutating func conjunction(_ operands: [SyntaxTree.ID]) -> Clause.Outcome? {
    var denial: SyntaxTree.ID?
    for operand in operands {
      switch outcome(operand) {
      case .true: continue
      case .false: denial = denial ?? operand
      case .failed(let kind):
        found = found ?? denial
        return .failed(kind)
      default: return nil
      }
    }
    return denial == nil ? .true : .false
  }

  private mutating func disjunction(_ operands: [SyntaxTree.ID]) -> Clause.Outcome? {
    for operand in operands {
      let outcome = outcome(operand)
      if outcome != .false { return outcome }
    }
    return .false
  }

  private static func opposite(_ outcome: Clause.Outcome) -> Clause.Outcome {
    switch outcome {
    case .true: .false
    case .false: .true
    default: outcome
    }
  }
}

extension Program {
  /// The operand of an `&&`, as written, that is false although a later operand makes the expression fail. The result
  /// is nil in languages in which a false operand decides.
  package func falseOperand(before clauses: [Clause], of entry: Entry) -> String? {
    guard storage.environment.dialect == .superscript,
      let places = ClausePlaces(entry.source, of: sources[entry.source], in: storage),
      case .tree(let tree) = places.origin
    else { return nil }
    let outcomes = places.ranges.map { range in clauses.first { $0.range == range }?.outcome }
    var search = EagerConjunction(tree, outcomes)
    _ = search.outcome(tree.root)
    return search.found.map { places.excerpts.text(tree[$0].range) }
  }
}

internal import Expressions

/// The result of a condition when the outcome of one of its clauses changes.
///
/// A flip is a copy of the condition's formula in which the clause is a constant. All other parts
/// are the same nodes, so the copy is evaluated like any formula: atoms by the machine, and
/// connectives by tables that the machine produced. Superscript's `&&`, which evaluates both sides,
/// and CEL's, in which false absorbs an error, work correctly.
package struct ClauseFlip: Sendable {
  /// The formula nodes of two copies of the condition: in one the clause is true, in the other it
  /// is false.
  package var whenTrue: Int
  package var whenFalse: Int
}

extension ConditionModel {
  /// The maximum number of nodes for the flips of one condition.
  private static let mostFlipNodes = 200_000

  /// Makes the flips of a condition's clauses.
  ///
  /// - Returns: by clause; nil for a clause without a formula node, and for all if there are too
  ///   many.
  package func makeFlips(ofClausesIn condition: Int) -> [ClauseFlip?] {
    let (root, clauses) = (conditions[condition].root, conditions[condition].clauses)
    guard clauses.count * size(below: root) <= Self.mostFlipNodes else {
      return clauses.map { _ in nil }
    }
    return clauses.map { clause in
      clause.node.map { node in
        ClauseFlip(
          whenTrue: replacing(node, by: .true, below: root),
          whenFalse: replacing(node, by: .false, below: root))
      }
    }
  }

  /// The number of nodes and operands.
  private func size(below root: Int) -> Int {
    var seen: Set<Int> = []
    var open = [root]
    var size = 0
    while let node = open.popLast() {
      guard seen.insert(node).inserted else { continue }
      size += 1 + nodes[node].operands.count
      open += nodes[node].operands
    }
    return size
  }

  /// A copy of the formula below a node, in which another node is a constant.
  private func replacing(_ target: Int, by outcome: OutcomeSet, below root: Int) -> Int {
    let constant = add(Node(kind: .constant, value: outcome.number))
    var copies = [target: constant]
    return copy(root, &copies)
  }

  /// Only parts that depend on the target are copied. The recursion is limited by the nesting limit
  /// of the parser.
  private func copy(_ number: Int, _ copies: inout [Int: Int]) -> Int {
    if let known = copies[number] { return known }
    var node = nodes[number]
    var isChanged = false
    for i in node.operands.indices {
      let operand = copy(node.operands[i], &copies)
      if operand != node.operands[i] {
        node.operands[i] = operand
        isChanged = true
      }
    }
    let made = isChanged ? add(node) : number
    copies[number] = made
    return made
  }
}

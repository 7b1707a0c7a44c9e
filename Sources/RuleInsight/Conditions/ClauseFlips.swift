internal import Expressions

/// What a condition comes to when one of its clauses alone comes to something else.
///
/// A flip is a copy of the condition's formula in which the clause is a constant; all other parts are
/// the same nodes. So it is judged as everything is: atoms by the machine, and what connects them by
/// tables that were made with it. Superscript's `&&`, which asks both sides, and CEL's, in which false
/// absorbs an error, come out as they are.
package struct ClauseFlip: Sendable {
  /// The formula nodes of the condition in which the clause is true, and in which it is false.
  package var whenTrue: Int
  package var whenFalse: Int
}

extension ConditionModel {
  /// Nodes that the flips of one condition may take.
  private static let mostFlipNodes = 200_000

  /// Makes the flips of a condition's clauses.
  ///
  /// - Returns: by clause; nil for a clause that is in no formula, and for all where there are too many.
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

  /// How many nodes and operands there are.
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

  /// A copy of the formula below a node in which another node is a constant.
  private func replacing(_ target: Int, by outcome: OutcomeSet, below root: Int) -> Int {
    let constant = add(Node(kind: .constant, value: outcome.number))
    var copies = [target: constant]
    return copy(root, &copies)
  }

  /// What does not depend on the target is not copied. Nesting is limited where text is parsed, and
  /// so is this.
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

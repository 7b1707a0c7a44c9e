extension SyntaxTree {
  /// The nodes whose truth determines that of a node, in source order. The list is empty if the node itself is a test.
  func connected(_ node: Node) -> [ID] {
    [.and, .or, .not, .conditional].contains(node.kind) ? operands(of: node) : []
  }

  /// Wraps every clause in a node of the kind `clause`. Clauses are the operands that `&&`, `||`, `!` and `?:`
  /// connect. A `!` before a single clause belongs to it.
  ///
  /// - Returns: the original nodes, by the clause's number, in source order.
  package mutating func markClauses() -> [ID] {
    var clauses: [ID] = []
    root = marked(root, &clauses)
    return clauses
  }

  /// Returns the node that replaces another node.
  private mutating func marked(_ id: ID, _ clauses: inout [ID]) -> ID {
    let node = self[id]
    guard connectsClauses(node) else {
      var clause = node
      clause.kind = .clause
      (clause.a, clause.b, clause.c) = (UInt32(id), UInt32(clauses.count), 0)
      nodes.append(clause)
      clauses.append(id)
      return nodes.count - 1
    }
    let parts = connected(node).map { UInt32(marked($0, &clauses)) }
    switch node.kind {
    case .and, .or:
      let start = Int(node.c) + 1
      lists.replaceSubrange(start..<start + parts.count, with: parts)
    case .not: nodes[id].a = parts[0]
    default: (nodes[id].a, nodes[id].b, nodes[id].c) = (parts[0], parts[1], parts[2])
    }
    return id
  }

  private func connectsClauses(_ node: Node) -> Bool {
    var node = node
    while node.kind == .not { node = self[Int(node.a)] }
    return !connected(node).isEmpty
  }
}

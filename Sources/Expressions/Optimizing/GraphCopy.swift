/// Copies of the nodes that some expressions need, in which other nodes can replace some of them.
extension ConditionGraph {
  /// A graph that contains only the nodes below `roots`.
  ///
  /// - Parameter values: Constants that replace nodes. The operands of these nodes are left out.
  /// - Returns: The copy, and the number of each root in it.
  borrowing func copy(of roots: [ID], replacing values: [ID: Cell] = [:]) -> GraphCopy {
    var copier = GraphCopier(values: values, count: nodes.count)
    for root in roots { copier.markNeeded(root, self) }
    copier.graph.variables = variables
    copier.copyNodes(self)
    copier.copyOrigins(self)
    let copied = roots.map { copier.numberOf[$0] }
    return GraphCopy(graph: copier.graph, roots: copied)
  }

  /// A graph of variants of expressions, each with constants that replace other nodes. The numbers of slots do
  /// not change.
  borrowing func variants(of roots: [(root: ID, values: [ID: Cell])]) -> GraphCopy {
    var copier = GraphCopier(values: [:], count: nodes.count)
    copier.graph.variables = variables
    for slot in 0..<slots.count {
      _ = copier.graph.slots.slot(
        of: slots.content(slot), isPresenceOnly: slots.slots[slot].isPresenceOnly)
    }
    var copied: [ID] = []
    for (root, values) in roots {
      copier.values = values
      copier.markNeeded(root, self)
      copier.copyNodes(self)
      copied.append(copier.numberOf[root])
      copier.forgetNeeded()
    }
    return GraphCopy(graph: copier.graph, roots: copied)
  }
}

/// A copy of a part of a graph.
package struct GraphCopy: ~Copyable {
  var graph: ConditionGraph
  var roots: [ConditionGraph.ID]

  package init(graph: consuming ConditionGraph, roots: [ConditionGraph.ID]) {
    self.graph = graph
    self.roots = roots
  }
}

private struct GraphCopier: ~Copyable {
  var graph = ConditionGraph()
  var values: [ConditionGraph.ID: Cell]
  private var isNeeded: [Bool]
  /// The nodes that are needed.
  private var needed: [ConditionGraph.ID] = []
  /// The number in the copy of each node that was copied, else -1.
  var numberOf: [ConditionGraph.ID]

  init(values: [ConditionGraph.ID: Cell], count: Int) {
    self.values = values
    isNeeded = Array(repeating: false, count: count)
    numberOf = Array(repeating: -1, count: count)
  }

  mutating func markNeeded(_ root: ConditionGraph.ID, _ original: borrowing ConditionGraph) {
    var open = [root]
    while let id = open.popLast() {
      guard !isNeeded[id] else { continue }
      isNeeded[id] = true
      needed.append(id)
      if values[id] == nil { open += original.operands(of: id) }
    }
  }

  /// Operands come before the nodes that use them, so one pass is enough.
  mutating func copyNodes(_ original: borrowing ConditionGraph) {
    needed.sort()
    for id in needed { numberOf[id] = copied(id, original) }
  }

  /// Starts another expression.
  mutating func forgetNeeded() {
    for id in needed { isNeeded[id] = false }
    needed.removeAll(keepingCapacity: true)
  }

  private mutating func copied(
    _ id: ConditionGraph.ID, _ original: borrowing ConditionGraph
  ) -> ConditionGraph.ID {
    let node = original[id]
    let origin = original.origins[id]
    if let value = values[id] {
      return graph.add(.constant, graph.constants.internCopy(value), at: origin)
    }
    let fields = node.kind.fields
    let b = copied(node.b, fields.b, of: node, original)
    let c = copied(node.c, fields.c, of: node, original)
    if fields.a == .nodes {
      let operands = original.list(node.a).map { numberOf[Int($0)] }
      return graph.add(node.kind, list: operands, b, c, at: origin)
    }
    return graph.add(node.kind, copied(node.a, fields.a, of: node, original), b, c, at: origin)
  }

  /// The number of a node's field in the copy.
  private mutating func copied(
    _ number: UInt32, _ field: ConditionGraph.Field, of node: ConditionGraph.Node,
    _ original: borrowing ConditionGraph
  ) -> Int {
    switch field {
    case .node: numberOf[Int(number)]
    case .constant: graph.constants.internCopy(original.constants.cells[Int(number)])
    case .slot:
      graph.slots.slot(
        of: original.slots.content(Int(number)), isPresenceOnly: node.kind == .present)
    case .nodes, .local, .bound, .number: Int(number)
    }
  }

  /// Nodes in several expressions, and nodes that replace others, keep their places.
  mutating func copyOrigins(_ original: borrowing ConditionGraph) {
    for more in original.moreOrigins where numberOf[more.node] >= 0 {
      graph.add(origin: more.origin, to: numberOf[more.node])
    }
    for replacement in original.replacements where numberOf[replacement.new] >= 0 {
      let number = numberOf[replacement.new]
      graph.add(origin: original.origins[replacement.old], to: number)
      for more in original.moreOrigins where more.node == replacement.old {
        graph.add(origin: more.origin, to: number)
      }
    }
  }
}

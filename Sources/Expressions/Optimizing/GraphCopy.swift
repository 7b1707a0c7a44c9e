/// Copies of what some expressions need, with other nodes put in the place of some.
extension ConditionGraph {
  /// A graph that holds the nodes below `roots` and nothing else.
  ///
  /// - Parameter values: Constants that take the place of nodes; what these are made of is left out.
  /// - Returns: The copy, and its number for each root.
  borrowing func copy(of roots: [ID], replacing values: [ID: Cell] = [:]) -> GraphCopy {
    var copier = GraphCopier(values: values, count: nodes.count)
    for root in roots { copier.markNeeded(root, self) }
    copier.graph.variables = variables
    copier.copyNodes(self)
    copier.copyOrigins(self)
    let copied = roots.map { copier.numberOf[$0] }
    return GraphCopy(graph: copier.graph, roots: copied)
  }
}

/// A copy of a part of a graph.
struct GraphCopy: ~Copyable {
  var graph: ConditionGraph
  var roots: [ConditionGraph.ID]
}

private struct GraphCopier: ~Copyable {
  var graph = ConditionGraph()
  let values: [ConditionGraph.ID: Cell]
  var isNeeded: [Bool]
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
      if values[id] == nil { open += original.operands(of: id) }
    }
  }

  /// Operands come before what is made of them, so that one pass is enough.
  mutating func copyNodes(_ original: borrowing ConditionGraph) {
    for id in isNeeded.indices where isNeeded[id] { numberOf[id] = copied(id, original) }
  }

  private mutating func copied(
    _ id: ConditionGraph.ID, _ original: borrowing ConditionGraph
  ) -> ConditionGraph.ID {
    let node = original[id]
    let origin = original.origins[id]
    if let value = values[id] { return addConstant(value, origin) }
    func operand(_ number: UInt32) -> Int { numberOf[Int(number)] }
    switch node.kind {
    case .constant:
      return addConstant(original.constants.cells[Int(node.a)], origin)
    case .slot, .present, .slotOrNull:
      let slot = graph.slots.slot(
        original.slots.path(Int(node.a)).names, isPresenceOnly: node.kind == .present)
      return graph.add(node.kind, slot, at: origin)
    case .local, .raise:
      return graph.add(node.kind, Int(node.a), at: origin)
    case .not, .negate, .holds, .optionalElement, .isThere, .truthy, .whenThere:
      return graph.add(node.kind, operand(node.a), at: origin)
    case .select, .hasField, .member:
      let name = graph.constants.intern(original.constants.cells[Int(node.b)])
      return graph.add(node.kind, operand(node.a), name, Int(node.c), at: origin)
    case .equalEither:
      let text = graph.constants.intern(original.constants.cells[Int(node.b)])
      let number = graph.constants.intern(original.constants.cells[Int(node.c)])
      return graph.add(.equalEither, operand(node.a), text, number, at: origin)
    case .rescue, .orElse, .compare, .arithmetic:
      return graph.add(
        node.kind, operand(node.a), operand(node.b), Int(node.c), at: origin)
    case .conditional:
      return graph.add(
        .conditional, operand(node.a), operand(node.b), operand(node.c), at: origin)
    case .equal, .less, .lessOrEqual, .in, .add, .subtract, .multiply, .divide, .modulo, .index:
      return graph.add(node.kind, operand(node.a), operand(node.b), at: origin)
    case .bind:
      return graph.add(.bind, operand(node.a), operand(node.b), Int(node.c), at: origin)
    case .text:
      let place = graph.constants.intern(original.constants.cells[Int(node.a)])
      return graph.add(.text, place, at: origin)
    case .leave: return graph.add(.leave, Int(node.a), at: origin)
    case .affirms, .output, .assign, .capture, .template, .cell, .clause:
      return graph.add(node.kind, operand(node.a), Int(node.b), Int(node.c), at: origin)
    case .relation:
      return graph.add(.relation, operand(node.a), operand(node.b), Int(node.c), at: origin)
    case .choose:
      return graph.add(.choose, operand(node.a), operand(node.b), operand(node.c), at: origin)
    case .and, .or, .list, .map, .call, .loop, .sequence, .both, .firstTruthy, .testCall,
      .mapKeepingLast, .filter, .statements, .items:
      let operands = original.list(node.a).map { operand($0) }
      return graph.add(node.kind, list: operands, Int(node.b), Int(node.c), at: origin)
    }
  }

  private mutating func addConstant(_ cell: Cell, _ origin: ConditionGraph.Origin)
    -> ConditionGraph.ID
  {
    graph.addConstant(graph.constants.copy(cell), at: origin)
  }

  /// Nodes that stand in several expressions, and nodes that stand for others, keep their places.
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

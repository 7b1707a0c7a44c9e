internal import Regex

/// Partial evaluation: the rest of expressions when a part of the context is known.
extension Program {
  /// A program with the same results for every context that has the known attributes.
  ///
  /// Known parts are computed now. An operand of `&&` that is known to be false decides although others are unknown. An
  /// operand that is known to fail is not removed, because an unknown operand may still decide. ``requirements`` of the
  /// result are the attributes that still matter. The numbers of entries and the ``sources`` do not change.
  /// ``residue(of:)`` returns the rest as an expression.
  ///
  /// ```swift
  /// let rule = #"device.platform == "iOS" && user.age > 10 + 8"#
  /// let program = try ExpressionEnvironment().compile(rule).get()
  /// let known = KnownAttributes(.object(["device": .object(["platform": "iOS"])]))
  /// let rest = program.specialize(known)
  /// rest.residue(of: rest.entries[0])  // "user.age > 18"
  /// ```
  package func specialize(_ known: KnownAttributes) -> Program {
    var arena = Arena(limit: storage.limits.memoryBytes)
    let values = knownNodes(known, &arena)
    var rest = Program.folded(storage.graph.copy(of: storage.rootNodes, replacing: values))
    arena.reset()
    let closed = rest.graph.closedNodes(of: rest.roots)
    if !closed.isEmpty { rest = evaluated(closed, in: rest) }
    let (patterns, patternOf) = keptPatterns(in: rest.graph)
    var background = storage.background
    background.known.append(known)
    return Program(
      rest, patterns: patterns, patternOf: patternOf, environment: storage.environment,
      sources: sources, background: background)
  }

  /// The constants that replace known attributes, by the replaced node.
  private func knownNodes(_ known: KnownAttributes, _ arena: inout Arena)
    -> [ConditionGraph.ID: Cell]
  {
    var cells: [Int: Cell] = [:]
    for slot in 0..<storage.graph.slots.count {
      guard let path = storage.graph.slots.attribute(slot) else { continue }
      let isRoot = storage.environment.roots.contains(path.names[0])
      switch known.find(path, isRoot: isRoot, isLenient: storage.binding.isLenient) {
      case .unknown: break
      case .absent(let cell): cells[slot] = cell
      case .value(let value):
        cells[slot] = arena.cell(value).map { storage.binding.bound($0, in: &arena) }
      }
    }
    var nodes: [ConditionGraph.ID: Cell] = [:]
    for id in storage.graph.nodes.indices {
      let node = storage.graph[id]
      guard node.kind.fields.a == .slot, let cell = cells[Int(node.a)] else { continue }
      if node.kind == .slotOrNull {
        let isNull = cell.tag == Tag.missing
        nodes[id] = isNull ? .null : cell.tag == Tag.behindValue ? .notAMap : cell
        continue
      }
      // The presence of a name cannot be tested in a value that is not a map.
      let canBeAsked = cell.isValue || cell.tag == Tag.missing
      nodes[id] = node.kind == .present && canBeAsked ? Cell(cell.isValue) : cell
    }
    return nodes
  }

  /// Folds constants, and removes nodes that are no longer needed.
  private static func folded(_ copy: consuming GraphCopy) -> GraphCopy {
    var folding = ConstantFolding()
    var graph = copy.graph
    let roots = copy.roots.map { folding.fold($0, in: &graph) }
    return graph.copy(of: roots)
  }

  /// Evaluates nodes that no longer depend on the context and are more than an operation on constants: loops,
  /// patterns. Nodes that fail, or whose result is large, do not change.
  private func evaluated(_ closed: [ConditionGraph.ID], in rest: consuming GraphCopy) -> GraphCopy {
    let graph = rest.graph
    let roots = rest.roots
    let part = graph.copy(of: closed)
    let (patterns, patternOf) = keptPatterns(in: part.graph)
    let program = Program(
      part, patterns: patterns, patternOf: patternOf, environment: storage.environment,
      sources: sources)
    var frame = Frame(for: program)
    var values: [ConditionGraph.ID: Cell] = [:]
    for (node, entry) in zip(closed, program.entries) {
      var trace = NoTrace()
      let cell = Machine.run(program.storage, from: entry.start, in: &frame, &trace)
      // Constants do not share parts, but this result may.
      if cell.isValue, cell.treeSize(upTo: ConstantFolding.roomPerExpression) != nil {
        values[node] = cell
      }
    }
    let result = Program.folded(graph.copy(of: roots, replacing: values))
    frame.reset()
    return result
  }

  /// The patterns of the program that a copy of its graph still contains, by the constant's node.
  func keptPatterns(in graph: borrowing ConditionGraph)
    -> (patterns: [CheckedPattern], patternOf: [ConditionGraph.ID: UInt32])
  {
    guard !storage.patterns.isEmpty else { return ([], [:]) }
    var known: [String: UInt32] = [:]
    for (node, number) in storage.patternOf {
      if let cell = storage.graph.constant(node) { known[cell.text] = number }
    }
    var patternOf: [ConditionGraph.ID: UInt32] = [:]
    for node in graph.nodes.indices {
      if let cell = graph.constant(node), cell.isText, let number = known[cell.text] {
        patternOf[node] = number
      }
    }
    return (storage.patterns, patternOf)
  }
}

extension ConditionGraph {
  /// The largest parts of expressions that read no attributes and no outside variables, and are not constants.
  borrowing func closedNodes(of roots: [ID]) -> [ID] {
    var isOpen = Array(repeating: false, count: nodes.count)
    var free: [Set<UInt32>] = Array(repeating: [], count: nodes.count)
    for id in nodes.indices {
      let node = nodes[id]
      let fields = node.kind.fields
      isOpen[id] = fields.a == .slot
      if fields.a == .local { free[id] = [node.a] }
      for operand in operands(of: id) {
        isOpen[id] = isOpen[id] || isOpen[operand]
        free[id].formUnion(free[operand])
      }
      if fields.c == .bound { free[id].subtract([node.c, node.c + 1]) }
    }
    func isClosed(_ id: ID) -> Bool { !isOpen[id] && free[id].isEmpty }
    func isValue(_ id: ID) -> Bool { isClosed(id) && nodes[id].kind != .optionalElement }
    var isWanted = Array(repeating: false, count: nodes.count)
    for root in roots { isWanted[root] = true }
    for id in nodes.indices where !isValue(id) {
      for operand in operands(of: id) { isWanted[operand] = true }
    }
    return nodes.indices.filter {
      isWanted[$0] && isValue($0) && nodes[$0].kind != .constant
    }
  }
}

/// The cost of evaluating an expression, estimated without evaluating it.
///
/// ```swift
/// let program = try ExpressionEnvironment().compile("user.plan == 'free' && device.sessions > 3").get()
/// program.cost(of: program.entries[0]).operations  // 1...2
/// ```
package struct Cost: Hashable, Sendable {
  /// Operators, calls and tests that are evaluated. If an operand decides, the others are not evaluated.
  package var operations: ClosedRange<Int>
  /// Steps of ``Limits/steps``: a step is a round of a loop, or 16 elements or 64 bytes that an operation
  /// visits.
  package var steps: ClosedRange<Int>
}

extension Cost {
  /// The assumed sizes of the values of a context.
  ///
  /// ```swift
  /// let program = try ExpressionEnvironment().compile("user.tags.exists(t, t == 'beta')").get()
  /// let few = program.cost(of: program.entries[0], for: Cost.DataSizes(elements: 3, bytes: 10))
  /// let many = program.cost(of: program.entries[0], for: Cost.DataSizes(elements: 300, bytes: 10))
  /// few.steps.upperBound < many.steps.upperBound  // true
  /// ```
  package struct DataSizes: Hashable, Sendable {
    /// Elements or entries of a list or a map, including those of nested lists and maps.
    package var elements: Int
    /// Bytes of a string.
    package var bytes: Int

    package init(elements: Int = 100, bytes: Int = 1_000) {
      self.elements = max(elements, 0)
      self.bytes = max(bytes, 0)
    }
  }
}

extension Program {
  /// The minimum and maximum cost of an entry, for contexts whose values have at most these sizes.
  ///
  /// ```swift
  /// let program = try ExpressionEnvironment().compile("user.tags.exists(t, t in params.wanted)").get()
  /// let cost = program.cost(of: program.entries[0], for: Cost.DataSizes(elements: 10, bytes: 100))
  /// cost.steps.upperBound <= program.limits.steps  // true
  /// ```
  package func cost(of entry: Entry, for sizes: Cost.DataSizes = Cost.DataSizes()) -> Cost {
    var estimate = CostEstimate(sizes: sizes)
    let root = storage.rootNodes[entry.source]
    for id in storage.graph.nodes(below: root).sorted() { estimate.add(id, storage.graph) }
    let part = estimate.parts[root] ?? CostEstimate.Part()
    return Cost(
      operations: part.least...max(part.most, part.least),
      steps: part.leastRounds...part.rounds.adding(part.work.adding(15) / 16))
  }
}

/// Estimates nodes after their operands.
private struct CostEstimate {
  /// The cost of one evaluation of a node, with all nodes below it, and the size of its value.
  struct Part {
    var least = 0
    var most = 0
    var leastRounds = 0
    var rounds = 0
    /// The number of visited elements. Four bytes count as one element.
    var work = 0
    var size = Cost.DataSizes(elements: 0, bytes: 0)
  }

  let sizes: Cost.DataSizes
  var parts: [ConditionGraph.ID: Part] = [:]

  init(sizes: Cost.DataSizes) { self.sizes = sizes }

  mutating func add(_ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph) {
    let node = graph[id]
    let operands = graph.operands(of: id).map { parts[$0] ?? Part() }
    switch node.kind {
    case .constant: parts[id] = constant(graph.constants.cells[Int(node.a)])
    case .slot, .local: parts[id] = Part(size: sizes)
    case .present: parts[id] = Part(least: 1, most: 1)
    case .and, .or: parts[id] = chain(operands)
    case .conditional: parts[id] = choice(operands)
    case .loop: parts[id] = loop(node, operands)
    default: parts[id] = operation(node, operands)
    }
  }

  private func constant(_ cell: Cell) -> Part {
    // SAFETY: Reads constants of the graph, which is borrowed meanwhile. Tests: CostTests.
    func elements(_ cell: Cell) -> Int {
      switch cell.tag {
      case Tag.list, Tag.optional: cell.elements.reduce(cell.outsideCount) { $0 + elements($1) }
      case Tag.map: cell.entries.reduce(cell.outsideCount) { $0 + elements($1) }
      default: 0
      }
    }
    func bytes(_ cell: Cell) -> Int {
      switch cell.tag {
      case Tag.list, Tag.optional: cell.elements.reduce(0) { max($0, bytes($1)) }
      case Tag.map: cell.entries.reduce(0) { max($0, bytes($1)) }
      default:
        withUnsafePointer(to: cell) {
          cell.isText || cell.tag == Tag.bytes ? $0.textBytes.count : 0
        }
      }
    }
    return Part(size: Cost.DataSizes(elements: elements(cell), bytes: bytes(cell)))
  }

  /// The cost of evaluating all operands one after the other. The value has the largest size of all operands.
  private func sum(_ parts: some Sequence<Part>) -> Part {
    parts.reduce(into: Part()) { sum, part in
      sum.least = sum.least.adding(part.least)
      sum.most = sum.most.adding(part.most)
      sum.leastRounds = sum.leastRounds.adding(part.leastRounds)
      sum.rounds = sum.rounds.adding(part.rounds)
      sum.work = sum.work.adding(part.work)
      sum.size.elements = sum.size.elements.adding(part.size.elements)
      sum.size.bytes = sum.size.bytes.adding(part.size.bytes)
    }
  }

  /// The cost of a chain of operands. The first operand may decide.
  private func chain(_ operands: [Part]) -> Part {
    var part = sum(operands)
    part.least = operands.first?.least ?? 0
    part.leastRounds = operands.first?.leastRounds ?? 0
    part.size = Cost.DataSizes(elements: 0, bytes: 0)
    return part
  }

  private func choice(_ operands: [Part]) -> Part {
    guard operands.count == 3 else { return sum(operands) }
    let (condition, yes, no) = (operands[0], operands[1], operands[2])
    return Part(
      least: condition.least.adding(min(yes.least, no.least)),
      most: condition.most.adding(max(yes.most, no.most)),
      leastRounds: condition.leastRounds.adding(min(yes.leastRounds, no.leastRounds)),
      rounds: condition.rounds.adding(max(yes.rounds, no.rounds)),
      work: condition.work.adding(max(yes.work, no.work)),
      size: Cost.DataSizes(
        elements: max(yes.size.elements, no.size.elements),
        bytes: max(yes.size.bytes, no.size.bytes)))
  }

  private func operation(_ node: ConditionGraph.Node, _ operands: [Part]) -> Part {
    var part = sum(operands)
    part.least = part.least.adding(1)
    part.most = part.most.adding(1)
    let (elements, bytes) = (part.size.elements, part.size.bytes)
    switch CostEstimate.work(of: node) {
    case .once?: part.work = part.work.adding(elements).adding(bytes / 4)
    case .pairs?:
      // Maps may be compared entry by entry, each looked up in the other map.
      part.work = part.work.adding(elements.times(elements.adding(1))).adding(bytes / 4)
        .adding(elements.times(bytes) / 64)
    case nil: break
    }
    if [.list, .map, .mapKeepingLast].contains(node.kind) {
      part.size.elements = elements.adding(operands.count)
    }
    return part
  }

  /// How an operation visits the elements of its operands, or nil if the operation visits no elements.
  private static func work(of node: ConditionGraph.Node) -> Function.Work? {
    switch node.kind {
    case .call, .testCall:
      Function(rawValue: UInt16(truncatingIfNeeded: node.b))?.row.work ?? .pairs
    case .equal, .in, .compare, .equalEither, .relation, .mapKeepingLast: .pairs
    case .select, .index, .hasField, .member, .add, .arithmetic, .less, .lessOrEqual, .filter: .once
    case .constant, .slot, .slotOrNull, .present, .local, .not, .negate, .holds, .clause, .and, .or,
      .conditional, .subtract, .multiply, .divide, .modulo, .list, .map, .optionalElement, .bind,
      .loop, .raise, .rescue, .orElse, .sequence, .isThere, .truthy, .both, .firstTruthy,
      .whenThere, .affirms, .text, .output, .statements, .choose, .assign, .capture, .items, .cell,
      .template, .leave:
      nil
    }
  }

  private func loop(_ node: ConditionGraph.Node, _ operands: [Part]) -> Part {
    guard let range = operands.first else { return Part() }
    let body = sum(operands.dropFirst())
    let count = range.size.elements
    var part = Part(
      least: range.least.adding(1),
      most: range.most.adding(1).adding(count.times(body.most.adding(1))),
      leastRounds: range.leastRounds,
      rounds: range.rounds.adding(count.times(body.rounds.adding(1))),
      work: range.work.adding(count.times(body.work)))
    switch Lowering.loopKind(node) {
    case .all, .exists, .existsOne: break
    case .map, .transformMap, .transformMapEntry:
      part.size.elements = count.times(body.size.elements.adding(1))
      part.size.bytes = max(range.size.bytes, body.size.bytes)
      // Every entry is looked up among the existing ones.
      let entries = part.size.elements
      part.work = part.work.adding(entries.times(entries))
    }
    return part
  }
}

extension Int {
  /// Sums and products of estimates saturate at the largest number.
  fileprivate func adding(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  fileprivate func times(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}

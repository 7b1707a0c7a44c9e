/// Turns filters into graph nodes, so that they run on the same machine as expressions.
///
/// AgentWallie's dialect differs from CEL in the rules of this file and in the node `holds`: an
/// error within a filter (the field is missing, or has a type that the operator does not take) makes
/// only this filter false.
struct FilterChecker: ~Copyable {
  typealias ID = ConditionGraph.ID

  /// The number of the source that is being checked: a list of filters, or a filter of an explanation.
  private var source: UInt32
  /// Whether every filter becomes a clause of an explanation.
  private let marksClauses: Bool
  var graph = ConditionGraph()
  /// The place of the constant for each node of a list.
  var constantOf: [ID: Int] = [:]

  init(source: UInt32, marksClauses: Bool = false) {
    self.source = source
    self.marksClauses = marksClauses
  }

  /// The node of a list of filters: groups of `and`, separated by `or`.
  mutating func check(_ filters: [Filter], ranges: [SourceRange]) -> ID {
    var groups: [[Int]] = []
    for (i, filter) in filters.enumerated() {
      if i == 0 || filter.conjunction == .or {
        groups.append([i])
      } else {
        groups[groups.count - 1].append(i)
      }
    }
    var nodes: [ID] = []
    for group in groups {
      var operands: [ID] = []
      for i in group {
        operands.append(
          marksClauses ? clause(i, filters[i], ranges[i]) : node(filters[i], ranges[i]))
      }
      let whole = origin(ranges[group[0]], ranges[group[group.count - 1]])
      nodes.append(
        operands.count == 1 ? operands[0] : graph.add(.and, list: operands, at: whole))
    }
    guard let first = ranges.first, let last = ranges.last else {
      return constant(true, ConditionGraph.Origin(source: source, from: 0, to: 0))
    }
    return nodes.count == 1 ? nodes[0] : graph.add(.or, list: nodes, at: origin(first, last))
  }

  /// A filter as a clause of an explanation. Like a clause of an expression, a filter has its own source.
  private mutating func clause(_ number: Int, _ filter: Filter, _ range: SourceRange) -> ID {
    let whole = source
    source = UInt32(truncatingIfNeeded: number + 1)
    let test = node(filter, range)
    source = whole
    return graph.add(.clause, test, number, at: origin(range, range))
  }

  private func origin(_ first: SourceRange, _ last: SourceRange) -> ConditionGraph.Origin {
    ConditionGraph.Origin(
      source: source, from: UInt32(truncatingIfNeeded: first.from),
      to: UInt32(truncatingIfNeeded: last.to))
  }

  /// A filter with the same result for every frame.
  private mutating func constant(_ value: Bool, _ origin: ConditionGraph.Origin) -> ID {
    graph.addConstant(Cell(value), at: origin)
  }

  private mutating func node(_ filter: Filter, _ range: SourceRange) -> ID {
    let path = filter.path
    let origin = origin(range, range)
    guard let `operator` = filter.operator else { return constant(false, origin) }
    switch `operator` {
    case .exists: return presence(path, origin)
    case .notExists: return graph.add(.not, presence(path, origin), at: origin)
    default: break
    }
    guard let value = filter.value, isUsable(value) else { return constant(false, origin) }
    // The whole context is a map, which equals no value of a filter.
    if path.isEmpty { return constant(`operator` == .isNot, origin) }
    switch `operator` {
    case .is, .isNot: return equality(path, value, isNegated: `operator` == .isNot, origin)
    case .contains: return contains(path, value, origin)
    case .greaterThan, .greaterOrEqual, .lessThan, .lessOrEqual:
      return order(`operator`, path, value, origin)
    case .in, .notIn: return membership(path, value, isNegated: `operator` == .notIn, origin)
    case .exists, .notExists: return constant(false, origin)
    }
  }

  // MARK: Operators

  private mutating func holds(_ node: ID, _ origin: ConditionGraph.Origin) -> ID {
    graph.add(.holds, node, at: origin)
  }

  private mutating func slot(_ path: [String], _ origin: ConditionGraph.Origin) -> ID {
    graph.add(.slot, graph.slots.slot(path, isPresenceOnly: false), at: origin)
  }

  private mutating func presence(_ path: [String], _ origin: ConditionGraph.Origin) -> ID {
    guard !path.isEmpty else { return constant(true, origin) }
    let slot = graph.slots.slot(path, isPresenceOnly: true)
    return holds(graph.add(.present, slot, at: origin), origin)
  }

  private mutating func equality(
    _ path: [String], _ value: Value, isNegated: Bool, _ origin: ConditionGraph.Origin
  ) -> ID {
    guard let other = scalar(value, origin) else {
      // A list equals nothing, and differs from every value that exists.
      return isNegated ? presence(path, origin) : constant(false, origin)
    }
    let equal = graph.add(.equal, slot(path, origin), other, at: origin)
    return holds(isNegated ? graph.add(.not, equal, at: origin) : equal, origin)
  }

  private mutating func contains(
    _ path: [String], _ value: Value, _ origin: ConditionGraph.Origin
  ) -> ID {
    guard case .string(let text) = value, !text.isEmpty, let part = scalar(value, origin) else {
      return constant(false, origin)
    }
    return holds(call(.contains, slot(path, origin), part, origin), origin)
  }

  private mutating func order(
    _ operator: Filter.Operator, _ path: [String], _ value: Value,
    _ origin: ConditionGraph.Origin
  ) -> ID {
    guard isNumber(value), let limit = scalar(value, origin) else { return constant(false, origin) }
    let field = slot(path, origin)
    let node: ID
    switch `operator` {
    case .greaterThan: node = graph.add(.less, limit, field, at: origin)
    case .greaterOrEqual: node = graph.add(.lessOrEqual, limit, field, at: origin)
    case .lessThan: node = graph.add(.less, field, limit, at: origin)
    default: node = graph.add(.lessOrEqual, field, limit, at: origin)
    }
    return holds(node, origin)
  }

  private mutating func membership(
    _ path: [String], _ value: Value, isNegated: Bool, _ origin: ConditionGraph.Origin
  ) -> ID {
    guard case .list(let values) = value, isTextList(value) else { return constant(false, origin) }
    let list = listConstant(values, origin)
    let field = slot(path, origin)
    let isIn = graph.add(.in, field, list, at: origin)
    guard isNegated else { return holds(isIn, origin) }
    // List operators apply only to strings. This test is true for every string, because every string begins with the
    // empty string.
    let isText = call(.startsWith, field, graph.addConstant(.emptyText, at: origin), origin)
    let isOut = graph.add(.not, isIn, at: origin)
    return graph.add(.and, list: [holds(isText, origin), holds(isOut, origin)], at: origin)
  }

  private mutating func call(
    _ function: Function, _ a: ID, _ b: ID, _ origin: ConditionGraph.Origin
  ) -> ID {
    graph.add(.call, list: [a, b], Int(function.rawValue), at: origin)
  }

  // MARK: Values

  /// The constant of a value that is not a list, or nil.
  private mutating func scalar(_ value: Value, _ origin: ConditionGraph.Origin) -> ID? {
    switch value {
    case .bool(let value): return graph.addConstant(Cell(value), at: origin)
    case .int(let value): return graph.addConstant(Cell(value), at: origin)
    case .uint(let value): return graph.addConstant(Cell(value), at: origin)
    case .double(let value): return graph.addConstant(Cell(value), at: origin)
    case .string(var text):
      // SAFETY: The pool copies the text inside the closure. Tests: FilterTests.
      let place = text.withUTF8 { graph.constants.intern(text: $0) }
      return graph.add(.constant, place, at: origin)
    default: return nil
    }
  }

  /// The constant of a list of strings. Equal lists share one constant.
  private mutating func listConstant(_ values: [Value], _ origin: ConditionGraph.Origin) -> ID {
    var elements: [ID] = []
    for value in values { if let element = scalar(value, origin) { elements.append(element) } }
    let list = graph.add(.list, list: elements, at: origin)
    if let known = constantOf[list] { return graph.add(.constant, known, at: origin) }
    var cells: [Cell] = []
    for element in elements { cells.append(graph.constants.cells[Int(graph[element].a)]) }
    let place = graph.constants.intern(Tag.list, count: cells.count, of: cells)
    constantOf[list] = place
    return graph.add(.constant, place, at: origin)
  }

  private func isNumber(_ value: Value) -> Bool {
    switch value {
    case .int, .uint, .double: true
    default: false
    }
  }

  /// Whether the dialect has values of this kind.
  private func isUsable(_ value: Value) -> Bool {
    switch value {
    case .bool, .string: true
    default: isNumber(value) || isTextList(value)
    }
  }

  private func isTextList(_ value: Value) -> Bool {
    guard case .list(let values) = value else { return false }
    return values.allSatisfy { if case .string = $0 { true } else { false } }
  }
}

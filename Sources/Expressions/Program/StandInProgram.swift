/// Clauses in which a missing attribute counts as a value (0, "", false or null), and the results of conditions
/// if these clauses had the opposite result. If a condition's result differs, the missing attribute has decided.
package struct StandInProgram: Sendable {
  /// A clause, for contexts without its attribute.
  package struct Clause: Sendable {
    /// The attribute, as a slot of the original program and of ``StandInProgram/program``.
    package var slot: Int
    package var path: AttributePath
    /// The clause as written, cut to 1,000 bytes.
    package var text: String
    /// The value that the attribute counts as, or nil if the clause is false without it.
    package var standIn: Value?
    /// Whether the clause is true.
    package var holds: Bool
  }

  /// A clause in the graph.
  private struct Place {
    /// The node that evaluates to the opposite.
    var node: ConditionGraph.ID
    var condition: Int
    var clause: Clause
    /// Whether the source is the negation of the node.
    var isNegated: Bool
  }

  /// The conditions, each with the opposite of one clause, by the numbers of ``clauses``.
  package let program: Program
  package let clauses: [Clause]
  /// The numbers of the clauses of each condition.
  package let ofCondition: [Range<Int>]

  private static let longestText = 1_000
  /// The maximum number of clauses of a condition.
  private static let mostClauses = 64

  /// Creates the program. Fails if no clause replaces a missing attribute by a value.
  package init?(_ outer: Program, _ conditions: [Program.Entry]) {
    let storage = outer.storage
    var places: [Place] = []
    for (number, entry) in conditions.enumerated() {
      let finder = StandInFinder(storage.graph, storage.rootNodes[entry.source])
      for found in finder.found.prefix(Self.mostClauses) {
        guard let path = storage.graph.slots.attribute(found.slot) else { continue }
        let range = storage.graph.range(of: found.shown, in: entry.source)
        let text = range.map { Self.text($0, of: outer.sources[entry.source]) } ?? path.description
        places.append(
          Place(
            node: found.node, condition: number,
            clause: Clause(
              slot: found.slot, path: path, text: text, standIn: found.standIn, holds: false),
            isNegated: found.isNegated))
      }
    }
    if places.isEmpty { return nil }
    let outcomes = outer.outcomesWithoutAttributes(of: places.map { $0.node })
    var roots: [(root: ConditionGraph.ID, values: [ConditionGraph.ID: Cell])] = []
    var clauses: [Clause] = []
    var ofCondition = Array(repeating: 0..<0, count: conditions.count)
    for (place, outcome) in zip(places, outcomes) {
      guard let outcome else { continue }
      var clause = place.clause
      clause.holds = outcome != place.isNegated
      let root = storage.rootNodes[conditions[place.condition].source]
      roots.append((root, [place.node: Cell(!outcome)]))
      let first =
        ofCondition[place.condition].isEmpty
        ? clauses.count : ofCondition[place.condition].lowerBound
      clauses.append(clause)
      ofCondition[place.condition] = first..<clauses.count
    }
    if clauses.isEmpty { return nil }
    program = outer.variant(storage.graph.variants(of: roots))
    self.clauses = clauses
    self.ofCondition = ofCondition
  }

  private static func text(_ range: SourceRange, of source: String) -> String {
    let text = String(decoding: source.utf8.prefix(range.to).dropFirst(range.from), as: UTF8.self)
    return text.utf8.count > longestText
      ? String(decoding: text.utf8.prefix(longestText), as: UTF8.self) : text
  }

  /// The clauses of a condition that were decisive for the context in a frame of the outer program.
  ///
  /// - Parameters:
  ///   - holds: the result of the condition.
  ///   - scratch: a frame of ``program``.
  package func decisive(
    _ condition: Int, holds: Bool, in frame: borrowing Frame, _ scratch: inout Frame
  ) -> [Int] {
    var found: [Int] = []
    for number in ofCondition[condition] where !frame.slots[clauses[number].slot].isValue {
      for slot in 0..<program.storage.graph.slots.count { scratch.slots[slot] = frame.slots[slot] }
      let opposite = program.condition(program.entries[number], in: &scratch)
      if (opposite == .true) != holds { found.append(number) }
    }
    // No value of the outer frame stays in the scratch frame.
    if !found.isEmpty || !ofCondition[condition].isEmpty { scratch.reset() }
    return found
  }
}

extension Program {
  /// A program of variants of this program's expressions.
  fileprivate func variant(_ copy: consuming GraphCopy) -> Program {
    let (patterns, patternOf) = keptPatterns(in: copy.graph)
    return Program(
      copy, patterns: patterns, patternOf: patternOf, environment: storage.environment, sources: [])
  }

  /// The results of nodes for a context without attributes. Nil means an error.
  fileprivate func outcomesWithoutAttributes(of nodes: [ConditionGraph.ID]) -> [Bool?] {
    let program = variant(storage.graph.variants(of: nodes.map { ($0, [:]) }))
    var frame = Frame(for: program)
    return program.entries.map { entry in
      let cell = program.condition(entry, in: &frame)
      return cell.tag == Tag.fault ? nil : cell == .true
    }
  }
}

/// Finds the clauses of an expression that replace a missing attribute by a value.
private struct StandInFinder {
  struct Found {
    var slot: Int
    var standIn: Value?
    var node: ConditionGraph.ID
    /// The node whose source is shown, including a `!` before it.
    var shown: ConditionGraph.ID
    var isNegated: Bool
  }

  private(set) var found: [Found] = []
  private var parents: [ConditionGraph.ID: [ConditionGraph.ID]] = [:]

  init(_ graph: borrowing ConditionGraph, _ root: ConditionGraph.ID) {
    let nodes = graph.nodes(below: root)
    for id in nodes {
      for operand in graph.operands(of: id) { parents[operand, default: []].append(id) }
    }
    for id in nodes {
      switch graph[id].kind {
      case .orElse: addStandIn(id, graph, root)
      case .whenThere:
        var relation = Int(graph[id].a)
        while graph[relation].kind == .not { relation = Int(graph[relation].a) }
        guard let left = graph.operands(of: relation).first, graph[left].kind == .slot else {
          continue
        }
        add(Int(graph[left].a), nil, id, graph)
      case .holds: addFilter(id, graph)
      default: continue
      }
    }
  }

  private mutating func addStandIn(
    _ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph, _ root: ConditionGraph.ID
  ) {
    let attribute = graph[Int(graph[id].a)]
    guard attribute.kind == .slot, let cell = graph.constant(Int(graph[id].b)) else { return }
    let slot = Int(attribute.a)
    guard graph.slots.isBelowRoot(slot) else { return }
    // Except in comparisons and tests of truth, null is a value of its own.
    var isTruth = id == root
    for parent in parents[id] ?? [] {
      switch graph[parent].kind {
      case .compare, .equal, .equalEither, .in, .testCall:
        add(slot, Value(cell), parent, graph)
      case .truthy, .both, .firstTruthy, .not, .conditional, .rescue: isTruth = true
      default: continue
      }
    }
    if isTruth { add(slot, Value(cell), id, graph) }
  }

  /// A filter of AgentWallie's, which is false without its attribute.
  private mutating func addFilter(_ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph) {
    var test = Int(graph[id].a)
    while graph[test].kind == .not { test = Int(graph[test].a) }
    guard graph[test].kind != .present,
      let field = graph.operands(of: test).first(where: { graph[$0].kind == .slot })
    else { return }
    // `not_in` has two tests: for a string, and for the list.
    let pair = parents[id]?.first { parent in
      let operands = graph.operands(of: parent)
      return graph[parent].kind == .and && operands.count == 2 && graph[operands[0]].kind == .holds
        && graph[Int(graph[operands[0]].a)].kind == .call
        && graph.operands(of: Int(graph[operands[0]].a)).first == field
    }
    add(Int(graph[field].a), nil, pair ?? id, graph)
  }

  private mutating func add(
    _ slot: Int, _ standIn: Value?, _ node: ConditionGraph.ID, _ graph: borrowing ConditionGraph
  ) {
    if found.contains(where: { $0.node == node && $0.slot == slot }) { return }
    var (shown, isNegated) = (node, false)
    while let parent = parents[shown], parent.count == 1 {
      if graph[parent[0]].kind == .not {
        isNegated.toggle()
      } else if graph[parent[0]].kind != .truthy {
        break
      }
      shown = parent[0]
    }
    found.append(
      Found(slot: slot, standIn: standIn, node: node, shown: shown, isNegated: isNegated))
  }
}

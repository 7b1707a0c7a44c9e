/// A test within an expression: what it comes to, whether it was needed, and what it read.
///
/// ```swift
/// let program = Environment().compile("user.plan == 'free' && device.sessions > 3").output!
/// var frame = Frame(for: program)
/// try frame.fill(["user": ["plan": "pro"], "device": ["sessions": 7]])
/// let clauses = program.clauses(of: program.entries[0], in: &frame)
/// clauses.map(\.text)  // ["user.plan == 'free'", "device.sessions > 3"]
/// clauses.map(\.outcome)  // [.false, .true]
/// clauses.map(\.wasReached)  // [true, false]
/// clauses[0].attributes[0].value  // "pro"
/// ```
public struct Clause: Hashable, Sendable {
  public enum Outcome: Hashable, Sendable {
    case `true`, `false`
    /// An error, as when an attribute is not there.
    case failed(EvaluationError.Kind)
    /// A value that is no bool.
    case noBool
  }

  /// An attribute that the clause reads; the value is nil when it is not there.
  public struct Attribute: Hashable, Sendable {
    public var path: AttributePath
    public var value: Value?
  }

  /// Something that the clause works out before it compares, as `size(user.tags)`; the value is
  /// nil when it gives none.
  public struct Computed: Hashable, Sendable {
    public var text: String
    public var value: Value?
  }

  public var range: SourceRange
  /// The clause as it is written.
  public var text: String
  /// What the clause comes to by itself, whether or not it was needed.
  public var outcome: Outcome
  /// False when another clause had decided before.
  public var wasReached: Bool
  /// Whether the clause comes to the same whatever is there, as a filter that makes no sense.
  public var isConstant: Bool
  public var attributes: [Attribute]
  public var computed: [Computed]
}

extension Clause {
  /// A text without parentheses around the whole of it.
  fileprivate static func withoutParentheses(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.first == UInt8(ascii: "("), text.last == UInt8(ascii: ")") else { return text }
    var depth = 0
    for (i, byte) in zip(text.indices, text) {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      if depth == 0 {
        return i == text.indices.last ? withoutParentheses(text.dropFirst().dropLast()) : text
      }
    }
    return text
  }
}

extension Program {
  /// The clauses of an expression in source order, as one run on this frame sees them. Clauses
  /// that the run did not need are evaluated too, each by itself.
  public func clauses(of entry: Entry, in frame: inout Frame) -> [Clause] {
    let root = storage.rootNodes[entry.source]
    var finder = ClauseFinder(source: entry.source)
    finder.find(root, in: storage.graph)
    var evaluator = ClauseEvaluator(self, root, finder.found, like: frame)
    let source = Array(sources[entry.source].utf8)
    func text(_ range: SourceRange) -> String {
      let bytes = source[range.from..<min(range.to, source.count)]
      return String(decoding: Clause.withoutParentheses(bytes), as: UTF8.self)
    }
    var clauses: [Clause] = []
    for (number, found) in finder.found.enumerated() {
      let computed = found.computed.enumerated().map { i, operand -> Clause.Computed in
        let cell = evaluator.value(ofComputed: i, of: number)
        return Clause.Computed(
          text: text(operand.range), value: value(cell))
      }
      clauses.append(
        Clause(
          range: found.range, text: text(found.range),
          outcome: outcome(evaluator.value(of: number)),
          wasReached: found.isConstant || evaluator.wasReached(number),
          isConstant: found.isConstant,
          attributes: attributes(below: found.node, in: frame), computed: computed))
    }
    return clauses.sorted { ($0.range.from, $0.range.to) < ($1.range.from, $1.range.to) }
  }

  /// The value of a cell, if it has one and that is within the limits.
  private func value(_ cell: Cell) -> Value? {
    cell.isValue && cell.treeSize(upTo: storage.limits.resultBytes) != nil ? Value(cell) : nil
  }

  private func outcome(_ cell: Cell) -> Clause.Outcome {
    switch cell.tag {
    case Tag.bool: cell.boolValue ? .true : .false
    case Tag.fault: .failed(EvaluationError(fault: cell).kind)
    default: .noBool
    }
  }

  /// The attributes below a node.
  private func attributes(below node: ConditionGraph.ID, in frame: borrowing Frame)
    -> [Clause.Attribute]
  {
    var slots: [Int] = []
    for id in storage.graph.nodes(below: node) {
      let node = storage.graph[id]
      guard ConditionGraph.readsSlot(node.kind) else { continue }
      if !slots.contains(Int(node.a)) { slots.append(Int(node.a)) }
    }
    return slots.map { slot in
      let cell = frame.slots[slot]
      if let question = HostQuestion(path: storage.graph.slots.path(slot).names) {
        return Clause.Attribute(
          path: AttributePath([question.description]), value: Value(cell))
      }
      let isKnown = cell.isValue && !storage.graph.slots.slots[slot].isPresenceOnly
      return Clause.Attribute(
        path: storage.graph.slots.path(slot),
        value: isKnown ? Value(cell) : cell.isValue ? .string("present") : nil)
    }
  }
}

/// Finds the clauses of an expression in the graph: what `&&`, `||`, `!` and `?:` connect. What
/// stands at one place of the source is one clause, whatever it is made of.
private struct ClauseFinder {
  struct Found {
    var node: ConditionGraph.ID
    var range: SourceRange
    var isConstant = false
    /// Operands that are worked out, the outermost of each.
    var computed: [(node: ConditionGraph.ID, range: SourceRange)] = []
  }

  let source: Int
  private(set) var found: [Found] = []

  init(source: Int) { self.source = source }

  /// What connects clauses, in any dialect.
  private static func connects(_ kind: ConditionGraph.Kind) -> Bool {
    switch kind {
    case .and, .or, .not, .holds, .conditional, .both, .firstTruthy, .sequence, .truthy, .rescue:
      true
    default: false
    }
  }

  mutating func find(_ node: ConditionGraph.ID, in graph: borrowing ConditionGraph) {
    let kind = graph[node].kind
    if kind == .constant { return }
    if ClauseFinder.connects(kind) {
      let operands = graph.operands(of: node).filter { graph[$0].kind != .constant }
      // What a dialect puts around an expression stands at the same place; it is looked through.
      let isWrapper = kind == .rescue || kind == .truthy || kind == .sequence
      if isWrapper, operands.count == 1,
        kind == .rescue || ClauseFinder.connects(graph[operands[0]].kind)
      {
        return find(operands[0], in: graph)
      }
      let own = graph.range(of: node, in: source)
      if operands.contains(where: { graph.range(of: $0, in: source) != own }) {
        for operand in operands { find(operand, in: graph) }
        return
      }
    }
    guard let range = graph.range(of: node, in: source),
      !found.contains(where: { $0.range == range })
    else { return }
    var clause = Found(node: node, range: range)
    clause.isConstant =
      graph[node].kind == .holds && graph[Int(graph[node].a)].kind == .constant
    findComputed(node, &clause, graph)
    found.append(clause)
  }

  /// Goes down through what compares to what is compared.
  private func findComputed(
    _ node: ConditionGraph.ID, _ clause: inout Found, _ graph: borrowing ConditionGraph
  ) {
    let operands: [ConditionGraph.ID]
    switch graph[node].kind {
    case .loop: return
    // What is bound has a value of its own; the body has none without the variable.
    case .bind: operands = [Int(graph[node].a)]
    default: operands = graph.operands(of: node)
    }
    for operand in operands {
      switch graph[operand].kind {
      case .constant, .slot, .present, .local, .slotOrNull, .raise: continue
      case .and, .or, .not, .holds, .conditional, .equal, .less, .lessOrEqual, .in, .hasField,
        .both, .firstTruthy, .sequence, .truthy, .rescue, .orElse, .isThere, .whenThere, .compare,
        .equalEither, .optionalElement:
        findComputed(operand, &clause, graph)
      default:
        guard let range = graph.range(of: operand, in: source), range != clause.range,
          !clause.computed.contains(where: { $0.range == range })
        else {
          findComputed(operand, &clause, graph)
          continue
        }
        clause.computed.append((operand, range))
      }
    }
  }
}

/// Runs an expression and its parts, each by itself, on copies of a frame's attributes: a program
/// of its own whose entries are the whole, the clauses, and what these work out.
private struct ClauseEvaluator: ~Copyable {
  private let program: Program
  private var frame: Frame
  /// By clause, the number of its entry; those of what it works out follow.
  private var entryOf: [Int] = []
  /// Nodes whose instructions run when the whole expression does.
  private var reached: Set<ConditionGraph.ID>
  /// By clause, the nodes that no other clause has: what two share does not tell which of them
  /// was reached.
  private var own: [[ConditionGraph.ID]] = []

  init(
    _ original: Program, _ root: ConditionGraph.ID, _ clauses: [ClauseFinder.Found],
    like other: borrowing Frame
  ) {
    var nodes = [root]
    for clause in clauses {
      entryOf.append(nodes.count)
      nodes.append(clause.node)
      nodes += clause.computed.map(\.node)
    }
    program = original.part(nodes)
    frame = Frame(for: program)
    for slot in 0..<program.storage.graph.slots.count {
      let path = program.storage.graph.slots.path(slot)
      if let number = original.storage.graph.slots.number(of: path) {
        frame.slots[slot] = other.slots[number]
      }
    }
    var trace = PathTrace()
    _ = Machine.run(program.storage, from: program.entries[0].start, in: &frame, &trace)
    let storage = program.storage
    reached = Set(trace.instructions.map { Int(storage.nodeOf[Int($0)]) })
    let below = entryOf.map { storage.graph.nodes(below: storage.rootNodes[$0]) }
    var sharers: [ConditionGraph.ID: Int] = [:]
    for nodes in below { for node in nodes { sharers[node, default: 0] += 1 } }
    own = below.map { $0.filter { sharers[$0] == 1 } }
  }

  func wasReached(_ clause: Int) -> Bool { !reached.isDisjoint(with: own[clause]) }

  mutating func value(of clause: Int) -> Cell { run(entryOf[clause]) }

  mutating func value(ofComputed number: Int, of clause: Int) -> Cell {
    run(entryOf[clause] + 1 + number)
  }

  /// What is built stays in the evaluator's frame, so that the result can be read.
  private mutating func run(_ entry: Int) -> Cell {
    var trace = NoTrace()
    return Machine.run(program.storage, from: program.entries[entry].start, in: &frame, &trace)
  }
}

/// A part of an expression that the operators `&&`, `||`, `!` and `?:` combine with other parts. A clause has an
/// outcome, and lists the attributes that it reads.
///
/// ```swift
/// let program = try ExpressionEnvironment().compile("user.plan == 'free' && device.sessions > 3").get()
/// var frame = Frame(for: program)
/// try frame.fill(["user": ["plan": "pro"], "device": ["sessions": 7]])
/// let clauses = program.clauses(of: program.entries[0], in: &frame)
/// clauses.map(\.text)  // ["user.plan == 'free'", "device.sessions > 3"]
/// clauses.map(\.outcome)  // [.false, .true]
/// clauses.map(\.wasReached)  // [true, false]
/// clauses[0].reads[0].path.description  // "user.plan"
/// clauses[0].reads[0].value  // "pro"
/// ```
public struct Clause: Hashable, Sendable {
  /// The result of a clause.
  public enum Outcome: Hashable, Sendable {
    case `true`, `false`
    /// An error, such as a missing attribute.
    case failed(EvaluationError.Kind)
    /// A value that is not a bool.
    case noBool
  }

  /// An attribute that the clause reads. The value is nil if the attribute is missing.
  package struct Attribute: Hashable, Sendable {
    package var path: AttributePath
    package var value: Value?
    /// Whether only the attribute's presence was tested, as in `has(user.plan)`, and the attribute exists. The value
    /// was not read, and is the string `present`.
    package var isPresenceOnly = false
    /// The value that a missing attribute counts as, if the language defines one. superscript uses the zero value of
    /// the literal's type in a comparison.
    package var standIn: Value?
    /// Whether the value is null in the record, and the SDK passes an empty map.
    package var isMapForNull = false
  }

  /// A value that the clause computes before it compares, such as `size(user.tags)`. The value is nil if the
  /// computation fails.
  package struct Computed: Hashable, Sendable {
    package var text: String
    package var value: Value?
  }

  /// The range of the clause, without parentheses around it.
  public var range: SourceRange
  /// The source of the clause. The source includes a `!` before a single clause, but not a `!` before several clauses
  /// in parentheses.
  public var text: String
  /// The result of evaluating the clause alone, whether or not the expression needed it.
  public var outcome: Outcome
  /// The value of the clause, if the value is not a bool.
  public var value: Value?
  /// Whether the evaluation reached the clause. False if an earlier clause decided the result, or if the clause is in
  /// the branch of a conditional that was not taken.
  public var wasReached: Bool
  /// Whether the clause reads no attributes, so that its result is the same for every user.
  public var isConstant: Bool
  package var attributes: [Attribute]
  package var computed: [Computed]
  /// Why the clause has no value, if it fails.
  package var failure: ToldFailure?

  /// The attributes that the clause reads, and their values. The value of a missing attribute is nil.
  public var reads: [(path: AttributePath, value: Value?)] {
    attributes.map { ($0.path, $0.value) }
  }
}

extension Program {
  /// The clauses of an expression in source order, with their results on this frame. Clauses that the expression did
  /// not need are evaluated too, each of them alone.
  ///
  /// In a specialised program, clauses whose attributes no longer matter are omitted.
  public func clauses(of entry: Entry, in frame: inout Frame) -> [Clause] {
    guard let program = storage.clauseProgram(entry.source, of: sources[entry.source]) else {
      return []
    }
    var run = ClauseRun(program, storage, on: frame)
    return program.parts.indices.compactMap { run.clause($0) }
  }
}

/// A run of an expression, and of each of its clauses separately, on a copy of a frame's attributes.
private struct ClauseRun: ~Copyable {
  private let clauses: ClauseProgram
  private let outer: Program.Storage
  private var frame: Frame
  /// For each slot, whether both the frame and the attributes known from specialisation lack the attribute.
  private var isUnknown: [Bool] = []
  /// Numbers of the clauses that the run of the whole expression reached.
  private var reached: Set<Int> = []

  init(_ clauses: ClauseProgram, _ outer: Program.Storage, on original: borrowing Frame) {
    self.clauses = clauses
    self.outer = outer
    frame = Frame(for: clauses.program)
    for (slot, number) in clauses.outerSlots.enumerated() {
      let cell = number.map { original.slots[$0] } ?? known(slot)
      isUnknown.append(cell == nil)
      if let cell { frame.slots[slot] = cell }
    }
    var trace = PathTrace()
    let mark = frame.arena.mark
    let storage = clauses.program.storage
    _ = Machine.run(storage, from: clauses.program.entries[0].start, in: &frame, &trace)
    frame.arena.release(to: mark)
    for instruction in trace.instructions {
      let node = storage.graph[Int(storage.nodeOf[Int(instruction)])]
      if node.kind == .clause { reached.insert(Int(node.b)) }
    }
  }

  /// The value of an attribute that was known when the explained program was specialised.
  private mutating func known(_ slot: Int) -> Cell? {
    guard let path = clauses.program.storage.graph.slots.attribute(slot) else { return nil }
    let isRoot = outer.environment.roots.contains(path.names[0])
    for known in outer.background.known {
      switch known.find(path, isRoot: isRoot, isLenient: outer.binding.isLenient) {
      case .unknown: continue
      case .absent(let cell): return cell
      case .value(let value):
        return frame.arena.cell(value).map { outer.binding.bound($0, in: &frame.arena) }
      }
    }
    return nil
  }

  /// Returns a clause of the explanation, or nil if the clause reads an unknown attribute.
  mutating func clause(_ number: Int) -> Clause? {
    let part = clauses.parts[number]
    if part.slots.contains(where: { isUnknown[$0] }) { return nil }
    let (outcome, value, fault) = result(of: part.entry)
    return Clause(
      range: part.range, text: part.text, outcome: outcome,
      value: outcome == .noBool ? value : nil, wasReached: reached.contains(number),
      isConstant: part.slots.isEmpty,
      attributes: part.slots.map { attribute($0, part.standIns[$0]) },
      computed: part.computed.map {
        Clause.Computed(text: $0.text, value: result(of: $0.entry).value)
      }, failure: fault.flatMap { told($0, of: number) })
  }

  /// The result of an entry, and its value if the value is within the limits.
  private mutating func result(of entry: Int)
    -> (outcome: Clause.Outcome, value: Value?, fault: Cell?)
  {
    var trace = NoTrace()
    let mark = frame.arena.mark
    defer { frame.arena.release(to: mark) }
    let start = clauses.program.entries[entry].start
    let cell = Machine.run(clauses.program.storage, from: start, in: &frame, &trace)
    switch cell.tag {
    case Tag.fault: return (.failed(EvaluationError(fault: cell).kind), nil, cell)
    case Tag.bool: return (cell.boolValue ? .true : .false, Value(cell), nil)
    default:
      let isSmall = cell.treeSize(upTo: outer.limits.resultBytes) != nil
      return (.noBool, isSmall ? Value(cell) : nil, nil)
    }
  }

  /// The reason why a clause failed.
  private func told(_ fault: Cell, of number: Int) -> ToldFailure? {
    let program = clauses.program
    var finder = FailureFinder(program)
    guard let failure = finder.failure(fault, in: frame) else { return nil }
    let instruction = Int(failure.error.instruction)
    var range: SourceRange?
    if instruction < program.storage.nodeOf.count {
      // Each clause is a separate source for the places of its nodes.
      range = program.storage.graph.range(
        of: Int(program.storage.nodeOf[instruction]), in: number + 1)
    }
    return ToldFailure(
      failure: failure,
      details: program.details(
        of: failure, in: program.entries[0], at: range ?? clauses.parts[number].range))
  }

  private func attribute(_ slot: Int, _ standIn: Value?) -> Clause.Attribute {
    let cell = frame.slots[slot]
    let content = clauses.program.storage.graph.slots.content(slot)
    guard case .attribute(let path) = content else {
      return Clause.Attribute(path: AttributePath([content.description]), value: Value(cell))
    }
    let slots = outer.graph.slots.slots
    let isAsked = clauses.outerSlots[slot].map { slots[$0].isPresenceOnly } ?? false
    guard cell.isValue else {
      return Clause.Attribute(path: path, value: nil, standIn: standIn)
    }
    return Clause.Attribute(
      path: path, value: isAsked ? .string("present") : Value(cell), isPresenceOnly: isAsked)
  }
}

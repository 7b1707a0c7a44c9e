/// A test within an expression, what came of it, and what it read.
public struct Clause: Hashable, Sendable {
  public enum Outcome: Hashable, Sendable {
    case `true`, `false`
    case failed
    /// Another clause had decided before.
    case notEvaluated
  }

  /// An attribute that the clause reads; the value is nil when it is not there.
  public struct Attribute: Hashable, Sendable {
    public var path: AttributePath
    public var value: Value?
  }

  public var range: SourceRange
  /// The clause as it is written.
  public var text: String
  public var outcome: Outcome
  public var attributes: [Attribute]
}

extension Program {
  /// The clauses of an expression in source order, as one run on this frame sees them.
  public func clauses(of entry: Entry, in frame: inout Frame) -> [Clause] {
    let trace = traced(entry, in: &frame).trace
    // What a test comes to may be told in several steps; the last one counts.
    var outcomes: [SourceRange: Clause.Outcome] = [:]
    for test in trace.tests {
      guard let range = range(ofInstruction: test.instruction, in: entry) else { continue }
      outcomes[range] = outcome(of: test, in: entry)
    }
    var clauses: [Clause] = []
    for instruction in tests(of: entry) {
      guard let range = range(ofInstruction: instruction, in: entry) else { continue }
      if clauses.contains(where: { $0.range == range }) { continue }
      let source = Array(sources[entry.source].utf8)
      let text = String(decoding: source[range.from..<min(range.to, source.count)], as: UTF8.self)
      clauses.append(
        Clause(
          range: range, text: text, outcome: outcomes[range] ?? .notEvaluated,
          attributes: attributes(ofInstruction: instruction, in: frame)))
    }
    return clauses.sorted { ($0.range.from, $0.range.to) < ($1.range.from, $1.range.to) }
  }

  /// What a test came to as the clause is written. `a != b` runs as a test for equality with its
  /// targets swapped; in the graph it is a negation that stands at the same place.
  private func outcome(
    of test: (instruction: UInt32, outcome: TestTrace.Outcome), in entry: Entry
  ) -> Clause.Outcome {
    if test.outcome == .fault { return .failed }
    let node = Int(storage.nodeOf[Int(test.instruction)])
    let range = storage.graph.range(of: node, in: entry.source)
    let isNegated = storage.graph.nodes.indices.contains { id in
      storage.graph[id].kind == .not && Int(storage.graph[id].a) == node
        && storage.graph.range(of: id, in: entry.source) == range
    }
    return (test.outcome == .yes) != isNegated ? .true : .false
  }

  /// The tests that can be made from an entry on.
  private func tests(of entry: Entry) -> [UInt32] {
    var seen: Set<UInt32> = []
    var open = [entry.start]
    var tests: [UInt32] = []
    while let at = open.popLast() {
      guard seen.insert(at).inserted else { continue }
      let instruction = storage.code[Int(at)]
      if let targets = instruction.targets {
        tests.append(at)
        open += [targets.yes, targets.no, targets.fault]
      } else {
        open += instruction.successors(at)
      }
    }
    return tests
  }

  /// The attributes below the node of an instruction.
  private func attributes(ofInstruction instruction: UInt32, in frame: borrowing Frame)
    -> [Clause.Attribute]
  {
    let slots = storage.graph.nodes(below: Int(storage.nodeOf[Int(instruction)]))
      .filter { ConditionGraph.readsSlot(storage.graph[$0].kind) }
      .map { Int(storage.graph[$0].a) }
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

extension Instruction {
  /// The targets of a test, or nil.
  var targets: Targets? {
    switch self {
    case .isTrue(_, let targets), .equalBits(_, _, let targets), .equalInt(_, _, let targets),
      .equal(_, _, let targets), .less(_, _, let targets), .lessOrEqual(_, _, let targets),
      .present(_, let targets), .hasField(_, _, let targets), .inBits(_, _, let targets),
      .inSet(_, _, let targets), .isIn(_, _, let targets), .contains(_, _, let targets),
      .startsWith(_, _, let targets), .endsWith(_, _, let targets),
      .matches(_, _, let targets), .matchesText(_, _, let targets), .isTruthy(_, let targets),
      .compare(_, _, let targets, _), .testCall(_, _, let targets, _):
      targets
    case .skipIfMissing(_, let next, let missing, let fault):
      Targets(yes: next, no: missing, fault: fault)
    case .settle(_, let next): Targets(yes: next, no: next, fault: next)
    default: nil
    }
  }

  /// Where an instruction that is no test may go on, when it stands at `at`.
  func successors(_ at: UInt32) -> [UInt32] {
    switch self {
    case .finish, .finishFault: []
    case .jump(let next), .pend(_, let next): [next]
    case .branch(_, let yes, let no): [yes, no]
    case .rescue(_, let caught, let other): [caught, other]
    case .raise(_, let fault): [fault]
    case .check(_, let fault), .copy(_, _, let fault), .add(_, _, _, let fault),
      .subtract(_, _, _, let fault), .multiply(_, _, _, let fault), .divide(_, _, _, let fault),
      .modulo(_, _, _, let fault), .negate(_, _, let fault), .size(_, _, let fault),
      .select(_, _, _, let fault), .index(_, _, _, let fault),
      .makeList(_, _, _, let fault), .makeMap(_, _, _, let fault),
      .call(_, _, _, _, _, let fault), .callMany(_, _, _, _, let fault),
      .beginLoop(_, _, let fault), .append(_, _, let fault), .appendOptional(_, _, let fault),
      .insert(_, _, _, let fault), .insertOptional(_, _, _, let fault),
      .insertAll(_, _, let fault), .orElse(_, _, _, let fault), .orNull(_, _, let fault),
      .member(_, _, _, let fault, _), .arithmetic(_, _, _, let fault, _),
      .makeMapKeepingLast(_, _, _, let fault):
      [at - 1, fault]
    case .next(_, _, _, let done, let fault): [at - 1, done, fault]
    case .forget, .newList, .newMap: [at - 1]
    default: []
    }
  }
}

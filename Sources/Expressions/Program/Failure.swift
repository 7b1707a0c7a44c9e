internal import CivilTime

/// Why an expression gave no value: its error, and the attribute that the error is about.
///
/// Equal failures of one expression are told in the same words, so that a batch counts them by it.
package struct Failure: Hashable, Sendable {
  /// The error as a fault cell keeps it: its kind, the types of the operands, the instruction.
  fileprivate let fault: UInt64
  /// The slot of the attribute, or -1.
  fileprivate let slot: Int32
  /// Whether the attribute is not there, rather than of a type that does not fit.
  package let isAbsent: Bool
  /// Whether what failed takes the attribute itself, rather than something that is made of it.
  package let isOperand: Bool
  /// Whether something that the attribute stands in is missing, as `user.a` of `user.a.b`.
  package let isUnreachable: Bool
  /// Whether the attribute is null, as tables have it where there is no value.
  package let isNull: Bool

  fileprivate init(
    fault: UInt64, slot: Int32, isAbsent: Bool, isUnreachable: Bool, isOperand: Bool, isNull: Bool
  ) {
    self.fault = fault
    self.slot = slot
    self.isAbsent = isAbsent
    self.isUnreachable = isUnreachable
    self.isOperand = isOperand
    self.isNull = isNull
  }

  package var error: EvaluationError { EvaluationError(fault: Cell(low: fault, high: 0)) }
}

/// Finds out which attribute a failure is about, and remembers what that takes.
package struct FailureFinder {
  private let storage: Program.Storage
  /// What an instruction reads.
  private struct Reads {
    /// The slots of its node and of all below.
    var slots: [Int32] = []
    /// Those that are operands themselves.
    var operands: [Int32] = []
    /// What the operands have to be.
    var needs: OperandNeed?
  }

  private var reads: [UInt32: Reads] = [:]
  /// The instruction that was asked for last, as users mostly fail alike.
  private var last: (instruction: UInt32, reads: Reads)?

  package init(_ program: Program) { storage = program.storage }

  /// The failure of an expression that gave this cell on this frame; nil when it gave a value.
  package mutating func failure(_ cell: Cell, in frame: borrowing Frame) -> Failure? {
    guard cell.tag == Tag.fault else { return nil }
    let reads = reads(of: EvaluationError(fault: cell).instruction)
    let slot: Int32
    // What is not there explains more than what is.
    let absent = reads.slots.first { !frame.slots[Int($0)].isValue }
    if let absent {
      slot = absent
    } else if let needs = reads.needs, reads.slots.count > 1 {
      // Of several it is the one that does not fit, not just any.
      slot = reads.operands.first { !needs.allows(frame.slots[Int($0)]) } ?? -1
    } else {
      slot = reads.slots.first ?? -1
    }
    let isOperand = reads.operands.contains(slot)
    return Failure(
      fault: cell.low, slot: slot, isAbsent: absent != nil,
      isUnreachable: absent.map { frame.slots[Int($0)].tag == Tag.unreachable } ?? false,
      isOperand: isOperand,
      isNull: isOperand && storage.binding.isNull(frame.slots[Int(slot)]))
  }

  private mutating func reads(of instruction: UInt32) -> Reads {
    if let last, last.instruction == instruction { return last.reads }
    var found = Reads()
    if let known = reads[instruction] {
      found = known
    } else if Int(instruction) < storage.nodeOf.count {
      let node = Int(storage.nodeOf[Int(instruction)])
      found.slots = storage.graph.slots(below: node).map { Int32($0) }
      found.operands = storage.graph.operands(of: node).compactMap { attribute($0) }
      found.needs = OperandNeed(storage.graph[node])
      reads[instruction] = found
    }
    last = (instruction, found)
    return found
  }

  /// The slot that an operand is the value of; nil for what is computed.
  private func attribute(_ operand: ConditionGraph.ID) -> Int32? {
    let node = storage.graph[operand]
    switch node.kind {
    case .slot, .slotOrNull: return Int32(node.a)
    // What superscript does for attributes that are missing, and to see that others fit.
    case .rescue, .orElse: return attribute(Int(node.a))
    case .call where storage.graph.function(operand) == .readNumbers:
      return attribute(storage.graph.strings(of: operand))
    case .call where storage.graph.function(operand)?.row.use == .requirement:
      return storage.graph.operands(of: operand).first.flatMap { attribute($0) }
    default: return nil
    }
  }
}

/// What an operator or a function takes, where all of its operands have to be of one kind.
private enum OperandNeed {
  case text, number
  /// What can be added to something: it is not one operand that does not fit, but both together.
  case sum

  init?(_ node: ConditionGraph.Node) {
    switch node.kind {
    case .subtract, .multiply, .divide, .modulo: self = .number
    case .add: self = .sum
    case .arithmetic: self = node.c == Superscript.Operator.add.rawValue ? .sum : .number
    case .call, .testCall:
      let function = Function(rawValue: UInt16(truncatingIfNeeded: node.b))
      guard function?.textTest != nil else { return nil }
      self = .text
    default: return nil
    }
  }

  func allows(_ cell: Cell) -> Bool {
    switch self {
    case .text: cell.isText
    case .number: [Tag.int, Tag.uint, Tag.double].contains(cell.tag)
    case .sum: true
    }
  }
}

/// A failure with what it is about.
package struct ToldFailure: Hashable, Sendable {
  package var failure: Failure
  package var details: Program.FailureDetails
}

extension Program {
  /// What a failure is about.
  package struct FailureDetails: Hashable, Sendable {
    /// The clause that failed, as it is written.
    package var clause: String
    /// What failed within the clause, as it is written.
    package var text: String
    /// The operator or the function that failed, where it is one.
    package var operation: String?
    /// The attribute, or the question to the host, that it is about.
    package var subject: String?
    /// The literal that no value of an attribute would make right, as it is written.
    package var literal: FailingLiteral?
    /// The language of the clause.
    package var dialect: Dialect
  }

  /// A literal that always fails.
  package struct FailingLiteral: Hashable, Sendable {
    /// As it is written.
    package var text: String
    package var value: String
    /// Whether it was to name a time zone.
    package var isZone: Bool
  }

  /// Tells a failure of an entry.
  package func details(of failure: Failure, in entry: Entry) -> FailureDetails {
    details(
      of: failure, in: entry, at: range(ofInstruction: failure.error.instruction, in: entry))
  }

  /// The same where it is known where in the source it failed; nil is all of it.
  func details(of failure: Failure, in entry: Entry, at range: SourceRange?) -> FailureDetails {
    let source = Array(sources[entry.source].utf8)
    let range = range ?? SourceRange(from: 0, to: source.count)
    let clauses = ClausePlaces(entry.source, of: sources[entry.source], in: storage)
    let smallest = clauses?.smallest(around: range)
    let text = String(
      decoding: source[min(range.from, source.count)..<min(range.to, source.count)], as: UTF8.self)
    let dialect = storage.environment.dialect
    let literal = failure.error.kind == .conversion ? dialect.failingLiteral(of: text) : nil
    return FailureDetails(
      clause: smallest ?? sources[entry.source], text: text, operation: dialect.operation(of: text),
      subject: literal == nil ? subject(of: failure) : nil, literal: literal, dialect: dialect)
  }

  private func subject(of failure: Failure) -> String? {
    guard failure.slot >= 0 else { return nil }
    return storage.graph.slots.content(Int(failure.slot)).description
  }
}

extension Dialect {
  /// The name of the function that an expression calls last, or its operator.
  fileprivate func operation(of text: String) -> String? {
    let (tree, diagnostics) = parse(text, limits: Limits())
    guard diagnostics.isEmpty else { return nil }
    let root = tree[tree.root]
    return root.kind == .call ? tree.name(root.a, root.b) : Printer.operator(root.kind)
  }

  /// The literal because of which a conversion fails: the one that is converted, or a time zone that does
  /// not exist. Nil where the fault is with what an attribute holds.
  fileprivate func failingLiteral(of text: String) -> Program.FailingLiteral? {
    let (tree, diagnostics) = parse(text, limits: Limits())
    let root = tree[tree.root]
    guard diagnostics.isEmpty, root.kind == .call else { return nil }
    func literal(_ node: SyntaxTree.Node, isZone: Bool) -> Program.FailingLiteral? {
      guard node.kind == .string else { return nil }
      let bytes = text.utf8.dropFirst(node.range.from).prefix(node.range.to - node.range.from)
      return Program.FailingLiteral(
        text: String(decoding: bytes, as: UTF8.self), value: tree.name(node.a, node.b),
        isZone: isZone)
    }
    let operands = tree.operands(of: root).map { tree[$0] }
    if operands.count > 1, let last = operands.last, let zone = literal(last, isZone: true),
      TimeZones.zone(named: zone.value) == nil
    {
      return zone
    }
    let literals: [SyntaxTree.Kind] = [.string, .int, .uint, .double, .bool, .null]
    guard let first = operands.first, operands.allSatisfy({ literals.contains($0.kind) }) else {
      return nil
    }
    return literal(first, isZone: false)
  }
}

internal import CivilTime

/// Why an expression has no value: its error, and the attribute that the error is about.
///
/// Equal failures of one expression have the same message, so a batch counts them by failure.
package struct Failure: Hashable, Sendable {
  /// The error as in a fault cell: its kind, the types of the operands, the instruction.
  fileprivate let fault: UInt64
  /// The slot of the attribute, or -1.
  fileprivate let slot: Int32
  /// Whether the attribute is missing. If false, the attribute has the wrong type.
  package let isAbsent: Bool
  /// Whether the attribute itself is an operand of the failing operation, and not a value computed from it.
  package let isOperand: Bool
  /// Whether a container of the attribute is missing, such as `user.a` of `user.a.b`.
  package let isUnreachable: Bool
  /// Whether the attribute is null, as in tables with empty values.
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

/// Determines the attribute that a failure is about, and caches the intermediate results.
package struct FailureFinder {
  private let storage: Program.Storage
  /// The slots that an instruction reads.
  private struct Reads {
    /// The slots of the instruction's node, and of all nodes below.
    var slots: [Int32] = []
    /// The slots that are operands themselves.
    var operands: [Int32] = []
    /// The requirements of the operands.
    var needs: OperandNeed?
  }

  private var reads: [UInt32: Reads] = [:]
  /// The instruction of the last call, because most users fail in the same way.
  private var last: (instruction: UInt32, reads: Reads)?

  package init(_ program: Program) { storage = program.storage }

  /// The failure of an expression that returned this cell on this frame, or nil if it returned a value.
  package mutating func failure(_ cell: Cell, in frame: borrowing Frame) -> Failure? {
    guard cell.tag == Tag.fault else { return nil }
    let reads = reads(of: EvaluationError(fault: cell).instruction)
    let slot: Int32
    // A missing attribute explains more than an existing attribute.
    let absent = reads.slots.first { !frame.slots[Int($0)].isValue }
    if let absent {
      slot = absent
    } else if let needs = reads.needs, reads.slots.count > 1 {
      // If there are several operands, select the operand with the wrong type.
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

  /// The slot whose value an operand is, or nil for a computed operand.
  private func attribute(_ operand: ConditionGraph.ID) -> Int32? {
    let node = storage.graph[operand]
    switch node.kind {
    case .slot, .slotOrNull: return Int32(node.a)
    // These are superscript's handling of missing attributes, and its checks of operand types.
    case .rescue, .orElse: return attribute(Int(node.a))
    case .call where storage.graph.function(operand) == .readNumbers:
      return attribute(storage.graph.strings(of: operand))
    case .call where storage.graph.function(operand)?.row.use == .requirement:
      return storage.graph.operands(of: operand).first.flatMap { attribute($0) }
    default: return nil
    }
  }
}

/// The type that all operands of an operator or a function must have.
private enum OperandNeed {
  case text, number
  /// The operand can be added to some values, so the combination of operands is wrong.
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

/// A failure with the attribute or the value that it is about.
package struct ToldFailure: Hashable, Sendable {
  package var failure: Failure
  package var details: Program.FailureDetails
}

extension Program {
  /// The subject of a failure.
  package struct FailureDetails: Hashable, Sendable {
    /// The clause that failed, as written.
    package var clause: String
    /// The part of the clause that failed, as written.
    package var text: String
    /// The operator or the function that failed, if any.
    package var operation: String?
    /// The attribute, or the question to the host, that the failure is about.
    package var subject: String?
    /// The literal, as written, if the expression fails for every value of an attribute.
    package var literal: FailingLiteral?
    /// The language of the clause.
    package var dialect: Dialect
  }

  /// A literal that always fails.
  package struct FailingLiteral: Hashable, Sendable {
    /// The literal as written.
    package var text: String
    package var value: String
    /// Whether the value was used as a time zone.
    package var isZone: Bool
  }

  /// The details of a failure of an entry.
  package func details(of failure: Failure, in entry: Entry) -> FailureDetails {
    details(
      of: failure, in: entry, at: range(ofInstruction: failure.error.instruction, in: entry))
  }

  /// The details of a failure at a known place in the source. Nil means the whole source.
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

  /// The literal that makes a conversion fail: its operand, or a time zone that does not exist. The result is nil if
  /// the value of an attribute is the reason.
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

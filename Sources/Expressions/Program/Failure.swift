/// Why an expression gave no value: its error, and the attribute that the error is about.
///
/// Equal failures of one expression are told in the same words, so that a batch counts them by it.
package struct Failure: Hashable, Sendable {
  /// The error as a fault cell keeps it: its kind, the types of the operands, the instruction.
  private let fault: UInt64
  /// The slot of the attribute, or -1.
  fileprivate let slot: Int32
  /// Whether the attribute is not there, rather than of a type that does not fit.
  package let isAbsent: Bool

  fileprivate init(_ fault: Cell, slot: Int32, isAbsent: Bool) {
    self.fault = fault.low
    self.slot = slot
    self.isAbsent = isAbsent
  }

  package var error: EvaluationError { EvaluationError(fault: Cell(low: fault, high: 0)) }
}

/// Finds out which attribute a failure is about, and remembers what that takes.
package struct FailureFinder {
  private let storage: Program.Storage
  /// By instruction: the slots that its node reads, itself or below.
  private var slots: [UInt32: [Int32]] = [:]
  /// The instruction that was asked for last, as users mostly fail alike.
  private var last: (instruction: UInt32, slots: [Int32])?

  package init(_ program: Program) { storage = program.storage }

  /// The failure of an expression that gave this cell on this frame; nil when it gave a value.
  package mutating func failure(_ cell: Cell, in frame: borrowing Frame) -> Failure? {
    guard cell.tag == Tag.fault else { return nil }
    let read = slots(below: EvaluationError(fault: cell).instruction)
    // What is not there explains more than what is.
    let absent = read.first { !frame.slots[Int($0)].isValue }
    return Failure(cell, slot: absent ?? read.first ?? -1, isAbsent: absent != nil)
  }

  private mutating func slots(below instruction: UInt32) -> [Int32] {
    if let last, last.instruction == instruction { return last.slots }
    if let known = slots[instruction] {
      last = (instruction, known)
      return known
    }
    let index = Int(instruction)
    let found =
      index < storage.nodeOf.count
      ? storage.graph.slots(below: Int(storage.nodeOf[index])).map { Int32($0) } : []
    slots[instruction] = found
    return found
  }
}

extension Program {
  /// What a failure is about.
  package struct FailureDetails: Sendable {
    /// The clause that failed, as it is written.
    package var clause: String
    /// What failed within the clause, as it is written.
    package var text: String
    /// The operator or the function that failed, where it is one.
    package var operation: String?
    /// The attribute, or the question to the host, that it is about.
    package var subject: String?
  }

  /// Tells a failure of an entry.
  ///
  package func details(of failure: Failure, in entry: Entry) -> FailureDetails {
    let source = Array(sources[entry.source].utf8)
    let range =
      range(ofInstruction: failure.error.instruction, in: entry)
      ?? SourceRange(from: 0, to: source.count)
    let clauses = ClausePlaces(entry.source, of: sources[entry.source], in: storage)
    let smallest = clauses?.smallest(around: range)
    let text = String(
      decoding: source[min(range.from, source.count)..<min(range.to, source.count)], as: UTF8.self)
    return FailureDetails(
      clause: smallest ?? sources[entry.source], text: text,
      operation: storage.environment.dialect.operation(of: text), subject: subject(of: failure))
  }

  private func subject(of failure: Failure) -> String? {
    guard failure.slot >= 0 else { return nil }
    let path = storage.graph.slots.path(Int(failure.slot))
    return HostQuestion(path: path.names)?.description ?? path.description
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
}

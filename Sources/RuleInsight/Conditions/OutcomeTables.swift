internal import Expressions

/// The outcomes of connectives for all outcomes of their operands. The machine computes them from
/// representative values, so that the language has only one evaluator.
struct OutcomeTables: Sendable {
  enum Unary: Int, CaseIterable {
    case not, holds, truthy, superscriptTruth
  }

  /// Connectives with a list of operands, which can be combined two at a time.
  enum Fold: Int, CaseIterable {
    case and, or, both, firstTruthy
  }

  /// The branches of `?:` that are possible after its test.
  struct Branches: OptionSet, Sendable {
    let rawValue: UInt8
    static let yes = Self(rawValue: 1)
    static let no = Self(rawValue: 2)
    static let fault = Self(rawValue: 4)
  }

  static let shared = OutcomeTables()

  /// The outcomes by kind and set of outcomes.
  private var unary: [OutcomeSet] = []
  /// The outcomes by kind and the sets of both operands.
  private var folds: [OutcomeSet] = []
  /// The branches by set of outcomes of the test.
  private var branches: [Branches] = []

  private init() {
    for kind in Unary.allCases {
      let single = OutcomeTables.run(1) { OutcomeTables.node(kind, $0, &$1) }
      unary += OutcomeTables.closed(single)
    }
    for kind in Fold.allCases {
      let single = OutcomeTables.run(2) { OutcomeTables.node(kind, $0, &$1) }
      // The rows are indexed by the first operand, then by the second.
      let rows = (0..<OutcomeSet.count).map { first in
        OutcomeTables.closed(
          Array(single[first * OutcomeSet.count..<(first + 1) * OutcomeSet.count]))
      }
      let start = folds.count
      folds += repeatElement([], count: 64)
      for first in 1..<64 {
        // The row is the result for the first outcome of the set, combined with the result for the
        // other outcomes.
        let row = rows[first.trailingZeroBitCount]
        let rest = start + (first & (first - 1)) << 6
        for second in 0..<64 { folds.append(folds[rest + second].union(row[second])) }
      }
    }
    let single = OutcomeTables.testBranches()
    branches = (0..<64).map { set in
      OutcomeSet(rawValue: UInt8(set)).numbers.reduce(into: []) { $0.formUnion(single[$1]) }
    }
  }

  @inline(__always)
  func outcome(_ kind: Unary, _ operand: OutcomeSet) -> OutcomeSet {
    unary[kind.rawValue << 6 | Int(operand.rawValue)]
  }

  @inline(__always)
  func outcome(_ kind: Fold, _ a: OutcomeSet, _ b: OutcomeSet) -> OutcomeSet {
    folds[kind.rawValue << 12 | Int(a.rawValue) << 6 | Int(b.rawValue)]
  }

  @inline(__always)
  func branches(of test: OutcomeSet) -> Branches { branches[Int(test.rawValue)] }

  /// The possible outcomes of a connective.
  ///
  /// - Parameters:
  ///   - value: the number of the connective's table, or the outcome of a constant.
  ///   - operand: the possible outcomes of an operand.
  @inline(__always)
  func outcome(
    _ kind: ConditionModel.Node.Kind, _ value: Int, count: Int, _ operand: (Int) -> OutcomeSet
  ) -> OutcomeSet {
    switch kind {
    case .constant: return OutcomeSet(number: value)
    case .atom: return .any
    case .same: return operand(0)
    case .unary: return outcome(Unary(rawValue: value) ?? .not, operand(0))
    case .fold:
      let kind = Fold(rawValue: value) ?? .and
      var result = operand(0)
      for i in 1..<max(count, 1) { result = outcome(kind, result, operand(i)) }
      return result
    case .conditional:
      let branches = branches(of: operand(0))
      var result: OutcomeSet = branches.contains(.fault) ? .fault : []
      if branches.contains(.yes) { result.formUnion(operand(1)) }
      if branches.contains(.no) { result.formUnion(operand(2)) }
      return result
    case .rescue:
      // The second operand replaces some errors.
      return operand(0).contains(.fault) ? operand(0).union(operand(1)) : operand(0)
    case .sequence:
      var result = operand(count - 1)
      for i in 0..<count - 1 where operand(i).contains(.fault) {
        result = operand(i) == .fault ? .fault : result.union(.fault)
      }
      return result
    }
  }

  // MARK: Running

  private static func node(
    _ kind: Unary, _ operands: [ConditionGraph.ID], _ graph: inout ConditionGraph
  ) -> ConditionGraph.ID {
    let origin = ConditionGraph.Origin(source: 0, from: 0, to: 0)
    switch kind {
    case .not: return graph.add(.not, operands[0], at: origin)
    case .holds: return graph.add(.holds, operands[0], at: origin)
    case .truthy: return graph.add(.truthy, operands[0], at: origin)
    case .superscriptTruth:
      return graph.add(
        .call, list: operands, Int(Function.superscriptTruth.rawValue), at: origin)
    }
  }

  private static func node(
    _ kind: Fold, _ operands: [ConditionGraph.ID], _ graph: inout ConditionGraph
  ) -> ConditionGraph.ID {
    let origin = ConditionGraph.Origin(source: 0, from: 0, to: 0)
    switch kind {
    case .and: return graph.add(.and, list: operands, at: origin)
    case .or: return graph.add(.or, list: operands, at: origin)
    case .both: return graph.add(.both, list: operands, at: origin)
    case .firstTruthy: return graph.add(.firstTruthy, list: operands, at: origin)
    }
  }

  /// Values for each outcome. The results of several values are united.
  private static func representatives(_ outcome: Int) -> [Cell] {
    switch OutcomeSet(number: outcome) {
    case .true: [.true]
    case .false: [.false]
    case .null: [.null]
    // NaN counts as true in superscript, but as false in JavaScript.
    case .truthy: [Cell(Int64(7)), Cell(Double.nan)]
    case .falsy:
      [Cell(Int64(0)), .emptyText, Cell(tag: Tag.list, count: 0, at: nil)]
    default: [.missing]
    }
  }

  /// The outcomes of a node for every combination of single outcomes of its operands.
  private static func run(
    _ count: Int,
    _ make: ([ConditionGraph.ID], inout ConditionGraph) -> ConditionGraph.ID
  ) -> [OutcomeSet] {
    let program = program(count, make)
    var frame = Frame(for: program)
    var results: [OutcomeSet] = []
    for combination in 0..<(count == 1 ? OutcomeSet.count : OutcomeSet.count * OutcomeSet.count) {
      let first = count == 1 ? combination : combination / OutcomeSet.count
      var result: OutcomeSet = []
      for a in representatives(first) {
        for b in count == 1 ? [.null] : representatives(combination % OutcomeSet.count) {
          frame.slots[0] = a
          if count > 1 { frame.slots[1] = b }
          result.formUnion(OutcomeSet(program.condition(program.entries[0], in: &frame)))
        }
      }
      results.append(result)
    }
    return results
  }

  private static func testBranches() -> [Branches] {
    let program = program(3) { operands, graph in
      graph.add(
        .conditional, operands[0], operands[1], operands[2],
        at: ConditionGraph.Origin(source: 0, from: 0, to: 0))
    }
    var frame = Frame(for: program)
    frame.slots[1] = Cell(Int64(1))
    frame.slots[2] = Cell(Int64(2))
    return (0..<OutcomeSet.count).map { outcome in
      representatives(outcome).reduce(into: []) { branches, cell in
        frame.slots[0] = cell
        let result = program.condition(program.entries[0], in: &frame)
        branches.formUnion(
          result.tag != Tag.int ? .fault : result.intValue == 1 ? .yes : .no)
      }
    }
  }

  private static func program(
    _ count: Int, _ make: ([ConditionGraph.ID], inout ConditionGraph) -> ConditionGraph.ID
  ) -> Program {
    var graph = ConditionGraph()
    let origin = ConditionGraph.Origin(source: 0, from: 0, to: 0)
    let operands = (0..<count).map { number in
      graph.add(
        .slot, graph.slots.slot(["user", "\(number)"], isPresenceOnly: false), at: origin)
    }
    let root = make(operands, &graph)
    return Program(
      GraphCopy(graph: graph, roots: [root]), patterns: [], patternOf: [:],
      environment: ExpressionEnvironment(), sources: [""])
  }

  /// The outcomes for sets of outcomes, computed from the outcomes for single ones.
  private static func closed(_ single: [OutcomeSet]) -> [OutcomeSet] {
    (0..<64).map { set in
      OutcomeSet(rawValue: UInt8(set)).numbers.reduce(into: []) { $0.formUnion(single[$1]) }
    }
  }
}

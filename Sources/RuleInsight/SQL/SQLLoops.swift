internal import Expressions
internal import RuleEngine

/// Loops over lists in SQL.
extension SQLTranslator {
  private static let mostRounds = 32

  /// `all`, `exists` and `exists_one`.
  mutating func loop(_ id: ConditionGraph.ID, _ node: ConditionGraph.Node) throws(SQLRefusal)
    -> SQLOutcome
  {
    let parts = operands(id)
    let kind = ConditionGraph.LoopKind(
      rawValue: node.b % ConditionGraph.LoopKind.twoVariables)
    let hasTwo = node.b & ConditionGraph.LoopKind.twoVariables != 0
    guard let kind, !hasTwo, kind == .all || kind == .exists || kind == .existsOne else {
      throw SQLRefusal("it makes a list or a map in a loop")
    }
    let failsAtOnce = node.b & ConditionGraph.LoopKind.failsAtOnce != 0
    let range = try value(parts[0])
    var all: [(SQLCondition, SQLOutcome)] = []
    for part in range.cases {
      let outcome: SQLOutcome
      switch part.value {
      case .fault(let fault): outcome = SQLOutcome(fault: fault)
      case .constant(let cell) where cell.tag == Tag.list:
        guard failsAtOnce, cell.outsideCount <= Self.mostRounds else {
          throw SQLRefusal("it loops over a long list")
        }
        outcome = try rounds(kind, Array(cell.elements), parts[1], node.c)
      case .constant(let cell) where cell.tag == Tag.map:
        throw SQLRefusal("it loops over a map")
      case .list(let list): outcome = try quantified(kind, list, parts[1], node.c)
      case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
      case .text, .integer, .number, .double, .time, .span, .constant:
        outcome = SQLOutcome(fault: .noSuchOverload)
      }
      all.append((part.when, outcome))
    }
    return SQLOutcome(choosing: all)
  }

  /// A loop over a constant list, round by round.
  private mutating func rounds(
    _ kind: ConditionGraph.LoopKind, _ elements: [Cell], _ body: ConditionGraph.ID, _ level: UInt32
  ) throws(SQLRefusal) -> SQLOutcome {
    guard kind != .existsOne else { throw SQLRefusal("it counts in a loop") }
    let before = locals[level]
    defer { locals[level] = before }
    var result = SQLOutcome(kind == .all)
    for element in elements.reversed() {
      locals[level] = SQLCell(.constant(element))
      let outcome = try test(body)
      let rest = result
      let (yes, no) = kind == .all ? (rest, SQLOutcome(false)) : (SQLOutcome(true), rest)
      result = SQLOutcome(
        choosing: [(outcome.yes, yes), (outcome.no, no)]
          + outcome.faults.map { ($0.when, SQLOutcome(fault: $0.kind)) })
    }
    return result
  }

  /// A loop over a list of strings whose body cannot fail.
  private mutating func quantified(
    _ kind: ConditionGraph.LoopKind, _ list: SQLExpression, _ body: ConditionGraph.ID,
    _ level: UInt32
  ) throws(SQLRefusal) -> SQLOutcome {
    let before = locals[level]
    defer { locals[level] = before }
    loops += 1
    let variable = "element\(loops)"
    let isNull = SQLCondition.atom(.isNull(variable), true)
    let element = SQLExpression(text: variable, columns: [variable])
    locals[level] = SQLCell(
      [(isNull, .constant(.null))]
        + cases(of: element, .text, variable).map { (.all(of: [!isNull, $0.0]), $0.1) })
    let outcome = try test(body)
    guard outcome.faults.isEmpty else {
      throw SQLRefusal("it loops over a list, and may fail for an element")
    }
    let counted = database.filtered(
      list.text, variable, kind == .all ? outcome.no.text : outcome.yes.text)
    let count = database.listCount(counted)
    let test = kind == .all ? "= 0" : kind == .exists ? "> 0" : "= 1"
    return SQLOutcome(.atom(.predicate("\(count) \(test)", columns: []), true))
  }
}

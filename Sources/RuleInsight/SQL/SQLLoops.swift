internal import Expressions
internal import RuleEngine

/// Loops over lists in SQL.
extension SQLTranslator {
  private static let mostRounds = 32

  /// Writes `all`, `exists` and `exists_one`.
  mutating func loop(_ id: ConditionGraph.ID, _ node: ConditionGraph.Node) throws(SQLRefusal)
    -> SQLOutcome
  {
    let parts = operands(id)
    let kind = ConditionGraph.LoopKind(
      rawValue: node.b % ConditionGraph.LoopKind.twoVariables)
    let hasTwo = node.b & ConditionGraph.LoopKind.twoVariables != 0
    guard let kind, !hasTwo, kind == .all || kind == .exists || kind == .existsOne else {
      throw SQLRefusal("the condition makes a list or a map in a loop")
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
          throw SQLRefusal("the condition loops over a long list")
        }
        outcome = try rounds(kind, Array(cell.elements), parts[1], node.c)
      case .constant(let cell) where cell.tag == Tag.map:
        throw SQLRefusal("the condition loops over a map")
      case .list(let list):
        outcome = try quantified(kind, list, parts[1], node.c, failsAtOnce: failsAtOnce)
      case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
      case .text, .integer, .unsigned, .number, .double, .time, .span, .constant:
        outcome = SQLOutcome(fault: .noSuchOverload)
      }
      all.append((part.when, outcome))
    }
    return SQLOutcome(choosing: all)
  }

  /// Writes a loop over a constant list, element by element.
  private mutating func rounds(
    _ kind: ConditionGraph.LoopKind, _ elements: [Cell], _ body: ConditionGraph.ID, _ level: UInt32
  ) throws(SQLRefusal) -> SQLOutcome {
    guard kind != .existsOne else { throw SQLRefusal("the condition counts in a loop") }
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

  /// Adds the variable of a loop over a list of strings.
  private mutating func enter(_ level: UInt32) throws(SQLRefusal) -> String {
    loops += 1
    let variable = "element\(loops)"
    let isNull = SQLCondition.atom(.isNull(variable), true)
    let element = SQLExpression(text: variable, columns: [variable])
    locals[level] = SQLCell(
      [(isNull, nullElement)]
        + (try cases(of: element, .text, variable)).map { (.all(of: [!isNull, $0.0]), $0.1) })
    return variable
  }

  private func atom(_ text: String) -> SQLCondition {
    .atom(.predicate(text, columns: []), true)
  }

  /// Writes a loop of CEL whose body may fail. An element that decides the result takes precedence
  /// over errors of other elements.
  private func absorbed(
    _ kind: ConditionGraph.LoopKind, _ list: SQLExpression, _ variable: String,
    _ outcome: SQLOutcome
  ) throws(SQLRefusal) -> SQLOutcome {
    func count(_ condition: SQLCondition) -> String {
      database.listCount(database.filtered(list.text, variable, condition.text))
    }
    let fails = atom("\(count(.any(of: outcome.faults.map(\.when)))) > 0")
    let decides: SQLCondition
    switch kind {
    case .existsOne:
      let isOne = atom("\(count(outcome.yes)) = 1")
      return SQLOutcome(
        yes: .all(of: [isOne, !fails]), no: .all(of: [!isOne, !fails]),
        faults: [(.noSuchOverload, fails)])
    case .all: decides = atom("\(count(outcome.no)) > 0")
    default: decides = atom("\(count(outcome.yes)) > 0")
    }
    let others = SQLCondition.all(of: [!decides, !fails])
    return SQLOutcome(
      yes: kind == .all ? others : decides, no: kind == .all ? decides : others,
      faults: [(.noSuchOverload, .all(of: [fails, !decides]))])
  }

  /// Writes a loop of superscript whose body may fail. The first element that decides the result or
  /// fails ends the loop.
  private func searched(
    _ kind: ConditionGraph.LoopKind, _ list: SQLExpression, _ variable: String,
    _ outcome: SQLOutcome
  ) throws(SQLRefusal) -> SQLOutcome {
    let decides = kind == .all ? outcome.no : outcome.yes
    let codes = [(decides, 1)] + outcome.faults.enumerated().map { ($1.when, $0 + 2) }
    guard let found = database.codes(list.text, variable, codes.map { ($0.text, $1) }) else {
      throw SQLRefusal("the condition loops over a list, and may fail for an element")
    }
    func code(_ place: Int, _ code: Int) -> SQLCondition {
      atom("COALESCE(\(database.element(place, of: found)), 0) = \(code)")
    }
    guard kind == .existsOne else {
      let (one, none) = (code(0, 1), code(0, 0))
      return SQLOutcome(
        yes: kind == .all ? none : one, no: kind == .all ? one : none,
        faults: outcome.faults.enumerated().map { ($1.kind, code(0, $0 + 2)) })
    }
    // A second matching element decides the result, too.
    let first = code(0, 1)
    return SQLOutcome(
      yes: .all(of: [first, code(1, 0)]),
      no: .any(of: [code(0, 0), .all(of: [first, code(1, 1)])]),
      faults: outcome.faults.enumerated().map { place, fault in
        (
          fault.kind,
          .any(of: [code(0, place + 2), .all(of: [first, code(1, place + 2)])])
        )
      })
  }

  /// Writes `filter`: the strings of a list for which the body is true.
  mutating func kept(_ id: ConditionGraph.ID, _ node: ConditionGraph.Node) throws(SQLRefusal)
    -> SQLCell
  {
    let parts = operands(id)
    let flags = ConditionGraph.LoopKind.failsAtOnce
    let isFilter =
      node.b & ~flags == ConditionGraph.LoopKind.map.rawValue && parts.count == 3
      && self.node(parts[2]).kind == .local && self.node(parts[2]).a == node.c
    guard isFilter else { throw SQLRefusal("the condition makes a list or a map in a loop") }
    let range = try value(parts[0])
    var cells: [(SQLCondition, SQLValue)] = []
    for part in range.cases {
      switch part.value {
      case .fault: cells.append((part.when, part.value))
      case .list(let list):
        let before = locals[node.c]
        defer { locals[node.c] = before }
        let variable = try enter(node.c)
        let outcome = try test(parts[1])
        guard outcome.faults.isEmpty else {
          throw SQLRefusal("the condition loops over a list, and may fail for an element")
        }
        let text = database.filtered(list.text, variable, outcome.yes.text)
        cells.append((part.when, .list(SQLExpression(text: text, columns: list.columns))))
      case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
      case .constant(let cell) where cell.tag == Tag.list || cell.tag == Tag.map:
        throw SQLRefusal("the condition makes a list or a map in a loop")
      case .text, .integer, .unsigned, .number, .double, .time, .span, .constant:
        cells.append((part.when, .fault(.noSuchOverload)))
      }
    }
    return SQLCell(cells)
  }

  /// Writes a loop over a list of strings.
  private mutating func quantified(
    _ kind: ConditionGraph.LoopKind, _ list: SQLExpression, _ body: ConditionGraph.ID,
    _ level: UInt32, failsAtOnce: Bool
  ) throws(SQLRefusal) -> SQLOutcome {
    let before = locals[level]
    defer { locals[level] = before }
    let variable = try enter(level)
    let outcome = try test(body)
    guard outcome.faults.isEmpty else {
      return try failsAtOnce
        ? searched(kind, list, variable, outcome) : absorbed(kind, list, variable, outcome)
    }
    let counted = database.filtered(
      list.text, variable, kind == .all ? outcome.no.text : outcome.yes.text)
    let count = database.listCount(counted)
    let test = kind == .all ? "= 0" : kind == .exists ? "> 0" : "= 1"
    return SQLOutcome(.atom(.predicate("\(count) \(test)", columns: []), true))
  }
}

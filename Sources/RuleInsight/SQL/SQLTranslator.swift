internal import Expressions
internal import RuleEngine

/// Translates the conditions of a rule set to SQL.
///
/// The translator walks the graph that the machine's program was compiled from. A part of a condition becomes a list of
/// possible values, each with its condition. Missing attributes, errors and coercions are therefore explicit, and SQL's
/// NULL never decides. A part without an exact form in SQL throws a ``SQLRefusal``.
struct SQLTranslator {
  let database: SQLDatabase
  let ruleSet: RuleSet
  /// The columns of the attributes, by slot.
  let columns: SQLColumns
  /// The time and time zone in which the query decides.
  let clock: HistoryClock
  /// Whether a rule depends on the clock.
  var readsClock = false
  /// The answers to questions about events for users without events, by slot; nil if such questions
  /// are refused.
  private let answers: [Int: Cell]?
  /// The expressions that the query computes before the conditions, in a separate table.
  private(set) var facts: [(name: String, text: String)] = []
  private var known: [ConditionGraph.ID: SQLCell] = [:]
  /// Columns that no rule reads, but that other attributes are derived from, by path.
  var optional: [String: SQLColumn] = [:]
  /// The values of loop variables, by nesting level.
  var locals: [UInt32: SQLCell] = [:]
  /// The number of loops over lists so far, for unique variable names.
  var loops = 0

  /// The maximum size of a condition. Larger conditions are refused.
  static let mostAtoms = 4_000

  var binding: ValueBinding { ruleSet.program.storage.binding }

  /// - Parameter ignoresHistory: whether the query is for users without events.
  init(
    _ ruleSet: RuleSet, _ database: SQLDatabase, _ columns: SQLColumns, clock: HistoryClock,
    ignoresHistory: Bool
  ) {
    self.ruleSet = ruleSet
    self.database = database
    self.columns = columns
    self.clock = clock
    guard ignoresHistory else {
      answers = nil
      return
    }
    var frame = Frame(for: ruleSet.program)
    let found = ruleSet.answersWithoutEvents(at: clock, in: &frame)
    answers = Dictionary(
      found.filter { !$0.cell.pointsOutside }.map { ($0.slot, $0.cell) },
      uniquingKeysWith: { first, _ in first })
  }

  /// A column for an expression that is used several times.
  mutating func fact(_ text: String) -> SQLExpression {
    let place = facts.firstIndex { $0.text == text } ?? facts.count
    if place == facts.count { facts.append(("fact_\(place + 1)", text)) }
    let name = database.identifier(facts[place].name)
    return SQLExpression(text: name, columns: [name])
  }

  /// The condition under which a rule matches.
  mutating func condition(of entry: Program.Entry) throws(SQLRefusal) -> SQLCondition {
    let root = ruleSet.program.storage.rootNodes[entry.source]
    do throws(SQLRefusal) {
      return try test(root).yes
    } catch {
      guard let isTrue = constantTruth(root, entry) else { throw error }
      return isTrue ? .always : .never
    }
  }

  /// Whether a rule that reads nothing matches; nil for other rules.
  private func constantTruth(_ root: ConditionGraph.ID, _ entry: Program.Entry) -> Bool? {
    let program = ruleSet.program
    guard program.storage.graph.slots(below: root).isEmpty else { return nil }
    let calls = program.storage.graph.nodes(below: root).contains {
      let function = self.function($0)
      return node($0).kind == .call && (function == .custom || function == .answerFor)
    }
    if calls { return nil }
    var frame = Frame(for: program)
    guard let value = try? program.evaluate(entry, in: &frame) else { return false }
    return value == .bool(true)
  }

  // MARK: The graph

  func node(_ id: ConditionGraph.ID) -> ConditionGraph.Node { ruleSet.program.storage.graph[id] }

  func operands(_ id: ConditionGraph.ID) -> [ConditionGraph.ID] {
    ruleSet.program.storage.graph.operands(of: id)
  }

  func function(_ id: ConditionGraph.ID) -> Function? {
    ruleSet.program.storage.graph.function(id)
  }

  func constant(_ id: ConditionGraph.ID) -> Cell? { ruleSet.program.storage.graph.constant(id) }

  func cell(at place: UInt32) -> Cell { ruleSet.program.storage.graph.constants.cells[Int(place)] }

  // MARK: Values

  /// The values that a part of a condition evaluates to.
  mutating func value(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLCell {
    if let known = known[id] { return known }
    let cell = try computed(id)
    let size = cell.cases.reduce(0) { $0 + $1.when.size }
    guard size <= Self.mostAtoms else {
      throw SQLRefusal("the condition is too long in SQL")
    }
    if locals.isEmpty { known[id] = cell }
    return cell
  }

  private mutating func computed(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLCell {
    let node = node(id)
    let (a, b) = (Int(node.a), Int(node.b))
    switch node.kind {
    case .constant:
      let cell = cell(at: node.a)
      return SQLCell(cell.isValue ? .constant(cell) : .fault(Self.absence(of: cell)))
    case .slot: return try slot(a)
    case .slotOrNull: return try rescued(slot(a), FaultSet.missing, SQLCell(.constant(.null)))
    case .local:
      guard let cell = locals[node.a] else { throw SQLRefusal("the condition defines a variable") }
      return cell
    case .clause: return try value(a)
    case .rescue: return try rescued(value(a), FaultSet(rawValue: node.c), value(b))
    case .orElse: return try rescued(value(a), FaultSet.missing, value(b))
    case .raise:
      let kind = EvaluationError.Kind(rawValue: UInt8(truncatingIfNeeded: node.a))
      return SQLCell(.fault(kind ?? .noSuchOverload))
    case .sequence: return try sequence(operands(id))
    case .conditional: return try conditional(test(a), value(b), value(Int(node.c)))
    case .firstTruthy: return try firstTruthy(operands(id))
    case .arithmetic: return try arithmetic(id, node)
    case .negate: return try negated(value(a))
    case .call where !isTest(id): return try call(id)
    case .loop where !isTest(id): return try kept(id, node)
    case .call, .present, .not, .holds, .and, .or, .equal, .less, .lessOrEqual, .in, .isThere,
      .truthy, .both, .compare, .equalEither, .testCall, .whenThere, .loop:
      return try test(id).cell
    case .add, .subtract, .multiply, .divide, .modulo: return try arithmetic(id, node)
    case .index:
      guard let index = constant(b) else {
        throw SQLRefusal("the condition reads an element at an index that is not constant")
      }
      return try value(a).mapping { value throws(SQLRefusal) in
        try element(index, of: value, outside: .fault(.indexOutOfRange))
      }
    case .select, .hasField, .member, .map, .mapKeepingLast:
      throw SQLRefusal("the condition reads a map")
    case .list, .optionalElement: throw SQLRefusal("the condition makes a list of attributes")
    case .bind: throw SQLRefusal("the condition defines a variable")
    case .filter, .relation, .affirms, .text, .output, .statements, .choose, .assign, .capture,
      .items, .cell, .template, .leave:
      throw SQLRefusal("the expression is a template")
    }
  }

  /// The error of reading a cell that has no value.
  private static func absence(of cell: Cell) -> EvaluationError.Kind {
    switch cell.tag {
    case Tag.notAMap: .noSuchOverload
    case Tag.undeclared: .undeclaredName
    case Tag.unknown: .unknownValue
    default: .noSuchAttribute
    }
  }

  /// The values of an attribute. A missing attribute is an error.
  private mutating func slot(_ slot: Int) throws(SQLRefusal) -> SQLCell {
    let missing = SQLCell(.fault(.noSuchAttribute))
    if let other = columns.clashes[slot], let path = columns.columns[slot]?.column.path {
      throw SQLRefusal("\(database.name) has one column for '\(path)' and '\(other)'")
    }
    if ruleSet.storage.unsent.contains(slot) { return missing }
    if let group = columns.groups[slot] {
      let isThere = SQLCell(.something(group.path))
      return group.column.map { present($0, [(.always, .something(group.path))], or: missing) }
        ?? isThere
    }
    if let answer = answers?[slot] { return SQLCell(.constant(answer)) }
    let isComputed = ruleSet.computed.contains { $0.slot == slot }
    guard let column = columns.columns[slot], answers != nil || !isComputed else {
      let contents = ruleSet.program.storage.graph.slots.contents
      if let path = contents[slot].attribute, !isComputed { throw SQLRefusal("'\(path)' is a map") }
      throw SQLRefusal(
        "the condition depends on the history of events; with --no-history, there is none")
    }
    let kind = column.column.kind
    let other = try derived(column.column.path, kind) ?? missing
    let values =
      kind == .time
      ? time(column.expression)
      : try cases(of: passed(column.expression, kind), kind, column.column.path)
    return present(column.expression, values, or: other)
  }

  /// The value of a NULL element of a list: on iOS an empty map.
  var nullElement: SQLValue {
    .constant(binding.null == .emptyMap ? Cell(tag: Tag.map, count: 0, at: nil) : .null)
  }

  /// The values of a column, or another cell if the column is NULL.
  private func present(
    _ column: SQLExpression, _ values: [(SQLCondition, SQLValue)], or other: SQLCell
  ) -> SQLCell {
    let isNull = SQLCondition.atom(.isNull(column.columns[0]), true)
    return SQLCell(
      other.cases.map { (.all(of: [isNull, $0.when]), $0.value) }
        + values.map { (.all(of: [!isNull, $0.0]), $0.1) })
  }

  func nan(_ number: SQLExpression) -> SQLAtom {
    .predicate(database.isNaN(number.text), columns: number.columns)
  }

  func rescued(_ cell: SQLCell, _ kinds: FaultSet, _ other: SQLCell) throws(SQLRefusal) -> SQLCell {
    try cell.mapping { value throws(SQLRefusal) in
      guard let kind = value.fault, kinds.rawValue >> UInt32(kind.rawValue) & 1 == 1 else {
        return SQLCell(value)
      }
      return other
    }
  }

  private mutating func sequence(_ parts: [ConditionGraph.ID]) throws(SQLRefusal) -> SQLCell {
    var result = try value(parts[parts.count - 1])
    for part in parts.dropLast().reversed() {
      let next = result
      result = try value(part).mapping { value throws(SQLRefusal) in
        value.fault == nil ? next : SQLCell(value)
      }
    }
    return result
  }

  func conditional(_ test: SQLOutcome, _ yes: SQLCell, _ no: SQLCell) throws(SQLRefusal) -> SQLCell
  {
    SQLCell(
      yes.cases.map { (.all(of: [test.yes, $0.when]), $0.value) }
        + no.cases.map { (.all(of: [test.no, $0.when]), $0.value) }
        + test.faults.map { ($0.when, .fault($0.kind)) })
  }

  private mutating func firstTruthy(_ parts: [ConditionGraph.ID]) throws(SQLRefusal) -> SQLCell {
    var result = try value(parts[parts.count - 1])
    for part in parts.dropLast().reversed() {
      let next = result
      result = try value(part).mapping { value throws(SQLRefusal) in
        if value.fault != nil { return SQLCell(value) }
        return try conditional(truth(of: value), SQLCell(value), next)
      }
    }
    return result
  }

  // MARK: Tests

  /// Whether a part always evaluates to a bool or an error.
  func isTest(_ id: ConditionGraph.ID) -> Bool {
    switch node(id).kind {
    case .constant: constant(id)?.tag == Tag.bool
    case .clause: isTest(Int(node(id).a))
    case .conditional: isTest(Int(node(id).b)) && isTest(Int(node(id).c))
    case .loop:
      ConditionGraph.LoopKind(rawValue: node(id).b % ConditionGraph.LoopKind.twoVariables)
        .map { $0 == .all || $0 == .exists || $0 == .existsOne } ?? false
    case .call:
      switch function(id) {
      case .contains, .startsWith, .endsWith, .matches: true
      default: false
      }
    default: node(id).kind.isTest
    }
  }

  /// The outcome of a part whose value must be a bool.
  mutating func test(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLOutcome {
    let outcome = try outcome(id)
    guard outcome.size <= Self.mostAtoms else {
      throw SQLRefusal("the condition is too long in SQL")
    }
    return outcome
  }

  private mutating func outcome(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLOutcome {
    let node = node(id)
    let a = Int(node.a)
    switch node.kind {
    case .present: return try isThere(slot(a))
    case .isThere: return try isThere(value(a))
    case .not: return try test(a).negated
    case .holds:
      let inner = try test(a)
      return SQLOutcome(yes: inner.yes, no: !inner.yes, faults: [])
    case .clause: return try test(a)
    case .and: return try absorbing(operands(id), isAnd: true)
    case .or: return try absorbing(operands(id), isAnd: false)
    case .both: return try both(operands(id))
    case .conditional where isTest(id):
      let (test, yes) = (try test(a), try self.test(Int(node.b)))
      let no = try self.test(Int(node.c))
      return SQLOutcome(
        choosing: [(test.yes, yes), (test.no, no)]
          + test.faults.map { ($0.when, SQLOutcome(fault: $0.kind)) })
    case .truthy: return try truth(a)
    case .whenThere: return try whenThere(a)
    case .equal, .compare, .equalEither, .in, .less, .lessOrEqual, .testCall:
      return try relation(id)
    case .call where isTest(id): return try textTest(id)
    case .loop: return try loop(id, node)
    default:
      return try value(id).testing { value throws(SQLRefusal) in
        switch value {
        case .constant(let cell) where cell.tag == Tag.bool: SQLOutcome(cell.boolValue)
        case .fault(let kind): SQLOutcome(fault: kind)
        case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
        default: SQLOutcome(fault: .noSuchOverload)
        }
      }
    }
  }

  private func isThere(_ cell: SQLCell) throws(SQLRefusal) -> SQLOutcome {
    try cell.testing { value throws(SQLRefusal) in
      guard let kind = value.fault else { return SQLOutcome(true) }
      return kind == .noSuchAttribute ? SQLOutcome(false) : SQLOutcome(fault: kind)
    }
  }

  /// Writes CEL's `&&` and `||`. An operand that decides the result takes precedence over errors of
  /// other operands.
  private mutating func absorbing(_ parts: [ConditionGraph.ID], isAnd: Bool) throws(SQLRefusal)
    -> SQLOutcome
  {
    var outcomes: [SQLOutcome] = []
    for part in parts {
      let outcome = try test(part)
      outcomes.append(isAnd ? outcome : outcome.negated)
    }
    let no = SQLCondition.any(of: outcomes.map(\.no))
    let yes = SQLCondition.all(of: outcomes.map(\.yes))
    // It does not matter which operand fails, because no expression handles the error.
    let failing = SQLCondition.any(of: outcomes.flatMap { $0.faults.map(\.when) })
    let result = SQLOutcome(
      yes: yes, no: no, faults: [(.noSuchOverload, .all(of: [failing, !no]))])
    return isAnd ? result : result.negated
  }

  /// Writes superscript's `&&`. The first error is the result, whatever the other operands are.
  private mutating func both(_ parts: [ConditionGraph.ID]) throws(SQLRefusal) -> SQLOutcome {
    var result = SQLOutcome(true)
    for part in parts.reversed() {
      let (first, rest) = (try truth(part), result)
      // The condition of each part repeats the parts after it.
      guard rest.size + first.size <= Self.mostAtoms else {
        throw SQLRefusal("the condition is too long in SQL")
      }
      result = SQLOutcome(
        choosing: [
          (first.yes, rest),
          (
            first.no,
            SQLOutcome(yes: .never, no: .any(of: [rest.yes, rest.no]), faults: rest.faults)
          ),
        ] + first.faults.map { ($0.when, SQLOutcome(fault: $0.kind)) })
    }
    return result
  }

  /// Whether the value of a part counts as true.
  private mutating func truth(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLOutcome {
    if isTest(id) { return try test(id) }
    return try value(id).testing { value throws(SQLRefusal) in try truth(of: value) }
  }

  func truth(of value: SQLValue) throws(SQLRefusal) -> SQLOutcome {
    switch value {
    case .constant(let cell): return SQLOutcome(Superscript.isTruthy(cell))
    case .fault(let kind): return SQLOutcome(fault: kind)
    case .text(let text): return SQLOutcome(.atom(equality(text, database.literal("")), false))
    case .integer(let number), .unsigned(let number), .number(let number), .double(let number):
      return SQLOutcome(.atom(equality(number, "0"), false))
    case .list(let list):
      let count = SQLExpression(text: database.listCount(list.text), columns: list.columns)
      return SQLOutcome(.atom(equality(count, "0"), false))
    case .time, .span: throw SQLRefusal("the condition uses a time or a duration as a bool")
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  /// A test whether an expression equals a literal.
  func equality(_ value: SQLExpression, _ literal: String) -> SQLAtom {
    .predicate(
      "\(value.text) = \(literal)", not: "\(value.text) <> \(literal)", columns: value.columns,
      form: .equals(value.text, literal), excludes: [nan(value).text])
  }
}

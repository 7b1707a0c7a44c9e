internal import Expressions
internal import RuleEngine

/// Arithmetic in SQL. In superscript, integers wrap at 64 bits, and doubles combine with any number. In CEL, an
/// overflow is an error, and so is a double with an integer.
extension SQLTranslator {
  private var isCEL: Bool { ruleSet.program.storage.environment.dialect == .cel }

  mutating func arithmetic(_ id: ConditionGraph.ID, _ node: ConditionGraph.Node) throws(SQLRefusal)
    -> SQLCell
  {
    let operation: Superscript.Operator =
      switch node.kind {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      case .divide: .divide
      case .modulo: .modulo
      default: Superscript.Operator(rawValue: UInt8(truncatingIfNeeded: node.c)) ?? .add
      }
    let (left, right) = (try value(Int(node.a)), try value(Int(node.b)))
    return try left.mapping { a throws(SQLRefusal) in
      if a.fault != nil { return SQLCell(a) }
      return try right.mapping { b throws(SQLRefusal) in
        b.fault == nil ? try apply(operation, a, b) : SQLCell(b)
      }
    }
  }

  private func apply(_ operation: Superscript.Operator, _ a: SQLValue, _ b: SQLValue)
    throws(SQLRefusal) -> SQLCell
  {
    for value in [a, b] {
      if case .something(let name) = value {
        throw SQLRefusal("the type of '\(name)' is not known")
      }
    }
    if let first = try textOperand(a), let second = try textOperand(b) {
      guard operation == .add else { return SQLCell(.fault(.noSuchOverload)) }
      return SQLCell(
        .text(
          SQLExpression(
            text: "(\(first.text) || \(second.text))", columns: first.columns + second.columns)))
    }
    if isCEL, [a, b].contains(where: \.isTime) {
      throw SQLRefusal("the condition computes with times")
    }
    if case .time(let first) = a, let second = time(b) {
      guard operation == .subtract else { throw SQLRefusal("the condition computes with times") }
      return SQLCell(
        .span(
          SQLExpression(
            text: "(\(first.text) - \(second.text))", columns: first.columns + second.columns)))
    }
    let kinds = [kind(of: a), kind(of: b)]
    guard let first = kinds[0], let second = kinds[1] else {
      return SQLCell(.fault(.noSuchOverload))
    }
    switch (first, second) {
    case (.other, _), (_, .other):
      throw SQLRefusal("the condition computes with lists, maps or times")
    case (.integer, .integer): return try integers(operation, a, b)
    case (.unsigned, .unsigned): return try unsigned(operation, a, b)
    case (.integer, .unsigned), (.unsigned, .integer): return SQLCell(.fault(.noSuchOverload))
    case (.double, .double) where isCEL && operation != .modulo: return try doubles(operation, a, b)
    case (.double, .integer), (.integer, .double), (.double, .double):
      return isCEL ? SQLCell(.fault(.noSuchOverload)) : try doubles(operation, a, b)
    case (.double, _) where !isCEL, (_, .double) where !isCEL:
      return try doubles(operation, a, b)
    default:
      throw SQLRefusal("the condition computes with a number that may be an integer or a double")
    }
  }

  private enum NumberKind { case integer, unsigned, double, either, other }

  /// The numeric kind of a value; nil for values that have no arithmetic.
  private func kind(of value: SQLValue) -> NumberKind? {
    switch value {
    case .integer: return .integer
    case .unsigned: return .unsigned
    case .double: return .double
    case .number: return .either
    case .time, .span, .list: return .other
    case .text, .fault, .something: return nil
    case .constant(let cell):
      switch cell.tag {
      case Tag.int: return .integer
      case Tag.double: return .double
      case Tag.uint, Tag.list, Tag.map, Tag.timestamp, Tag.duration, Tag.bytes: return .other
      default: return nil
      }
    }
  }

  private func time(_ value: SQLValue) -> SQLExpression? {
    if case .time(let time) = value { return time }
    guard let cell = value.cell, cell.tag == Tag.timestamp,
      let text = try? literal(cell.timestampValue)
    else { return nil }
    return SQLExpression(text: text, columns: [])
  }

  // MARK: Integers

  private func integers(_ operation: Superscript.Operator, _ a: SQLValue, _ b: SQLValue)
    throws(SQLRefusal) -> SQLCell
  {
    guard let first = try numberOperand(a), let second = try numberOperand(b) else {
      return SQLCell(.fault(.noSuchOverload))
    }
    let columns = first.columns + second.columns
    let left = "CAST(\(first.text) AS \(database.wideType))"
    let right = "CAST(\(second.text) AS \(database.wideType))"
    switch operation {
    case .add: return fitted("\(left) + \(right)", columns)
    case .subtract: return fitted("\(left) - \(right)", columns)
    case .multiply: return fitted("\(left) * \(right)", columns)
    case .divide, .modulo: break
    }
    func result(_ left: String, _ right: String) -> SQLValue {
      let text =
        operation == .divide ? database.quotient(left, right) : database.remainder(left, right)
      return .integer(SQLExpression(text: "(\(text))", columns: columns))
    }
    let byZero = SQLValue.fault(operation == .divide ? .divisionByZero : .moduloByZero)
    if let divisor = b.cell {
      if divisor.intValue == 0 { return SQLCell(byZero) }
      // Only the smallest integer divided by -1 overflows.
      if divisor.intValue != -1 { return SQLCell(result(first.text, second.text)) }
    }
    if database == .spark {
      throw SQLRefusal("Spark has no quotient of integers without errors")
    }
    let isZero = SQLCondition.atom(equality(second, "0"), true)
    let isLeast = SQLCondition.atom(equality(first, database.literal(Int64.min)), true)
    let isMinusOne = SQLCondition.atom(equality(second, database.literal(Int64(-1))), true)
    let overflows = b.cell == nil ? SQLCondition.all(of: [isLeast, isMinusOne]) : isLeast
    let mayBeZero = b.cell == nil
    return SQLCell([
      (mayBeZero ? isZero : .never, byZero),
      (overflows, .fault(.overflow)),
      (
        .all(of: [mayBeZero ? !isZero : .always, !overflows]),
        result(left, mayBeZero ? "NULLIF(\(right), 0)" : right)
      ),
    ])
  }

  /// Unsigned integers wrap, too.
  private func unsigned(_ operation: Superscript.Operator, _ a: SQLValue, _ b: SQLValue)
    throws(SQLRefusal) -> SQLCell
  {
    guard let first = a.number, let second = b.number else {
      return SQLCell(.fault(.noSuchOverload))
    }
    let columns = first.columns + second.columns
    // In these databases no type has room for the product.
    if operation == .multiply, database == .snowflake || database == .spark {
      throw SQLRefusal("\(database.name) has no product of unsigned integers")
    }
    let type = database == .duckdb ? "UHUGEINT" : database.wideType
    let (left, right) = ("CAST(\(first.text) AS \(type))", "CAST(\(second.text) AS \(type))")
    let range =
      database == .duckdb
      ? "CAST(18446744073709551616 AS UHUGEINT)" : database.wideLiteral("18446744073709551616")
    func result(_ text: String) -> SQLValue {
      .unsigned(SQLExpression(text: "(\(text))", columns: columns))
    }
    switch operation {
    case .add: return SQLCell(result(database.remainder("(\(left) + \(right))", range)))
    case .subtract:
      return SQLCell(result(database.remainder("(\(left) + \(range) - \(right))", range)))
    case .multiply: return SQLCell(result(database.remainder("(\(left) * \(right))", range)))
    case .divide, .modulo:
      let isZero = SQLCondition.atom(equality(second, "0"), true)
      let divisor = "NULLIF(\(right), 0)"
      let text =
        operation == .divide
        ? database.quotient(left, divisor) : database.remainder(left, divisor)
      return SQLCell([
        (isZero, .fault(operation == .divide ? .divisionByZero : .moduloByZero)),
        (!isZero, result(text)),
      ])
    }
  }

  /// An integer of any size. An integer that does not fit in 64 bits is an error in CEL, and wraps
  /// in superscript.
  private func fitted(_ text: String, _ columns: [String]) -> SQLCell {
    guard isCEL else { return wrapped(text, columns) }
    let range =
      "(\(text)) BETWEEN \(database.wideLiteral("-9223372036854775808")) "
      + "AND \(database.wideLiteral("9223372036854775807"))"
    let fits = SQLCondition.atom(.predicate(range, columns: columns), true)
    return SQLCell([
      (fits, .integer(SQLExpression(text: "(\(text))", columns: columns))),
      (!fits, .fault(.overflow)),
    ])
  }

  /// An integer of any size, wrapped to its low 64 bits.
  private func wrapped(_ text: String, _ columns: [String]) -> SQLCell {
    let range = database.wideLiteral("18446744073709551616")
    let half = database.wideLiteral("9223372036854775808")
    let low = database.remainder("(\(text) + \(half))", range)
    let positive = database.remainder("(\(low) + \(range))", range)
    return SQLCell(.integer(SQLExpression(text: "(\(positive) - \(half))", columns: columns)))
  }

  /// The negative of a value, as in `-value`.
  func negated(_ cell: SQLCell) throws(SQLRefusal) -> SQLCell {
    try cell.mapping { value throws(SQLRefusal) in
      switch value {
      case .fault: return SQLCell(value)
      case .unsigned: return SQLCell(.fault(.noSuchOverload))
      case .integer(let number):
        return fitted("0 - CAST(\(number.text) AS \(database.wideType))", number.columns)
      case .double(let number):
        return SQLCell(.double(SQLExpression(text: "(-\(number.text))", columns: number.columns)))
      case .number where isCEL || binding.longsAreUnsigned || binding.readsNumberTexts:
        throw SQLRefusal("the condition computes with a number that may be an integer or a double")
      case .number(let number):
        // Comparisons have the same result for integers and doubles.
        return SQLCell(
          .double(
            SQLExpression(
              text: "(-CAST(\(number.text) AS \(database.type(.double))))", columns: number.columns)
          ))
      case .constant(let cell) where Tag.int...Tag.double ~= cell.tag:
        throw SQLRefusal("the condition negates a constant")
      case .text, .list, .constant: return SQLCell(.fault(.noSuchOverload))
      case .time, .span: throw SQLRefusal("the condition computes with times")
      case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
      }
    }
  }

  // MARK: Doubles

  private func doubles(_ operation: Superscript.Operator, _ a: SQLValue, _ b: SQLValue)
    throws(SQLRefusal) -> SQLCell
  {
    // These databases report overflows of doubles as errors.
    if database == .postgres || database == .bigquery {
      throw SQLRefusal("\(database.name) has no arithmetic of doubles without errors")
    }
    guard let first = try numberOperand(a), let second = try numberOperand(b) else {
      // If one operand is NaN, the result is NaN.
      return SQLCell(.constant(Cell(Double.nan)))
    }
    let type = database.type(.double)
    func operand(_ value: SQLValue, _ number: SQLExpression) -> String {
      value.cell.map { database.literal($0.nearestDouble) } ?? "CAST(\(number.text) AS \(type))"
    }
    let (left, right) = (operand(a, first), operand(b, second))
    let text: String
    switch operation {
    case .add: text = "(\(left) + \(right))"
    case .subtract: text = "(\(left) - \(right))"
    case .multiply: text = "(\(left) * \(right))"
    case .divide, .modulo:
      guard let divisor = b.cell, divisor.nearestDouble != 0 else {
        throw SQLRefusal("the condition divides by a double that may be 0")
      }
      if operation == .modulo, database == .snowflake {
        throw SQLRefusal("Snowflake has no remainder of doubles")
      }
      text = operation == .divide ? "(\(left) / \(right))" : "(\(left) % \(right))"
    }
    let number = SQLExpression(text: text, columns: first.columns + second.columns)
    let isNaN = SQLCondition.atom(nan(number), true)
    return SQLCell([(isNaN, .constant(Cell(Double.nan))), (!isNaN, .double(number))])
  }
}

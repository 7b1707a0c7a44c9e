internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The conversions that SDKs apply before rules read attributes, in SQL: ``ValueBinding``.
extension SQLTranslator {
  /// The expression of a column after the SDK's conversions of strings and lists.
  func passed(_ column: SQLExpression, _ kind: SQLColumnKind) -> SQLExpression {
    switch kind {
    case .text where binding.dropsDollarSigns:
      SQLExpression(text: database.withoutDollarSigns(column.text), columns: column.columns)
    case .list where binding.dropsDollarSigns:
      SQLExpression(
        text: database.mapped(column.text, "item", database.withoutDollarSigns("item")),
        columns: column.columns)
    case .list where binding.null == .dropped:
      SQLExpression(
        text: database.filtered(column.text, "item", "item IS NOT NULL"), columns: column.columns)
    default: column
    }
  }

  /// The possible values of an expression that is not NULL and not a time.
  func cases(of expression: SQLExpression, _ kind: SQLColumnKind, _ name: String)
    throws(SQLRefusal) -> [(SQLCondition, SQLValue)]
  {
    switch kind {
    case .text: return try texts(expression)
    case .integer: return integers(expression)
    case .number, .double: return numbers(expression, isDouble: kind == .double)
    case .bool:
      let isTrue = SQLCondition.atom(
        .predicate(expression.text, columns: expression.columns), true)
      return [(isTrue, .constant(.true)), (!isTrue, .constant(.false))]
    case .time: return []
    case .list: return [(.always, .list(expression))]
    case .any: return [(.always, .something(name))]
    }
  }

  /// The possible values of a string: strings that name bools become bools, and in some versions,
  /// strings of digits become numbers.
  private func texts(_ text: SQLExpression) throws(SQLRefusal) -> [(SQLCondition, SQLValue)] {
    let others = binding.readsNumberTexts ? try numbers(in: text) : [(.always, .text(text))]
    guard binding.readsBooleanTexts else { return others }
    let isTrue = SQLCondition.atom(equality(text, database.literal("true")), true)
    let isFalse = SQLCondition.atom(equality(text, database.literal("false")), true)
    return [(isTrue, .constant(.true)), (isFalse, .constant(.false))]
      + others.map { (.all(of: [!isTrue, !isFalse, $0.0]), $0.1) }
  }

  /// The possible values of an integer: Kotlin reads longs bit by bit as unsigned integers, and
  /// 32-bit integers unchanged.
  private func integers(_ number: SQLExpression) -> [(SQLCondition, SQLValue)] {
    guard binding.longsAreUnsigned else { return [(.always, .integer(number))] }
    let isInt = SQLCondition.atom(
      .predicate(
        "\(number.text) BETWEEN -2147483648 AND 2147483647", columns: number.columns), true)
    let wide = "CAST(\(number.text) AS \(database.wideType))"
    let range = database.wideLiteral("18446744073709551616")
    let text = "(CASE WHEN \(number.text) < 0 THEN \(wide) + \(range) ELSE \(wide) END)"
    return [
      (isInt, .integer(number)),
      (!isInt, .unsigned(SQLExpression(text: text, columns: number.columns))),
    ]
  }

  private func numbers(_ given: SQLExpression, isDouble: Bool) -> [(SQLCondition, SQLValue)] {
    var number = given
    let isNaN = SQLCondition.atom(nan(number), true)
    if !isDouble, binding.longsAreUnsigned {
      // Only DuckDB distinguishes the two. In other databases the column is a double: SQLColumns.
      let isLong =
        "typeof(\(number.text)) NOT IN ('FLOAT', 'DOUBLE') AND \(number.text) < -2147483648"
      number.text =
        "(CASE WHEN \(isLong) THEN TRY_CAST(\(number.text) AS \(database.wideType)) "
        + "+ 18446744073709551616 ELSE \(number.text) END)"
    }
    guard isDouble, binding.wholeDoublesAreInts else {
      return [
        (isNaN, .constant(Cell(Double.nan))),
        (!isNaN, isDouble ? .double(number) : .number(number)),
      ]
    }
    let test =
      "\(number.text) = \(database.floor(number.text)) AND \(number.text) >= \(database.literal(-0x1p63)) "
      + "AND \(number.text) < \(database.literal(0x1p63))"
    let isWhole = SQLCondition.atom(.predicate(test, columns: number.columns), true)
    let whole = "(CASE WHEN \(test) THEN CAST(\(number.text) AS \(database.type(.integer))) END)"
    return [
      (isNaN, .constant(Cell(Double.nan))),
      (.all(of: [!isNaN, isWhole]), .integer(SQLExpression(text: whole, columns: number.columns))),
      (.all(of: [!isNaN, !isWhole]), .double(number)),
    ]
  }

  // MARK: Strings that are numbers

  /// The value with numbers instead of numeric strings, in versions that convert strings where rules read attributes.
  func numbers(_ cell: SQLCell, keeping: Cell?) throws(SQLRefusal) -> SQLCell {
    guard let keeping, keeping.isText else {
      throw SQLRefusal("a string of the condition may be a number")
    }
    // The empty path, which ends with a zero byte, comes first.
    let keepsOwn = keeping.text.utf8.first == 0
    return try cell.mapping { value throws(SQLRefusal) in
      switch value {
      case .text(let text):
        return SQLCell(keepsOwn ? [(.always, value)] : try numbers(in: text))
      case .constant(let cell) where cell.isText:
        // Strings from the clock contain characters that no number contains.
        return SQLCell(value)
      case .list: throw SQLRefusal("the condition reads a list whose strings may be numbers")
      default: return SQLCell(value)
      }
    }
  }

  /// The possible values of a string: a number if Rust reads it as a number.
  private func numbers(in text: SQLExpression) throws(SQLRefusal) -> [(SQLCondition, SQLValue)] {
    guard database == .duckdb else {
      throw SQLRefusal("this version of the SDK reads strings as numbers")
    }
    func test(_ pattern: String) -> SQLCondition {
      .atom(
        .predicate("regexp_full_match(\(text.text), '\(pattern)')", columns: text.columns), true)
    }
    let isNaN = test(SQLNumbers.nan)
    let isNumber = test(SQLNumbers.pattern)
    let whole = SQLExpression(text: SQLNumbers.whole(text.text), columns: text.columns)
    let isWhole = SQLCondition.atom(
      .predicate("\(whole.text) IS NOT NULL", columns: text.columns), true)
    let double = SQLExpression(text: SQLNumbers.double(text.text), columns: text.columns)
    return [
      (isNaN, .constant(Cell(Double.nan))),
      (.all(of: [!isNaN, isNumber, isWhole]), .number(whole)),
      (.all(of: [!isNaN, isNumber, !isWhole]), .double(double)),
      (.all(of: [!isNaN, !isNumber]), .text(text)),
    ]
  }
}

/// Reads strings that are numbers in DuckDB, which reads some that Rust does not.
enum SQLNumbers {
  static let nan = "[+-]?[nN][aA][nN]"
  static let pattern =
    "[+-]?([0-9]+[.]?[0-9]*([eE][+-]?[0-9]+)?|[.][0-9]+([eE][+-]?[0-9]+)?|[iI][nN][fF]([iI][nN][iI][tT][yY])?)"

  static func double(_ text: String) -> String {
    "(CASE WHEN regexp_full_match(\(text), '\(pattern)') THEN TRY_CAST(\(text) AS DOUBLE) END)"
  }

  /// The 64-bit integer, signed or unsigned, that a string represents or that equals its double; NULL for other
  /// strings.
  static func whole(_ text: String) -> String {
    let integer = "TRY_CAST(\(text) AS HUGEINT)"
    let isInteger =
      "regexp_full_match(\(text), '[+-]?[0-9]+') "
      + "AND \(integer) BETWEEN -9223372036854775808 AND 18446744073709551615"
    let double = double(text)
    let isWhole =
      "\(double) = trunc(\(double)) AND \(double) BETWEEN CAST('-9223372036854775808' AS DOUBLE) "
      + "AND CAST('18446744073709551616' AS DOUBLE)"
    return "(CASE WHEN \(isInteger) THEN \(integer) "
      + "WHEN \(isWhole) THEN LEAST(CAST(\(double) AS HUGEINT), 18446744073709551615) END)"
  }
}

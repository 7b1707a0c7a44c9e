internal import Expressions

/// A database that rules are translated for, and its SQL syntax.
///
/// DuckDB is the reference. All differences of other databases are in this type.
package enum SQLDatabase: String, CaseIterable, Sendable {
  case duckdb, bigquery, snowflake, postgres, spark

  /// The usual name of the database.
  package var name: String {
    switch self {
    case .duckdb: "DuckDB"
    case .bigquery: "BigQuery"
    case .snowflake: "Snowflake"
    case .postgres: "PostgreSQL"
    case .spark: "Spark"
    }
  }

  // MARK: Names and literals

  /// Whether names that differ only in case are the same, even in quotes.
  var ignoresCase: Bool { self == .duckdb || self == .bigquery || self == .spark }

  /// A quoted name.
  func identifier(_ name: String) -> String {
    switch self {
    case .bigquery:
      "`" + name.replacingEach("\\", with: "\\\\").replacingEach("`", with: "\\`") + "`"
    case .spark: "`" + name.replacingEach("`", with: "``") + "`"
    case .duckdb, .snowflake, .postgres: "\"" + name.replacingEach("\"", with: "\"\"") + "\""
    }
  }

  /// A string literal.
  func literal(_ text: String) -> String {
    switch self {
    case .duckdb, .postgres: return "'" + text.replacingEach("'", with: "''") + "'"
    case .bigquery, .snowflake, .spark:
      // Backslashes begin escape sequences.
      let escaped = text.replacingEach("\\", with: "\\\\").replacingEach("'", with: "\\'")
        .replacingEach("\n", with: "\\n").replacingEach("\r", with: "\\r")
      return "'" + escaped + "'"
    }
  }

  func literal(_ number: Int64) -> String {
    if number == .min { return "CAST('\(number)' AS \(type(.integer)))" }
    return number < 0 ? "(\(number))" : "\(number)"
  }

  func literal(_ number: Double) -> String { "CAST('\(number)' AS \(type(.double)))" }

  /// The type of a column.
  package func type(_ kind: SQLColumnKind) -> String {
    switch self {
    case .duckdb:
      ["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "TIMESTAMPTZ", "VARCHAR[]"][kind.place]
    case .bigquery:
      ["STRING", "INT64", "FLOAT64", "BOOL", "TIMESTAMP", "ARRAY<STRING>"][kind.place]
    case .snowflake:
      ["VARCHAR", "NUMBER(19, 0)", "DOUBLE", "BOOLEAN", "TIMESTAMP_TZ", "ARRAY"][kind.place]
    case .postgres:
      ["text", "bigint", "double precision", "boolean", "timestamptz", "text[]"][kind.place]
    case .spark:
      ["STRING", "BIGINT", "DOUBLE", "BOOLEAN", "TIMESTAMP", "ARRAY<STRING>"][kind.place]
    }
  }

  /// An exact type with room for the product of two 64-bit integers.
  var wideType: String {
    switch self {
    case .duckdb: "HUGEINT"
    case .bigquery: "BIGNUMERIC"
    case .snowflake: "NUMBER(38, 0)"
    case .postgres: "numeric"
    case .spark: "DECIMAL(38, 0)"
    }
  }

  // MARK: Functions

  func isNaN(_ number: String) -> String {
    let double = "CAST(\(number) AS \(type(.double)))"
    return switch self {
    case .duckdb, .spark: "isnan(\(double))"
    case .bigquery: "IS_NAN(\(double))"
    case .snowflake, .postgres: "\(double) = CAST('NaN' AS \(type(.double)))"
    }
  }

  func contains(_ text: String, _ part: String) -> String {
    switch self {
    case .duckdb, .snowflake: "contains(\(text), \(part))"
    case .bigquery, .postgres: "strpos(\(text), \(part)) > 0"
    case .spark: "instr(\(text), \(part)) > 0"
    }
  }

  func startsWith(_ text: String, _ part: String) -> String {
    switch self {
    case .duckdb, .bigquery, .postgres: "starts_with(\(text), \(part))"
    case .snowflake, .spark: "startswith(\(text), \(part))"
    }
  }

  func endsWith(_ text: String, _ part: String) -> String {
    switch self {
    case .duckdb, .bigquery: "ends_with(\(text), \(part))"
    case .snowflake, .spark: "endswith(\(text), \(part))"
    case .postgres: "right(\(text), length(\(part))) = \(part)"
    }
  }

  func byteCount(_ text: String) -> String {
    switch self {
    case .duckdb: "strlen(\(text))"
    case .bigquery: "BYTE_LENGTH(\(text))"
    case .snowflake, .postgres, .spark: "octet_length(\(text))"
    }
  }

  /// The number of Unicode code points in a string.
  func characterCount(_ text: String) -> String {
    self == .spark ? "char_length(\(text))" : "length(\(text))"
  }

  /// A string whose order is the order of its bytes.
  func ordered(_ text: String) -> String {
    self == .postgres ? "\(text) COLLATE \"C\"" : text
  }

  /// The quotient of two integers, truncated.
  func quotient(_ a: String, _ b: String) -> String {
    switch self {
    case .duckdb: "\(a) // \(b)"
    case .bigquery: "DIV(\(a), \(b))"
    // Snowflake rounds quotients to six digits.
    case .snowflake: "(\(a) - \(a) % \(b)) / \(b)"
    // `div` accepts integers of any type.
    case .postgres: "div(\(a), \(b))"
    case .spark: "\(a) div \(b)"
    }
  }

  /// An integer that needs more than 64 bits.
  func wideLiteral(_ digits: String) -> String {
    self == .bigquery ? "BIGNUMERIC '\(digits)'" : digits
  }

  func remainder(_ a: String, _ b: String) -> String {
    self == .bigquery ? "MOD(\(a), \(b))" : "\(a) % \(b)"
  }

  func listCount(_ list: String) -> String {
    switch self {
    case .duckdb: "len(\(list))"
    case .bigquery: "ARRAY_LENGTH(\(list))"
    case .snowflake: "ARRAY_SIZE(\(list))"
    case .postgres: "cardinality(\(list))"
    case .spark: "IF(\(list) IS NULL, NULL, size(\(list)))"
    }
  }

  /// Whether a list of strings contains an element. A NULL element does not equal it.
  func listContains(_ list: String, _ element: String) -> String {
    switch self {
    case .duckdb: "list_contains(\(list), \(element))"
    case .bigquery:
      "EXISTS (SELECT 1 FROM UNNEST(\(list)) AS element WHERE element = \(element))"
    case .snowflake: "ARRAY_CONTAINS(CAST(\(element) AS VARIANT), \(list))"
    case .postgres: "COALESCE(\(element) = ANY (\(list)), FALSE)"
    case .spark: "COALESCE(array_contains(\(list), \(element)), FALSE)"
    }
  }

  /// Whether an RE2 pattern matches a part of a string; nil for databases with another regex syntax.
  func matches(_ text: String, _ pattern: String) -> String? {
    switch self {
    case .duckdb: "regexp_matches(\(text), \(pattern))"
    case .bigquery: "REGEXP_CONTAINS(\(text), \(pattern))"
    case .snowflake, .postgres, .spark: nil
    }
  }

  /// A list in which an expression replaces each string.
  func mapped(_ list: String, _ variable: String, _ element: String) -> String {
    switch self {
    case .duckdb: "list_transform(\(list), lambda \(variable): \(element))"
    case .bigquery:
      "ARRAY(SELECT \(element) FROM UNNEST(\(list)) AS \(variable) WITH OFFSET AS place "
        + "ORDER BY place)"
    case .snowflake: "TRANSFORM(\(list), \(variable) VARCHAR -> \(element))"
    case .postgres:
      "ARRAY(SELECT \(element) FROM unnest(\(list)) WITH ORDINALITY AS part(\(variable), place) "
        + "ORDER BY place)"
    case .spark: "transform(\(list), \(variable) -> \(element))"
    }
  }

  func withoutDollarSigns(_ text: String) -> String { "replace(\(text), '$', '')" }

  func floor(_ number: String) -> String { "floor(\(number))" }

  /// The strings of a list for which a condition is true.
  func filtered(_ list: String, _ variable: String, _ condition: String) -> String {
    switch self {
    case .duckdb: "list_filter(\(list), lambda \(variable): \(condition))"
    case .bigquery:
      "ARRAY(SELECT \(variable) FROM UNNEST(\(list)) AS \(variable) WHERE \(condition))"
    case .snowflake: "FILTER(\(list), \(variable) VARCHAR -> \(condition))"
    case .postgres:
      "ARRAY(SELECT \(variable) FROM unnest(\(list)) AS \(variable) WHERE \(condition))"
    case .spark: "filter(\(list), \(variable) -> \(condition))"
    }
  }

  /// The code of the first true condition, for each element of a list for which one is true; nil for databases without
  /// such an expression.
  func codes(_ list: String, _ variable: String, _ cases: [(condition: String, code: Int)])
    -> String?
  {
    let code = "CASE" + cases.map { " WHEN \($0) THEN \($1)" }.joined() + " ELSE 0 END"
    switch self {
    case .duckdb:
      return "list_filter(list_transform(\(list), lambda \(variable): \(code)), "
        + "lambda code_of_\(variable): code_of_\(variable) > 0)"
    case .spark:
      return "filter(transform(\(list), \(variable) -> \(code)), "
        + "code_of_\(variable) -> code_of_\(variable) > 0)"
    case .bigquery, .snowflake, .postgres: return nil
    }
  }

  /// The string at an index of a list, counted from 0; NULL if there is none.
  func element(_ place: Int, of list: String) -> String {
    switch self {
    case .duckdb, .postgres: "\(list)[\(place + 1)]"
    case .bigquery: "\(list)[SAFE_OFFSET(\(place))]"
    case .snowflake: "CAST(GET(\(list), \(place)) AS VARCHAR)"
    case .spark: "get(\(list), \(place))"
    }
  }

  /// A test whether a string is a 64-bit integer, and an expression for the integer.
  func integer(_ text: String) -> (test: String, number: String) {
    let pattern = literal("^[+-]?[0-9]+$")
    switch self {
    case .duckdb:
      let number = "TRY_CAST(\(text) AS BIGINT)"
      return ("regexp_matches(\(text), \(pattern)) AND \(number) IS NOT NULL", number)
    case .bigquery:
      let number = "SAFE_CAST(\(text) AS INT64)"
      return ("REGEXP_CONTAINS(\(text), r'^[+-]?[0-9]+$') AND \(number) IS NOT NULL", number)
    case .snowflake:
      let number = "TRY_CAST(\(text) AS NUMBER(38, 0))"
      return (
        "REGEXP_LIKE(\(text), '[+-]?[0-9]+') AND "
          + "\(number) BETWEEN -9223372036854775808 AND 9223372036854775807", number
      )
    case .postgres:
      let number = "CAST(substring(\(text) FROM '^[+-]?0*[0-9]{1,19}$') AS numeric)"
      return (
        "\(number) BETWEEN -9223372036854775808 AND 9223372036854775807", number
      )
    case .spark:
      let number = "TRY_CAST(\(text) AS BIGINT)"
      return ("\(text) RLIKE '^[+-]?[0-9]+\\\\z' AND \(number) IS NOT NULL", number)
    }
  }

  /// A time in microseconds since 1970.
  func microseconds(_ time: String) -> String {
    switch self {
    case .duckdb: "epoch_us(\(time))"
    case .bigquery: "UNIX_MICROS(\(time))"
    case .snowflake: "DATE_PART(epoch_microsecond, \(time))"
    case .postgres: "CAST(EXTRACT(EPOCH FROM \(time)) * 1000000 AS bigint)"
    case .spark: "unix_micros(\(time))"
    }
  }
}

extension String {
  /// The string with every occurrence of a character replaced.
  func replacingEach(_ character: Unicode.Scalar, with other: String) -> String {
    guard unicodeScalars.contains(character) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar == character { text += other } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}

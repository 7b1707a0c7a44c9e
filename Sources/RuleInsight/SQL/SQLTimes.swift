internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Times in DuckDB, as nanoseconds since 1970. A column contains timestamps with a time zone, or strings in RFC 3339
/// format that the engine reads.
enum SQLTimes {
  /// A time in nanoseconds; NULL if a string is not a time.
  ///
  /// - Parameter isStrict: whether strings need a capital `T` and `Z`, as in CEL.
  static func nanoseconds(_ column: String, isStrict: Bool, dropsDollarSigns: Bool) -> String {
    let whole = "CAST(\(column) AS VARCHAR)"
    let text = dropsDollarSigns ? SQLDatabase.duckdb.withoutDollarSigns(whole) : whole
    let instant =
      "CASE WHEN CAST(\(column) AS VARCHAR) IN ('infinity', '-infinity') "
      + "THEN error('a time is infinite') "
      + "ELSE CAST(epoch_us(TRY_CAST(\(column) AS TIMESTAMPTZ)) AS HUGEINT) * 1000 END"
    return
      "CASE WHEN typeof(\(column)) = 'VARCHAR' THEN \(read(text, isStrict)) ELSE \(instant) END"
  }

  /// Reads a string in RFC 3339 format. Superscript also allows `t`, `z` and a space.
  private static func read(_ text: String, _ isStrict: Bool) -> String {
    let form =
      "'[0-9]{4}-[0-9]{2}-[0-9]{2}[\(isStrict ? "T" : "Tt ")][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?"
      + "([\(isStrict ? "Z" : "Zz")]|[+-][0-9]{2}:[0-9]{2})'"
    let seconds =
      "epoch_us(TRY_CAST(substr(\(text), 1, 10) || ' ' || substr(\(text), 12, 8) AS TIMESTAMP)) "
      + "// 1000000"
    let hours = "TRY_CAST(substr(\(text), -5, 2) AS BIGINT)"
    let minutes = "TRY_CAST(substr(\(text), -2, 2) AS BIGINT)"
    let offset =
      "CASE WHEN right(\(text), 1) IN ('Z', 'z') THEN 0 "
      + "ELSE (CASE substr(\(text), -6, 1) WHEN '-' THEN -1 ELSE 1 END) "
      + "* (\(hours) * 3600 + \(minutes) * 60) END"
    let zoneIsValid =
      "(right(\(text), 1) IN ('Z', 'z') OR (\(hours) < 24 AND \(minutes) < 60))"
    let fraction =
      "CAST(rpad(substr(regexp_extract(\(text), '[.]([0-9]+)', 1), 1, 9), 9, '0') AS BIGINT)"
    let second = "(\(seconds) - \(offset))"
    return "CASE WHEN regexp_full_match(\(text), \(form)) AND substr(\(text), 12, 2) < '24' "
      + "AND \(zoneIsValid) AND \(second) BETWEEN \(first) AND \(last) "
      + "THEN CAST(\(second) AS HUGEINT) * 1000000000 + \(fraction) END"
  }

  /// The first and the last second of the years 1 to 9999.
  private static let first = -62_135_596_800
  private static let last = 253_402_300_799
}

extension SQLTranslator {
  /// The possible values of a column of times.
  mutating func time(_ column: SQLExpression) -> [(SQLCondition, SQLValue)] {
    guard database == .duckdb else {
      let text = database.microseconds(column.text)
      return [(.always, .time(SQLExpression(text: text, columns: column.columns)))]
    }
    let time = fact(
      SQLTimes.nanoseconds(
        column.text, isStrict: ruleSet.program.storage.environment.dialect == .cel,
        dropsDollarSigns: binding.dropsDollarSigns))
    let isNull = SQLCondition.atom(.isNull(time.columns[0]), true)
    return [(isNull, .fault(.conversion)), (!isNull, .time(time))]
  }

  /// A time in the unit of columns.
  func literal(_ time: Timestamp) throws(SQLRefusal) -> String {
    if database == .duckdb {
      return "(CAST(\(time.seconds) AS HUGEINT) * 1000000000 + \(time.nanoseconds))"
    }
    guard time.nanoseconds % 1_000 == 0 else { throw SQLRefusal("a time has nanoseconds") }
    return database.literal(time.seconds * 1_000_000 + Int64(time.nanoseconds / 1_000))
  }

  /// A duration in the unit of columns.
  func literal(nanoseconds: Int64) throws(SQLRefusal) -> String {
    if database == .duckdb { return database.literal(nanoseconds) }
    guard nanoseconds % 1_000 == 0 else { throw SQLRefusal("a duration has nanoseconds") }
    return database.literal(nanoseconds / 1_000)
  }
}

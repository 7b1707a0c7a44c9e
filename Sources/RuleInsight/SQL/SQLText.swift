internal import Expressions
package import RuleEngine

extension SQLPlan {
  /// The query: a row for each user, with a column for each placement and field. Nil if no placement can be expressed
  /// in SQL.
  package func text(fields: [OutcomeField] = OutcomeField.ofChoices) -> String? {
    let translated = placements.filter(\.isTranslated)
    guard !translated.isEmpty else { return nil }
    let subject = names.column(["userId"], database)
    let choices = ["    \(subject)"] + translated.map { choice($0, subject) }
    let conditions = choices.joined(separator: ",\n")
    let used = facts(in: conditions)
    var lines: [String] = []
    var source = optional.isEmpty ? table : "(\(extended))"
    var condition = typeTest()
    for (number, stage) in stages(of: used).enumerated() {
      let columns = stage.map { "    \($0.text) AS \(database.identifier($0.name))" }
      lines.append("\(number == 0 ? "WITH" : "),") facts_\(number + 1) AS (")
      lines += ["  SELECT", "    *,", columns.joined(separator: ",\n"), "  FROM \(source)"]
      lines += condition
      (source, condition) = ("facts_\(number + 1)", [])
    }
    lines.append("\(lines.isEmpty ? "WITH" : "),") choices AS (")
    lines += ["  SELECT", conditions, "  FROM \(source)"] + condition + [")", "SELECT"]
    var results = ["  \(subject)"]
    for placement in translated {
      for field in fields { results.append(result(placement, field)) }
    }
    lines += [results.joined(separator: ",\n"), "FROM choices"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The table, with a column of NULLs for each optional column that is missing.
  private var extended: String {
    let columns = optional.map { column in
      "CAST(NULL AS \(database.type(column.kind))) AS \(names.column(column.names, database))"
    }
    return "SELECT * FROM \(table) UNION ALL BY NAME SELECT \(columns.joined(separator: ", ")) "
      + "WHERE FALSE"
  }

  /// The facts that conditions use, directly or through other facts.
  private func facts(in conditions: String) -> [(name: String, text: String)] {
    var used: [(name: String, text: String)] = []
    var texts = [conditions]
    for fact in facts.reversed() {
      let name = database.identifier(fact.name)
      guard texts.contains(where: { $0.contains(name) }) else { continue }
      used.append(fact)
      texts.append(fact.text)
    }
    return used.reversed()
  }

  /// Facts in stages: each fact only uses facts of earlier stages.
  private func stages(of facts: [(name: String, text: String)]) -> [[(name: String, text: String)]]
  {
    var stages: [[(name: String, text: String)]] = []
    var stageOf: [String: Int] = [:]
    for fact in facts {
      let needed = stageOf.filter { fact.text.contains($0.key) }.map(\.value).max()
      let stage = needed.map { $0 + 1 } ?? 0
      if stage == stages.count { stages.append([]) }
      stages[stage].append(fact)
      stageOf[database.identifier(fact.name)] = stage
    }
    return stages
  }

  /// The number of the choice that a user gets: -1 for no match, NULL for a missing or empty ID.
  private func choice(_ placement: SQLPlacement, _ subject: String) -> String {
    var lines = ["    CASE", "      WHEN COALESCE(\(subject), '') = '' THEN NULL"]
    for (number, choice) in placement.choices.enumerated() {
      lines.append("      WHEN \(choice.when) THEN \(number)")
    }
    lines += ["      ELSE -1", "    END AS \(database.identifier(placement.name))"]
    return lines.joined(separator: "\n")
  }

  private func result(_ placement: SQLPlacement, _ field: OutcomeField) -> String {
    let column = database.identifier(placement.name)
    let name = database.identifier(names.outcome(placement.name, field.rawValue))
    let nobody = OutcomeValues(.noAudienceMatch, audience: nil)
    var lines = ["  CASE \(column)"]
    let all =
      [(-1, nobody)] + placement.choices.enumerated().map { ($0.offset, $0.element.outcome) }
    for (number, outcome) in all {
      guard let value = literal(outcome[field]) else { continue }
      lines.append("    WHEN \(number) THEN \(value)")
    }
    let type = database.type(field.kind == .integer ? .integer : .text)
    guard lines.count > 1 else { return "  CAST(NULL AS \(type)) AS \(name)" }
    return (lines + ["  END AS \(name)"]).joined(separator: "\n")
  }

  private func literal(_ value: Value) -> String? {
    switch value {
    case .string(let text): database.literal(text)
    case .int(let number): database.literal(number)
    default: nil
    }
  }

  /// Tests that fail if a column has a type that the rules do not allow, for databases that can report types.
  private func typeTest() -> [String] {
    guard database == .duckdb else { return [] }
    let tests = (columns + optional).compactMap { column -> String? in
      guard let types = column.kind.duckTypes else { return nil }
      let name = column.names.map { database.identifier($0) }.joined(separator: ".")
      let list = types.map { database.literal($0) }.joined(separator: ", ")
      let message = "the column \(column.names.joined(separator: ".")) must be \(column.type ?? "")"
      return "CASE WHEN typeof(\(name)) IN (\(list)) THEN TRUE "
        + "ELSE error(\(database.literal(message))) END"
    }
    guard let first = tests.first else { return [] }
    return ["  WHERE \(first)"] + tests.dropFirst().map { "    AND \($0)" }
  }
}

extension SQLColumnKind {
  private static let integers = [
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
  ]

  /// The names that DuckDB's `typeof` returns for columns of this kind; nil for any.
  fileprivate var duckTypes: [String]? {
    switch self {
    case .text: ["VARCHAR"]
    case .integer: Self.integers
    case .number: Self.integers + ["UBIGINT", "FLOAT", "DOUBLE"]
    case .double: ["FLOAT", "DOUBLE"]
    case .bool: ["BOOLEAN"]
    case .time: ["TIMESTAMP WITH TIME ZONE", "VARCHAR"]
    case .list: ["VARCHAR[]"]
    case .any: nil
    }
  }
}

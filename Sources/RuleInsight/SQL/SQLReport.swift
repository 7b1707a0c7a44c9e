package import Expressions
internal import RuleEngine

extension SQLPlan {
  /// The query, preceded by comments that describe its input; nil if no placement can be expressed
  /// in SQL.
  package var query: String? {
    text().map { comments.map { "-- \($0)\n" }.joined() + $0 }
  }

  private var comments: [String] {
    var lines = [
      "Paywall decisions for \(database.name). NULL in a column means that the attribute is missing.",
      "Users have no stored variants, occurrences or events.",
      "Columns of \(table):",
      "  \(names.column(["userId"], database)) \(database.type(.text))",
    ]
    for column in columns {
      let name = column.names.map { database.identifier($0) }.joined(separator: ".")
      lines.append("  \(name) \(typeText(column))")
    }
    for column in optional {
      let name = column.names.map { database.identifier($0) }.joined(separator: ".")
      lines.append(
        "The query also reads the column \(name) \(typeText(column)) if the table has it.")
    }
    for path in derived {
      lines.append("The query does not derive \(path) from other columns: fill this column.")
    }
    if let now {
      lines.append(
        "The query decides at \(now.text ?? "\(now.milliseconds) ms"): write another query for another time."
      )
    }
    let left = placements.filter { !$0.isTranslated }.map(\.name)
    if !left.isEmpty { lines.append("Without \(left.joined(separator: ", ")).") }
    return lines.map { line in
      String(line.map { $0.isNewline ? " " : $0 })
    }
  }

  /// The types that are allowed for a column.
  private func typeText(_ column: SQLColumn) -> String {
    guard let type = column.type else { return "of any type" }
    return column.kind == .number ? "\(database.type(.integer)) or \(type)" : type
  }

  /// A summary in words of the audiences that SQL can and cannot express.
  package var summary: String {
    var lines = [
      "SQL covers \(covered) of \(counted(audiences, "audience")) (\(Self.percent(covered, audiences))), "
        + "and \(placements.count(where: \.isTranslated)) of \(counted(placements.count, "placement"))."
    ]
    for placement in placements where !placement.isTranslated {
      lines.append("left out: \(placement.name)")
      for audience in placement.audiences {
        guard let refusal = audience.refusal else { continue }
        lines.append("  audience \(audience.label): \(refusal)")
      }
    }
    return lines.map { DiagnosticText.visible($0) }.joined(separator: "\n")
  }

  private func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private static func percent(_ part: Int, _ whole: Int) -> String {
    whole == 0 ? "100 %" : "\(part * 100 / whole) %"
  }

  /// The plan as JSON.
  package var value: Value {
    .object([
      "database": .string(database.rawValue),
      "table": .string(table),
      "audiences": .object([
        "total": .int(Int64(audiences)), "covered": .int(Int64(covered)),
      ]),
      "columns": .list(
        columns.map { column in
          .object([
            "path": .string(column.path), "names": .list(column.names.map { .string($0) }),
            "kind": .string(column.kind.rawValue),
            "type": column.type.map { .string($0) } ?? .null,
          ])
        }),
      "placements": .list(
        placements.map { placement in
          .object([
            "name": .string(placement.name), "covered": .bool(placement.isTranslated),
            "audiences": .list(
              placement.audiences.map { audience in
                .object([
                  "index": .int(Int64(audience.index)), "name": .string(audience.label),
                  "covered": .bool(audience.refusal == nil),
                  "reason": audience.refusal.map { .string($0) } ?? .null,
                ])
              }),
          ])
        }),
      "sql": query.map { .string($0) } ?? .null,
    ])
  }
}

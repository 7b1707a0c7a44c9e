internal import Expressions
internal import RuleEngine

/// The columns for the attributes of a rule set, by slot.
struct SQLColumns {
  typealias Column = (column: SQLColumn, expression: SQLExpression)

  private(set) var columns: [Int: Column] = [:]
  let names: SQLPlan.Names
  /// Attributes whose column name differs from another one only in case.
  private(set) var clashes: [Int: String] = [:]
  /// Attributes that are maps whose members are columns, and the struct that may be NULL.
  private(set) var groups: [Int: (path: String, column: SQLExpression?)] = [:]

  init(
    _ ruleSet: RuleSet, _ database: SQLDatabase, _ names: SQLPlan.Names,
    _ kinds: [String: SQLColumnKind]
  ) {
    self.names = names
    let schema: ContextSchema =
      ruleSet.format == .superwall ? .superwall(ruleSet.language) : .agentWallie
    let reading = SQLColumnReading(ruleSet, schema: schema)
    let contents = ruleSet.program.storage.graph.slots.contents
    let paths = contents.compactMap(\.attribute)
    for (slot, content) in contents.enumerated() {
      guard let path = content.attribute, path.names.count > 1 else { continue }
      let name = names.column(path.names, database)
      let expression = SQLExpression(text: name, columns: [name])
      let isGroup = paths.contains {
        $0.names.count > path.names.count && $0.names.starts(with: path.names)
      }
      if isGroup {
        groups[slot] = (path.description, names == .structs ? expression : nil)
        continue
      }
      var kind = kinds[path.description] ?? reading.kind(of: slot, path)
      let changesLongs = ruleSet.program.storage.binding.longsAreUnsigned
      // Below -2147483648, integers and doubles are converted differently, and only DuckDB distinguishes them.
      if changesLongs, kind == .number, database != .duckdb { kind = .double }
      let column = SQLColumn(
        path: path.description, names: names.names(of: path.names), kind: kind,
        type: kind == .any ? nil : database.type(kind))
      columns[slot] = (column, expression)
    }
    guard database.ignoresCase else { return }
    for (slot, first) in columns {
      let other = columns.first {
        $0.key != slot
          && $0.value.expression.text.lowercased() == first.expression.text.lowercased()
      }
      if let other { clashes[slot] = other.value.column.path }
    }
  }
}

internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// The tables of a database of outcomes, and the view that joins them.
struct OutcomeTables {
  private let columns: OutcomeColumns
  let isWide: Bool
  /// Whether each decision has its reason in the next column.
  var hasReasons: Bool { columns.hasReasons }
  /// The number of columns per decision.
  var columnsOfDecision: Int { hasReasons ? 2 : 1 }

  init(_ plan: BatchPlan) {
    columns = plan.columns
    isWide = plan.layout == .wide
  }

  var tables: String {
    """
    CREATE TABLE choices (
      id INTEGER PRIMARY KEY, placement TEXT NOT NULL, \(OutcomeField.ofChoices.columns()));
    CREATE TABLE users (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL);

    """ + (isWide ? wide : long) + ErrorTable.tables
  }

  /// The indexes by identity, by decision, and by paywall.
  var indexes: String {
    """
    CREATE INDEX users_by_user_id ON users (user_id);
    CREATE INDEX choices_by_placement ON choices (placement, result);
    CREATE INDEX choices_by_paywall ON choices (paywall);

    """ + (isWide ? "" : "CREATE INDEX decisions_by_choice ON decisions (choice);")
      + ErrorTable.indexes
  }

  /// The statement that inserts one decision, or all decisions of a user if a row is a user.
  var insertion: String {
    let count = 1 + (isWide ? columns.prefixes.count : 1) * columnsOfDecision
    return "INSERT INTO decisions VALUES (\(OutcomeTables.places(count)))"
  }

  private var long: String {
    let reason = hasReasons ? " \(OutcomeColumns.reason) TEXT," : ""
    let shown = hasReasons ? ", \(OutcomeColumns.reason)" : ""
    return """
      CREATE TABLE decisions (
        user INTEGER NOT NULL REFERENCES users, choice INTEGER NOT NULL REFERENCES choices,\(reason)
        PRIMARY KEY (user, choice)) WITHOUT ROWID;
      CREATE VIEW outcomes AS
        SELECT user_id, placement, \(OutcomeField.ofChoices.names())\(shown)\(run)
        FROM decisions JOIN users ON users.id = user JOIN choices ON choices.id = choice;

      """
  }

  /// The tables with one row for each user. SQLite joins at most 64 tables, so each column looks up its choice.
  private var wide: String {
    let choices = columns.prefixes.map { prefix in
      ",\n  \(prefix)_choice INTEGER NOT NULL REFERENCES choices"
        + (hasReasons ? ", \(prefix)_\(OutcomeColumns.reason) TEXT" : "")
    }
    let cells = columns.prefixes.flatMap { prefix in
      columns.fields.map { field in
        switch field {
        case "errors":
          ",\n    (\(OutcomeTables.errors("\(prefix)_choice"))) AS \(prefix)_errors"
        case OutcomeColumns.reason: ",\n    \(prefix)_\(field)"
        default:
          ",\n    (SELECT \(field) FROM choices WHERE id = \(prefix)_choice) AS \(prefix)_\(field)"
        }
      }
    }
    return """
      CREATE TABLE decisions (
        user INTEGER PRIMARY KEY REFERENCES users\(choices.joined()));
      CREATE VIEW outcomes AS
        SELECT user_id\(cells.joined())\(run)
        FROM users JOIN decisions ON decisions.user = users.id;

      """
  }

  /// The errors as in a CSV cell: JSON, or nothing. The order of the joined tables ensures that the choice is looked up
  /// once, not for each error of the user.
  private static func errors(_ choice: String) -> String {
    """
    SELECT json_group_array(json_object(
      'audience', audience, 'clause', clause, 'code', code, 'path', path))
    FROM (SELECT rule_errors.audience, clause, code, path
      FROM choices CROSS JOIN user_errors CROSS JOIN rule_errors ON rule_errors.id = error
      WHERE choices.id = \(choice) AND user_errors.user = users.id
        AND rule_errors.placement = choices.placement ORDER BY 1)
    HAVING count(*) > 0
    """
  }

  /// The columns about the run are in their own table.
  private var run: String {
    columns.ofRun.map { ",\n    (SELECT \($0.name) FROM run) AS \($0.name)" }.joined()
  }

  /// The table of the run, in a complete database.
  var runTable: String {
    "CREATE TABLE run (settings TEXT, counts TEXT"
      + columns.ofRun.map { ", \($0.name) TEXT" }.joined() + ");"
  }

  /// Inserts the only row of the table of the run.
  func insertRun(_ settings: String, _ counts: String, _ database: SQLiteDatabase) throws {
    let texts = [settings, counts] + columns.ofRun.map(\.text)
    try database.rows(
      "INSERT INTO run VALUES (\(OutcomeTables.places(texts.count)))", texts.map { .string($0) })
  }

  static func places(_ count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
  }
}

extension [OutcomeField] {
  /// The names of the fields in SQL, each with a prefix.
  func names(_ prefix: String = "") -> String {
    map { prefix + $0.rawValue }.joined(separator: ", ")
  }

  /// The columns of the fields in the definition of a table.
  func columns(_ prefix: String = "") -> String {
    map { field in
      let type = field.kind == .integer ? "INTEGER" : "TEXT"
      return "\(prefix)\(field.rawValue) \(type)" + (field.isRequired ? " NOT NULL" : "")
    }.joined(separator: ", ")
  }
}

internal import Expressions
internal import RuleEngine

/// The tables of a database with the rules that failed, by user.
///
/// An error that many users have is one row. Errors are numbered in the order in which they first occur.
struct ErrorTable {
  // SAFETY: `BatchErrors` of this process wrote the rows, so lengths and places fit. Keys are
  // copied. Tests: RuleErrorsTests, PrecomputeFilesTests.

  private let placements: [String]
  /// The number of each error, by placement and the error's text.
  private var numbers: [[UInt8]: Int64] = [:]

  static let tables = """
    CREATE TABLE rule_errors (
      id INTEGER PRIMARY KEY, placement TEXT NOT NULL, audience INTEGER NOT NULL,
      clause TEXT NOT NULL, code TEXT NOT NULL, path TEXT);
    CREATE TABLE user_errors (
      user INTEGER NOT NULL REFERENCES users, error INTEGER NOT NULL REFERENCES rule_errors,
      PRIMARY KEY (user, error)) WITHOUT ROWID;
    CREATE VIEW errors AS
      SELECT user_id, placement, audience, clause, code, path
      FROM user_errors JOIN users ON users.id = user JOIN rule_errors ON rule_errors.id = error;
    """

  static let indexes = "CREATE INDEX user_errors_by_error ON user_errors (error);"

  init(placements: [String]) { self.placements = placements }

  /// Inserts the errors of a user, which begin at an offset in `rows`, and advances the offset.
  mutating func write(
    _ rows: UnsafeRawBufferPointer, _ at: inout Int, user: Int64, _ database: SQLiteDatabase
  ) throws {
    let count = ErrorTable.number(rows, &at)
    if count == 0 { return }
    let statement = try database.statement("INSERT INTO user_errors VALUES (?, ?)")
    for _ in 0..<count {
      let start = at
      let placement = ErrorTable.number(rows, &at)
      let length = ErrorTable.number(rows, &at)
      let text = rows[at..<at + length]
      at += length
      let error = try number(of: Array(rows[start..<at]), placement, text, database)
      statement.bind(user, at: 1)
      statement.bind(error, at: 2)
      try statement.run()
    }
  }

  private mutating func number(
    of key: [UInt8], _ placement: Int, _ text: Slice<UnsafeRawBufferPointer>,
    _ database: SQLiteDatabase
  ) throws -> Int64 {
    if let known = numbers[key] { return known }
    let value = try Value.parse(json: Array(text))
    guard let error = RuleError(value) else {
      throw CommandError("an outcome in the database cannot be read", exitCode: Ending.ourFault)
    }
    let columns: [Value] = [
      .string(placements[placement]), .int(Int64(error.audience)), .string(error.clause),
      .string(error.code), error.path.map { .string($0) } ?? .null,
    ]
    // An earlier start of the run may have stored the error.
    let stored = try database.rows(
      """
      SELECT id FROM rule_errors
      WHERE placement = ? AND audience = ? AND clause = ? AND code = ? AND path IS ?
      """, columns)
    let inserted =
      try stored.isEmpty
      ? database.rows(
        """
        INSERT INTO rule_errors (placement, audience, clause, code, path)
        VALUES (?, ?, ?, ?, ?) RETURNING id
        """, columns) : stored
    guard case .int(let number)? = inserted.first?.first else {
      throw CommandError("an error in the database has no number", exitCode: Ending.ourFault)
    }
    numbers[key] = number
    return number
  }

  private static func number(_ rows: UnsafeRawBufferPointer, _ at: inout Int) -> Int {
    defer { at += 4 }
    return Int(UInt32(littleEndian: rows.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
  }
}

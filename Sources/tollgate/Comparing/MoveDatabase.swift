internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// Users that move as an SQLite database: a row for each user and placement, the kinds of moves, and a view that joins
/// them. The complete database replaces an earlier database.
final class MoveDatabase {
  private let path: String
  private let place: FilePlace
  private let new: String
  private let comparison: RuleComparison
  private let database: SQLiteDatabase
  /// The number of kinds that have a row.
  private var kinds = 0

  private static let tables = """
    CREATE TABLE kinds (
      id INTEGER PRIMARY KEY, placement TEXT NOT NULL,
      \(ComparedOutcome.fields.columns("from_")),
      \(ComparedOutcome.fields.columns("to_")),
      reason TEXT NOT NULL, text TEXT NOT NULL);
    CREATE TABLE moves (user_id TEXT NOT NULL, kind INTEGER NOT NULL REFERENCES kinds);
    CREATE VIEW moved AS
      SELECT user_id, placement, \(ComparedOutcome.fields.names("from_")),
        \(ComparedOutcome.fields.names("to_")), reason
      FROM moves JOIN kinds ON kinds.id = kind;
    """

  init(_ path: String, _ comparison: RuleComparison) throws {
    self.path = path
    self.comparison = comparison
    place = FilePlace(path)
    let new = SavedFile.scratch(for: place)
    self.new = new
    if place.kind == .file, try !OutcomeDatabase.isDatabase(path) {
      throw CommandError(
        "--out \(path): a different file already exists; move it, or choose another name")
    }
    OutcomeDatabase.remove(new)
    database = try MoveDatabase.telling(path) {
      let database = try SQLiteDatabase(new)
      try database.execute("PRAGMA synchronous = OFF; BEGIN;" + MoveDatabase.tables)
      return database
    }
  }

  private static func telling<Result>(_ path: String, _ body: () throws -> Result) throws
    -> Result
  {
    do {
      return try body()
    } catch let error as SQLiteDatabase.Failure {
      throw CommandError("cannot write \(path): \(error.message)", exitCode: Ending.unwritten)
    }
  }

  /// Inserts rows in the form that workers write.
  func write(_ rows: [UInt8], kinds numbers: [Int], of sums: ComparisonSums) throws {
    // SAFETY: `MoveLines` of this process wrote the rows, so lengths and places fit. The bytes stay
    // until the statement has run. Tests: DiffCommandTests.everyFormHasTheSameUsers.
    try MoveDatabase.telling(path) {
      try addKinds(sums)
      let insert = try database.statement("INSERT INTO moves VALUES (?, ?)")
      try rows.withUnsafeBytes { rows in
        func number(_ at: Int) -> Int {
          Int(UInt32(littleEndian: rows.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
        }
        var at = 0
        while at < rows.count {
          let (kind, length) = (number(at), number(at + 4))
          at += 8
          insert.bind(borrowed: UnsafeRawBufferPointer(rebasing: rows[at..<at + length]), at: 1)
          insert.bind(Int64(numbers[kind]), at: 2)
          try insert.run()
          at += length
        }
      }
    }
  }

  private func addKinds(_ sums: ComparisonSums) throws(SQLiteDatabase.Failure) {
    while kinds < sums.moved.count {
      let kind = sums.moved[kinds].kind
      let name = comparison.placementNames[comparison.placement(of: kind)]
      let cells = [comparison.from(kind), comparison.to(kind)].flatMap { outcome in
        outcome.values.members(ComparedOutcome.fields).map(\.value)
      }
      let row =
        [.int(Int64(kinds)), .string(name)] + cells
        + [.string(kind.reason.rawValue), .string(comparison.text(kind))]
      try database.rows("INSERT INTO kinds VALUES (\(OutcomeTables.places(row.count)))", row)
      kinds += 1
    }
  }

  /// Puts the complete database in its place.
  func finish() throws {
    try MoveDatabase.telling(path) {
      try database.execute(
        "CREATE INDEX moves_by_user ON moves (user_id);"
          + "CREATE INDEX moves_by_kind ON moves (kind); COMMIT")
    }
    database.close()
    do throws(Errno) {
      SavedFile.takeOver(place, new)
      for suffix in OutcomeDatabase.companions { FileName.remove(place.target + suffix) }
      try FileName.replace(new, place.target)
    } catch {
      OutcomeDatabase.remove(new)
      throw CommandError.cannotWrite(path, error)
    }
  }

  func abandon() {
    database.close()
    OutcomeDatabase.remove(new)
  }
}

import CSQLite
import Expressions
import Testing

@testable import tollgate

@Suite struct SQLiteDatabaseTests {
  private func database() throws -> (TestFolder, SQLiteDatabase) {
    let folder = try TestFolder()
    return (folder, try SQLiteDatabase(folder.path("a.sqlite")))
  }

  @Test func valuesComeBack() throws {
    let database = try SQLiteDatabase(":memory:")
    try database.execute("CREATE TABLE t (a, b)")
    let values: [Value] = [
      .null, .int(.min), .double(0.1), "", "caf\u{E9} \u{1F468}", "before\0behind", .bytes([]),
    ]
    for value in values.dropLast() {
      try database.rows("INSERT INTO t VALUES (?, ?)", [value, true])
    }
    try database.execute("INSERT INTO t VALUES (x'', 1)")
    #expect(try database.rows("SELECT * FROM t") == values.map { [$0, 1] })
    #expect(try database.rows("SELECT a FROM t WHERE a = ?", [""]) == [[""]])
  }

  /// Text that is borrowed may be empty, which is not null, and need not end with a zero.
  @Test func borrowedText() throws {
    let database = try SQLiteDatabase(":memory:")
    try database.execute("CREATE TABLE t (a TEXT NOT NULL)")
    let statement = try database.statement("INSERT INTO t VALUES (?)")
    for text in ["abc", "", "d"] {
      try Array((text + "xyz").utf8).withUnsafeBytes {
        statement.bind(borrowed: UnsafeRawBufferPointer(rebasing: $0[..<text.utf8.count]), at: 1)
        try statement.run()
      }
    }
    statement.bind(borrowed: UnsafeRawBufferPointer(start: nil, count: 0), at: 1)
    try statement.run()
    #expect(try database.rows("SELECT a FROM t") == [["abc"], [""], ["d"], [""]])
  }

  @Test func failuresAreTold() throws {
    let (folder, database) = try database()
    #expect(throws: SQLiteDatabase.Failure.self) { try SQLiteDatabase(folder.path("no/b.sqlite")) }
    func message(_ body: () throws -> Void) -> String {
      do {
        try body()
        return ""
      } catch {
        return (error as? SQLiteDatabase.Failure)?.message ?? "\(error)"
      }
    }
    #expect(message { try database.execute("SELEC 1") } == "near \"SELEC\": syntax error")
    #expect(message { try database.rows("SELECT * FROM t") } == "no such table: t")
    #expect(message { try database.rows("SELECT ?", [[1]]) } == "a database takes no list")
    #expect(message { try database.rows("SELECT 1", [1]) } == "column index out of range")
    #expect(
      message { try database.rows("-- nothing") } == "there is no statement in \"-- nothing\"")
    try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)")
    let statement = try database.statement("INSERT INTO t VALUES (?)")
    statement.bind(1, at: 1)
    try statement.run()
    #expect(message { try statement.run() } == "UNIQUE constraint failed: t.a")
    // A statement that failed can be run again.
    statement.bind(2, at: 1)
    try statement.run()
    #expect(try database.rows("SELECT count(*) FROM t") == [[2]])
  }

  @Test func stops() throws {
    let database = try SQLiteDatabase(":memory:")
    let long =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
    database.stop(every: 100) { true }
    do {
      try database.rows(long)
      Issue.record("was not stopped")
    } catch {
      #expect(error.isInterruption)
    }
    // The connection can be used afterwards.
    database.stop(every: 1_000_000) { false }
    #expect(try database.rows("SELECT 1") == [[1]])
  }

  /// Another connection may write as soon as this one has been closed, whatever was left open.
  @Test func closingLetsGo() throws {
    let (folder, database) = try database()
    try database.execute("CREATE TABLE t (a); BEGIN; INSERT INTO t VALUES (1)")
    database.close()
    database.close()
    let other = try SQLiteDatabase(folder.path("a.sqlite"))
    try other.execute("INSERT INTO t VALUES (2)")
    #expect(try other.rows("SELECT a FROM t") == [[2]])
  }
}

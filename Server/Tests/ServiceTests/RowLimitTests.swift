import GRDB
import Service
import Testing

@Suite struct RowLimitTests {
  /// A table has a sixty-fourth more than its limit at most, whichever applications write.
  @Test func tablesStayWithinTheirLimit() throws {
    let database = try DatabaseQueue()
    try database.write { database in
      try database.execute(sql: "CREATE TABLE t (application TEXT, n INTEGER)")
      try database.execute(sql: "CREATE INDEX i ON t (application)")
      let limit = RowLimit("t", most: 128)
      for n in 0..<1_000 {
        for application in ["a", "b"] where application == "a" || n % 10 == 0 {
          try database.execute(
            sql: "INSERT INTO t VALUES (?, ?)", arguments: [application, n])
          try limit.trim(application, adding: 1, in: database)
          let count =
            try Int.fetchOne(
              database, sql: "SELECT COUNT(*) FROM t WHERE application = ?",
              arguments: [application]) ?? 0
          #expect(count <= 130 && count >= min(n / (application == "a" ? 1 : 10), 128))
        }
      }
      let newest = try Int.fetchOne(database, sql: "SELECT MAX(n) FROM t WHERE application = 'a'")
      #expect(newest == 999)
      // Another server begins where the table is too large already.
      try RowLimit("t", most: 10).trim("a", adding: 1, in: database)
      #expect(
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM t WHERE application = 'a'") == 10)
      #expect(
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM t WHERE application = 'b'") == 100)
    }
  }
}

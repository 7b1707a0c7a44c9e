internal import Expressions
internal import GRDB

/// Deletes data that is no longer needed.
extension SQLiteStore {
  package func deleteOld(_ retention: Retention) async throws -> Bool {
    let after = retained.withLock { $0 }
    let (hasMore, last) = try await database.write { database in
      var hasMore = false
      for application in retention.mostOccurrences.keys {
        try database.execute(
          sql: """
            DELETE FROM decided WHERE rowid IN (
              SELECT rowid FROM decided WHERE application = ? AND at < ? ORDER BY at LIMIT ?)
            """,
          arguments: [
            application, retention.oldestAnswer.milliseconds, Retention.answersAtOnce,
          ])
        hasMore = hasMore || database.changesCount == Retention.answersAtOnce
      }
      let users = try Row.fetchAll(
        database,
        sql: """
          SELECT DISTINCT application, user FROM occurrence WHERE (application, user) > (?, ?)
          ORDER BY application, user LIMIT ?
          """, arguments: [after.application, after.user, Retention.usersAtOnce]
      ).map { StateKey($0["user"], in: $0["application"]) }
      for user in users {
        guard let most = retention.mostOccurrences[user.application] else { continue }
        try database.cachedStatement(
          sql: """
            DELETE FROM occurrence WHERE rowid IN (
              SELECT rowid FROM (
                SELECT rowid, row_number() OVER (PARTITION BY key ORDER BY rowid DESC) AS number
                FROM occurrence WHERE application = ? AND user = ?) WHERE number > ?)
            """
        ).execute(arguments: [user.application, user.user, most])
      }
      return (hasMore, users.count == Retention.usersAtOnce ? users.last : nil)
    }
    retained.withLock { $0 = last ?? StateKey("", in: "") }
    return hasMore || last != nil
  }

  /// The size of the whole database, because SQLite does not report the size of a table.
  package func sizes() async throws -> [TableSize] {
    let bytes = try await database.read { database in
      try Int.fetchOne(
        database, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        ?? 0
    }
    return [TableSize(table: "all", bytes: bytes, rows: nil)]
  }
}

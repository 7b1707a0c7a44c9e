internal import Expressions
package import GRDB

/// The maximum number of rows of each application in a table. The transaction that adds rows deletes the oldest rows.
package final class RowLimit: Sendable {
  private let table: String
  private let most: Int
  /// Deletes the data that belongs to rows up to a number, before the rows are deleted.
  private let companions: @Sendable (Database, _ application: String, _ last: Int64) throws -> Void
  /// The number of rows added since the last check of the table.
  private let added = Locked<[String: Int]>([:])

  /// - Parameter table: a table with a column `application`, and an index on that column alone.
  package init(
    _ table: String, most: Int,
    with companions: @escaping @Sendable (Database, String, Int64) throws -> Void = { _, _, _ in }
  ) {
    self.table = table
    self.most = most
    self.companions = companions
  }

  /// Deletes the oldest rows of an application beyond the limit.
  ///
  /// A check takes longer the more rows there are, so it only runs when a sixty-fourth of the limit was added. A table
  /// can exceed its limit by this number.
  package func trim(_ application: String, adding count: Int, in database: Database) throws {
    let step = max(1, most / 64)
    let isDue = added.withLock { added in
      // After a start, the number of rows is unknown.
      let sum = (added[application] ?? step) + count
      added[application] = sum >= step ? 0 : sum
      return sum >= step
    }
    guard isDue else { return }
    let last = try Int64.fetchOne(
      database,
      sql: """
        SELECT rowid FROM \(table) WHERE application = ? ORDER BY rowid DESC LIMIT 1 OFFSET ?
        """, arguments: [application, most])
    guard let last else { return }
    try companions(database, application, last)
    try database.execute(
      sql: "DELETE FROM \(table) WHERE application = ? AND rowid <= ?",
      arguments: [application, last])
  }
}

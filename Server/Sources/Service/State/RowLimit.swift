internal import Expressions
package import GRDB

/// How many rows of a table each application has at most. The oldest go when new ones come, in the
/// transaction that adds those.
package final class RowLimit: Sendable {
  private let table: String
  private let most: Int
  /// What is deleted with rows up to a number, before they are.
  private let companions: @Sendable (Database, _ application: String, _ last: Int64) throws -> Void
  /// Rows that were added since the table was last looked at.
  private let added = Locked<[String: Int]>([:])

  /// - Parameter table: one with a column `application`, and an index that has it alone.
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
  /// Looking takes longer the more rows there are, so it is done once for a sixty-fourth of them: a
  /// table has so many more at times.
  package func trim(_ application: String, adding count: Int, in database: Database) throws {
    let step = max(1, most / 64)
    let isDue = added.withLock { added in
      // A server that has just begun does not know how many there are.
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

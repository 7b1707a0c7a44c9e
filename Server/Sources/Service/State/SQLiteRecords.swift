internal import Expressions
internal import Foundation
internal import GRDB
internal import Requests
internal import RuleEngine

/// Moves records, and reads or deletes all data about a user.
extension SQLiteStore {
  // MARK: Users

  package func everything(of user: StateKey) async throws -> StoredUser {
    try await database.read { try Self.everything(of: user, $0) }
  }

  package func delete(_ user: StateKey, by caller: String) async throws -> StoredUser {
    try await database.write { database in
      let stored = try Self.everything(of: user, database)
      try Self.deleteState(of: user, database)
      for answer in stored.answers {
        try database.execute(
          sql: "DELETE FROM decided WHERE application = ? AND request = ?",
          arguments: [user.application, answer.request])
      }
      try Self.add(stored.entry("user deleted", by: caller, in: user.application), database)
      return stored
    }
  }

  private static func deleteState(of user: StateKey, _ database: Database) throws {
    for table in ["assignment", "occurrence"] {
      try database.cachedStatement(
        sql: "DELETE FROM \(table) WHERE application = ? AND user = ?"
      ).execute(arguments: [user.application, user.user])
    }
  }

  private static func everything(of user: StateKey, _ database: Database) throws -> StoredUser {
    let answers = try Row.fetchAll(
      database,
      sql: """
        SELECT * FROM decided WHERE application = ?1 AND user IN (?2, ?3)
        UNION ALL
        SELECT * FROM decided WHERE application = ?1 AND user IS NULL AND instr(answer, ?4) > 0
        ORDER BY at, request
        """,
      arguments: [user.application, user.user, user.storedUser, Data(user.mark)])
    return StoredUser(
      state: Stored(state: try state(of: user.user, user.application, database)).user,
      answers: answers.map { row in
        (row["request"], Instant(milliseconds: row["at"]), answer(row))
      })
  }

  private static func answer(_ row: Row) -> StoredAnswer {
    StoredAnswer(
      question: Array(row["question"] as Data), bytes: Array(row["answer"] as Data),
      version: row["version"])
  }

  // MARK: Reading records

  package func records(_ kind: StateRecord.Kind, after cursor: StateCursor, limit: Int)
    async throws -> [StateRecord]
  {
    try await database.read { database in
      switch kind {
      case .config:
        try Row.fetchAll(
          database,
          sql: """
            SELECT * FROM configVersion WHERE (application, number) > (?, ?)
            ORDER BY application, number LIMIT ?
            """, arguments: [cursor.application, cursor.number, limit]
        ).map {
          .config(
            Self.version($0), application: $0["application"], bytes: Array($0["json"] as Data))
        }
      case .audit:
        try Row.fetchAll(
          database, sql: "SELECT * FROM audit WHERE id > ? ORDER BY id LIMIT ?",
          arguments: [cursor.number, limit]
        ).map { .audit(Self.entry($0), number: $0["id"]) }
      case .user: try Self.users(after: cursor, limit, database)
      case .answer:
        try Row.fetchAll(
          database,
          sql: """
            SELECT * FROM decided WHERE (application, request) > (?, ?)
            ORDER BY application, request LIMIT ?
            """, arguments: [cursor.application, cursor.name, limit]
        ).map { row in
          .answer(
            Self.answer(row),
            StateKey(row["user"] ?? "", request: row["request"], in: row["application"]),
            at: Instant(milliseconds: row["at"]))
        }
      }
    }
  }

  private static func users(after cursor: StateCursor, _ limit: Int, _ database: Database) throws
    -> [StateRecord]
  {
    // Each part is read in the order of its index.
    let keys = try Row.fetchAll(
      database,
      sql: """
        SELECT application, user FROM assignment WHERE (application, user) > (?1, ?2)
        UNION SELECT application, user FROM occurrence WHERE (application, user) > (?1, ?2)
        ORDER BY application, user LIMIT ?3
        """, arguments: [cursor.application, cursor.name, limit])
    return try keys.map { row in
      let key = StateKey(row["user"], in: row["application"])
      return .user(try state(of: key.user, key.application, database), key)
    }
  }

  // MARK: Adding records

  package func add(_ records: [StateRecord]) async throws {
    try await database.write { database in
      for record in records { try Self.add(record, database) }
    }
  }

  private static func add(_ record: StateRecord, _ database: Database) throws {
    switch record {
    case .config(let version, let application, let bytes):
      try database.execute(
        sql: "INSERT OR IGNORE INTO configVersion VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          application, version.number, version.at.milliseconds, version.by, version.source,
          version.hash, version.note, Data(bytes), version.origin,
        ])
      let hash = try String.fetchOne(
        database, sql: "SELECT hash FROM configVersion WHERE application = ? AND number = ?",
        arguments: [application, version.number])
      if hash != version.hash {
        throw ServiceError.otherHistory("version \(version.number) of application \(application)")
      }
    case .audit(let entry, let number):
      try add(entry, number: number, database)
      let stored = try Row.fetchOne(
        database, sql: "SELECT * FROM audit WHERE id = ?", arguments: [number])
      if stored.map(Self.entry) != entry {
        throw ServiceError.otherHistory("audit entry \(number)")
      }
    case .user(let state, let key):
      try deleteState(of: key, database)
      for assignment in state.assignments {
        try database.cachedStatement(sql: "INSERT INTO assignment VALUES (?, ?, ?, ?)").execute(
          arguments: [key.application, key.user, assignment.experimentID, assignment.variantID])
      }
      for series in state.occurrences {
        for time in series.times {
          try database.cachedStatement(sql: "INSERT INTO occurrence VALUES (?, ?, ?, ?)").execute(
            arguments: [key.application, key.user, series.key, time.milliseconds])
        }
      }
    case .answer(let answer, let key, let at):
      try database.cachedStatement(
        sql: "INSERT OR REPLACE INTO decided VALUES (?, ?, ?, ?, ?, ?, ?)"
      ).execute(
        arguments: [
          key.application, key.request, at.milliseconds, Data(answer.question),
          Data(answer.bytes), answer.version, key.user.isEmpty ? nil : key.user,
        ])
    }
  }
}

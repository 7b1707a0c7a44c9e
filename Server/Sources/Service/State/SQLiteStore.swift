internal import Expressions
internal import Foundation
package import GRDB
package import Requests
internal import RuleEngine

/// The store of `--state sqlite`: tables of the server's own database.
///
/// A change is stored only if the state that it was decided with is still the stored state.
package struct SQLiteStore: StateStore {
  let database: any DatabaseWriter
  private let writer: GroupedWriter
  /// The key after which the next deletion of old data continues.
  let retained = Locked(StateKey("", in: ""))

  /// Creates the tables, or brings tables of an earlier version up to date.
  package init(_ database: any DatabaseWriter) throws {
    self.database = database
    writer = GroupedWriter(database)
    try Self.migrator.migrate(database)
  }

  package func read(_ key: StateKey) async throws -> Stored {
    try await database.read { try Self.read(key, $0) }
  }

  package func store(_ change: StateChange, of key: StateKey, ifStill stored: Stored) async throws
    -> Bool
  {
    try await writer { database in
      guard try Self.read(key, database) == stored else { return false }
      try Self.store(change, of: key, database)
      return true
    }
  }

  package func update<Answer: Sendable>(
    _ keys: [StateKey],
    _ decide: @escaping @Sendable (_ index: Int, _ stored: Stored) throws -> (Answer, StateChange?)
  ) async throws -> [Answer] {
    try await database.write { database in
      try keys.enumerated().map { index, key in
        let (answer, change) = try decide(index, try Self.read(key, database))
        if let change { try Self.store(change, of: key, database) }
        return answer
      }
    }
  }

  package func hasUsers(in application: String) async throws -> Bool {
    try await database.read { database in
      try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM assignment WHERE application = ?1)
          OR EXISTS (SELECT 1 FROM occurrence WHERE application = ?1)
          """, arguments: [application]) ?? false
    }
  }

  package func states(of users: [String], in application: String) async throws
    -> [String: StoredState]
  {
    try await database.read { database in
      let known = try String.fetchAll(
        database,
        sql: """
          SELECT DISTINCT value FROM json_each(?1) WHERE
          EXISTS (SELECT 1 FROM assignment WHERE application = ?2 AND user = value)
          OR EXISTS (SELECT 1 FROM occurrence WHERE application = ?2 AND user = value)
          """,
        arguments: [
          Value.list(users.filter { !$0.utf8.contains(0) }.map { .string($0) }).json, application,
        ])
      return try known.reduce(into: [:]) {
        $0[$1] = try Self.read(StateKey($1, in: application), database).user
      }
    }
  }

  package var figures: StoreFigures? { nil }

  package func check() async throws {
    try await database.read { _ = try Int.fetchOne($0, sql: "SELECT 1") }
  }

  // MARK: In a transaction

  private static func read(_ key: StateKey, _ database: Database) throws -> Stored {
    Stored(
      state: try state(of: key.user, key.application, database),
      answer: try key.request.flatMap { try answer(to: $0, key.application, database) })
  }

  private static func answer(to request: String, _ application: String, _ database: Database)
    throws -> StoredAnswer?
  {
    let statement = try database.cachedStatement(
      sql: "SELECT question, answer, version FROM decided WHERE application = ? AND request = ?")
    return try Row.fetchOne(statement, arguments: [application, request]).map {
      StoredAnswer(
        question: Array($0["question"] as Data), bytes: Array($0["answer"] as Data),
        version: $0["version"])
    }
  }

  static func state(of user: String, _ application: String, _ database: Database) throws
    -> StoredState
  {
    var state = StoredState()
    let assignments = try database.cachedStatement(
      sql: """
        SELECT experiment, variant FROM assignment WHERE application = ? AND user = ?
        ORDER BY experiment
        """)
    state.assignments = try Row.fetchAll(assignments, arguments: [application, user])
      .map { Assignment(experimentID: $0["experiment"], variantID: $0["variant"]) }
    let occurrences = try database.cachedStatement(
      sql: "SELECT key, at FROM occurrence WHERE application = ? AND user = ? ORDER BY rowid")
    for row in try Row.fetchAll(occurrences, arguments: [application, user]) {
      state.add(Instant(milliseconds: row["at"]), to: row["key"])
    }
    return state
  }

  private static func store(_ change: StateChange, of key: StateKey, _ database: Database) throws {
    for (experiment, variant) in change.assignments {
      try database.cachedStatement(
        sql: """
          INSERT INTO assignment VALUES (?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET variant = excluded.variant
          """
      ).execute(arguments: [key.application, key.user, experiment, variant])
    }
    for limit in change.occurrences { try record(limit, change, of: key, database) }
    guard let request = key.request, let answer = change.answer else { return }
    // The server's time is stored, because a request may contain any time.
    try database.cachedStatement(sql: "INSERT INTO decided VALUES (?, ?, ?, ?, ?, ?, ?)")
      .execute(
        arguments: [
          key.application, request, change.answeredAt.milliseconds, Data(answer.question),
          Data(answer.bytes), answer.version, key.user,
        ])
    // After a pause, many old answers are deleted at once, but not so many that other transactions wait.
    try database.cachedStatement(
      sql: """
        DELETE FROM decided WHERE rowid IN (
          SELECT rowid FROM decided WHERE application = ? AND at < ? ORDER BY at LIMIT 1000)
        """
    ).execute(arguments: [key.application, change.oldestAnswer.milliseconds])
  }

  private static func record(
    _ limit: String, _ change: StateChange, of key: StateKey, _ database: Database
  ) throws {
    try database.cachedStatement(sql: "INSERT INTO occurrence VALUES (?, ?, ?, ?)").execute(
      arguments: [key.application, key.user, limit, change.now.milliseconds])
    try database.cachedStatement(
      sql: """
        DELETE FROM occurrence WHERE rowid IN (
          SELECT rowid FROM occurrence WHERE application = ? AND user = ? AND key = ?
          ORDER BY rowid DESC LIMIT -1 OFFSET ?)
        """
    ).execute(arguments: [key.application, key.user, limit, change.mostOccurrences])
  }
}

extension StoredState {
  /// Adds an occurrence after the other occurrences of its key.
  mutating func add(_ time: Instant, to key: String) {
    if let at = occurrences.firstIndex(where: { $0.key.utf8.elementsEqual(key.utf8) }) {
      occurrences[at].times.append(time)
    } else {
      occurrences.append(DecisionState.Occurrences(key: key, times: [time]))
    }
  }
}

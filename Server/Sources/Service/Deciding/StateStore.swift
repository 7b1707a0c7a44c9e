internal import Expressions
internal import Foundation
internal import GRDB
internal import Requests
internal import RuleEngine

/// What the server stores of users with `--state sqlite`: variants, when rules applied, and the answers to
/// requests with an ID.
struct StateStore: Sendable {
  /// What is stored of a user and of a request.
  struct Stored: Equatable, Sendable {
    var user = StoredState()
    /// The earlier answer to the request.
    var answer: StoredAnswer?
  }

  struct StoredAnswer: Equatable, Sendable {
    /// The hash of the request's body.
    var question: Data
    var bytes: Data
    /// The config that decided; nil in databases of earlier versions.
    var version: Int?
  }

  /// What a decision adds.
  struct Change: Sendable {
    var effects: [Decision.Effect]
    /// When rules applied.
    var now: Instant
    /// The largest number of occurrences that a limit of the config counts.
    var largestLimit: Int
    /// Answers older than this are deleted, in milliseconds since 1970.
    var oldestAnswer: Int64
    var answer: StoredAnswer?
  }

  let database: any DatabaseWriter
  private let writer: GroupedWriter

  init(_ database: any DatabaseWriter) {
    self.database = database
    writer = GroupedWriter(database)
  }

  func stored(of user: String, request: String?, in application: String) async throws -> Stored {
    try await database.read { try Self.stored(of: user, request: request, in: application, $0) }
  }

  /// Stores a change if the user and the request are still as they were read.
  ///
  /// - Returns: whether it was stored. It is on the disk then.
  func store(
    _ change: Change, of user: String, request: String?, in application: String,
    ifStill stored: Stored
  ) async throws -> Bool {
    try await writer { database in
      guard
        try Self.stored(of: user, request: request, in: application, database) == stored
      else { return false }
      try Self.store(change, of: user, request: request, in: application, database)
      return true
    }
  }

  /// Runs a body that reads and stores while no other request can.
  func exclusively<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await database.write(body)
  }

  /// Whether anything is stored of any user.
  func hasUsers(in application: String) async throws -> Bool {
    try await database.read { database in
      try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM assignment WHERE application = ?1)
          OR EXISTS (SELECT 1 FROM occurrence WHERE application = ?1)
          """, arguments: [application]) ?? false
    }
  }

  /// The states of those users of whom anything is stored.
  func stored(of users: [String], in application: String) async throws -> [String: StoredState] {
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
        $0[$1] = try Self.stored(of: $1, request: nil, in: application, database).user
      }
    }
  }

  // MARK: In a transaction

  static func stored(
    of user: String, request: String?, in application: String, _ database: Database
  ) throws -> Stored {
    Stored(
      user: try self.user(user, application, database),
      answer: try request.flatMap { try answer(to: $0, application, database) })
  }

  private static func answer(to request: String, _ application: String, _ database: Database)
    throws -> StoredAnswer?
  {
    let statement = try database.cachedStatement(
      sql: "SELECT question, answer, version FROM decided WHERE application = ? AND request = ?")
    return try Row.fetchOne(statement, arguments: [application, request])
      .map { StoredAnswer(question: $0["question"], bytes: $0["answer"], version: $0["version"]) }
  }

  private static func user(_ user: String, _ application: String, _ database: Database) throws
    -> StoredState
  {
    var stored = StoredState()
    let assignments = try database.cachedStatement(
      sql: """
        SELECT experiment, variant FROM assignment WHERE application = ? AND user = ?
        ORDER BY experiment
        """)
    stored.assignments = try Row.fetchAll(assignments, arguments: [application, user])
      .map { Assignment(experimentID: $0["experiment"], variantID: $0["variant"]) }
    let occurrences = try database.cachedStatement(
      sql: "SELECT key, at FROM occurrence WHERE application = ? AND user = ? ORDER BY at")
    var times: [String: [Instant]] = [:]
    for row in try Row.fetchAll(occurrences, arguments: [application, user]) {
      times[row["key"], default: []].append(Instant(milliseconds: row["at"]))
    }
    stored.occurrences = times.sorted { $0.key < $1.key }.map {
      DecisionState.Occurrences(key: $0.key, times: $0.value)
    }
    return stored
  }

  static func store(
    _ change: Change, of user: String, request: String?, in application: String,
    _ database: Database
  ) throws {
    for effect in change.effects {
      switch effect {
      case .storeAssignment(let experiment, let variant):
        try database.cachedStatement(
          sql: """
            INSERT INTO assignment VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET variant = excluded.variant
            """
        ).execute(arguments: [application, user, experiment, variant])
      case .recordOccurrence(let limit):
        try record(limit.key, change, of: user, in: application, database)
      case .confirmAssignment, .fireTrigger: break
      }
    }
    guard let request, let answer = change.answer else { return }
    // By the server's time: the request may name any.
    let time = ServiceTime.now().milliseconds
    try database.cachedStatement(sql: "INSERT INTO decided VALUES (?, ?, ?, ?, ?, ?)").execute(
      arguments: [application, request, time, answer.question, answer.bytes, answer.version])
    // Many at once after a pause, but not so many that others wait.
    try database.cachedStatement(
      sql: """
        DELETE FROM decided WHERE rowid IN (
          SELECT rowid FROM decided WHERE application = ? AND at < ? ORDER BY at LIMIT 1000)
        """
    ).execute(arguments: [application, change.oldestAnswer])
  }

  /// Occurrences of one user and key that are stored, unless a limit counts more.
  private static let fewestOccurrences = 100

  private static func record(
    _ key: String, _ change: Change, of user: String, in application: String,
    _ database: Database
  ) throws {
    try database.cachedStatement(sql: "INSERT INTO occurrence VALUES (?, ?, ?, ?)").execute(
      arguments: [application, user, key, change.now.milliseconds])
    // Limits count the latest occurrences only.
    try database.cachedStatement(
      sql: """
        DELETE FROM occurrence WHERE rowid IN (
          SELECT rowid FROM occurrence WHERE application = ? AND user = ? AND key = ?
          ORDER BY rowid DESC LIMIT -1 OFFSET ?)
        """
    ).execute(
      arguments: [application, user, key, max(fewestOccurrences, change.largestLimit)])
  }
}

extension Decision.Effect {
  /// Whether a server stores anything of it.
  var isStored: Bool {
    switch self {
    case .storeAssignment, .recordOccurrence: true
    case .confirmAssignment, .fireTrigger: false
    }
  }
}

internal import Expressions
internal import Foundation
internal import GRDB
internal import HTTPTypes
internal import Requests
internal import RuleEngine

/// What the server keeps of users with `--state sqlite`: variants, and when rules applied.
extension DecisionService {
  /// What is kept of a user and of a request.
  private struct Kept: Equatable, Sendable {
    var user = StoredState()
    /// What the request was answered before.
    var answer: KeptAnswer?
  }

  private struct KeptAnswer: Equatable, Sendable {
    var question: Data
    var bytes: Data
    /// The config that decided; nil where that was not kept yet.
    var version: Int?
  }

  /// How often a request is decided anew because what was kept of the user has changed meanwhile.
  private static let mostAttempts = 8

  /// Decides with what is kept, and keeps what follows. A request ID has its effects once: whoever asks
  /// again is given the same answer.
  ///
  /// The database is read, then decided by, and written where that is still so: who decides keeps nobody
  /// from writing.
  func decideAndKeep(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication,
    _ config: LoadedConfig
  ) async throws -> (bytes: [UInt8], version: Int) {
    // Who has no identity is refused later.
    let user =
      body.withUnsafeBufferPointer { try? UserRecordReader.subject(of: $0) } ?? ""
    guard !user.utf8.contains(0) else {
      throw ServiceError.badRequest("the user's ID holds the character U+0000, and cannot be kept")
    }
    let question = request.requestID.map { _ in Data(LoadedConfig.hash(of: body).utf8) }
    let id = application.id
    @Sendable func read(_ database: Database) throws -> Kept {
      Kept(
        user: try Self.user(user, id, database),
        answer: try request.requestID.flatMap { try Self.answer(to: $0, id, database) })
    }
    @Sendable func keep(_ answer: DecidedAnswer, _ database: Database) throws {
      let now = request.now ?? ServiceTime.now()
      try Self.keep(answer.effects, of: user, id, config, at: now, database)
      if let request = request.requestID, let question {
        // By the server's time: what a request says may be any.
        let time = ServiceTime.now().milliseconds
        try database.execute(
          sql: "INSERT INTO decided VALUES (?, ?, ?, ?, ?, ?)",
          arguments: [id, request, time, question, Data(answer.bytes), config.number])
        // Many at once after a pause, but not so many that others wait.
        try database.execute(
          sql: """
            DELETE FROM decided WHERE rowid IN (
              SELECT rowid FROM decided WHERE application = ? AND at < ? ORDER BY at LIMIT 1000)
            """, arguments: [id, time - options.keptRequests])
      }
    }
    @Sendable func decide(_ kept: Kept) throws(RequestError) -> DecidedAnswer {
      try DecidedAnswer(wantsEffects: request.records) { (each) throws(RequestError) in
        try config.prepared.decide(body, request, stored: kept.user, each: each)
      }
    }
    for _ in 0..<Self.mostAttempts {
      let kept = try await database.read { try read($0) }
      if let known = try Self.answer(of: kept, request, question, config) { return known }
      let answer = try decide(kept)
      if question != nil || answer.effects.contains(where: \.isKept) {
        let isKept = try await database.write { database in
          guard try read(database) == kept else { return false }
          try keep(answer, database)
          return true
        }
        guard isKept else { continue }
      }
      return (count(answer, application), config.number)
    }
    // Who is overtaken again and again decides while nobody else can.
    return try await database.write { [self] database in
      let kept = try read(database)
      if let known = try Self.answer(of: kept, request, question, config) { return known }
      let answer = try decide(kept)
      try keep(answer, database)
      return (count(answer, application), config.number)
    }
  }

  /// The answer that a request was given before; nil for a new one.
  private static func answer(
    of kept: Kept, _ request: DecideRequest, _ question: Data?, _ config: LoadedConfig
  ) throws(ServiceError) -> (bytes: [UInt8], version: Int)? {
    guard let known = kept.answer else { return nil }
    guard known.question == question else {
      throw ServiceError(
        .conflict, "request_id_reused",
        "the request ID '\(request.requestID ?? "")' was another question; take a new one for each")
    }
    return (Array(known.bytes), known.version ?? config.number)
  }

  private static func answer(to request: String, _ application: String, _ database: Database)
    throws -> KeptAnswer?
  {
    try Row.fetchOne(
      database,
      sql: "SELECT question, answer, version FROM decided WHERE application = ? AND request = ?",
      arguments: [application, request]
    ).map { KeptAnswer(question: $0["question"], bytes: $0["answer"], version: $0["version"]) }
  }

  private static func user(_ user: String, _ application: String, _ database: Database) throws
    -> StoredState
  {
    let assignments = try Row.fetchAll(
      database,
      sql: """
        SELECT experiment, variant FROM assignment WHERE application = ? AND user = ?
        ORDER BY experiment
        """,
      arguments: [application, user]
    ).map { Assignment(experimentID: $0["experiment"], variantID: $0["variant"]) }
    var times: [String: [Instant]] = [:]
    for row in try Row.fetchAll(
      database,
      sql: "SELECT key, at FROM occurrence WHERE application = ? AND user = ? ORDER BY at",
      arguments: [application, user])
    {
      times[row["key"], default: []].append(Instant(milliseconds: row["at"]))
    }
    var stored = StoredState()
    stored.assignments = assignments
    stored.occurrences = times.sorted { $0.key < $1.key }.map {
      DecisionState.Occurrences(key: $0.key, times: $0.value)
    }
    return stored
  }

  /// Occurrences of one user and key that are kept, as far as no limit counts more.
  private static let fewestOccurrences = 100

  private static func keep(
    _ effects: [Decision.Effect], of user: String, _ application: String, _ config: LoadedConfig,
    at now: Instant, _ database: Database
  ) throws {
    for effect in effects {
      switch effect {
      case .storeAssignment(let experiment, let variant):
        try database.execute(
          sql: """
            INSERT INTO assignment VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET variant = excluded.variant
            """, arguments: [application, user, experiment, variant])
      case .recordOccurrence(let limit):
        try database.execute(
          sql: "INSERT INTO occurrence VALUES (?, ?, ?, ?)",
          arguments: [application, user, limit.key, now.milliseconds])
        // A limit is used up by the last ones, whatever was before.
        try database.execute(
          sql: """
            DELETE FROM occurrence WHERE rowid IN (
              SELECT rowid FROM occurrence WHERE application = ? AND user = ? AND key = ?
              ORDER BY rowid DESC LIMIT -1 OFFSET ?)
            """,
          arguments: [
            application, user, limit.key, max(fewestOccurrences, config.largestLimit),
          ])
      case .confirmAssignment, .fireTrigger: break
      }
    }
  }
}

extension Decision.Effect {
  /// Whether the server has anything to keep of it.
  fileprivate var isKept: Bool {
    switch self {
    case .storeAssignment, .recordOccurrence: true
    case .confirmAssignment, .fireTrigger: false
    }
  }
}

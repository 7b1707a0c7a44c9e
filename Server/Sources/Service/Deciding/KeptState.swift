internal import Expressions
internal import Foundation
internal import GRDB
internal import HTTPTypes
internal import RuleEngine

/// What the server keeps of users, where it is told to: their variants, and when rules applied to them.
extension DecisionService {
  /// Decides with what is kept, and keeps what follows. A request ID has its effects once: whoever asks
  /// again is given the same answer.
  func decideAndKeep(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication
  ) async throws -> [UInt8] {
    let question = Data(LoadedConfig.hash(of: body).utf8)
    return try await database.write { [self] database in
      if let id = request.requestID,
        let known = try Row.fetchOne(
          database,
          sql: "SELECT question, answer FROM decided WHERE application = ? AND request = ?",
          arguments: [application.id, id])
      {
        guard known["question"] as Data == question else {
          throw ServiceError(
            .conflict, "request_id_reused",
            "the request ID '\(id)' was another question; take a new one for each")
        }
        return Array(known["answer"] as Data)
      }
      let config = application.current
      var effects: [Decision.Effect] = []
      var subject = ""
      let kept = try Self.kept(of: Self.subject(body), application.id, database)
      let answer = try read(body, config, now: request.now) { (frame, state, record, clock) in
        var state = state
        // Of several assignments of an experiment the last counts.
        state.assignments += kept.assignments
        state.occurrences += kept.occurrences
        subject = state.subjectID
        if request.records {
          for name in request.placements ?? config.ruleSet.placementNames {
            effects +=
              config.ruleSet.decide(
                name, frame: &frame, state: state, assigner: config.assigner
              ).effects
          }
        }
        return write(
          request, application, config, &frame, state, record: request.isPlain ? [] : body, clock)
      }
      let now = request.now ?? ServiceTime.now()
      try Self.keep(effects, of: subject, application.id, at: now, database)
      if let id = request.requestID {
        try database.execute(
          sql: "INSERT INTO decided VALUES (?, ?, ?, ?, ?)",
          arguments: [application.id, id, now.milliseconds, question, Data(answer)])
      }
      return answer
    }
  }

  /// The identity of a body's user; empty where it has none, and is refused later.
  private static func subject(_ body: [UInt8]) -> String {
    (try? Value.parse(json: body))?["userId"]?.text ?? ""
  }

  private static func kept(
    of user: String, _ application: String, _ database: Database
  ) throws -> (assignments: [Assignment], occurrences: [DecisionState.Occurrences]) {
    let assignments = try Row.fetchAll(
      database,
      sql: "SELECT experiment, variant FROM assignment WHERE application = ? AND user = ?",
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
    return (
      assignments,
      times.sorted { $0.key < $1.key }.map {
        DecisionState.Occurrences(key: $0.key, times: $0.value)
      }
    )
  }

  private static func keep(
    _ effects: [Decision.Effect], of user: String, _ application: String, at now: Instant,
    _ database: Database
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
      case .confirmAssignment, .fireTrigger: break
      }
    }
  }
}

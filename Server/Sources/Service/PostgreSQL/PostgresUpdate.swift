#if PostgreSQL
  internal import Expressions
  internal import Requests

  /// Changes several users while their rows are locked.
  extension PostgresStore {
    private static let mostAttempts = 8

    package func update<Answer: Sendable>(
      _ keys: [StateKey],
      _ decide:
        @escaping @Sendable (_ index: Int, _ stored: Stored) throws -> (Answer, StateChange?)
    ) async throws -> [Answer] {
      let due = StateDeadline.current ?? .now + .seconds(30)
      for _ in 0..<Self.mostAttempts {
        do {
          let attempt = try await pool.attempt(due: due) { try update(keys, $0, decide) }
          guard let lost = attempt.lost else {
            if let answers = attempt.answers { return answers }
            continue
          }
          // Either all changes were stored, or no change.
          let outcomes = try await lookup.outcomes(of: lost.writes, until: due) ?? [.unknown]
          if outcomes.contains(.stored), let answers = attempt.answers { return answers }
          if outcomes.contains(.unknown) { throw lost.fault.answer ?? lost.fault }
        } catch let fault as PostgresFault {
          // A connection that is lost before the commit has changed nothing.
          let isLost = fault.isInDoubt && fault.kind != .timedOut && ContinuousClock.now < due
          if !isLost { throw fault.answer ?? fault }
        }
      }
      throw PostgresFault(.locked).answer!
    }

    /// A transaction whose commit had no answer.
    private struct Lost: Sendable {
      var writes: [PostgresWriter.Write]
      var fault: PostgresFault
    }

    /// - Returns: no answers if another server has answered one of the requests meanwhile, in which case nothing is
    ///   stored.
    private func update<Answer>(
      _ keys: [StateKey], _ connection: PostgresConnection,
      _ decide: (_ index: Int, _ stored: Stored) throws -> (Answer, StateChange?)
    ) throws -> (answers: [Answer]?, lost: Lost?) {
      var users = try lock(keys, connection)
      var answers: [Answer] = []
      var changed: [[UInt8]: StateKey] = [:]
      var answering: [PostgresWriter.Write] = []
      for (index, key) in keys.enumerated() {
        let user = key.userPart
        var stored = users.byKey[user] ?? Stored()
        stored.answer = key.request == nil ? nil : users.answers[key.requestPart]
        let (answer, change) = try decide(index, stored)
        answers.append(answer)
        guard let change else { continue }
        if change.changesUser {
          stored.state = stored.state.applying(change)
          users.byKey[user] = stored
          changed[user] = key
        }
        if key.request != nil, let answer = change.answer {
          users.answers[key.requestPart] = answer
          answering.append(PostgresWriter.Write(key, 0, nil, change))
        }
      }
      let writes =
        changed.map { user, key in
          PostgresWriter.Write(
            StateKey(key.user, in: key.application), users.byKey[user]?.revision ?? 0,
            users.byKey[user]?.state, nil)
        } + answering
      guard !writes.isEmpty else {
        try connection.run([.rollback])
        return (answers, nil)
      }
      let (statements, store) = PostgresWriter.statements(
        writes, schema, version.withLock { $0 })
      let rows = try connection.run(statements + [unused(keys)])
      guard rows[store].count == writes.count else {
        try connection.run([.rollback])
        return (nil, nil)
      }
      let fault = try Self.commit(connection)
      return (answers, fault.map { Lost(writes: writes, fault: $0) })
    }

    /// - Returns: a fault after which the transaction may be committed.
    private static func commit(_ connection: PostgresConnection) throws(PostgresFault)
      -> PostgresFault?
    {
      do throws(PostgresFault) {
        try connection.run([.commit])
        return nil
      } catch {
        guard error.isInDoubt else { throw error }
        return error
      }
    }

    /// Begins a transaction that locks the rows of users, and reads the rows and the answers to requests.
    private func lock(_ keys: [StateKey], _ connection: PostgresConnection) throws -> (
      byKey: [[UInt8]: Stored], answers: [[UInt8]: StoredAnswer]
    ) {
      let requests = keys.filter { $0.request != nil }
      let rows = try connection.run([
        .begin, PostgresWriter.rows(for: keys, schema),
        PostgresStatement(
          """
          SELECT u.application, u.user_id, u.revision, u.state FROM \(schema).user_state AS u
          JOIN (SELECT DISTINCT application COLLATE "C" AS application, user_id COLLATE "C" AS user_id
            FROM unnest($1::text[], $2::text[]) AS asked(application, user_id)) AS asked
          ON u.application = asked.application AND u.user_id = asked.user_id
          ORDER BY u.application, u.user_id FOR UPDATE OF u
          """, [.texts(keys.map(\.application)), .texts(keys.map(\.storedUser))]),
        PostgresStatement(
          """
          SELECT a.application, a.request, a.question, a.answer, a.version
          FROM unnest($1::text[], $2::text[]) AS asked(application, request)
          JOIN \(schema).answer AS a ON a.application = asked.application AND a.request = asked.request
          """, [.texts(requests.map(\.application)), .texts(requests.map(\.request))]),
      ])
      var users: [[UInt8]: Stored] = [:]
      for row in rows[2] {
        users[StateKey.part(row.bytes(0), row.bytes(1))] = Stored(
          state: try StoredState(row: row.bytes(3)), revision: row.int(2) ?? 0)
      }
      var answers: [[UInt8]: StoredAnswer] = [:]
      for row in rows[3] {
        answers[StateKey.part(row.bytes(0), row.bytes(1))] = Self.answer(row, at: 2)
      }
      return (users, answers)
    }

    /// Deletes rows that were added only to be locked, and that store nothing.
    private func unused(_ keys: [StateKey]) -> PostgresStatement {
      PostgresStatement(
        """
        DELETE FROM \(schema).user_state AS u
        USING unnest($1::text[], $2::text[]) AS asked(application, user_id)
        WHERE u.application = asked.application AND u.user_id = asked.user_id AND u.revision = 0
        """, [.texts(keys.map(\.application)), .texts(keys.map(\.storedUser))])
    }
  }

  extension StateKey {
    // Parts are compared by their bytes, because different IDs may be equal strings.
    fileprivate static func part(_ application: [UInt8]?, _ name: [UInt8]?) -> [UInt8] {
      (application ?? []) + [0] + (name ?? [])
    }

    fileprivate var userPart: [UInt8] {
      Self.part(Array(application.utf8), Array(storedUser.utf8))
    }

    fileprivate var requestPart: [UInt8] {
      Self.part(Array(application.utf8), Array((request ?? "").utf8))
    }
  }
#endif

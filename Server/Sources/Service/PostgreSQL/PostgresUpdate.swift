#if PostgreSQL
  internal import Expressions
  internal import Requests

  /// Changing several users with their rows locked.
  extension PostgresStore {
    private static let mostAttempts = 8

    package func update<Answer: Sendable>(
      _ keys: [StateKey],
      _ decide:
        @escaping @Sendable (_ index: Int, _ stored: Stored) throws -> (Answer, StateChange?)
    ) async throws -> [Answer] {
      for _ in 0..<Self.mostAttempts {
        let answers = try await pool.run { connection -> [Answer]? in
          do {
            return try update(keys, connection, decide)
          } catch {
            if (error as? PostgresFault)?.endsConnection != true {
              _ = try? connection.run([.rollback])
            }
            throw error
          }
        }
        if let answers { return answers }
      }
      throw PostgresFault(.locked).answer!
    }

    /// - Returns: nil if another server has answered one of the requests meanwhile; then nothing is stored.
    private func update<Answer>(
      _ keys: [StateKey], _ connection: PostgresConnection,
      _ decide: (_ index: Int, _ stored: Stored) throws -> (Answer, StateChange?)
    ) throws -> [Answer]? {
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
        return answers
      }
      let (statements, store) = PostgresWriter.statements(writes, schema)
      let rows = try connection.run(statements + [unused(keys)])
      guard rows[store].count == writes.count else {
        try connection.run([.rollback])
        return nil
      }
      try connection.run([.commit])
      return answers
    }

    /// Begins a transaction that holds the rows of users, and reads them and the answers to requests.
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

    /// Deletes the rows that were added to be locked and have stored nothing.
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
    // By bytes: different IDs may be equal strings.
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

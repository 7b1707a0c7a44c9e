#if PostgreSQL
  internal import Expressions
  internal import Requests
  internal import RuleEngine

  /// Moves records, and reads or deletes all data about a user.
  extension PostgresStore {
    private var answersHaveUsers: Bool {
      version.withLock { $0 >= PostgresSchema.answersHaveUsers }
    }

    // MARK: Users

    package func everything(of user: StateKey) async throws -> StoredUser {
      let rows = try await pool.read([state(of: user), answers(of: user)])
      return try Self.user(rows[0], rows[1])
    }

    package func delete(_ user: StateKey, by caller: String) async throws -> StoredUser {
      let (state, answers) = (state(of: user, locks: true), answers(of: user))
      return try await pool.run { connection in
        let rows = try connection.run([.begin, state, answers])
        let stored = try Self.user(rows[1], rows[2])
        try connection.run([
          PostgresStatement(
            "DELETE FROM \(schema).user_state WHERE application = $1::text AND user_id = $2::text",
            [.text(user.application), .text(user.storedUser)]),
          PostgresStatement(
            """
            DELETE FROM \(schema).answer AS a USING unnest($2::text[]) AS asked(request)
            WHERE a.application = $1::text AND a.request = asked.request
            """, [.text(user.application), .texts(stored.answers.map(\.request))]),
          insert(stored.entry("user deleted", by: caller, in: user.application)), .commit,
        ])
        return stored
      }
    }

    private func state(of user: StateKey, locks: Bool = false) -> PostgresStatement {
      PostgresStatement(
        """
        SELECT state FROM \(schema).user_state WHERE application = $1::text AND user_id = $2::text
        \(locks ? "FOR UPDATE" : "")
        """, [.text(user.application), .text(user.storedUser)])
    }

    private func answers(of user: StateKey) -> PostgresStatement {
      let columns = "request, answered_at, question, answer, version"
      // Programs that know only version 1 of the tables do not store the user of an answer.
      let own = """
        SELECT \(columns) FROM \(schema).answer WHERE application = $1::text AND user_id = $2::text
        UNION ALL
        """
      let isUnknown = answersHaveUsers ? "AND user_id IS NULL" : ""
      return PostgresStatement(
        """
        \(answersHaveUsers ? own : "")
        SELECT \(columns) FROM \(schema).answer WHERE application = $1::text \(isUnknown)
        AND position($3::bytea IN answer) > 0 AND $2::text IS NOT NULL ORDER BY answered_at, request
        """, [.text(user.application), .text(user.storedUser), .bytes(user.mark)])
    }

    private static func user(_ state: [PostgresRow], _ answers: [PostgresRow]) throws -> StoredUser
    {
      StoredUser(
        state: Stored(state: try StoredState(row: state.first?.bytes(0))).user,
        answers: answers.compactMap { row in
          answer(row, at: 2).map {
            (row.text(0) ?? "", Instant(milliseconds: row.int(1) ?? 0), $0)
          }
        })
    }

    /// The user of a row. The row's state may contain the user's ID.
    static func key(_ row: PostgresRow, _ state: [UInt8]?) -> StateKey {
      let stored = row.text(1) ?? ""
      let long =
        stored.utf8.count > 1_000
        ? state.flatMap { try? Value.parse(json: $0) }?["userId"]?.text : nil
      return StateKey(long ?? stored, in: row.text(0) ?? "")
    }

    // MARK: Reading records

    package func records(_ kind: StateRecord.Kind, after cursor: StateCursor, limit: Int)
      async throws -> [StateRecord]
    {
      let limit = PostgresValue.int(Int64(limit))
      switch kind {
      case .config:
        let rows = try await pool.read([
          PostgresStatement(
            """
            SELECT \(Self.columns), config, application FROM \(schema).config_version
            WHERE (application, number) > ($1::text COLLATE "C", $2::bigint)
            ORDER BY application, number LIMIT $3::bigint
            """, [.text(cursor.application), .int(cursor.number), limit])
        ])
        return rows[0].map {
          .config(Self.version($0), application: $0.text(8) ?? "", bytes: $0.bytes(7) ?? [])
        }
      case .audit:
        let rows = try await pool.read([
          PostgresStatement(
            """
            SELECT id, written_at, author, application, action, detail FROM \(schema).audit
            WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint
            """, [.int(cursor.number), limit])
        ])
        return rows[0].map { .audit(Self.entry($0, at: 1), number: $0.int(0) ?? 0) }
      case .user: return try await users(after: cursor, limit)
      case .answer:
        let rows = try await pool.read([
          PostgresStatement(
            """
            SELECT application, request, answered_at, question, answer, version,
              \(answersHaveUsers ? "user_id" : "NULL::text")
            FROM \(schema).answer
            WHERE (application, request) > ($1::text COLLATE "C", $2::text COLLATE "C")
            ORDER BY application, request LIMIT $3::bigint
            """, [.text(cursor.application), .text(cursor.name), limit])
        ])
        return rows[0].compactMap { row in
          Self.answer(row, at: 3).map {
            .answer(
              $0,
              StateKey(row.text(6) ?? "", request: row.text(1) ?? "", in: row.text(0) ?? ""),
              at: Instant(milliseconds: row.int(2) ?? 0))
          }
        }
      }
    }

    private func users(after cursor: StateCursor, _ limit: PostgresValue) async throws
      -> [StateRecord]
    {
      // Users without state are skipped, but do not mark the end.
      let after = StateKey(cursor.name, in: cursor.application).storedUser
      let rows = try await pool.read([
        PostgresStatement(
          """
          SELECT application, user_id, state FROM \(schema).user_state
          WHERE (application, user_id) > ($1::text COLLATE "C", $2::text COLLATE "C")
          AND revision > 0 AND octet_length(state::text) > 2
          ORDER BY application, user_id LIMIT $3::bigint
          """, [.text(cursor.application), .text(after), limit])
      ])
      return try rows[0].map { row in
        .user(try StoredState(row: row.bytes(2)), Self.key(row, row.bytes(2)))
      }
    }

    // MARK: Adding records

    package func add(_ records: [StateRecord]) async throws {
      var statements: [PostgresStatement] = []
      var checks: [(at: Int, name: String)] = []
      for record in records {
        let (statement, name) = insert(record)
        if let name { checks.append((statements.count + 1, name)) }
        statements += statement
      }
      let (all, wrong) = (statements, checks)
      try await pool.run { connection in
        let rows = try connection.run([.begin] + all, timeout: .seconds(60))
        if let first = wrong.first(where: { !rows[$0.at + 1].isEmpty }) {
          try connection.run([.rollback])
          throw ServiceError.otherHistory(first.name)
        }
        try connection.run([.commit])
      }
    }

    /// The statements that store a record. For a record with a name, the second statement returns a row if another
    /// record with this name is stored.
    private func insert(_ record: StateRecord) -> ([PostgresStatement], name: String?) {
      switch record {
      case .config(let version, let application, let bytes):
        let key: [PostgresValue] = [.text(application), .int(Int64(version.number))]
        return (
          [
            PostgresStatement(
              """
              INSERT INTO \(schema).config_version (application, number, published_at, author, source,
                hash, note, origin, config) VALUES ($1::text, $2::bigint, $3::bigint, $4::text,
                $5::text, $6::text, $7::text, $8::bigint, $9::bytea) ON CONFLICT DO NOTHING
              """,
              key + [
                .int(version.at.milliseconds), .text(version.by), .text(version.source),
                .text(version.hash), .text(version.note), .int(version.origin.map { Int64($0) }),
                .bytes(bytes),
              ]),
            PostgresStatement(
              """
              SELECT FROM \(schema).config_version
              WHERE application = $1::text AND number = $2::bigint AND hash <> $3::text
              """, key + [.text(version.hash)]),
            PostgresStatement(
              """
              INSERT INTO \(schema).application AS a (id, newest) VALUES ($1::text, $2::bigint)
              ON CONFLICT (id) DO UPDATE SET newest = greatest(a.newest, excluded.newest)
              """, key),
          ], "version \(version.number) of application \(application)"
        )
      case .audit(let entry, let number):
        let values: [PostgresValue] = [
          .int(number), .int(entry.at.milliseconds), .text(entry.by), .text(entry.application),
          .text(entry.action), .text(entry.detail),
        ]
        return (
          [
            PostgresStatement(
              """
              INSERT INTO \(schema).audit (id, written_at, author, application, action, detail)
              OVERRIDING SYSTEM VALUE
              VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::text)
              ON CONFLICT DO NOTHING
              """, values),
            PostgresStatement(
              """
              SELECT FROM \(schema).audit WHERE id = $1::bigint AND (written_at, author, application,
                action, detail) <> ($2::bigint, $3::text, $4::text, $5::text, $6::text)
              """, values),
            PostgresStatement(
              """
              SELECT setval(pg_get_serial_sequence($1::text, 'id'), max(id)) FROM \(schema).audit
              """, [.text("\(schema).audit")]),
          ], "audit entry \(number)"
        )
      case .user(let state, let key):
        return (
          [
            PostgresStatement(
              """
              INSERT INTO \(schema).user_state (application, user_id, revision, state)
              VALUES ($1::text, $2::text, $3::bigint, $4::text::json)
              ON CONFLICT (application, user_id)
              DO UPDATE SET revision = excluded.revision, state = excluded.state
              """,
              [
                .text(key.application), .text(key.storedUser), .int(PostgresWriter.newRevision()),
                .text(state.row(of: key)),
              ])
          ], nil
        )
      case .answer(let answer, let key, let at):
        let user = answersHaveUsers ? ", user_id" : ""
        return (
          [
            PostgresStatement(
              """
              INSERT INTO \(schema).answer
                (application, request, answered_at, question, answer, version\(user))
              VALUES ($1::text, $2::text, $3::bigint, $4::bytea, $5::bytea, coalesce($6::bigint, 0)
                \(answersHaveUsers ? ", $7::text" : ""))
              ON CONFLICT (application, request) DO UPDATE SET answered_at = excluded.answered_at,
                question = excluded.question, answer = excluded.answer, version = excluded.version
              """,
              [
                .text(key.application), .text(key.request), .int(at.milliseconds),
                .bytes(answer.question), .bytes(answer.bytes),
                .int(answer.version.map { Int64($0) }),
              ] + (answersHaveUsers ? [.text(key.user.isEmpty ? nil : key.storedUser)] : []))
          ], nil
        )
      }
    }
  }
#endif

#if PostgreSQL
  internal import Expressions
  internal import Requests
  internal import RuleEngine

  /// Deletes data that is no longer needed.
  extension PostgresStore {
    package func deleteOld(_ retention: Retention) async throws -> Bool {
      try await pool.run { connection in
        let locked = try connection.run([
          .begin,
          PostgresStatement(
            "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))",
            [.text("tollgate retention \(schema)")]),
        ])
        guard locked[1][0].isTrue(0) else {
          try connection.run([.rollback])
          return false
        }
        let applications = retention.mostOccurrences.keys.sorted()
        let rows = try connection.run([
          deleteAnswers(of: applications, before: retention.oldestAnswer), nextUsers(),
        ])
        let answers = rows[0].count
        try trim(rows[1], retention, connection)
        try connection.run([.commit])
        // After the end of the table, the next call continues at its beginning.
        let hasMoreUsers = rows[1].count == Retention.usersAtOnce
        retained.withLock {
          $0 = hasMoreUsers ? Self.cursor(rows[1].last) : []
        }
        return hasMoreUsers || answers == Retention.answersAtOnce
      }
    }

    private static func cursor(_ row: PostgresRow?) -> [UInt8] {
      (row?.bytes(0) ?? []) + [0] + (row?.bytes(1) ?? [])
    }

    private func deleteAnswers(of applications: [String], before time: Instant)
      -> PostgresStatement
    {
      PostgresStatement(
        """
        DELETE FROM \(schema).answer AS a USING (
          SELECT found.application, found.request
          FROM unnest($1::text[]) AS asked(application)
          CROSS JOIN LATERAL (
            SELECT old.application, old.request FROM \(schema).answer AS old
            WHERE old.application = asked.application AND old.answered_at < $2::bigint
            ORDER BY old.answered_at LIMIT $3::bigint FOR UPDATE SKIP LOCKED) AS found
          LIMIT $3::bigint) AS expired
        WHERE a.application = expired.application AND a.request = expired.request RETURNING 1
        """,
        [.texts(applications), .int(time.milliseconds), .int(Int64(Retention.answersAtOnce))])
    }

    /// The next users in the order of their keys. Only long states are read.
    private func nextUsers() -> PostgresStatement {
      let cursor = retained.withLock { $0 }.split(
        separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
      let parts = (0..<2).map { at in
        cursor.indices.contains(at) ? String(decoding: cursor[at], as: UTF8.self) : ""
      }
      return PostgresStatement(
        """
        SELECT application, user_id, revision,
          CASE WHEN revision = 0 OR octet_length(state::text) <= 2 THEN '{}'::json
          WHEN octet_length(state::text) > 1000 THEN state END AS state
        FROM \(schema).user_state
        WHERE (application, user_id) > ($1::text COLLATE "C", $2::text COLLATE "C")
        ORDER BY application, user_id LIMIT $3::bigint
        """, [.text(parts[0]), .text(parts[1]), .int(Int64(Retention.usersAtOnce))])
    }

    /// Deletes occurrences beyond the limit, and rows of users without any stored state.
    private func trim(
      _ rows: [PostgresRow], _ retention: Retention, _ connection: PostgresConnection
    ) throws {
      var changed: [(row: PostgresRow, state: String?)] = []
      for row in rows {
        guard let bytes = row.bytes(3) else { continue }
        var state = try StoredState(row: bytes)
        if state.isEmpty {
          changed.append((row, nil))
          continue
        }
        guard let most = row.text(0).flatMap({ retention.mostOccurrences[$0] }) else { continue }
        let before = state
        for at in state.occurrences.indices {
          let excess = state.occurrences[at].times.count - most
          if excess > 0 { state.occurrences[at].times.removeFirst(excess) }
        }
        if state != before { changed.append((row, state.row(of: Self.key(row, bytes)))) }
      }
      guard !changed.isEmpty else { return }
      let keys: [PostgresValue] = [
        .texts(changed.map { $0.row.text(0) }), .texts(changed.map { $0.row.text(1) }),
        .ints(changed.map { $0.row.int(2) }), .texts(changed.map(\.state)),
      ]
      try connection.run([
        PostgresStatement(
          """
          UPDATE \(schema).user_state AS u SET state = trimmed.state::json, revision = $5::bigint
          FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
            AS trimmed(application, user_id, revision, state)
          WHERE trimmed.state IS NOT NULL AND u.application = trimmed.application
          AND u.user_id = trimmed.user_id AND u.revision = trimmed.revision
          """, keys + [.int(PostgresWriter.newRevision())]),
        PostgresStatement(
          """
          DELETE FROM \(schema).user_state AS u
          USING unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
            AS trimmed(application, user_id, revision, state)
          WHERE trimmed.state IS NULL AND u.application = trimmed.application
          AND u.user_id = trimmed.user_id AND u.revision = trimmed.revision
          """, keys),
      ])
    }

    package func sizes() async throws -> [TableSize] {
      let rows = try await pool.read([
        PostgresStatement(
          """
          SELECT c.relname::text, pg_total_relation_size(c.oid)::bigint, c.reltuples::bigint
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
          WHERE n.nspname = $1::text AND c.relkind = 'r' ORDER BY 1
          """, [.text(pool.options.schema)])
      ])
      return rows[0].map { row in
        // The estimate is -1 before the table is analyzed.
        TableSize(
          table: row.text(0) ?? "", bytes: Int(row.int(1) ?? 0),
          rows: row.int(2).flatMap { $0 < 0 ? nil : Int($0) })
      }
    }
  }
#endif

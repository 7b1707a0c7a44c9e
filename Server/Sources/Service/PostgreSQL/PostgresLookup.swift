#if PostgreSQL
  internal import Expressions

  /// Finds out whether a transaction whose commit had no answer was stored, instead of repeating the transaction.
  struct PostgresLookup: Sendable {
    enum Outcome: Sendable {
      case stored
      /// The change is not stored, and never will be, so deciding again is safe.
      case notStored
      /// The user was changed once more, so the commit leaves no trace.
      case unknown
    }

    let pool: PostgresPool
    let schema: String

    /// Asks until the database answers or the deadline has passed.
    ///
    /// - Returns: nil without an answer.
    func outcomes(
      of writes: [PostgresWriter.Write], until due: ContinuousClock.Instant
    ) async throws -> [Outcome]? {
      // A repeated request finds its answer or is decided again, because only one of two answers can be stored.
      let open = writes.indices.filter { writes[$0].answering == nil }
      var outcomes = writes.map { _ in Outcome.notStored }
      guard !open.isEmpty else { return outcomes }
      let asked = open.map { writes[$0] }
      pool.counted.withLock { $0.retries += 1 }
      while ContinuousClock.now < due {
        do {
          let found = try await pool.attempt(due: due) { try ask(asked, $0) }
          for (index, outcome) in zip(open, found) { outcomes[index] = outcome }
          return outcomes
        } catch is PostgresFault {
          try await Task.sleep(for: .milliseconds(Int.random(in: 20...80)))
        }
      }
      return nil
    }

    /// Waits for the transactions that hold the users. A user without the change gets another revision, so that the
    /// lost transaction changes nothing if it begins later.
    private func ask(_ writes: [PostgresWriter.Write], _ connection: PostgresConnection) throws
      -> [Outcome]
    {
      let new = writes.filter { $0.revision == 0 }
      let rows = try connection.run([
        .begin, PostgresWriter.rows(for: new.map(\.key), schema),
        PostgresStatement(
          """
          WITH input AS MATERIALIZED (
            SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY
            AS input(application, user_id, revision, fence, number)),
          locked AS MATERIALIZED (
            SELECT input.*, u.revision AS newest FROM input JOIN \(schema).user_state AS u
            ON u.application = input.application AND u.user_id = input.user_id
            ORDER BY u.application, u.user_id FOR UPDATE OF u),
          fenced AS (
            UPDATE \(schema).user_state AS u SET revision = locked.fence FROM locked
            WHERE u.application = locked.application AND u.user_id = locked.user_id
            AND locked.newest = locked.revision)
          SELECT number, newest FROM locked
          """,
          [
            .texts(writes.map(\.key.application)), .texts(writes.map(\.key.storedUser)),
            .ints(writes.map(\.revision)), .ints(writes.map { _ in PostgresWriter.newRevision() }),
          ]), .commit,
      ])
      // A deleted user is decided again.
      var outcomes = writes.map { _ in Outcome.notStored }
      for row in rows[2] {
        guard let number = row.int(0), let newest = row.int(1) else { continue }
        let write = writes[Int(number) - 1]
        outcomes[Int(number) - 1] =
          newest == write.next ? .stored : newest == write.revision ? .notStored : .unknown
      }
      return outcomes
    }
  }
#endif

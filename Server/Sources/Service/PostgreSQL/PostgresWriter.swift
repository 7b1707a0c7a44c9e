#if PostgreSQL
  internal import Expressions
  internal import Requests

  /// Groups the changes of concurrent requests into transactions of one round trip each.
  ///
  /// A group waits for no user: rows that another transaction holds count as changed. New rows and answers are
  /// inserted in one order by every server, so that no two groups wait for each other.
  actor PostgresWriter {
    /// A change of one request.
    struct Write: Sendable {
      let key: StateKey
      /// The revision that was read.
      let revision: Int64
      /// The user's new state; nil if it stays.
      let state: StoredState?
      /// The change with the answer to store; nil for none.
      let answering: StateChange?

      init(_ key: StateKey, _ revision: Int64, _ state: StoredState?, _ answering: StateChange?) {
        self.key = key
        self.revision = revision
        self.state = state
        self.answering = answering
      }
    }

    private struct Waiting {
      let write: Write
      let done: CheckedContinuation<Bool, any Error>
    }

    /// A user or a request that a group can have once.
    private enum Part: Hashable {
      case user(StateKey)
      case request(StateKey)
    }

    private let pool: PostgresPool
    private let schema: String
    private var waiting: [Waiting] = []
    private var running = 0

    /// Writes of one group at most.
    private static let largestGroup = 256
    /// Groups at once: while one waits for the disk, the next one is sent.
    private static let mostGroups = 2

    init(_ pool: PostgresPool, schema: String) {
      self.pool = pool
      self.schema = schema
    }

    /// Stores a change if the user still has its revision and the request has no answer.
    ///
    /// - Returns: whether it was stored. It is on the server's disk then.
    func store(_ write: Write) async throws -> Bool {
      try await withCheckedThrowingContinuation { done in
        waiting.append(Waiting(write: write, done: done))
        guard running < Self.mostGroups else { return }
        running += 1
        Task { await storeAll() }
      }
    }

    private func storeAll() async {
      while !waiting.isEmpty {
        let group = nextGroup()
        guard !group.isEmpty else { continue }
        do {
          let stored = try await store(group.map(\.write))
          for (index, one) in group.enumerated() {
            one.done.resume(returning: stored.contains(index))
          }
        } catch is PostgresFault where group.count > 1 {
          await storeSeparately(group)
        } catch let error as ServiceError
          where error == PostgresFault(.locked).answer && group.count > 1
        {
          await storeSeparately(group)
        } catch {
          for one in group { one.done.resume(throwing: error) }
        }
      }
      running -= 1
    }

    /// Nothing of a group is stored if one of its changes fails.
    private func storeSeparately(_ group: [Waiting]) async {
      for one in group {
        do {
          one.done.resume(returning: try await !store([one.write]).isEmpty)
        } catch {
          one.done.resume(throwing: error)
        }
      }
    }

    /// Takes waiting writes. Of those with one user or request the first is taken, and the others have lost.
    private func nextGroup() -> [Waiting] {
      let candidates = waiting.prefix(Self.largestGroup)
      waiting.removeFirst(candidates.count)
      var parts: Set<Part> = []
      return candidates.filter { one in
        let key = one.write.key
        var own: [Part] = []
        if one.write.state != nil { own.append(.user(StateKey(key.user, in: key.application))) }
        if one.write.answering != nil {
          own.append(.request(StateKey("", request: key.request, in: key.application)))
        }
        guard parts.isDisjoint(with: own) else {
          one.done.resume(returning: false)
          return false
        }
        parts.formUnion(own)
        return true
      }
    }

    /// Stores a group.
    ///
    /// - Returns: the indices of those that were stored.
    private func store(_ writes: [Write]) async throws -> Set<Int> {
      let schema = schema
      return try await pool.run { connection in
        let statements = Self.statements(writes, schema)
        let rows = try connection.run([.begin] + statements.all + [.commit])
        return Set(rows[1 + statements.store].compactMap { $0.int(0).map { Int($0) - 1 } })
      }
    }

    // MARK: Statements

    /// The statements that store changes, and which of them returns the numbers of those that were stored, from 1.
    static func statements(_ writes: [Write], _ schema: String) -> (
      all: [PostgresStatement], store: Int
    ) {
      var statements: [PostgresStatement] = []
      let new = writes.filter { $0.state != nil && $0.revision == 0 }
      if !new.isEmpty { statements.append(rows(for: new.map(\.key), schema)) }
      let store = statements.count
      statements.append(self.store(writes, schema))
      let oldest = writes.reduce(into: [String: Int64]()) { oldest, write in
        guard let change = write.answering else { return }
        let known = oldest[write.key.application] ?? .min
        oldest[write.key.application] = max(known, change.oldestAnswer.milliseconds)
      }
      if !oldest.isEmpty { statements.append(deleteAnswers(before: oldest, schema)) }
      return (statements, store)
    }

    /// Adds rows of users that have none, to be locked.
    static func rows(for keys: [StateKey], _ schema: String) -> PostgresStatement {
      PostgresStatement(
        """
        INSERT INTO \(schema).user_state (application, user_id, revision, state)
        SELECT application, user_id, 0, '{}' FROM unnest($1::text[], $2::text[]) AS new(application, user_id)
        ORDER BY application COLLATE "C", user_id COLLATE "C" ON CONFLICT DO NOTHING
        """, [.texts(keys.map(\.application)), .texts(keys.map(\.storedUser))])
    }

    /// A change counts if its row could be locked with the revision that was read, and then if its answer is the
    /// first one. Both are stored, or none.
    private static func store(_ writes: [Write], _ schema: String) -> PostgresStatement {
      PostgresStatement(
        """
        WITH input AS MATERIALIZED (
          SELECT * FROM unnest(
            $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bytea[],
            $8::bytea[], $9::bigint[], $10::bigint[]) WITH ORDINALITY
          AS input(application, user_id, revision, next, state, request, question, answer, version,
            answered_at, number)),
        locked AS MATERIALIZED (
          SELECT input.number FROM input JOIN \(schema).user_state AS u
          ON u.application = input.application AND u.user_id = input.user_id
            AND u.revision = input.revision
          WHERE input.state IS NOT NULL FOR UPDATE OF u SKIP LOCKED),
        unchanged AS MATERIALIZED (
          SELECT * FROM input WHERE state IS NULL OR number IN (SELECT number FROM locked)),
        answered AS (
          INSERT INTO \(schema).answer (application, request, answered_at, question, answer, version)
          SELECT application, request, answered_at, question, answer, version FROM unchanged
          WHERE request IS NOT NULL ORDER BY application COLLATE "C", request COLLATE "C"
          ON CONFLICT DO NOTHING RETURNING application, request),
        stored AS MATERIALIZED (
          SELECT * FROM unchanged WHERE request IS NULL
          OR (application, request) IN (SELECT application, request FROM answered)),
        updated AS (
          UPDATE \(schema).user_state AS u SET revision = stored.next, state = stored.state::json
          FROM stored WHERE stored.state IS NOT NULL
          AND u.application = stored.application AND u.user_id = stored.user_id)
        SELECT number FROM stored
        """,
        [
          .texts(writes.map(\.key.application)), .texts(writes.map(\.key.storedUser)),
          .ints(writes.map(\.revision)),
          // A number that no other change has, so that a user who was deleted is not taken for what they were.
          .ints(writes.map { _ in Int64.random(in: 1...Int64.max) }),
          .texts(writes.map { $0.state?.row }),
          .texts(writes.map { $0.answering == nil ? nil : $0.key.request }),
          .byteStrings(writes.map { $0.answering?.answer?.question }),
          .byteStrings(writes.map { $0.answering?.answer?.bytes }),
          .ints(writes.map { ($0.answering?.answer?.version).map { Int64($0) } }),
          .ints(writes.map { $0.answering?.answeredAt.milliseconds }),
        ])
    }

    /// Deletes answers past their time: many at once after a pause, but not so many that others wait.
    private static func deleteAnswers(before oldest: [String: Int64], _ schema: String)
      -> PostgresStatement
    {
      let oldest = oldest.sorted { $0.key < $1.key }
      return PostgresStatement(
        """
        DELETE FROM \(schema).answer AS a USING (
          SELECT found.application, found.request
          FROM unnest($1::text[], $2::bigint[]) AS limits(application, oldest)
          CROSS JOIN LATERAL (
            SELECT old.application, old.request FROM \(schema).answer AS old
            WHERE old.application = limits.application AND old.answered_at < limits.oldest
            ORDER BY old.answered_at LIMIT 1000 FOR UPDATE SKIP LOCKED) AS found) AS expired
        WHERE a.application = expired.application AND a.request = expired.request
        """, [.texts(oldest.map(\.key)), .ints(oldest.map(\.value))])
    }
  }
#endif

#if PostgreSQL
  internal import Expressions
  internal import Requests

  /// Groups the changes of concurrent requests into transactions of one round trip each.
  ///
  /// A group does not wait for locked rows: rows that another transaction holds count as changed. All servers insert
  /// new rows and answers in the same order, so that no two groups wait for each other.
  actor PostgresWriter {
    /// A change of one request.
    struct Write: Sendable {
      let key: StateKey
      /// The revision that was read.
      let revision: Int64
      /// The user's new state; nil if the state does not change.
      let state: StoredState?
      /// The change with the answer to store; nil if no answer is stored.
      let answering: StateChange?
      /// The revision that the change gives the user.
      let next = PostgresWriter.newRevision()

      init(_ key: StateKey, _ revision: Int64, _ state: StoredState?, _ answering: StateChange?) {
        self.key = key
        self.revision = revision
        self.state = state
        self.answering = answering
      }
    }

    private struct Waiting {
      let number: Int
      let write: Write
      let due: ContinuousClock.Instant?
    }

    /// A change that has no result yet.
    private struct Open {
      let due: ContinuousClock.Instant?
      let done: CheckedContinuation<Bool, any Error>
    }

    /// A user or a request, which a group can contain only once.
    private enum Part: Hashable {
      case user(StateKey)
      case request(StateKey)
    }

    private let pool: PostgresPool
    private let schema: String
    private let version: Locked<Int>
    private let lookup: PostgresLookup
    private var waiting: [Waiting] = []
    private var open: [Int: Open] = [:]
    private var count = 0
    private var running = 0
    private var isTiming = false

    /// The maximum number of writes in a group.
    private static let largestGroup = 256
    /// The maximum number of groups at once. While one group waits for the disk, the next group is sent.
    private static let mostGroups = 2

    init(_ pool: PostgresPool, schema: String, version: Locked<Int>) {
      self.pool = pool
      self.schema = schema
      self.version = version
      lookup = PostgresLookup(pool: pool, schema: schema)
    }

    /// A number that no other change has, so that a user that was deleted and added again is not mistaken for the
    /// deleted user.
    static func newRevision() -> Int64 { .random(in: 1...Int64.max) }

    /// Stores a change if the user still has the revision that was read, and the request has no answer.
    ///
    /// - Returns: whether the change was stored. A stored change is on the server's disk.
    func store(_ write: Write) async throws -> Bool {
      let due = StateDeadline.current
      return try await withCheckedThrowingContinuation { done in
        count += 1
        waiting.append(Waiting(number: count, write: write, due: due))
        open[count] = Open(due: due, done: done)
        if due != nil, !isTiming {
          isTiming = true
          Task { await endLate() }
        }
        guard running < Self.mostGroups else { return }
        running += 1
        Task { await storeAll() }
      }
    }

    /// Ends changes whose time is over, whether they wait or were sent.
    private func endLate() async {
      while let next = open.values.compactMap(\.due).min() {
        try? await Task.sleep(until: next, clock: .continuous)
        for (number, one) in open where one.due.map({ $0 <= .now }) == true {
          end(number, .failure(PostgresFault(.timedOut).answer!))
        }
        waiting.removeAll { open[$0.number] == nil }
      }
      isTiming = false
    }

    private func end(_ number: Int, _ result: Result<Bool, any Error>) {
      open.removeValue(forKey: number)?.done.resume(with: result)
    }

    private func storeAll() async {
      while !waiting.isEmpty {
        let group = nextGroup()
        guard !group.isEmpty else { continue }
        do {
          let stored = try await store(group)
          for (index, one) in group.enumerated() {
            end(one.number, .success(stored.contains(index)))
          }
        } catch let fault as PostgresFault where fault.isInDoubt {
          await lookUp(group, after: fault)
        } catch let fault as PostgresFault
          where group.count > 1 && (fault.answer == nil || fault.kind == .locked)
        {
          await storeSeparately(group)
        } catch {
          for one in group { end(one.number, .failure(Self.answer(error))) }
        }
      }
      running -= 1
    }

    private static func answer(_ error: any Error) -> any Error {
      (error as? PostgresFault)?.answer ?? error
    }

    /// Stores the changes of a failed group separately, because no change of a group is stored if one change fails.
    private func storeSeparately(_ group: [Waiting]) async {
      for one in group {
        do {
          end(one.number, .success(try await !store([one]).isEmpty))
        } catch let fault as PostgresFault where fault.isInDoubt {
          await lookUp([one], after: fault)
        } catch {
          end(one.number, .failure(Self.answer(error)))
        }
      }
    }

    private func lookUp(_ group: [Waiting], after fault: PostgresFault) async {
      let due = group.compactMap(\.due).max() ?? .now + .seconds(2)
      let outcomes = try? await lookup.outcomes(of: group.map(\.write), until: due)
      for (index, one) in group.enumerated() {
        switch outcomes?[index] {
        case .stored: end(one.number, .success(true))
        case .notStored: end(one.number, .success(false))
        case .unknown, nil: end(one.number, .failure(Self.answer(fault)))
        }
      }
    }

    /// Takes waiting writes. Among writes for the same user or request, the first is taken, and the others fail.
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
          end(one.number, .success(false))
          return false
        }
        parts.formUnion(own)
        return true
      }
    }

    /// Stores a group.
    ///
    /// - Returns: the indices of the stored changes.
    private func store(_ group: [Waiting]) async throws -> Set<Int> {
      let (writes, schema, counted) = (group.map(\.write), schema, pool.counted)
      let version = version.withLock { $0 }
      let due = group.contains { $0.due == nil } ? nil : group.compactMap(\.due).max()
      return try await pool.attempt(due: due) { connection in
        let statements = Self.statements(writes, schema, version)
        let rows = try connection.run([.begin] + statements.all + [.commit])
        counted.withLock { $0.groups.add(writes.count) }
        return Set(rows[1 + statements.store].compactMap { $0.int(0).map { Int($0) - 1 } })
      }
    }

    // MARK: Statements

    /// The statements that store changes, and the index of the statement that returns the numbers of the stored
    /// changes, from 1.
    static func statements(_ writes: [Write], _ schema: String, _ version: Int) -> (
      all: [PostgresStatement], store: Int
    ) {
      var statements: [PostgresStatement] = []
      let new = writes.filter { $0.state != nil && $0.revision == 0 }
      if !new.isEmpty { statements.append(rows(for: new.map(\.key), schema)) }
      let store = statements.count
      statements.append(self.store(writes, schema, version))
      return (statements, store)
    }

    /// Adds rows for users without a row, so that the rows can be locked.
    static func rows(for keys: [StateKey], _ schema: String) -> PostgresStatement {
      PostgresStatement(
        """
        INSERT INTO \(schema).user_state (application, user_id, revision, state)
        SELECT application, user_id, 0, '{}' FROM unnest($1::text[], $2::text[]) AS new(application, user_id)
        ORDER BY application COLLATE "C", user_id COLLATE "C" ON CONFLICT DO NOTHING
        """, [.texts(keys.map(\.application)), .texts(keys.map(\.storedUser))])
    }

    /// A change is stored if its row could be locked with the revision that was read, and if its answer is the first
    /// answer to the request. The row and the answer are stored together, or not at all.
    private static func store(_ writes: [Write], _ schema: String, _ version: Int)
      -> PostgresStatement
    {
      let user = version >= PostgresSchema.answersHaveUsers ? ", user_id" : ""
      return PostgresStatement(
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
          INSERT INTO \(schema).answer (application, request, answered_at, question, answer, version\(user))
          SELECT application, request, answered_at, question, answer, version\(user) FROM unchanged
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
          .ints(writes.map(\.next)),
          .texts(writes.map { $0.state?.row(of: $0.key) }),
          .texts(writes.map { $0.answering == nil ? nil : $0.key.request }),
          .byteStrings(writes.map { $0.answering?.answer?.question }),
          .byteStrings(writes.map { $0.answering?.answer?.bytes }),
          .ints(writes.map { ($0.answering?.answer?.version).map { Int64($0) } }),
          .ints(writes.map { $0.answering?.answeredAt.milliseconds }),
        ])
    }
  }
#endif

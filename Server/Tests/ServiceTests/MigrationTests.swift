#if PostgreSQL
  import Expressions
  import Foundation
  import Requests
  import RuleEngine
  import Testing

  @testable import Service

  /// Tables of other versions.
  @Suite(.enabled(if: TestDatabase.isAvailable, TestDatabase.missing))
  struct MigrationTests {
    /// Creates the tables of a version, as an older program does.
    private static func create(_ schema: String, version: Int) throws {
      try PostgresSchema(schema).migrate(
        PostgresConnection(TestDatabase.options(schema)), to: version)
    }

    private static func store(_ request: String, _ store: PostgresStore) async throws -> Bool {
      var change = StateChange(
        now: Instant(milliseconds: 0), answer: StoredAnswer(question: [1], bytes: [2], version: 3),
        answeredAt: ServiceTime.now(), keeping: 60_000)
      change.occurrences = ["k"]
      let key = StateKey("u", request: request, in: "1")
      return try await store.store(change, of: key, ifStill: store.read(key))
    }

    private static func users(_ store: PostgresStore) async throws -> [String?] {
      let rows = try await store.pool.read([
        PostgresStatement("SELECT user_id FROM \(store.schema).answer ORDER BY request")
      ])
      return rows[0].map { $0.text(0) }
    }

    @Test func tablesOfANewerProgramAreRefused() async throws {
      let schema = TestDatabase.newSchema()
      let store = try await TestDatabase.store(schema)
      _ = try await store.pool.run {
        try $0.run([PostgresStatement("INSERT INTO \(store.schema).migration VALUES (99)")])
      }
      let error = await #expect(throws: ServiceError.self) { try await TestDatabase.store(schema) }
      #expect(error?.message.contains("version 99") == true)
      #expect(error?.message.contains("newer tollgate-server") == true)
    }

    /// A server works with the tables before its own, and takes its own as soon as they are there.
    @Test func twoVersionsWorkSideBySide() async throws {
      let schema = TestDatabase.newSchema()
      try Self.create(schema, version: PostgresSchema.newest - 1)
      let store = try await TestDatabase.store(schema) { $0.migrates = false }
      #expect(store.version.withLock { $0 } == PostgresSchema.newest - 1)
      #expect(try await Self.store("a", store))
      // Another server brings the tables up to date meanwhile.
      let other = try await TestDatabase.store(schema)
      #expect(try await Self.store("b", store))
      #expect(try await Self.store("c", other))
      _ = try await store.newestVersions(waiting: .zero)
      #expect(try await Self.store("d", store))
      #expect(try await Self.users(store) == [nil, nil, "u", "u"])
      for request in ["a", "b", "c", "d"] {
        let stored = try await store.read(StateKey("u", request: request, in: "1"))
        #expect(stored.answer != nil && stored.user.occurrences[0].times.count == 4)
      }
    }

    @Test(arguments: [nil, 0])
    func otherTablesAreRefusedWithWhatToDo(_ version: Int?) async throws {
      let schema = TestDatabase.newSchema()
      if let version { try Self.create(schema, version: version) }
      let error = await #expect(throws: ServiceError.self) {
        try await TestDatabase.store(schema) { $0.migrates = false }
      }
      #expect(error?.message.contains("'tollgate-server migrate'") == true)
      #expect(error?.message.contains("version 0") == (version == 0))
    }

    @Test func migratingSaysWhatItDid() async throws {
      let schema = TestDatabase.newSchema()
      let options = try TestDatabase.options(schema)
      var (from, to) = try await PostgresStore.migrate(options)
      #expect(from == nil && to == PostgresSchema.newest)
      (from, to) = try await PostgresStore.migrate(options)
      #expect(from == to)
    }

    /// A table that is in use is waited for in short turns, so that others are not held up.
    @Test func migratingWaitsForTables() async throws {
      let schema = TestDatabase.newSchema()
      try Self.create(schema, version: 1)
      let other = try PostgresConnection(TestDatabase.options(schema))
      try other.run([.begin, PostgresStatement("SELECT FROM \"\(schema)\".answer")])
      let migrating = Task { try await PostgresStore.migrate(try TestDatabase.options(schema)) }
      try await Task.sleep(for: .milliseconds(1_300))
      try other.run([.commit])
      let (from, to) = try await migrating.value
      #expect(from == 1 && to == PostgresSchema.newest)
    }

    /// While one server deletes what is old, another one does not.
    @Test func oneServerDeletesAtATime() async throws {
      let schema = TestDatabase.newSchema()
      let store = try await TestDatabase.store(schema)
      #expect(try await Self.store("a", store))
      let retention = Retention(
        oldestAnswer: Instant(milliseconds: .max), mostOccurrences: ["1": 100])
      let other = try PostgresConnection(TestDatabase.options(schema))
      try other.run([
        .begin,
        PostgresStatement(
          "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
          [.text("tollgate retention \(store.schema)")]),
      ])
      #expect(try await store.deleteOld(retention) == false)
      #expect(try await Self.users(store).count == 1)
      try other.run([.commit])
      #expect(try await store.deleteOld(retention) == false)
      #expect(try await Self.users(store).isEmpty)
    }

    /// Rows that a lost commit or a lost answer left behind.
    @Test func rowsOfUsersWithoutStateAreDeleted() async throws {
      let store = try await TestDatabase.store(TestDatabase.newSchema())
      let write = PostgresWriter.Write(StateKey("lost", in: "1"), 0, StoredState(), nil)
      let due = ContinuousClock.now + .seconds(20)
      _ = try await store.lookup.outcomes(of: [write], until: due)
      #expect(try await Self.store("a", store))
      func users() async throws -> [String?] {
        let rows = try await store.pool.read([
          PostgresStatement("SELECT user_id FROM \(store.schema).user_state")
        ])
        return rows[0].map { $0.text(0) }.sorted { $0 ?? "" < $1 ?? "" }
      }
      #expect(try await users() == ["lost", "u"])
      _ = try await store.deleteOld(
        Retention(oldestAnswer: Instant(milliseconds: 0), mostOccurrences: [:]))
      #expect(try await users() == ["u"])
    }
  }
#endif

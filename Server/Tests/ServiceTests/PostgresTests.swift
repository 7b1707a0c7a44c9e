#if PostgreSQL
  import Expressions
  import Foundation
  import HTTPTypes
  import Requests
  import RuleEngine
  import Testing

  @testable import Service

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// What only PostgreSQL can do or fail at.
  @Suite(.enabled(if: TestDatabase.isAvailable, TestDatabase.missing))
  struct PostgresTests {
    private static func change(_ key: String = "k") -> StateChange {
      var change = StateChange(
        now: Instant(milliseconds: 0), answer: nil, answeredAt: ServiceTime.now(), keeping: 60_000)
      change.occurrences = [key]
      return change
    }

    private func add(_ user: String, _ store: any StateStore) async throws -> Bool {
      let key = StateKey(user, in: "1")
      return try await store.store(Self.change(), of: key, ifStill: store.read(key))
    }

    // MARK: The address

    @Test(arguments: [
      "", "hunter2", "http://user:hunter2@localhost/x", "postgresql://user:hunter2@[/x",
      "postgresql://user:hunter2@localhost/x?hunter2=1",
      "postgresql://user:hunter2@localhost:port/x",
      "postgresql://user:hunter2@hunter2.invalid/x", "postgresql://user:hunter2@127.0.0.1:1/x",
      "postgresql://user:hunter2@127.0.0.1:1/x?sslmode=verify-full&sslrootcert=/hunter2",
    ])
    func addressesAreNeverPrinted(_ url: String) async throws {
      var options = PostgresOptions(url: url, log: TestServer.quiet)
      options.connectTimeout = 2_000
      let error = await #expect(throws: ServiceError.self) { try await PostgresStore(options) }
      #expect(error?.message.contains("database") == true)
      #expect("\(error as Any)".contains("hunter2") == false)
    }

    @Test(.enabled(if: TestDatabase.isOwn))
    func passwordsAreChecked() async throws {
      let server = try TestDatabase.own.get()
      func url(_ password: String, _ more: String = "") -> String {
        "postgresql://tollgate:\(password)@localhost:\(server.port)/postgres\(more)"
      }
      let schema = TestDatabase.newSchema()
      func store(_ url: String) async throws -> PostgresStore {
        try await TestDatabase.store(schema) { $0.url = url }
      }
      try await store(url("a-Secret-of-tests")).check()
      for (password, more) in [("hunter2", ""), ("a-Secret-of-tests", "?dbname=hunter2")] {
        let error = await #expect(throws: ServiceError.self) {
          try await store(url(password, more))
        }
        #expect(error?.code == "database_unavailable")
        #expect(
          error?.message.contains(password == "hunter2" ? "password" : "does not exist") == true)
        #expect("\(error as Any)".contains("hunter2") == false)
      }
      // The certificate is for localhost, by a root of the tests.
      let verified = "?sslmode=verify-full&sslrootcert=\(server.folder.path)"
      try await store(url("a-Secret-of-tests", verified + "/root.pem")).check()
      for (more, host) in [("/other.pem", "localhost"), ("/root.pem", "127.0.0.1")] {
        let error = await #expect(throws: ServiceError.self) {
          try await store(
            url("a-Secret-of-tests", verified + more).replacing("@localhost", with: "@\(host)"))
        }
        #expect(error?.message.contains("TLS") == true)
      }
    }

    // MARK: Tables

    @Test func serversThatBeginAtOnceMakeTheTablesOnce() async throws {
      let schema = TestDatabase.newSchema()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<6 {
          group.addTask { try await TestDatabase.store(schema).check() }
        }
        try await group.waitForAll()
      }
      let store = try await TestDatabase.store(schema)
      let rows = try await store.pool.read([
        PostgresStatement("SELECT number FROM \(store.schema).migration")
      ])
      #expect(rows[0].map { $0.int(0) } == (1...Int64(PostgresSchema.newest)).map { $0 })
    }

    @Test(arguments: [
      ("tollgate", true), ("_a1", true), ("user", true), ("", false), ("Tollgate", false),
      ("1a", false), ("a-b", false), ("a\"b", false), ("pg_x", false),
      (String(repeating: "a", count: 63), true), (String(repeating: "a", count: 64), false),
    ])
    func schemasHavePlainNames(_ name: String, _ isValid: Bool) {
      #expect((PostgresOptions.problem(ofSchema: name) == nil) == isValid)
    }

    /// A word of SQL can be a schema, and two schemas share nothing.
    @Test func schemasAreApart() async throws {
      let (a, b) = (
        try await TestDatabase.store("user"), try await TestDatabase.store(TestDatabase.newSchema())
      )
      let user = UUID().uuidString
      #expect(try await add(user, a))
      #expect(try await a.states(of: [user], in: "1").count == 1)
      #expect(try await b.states(of: [user], in: "1").isEmpty)
    }

    // MARK: Waiting

    /// A user whose row is locked holds up nobody else.
    @Test func usersDoNotWaitForEachOther() async throws {
      let schema = TestDatabase.newSchema()
      let store = try await TestDatabase.store(schema) { $0.lockTimeout = 300 }
      #expect(try await add("held", store))
      let other = try PostgresConnection(TestDatabase.options(schema))
      try other.run([
        .begin, PostgresStatement("SET LOCAL idle_in_transaction_session_timeout = 0"),
        PostgresStatement(
          "SELECT FROM \(store.schema).user_state WHERE user_id = 'held' FOR UPDATE"),
      ])
      let server = try await TestServer(store: store) { $0.keepsState = true }
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<20 {
          group.addTask { try await self.add(number % 2 == 0 ? "held" : "u\(number)", store) }
        }
        let stored = try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        #expect(stored == 10)
      }
      // Who changes the user waits for a moment, and is told to try again.
      let error = await #expect(throws: ServiceError.self) {
        try await store.update([StateKey("held", in: "1")]) { _, _ in ((), Self.change()) }
      }
      #expect(error?.status == .serviceUnavailable && error?.headers[.retryAfter] == "1")
      #expect(try await server.send("GET", "/readyz").status == 200)
      try other.run([.rollback])
      #expect(try await add("held", store))
    }

    @Test func connectionsAreLimited() async throws {
      let schema = TestDatabase.newSchema()
      let store = try await TestDatabase.store(schema) {
        $0.connections = 2
        $0.connectTimeout = 300
        $0.statementTimeout = 20_000
      }
      let sleeping = (0..<2).map { _ in
        Task { try await store.pool.read([PostgresStatement("SELECT pg_sleep(1)")]) }
      }
      try await Task.sleep(for: .milliseconds(100))
      let error = await #expect(throws: ServiceError.self) { try await store.check() }
      #expect(error?.code == "database_unavailable")
      #expect(error?.message.contains("in use") == true)
      for task in sleeping { _ = try await task.value }
      try await store.check()
    }

    @Test func slowStatementsEnd() async throws {
      let store = try await TestDatabase.store(TestDatabase.newSchema()) {
        $0.statementTimeout = 200
      }
      let start = ContinuousClock.now
      let error = await #expect(throws: ServiceError.self) {
        try await store.pool.read([PostgresStatement("SELECT pg_sleep(10)")])
      }
      #expect(error?.message.contains("in time") == true)
      #expect(ContinuousClock.now - start < .seconds(5))
      try await store.check()
    }

    // MARK: Configs

    private static func publish(_ store: PostgresStore) async throws -> Int {
      try await store.publish(
        NewConfig([1], of: "1", by: "test", source: "api", note: nil, at: ServiceTime.now()))
    }

    @Test func noticesArriveAtOnce() async throws {
      let schema = TestDatabase.newSchema()
      let (store, other) = (
        try await TestDatabase.store(schema), try await TestDatabase.store(schema)
      )
      #expect(try await store.newestVersions(waiting: .seconds(60)) == [:])
      let heard = Task { try await store.newestVersions(waiting: .seconds(60)) }
      try await Task.sleep(for: .milliseconds(50))
      let start = ContinuousClock.now
      #expect(try await Self.publish(other) == 1)
      #expect(try await heard.value == ["1": 1])
      #expect(ContinuousClock.now - start < .seconds(30))
      // One that came before it was waited for, and one that is lost with the connection.
      #expect(try await Self.publish(other) == 2)
      #expect(try await store.newestVersions(waiting: .seconds(60)) == ["1": 2])
      #expect(try await Self.publish(other) == 3)
      try await Self.cut(store)
      let lost = try? await store.newestVersions(waiting: .seconds(60))
      #expect(lost == nil || lost == ["1": 3])
      #expect(try await store.newestVersions(waiting: .milliseconds(10)) == ["1": 3])
    }

    // MARK: Processes

    /// What was answered is the same from every server after one was killed, and nothing printed has the address.
    @Test(.enabled(if: TestDatabase.isOwn))
    func killedServersForgetNothing() async throws {
      let own = try TestDatabase.own.get()
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let url = own.url.replacing("tollgate@", with: "tollgate:a-Secret-of-tests@")
      try Data((url + "\n").utf8).write(to: folder.appending(path: "url"))
      try Data(FleetTests.config.utf8).write(to: folder.appending(path: "config.json"))
      let schema = TestDatabase.newSchema()
      func start() throws -> ServerProcess {
        try ServerProcess(
          [
            "--config", "config.json", "--state", "postgres", "--database-url-file", "url",
            "--database-schema", schema, "--log-level", "debug",
          ], in: folder)
      }
      func decide(_ id: String, _ server: ServerProcess) async throws -> String {
        var request = URLRequest(url: URL(string: server.url + "/v1/decide")!)
        request.httpMethod = "POST"
        let user = id.split(separator: "-")[0]
        request.httpBody = Data(
          #"{"userId":"\#(user)","user":{"ok":true},"requestId":"\#(id)"}"#.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        return String(decoding: data, as: UTF8.self)
      }
      let (first, second) = (try start(), try start())
      let answers = await withTaskGroup(of: [String: String].self) { group in
        for lane in 0..<4 {
          group.addTask {
            var answers: [String: String] = [:]
            for number in 0..<40 {
              let id = "u\(number % 7)-\(lane)-\(number)"
              guard let text = try? await decide(id, lane % 2 == 0 ? first : second) else { break }
              answers[id] = text
            }
            return answers
          }
        }
        try? await Task.sleep(for: .milliseconds(150))
        first.kill()
        return await group.reduce(into: [:]) { $0.merge($1) { $1 } }
      }
      #expect(answers.count >= 80)
      let third = try start()
      for (id, text) in answers {
        #expect(try await decide(id, third) == text)
        #expect(try await decide(id, second) == text)
      }
      let store = try await TestDatabase.store(schema)
      for user in 0..<7 {
        let shown = answers.filter {
          $0.key.hasPrefix("u\(user)-") && $0.value.contains(#""result":"paywall""#)
        }
        let stored = try await store.read(StateKey("u\(user)", in: "1"))
        // One whose answer was lost may have been counted.
        #expect(stored.user.occurrences[0].times.count == 2 && shown.count <= 2)
      }
      let metrics = try ServerProcess.run("curl -s \(third.url)/metrics", in: folder).output
      #expect(metrics.contains("tollgate"))
      for text in [first.log, second.log, third.log, metrics] {
        #expect(!text.contains("a-Secret") && !text.contains(own.folder.path))
      }
    }

    // MARK: Figures

    private static func figures(_ server: TestServer) async throws -> [String: Double] {
      try await server.send("GET", "/metrics").text.split(separator: "\n").reduce(into: [:]) {
        guard !$1.hasPrefix("#"), let space = $1.lastIndex(of: " ") else { return }
        $0[String($1[..<space])] = Double($1[$1.index(after: space)...])
      }
    }

    /// Reading what is stored takes one round trip, and storing another one.
    @Test func metricsCountRoundTrips() async throws {
      let store = try await TestDatabase.store(TestDatabase.newSchema())
      let server = try await TestServer(store: store) {
        $0.keepsState = true
        $0.fixtures = Fixtures(applications: [
          .init(
            id: "1", publicKey: "pk_test", secretKey: "sk_test",
            config: Array(FleetTests.config.utf8))
        ])
      }
      let body = #"{"userId":"u","user":{"ok":true}"#
      _ = try await server.post("/v1/decide", body + "}")
      func trips(_ more: String) async throws -> Double {
        let name = "tollgate_database_round_trips_total"
        let before = try #require(try await Self.figures(server)[name])
        #expect(try await server.post("/v1/decide", body + more).status == 200)
        return try await Self.figures(server)[name]! - before
      }
      #expect(try await trips(#","record":false}"#) == 1)
      #expect(try await trips(#","record":false}"#) == 1)
      #expect(try await trips("}") == 2)
      // The limit is reached, so nothing is left to store.
      #expect(try await trips("}") == 1)
      let figures = try await Self.figures(server)
      #expect(figures["tollgate_database_connections_limit"] == 4)
      #expect((1...4).contains(figures["tollgate_database_connections"] ?? 0))
      #expect(figures["tollgate_database_connections_in_use"] == 0)
      #expect(figures["tollgate_database_waiting"] == 0)
      #expect(figures["tollgate_database_group_size_count"] == 2)
      #expect(figures["tollgate_database_group_size_sum"] == 2)
      #expect(figures[#"tollgate_database_group_size_bucket{le="1"}"#] == 2)
      #expect(figures["tollgate_database_connection_failures_total"] == 0)
      try await Self.cut(store)
      #expect(try await server.post("/v1/decide", body + "}").status == 200)
      let retries = try await Self.figures(server)["tollgate_database_retries_total"]
      #expect((retries ?? -1) >= 0)
    }

    /// A change that comes too late counts as a conflict.
    @Test func metricsCountConflicts() async throws {
      let store = try await TestDatabase.store(TestDatabase.newSchema())
      let server = try await TestServer(store: store) { $0.keepsState = true }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<24 {
          group.addTask {
            let body = #"{"userId":"u","user":{"plan":"free"},"requestId":"\#(number)"}"#
            for _ in 0..<3 where (try? await server.post("/v1/decide", body))?.status == 200 {
              return
            }
          }
        }
      }
      let figures = try await Self.figures(server)
      #expect((figures["tollgate_state_conflicts_total"] ?? 0) > 0)
      #expect((figures["tollgate_database_group_size_count"] ?? 0) > 0)
    }

    // MARK: Lost connections

    private static func cut(_ store: PostgresStore) async throws {
      let other = try PostgresConnection(TestDatabase.options("x"))
      try other.run([
        PostgresStatement(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE pid <> pg_backend_pid() AND application_name = 'tollgate-server'
          AND query LIKE $1::text
          """, [.text("%\(store.schema)%")])
      ])
    }

    /// A change that was acknowledged is stored once; another one may be.
    @Test func nothingAcknowledgedIsLost() async throws {
      let store = try await TestDatabase.store(TestDatabase.newSchema())
      let counts = await withTaskGroup(of: (stored: Int, lost: Int).self) { group in
        for lane in 0..<4 {
          group.addTask {
            var counts = (stored: 0, lost: 0)
            for _ in 0..<60 {
              do {
                if try await self.add("u\(lane)", store) { counts.stored += 1 }
              } catch {
                #expect((error as? ServiceError)?.status == .serviceUnavailable, "\(error)")
                counts.lost += 1
                try? await Task.sleep(for: .milliseconds(20))
              }
            }
            return counts
          }
        }
        for _ in 0..<10 {
          try? await Task.sleep(for: .milliseconds(20))
          try? await Self.cut(store)
        }
        return await group.reduce(into: (0, 0)) {
          $0 = ($0.0 + $1.stored, $0.1 + $1.lost)
        }
      }
      var kept = 0
      for lane in 0..<4 {
        let stored = try await store.read(StateKey("u\(lane)", in: "1"))
        kept += stored.user.occurrences.first?.times.count ?? 0
      }
      #expect(kept >= counts.0 && kept <= counts.0 + counts.1)
      #expect(counts.0 > 0)
    }
  }
#endif

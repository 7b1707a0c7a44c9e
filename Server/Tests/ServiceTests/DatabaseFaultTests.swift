#if PostgreSQL
  import Expressions
  import Foundation
  import HTTPTypes
  import Requests
  import RuleEngine
  import Testing

  @testable import Service

  /// What happens to requests while PostgreSQL is slow, gone or full.
  @Suite(.enabled(if: TestDatabase.isOwn, TestDatabase.missing))
  struct DatabaseFaultTests {
    private struct Broken {
      let proxy: TestProxy
      let store: PostgresStore
      let server: TestServer
      /// The same tables without the proxy.
      let direct: PostgresStore
    }

    private static func broken(
      _ withoutState: WithoutState = .refuse, patience: Duration = .seconds(30),
      _ change: (inout PostgresOptions) -> Void = { _ in }
    ) async throws -> Broken {
      let proxy = try TestProxy(to: try TestDatabase.own.get().port)
      let schema = TestDatabase.newSchema()
      let direct = try await TestDatabase.store(schema)
      let store = try await TestDatabase.store(schema) {
        $0.url = proxy.url()
        change(&$0)
      }
      let server = try await TestServer(store: store) {
        $0.keepsState = true
        $0.withoutState = withoutState
        $0.storePatience = patience
        $0.fixtures = Fixtures(applications: [
          .init(
            id: "1", publicKey: "pk_test", secretKey: "sk_test",
            config: Array(FleetTests.config.utf8))
        ])
      }
      return Broken(proxy: proxy, store: store, server: server, direct: direct)
    }

    private static func body(_ user: String, _ more: String = "") -> String {
      #"{"userId":"\#(user)","user":{"ok":true},"now":"2026-03-01T12:00:00Z"\#(more)}"#
    }

    private static func count(_ user: String, _ store: PostgresStore) async throws -> Int {
      try await store.read(StateKey(user, in: "1")).user.occurrences.first?.times.count ?? 0
    }

    // MARK: Lost commits

    /// Whether or not the change arrived, the request is answered and counted once.
    @Test(arguments: [TestProxy.Harm.cutChange, .cutAnswer], ["", #","requestId":"r""#])
    func aLostCommitIsLookedUp(_ harm: TestProxy.Harm, _ more: String) async throws {
      let broken = try await Self.broken()
      for user in ["new", "new2"] {
        for round in 1...2 {
          broken.proxy.harm = harm
          let more = more.replacing("r\"", with: "\(user)\(round)\"")
          let answer = try await broken.server.post("/v1/decide", Self.body(user, more))
          #expect(answer.status == 200, "\(answer.text)")
          #expect(try await Self.count(user, broken.direct) == round)
        }
      }
      #expect(broken.proxy.cuts == 4)
    }

    /// The same for a transaction with locks, whose commit is a message of its own.
    @Test(arguments: [
      TestProxy.Harm.cutChange, .cutAnswer, .cutCommit, .cutCommitAnswer,
    ])
    func aLostCommitOfLinesIsLookedUp(_ harm: TestProxy.Harm) async throws {
      let broken = try await Self.broken()
      for round in 1...2 {
        broken.proxy.harm = harm
        let answer = try await broken.server.post(
          "/v1/decide/stream",
          Self.body("a", #","record":true"#) + "\n" + Self.body("b", #","requestId":"\#(round)""#))
        #expect(!answer.text.contains("error"), "\(answer.text)")
        #expect(try await Self.count("a", broken.direct) == round)
        #expect(try await Self.count("b", broken.direct) == round)
      }
      #expect(broken.proxy.cuts == 2)
    }

    @Test func aLostCommitOfAConfigIsLookedUp() async throws {
      let broken = try await Self.broken()
      broken.proxy.harm = .cutAnswer
      let raw = Array(#"{"occurrences":1}"#.utf8)
      let number = try await broken.store.publish(
        NewConfig(raw, of: "1", by: "test", source: "api", note: nil))
      #expect(number == 2 && broken.proxy.cuts == 1)
      broken.proxy.harm = .cutChange
      let error = await #expect(throws: ServiceError.self) {
        try await broken.store.publish(
          NewConfig(raw, of: "1", by: "test", source: "api", note: "again"))
      }
      #expect(error?.status == .serviceUnavailable)
      #expect(try await broken.direct.versions(of: "1", limit: 9).map(\.number) == [2, 1])
    }

    /// The lost transaction may still run: it changes nothing once it counts as not stored.
    @Test func aLateCommitChangesNothing() async throws {
      let store = try await TestDatabase.store(TestDatabase.newSchema())
      var change = StateChange(
        now: Instant(milliseconds: 0), answer: nil, answeredAt: ServiceTime.now(), keeping: 60_000)
      change.occurrences = ["k"]
      for revision in [Int64(0), nil] {
        let key = StateKey("u", in: "1")
        let stored = try await store.read(key)
        let write = PostgresWriter.Write(
          key, revision ?? stored.revision, stored.state.applying(change), nil)
        let due = ContinuousClock.now + .seconds(60)
        #expect(try await store.lookup.outcomes(of: [write], until: due) == [.notStored])
        _ = try await store.pool.run { connection in
          try connection.run(
            [.begin]
              + PostgresWriter.statements([write], store.schema, PostgresSchema.newest).all + [
                .commit
              ]
          )
        }
        #expect(try await Self.count("u", store) == (revision == nil ? 1 : 0))
        #expect(try await store.lookup.outcomes(of: [write], until: due) != [.stored])
        #expect(try await store.store(change, of: key, ifStill: store.read(key)))
      }
      #expect(try await Self.count("u", store) == 2)
    }

    // MARK: Without an answer

    private static let faults: [TestProxy.Harm] = [.stall, .refuse]

    @Test(arguments: faults)
    func requestsAreRefusedInTime(_ harm: TestProxy.Harm) async throws {
      let broken = try await Self.broken(patience: .seconds(2))
      _ = try await Self.decided(broken, "u")
      broken.proxy.harm = harm
      let start = ContinuousClock.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, path) in [
          "/v1/decide", "/v1/explain", "/ofrep/v1/evaluate/flags/p", "/v1/decide",
        ].enumerated() {
          group.addTask {
            let body =
              path.hasPrefix("/ofrep")
              ? #"{"context":{"targetingKey":"u"}}"#
              : path == "/v1/explain" ? #"{"user":{"userId":"u"}}"# : Self.body("u\(number)")
            let answer = try await broken.server.post(path, body)
            #expect(answer.status == 503 && answer.code == "database_unavailable", "\(answer.text)")
            #expect(answer.headers["retry-after"] == "1")
          }
        }
        for path in ["/v1/config/history", "/v1/audit", "/readyz"] {
          group.addTask {
            let answer = try await broken.server.send("GET", path, key: "sk_test")
            #expect(answer.status == 503, "\(path)")
          }
        }
        try await group.waitForAll()
      }
      // The machine may be busy.
      #expect(ContinuousClock.now - start < .seconds(12))
      broken.proxy.harm = .none
      try await Self.recovered(broken)
      // What was refused may be stored, but only once.
      #expect(try await Self.count("u0", broken.direct) <= 1)
    }

    private static func recovered(_ broken: Broken) async throws {
      let deadline = ContinuousClock.now + .seconds(60)
      while true {
        let ready = try await broken.server.send("GET", "/readyz")
        if ready.status == 200, ready.json["withoutState"] == nil { break }
        try #require(ContinuousClock.now < deadline)
        try await Task.sleep(for: .milliseconds(20))
      }
      _ = try await decided(broken, "after")
    }

    /// The answer with stored state. A busy machine may need several tries; a request ID has its effects once.
    private static func decided(_ broken: Broken, _ user: String) async throws -> TestServer.Answer
    {
      let deadline = ContinuousClock.now + .seconds(60)
      let request = body(user, #","requestId":"\#(TestDatabase.newSchema())""#)
      while true {
        let answer = try await broken.server.post("/v1/decide", request)
        if answer.status == 200, answer.headers["tollgate-without-state"] == nil { return answer }
        try #require(ContinuousClock.now < deadline, "\(answer.text)")
        try await Task.sleep(for: .milliseconds(50))
      }
    }

    @Test(arguments: faults)
    func requestsAreDecidedWithoutState(_ harm: TestProxy.Harm) async throws {
      let broken = try await Self.broken(.decide, patience: .seconds(2))
      let server = broken.server
      func result(_ answer: TestServer.Answer) -> Value? {
        answer.json["decisions"]?.elements?.first?["result"]?["result"]
      }
      // The limit is 2.
      for expected in ["paywall", "paywall", "noAudienceMatch"] as [Value] {
        #expect(result(try await Self.decided(broken, "u")) == expected)
      }
      func count() async throws -> Int? {
        let metrics = try await server.send("GET", "/metrics").text
        return metrics.split(separator: "\n").first {
          $0.hasPrefix("tollgate_without_state_total ")
        }
        .flatMap { Int($0.split(separator: " ")[1]) }
      }
      let before = try #require(try await count())
      broken.proxy.harm = harm
      let answer = try await server.post("/v1/decide", Self.body("u", #","requestId":"r""#))
      #expect(answer.status == 200 && result(answer) == "paywall", "\(answer.text)")
      #expect(answer.headers["tollgate-without-state"] == "true")
      #expect(answer.headers["tollgate-config-version"] == "1")
      let lines = [Self.body("u"), Self.body("u", #","record":true"#), #"{"userId":1}"#]
      let stream = try await server.post("/v1/decide/stream", lines.joined(separator: "\n"))
      let results = try stream.text.split(separator: "\n").map { try Value.parse(json: $0.utf8) }
      #expect(results.count == 3 && results[2]["error"] != nil)
      #expect(results[1]["decisions"]?.elements?.first?["result"]?["result"] == "paywall")
      #expect(results.map { $0["withoutState"] } == [true, true, nil])
      for (path, body) in [
        ("/v1/explain", #"{"user":{"userId":"u","user":{"ok":true}}}"#),
        ("/ofrep/v1/evaluate/flags/p", #"{"context":{"targetingKey":"u","ok":true}}"#),
        ("/ofrep/v1/evaluate/flags", #"{"context":{"targetingKey":"u","ok":true}}"#),
      ] {
        let answer = try await server.post(path, body)
        #expect(
          answer.status == 200 && answer.headers["tollgate-without-state"] == "true", "\(path)")
      }
      let ready = try await server.send("GET", "/readyz")
      #expect(ready.status == 200 && ready.json["withoutState"] == true)
      // One request, three lines, an explanation and two evaluations.
      #expect(try await count() == before + 7)
      broken.proxy.harm = .none
      try await Self.recovered(broken)
      #expect(result(try await Self.decided(broken, "u")) == "noAudienceMatch")
    }

    // MARK: What the database refuses

    @Test func aReadOnlyDatabaseIsNotReady() async throws {
      // A server of its own: the database is that of all tests.
      let own = try TestDatabase.another()
      let schema = TestDatabase.newSchema()
      let store = try await TestDatabase.store(schema) { $0.url = own.url }
      let server = try await TestServer(store: store) { $0.keepsState = true }
      #expect(try await server.post("/v1/decide", #"{"userId":"u"}"#).status == 200)
      let other = try await TestDatabase.store(schema) { $0.url = own.url }
      func readOnly(_ value: String) async throws {
        _ = try await other.pool.run {
          try $0.run([
            PostgresStatement("SET default_transaction_read_only = off", isPrepared: false)
          ])
          try $0.run([
            PostgresStatement(
              "ALTER DATABASE postgres SET default_transaction_read_only = \(value)",
              isPrepared: false)
          ])
        }
      }
      try await readOnly("on")
      // Connections from before may write. New ones are refused.
      _ = try await other.pool.run {
        try $0.run([
          PostgresStatement(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND application_name = 'tollgate-server'
            """)
        ])
      }
      let answer = try await server.post("/v1/decide", #"{"userId":"u"}"#)
      #expect(answer.status == 503 && answer.text.contains("read-only"), "\(answer.text)")
      let ready = try await server.send("GET", "/readyz")
      #expect(ready.status == 503 && ready.text.contains("read-only"))
      try await readOnly("off")
      let deadline = ContinuousClock.now + .seconds(60)
      while try await server.send("GET", "/readyz").status != 200 {
        try #require(ContinuousClock.now < deadline)
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try await server.post("/v1/decide", #"{"userId":"u"}"#).status == 200)
    }

    /// Other programs have taken all connections; the password was changed.
    @Test func aDatabaseThatRefusesConnectionsIsTriedAgain() async throws {
      let own = try TestDatabase.another()
      let proxy = try TestProxy(to: own.port)
      let schema = TestDatabase.newSchema()
      // The administrator's connections, and those of a role with a limit and a password.
      let direct = try await TestDatabase.store(schema) { $0.url = own.url }
      func run(_ sql: String) async throws {
        _ = try await direct.pool.run { try $0.run([PostgresStatement(sql, isPrepared: false)]) }
      }
      try await run("CREATE ROLE shop LOGIN PASSWORD 'first'")
      try await run("GRANT ALL ON SCHEMA \(schema) TO shop")
      try await run("GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO shop")
      let store = try await TestDatabase.store(schema) {
        $0.url = proxy.url("first").replacing("tollgate:", with: "shop:")
      }
      let server = try await TestServer(store: store) { $0.keepsState = true }
      for (harm, repair, message) in [
        ("ALTER ROLE shop CONNECTION LIMIT 0", "ALTER ROLE shop CONNECTION LIMIT -1", "no free"),
        ("ALTER ROLE shop PASSWORD 'other'", "ALTER ROLE shop PASSWORD 'first'", "password"),
      ] {
        #expect(try await server.post("/v1/decide", #"{"userId":"u"}"#).status == 200)
        try await run(harm)
        proxy.harm = .refuse
        proxy.harm = .none
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
          let answer = try await server.post("/v1/decide", #"{"userId":"u"}"#)
          if answer.status == 503, answer.text.contains(message) {
            #expect(answer.headers["retry-after"] == "1" && !answer.text.contains("shop"))
            break
          }
          try #require(ContinuousClock.now < deadline, "\(answer.text)")
          try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await server.send("GET", "/readyz").status == 503)
        try await run(repair)
        while try await server.send("GET", "/readyz").status != 200 {
          try #require(ContinuousClock.now < deadline)
          try await Task.sleep(for: .milliseconds(20))
        }
      }
    }

    @Test(arguments: [
      ("53100", "no space"), ("53200", "memory"), ("53300", "no free connections"),
      ("57P01", "starting or stopping"), ("25006", "read-only"), ("58030", "no space"),
      ("28P01", "password"), ("55P03", "locked"), ("40P01", "locked"), ("57014", "in time"),
    ])
    func faultsOfTheDatabaseAreAnswered(_ state: String, _ message: String) {
      let answer = PostgresFault(state: state).answer
      #expect(answer?.status == .serviceUnavailable && answer?.headers[.retryAfter] == "1")
      #expect(answer?.message.contains(message) == true)
    }

    /// Servers do not come back all at once.
    @Test func reconnectingBacksOff() async throws {
      let broken = try await Self.broken()
      broken.proxy.harm = .refuse
      let start = ContinuousClock.now
      var faults = 0
      while broken.store.pool.failures < 5, ContinuousClock.now - start < .seconds(60) {
        do {
          try await broken.store.check()
        } catch { faults += 1 }
        try await Task.sleep(for: .milliseconds(1))
      }
      // 25 ms at least at first, and then twice as long each time. Meanwhile requests fail without connecting.
      #expect(ContinuousClock.now - start >= .milliseconds(375))
      #expect(broken.store.pool.failures >= 5 && faults >= 5)
    }
  }
#endif

import Expressions
import Foundation
import Requests
import Service
import Testing

/// Several servers with one database.
@Suite struct FleetTests {
  static let config = #"""
    {"trigger_options":[{"event_name":"p","rules":[{
      "experiment_id":"7","experiment_group_id":"1","expression_cel":"user.ok == true",
      "occurrence":{"key":"k","max_count":2,"interval":{"type":"MINUTES","minutes":60}},
      "variants":[{"variant_id":"70","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"a"},
                  {"variant_id":"71","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"b"}],
      "preload":{"behavior":"ALWAYS"}}]}],
     "paywall_responses":[{"id":"1","identifier":"a"},{"id":"2","identifier":"b"}]}
    """#

  private static func servers(_ kind: TestStore, seeds: [String] = ["", "", ""]) async throws
    -> [TestServer]
  {
    let stores = try await kind.stores(seeds.count)
    return try await withThrowingTaskGroup(of: (Int, TestServer).self) { group in
      for (number, store) in stores.enumerated() {
        group.addTask {
          let server = try await TestServer(store: store) {
            $0.keepsState = true
            $0.settings.seed = seeds[number]
            $0.fixtures = Fixtures(applications: [
              .init(
                id: "1", publicKey: "pk_test", secretKey: "sk_test", config: Array(config.utf8))
            ])
          }
          return (number, server)
        }
      }
      let servers = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      return stores.indices.map { servers[$0]! }
    }
  }

  private static func ask(_ server: TestServer, _ user: String, _ more: String = "") async throws
    -> TestServer.Answer
  {
    let answer = try await server.post(
      "/v1/decide",
      #"{"userId":"\#(user)","user":{"ok":true},"now":"2026-03-01T12:00:00Z"\#(more)}"#)
    #expect(answer.status == 200, "\(answer.text)")
    return answer
  }

  private static func result(_ answer: TestServer.Answer) -> String? {
    answer.json["decisions"]?.elements?.first?["result"]?["result"]?.text
  }

  @Test(arguments: TestStore.all)
  func aLimitIsUsedUpOnce(_ kind: TestStore) async throws {
    let servers = try await Self.servers(kind)
    for user in ["u", "v"] {
      let shown = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<48 {
          group.addTask {
            // Half of them have an ID, and a quarter are lines of streams.
            let more = number % 2 == 0 ? #","requestId":"\#(user)\#(number)""# : ""
            if number % 4 == 0 {
              let answer = try await servers[number % 3].post(
                "/v1/decide/stream",
                #"{"userId":"\#(user)","user":{"ok":true},"now":"2026-03-01T12:00:00Z"\#(more)}"#)
              #expect(answer.json["decisions"] != nil, "\(answer.text)")
              return Self.result(answer) == "paywall"
            }
            return Self.result(try await Self.ask(servers[number % 3], user, more)) == "paywall"
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(shown == 2)
    }
  }

  @Test(arguments: TestStore.all)
  func aRequestIsDecidedOnce(_ kind: TestStore) async throws {
    // With other seeds they would decide differently.
    let servers = try await Self.servers(kind, seeds: ["a", "b", "c"])
    for user in 0..<4 {
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<12 {
          group.addTask {
            try await Self.ask(servers[number % 3], "u\(user)", #","requestId":"r\#(user)""#).text
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(answers.count == 1)
      // One of two is left.
      #expect(Self.result(try await Self.ask(servers[1], "u\(user)")) == "paywall")
      #expect(Self.result(try await Self.ask(servers[2], "u\(user)")) == "noAudienceMatch")
    }
  }

  @Test(arguments: TestStore.all)
  func aVariantIsTheSameEverywhere(_ kind: TestStore) async throws {
    let servers = try await Self.servers(kind, seeds: ["a", "b", "c"])
    var first: [String?] = []
    for user in 0..<12 {
      var seen: Set<String?> = []
      for number in 0..<3 {
        let more = number == 0 ? "" : #","record":false"#
        let answer = try await Self.ask(servers[(user + number) % 3], "u\(user)", more)
        let paywall = answer.json["decisions"]?.elements?.first?["paywall"]?.text
        if number == 0 { first.append(paywall) }
        seen.insert(paywall)
      }
      #expect(seen.count == 1)
    }
    #expect(Set(first).count == 2)
  }

  /// Servers that begin at once agree on the first version.
  @Test(arguments: TestStore.all)
  func serversBeginWithOneVersion(_ kind: TestStore) async throws {
    let servers = try await Self.servers(kind)
    #expect(servers.map { $0.service.applications[0].current.number } == [1, 1, 1])
    let history = try await servers[2].send("GET", "/v1/config/history", key: "sk_test")
    #expect(history.json["versions"]?.elements?.count == 1)
  }

  // MARK: Configs

  private static func build(_ number: Int) -> String {
    config.replacing(#"{"trigger_options""#, with: #"{"build_id":"\#(number)","trigger_options""#)
  }

  /// Waits until all servers decide by a version.
  private static func wait(for version: Int, _ servers: [TestServer]) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while !servers.allSatisfy({ $0.service.applications[0].current.number == version }) {
      try #require(ContinuousClock.now < deadline, "not all servers have version \(version)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  @Test(.enabled(if: TestDatabase.isAvailable, TestDatabase.missing))
  func aConfigIsTheFleets() async throws {
    let servers = try await Self.servers(.postgres)
    func put(_ build: Int, _ server: Int, ifMatch tag: String?) async throws -> TestServer.Answer {
      try await servers[server].send(
        "PUT", "/v1/config", Self.build(build), key: "sk_test",
        headers: tag.map { ["If-Match": $0] } ?? [:])
    }
    let first = try await servers[2].send("GET", "/v1/config", key: "sk_test").headers["etag"]
    let next = try await put(1, 0, ifMatch: first)
    #expect(next.status == 200 && next.json["version"] == 2)
    // Whether or not the others have heard of it.
    #expect(try await put(2, 1, ifMatch: first).status == 412)
    #expect(try await put(2, 2, ifMatch: next.headers["etag"]).json["version"] == 3)
    let back = try await servers[1].send("POST", "/v1/config/rollback", nil, key: "sk_test")
    #expect(back.json["version"] == 4 && back.json["sameAs"] == 2)
    try await Self.wait(for: 4, servers)
    var seen: Set<String> = []
    for server in servers {
      #expect(try await Self.ask(server, "u").headers["tollgate-config-version"] == "4")
      seen.insert(try await server.send("GET", "/v1/config", key: "sk_test").text)
      seen.insert(try await server.send("GET", "/v1/config/history", key: "sk_test").text)
      seen.insert(try await server.send("GET", "/v1/audit", key: "sk_test").text)
      #expect(try await server.send("GET", "/readyz").json["configAgeSeconds"] != nil)
      #expect(
        try await server.send("GET", "/metrics").text.contains("\ntollgate_config_age_seconds "))
    }
    #expect(seen.count == 3)
  }

  /// A server that starts with another file changes nothing for the others, unless it was told to publish it.
  @Test(.enabled(if: TestDatabase.isAvailable, TestDatabase.missing))
  func anotherFileIsNotPublished() async throws {
    #if PostgreSQL
      let schema = TestDatabase.newSchema()
      func start(_ build: Int, publishes: Bool = false) async throws -> TestServer {
        try await TestServer(store: try await TestDatabase.store(schema)) {
          $0.publishesConfigs = publishes
          $0.fixtures = Fixtures(applications: [
            .init(
              id: "1", publicKey: "pk_test", secretKey: "sk_test",
              config: Array(Self.build(build).utf8))
          ])
        }
      }
      func version(_ server: TestServer) -> Int { server.service.applications[0].current.number }
      let first = try await start(1)
      let put = try await first.send("PUT", "/v1/config", Self.build(2), key: "sk_test")
      #expect(put.json["version"] == 2)
      for build in [1, 2, 3] { #expect(version(try await start(build)) == 2) }
      #expect(version(try await start(3, publishes: true)) == 3)
      try await Self.wait(for: 3, [first])
      // The file that was published last is not published again.
      #expect(version(try await start(3, publishes: true)) == 3)
      #expect(version(try await start(1)) == 3)
      // A config that this program cannot read is not replaced by the file.
      let store = try await TestDatabase.store(schema)
      _ = try await store.publish(
        NewConfig(Array("{".utf8), of: "1", by: "newer", source: "api", note: nil))
      let error = await #expect(throws: ServiceError.self) { try await start(3) }
      #expect(error?.message.contains("version 4 of application 1") == true)
      #expect(try await store.versions(of: "1", limit: 1).first?.number == 4)
    #endif
  }

  /// It answers 503 at once, and says for how long it has heard nothing of configs.
  @Test(.enabled(if: TestDatabase.isOwn, TestDatabase.missing))
  func aServerWithoutItsDatabaseSaysSo() async throws {
    #if PostgreSQL
      let database = try TestDatabase.another()
      let store = try await TestDatabase.store("tollgate") {
        $0.url = database.url
        $0.connectTimeout = 1_000
      }
      let server = try await TestServer(store: store) { $0.keepsState = true }
      #expect(try await server.send("GET", "/readyz").status == 200)
      database.stop()
      let start = ContinuousClock.now
      let answer = try await server.post("/v1/decide", #"{"userId":"u"}"#)
      #expect(answer.status == 503 && answer.code == "database_unavailable")
      #expect(answer.headers["retry-after"] == "1")
      #expect(ContinuousClock.now - start < .seconds(10))
      // Each line is answered, and the connection is not cut.
      let stream = try await server.post(
        "/v1/decide/stream", #"{"userId":"u"}"# + "\n" + #"{"userId":"v","requestId":"r"}"#)
      let lines = try stream.text.split(separator: "\n").map { try Value.parse(json: $0.utf8) }
      #expect(lines.map { $0["error"]?["line"] } == [1, 2])
      #expect(lines.allSatisfy { $0["error"]?["code"] == "database_unavailable" })
      let ready = try await server.send("GET", "/readyz")
      #expect(ready.status == 503 && ready.json["error"]?["configAgeSeconds"] != nil)
      #expect(
        try await server.send("GET", "/v1/config", key: TestServer.secretKey).status == 200)
      let put = try await server.send("PUT", "/v1/config", Self.config, key: TestServer.secretKey)
      #expect(put.status == 503)
    #endif
  }

  /// The same requests, one after the other, get the same bytes from one server with SQLite as from three with
  /// PostgreSQL.
  @Test(.enabled(if: TestDatabase.isAvailable, TestDatabase.missing))
  func answersAreThoseOfSQLite() async throws {
    let one = try await Self.servers(.sqlite, seeds: [""])[0]
    let fleet = try await Self.servers(.postgres)
    for number in 0..<200 {
      // Times go back and forth, and some requests are repeated.
      let minute = (number * 37) % 60
      let request = number % 3 == 0 ? #","requestId":"r\#(number % 24)""# : ""
      let body =
        #"{"userId":"u\#(number % 7)","user":{"ok":\#(number % 5 != 0)},"explain":true"#
        + #","now":"2026-03-01T1\#(number % 4):\#(minute < 10 ? "0" : "")\#(minute):00Z"\#(request)}"#
      let expected = try await one.post("/v1/decide", body)
      let answer = try await fleet[number % 3].post("/v1/decide", body)
      #expect(answer.status == expected.status && answer.text == expected.text)
    }
  }
}

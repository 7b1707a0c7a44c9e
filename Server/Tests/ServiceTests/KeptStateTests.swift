import Expressions
import Foundation
import GRDB
import Requests
import RuleEngine
import Service
import Testing

@Suite struct KeptStateTests {
  /// One placement, at most once an hour, for half of the users each of two paywalls.
  private static let config = #"""
    {"trigger_options":[{"event_name":"p","rules":[{
      "experiment_id":"7","experiment_group_id":"1","expression_cel":"user.ok == true",
      "occurrence":{"key":"k","max_count":2,"interval":{"type":"MINUTES","minutes":60}},
      "variants":[{"variant_id":"70","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"a"},
                  {"variant_id":"71","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"b"}],
      "preload":{"behavior":"ALWAYS"}}]}],
     "paywall_responses":[{"id":"1","identifier":"a"},{"id":"2","identifier":"b"}]}
    """#

  private static func config(a: String, b: String) -> String {
    config
      .replacing(
        #""TREATMENT","percentage":50,"paywall_identifier":"a""#,
        with: #""TREATMENT","percentage":\#(a),"paywall_identifier":"a""#
      )
      .replacing(
        #""TREATMENT","percentage":50,"paywall_identifier":"b""#,
        with: #""TREATMENT","percentage":\#(b),"paywall_identifier":"b""#)
  }

  private func server(
    _ store: (any StateStore)? = nil, keeping kept: Int64 = 86_400_000,
    _ config: String = config
  ) async throws -> TestServer {
    try await TestServer(store: store) {
      $0.settings.texts = try TextFile.decode(
        json: Array(#"{"paywalls":{"a":{"title":"This is a"},"b":{"title":"This is b"}}}"#.utf8)
      ).get()
      $0.keepsState = true
      $0.keptRequests = kept
      $0.fixtures = Fixtures(applications: [
        .init(
          id: "1", publicKey: "pk_test", secretKey: "sk_test", config: Array(config.utf8))
      ])
    }
  }

  private func ask(
    _ server: TestServer, _ user: String, _ more: String = "", at time: String = "12:00"
  ) async throws -> Value {
    let answer = try await server.post(
      "/v1/decide",
      #"{"userId":"\#(user)","user":{"ok":true},"now":"2026-03-01T\#(time):00Z"\#(more)}"#)
    return answer.json["decisions"]?.elements?.first ?? answer.json
  }

  /// The database ends texts at U+0000, and two users or requests would be one.
  @Test(arguments: [
    #"{"user":{"userId":"u\u0000x","ok":true}}"#,
    #"{"user":{"userId":"u","ok":true},"requestId":"r\u0000a"}"#,
  ])
  func idsThatCannotBeKeptAreRefused(_ body: String) async throws {
    let server = try await server()
    #expect(try await server.post("/v1/decide", body).status == 400)
  }

  @Test(arguments: TestStore.all)
  func limitsCountWhatHappenedBefore(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    var results: [String?] = []
    for time in ["12:00", "12:10", "12:20", "13:05"] {
      results.append(try await ask(server, "u", at: time)["result"]?["result"]?.text)
    }
    #expect(results == ["paywall", "paywall", "noAudienceMatch", "paywall"])
    // Other users have limits of their own, and who only looks uses none up.
    for _ in 0..<4 {
      #expect(
        try await ask(server, "v", #","record":false"#)["result"]?["result"]?.text == "paywall")
    }
  }

  @Test(arguments: TestStore.all)
  func variantsStayWhatTheyWere(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    let user = "u-1"
    let first = try await ask(server, user)["paywall"]?.text
    // The weights are turned around: a new draw would give others the other one.
    for weight in ["100", "0"] {
      let other = weight == "100" ? "0" : "100"
      let changed = Self.config(a: weight, b: other)
      let put = try await server.send("PUT", "/v1/config", changed, key: "sk_test")
      #expect(put.status == 200, "\(put.text)")
      #expect(try await ask(server, user, at: "15:00")["paywall"]?.text == first)
      #expect(
        try await ask(server, "new-\(weight)")["paywall"]?.text == (weight == "100" ? "a" : "b"))
    }
  }

  /// The paywall that a user gets, asked in each way that the server has.
  private func paywalls(_ server: TestServer, _ user: String, at time: String) async throws
    -> [String?]
  {
    let now = "2026-03-01T\(time):00Z"
    let record = #"{"userId":"\#(user)","user":{"ok":true}}"#
    let decided = try await ask(server, user, #","record":false"#, at: time)
    let streamed = try await server.post("/v1/decide/stream?now=\(now)", record)
    let long = try await server.post("/v1/decide/stream?layout=long&now=\(now)", record)
    let explained = try await server.post(
      "/v1/explain", #"{"placement":"p","now":"\#(now)","user":\#(record)}"#)
    return [
      decided["paywall"]?.text,
      streamed.json["decisions"]?.elements?.first?["paywall"]?.text,
      long.json["paywall"]?.text,
      explained.json["paywall"]?.text,
    ]
  }

  /// One user gets one outcome at one moment, whichever endpoint is asked.
  @Test(arguments: TestStore.all)
  func storedStateCountsInEveryAnswer(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    let first = try #require(try await ask(server, "u-1")["paywall"]?.text)
    let (a, b) = first == "a" ? ("0", "100") : ("100", "0")
    let put = try await server.send(
      "PUT", "/v1/config", Self.config(a: a, b: b), key: "sk_test")
    #expect(put.status == 200)
    #expect(
      try await paywalls(server, "u-1", at: "12:10") == [first, first, first, first])
    #expect(
      try await paywalls(server, "another", at: "12:10")
        == Array(repeating: first == "a" ? "b" : "a", count: 4))
    // The second of two that the limit allows.
    _ = try await ask(server, "u-1", at: "12:20")
    #expect(try await paywalls(server, "u-1", at: "12:30") == [nil, nil, nil, nil])
    #expect(
      try await paywalls(server, "u-1", at: "14:00") == [first, first, first, first])
  }

  @Test(arguments: TestStore.all)
  func flagsCountStoredStateAndStoreNothing(_ kind: TestStore) async throws {
    let store = try await kind.store()
    let server = try await server(store)
    let first = try #require(try await ask(server, "u-1")["paywall"]?.text)
    let (a, b) = first == "a" ? ("0", "100") : ("100", "0")
    _ = try await server.send("PUT", "/v1/config", Self.config(a: a, b: b), key: "sk_test")
    let context = #"{"context":{"targetingKey":"u-1","ok":true}}"#
    for _ in 0..<3 {
      let flag = try await server.post("/ofrep/v1/evaluate/flags/p", context)
      #expect(flag.json["value"]?.text == first)
    }
    let flags = try await server.post("/ofrep/v1/evaluate/flags", context)
    #expect(flags.json["flags"]?.elements?.first?["value"]?.text == first)
    let other = #"{"context":{"targetingKey":"u-2","ok":true}}"#
    _ = try await server.post("/ofrep/v1/evaluate/flags/p", other)
    let states = try await store.states(of: ["u-1", "u-2"], in: "1")
    #expect(states.keys.sorted() == ["u-1"])
  }

  /// Lines store something if they ask for it, in the order in which they stand.
  @Test(arguments: TestStore.all)
  func linesOfAStreamHaveTheirEffects(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    let user = #"{"userId":"u","user":{"ok":true}"#
    let body = """
      \(user)}
      \(user),"record":true}
      \(user),"requestId":"r1"}
      \(user),"requestId":"r1"}
      """
    let time = "?now=2026-03-01T12:00:00Z"
    let answer = try await server.post("/v1/decide/stream" + time, body)
    let lines = try answer.text.split(separator: "\n").map { try Value.parse(json: $0.utf8) }
    #expect(lines.count == 4 && lines[2] == lines[3])
    #expect(lines[1]["decisions"]?.elements?.first?["paywall"] != nil)
    // Two of two are used up.
    #expect(try await ask(server, "u", at: "12:01")["result"]?["result"] == "noAudienceMatch")
    let again = try await server.post(
      "/v1/decide/stream" + time, #"{"userId":"w","user":{"ok":true},"requestId":"r1"}"#)
    #expect(again.json["error"]?["code"] == "request_id_reused")
    #expect(again.json["error"]?["line"]?.wholeNumber == 1)
    let plain = try await server.post("/v1/decide/stream" + time, String(user) + "}")
    #expect(
      plain.json["decisions"]?.elements?.first?["result"]?["result"] == "noAudienceMatch")
  }

  @Test(arguments: TestStore.all)
  func aRequestIDHasItsEffectsOnce(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    let first = try await ask(server, "u", #","requestId":"r1""#)
    for _ in 0..<5 { #expect(try await ask(server, "u", #","requestId":"r1""#) == first) }
    // Of two that are allowed, one is left.
    #expect(try await ask(server, "u", at: "12:01")["result"]?["result"]?.text == "paywall")
    #expect(try await ask(server, "u", at: "12:02")["result"]?["result"]?.text == "noAudienceMatch")
    let other = try await ask(server, "w", #","requestId":"r1""#)
    #expect(other["error"]?["code"] == "request_id_reused")
  }

  /// The time of a request is the server's: what it says itself makes it neither old nor young.
  @Test func answersAreKeptForAWhile() async throws {
    let database = try ServiceDatabase.open(in: nil)
    func kept() async throws -> [String] {
      try await database.read {
        try String.fetchAll($0, sql: "SELECT request FROM decided ORDER BY request")
      }
    }
    let server = try await server(SQLiteStore(database), keeping: 60_000)
    for id in ["a", "b"] { _ = try await ask(server, "u", #","requestId":"\#(id)""#) }
    #expect(try await kept() == ["a", "b"])
    try await database.write {
      try $0.execute(sql: "UPDATE decided SET at = at - 60001 WHERE request = 'a'")
    }
    _ = try await ask(server, "u", #","requestId":"c""#)
    #expect(try await kept() == ["b", "c"])
    // It is a new request now.
    let again = try await ask(server, "w", #","requestId":"a""#)
    #expect(again["result"]?["result"]?.text == "paywall")
  }

  @Test(arguments: TestStore.all)
  func ofOccurrencesTheLastOnesAreKept(_ kind: TestStore) async throws {
    let store = try await kind.store()
    func kept() async throws -> Int? {
      try await store.read(StateKey("u", in: "1")).user.occurrences.first?.times.count
    }
    let often = Self.config.replacing(#""max_count":2"#, with: #""max_count":130"#)
    let server = try await server(store, often)
    for number in 0..<150 {
      // Each an hour and more after the one before.
      let time = Instant(milliseconds: 1_772_366_400_000 + Int64(number) * 4_000_000)
      _ = try await server.post(
        "/v1/decide",
        #"{"userId":"u","user":{"ok":true},"now":"\#(time.text ?? "")"}"#)
    }
    #expect(try await kept() == 130)
    let fewer = try await server.send("PUT", "/v1/config", Self.config, key: "sk_test")
    #expect(fewer.status == 200)
    _ = try await ask(server, "u", at: "23:00")
    #expect(try await kept() == 100)
  }

  @Test(arguments: TestStore.all)
  func manyAtOnceUseALimitUpOnce(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    let shown = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<12 {
        group.addTask {
          try await self.ask(server, "u")["result"]?["result"]?.text == "paywall"
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(shown == 2)
  }

  /// Texts are those of what was decided, and not of what somebody would get of whom nothing is kept.
  @Test(arguments: TestStore.all)
  func textsAreThoseOfTheVariantThatIsKept(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    for user in ["u-1", "u-2", "u-3"] {
      _ = try await server.send("PUT", "/v1/config", Self.config, key: "sk_test")
      let first = try #require(try await ask(server, user)["paywall"]?.text)
      let (a, b) = first == "a" ? ("0", "100") : ("100", "0")
      _ = try await server.send("PUT", "/v1/config", Self.config(a: a, b: b), key: "sk_test")
      let next = try await ask(server, user, #","texts":true"#, at: "15:00")
      #expect(next["paywall"]?.text == first)
      #expect(next["texts"]?["title"]?.text == "This is \(first)")
    }
  }

  /// Whose limit is used up sees no paywall, and reads none.
  @Test(arguments: TestStore.all)
  func whoIsHeldBackHasNoTexts(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    for _ in 0..<2 {
      #expect(try await ask(server, "u", #","texts":true"#)["texts"]?["title"] != nil)
    }
    let third = try await ask(server, "u", #","texts":true"#)
    #expect(third["result"]?["result"] == "noAudienceMatch")
    #expect(third["texts"] == nil)
  }

  /// Databases limit the keys of their indexes, so long IDs are stored with a hash.
  @Test(arguments: TestStore.all)
  func longIDsAreStored(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    func status(_ length: Int) async throws -> Int {
      let user = String(repeating: "u", count: length)
      return try await server.post(
        "/v1/decide", #"{"userId":"\#(user)","requestId":"r\#(length)"}"#
      ).status
    }
    #expect(try await status(1_000) == 200)
    #expect(try await status(1_001) == 200)
    #expect(try await status(100_000) == 200)
  }

  /// The database holds users' data, and the key that seals checkouts.
  @Test func nobodyElseReadsTheDatabase() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try ServiceDatabase.open(in: folder.path)
    try await database.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER)") }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains("tollgate.sqlite") && names.contains("tollgate.sqlite-wal"))
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.appending(path: name).path)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  /// Who keeps nothing is decided while somebody else writes.
  @Test func decidingDoesNotWaitForWhoWrites() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try ServiceDatabase.open(in: folder.path)
    let server = try await server(SQLiteStore(database))
    let isDone = DispatchSemaphore(value: 0)
    let writing = Task.detached {
      try await database.write { _ in _ = isDone.wait(timeout: .now() + 20) }
    }
    // The writer has begun.
    try await Task.sleep(for: .milliseconds(100))
    let start = ContinuousClock.now
    let answer = try await ask(server, "u", #","record":false"#)
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(answer["result"]?["result"] == "paywall")
    isDone.signal()
    try await writing.value
  }

  @Test(arguments: TestStore.all)
  func manyWithOneRequestIDHaveOneEffect(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    let answers = try await withThrowingTaskGroup(of: Value.self) { group in
      for _ in 0..<12 {
        group.addTask { try await self.ask(server, "u", #","requestId":"r""#) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(answers.map(\.json)).count == 1)
    #expect(try await ask(server, "u")["result"]?["result"] == "paywall")
    #expect(try await ask(server, "u")["result"]?["result"] == "noAudienceMatch")
  }

  /// An answer that is given again says which config decided.
  @Test(arguments: TestStore.all)
  func aRepeatedAnswerHasItsConfig(_ kind: TestStore) async throws {
    let server = try await server(kind.store())
    let body = #"{"userId":"u","user":{"ok":true},"requestId":"r"}"#
    let first = try await server.post("/v1/decide", body)
    #expect(first.headers["tollgate-config-version"] == "1")
    _ = try await server.send("PUT", "/v1/config", Self.config(a: "0", b: "0"), key: "sk_test")
    let again = try await server.post("/v1/decide", body)
    #expect(again.text == first.text)
    #expect(again.headers["tollgate-config-version"] == "1")
  }
}

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

import Expressions
import Foundation
import Requests
import RuleEngine
import RuleInsight
import Service
import Testing

@Suite struct SamplingTests {
  private static func users(_ count: Int) throws -> String {
    String(decoding: try TestServer.file("corpus/demo/users.ndjson"), as: UTF8.self)
      .split(separator: "\n").prefix(count).joined(separator: "\n")
  }

  private static func seen(_ answer: Value) -> Int? {
    answer["placements"]?["export_report"]?["outcomes"]?["paywall"]?.wholeNumber
  }

  @Test func usersAreCountedByAudience() async throws {
    let server = try await TestServer { $0.users = Array(try Self.users(20).utf8) }
    // The users of the server are not for whoever has a public key.
    #expect(try await server.post("/v1/match", "{}").status == 400)
    let text = try Self.users(300)
    let given = try await server.post(
      "/v1/match", Value.object(["users": .string(text), "now": "2026-03-01T00:00:00Z"]).json
    ).json
    #expect(given["users"] == 300)
    #expect(given["rejected"] == 0)
    // As `tollgate match` counts them.
    #expect(Self.seen(given) == 216)
    let records = text.split(separator: "\n").joined(separator: ",")
    let list = try await server.post(
      "/v1/match", #"{"now":"2026-03-01T00:00:00Z","users":[\#(records)]}"#)
    #expect(list.json == given)
    let broken = try await server.post("/v1/match", #"{"users":"{\n{}"}"#).json
    #expect(broken["rejected"] == 2)
    #expect(try await server.post("/v1/match", #"{"users":7}"#).status == 400)
    #expect(
      try await server.post(
        "/v1/match", #"{"users":"\#(String(repeating: "\\n", count: 100_001))"}"#
      ).status == 413)
    #expect(try await server.post("/v1/match", #"{"users":"","config":"{"}"#).status == 422)
  }

  @Test func placementsAreThoseThatAreAskedFor() async throws {
    let server = try await TestServer()
    let body = Value.object(["users": .string(try Self.users(5)), "placements": ["export_report"]])
    let answer = try await server.post("/v1/match", body.json).json
    #expect(answer["placements"]?.members?.map(\.0) == ["export_report"])
  }

  @Test func idsAreHiddenWhereTheyAreRedacted() async throws {
    let server = try await TestServer { $0.settings.redaction = .init(paths: [["userId"]]) }
    let body = Value.object(["users": .string(try Self.users(50))])
    #expect(try await server.post("/v1/match", body.json).text.contains("u-0000") == false)
  }

  @Test func anotherSeedGivesOtherVariants() async throws {
    let server = try await TestServer()
    func variants(_ seed: String?) async throws -> String {
      var body: [Value.Entry] = [.init(key: "users", value: .string(try Self.users(200)))]
      if let seed { body.append(.init(key: "seed", value: .string(seed))) }
      return try await server.post("/v1/match", Value.map(body).json).text
    }
    let usual = try await variants(nil)
    #expect(try await variants("demo") == usual)
    #expect(try await variants("another") != usual)
    let user =
      #""placement":"export_report","user":{"userId":"u-1","device":{"daysSinceInstall":20}}"#
    let explained = try await server.post("/v1/explain", "{\(user),\"seed\":\"another\"}").json
    #expect(explained["seed"] == "another")
    let config = String(decoding: try TestServer.file("corpus/demo/config.json"), as: UTF8.self)
    let same = Value.object(["new": .string(config), "seed": "another"])
    #expect(try await server.post("/v1/diff", same.json).text.contains("differs") == false)
  }

  @Test func productsAreWrittenForALocale() async throws {
    let server = try await TestServer()
    let own = try await server.post(
      "/v1/products", #"{"locale":"de_DE","now":"2026-03-01T00:00:00Z"}"#
    ).json
    let first = own["products"]?.elements?.first?["attributes"]
    #expect(first?["price"] == "59,99\u{a0}$")
    #expect(first?["trialPeriodEndDate"] == "08.03.2026")
    let given = try await server.post(
      "/v1/products",
      #"{"products":{"products":[{"identifier":"p","price":"5","currency":"EUR"}]}}"#)
    #expect(given.json["products"]?.elements?.count == 1)
    #expect(try await server.post("/v1/products", #"{"products":"["}"#).status == 400)
    #expect(try await server.post("/v1/products", #"{"profile":"amiga"}"#).status == 400)
    #expect(
      try await server.send("POST", "/v1/products?application=2", "{}", key: "pk_other").status
        == 400)
  }
}

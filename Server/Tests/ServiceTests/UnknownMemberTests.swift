import Expressions
import Service
import Testing

/// Members that nothing reads are misspelt ones, and never passed over.
@Suite struct UnknownMemberTests {
  @Test(arguments: [
    ("/v1/decide", #"{"userId":"u","placement":"export_report"}"#, "placement", "placements"),
    ("/v1/decide", #"{"userId":"u","explian":true}"#, "explian", "explain"),
    ("/v1/decide", #"{"userId":"u","explain":true,"reason":true}"#, "reason", "reasons"),
    (
      "/v1/decide", #"{"userId":"u","subscriptionStats":"ACTIVE"}"#, "subscriptionStats",
      "subscriptionStatus"
    ),
    ("/v1/explain", #"{"userId":"u","placements":"export_report"}"#, "placements", "placement"),
    ("/v1/explain", #"{"user":{"userId":"u"},"swep":"user.plan"}"#, "swep", "sweep"),
    ("/v1/match", #"{"users":[],"placement":["export_report"]}"#, "placement", "placements"),
    ("/v1/render", #"{"template":"x","local":"de_DE"}"#, "local", "locale"),
    ("/v1/check", #"{"platfrom":"android"}"#, "platfrom", "platform"),
    ("/v1/products", #"{"local":"de_DE"}"#, "local", "locale"),
  ])
  func unknownMembersAreRejected(
    _ path: String, _ body: String, _ member: String, _ meant: String
  ) async throws {
    let answer = try await TestServer().post(path, body)
    #expect(answer.status == 400 && answer.code == "unknown_member")
    #expect(answer.json["error"]?["path"]?.text == member)
    #expect(answer.json["error"]?["message"]?.text?.contains("did you mean '\(meant)'?") == true)
  }

  /// Parsers disagree about which of them counts, and so may a proxy and the server.
  @Test(arguments: [
    (#"{"userId":"u","userId":"v"}"#, "userId"),
    (#"{"userId":"u","user":{},"user":{"plan":"free"}}"#, "user"),
    (#"{"userId":"u","user":{"plan":"pro","plan":"free"}}"#, "user.plan"),
    (#"{"userId":"u","placements":[],"placements":["export_report"]}"#, "placements"),
    (
      #"{"userId":"u","subscriptionStatus":"ACTIVE","subscriptionStatus":"INACTIVE"}"#,
      "subscriptionStatus"
    ),
  ])
  func repeatedMembersAreRejected(_ body: String, _ member: String) async throws {
    let server = try await TestServer()
    let one = try await server.post("/v1/decide", body)
    #expect(one.status == 400 && one.code == "repeated_member")
    #expect(one.json["error"]?["path"]?.text == member)
    let lines = [#"{"userId":"a"}"#, body, #"{"userId":"b"}"#]
    let stream = try await server.post("/v1/decide/stream", lines.joined(separator: "\n"))
    let codes = try stream.text.split(separator: "\n").map {
      try Value.parse(json: $0.utf8)["error"]?["code"]?.text
    }
    #expect(codes == [nil, "repeated_member", nil])
  }

  /// Every member of a record is known, with the roots that rules read.
  @Test func knownMembersAreTaken() async throws {
    let server = try await TestServer()
    let record = String(decoding: try TestServer.file("corpus/demo/user.json"), as: UTF8.self)
    #expect(try await server.post("/v1/decide", record).status == 200)
    #expect(try await server.post("/v1/explain", record).status == 200)
    let all =
      #"{"userId":"u","user":{},"device":{},"params":{},"subscriptionStatus":"ACTIVE","#
      + #""entitlements":[],"assignments":[],"occurrences":{},"events":{},"#
      + #""sessionStart":"2026-03-01T12:00:00Z","record":false,"now":null}"#
    #expect(try await server.post("/v1/decide", all).status == 200)
  }

  /// Bodies and records may be equally deep, whichever part reads them.
  @Test(arguments: ["/v1/decide", "/v1/decide/stream", "/v1/explain"])
  func nestingIsLimitedAlike(_ path: String) async throws {
    let server = try await TestServer()
    func isTaken(_ depth: Int, _ name: String, _ more: String) async throws -> Bool {
      let lists =
        String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2)
      let answer = try await server.post(
        path, #"{"userId":"u","user":{"\#(name)":\#(lists)}\#(more)}"#)
      return answer.status == 200 && answer.json["error"] == nil
    }
    // Rules read the one, and not the other.
    for name in ["plan", "nobodyReadsThis"] {
      for more in [#","seed":"s""#, ""] {
        #expect(try await isTaken(65, name, more), "\(name) \(more)")
        #expect(try await !isTaken(66, name, more), "\(name) \(more)")
      }
    }
  }
}

import Expressions
import Foundation
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

  private func server() async throws -> TestServer {
    try await TestServer {
      $0.keepsState = true
      $0.fixtures = Fixtures(applications: [
        .init(
          id: "1", publicKey: "pk_test", secretKey: "sk_test", config: Array(Self.config.utf8))
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

  @Test func limitsCountWhatHappenedBefore() async throws {
    let server = try await server()
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

  @Test func variantsStayWhatTheyWere() async throws {
    let server = try await server()
    let user = "u-1"
    let first = try await ask(server, user)["paywall"]?.text
    // The weights are turned around: a new draw would give others the other one.
    for weight in ["100", "0"] {
      let other = weight == "100" ? "0" : "100"
      let changed = Self.config
        .replacing(
          #""TREATMENT","percentage":50,"paywall_identifier":"a""#,
          with: #""TREATMENT","percentage":\#(weight),"paywall_identifier":"a""#
        )
        .replacing(
          #""TREATMENT","percentage":50,"paywall_identifier":"b""#,
          with: #""TREATMENT","percentage":\#(other),"paywall_identifier":"b""#)
      let put = try await server.send("PUT", "/v1/config", changed, key: "sk_test")
      #expect(put.status == 200, "\(put.text)")
      #expect(try await ask(server, user, at: "15:00")["paywall"]?.text == first)
      #expect(
        try await ask(server, "new-\(weight)")["paywall"]?.text == (weight == "100" ? "a" : "b"))
    }
  }

  @Test func aRequestIDHasItsEffectsOnce() async throws {
    let server = try await server()
    let first = try await ask(server, "u", #","requestId":"r1""#)
    for _ in 0..<5 { #expect(try await ask(server, "u", #","requestId":"r1""#) == first) }
    // Of two that are allowed, one is left.
    #expect(try await ask(server, "u", at: "12:01")["result"]?["result"]?.text == "paywall")
    #expect(try await ask(server, "u", at: "12:02")["result"]?["result"]?.text == "noAudienceMatch")
    let other = try await ask(server, "w", #","requestId":"r1""#)
    #expect(other["error"]?["code"] == "request_id_reused")
  }

  @Test func manyAtOnceUseALimitUpOnce() async throws {
    let server = try await server()
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
}

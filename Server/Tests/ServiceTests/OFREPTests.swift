import Expressions
import Foundation
import RuleEngine
import Service
import Testing

@Suite struct OFREPTests {
  private static func flag(_ key: String) -> String { "/ofrep/v1/evaluate/flags/\(key)" }

  @Test func aFlagIsAPlacement() async throws {
    let server = try await TestServer()
    let user = try Value.parse(json: TestServer.file("corpus/demo/user.json"))
    var context: [Value.Entry] = [.init(key: "targetingKey", value: user["userId"]!)]
    for (key, value) in user.members! where key != "userId" {
      context.append(.init(key: .string(key), value: value))
    }
    let body = Value.object(["context": .map(context)]).json
    let decided = try await server.post("/v1/decide", user.json).json["decisions"]!.elements!
    for line in decided {
      let placement = line["placement"]!.text!
      let answer = try await server.post(Self.flag(placement), body)
      #expect(answer.status == 200)
      #expect(answer.json["key"]?.text == placement)
      #expect(answer.json["value"]?.text == line["paywall"]?.text)
      #expect(
        answer.json["variant"]
          == line["result"]?["experiment"]?["variant"]?["id"] ?? line["result"]?["result"])
      let object = try await server.post(Self.flag(placement + ".outcome"), body)
      let shown = try await server.post(Self.flag(placement + ".shown"), body)
      #expect(shown.json["value"] == .bool(line["paywall"]?.text != nil))
      #expect(
        ["TARGETING_MATCH", "SPLIT", "UNKNOWN"].contains(shown.json["reason"]?.text ?? ""))
      if line["paywall"]?.text != nil {
        #expect(answer.json["reason"] == "TARGETING_MATCH")
        #expect(object.json["value"] == line)
      } else if line["result"]?["result"] == "noAudienceMatch" {
        #expect(answer.json["reason"] == "UNKNOWN")
        #expect(object.json["value"] == nil)
      }
    }
  }

  @Test func attributesMayStandInTheContextItself() async throws {
    let server = try await TestServer()
    let nested = #"{"context":{"targetingKey":"u","user":{"plan":"free","country":"DE"}}}"#
    let flat = #"{"context":{"targetingKey":"u","plan":"free","country":"DE"}}"#
    let path = "/ofrep/v1/evaluate/flags"
    #expect(try await server.post(path, nested).text == server.post(path, flat).text)
  }

  @Test func wrongRequestsHaveTheCodesOfTheProtocol() async throws {
    let server = try await TestServer()
    for (key, body, status, code) in [
      ("nowhere", #"{"context":{"targetingKey":"u"}}"#, 404, "FLAG_NOT_FOUND"),
      ("export_report", "{", 400, "PARSE_ERROR"),
      ("export_report", "{}", 400, "INVALID_CONTEXT"),
      ("export_report", #"{"context":{}}"#, 400, "TARGETING_KEY_MISSING"),
      ("export_report", #"{"context":{"targetingKey":"u","device":3}}"#, 400, "INVALID_CONTEXT"),
    ] {
      let answer = try await server.post(Self.flag(key), body)
      #expect(answer.status == status)
      #expect(answer.json["errorCode"]?.text == code)
      #expect(answer.json["key"]?.text == key)
    }
    let answer = try await server.post(Self.flag("export_report"), "{}", key: "wrong")
    #expect(answer.status == 401)
  }

  /// A placement whose variant has no paywall, and others.
  static let broken = #"""
    {"trigger_options":[
      {"event_name":"broken","rules":[{"experiment_id":"7","experiment_group_id":"1",
        "variants":[{"variant_id":"70","variant_type":"TREATMENT","percentage":100}],
        "preload":{"behavior":"ALWAYS"}}]},
      {"event_name":"p.shown","rules":[]},
      {"event_name":"split","rules":[{"experiment_id":"8","experiment_group_id":"1",
        "variants":[{"variant_id":"80","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"a"},
                    {"variant_id":"81","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"b"}],
        "preload":{"behavior":"ALWAYS"}}]}],
     "paywall_responses":[{"id":"1","identifier":"a"},{"id":"2","identifier":"b"}]}
    """#

  private func server(trusting trusts: Bool = false) async throws -> TestServer {
    try await TestServer {
      $0.trustsContexts = trusts
      $0.fixtures = Fixtures(applications: [
        .init(
          id: "1", publicKey: "pk_test", secretKey: "sk_test", config: Array(Self.broken.utf8))
      ])
    }
  }

  /// Clients take a success with a missing value for a flag that is off.
  @Test func aFailureIsNoSuccess() async throws {
    let server = try await server()
    let body = #"{"context":{"targetingKey":"u"}}"#
    let decided = try await server.post("/v1/decide", #"{"userId":"u","placements":["broken"]}"#)
    let result = decided.json["decisions"]?.elements?.first?["result"]
    #expect(result?["result"] == "error")
    for name in ["broken", "broken.shown", "broken.outcome"] {
      let answer = try await server.post(Self.flag(name), body)
      #expect(answer.status == 400 && answer.json["errorCode"] == "GENERAL")
      #expect(answer.json["errorDetails"] == result?["error"])
      #expect(answer.json["value"] == nil && answer.json["reason"] == nil)
    }
    let all = try await server.post("/ofrep/v1/evaluate/flags", body)
    #expect(all.status == 200)
    let failed = all.json["flags"]?.elements?.filter { $0["errorCode"] != nil } ?? []
    #expect(failed.compactMap { $0["key"]?.text } == ["broken", "broken.shown", "broken.outcome"])
  }

  /// A placement may be called as a flag of another one would be.
  @Test func aPlacementHasItsOwnName() async throws {
    let server = try await server()
    let body = #"{"context":{"targetingKey":"u"}}"#
    #expect(try await server.post(Self.flag("p.shown"), body).json["value"] == nil)
    #expect(try await server.post(Self.flag("p.shown.shown"), body).json["value"] == false)
    #expect(try await server.post(Self.flag("p.outcome"), body).status == 404)
  }

  /// Otherwise a page could choose its variant.
  @Test func clientsDoNotChooseTheirVariants() async throws {
    func variant(_ server: TestServer, _ wanted: String) async throws -> Value? {
      let context = """
        {"context":{"targetingKey":"u",
        "assignments":[{"experimentId":"8","variantId":"\(wanted)"}]}}
        """
      return try await server.post(Self.flag("split"), context).json["variant"]
    }
    let (closed, open) = (try await server(), try await server(trusting: true))
    #expect(try await variant(closed, "80") == variant(closed, "81"))
    for wanted in ["80", "81"] {
      #expect(try await variant(open, wanted)?.text == wanted)
    }
  }

  /// The attribute in `user` wins, in whatever order they come.
  @Test(arguments: [
    #""plan":"pro","user":{"plan":"free"}"#, #""user":{"plan":"free"},"plan":"pro""#,
  ])
  func attributesOfTheUserWin(_ members: String) async throws {
    let server = try await TestServer()
    let path = "/ofrep/v1/evaluate/flags"
    let plain = #"{"context":{"targetingKey":"u","user":{"plan":"free"}}}"#
    let both = #"{"context":{"targetingKey":"u",\#(members)}}"#
    #expect(try await server.post(path, both).text == server.post(path, plain).text)
  }

  @Test func aKeyMayBeInItsOwnHeader() async throws {
    let server = try await TestServer()
    let body = #"{"context":{"targetingKey":"u"}}"#
    func status(_ headers: [String: String]) async throws -> Int {
      try await server.send(
        "POST", Self.flag("export_report"), body, key: nil, headers: headers
      ).status
    }
    #expect(try await status(["X-API-Key": "pk_test"]) == 200)
    #expect(try await status(["X-API-Key": "wrong"]) == 401)
    #expect(try await status([:]) == 401)
  }

  @Test func allFlagsHaveATag() async throws {
    let server = try await TestServer()
    let path = "/ofrep/v1/evaluate/flags"
    let body = #"{"context":{"targetingKey":"u"}}"#
    let first = try await server.post(path, body)
    let names = server.service.applications[0].current.ruleSet.placementNames
    #expect(first.json["flags"]?.elements?.count == 3 * names.count)
    let tag = try #require(first.headers["etag"])
    let again = try await server.send("POST", path, body, headers: ["If-None-Match": tag])
    #expect(again.status == 304)
    #expect(again.bytes.isEmpty)
    let other = try await server.send(
      "POST", path, #"{"context":{"targetingKey":"u","plan":"free"}}"#,
      headers: ["If-None-Match": "\"another\""])
    #expect(other.status == 200)
  }
}

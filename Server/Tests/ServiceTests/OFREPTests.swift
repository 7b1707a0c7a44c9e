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
      if line["paywall"]?.text != nil {
        #expect(answer.json["reason"] == "TARGETING_MATCH")
        #expect(object.json["value"] == line)
      } else if line["result"]?["result"] == "noAudienceMatch" {
        #expect(answer.json["reason"] == "DEFAULT")
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

  @Test func allFlagsHaveATag() async throws {
    let server = try await TestServer()
    let path = "/ofrep/v1/evaluate/flags"
    let body = #"{"context":{"targetingKey":"u"}}"#
    let first = try await server.post(path, body)
    let names = server.service.applications[0].current.ruleSet.placementNames
    #expect(first.json["flags"]?.elements?.count == 2 * names.count)
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

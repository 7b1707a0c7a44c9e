import Expressions
import Foundation
import RuleEngine
import Testing

@testable import Service

@Suite struct StreamTests {
  private static let path = "/v1/decide/stream?now=2026-03-01T12:00:00Z"

  /// Users of the demo, those that are refused among them.
  private static func users(_ count: Int) throws -> [String] {
    String(decoding: try TestServer.file("corpus/demo/users.ndjson"), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: true).prefix(count).map(String.init)
  }

  @Test func aStreamAnswersAsManyRequestsWould() async throws {
    let server = try await TestServer()
    let users = try Self.users(300)
    let stream = try await server.post(Self.path, users.joined(separator: "\n") + "\n")
    #expect(stream.status == 200)
    #expect(stream.headers["content-type"] == "application/x-ndjson")
    let lines = stream.text.split(separator: "\n").map(String.init)
    #expect(lines.count == users.count)
    for (number, (user, line)) in zip(users, lines).enumerated() where number % 10 == 0 {
      let body =
        user.trimmingCharacters(in: .whitespaces).dropLast()
        + #","now":"2026-03-01T12:00:00Z"}"#
      let one = try await server.post("/v1/decide", String(body))
      if one.status == 200 {
        #expect(line == one.text)
      } else {
        #expect(try Value.parse(json: line.utf8)["error"]?["code"]?.text == one.code)
      }
    }
  }

  @Test func errorsStandWhereTheirLinesDo() async throws {
    let server = try await TestServer()
    let body = """
      {"userId":"a"}

      nonsense
      {"userId":"b"}
      {"userId":""}
      {"userId":"c","placements":["export_report"]}
      {"userId":"d","placements":["export_report"],"explain":true}
      {"userId":"e","placements":["nowhere"]}
      {"userId":"f","now":"never"}
      {"userId":"g"}
      """
    let lines = try await server.post(Self.path, body).text.split(separator: "\n")
      .map { try Value.parse(json: $0.utf8) }
    #expect(
      lines.map { $0["decisions"]?.elements?.first?["userId"]?.text } == [
        "a", nil, "b", nil, "c", "d", "e", nil, "g",
      ])
    #expect(
      lines.map { $0["error"]?["line"]?.wholeNumber } == [
        nil, 3, nil, 5, nil, nil, nil, 9, nil,
      ])
    #expect(lines[4]["decisions"]?.elements?.count == 1)
    #expect(lines[5]["decisions"]?.elements?[0]["explanation"] != nil)
    #expect(lines[6]["decisions"]?.elements?[0]["result"]?["result"] == "placementNotFound")
  }

  @Test func namesCountOnceAndNoneIsAllowed() async throws {
    let server = try await TestServer()
    let lines = [
      #"{"userId":"a","placements":[]}"#, #"{"userId":"b","placements":["x","x"]}"#,
      #"{"userId":"c","placements":[]}"#,
    ]
    let stream = try await server.post(Self.path, lines.joined(separator: "\n"))
      .text.split(separator: "\n").map(String.init)
    #expect(stream.count == 3)
    for (line, answer) in zip(lines, stream) {
      #expect(try await server.post("/v1/decide", line).text == answer)
    }
    #expect(try Value.parse(json: stream[1].utf8)["decisions"]?.elements?.count == 1)
  }

  @Test func layoutsAreThoseOfPrecompute() async throws {
    let server = try await TestServer()
    let users = #"{"userId":"a"}"# + "\n" + #"{"userId":"b"}"#
    let long = try await server.post(Self.path + "&layout=long&placements=export_report", users)
    #expect(long.text.split(separator: "\n").count == 2)
    #expect(long.text.hasPrefix(#"{"userId":"a","placement":"export_report""#))
    let wide = try await server.post(Self.path + "&layout=wide", users)
    #expect(wide.text.split(separator: "\n").count == 2)
    #expect(wide.text.hasPrefix(#"{"userId":"a","#))
    let reasons = try await server.post(
      Self.path + "&reasons&placements=export_report", #"{"userId":"a"}"#)
    #expect(reasons.json["decisions"]?.elements?[0]["reason"] != nil)
    #expect(try await server.post(Self.path + "&layout=tall", users).status == 400)
    let unknown = try await server.post(Self.path + "&placements=nowhere", users)
    #expect(unknown.status == 400)
    #expect(unknown.code == "unknown_placement")
  }

  @Test func linesThatAreTooLongArePassedOver() async throws {
    let server = try await TestServer { $0.lineLimit = 100_000 }
    let long = #"{"userId":"long","user":{"x":""# + String(repeating: "x", count: 1 << 20) + #""}}"#
    for body in [
      #"{"userId":"a"}"# + "\n" + long + "\n" + #"{"userId":"b"}"# + "\n",
      #"{"userId":"a"}"# + "\n" + #"{"userId":"b"}"# + "\n" + long,
    ] {
      let lines = try await server.post(Self.path, body).text.split(separator: "\n")
        .map { try Value.parse(json: $0.utf8) }
      #expect(lines.count == 3)
      #expect(lines.compactMap { $0["decisions"] }.count == 2)
      #expect(lines.compactMap { $0["error"]?["code"]?.text }.count == 1)
    }
  }

  /// Lines that were stored before the store failed, and errors, have no mark.
  @Test func linesWithoutStateAreMarked() {
    let lines = [#"{"a":1}"#, #"{"b":2}"#, #"{"error":{"code":"x"}}"#, #"{"c":3}"#]
    let output = Array((lines.joined(separator: "\n") + "\n").utf8)
    let marked = DecisionStream.marked(
      output,
      except: [4: .success(Array(lines[3].utf8)), 9: .failure(.badRequest("x"))])
    #expect(
      String(decoding: marked, as: UTF8.self)
        == #"{"a":1,"withoutState":true}"# + "\n" + #"{"b":2,"withoutState":true}"# + "\n"
        + lines[2] + "\n" + lines[3] + "\n")
    #expect(DecisionStream.marked([], except: [:]).isEmpty)
  }

  @Test func emptyStreamsHaveNoAnswers() async throws {
    let server = try await TestServer()
    for body in ["", "\n", "  \n\r\n"] {
      let answer = try await server.post(Self.path, body)
      #expect(answer.status == 200)
      #expect(answer.text == "")
    }
  }
}

import Expressions
import Foundation
import Requests
import RuleEngine
import RuleInsight
import Service
import Testing

@Suite struct InspectingTests {
  private static func config() throws -> String {
    String(decoding: try TestServer.file("corpus/demo/config.json"), as: UTF8.self)
  }

  @Test func explanationsAreThoseOfTheCommand() async throws {
    let server = try await TestServer()
    let user = try Value.parse(json: TestServer.file("corpus/demo/user.json"))
    func ask(_ more: KeyValuePairs<String, Value>) async throws -> Value {
      let members =
        [Value.Entry(key: "user", value: user)]
        + more.map { .init(key: .string($0.key), value: $0.value) }
      return try await server.post("/v1/explain", Value.map(members).json).json
    }
    let one = try await ask(["placement": "export_report", "now": "2026-03-01T12:00:00Z"])
    #expect(one["placement"] == "export_report")
    #expect(one["now"]?.text?.hasPrefix("2026-03-01T12:00:00") == true)
    #expect(one["audiences"]?.elements?.isEmpty == false)
    #expect(try await ask([:]).elements?.count ?? 0 > 3)
    let audience = try await ask(["placement": "export_report", "audience": 0])
    #expect(["found", "none", "unknown"].contains(audience["verdict"]?.text))
    #expect(try await ask(["placement": "export_report", "audience": 99])["error"] != nil)
    #expect(
      try await ask(["placement": "export_reprot"])["error"]?["message"]?.text?
        .contains("did you mean 'export_report'?") == true)
    let set = try await ask(["placement": "export_report", "set": ["user.plan": "enterprise"]])
    #expect(set != one)
  }

  @Test func findingsHaveTheirPlacesInTheText() async throws {
    let server = try await TestServer()
    let text = try Self.config().replacing("user.plan ==", with: "user.plan ===")
    let given = try await server.post(
      "/v1/check", Value.object(["config": .string(text)]).json)
    let error = try #require(given.json["diagnostics"]?.elements?.first)
    #expect(error["severity"] == "error")
    #expect(error["code"] == "syntax-error")
    #expect(error["line"]?.wholeNumber ?? 0 > 1)
    // As an object its places are those in the object as it was sent.
    let inPlace = try await server.post("/v1/check", "{\"config\":\(text)}")
    #expect(inPlace.text == given.text)
    let running = try await server.post("/v1/check", "{}")
    #expect(running.json["counts"]?["error"] == 0)
    #expect(try await server.post("/v1/check", #"{"config":"{","schema":{}}"#).status == 200)
    #expect(try await server.post("/v1/check", #"{"platform":"amiga"}"#).status == 400)
  }

  @Test func differencesAreOfUsersOrOfEverybody() async throws {
    let server = try await TestServer { $0.settings.redaction = .init(paths: [["userId"]]) }
    let new = try Self.config().replacing("\"export_report\"", with: "\"export_report_2\"")
    let users = String(decoding: try TestServer.file("corpus/demo/users.ndjson"), as: UTF8.self)
      .split(separator: "\n").prefix(50).joined(separator: "\n")
    let some = try await server.post(
      "/v1/diff", Value.object(["new": .string(new), "users": .string(users)]).json)
    #expect(some.status == 200)
    #expect(some.json["users"]?.wholeNumber ?? 0 > 10)
    #expect(some.json["placements"]?["export_report"]?["moved"]?.wholeNumber ?? 0 > 0)
    #expect(some.text.contains("[redacted]"))
    let all = try await server.post("/v1/diff", Value.object(["new": .string(new)]).json)
    #expect(all.json["placements"]?["export_report"]?["verdict"] == "differs")
    #expect(try await server.post("/v1/diff", "{}").status == 400)
    #expect(try await server.post("/v1/diff", #"{"new":"{"}"#).status == 422)
  }

  @Test func textsAreRendered() async throws {
    let server = try await TestServer()
    let answer = try await server.post(
      "/v1/render",
      #"{"template":"{{ products.primary.price }} for {{ user.name }}!","user":{"user":{"name":"Ann"}}}"#
    )
    #expect(answer.status == 200)
    #expect(answer.json["text"]?.text?.hasSuffix(" for Ann!") == true)
    #expect(answer.json["isComplete"] == true)
    let broken = try await server.post("/v1/render", #"{"template":"{{ products.primary"}"#)
    let zone = try await server.post("/v1/render", #"{"template":"x","timeZone":"Mars/Base"}"#)
    #expect(
      zone.code == "bad_request" && zone.text.contains("the time zone 'Mars/Base' does not exist"))
    let texts = try await TestServer {
      $0.settings.texts = try TextFile.given(TestServer.file("corpus/demo/texts.json"))
    }
    let paywall = try await texts.post("/v1/render", #"{"paywall":"onboarding-annual"}"#)
    #expect(paywall.json["texts"]?["title"] == "Welcome to Stride", "\(paywall.text)")
    #expect(broken.json["isComplete"] == false)
    #expect(broken.json["errors"]?.elements?.isEmpty == false)
    #expect(try await server.post("/v1/render", "{}").code == "bad_request")
  }

  @Test func theDescriptionNamesEveryRoute() async throws {
    let server = try await TestServer()
    let document = try await server.send("GET", "/openapi.json", key: nil).json
    #expect(document["openapi"]?.text == "3.1.0")
    let names = document["components"]?["schemas"]?.members?.map(\.key) ?? []
    for (path, operations) in document["paths"]?.members ?? [] {
      for (method, operation) in operations.members ?? [] {
        // Nobody is let in without a key but where the description says so, and nothing is missing.
        let place = path.replacing("{key}", with: "export_report")
        let body = operation["requestBody"] == nil ? nil : "nonsense"
        let answer = try await server.send(method.uppercased(), place, body, key: nil)
        let isOpen = operation["security"]?.elements?.isEmpty == true
        #expect(answer.status == (isOpen ? 200 : 401), "\(method) \(path)")
        if !path.hasPrefix("/ofrep") {
          let known = try await server.send(
            method.uppercased(), place, body, key: isOpen ? nil : "sk_test")
          let documented = operation["responses"]?[String(known.status)] != nil
          #expect(documented, "\(method) \(path) \(known.status)")
        }
      }
    }
    for match in document.json.matches(of: /#\/components\/schemas\/(\w+)/) {
      #expect(names.contains(String(match.1)))
    }
    #expect(document["paths"]?.members?.count == 20)
  }

  /// Names that nobody has are not lines of the exposition, nor kept.
  @Test func namesOfOthersAreNotInTheMetrics() async throws {
    let server = try await TestServer()
    for name in [#"x\r\nforged 1\r\n"#, #"\u0600\"} forged"#, "plain"] {
      let answer = try await server.post("/v1/decide", #"{"userId":"a","placements":["\#(name)"]}"#)
      #expect(answer.status == 200)
    }
    let text = try await server.send("GET", "/metrics", key: nil).text
    #expect(!text.contains("forged") && !text.contains("plain"))
    #expect(text.contains(#"placement="(unknown)""#))
  }

  @Test func whatHappenedIsCounted() async throws {
    let server = try await TestServer()
    _ = try await server.post(
      "/v1/decide", #"{"userId":"secret-user","placements":["export_report"]}"#)
    _ = try await server.post(
      "/v1/decide/stream?placements=export_report", "{\"userId\":\"a\"}\n{\"userId\":\"b\"}\nx")
    _ = try await server.post("/v1/decide", "{")
    let text = try await server.send("GET", "/metrics", key: nil).text
    let decided = text.split(separator: "\n").filter { $0.hasPrefix("tollgate_decisions_total{") }
    #expect(
      decided.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +) == 3)
    #expect(text.contains("tollgate_refused_lines_total 1\n"))
    #expect(text.contains(#"tollgate_config_version{application="1"} 1"#))
    #expect(
      text.contains(
        #"tollgate_http_requests_total{method="POST",route="/v1/decide",status="400"} 1"#))
    #expect(text.contains(#"tollgate_http_request_seconds_bucket{route="/v1/decide",le="+Inf"} 2"#))
    #expect(!text.contains("secret-user"))
    #expect(try await server.send("GET", "/healthz", key: nil).status == 200)
    #expect(try await server.send("GET", "/readyz", key: nil).json["configs"]?["1"] == 1)
  }
}

import Expressions
import Foundation
import RuleEngine
import Service
import Testing

@Suite struct ConfigRoutesTests {
  private static func config(_ change: (String) -> String) throws -> String {
    change(String(decoding: try TestServer.file("corpus/demo/config.json"), as: UTF8.self))
  }

  private func put(_ server: TestServer, _ body: String, _ query: String = "") async throws
    -> TestServer.Answer
  {
    try await server.send("PUT", "/v1/config\(query)", body, key: "sk_test")
  }

  private func without(_ placement: String) throws -> String {
    try Self.config { $0.replacing("\"\(placement)\"", with: "\"\(placement)_2\"") }
  }

  @Test(arguments: TestStore.all)
  func aConfigIsTriedThenPutThenTakenBack(_ kind: TestStore) async throws {
    let server = try await TestServer(store: kind.store())
    let user = #"{"userId":"u","placements":["export_report_2"]}"#
    func result() async throws -> String? {
      try await server.post("/v1/decide", user).json["decisions"]?.elements?[0]["result"]?[
        "result"]?
        .text
    }
    let new = try without("export_report")
    let dry = try await put(server, new, "?dry-run")
    #expect(dry.status == 200)
    #expect(dry.json["diff"]?["placements"]?["export_report"]?["verdict"] == "differs")
    #expect(try await result() == "placementNotFound")
    let answer = try await put(server, new, "?note=try")
    #expect(answer.status == 200)
    #expect(answer.json["version"] == 2)
    #expect(try await result() != "placementNotFound")
    // The other application keeps its own.
    #expect(
      try await server.post("/v1/decide", user, key: "pk_other").headers["tollgate-config-version"]
        == "1")
    let back = try await server.send("POST", "/v1/config/rollback", nil, key: "sk_test")
    #expect(back.status == 200)
    #expect(back.json["version"] == 3)
    #expect(back.json["sameAs"] == 1)
    #expect(try await result() == "placementNotFound")
    let history = try await server.send("GET", "/v1/config/history", key: "sk_test").json
    #expect(history["current"] == 3)
    #expect(
      history["versions"]?.elements?.map { $0["source"]?.text } == ["rollback", "api", "file"])
    #expect(history["versions"]?.elements?[1]["note"] == "try")
    let audit = try await server.send("GET", "/v1/audit", key: "sk_test")
    #expect(audit.json["entries"]?.elements?.first?["by"] == "owner of application 1")
    #expect(!audit.text.contains("sk_test"))
  }

  /// What names no version is not taken for "the one before".
  @Test(arguments: ["3", "[]", #"{"versoin":1}"#, #"{"version":"1"}"#, "null"])
  func rollbacksNameAVersionOrNothing(_ body: String) async throws {
    let server = try await TestServer()
    _ = try await put(server, try without("export_report"))
    #expect(
      try await server.send("POST", "/v1/config/rollback", body, key: "sk_test").status == 400)
    let history = try await server.send("GET", "/v1/config/history", key: "sk_test").json
    #expect(history["current"] == 2)
  }

  /// A file with errors decides without the parts that are wrong, and can be gone back to.
  @Test func versionsThatDecidedCanBeGoneBackTo() async throws {
    let config = try String(decoding: TestServer.file("corpus/demo/config.json"), as: UTF8.self)
    let wrong = config.replacing(
      #""trigger_options": ["#,
      with:
        #""trigger_options": [{"event_name":"w","rules":[{"expression_cel":"1 +","experiment_id":"e","experiment_group_id":"g","variants":[]}]},"#
    )
    #expect(wrong != config)
    let server = try await TestServer { $0.fixtures.applications[0].config = Array(wrong.utf8) }
    #expect(try await put(server, wrong).status == 422)
    #expect(try await put(server, config).status == 200)
    let back = try await server.send("POST", "/v1/config/rollback", nil, key: "sk_test")
    #expect(back.status == 200 && back.json["sameAs"] == 1)
  }

  /// Going back again goes one further back, and not forth again.
  @Test(arguments: TestStore.all)
  func goingBackTwiceGoesTwoBack(_ kind: TestStore) async throws {
    let server = try await TestServer(store: kind.store())
    for placement in ["export_report", "session_start", "paywall_decline"] {
      _ = try await put(server, try without(placement))
    }
    func back(_ body: String? = nil) async throws -> TestServer.Answer {
      try await server.send("POST", "/v1/config/rollback", body, key: "sk_test")
    }
    // 4 has gone, and 3, 2 and 1 are left.
    var sources: [Int?] = []
    for _ in 0..<3 { sources.append(try await back().json["sameAs"]?.wholeNumber) }
    #expect(sources == [3, 2, 1])
    #expect(try await back().status == 404)
    // What was put afterwards is gone back from, to what there was before.
    _ = try await put(server, try without("workout_finished"))
    #expect(try await back().json["sameAs"] == 1)
    #expect(try await back(#"{"version":2}"#).json["sameAs"] == 2)
    #expect(try await back().json["sameAs"] == 1)
    let versions = try await server.send("GET", "/v1/config/history", key: "sk_test")
      .json["versions"]?.elements
    #expect(versions?.prefix(4).map { $0["sameAs"]?.wholeNumber } == [1, 2, 1, nil])
  }

  @Test(arguments: TestStore.all)
  func theAdminReadsWhatWasDoneToAllApplications(_ kind: TestStore) async throws {
    let server = try await TestServer(store: kind.store())
    let text = try without("export_report")
    for key in ["sk_test", "sk_other"] {
      #expect(try await server.send("PUT", "/v1/config", text, key: key).status == 200)
    }
    func entries(_ query: String, _ key: String) async throws -> [String?]? {
      try await server.send("GET", "/v1/audit\(query)", key: key).json["entries"]?.elements?
        .filter { $0["action"] == "config api" }.map { $0["application"]?.text }
    }
    #expect(try await entries("", TestServer.adminToken) == ["2", "1"])
    #expect(try await entries("?application=1", TestServer.adminToken) == ["1"])
    #expect(try await entries("", "sk_test") == ["1"])
    for key in ["pk_test", nil] {
      #expect([401, 403].contains(try await server.send("GET", "/v1/audit", key: key).status))
    }
  }

  /// What decides nothing because it is no config does not begin.
  @Test(arguments: ["corpus/demo/products.json", "corpus/demo/texts.json", "corpus/demo/user.json"])
  func anotherFileIsNotTakenForAConfig(path: String) async throws {
    do {
      _ = try await TestServer {
        $0.fixtures = Fixtures(applications: [
          .init(
            id: "1", publicKey: "pk", secretKey: "sk", configPath: path,
            config: try TestServer.file(path))
        ])
      }
      Issue.record("it began")
    } catch let error as ServiceError {
      #expect(error.code == "invalid_config")
      #expect(error.message.contains(path))
    }
  }

  /// A config that has no placements yet, and no faults, is one.
  @Test func aConfigWithoutPlacementsBegins() async throws {
    let server = try await TestServer {
      $0.fixtures = Fixtures(applications: [
        .init(
          id: "1", publicKey: "pk_test", secretKey: "sk_test",
          config: Array(#"{"trigger_options":[]}"#.utf8))
      ])
    }
    #expect(try await server.post("/v1/decide", #"{"userId":"u"}"#).text == #"{"decisions":[]}"#)
  }

  @Test func aBadConfigNeverTakesThePlaceOfAGoodOne() async throws {
    let server = try await TestServer()
    let broken = try Self.config { $0.replacing("user.plan", with: "user.plan ===") }
    for body in ["", "{", "[]", "{}", "null", broken] {
      let answer = try await put(server, body)
      #expect(answer.status == 422, "\(body.prefix(20))")
      #expect(answer.code == "invalid_config")
      #expect(answer.json["error"]?["diagnostics"]?.elements?.isEmpty == false)
    }
    #expect(server.service.applications[0].current.number == 1)
    #expect(try await server.post("/v1/decide", #"{"userId":"u"}"#).status == 200)
  }

  @Test func usersOfATryAreCounted() async throws {
    let server = try await TestServer()
    let body = Value.object([
      "config": .string(try without("export_report")), "users": [["userId": "a"], ["userId": "b"]],
    ])
    let answer = try await put(server, body.json, "?dry-run=1")
    #expect(answer.json["diff"]?["users"] == 2)
  }

  @Test(arguments: TestStore.all)
  func ifMatchKeepsOneFromOverwritingAnother(_ kind: TestStore) async throws {
    let server = try await TestServer(store: kind.store())
    let tag = try #require(
      try await server.send("GET", "/v1/config", key: "sk_test").headers["etag"])
    func put(_ tag: String) async throws -> Int {
      try await server.send(
        "PUT", "/v1/config", try without("export_report"), key: "sk_test",
        headers: ["If-Match": tag]
      ).status
    }
    #expect(try await put(tag) == 200)
    #expect(try await put(tag) == 412)
    // Two at once: one of them has not seen what the other one put.
    let next = try #require(
      try await server.send("GET", "/v1/config", key: "sk_test").headers["etag"])
    let config = String(decoding: try TestServer.file("corpus/demo/config.json"), as: UTF8.self)
    let found = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await server.send(
            "PUT", "/v1/config", config, key: "sk_test", headers: ["If-Match": next]
          ).status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found.sorted() == [200, 412, 412, 412])
  }

  @Test func aServerThatBeginsAgainHasTheLastConfig() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let server = try await TestServer(database: ServiceDatabase.open(in: folder.path))
      #expect(try await put(server, try without("export_report")).status == 200)
    }
    let again = try await TestServer(database: ServiceDatabase.open(in: folder.path))
    #expect(again.service.applications[0].current.number == 2)
    #expect(
      again.service.applications[0].current.ruleSet.placement(named: "export_report_2") != nil)
  }

  @Test(arguments: TestStore.all)
  func manyWhoDecideWhileConfigsChangeGetOneOrTheOther(_ kind: TestStore) async throws {
    let server = try await TestServer(store: kind.store())
    let texts = [try without("export_report"), try Self.config { $0 }]
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<6 {
          let answer = try await self.put(server, texts[number % 2])
          #expect(answer.status == 200)
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<30 {
            let answer = try await server.post(
              "/v1/decide",
              #"{"userId":"u","placements":["export_report","export_report_2"]}"#)
            let found = answer.json["decisions"]?.elements?.map { $0["result"]?["result"]?.text }
            #expect(found?.count { $0 == "placementNotFound" } == 1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(server.service.applications[0].current.number == 7)
  }
}

import Expressions
import Foundation
import Service
import Testing

@Suite struct AccessTests {
  private static let user = #"{"userId":"u","placements":["export_report"]}"#

  @Test func keysAreForTheirApplicationAlone() async throws {
    let server = try await TestServer()
    func status(_ path: String, _ key: String?) async throws -> Int {
      try await server.post(path, Self.user, key: key).status
    }
    #expect(try await status("/v1/decide", "pk_test") == 200)
    #expect(try await status("/v1/decide", "sk_test") == 200)
    #expect(try await status("/v1/decide?application=1", "pk_test") == 200)
    #expect(try await status("/v1/decide?application=2", "pk_test") == 403)
    #expect(try await status("/v1/decide", nil) == 401)
    #expect(try await status("/v1/decide", "pk_tes") == 401)
    #expect(try await status("/v1/decide", "") == 401)
    // An admin says for which.
    #expect(try await status("/v1/decide", TestServer.adminToken) == 400)
    #expect(try await status("/v1/decide?application=2", TestServer.adminToken) == 200)
    #expect(try await status("/v1/decide?application=3", TestServer.adminToken) == 404)
  }

  @Test func publicKeysAdministerNothing() async throws {
    let server = try await TestServer()
    for (method, path) in [
      ("GET", "/v1/config"), ("PUT", "/v1/config"), ("POST", "/v1/config/rollback"),
      ("GET", "/v1/config/history"), ("GET", "/v1/audit"),
    ] {
      let body = method == "GET" ? nil : "{}"
      for key in ["pk_test", "pk_other"] {
        let answer = try await server.send(method, path, body, key: key)
        #expect(answer.status == 403, "\(method) \(path)")
        #expect(answer.code == "forbidden")
      }
      #expect(try await server.send(method, path, body, key: nil).status == 401)
      let other = try await server.send(method, path + "?application=1", body, key: "sk_other")
      #expect(other.status == 403)
    }
  }

  @Test func withoutKeysTheOnlyApplicationIsMeantWhereThatIsAllowed() async throws {
    let server = try await TestServer {
      $0.requiresKeys = false
      $0.fixtures.applications.removeLast()
    }
    #expect(try await server.post("/v1/decide", Self.user, key: nil).status == 200)
    #expect(try await server.post("/v1/decide", Self.user, key: "wrong").status == 401)
    #expect(try await server.send("PUT", "/v1/config", "{}", key: nil).status == 401)
  }

  @Test func keysAreKeptAsHashes() {
    let access = Access(
      Fixtures(applications: [
        .init(id: "1", publicKey: "pk_secret_text", secretKey: "sk_secret_text", config: [])
      ]), adminToken: "admin_secret_text")
    var text = ""
    dump(access, to: &text)
    #expect(!text.contains("secret_text"))
    #expect(access.caller("sk_secret_text") == .owner(application: "1"))
    #expect(access.caller("admin_secret_text") == .admin)
    #expect(access.caller("nobody's") == nil)
  }

  @Test func tooManyRequestsAreToldToWait() async throws {
    var settings = ServerSettings()
    settings.rateLimit = 1
    let server = try await TestServer(settings: settings)
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<30 {
        group.addTask { try await server.post("/v1/decide", Self.user).status }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(statuses == [200, 429])
  }

  @Test func aSecondGivesAsManyRequestsAsTheLimit() {
    let limit = RateLimitMiddleware(perSecond: 4)
    let start = ContinuousClock.now
    func taken(_ caller: String, _ seconds: Double) -> Int {
      (0..<10).count { _ in limit.take(caller, at: start + .seconds(seconds)) }
    }
    #expect(taken("a", 0) == 4)
    #expect(taken("a", 0.5) == 2)
    #expect(taken("a", 60) == 4)
    #expect(taken("b", 60) == 4)
  }

  @Test func onlyPagesOfGivenOriginsMayAsk() async throws {
    var settings = ServerSettings()
    settings.origins = ["https://a.example", "https://b.example"]
    let server = try await TestServer(settings: settings)
    func allowed(_ origin: String, _ method: String = "POST") async throws -> String? {
      try await server.send(
        method, "/v1/decide", method == "POST" ? Self.user : nil, headers: ["Origin": origin]
      ).headers["access-control-allow-origin"]
    }
    #expect(try await allowed("https://b.example") == "https://b.example")
    #expect(try await allowed("https://b.example", "OPTIONS") == "https://b.example")
    #expect(try await allowed("https://c.example") == nil)
    // Errors are for pages, too.
    let refused = try await server.send(
      "POST", "/v1/decide", "{", headers: ["Origin": "https://a.example"])
    #expect(refused.headers["access-control-allow-origin"] == "https://a.example")
  }
}

import Expressions
import Foundation
import Requests
import RuleEngine
import Testing

@testable import Service

/// `GET` and `DELETE /v1/users/{id}`.
@Suite struct UserRoutesTests {
  private static func server(_ kind: TestStore, log: Bool = false) async throws -> (
    TestServer, any StateStore
  ) {
    let store = try await kind.store()
    let server = try await TestServer(store: store) {
      $0.keepsState = true
      $0.fixtures = Fixtures(applications: [
        .init(
          id: "1", publicKey: "pk_test", secretKey: "sk_test", config: Array(FleetTests.config.utf8)
        ),
        .init(
          id: "2", publicKey: "pk_other", secretKey: "sk_other",
          config: Array(FleetTests.config.utf8)),
      ])
    }
    return (server, store)
  }

  private static let users = [
    "u-1", "a/b?c#d&e=%41 %", "ü \u{1F600}", "e\u{301}", String(repeating: "long", count: 400),
  ]

  private static func path(_ user: String) -> String {
    let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-")
    return "/v1/users/" + user.addingPercentEncoding(withAllowedCharacters: plain)!
  }

  private static func decide(
    _ user: String, _ request: String, _ server: TestServer, key: String = "pk_test"
  ) async throws {
    let body = Value.object([
      "userId": .string(user), "user": ["ok": true], "requestId": .string(request),
      "now": "2026-03-01T12:00:00Z",
    ])
    #expect(try await server.post("/v1/decide", body.json, key: key).status == 200)
  }

  @Test(arguments: TestStore.all)
  func aUserIsShownAndForgotten(_ kind: TestStore) async throws {
    let (server, store) = try await Self.server(kind)
    for (number, user) in Self.users.enumerated() {
      try await Self.decide(user, "\(number)-a", server)
      try await Self.decide(user, "\(number)-b", server)
    }
    try await Self.decide("u-1", "0-a", server, key: "pk_other")
    for (number, user) in Self.users.enumerated() {
      let shown = try await server.send("GET", Self.path(user), key: "sk_test")
      #expect(shown.status == 200 && shown.json["userId"] == .string(user), "\(shown.text)")
      #expect(shown.json["assignments"]?.elements?.count == 1)
      #expect(shown.json["occurrences"]?["k"]?.elements?.count == 2)
      let answers = shown.json["answers"]?.elements ?? []
      #expect(answers.map { $0["requestId"]?.text } == ["\(number)-a", "\(number)-b"])
      #expect(answers.allSatisfy { $0["answer"]?["decisions"] != nil })
      let deleted = try await server.send("DELETE", Self.path(user), key: "sk_test")
      #expect(
        deleted.json["deleted"]?.json == #"{"assignments":1,"occurrences":2,"answers":2}"#,
        "\(deleted.text)")
      let gone = try await server.send("GET", Self.path(user), key: "sk_test")
      #expect(gone.json["answers"]?.elements?.isEmpty == true)
      #expect(try await store.read(StateKey(user, request: "\(number)-a", in: "1")) == Stored())
      // The others stay.
      let left = try await StateMoving.count(store)
      #expect(left.users == Self.users.count - number)
    }
    let again = try await server.send("DELETE", Self.path("u-1"), key: "sk_test")
    #expect(again.json["deleted"]?["answers"] == 0)
    let audit = try await server.send("GET", "/v1/audit", key: "sk_test")
    let actions = audit.json["entries"]?.elements?.compactMap { $0["action"]?.text } ?? []
    #expect(actions.count { $0 == "user deleted" } == Self.users.count + 1)
    #expect(actions.count { $0 == "user read" } == 2 * Self.users.count)
    #expect(!audit.text.contains("u-1") && !audit.text.contains("long"))
    let metrics = try await server.send("GET", "/metrics").text
    #expect(!metrics.contains("u-1") && metrics.contains("/v1/users/"))
  }

  @Test(arguments: TestStore.all)
  func onlyTheOwnerMayAsk(_ kind: TestStore) async throws {
    let (server, _) = try await Self.server(kind)
    try await Self.decide("u", "r", server)
    for method in ["GET", "DELETE"] {
      #expect(try await server.send(method, "/v1/users/u", key: nil).status == 401)
      #expect(try await server.send(method, "/v1/users/u", key: "pk_test").status == 403)
      #expect(
        try await server.send(method, "/v1/users/u", key: TestServer.adminToken).status == 400)
      let other = try await server.send(method, "/v1/users/u", key: "sk_other")
      #expect(other.status == 200 && !other.text.contains("\"k\""))
    }
    #expect(try await server.send("GET", "/v1/users/%FF", key: "sk_test").status == 400)
    #expect(try await server.send("PUT", "/v1/users/u", "{}", key: "sk_test").status == 405)
    let mine = try await server.send(
      "GET", "/v1/users/u?application=1", key: TestServer.adminToken)
    #expect(mine.json["occurrences"]?["k"] != nil)
  }

  /// Earlier programs stored answers without their users.
  @Test(arguments: TestStore.all)
  func answersOfEarlierProgramsAreDeleted(_ kind: TestStore) async throws {
    let store = try await kind.store()
    for (request, user) in [("a", "u"), ("b", "u2"), ("c", "\"u\"")] {
      let line = Value.object(["decisions": [["userId": .string(user)]]]).json
      try await store.add([
        .answer(
          StoredAnswer(question: [1], bytes: Array(line.utf8), version: 1),
          StateKey("", request: request, in: "1"), at: Instant(milliseconds: 5))
      ])
    }
    let deleted = try await store.delete(StateKey("u", in: "1"), by: "test")
    #expect(deleted.answers.map(\.request) == ["a"])
    #expect(try await store.everything(of: StateKey("\"u\"", in: "1")).answers.count == 1)
    #expect(try await StateMoving.count(store).answers == 2)
  }

  /// A request that has read a user who is deleted meanwhile is decided again.
  @Test(arguments: TestStore.all)
  func deletingCountsAsAChange(_ kind: TestStore) async throws {
    let store = try await kind.store()
    let key = StateKey("u", in: "1")
    var change = StateChange(
      now: Instant(milliseconds: 0), answer: nil, answeredAt: ServiceTime.now(), keeping: 60_000)
    change.occurrences = ["k"]
    #expect(try await store.store(change, of: key, ifStill: store.read(key)))
    let stored = try await store.read(key)
    _ = try await store.delete(key, by: "test")
    #expect(try await store.store(change, of: key, ifStill: stored) == false)
  }
}

import Expressions
import Foundation
import GRDB
import Service
import Testing

@testable import Sandbox

/// What comes in is kept within limits.
@Suite struct KeptRowsTests {
  private static let two = ["Authorization": "Bearer pk_two"]

  private static func event(_ id: Int, _ size: Int = 0) -> Value {
    .object([
      "events": .list([
        .object([
          "event_id": .string("e\(id)"), "event_name": "app_open",
          "more": .string(String(repeating: "x", count: size)),
        ])
      ])
    ])
  }

  private static func events(_ server: SandboxServer, _ key: String = "sk_sandbox") async throws
    -> [String]
  {
    let reply = try await server.get(
      "/sandbox/events?limit=1000", headers: ["Authorization": "Bearer \(key)"])
    return reply.body["events"]?.elements?.compactMap { $0["eventId"]?.text } ?? []
  }

  @Test func theOldestEventsOfAnApplicationGo() async throws {
    try await SandboxServer.run(fixtures: try SandboxServer.two()) {
      $0.kept.events = 5
    } test: { server in
      _ = try await server.post("/api/v1/events", Self.event(0), headers: Self.two)
      for id in 1...8 { _ = try await server.post("/api/v1/events", Self.event(id)) }
      #expect(try await Self.events(server) == ["e4", "e5", "e6", "e7", "e8"])
      // Another's stay.
      #expect(try await Self.events(server, "sk_two") == ["e0"])
      // A batch that is larger than what is kept.
      let many = (100..<120).map { Self.event($0)["events"]?.elements?.first ?? .null }
      let reply = try await server.post("/api/v1/events", ["events": .list(many)])
      #expect(reply.body == ["status": "ok"])
      #expect(try await Self.events(server) == ["e115", "e116", "e117", "e118", "e119"])
    }
  }

  @Test func ofALargeEventOnlyItsNameIsKept() async throws {
    try await SandboxServer.run { server in
      #expect(try await server.post("/api/v1/events", Self.event(1, 100_000)).status == 200)
      let long: Value = [
        "events": [["event_name": .string(String(repeating: "n", count: 1_000))]]
      ]
      #expect(try await server.post("/api/v1/events", long).status == 200)
      let reply = try await server.get("/sandbox/events", headers: SandboxServer.owner)
      let events = reply.body["events"]?.elements ?? []
      #expect(events[0]["eventId"] == "e1")
      #expect((events[0]["body"]?["leftOut"]?.wholeNumber ?? 0) > 100_000)
      #expect(events[1]["name"]?.text?.utf8.count ?? 1_000 < 256)
    }
  }

  /// With a checkout goes its code, but not what somebody has redeemed.
  @Test func theOldestCheckoutsGo() async throws {
    try await SandboxServer.run {
      $0.kept.checkouts = 3
    } test: { server in
      func buy() async throws -> (context: String, code: String) {
        let context = try #require(
          try await server.beginCheckout("test:x_paid:no-trial").body["checkoutContextId"]?.text)
        let link = try await server.checkout("status", context).body["redemptionUrl"]?.text
        return (context, try #require(link?.split(separator: "=").last.map(String.init)))
      }
      let redeemed = try await buy()
      let left = try await buy()
      func status(_ code: String) async throws -> String? {
        try await server.redeem([code])["codes"]?.elements?.first?["status"]?.text
      }
      #expect(try await status(redeemed.code) == "SUCCESS")
      for _ in 0..<3 { _ = try await buy() }
      for context in [redeemed.context, left.context] {
        #expect(try await server.checkout("status", context).code == "missing_checkout_session")
      }
      #expect(try await status(redeemed.code) == "SUCCESS")
      #expect(try await status(left.code) == "INVALID_CODE")
      let list = try await server.get("/sandbox/checkouts", headers: SandboxServer.owner)
      #expect(list.body["checkouts"]?.elements?.count == 3)
    }
  }

  @Test func aContextThatIsTooLargeIsRefused() async throws {
    try await SandboxServer.run { server in
      let body: Value = [
        "productIdentifier": "test:x:no-trial", "allowedCheckoutDirectives": ["redirect"],
        "context": ["x": .string(String(repeating: "x", count: 70_000))],
      ]
      let reply = try await server.post("\(SandboxServer.base)/checkout/session", body)
      #expect(reply.status == 400 && reply.code == "invalid_body")
      var headers = SandboxServer.app
      headers["Idempotency-Key"] = String(repeating: "k", count: 201)
      #expect(try await server.beginCheckout(headers: headers).status == 400)
    }
  }

  @Test func peopleAreKeptWithinTheirLimit() async throws {
    let database = try ServiceDatabase.open(in: nil)
    var kept = KeptRows()
    kept.people = 4
    let store = try SandboxStore(database, keeping: kept)
    for number in 0..<20 {
      let identity = Identity(user: "u\(number)", alias: "a\(number)")
      try await store.confirm([("1", "2")], of: identity, in: "1", now: 0)
    }
    for table in ["aliases", "assignments"] {
      let count = try await database.read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sandbox_\(table)")
      }
      #expect(count == 4, "\(table)")
    }
    let last = Identity(user: "u19", alias: "a19")
    #expect(try await store.assignments(of: last, in: "1", now: 0).count == 1)
  }

  /// Whoever only looks waits for nobody who writes.
  @Test func readingWritesNothing() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try SandboxStore(try ServiceDatabase.open(in: folder))
    let application = try SandboxApplication(
      try Fixtures(file: SandboxServer.fixturesPath).applications[0])
    try store.seed([application], now: 0)
    func ask(_ identity: Identity) async throws -> Int {
      try await store.assignments(of: identity, in: "1", now: 0).count
    }
    func hold(_ holder: Holder) async throws -> Int {
      try await store.holdings(of: holder, in: application, now: 0).codes.count
    }
    // Somebody new has to be written down.
    let known = Identity(user: "u", alias: "a")
    try await store.confirm([("1", "2")], of: Identity(user: nil, alias: "a"), in: "1", now: 0)
    #expect(try await ask(known) == 1)
    let device = Holder(user: nil, device: "d")
    _ = try await store.redeem(["PROMO-CODE"], for: device, in: application, now: 0)
    _ = try await store.redeem(
      ["ONE-OWNER"], for: Holder(user: nil, device: "e"), in: application, now: 0)
    #expect(try await hold(Holder(user: "u", device: "d")) == 1)
    // Nobody else can write meanwhile.
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(
      path: folder + "/tollgate.sqlite", configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    #expect(try await ask(known) == 1)
    #expect(try await ask(Identity(user: nil, alias: "a")) == 1)
    #expect(try await ask(Identity(user: nil, alias: "b")) == 0)
    #expect(try await ask(Identity(user: "v", alias: nil)) == 0)
    #expect(try await ask(Identity()) == 0)
    #expect(try await hold(Holder(user: "u", device: "d")) == 1)
    #expect(try await hold(Holder(user: nil, device: "e")) == 1)
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    // The alias and the device are somebody else's now.
    #expect(try await ask(Identity(user: "v", alias: "a")) == 0)
    #expect(try await hold(Holder(user: "v", device: "e")) == 1)
    #expect(try await hold(Holder(user: nil, device: "e")) == 0)
  }
}

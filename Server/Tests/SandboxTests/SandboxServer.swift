import Expressions
import Foundation
import Logging
import Service
import Testing

@testable import Sandbox

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A sandbox on a port of its own, in memory, whose clock tests turn.
struct SandboxServer: Sendable {
  let address: String
  let clock: TestClock
  let authority: SandboxAuthority

  final class TestClock: Sendable {
    private let time: Locked<Instant>
    init(_ start: Instant) { time = Locked(start) }
    /// One that shows the machine's time, for clients that have a clock of their own.
    static var now: TestClock { TestClock(ServiceTime.now()) }
    var now: Instant { time.withLock { $0 } }
    func advance(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
  }

  static let fixturesPath = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/sandbox.json").standardized.path

  /// Runs a test with a server. Everything goes over HTTP on loopback.
  static func run(
    folder: String? = nil, clock: TestClock = TestClock(1_790_000_000_000),
    fixtures: Fixtures? = nil, _ adjust: (inout SandboxOptions) -> Void = { _ in },
    test: @escaping @Sendable (SandboxServer) async throws -> Void
  ) async throws {
    var log = Logger(label: "test")
    log.logLevel = .critical
    let fixtures = try fixtures ?? Fixtures(file: fixturesPath)
    var options = SandboxOptions(fixtures: fixtures, log: log)
    options.now = { clock.now }
    options.adminToken = "admin"
    adjust(&options)
    var settings = ServerSettings()
    settings.openPaths = SandboxOptions.openPaths
    let server = Server(settings, log: log)
    try addSandboxRoutes(
      to: server.router, database: try ServiceDatabase.open(in: folder), options: options)
    let (addresses, found) = AsyncStream.makeStream(of: String.self)
    // It runs until the tests end. Cancelling it traps in swift-nio when a connection comes in just then,
    // and clients connect in the background.
    Task {
      defer { found.finish() }
      try await server.run(heedingSignals: false) { _, url in found.yield(url) }
    }
    let first = await addresses.first { _ in true }
    let address = try #require(first)
    try await test(
      SandboxServer(address: address, clock: clock, authority: try SandboxAuthority()))
  }

  // MARK: Asking

  struct Reply: Sendable {
    var status: Int
    var text: String
    var headers: [String: String]
    var body: Value { (try? Value.parse(json: text.utf8)) ?? .null }
    var code: String? { body["error"]?["code"]?.text }
  }

  static let user = "user_1"
  static let device = "$SuperwallDevice:1"

  static let app: [String: String] = [
    "Authorization": "Bearer pk_sandbox", "X-App-User-ID": user,
    "X-Alias-ID": "$SuperwallAlias:1", "X-Vendor-ID": "vendor-1",
  ]
  static let owner = ["Authorization": "Bearer sk_sandbox"]
  static let admin = ["Authorization": "Bearer admin"]

  /// The fixtures' application, and another one with the keys pk_two and sk_two.
  static func two() throws -> Fixtures {
    var fixtures = try Fixtures(file: fixturesPath)
    let first = fixtures.applications[0]
    let members = (first.entry.members ?? []).filter {
      !["agentwallieKey", "domain"].contains($0.key)
    }
    fixtures.applications.append(
      .init(
        id: "2", publicKey: "pk_two", secretKey: "sk_two", config: first.config,
        entry: .map(members.map { .init(key: .string($0.key), value: $0.value) })))
    return fixtures
  }

  func send(
    _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = app
  ) async throws -> Reply {
    var request = URLRequest(url: try #require(URL(string: address + path)))
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    request.cachePolicy = .reloadIgnoringLocalCacheData
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await URLSession.shared.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    var fields: [String: String] = [:]
    for (name, value) in http.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
    return Reply(
      status: http.statusCode, text: String(decoding: data, as: UTF8.self), headers: fields)
  }

  func get(_ path: String, headers: [String: String] = app) async throws -> Reply {
    try await send("GET", path, headers: headers)
  }

  func post(_ path: String, _ body: Value = .map([]), headers: [String: String] = app)
    async throws -> Reply
  {
    try await send("POST", path, body.json, headers: headers)
  }

  static let base = "/subscriptions-api/public/v1"

  func redeem(
    _ codes: [String], user: String? = user, device: String = device
  ) async throws -> Value {
    let reply = try await post(
      "\(Self.base)/redeem",
      .members([
        "deviceId": .string(device), "appUserId": user.map { .string($0) },
        "codes": .list(
          codes.map { .object(["code": .string($0), "firstRedemption": true]) }),
        "receipts": .map([]),
      ]))
    #expect(reply.status == 200, "\(reply.text)")
    return reply.body
  }

  /// The names of the entitlements that somebody has.
  func entitlements(of name: String, device: String? = nil) async throws -> [String] {
    let query = device.map { "?deviceId=\($0)" } ?? ""
    let reply = try await get("\(Self.base)/users/\(name)/entitlements\(query)")
    #expect(reply.body["entitlements"] == reply.body["customerInfo"]?["entitlements"])
    return (reply.body["entitlements"]?.elements ?? []).compactMap { $0["identifier"]?.text }
  }

  func beginCheckout(
    _ product: String = "test:price_month:7", _ directives: [String] = ["redirect"],
    user: String = user, headers: [String: String] = app
  ) async throws -> Reply {
    try await post(
      "\(Self.base)/checkout/session",
      .object([
        "currencyCode": "USD", "productIdentifier": .string(product), "store": "stripe",
        "allowedCheckoutDirectives": .list(directives.map { .string($0) }),
        "context": .object([
          "identity": .object([
            "appUserId": .string(user), "deviceId": .string(Self.device),
            "email": "user@example.com",
          ]),
          "paywall": .object(["paywallIdentifier": "web-paywall"]),
          "experiment": .object(["experimentId": "124", "variantId": "457"]),
          "presentment": .object(["presentedByEventName": "web_checkout"]),
          "placementParams": .object(["placementParams": .object(["from": "home"])]),
        ]),
      ]), headers: headers)
  }

  func checkout(_ step: String, _ context: String, _ more: KeyValuePairs<String, Value> = [:])
    async throws -> Reply
  {
    let name = step == "status" ? "checkoutId" : "checkoutContextId"
    let members = Value.object(more).members ?? []
    return try await post(
      "\(Self.base)/checkout/\(step == "status" ? "" : "session/")\(step)",
      .map(
        [.init(key: .string(name), value: .string(context))]
          + members.map { .init(key: .string($0.key), value: $0.value) }))
  }

  func poll(_ context: String, user: String? = user) async throws -> Reply {
    try await checkout(
      "poll-redemption-result", context,
      user.map { ["deviceId": .string(Self.device), "appUserId": .string($0)] }
        ?? ["deviceId": .string(Self.device)])
  }
}

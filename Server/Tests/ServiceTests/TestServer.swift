import Expressions
import Foundation
import GRDB
import Hummingbird
import Logging
import Requests
import Service

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server on this machine, with the demo's config.
final class TestServer: Sendable {
  let service: DecisionService
  let url: URL

  static let publicKey = "pk_test"
  static let secretKey = "sk_test"
  static let adminToken = "an admin token of a test"
  static let time = "2026-03-01T12:00:00Z"

  /// The folder of the whole project.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func file(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: root.appending(path: path)))
  }

  static func fixtures() throws -> Fixtures {
    let config = try file("corpus/demo/config.json")
    return Fixtures(applications: [
      .init(
        id: "1", publicKey: publicKey, secretKey: secretKey, config: config,
        products: try file("corpus/demo/products.json")),
      .init(id: "2", publicKey: "pk_other", secretKey: "sk_other", config: config),
    ])
  }

  static var quiet: Logger {
    var log = Logger(label: "test")
    log.logLevel = .critical
    return log
  }

  init(
    database: (any DatabaseWriter)? = nil, store: (any StateStore)? = nil,
    settings: ServerSettings = ServerSettings(),
    log: Logger = quiet,
    _ change: (inout ServiceOptions) throws -> Void = { _ in },
    routes: ((Router<ServiceContext>, DecisionService) -> Void)? = nil
  ) async throws {
    var options = ServiceOptions(fixtures: try Self.fixtures(), log: log)
    options.adminToken = Self.adminToken
    options.settings.seed = "demo"
    // The machine may be busy.
    options.storePatience = .seconds(30)
    try change(&options)
    let service = try await DecisionService(
      options, store: try store ?? SQLiteStore(database ?? ServiceDatabase.open(in: nil)))
    self.service = service
    let server = Server(settings, metrics: service.metrics, log: log)
    addServiceRoutes(to: server.router, service)
    addDescription(to: server.router, of: APIDescription.service)
    routes?(server.router, service)
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    // It runs until the tests end: a connection that arrives while a server is cancelled can trap in NIO.
    let follower = ConfigFollower(service, log: log)
    Task {
      try await server.run(beside: follower.map { [$0] } ?? [], heedingSignals: false) { port, _ in
        found.yield(port)
      }
    }
    var port = 0
    for await given in ports {
      port = given
      break
    }
    url = URL(string: "http://127.0.0.1:\(port)")!
  }

  struct Answer {
    var status: Int
    var headers: [String: String]
    var bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var json: Value { (try? Value.parse(json: bytes)) ?? .null }
    /// The code of an error.
    var code: String? { json["error"]?["code"]?.text }
  }

  func send(
    _ method: String, _ path: String, _ body: String? = nil, key: String? = publicKey,
    headers: [String: String] = [:]
  ) async throws -> Answer {
    var request = URLRequest(url: URL(string: path, relativeTo: url)!)
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    request.cachePolicy = .reloadIgnoringLocalCacheData
    if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await URLSession.shared.data(for: request)
    let http = response as! HTTPURLResponse
    var found: [String: String] = [:]
    for (name, value) in http.allHeaderFields {
      found["\(name)".lowercased()] = "\(value)"
    }
    return Answer(status: http.statusCode, headers: found, bytes: Array(data))
  }

  func post(_ path: String, _ body: String, key: String? = publicKey) async throws -> Answer {
    try await send("POST", path, body, key: key)
  }
}

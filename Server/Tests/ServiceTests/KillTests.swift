import Expressions
import Foundation
import GRDB
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the service has answered is there after a crash, once. `TOLLGATE_KILLS` is the number of kills;
/// without it, four, or thirty.
@Suite struct KillTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let rounds =
    Int(environment["TOLLGATE_KILLS"] ?? "") ?? (environment["TOLLGATE_TESTS"] == "all" ? 30 : 4)
  private static let lanes = 3

  private static let arguments = [
    "--config", "kept.json", "--admin-token-file", "token", "--data", "state", "--state", "sqlite",
  ]

  /// Half of the users get each of two paywalls, and every decision is counted.
  private static func config(_ build: Int) -> String {
    #"""
    {"build_id":"\#(build)","trigger_options":[{"event_name":"p","rules":[{
      "experiment_id":"7","experiment_group_id":"1","expression_cel":"user.ok == true",
      "occurrence":{"key":"k","max_count":1000000,"interval":{"type":"INFINITY"}},
      "variants":[{"variant_id":"70","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"a"},
                  {"variant_id":"71","variant_type":"TREATMENT","percentage":50,"paywall_identifier":"b"}],
      "preload":{"behavior":"ALWAYS"}}]}],
     "paywall_responses":[{"id":"1","identifier":"a"},{"id":"2","identifier":"b"}]}
    """#
  }

  /// What was sent and what was answered, from any thread.
  private final class Ledger: Sendable {
    struct State: Sendable {
      var answers: [String: String] = [:]
      /// Requests of which nobody knows what became.
      var open: [String] = []
      var versions: [Int: String] = [:]
      var builds = 0
      var repeats = 0
    }
    let state = Locked(State())
  }

  private static func send(
    _ server: ServerProcess, _ method: String, _ path: String, _ body: String
  ) async throws -> (status: Int, json: Value, text: String) {
    var request = URLRequest(url: URL(string: server.url + path)!)
    request.httpMethod = method
    request.httpBody = Data(body.utf8)
    request.timeoutInterval = 30
    request.setValue("Bearer \(TestServer.adminToken)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    let text = String(decoding: data, as: UTF8.self)
    let json = (try? Value.parse(json: Array(data))) ?? .null
    return ((response as! HTTPURLResponse).statusCode, json, text)
  }

  private static func decide(_ id: String, _ server: ServerProcess) async throws -> String {
    let user = id.split(separator: "-")[0]
    let answer = try await send(
      server, "POST", "/v1/decide",
      #"{"userId":"\#(user)","user":{"ok":true},"placements":["p"],"requestId":"\#(id)"}"#)
    #expect(answer.status == 200, "\(answer.text)")
    return answer.text
  }

  /// Decides until nobody answers; now and then again what was asked before.
  private static func work(_ lane: Int, _ round: Int, _ server: ServerProcess, _ ledger: Ledger)
    async
  {
    for number in 0... {
      let id = "u\(lane)-\(round)-\(number)"
      ledger.state.withLock { $0.open.append(id) }
      guard let text = try? await decide(id, server) else { return }
      ledger.state.withLock {
        $0.open.removeAll { $0 == id }
        $0.answers[id] = text
      }
      guard number % 5 == 0, let again = try? await decide(id, server) else { continue }
      #expect(again == text)
      ledger.state.withLock { $0.repeats += 1 }
    }
  }

  private static func putConfigs(_ server: ServerProcess, _ ledger: Ledger) async {
    while true {
      let build = ledger.state.withLock {
        $0.builds += 1
        return $0.builds
      }
      guard let answer = try? await send(server, "PUT", "/v1/config", config(build)),
        let version = answer.json["version"]?.wholeNumber,
        let hash = answer.json["sha256"]?.text
      else { return }
      ledger.state.withLock { $0.versions[version] = hash }
    }
  }

  /// What a client does that was not answered: it asks again, and once more.
  private static func goOn(_ server: ServerProcess, _ ledger: Ledger) async throws {
    let (open, known, last) = ledger.state.withLock {
      ($0.open, $0.answers.shuffled().prefix(20), $0.versions.keys.max() ?? 0)
    }
    for id in open {
      let text = try await decide(id, server)
      #expect(try await decide(id, server) == text)
      ledger.state.withLock { $0.answers[id] = text }
    }
    for (id, text) in known { #expect(try await decide(id, server) == text) }
    ledger.state.withLock {
      $0.open = []
      $0.repeats += open.count + known.count
    }
    let history = try await send(server, "GET", "/v1/config/history", "")
    #expect(history.json["current"]?.wholeNumber ?? 0 >= last)
  }

  @Test func killedServersForgetNothingAndDoNothingTwice() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Self.config(0).utf8).write(to: folder.appending(path: "kept.json"))
    try Data(TestServer.adminToken.utf8).write(to: folder.appending(path: "token"))
    let ledger = Ledger()
    for round in 0..<Self.rounds {
      let server = try ServerProcess(Self.arguments, in: folder)
      try await Self.goOn(server, ledger)
      let before = ledger.state.withLock { $0.answers.count }
      await withTaskGroup(of: Void.self) { group in
        for lane in 0..<Self.lanes {
          group.addTask { await Self.work(lane, round, server, ledger) }
        }
        group.addTask { await Self.putConfigs(server, ledger) }
        // Not before something was answered, however busy the machine is.
        while ledger.state.withLock({ $0.answers.count }) < before + 10 {
          try? await Task.sleep(for: .milliseconds(5))
        }
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<100)))
        server.kill()
      }
    }
    let server = try ServerProcess(Self.arguments, in: folder)
    try await Self.goOn(server, ledger)
    server.process.terminate()
    server.process.waitUntilExit()
    try Self.look(into: folder, ledger.state.withLock { $0 })
  }

  private static func look(into folder: URL, _ state: Ledger.State) throws {
    let database = try DatabaseQueue(path: folder.appending(path: "state/tollgate.sqlite").path)
    try database.read { database in
      #expect(try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok")
      let kept = Set(try String.fetchAll(database, sql: "SELECT request FROM decided"))
      #expect(kept == Set(state.answers.keys))
      for lane in 0..<lanes {
        let counted = try Int.fetchOne(
          database, sql: "SELECT COUNT(*) FROM occurrence WHERE user = ?",
          arguments: ["u\(lane)"])
        #expect(counted == kept.count { $0.hasPrefix("u\(lane)-") })
        let variants = try Int.fetchOne(
          database, sql: "SELECT COUNT(*) FROM assignment WHERE user = ?",
          arguments: ["u\(lane)"])
        #expect(variants == 1)
      }
      for (number, hash) in state.versions {
        let known = try String.fetchOne(
          database, sql: "SELECT hash FROM configVersion WHERE number = ?", arguments: [number])
        #expect(known == hash)
      }
    }
    print(
      "\(rounds) kills of the service: \(state.answers.count) decisions and "
        + "\(state.versions.count) configs were answered, \(state.repeats) requests sent again")
  }
}

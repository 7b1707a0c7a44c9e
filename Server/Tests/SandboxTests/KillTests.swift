import Expressions
import Foundation
import Testing

@testable import Sandbox

/// What was answered is there after a crash. `TOLLGATE_KILLS` is the number of kills; without it, three,
/// or thirty.
@Suite struct KillTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let rounds =
    Int(environment["TOLLGATE_KILLS"] ?? "") ?? (environment["TOLLGATE_TESTS"] == "all" ? 30 : 3)

  /// What clients were answered, from any thread.
  private final class Answered: Sendable {
    private let state = Locked<(events: Set<String>, checkouts: Set<String>)>(([], []))
    func event(_ id: String) { state.withLock { _ = $0.events.insert(id) } }
    func checkout(_ context: String) { state.withLock { _ = $0.checkouts.insert(context) } }
    var events: Set<String> { state.withLock { $0.events } }
    var checkouts: Set<String> { state.withLock { $0.checkouts } }
  }

  /// Sends what changes something, until nobody answers.
  private static func work(_ server: SandboxServer, _ answered: Answered) async {
    do {
      while true {
        let id = UUID().uuidString
        let event: Value = ["event_id": .string(id), "event_name": "app_open"]
        if try await server.post("/api/v1/events", ["events": [event]]).status == 200 {
          answered.event(id)
        }
        let begun = try await server.beginCheckout()
        guard let context = begun.body["checkoutContextId"]?.text else { return }
        if try await server.checkout("complete", context).status == 200 {
          answered.checkout(context)
        }
      }
    } catch {
      // The server is gone.
    }
  }

  @Test func nothingThatWasAnsweredIsLost() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let arguments = [
      "--fixtures", SandboxServer.fixturesPath, "--data", folder, "--port", "0", "--no-service",
    ]
    let answered = Answered()
    for round in 1...Self.rounds {
      let process = try ServerProcess(arguments)
      let server = try process.sandbox()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { await Self.work(server, answered) } }
        // Not before something was answered, however busy the machine is.
        while answered.checkouts.count < round * 10 {
          try? await Task.sleep(for: .milliseconds(5))
        }
        process.kill()
      }
    }
    let process = try ServerProcess(arguments)
    defer { process.kill() }
    let server = try process.sandbox()
    var kept: [String] = []
    var last = 0
    while true {
      let page = try await server.get(
        "/sandbox/events?source=superwall&limit=1000&after=\(last)", headers: SandboxServer.owner)
      guard let events = page.body["events"]?.elements, let end = events.last else { break }
      kept += events.compactMap { $0["eventId"]?.text }
      last = end["id"]?.wholeNumber ?? 0
    }
    #expect(Set(kept).count == kept.count)
    #expect(answered.events.isSubset(of: kept))
    print(
      "\(Self.rounds) kills of the sandbox: \(answered.events.count) events and "
        + "\(answered.checkouts.count) checkouts were answered")
    for context in answered.checkouts {
      #expect(try await server.checkout("status", context).body["status"] == "completed")
    }
  }
}

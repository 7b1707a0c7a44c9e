import Expressions
import Pricing

@testable import SDK

/// An app with the SDK and scripted ports, on real threads and a clock that stands still.
struct TestApp: Sendable {
  let tollgate: Tollgate
  let clock = VirtualClock(now: Samples.start)
  let presenter: ScriptedPresenter
  let store: SimulatedStore
  let requests: Recorder<BackendRequest>
  let commands: Recorder<ScriptedPresenter.Command>

  init(
    config: Value = Samples.config, rules: [ScriptedTransport.Rule] = [],
    status: String? = "INACTIVE", script: SimulatedStore.Script = .init(),
    platform: Platform = .ios, acknowledges: Bool = true,
    products: [StoreProduct] = [Samples.month, Samples.year, Samples.coins],
    device: DeviceFacts = DeviceFacts()
  ) {
    let (requests, commands) = (Recorder<BackendRequest>(), Recorder<ScriptedPresenter.Command>())
    let defaults: [ScriptedTransport.Rule] = [
      .init(.get, "/api/v1/static_config", [.json(config)]),
      .init(.get, "/api/v1/assignments", [.json(["assignments": []])]),
      .init(.post, "/api/v1/confirm_assignments", [.echoAssignments()]),
      .init(.post, "/subscriptions-api/public/v1/redeem", [.json(["codes": []])]),
    ]
    let transport = ScriptedTransport(
      rules: rules + defaults, time: clock, observe: { requests.add($0) })
    presenter = ScriptedPresenter(acknowledges: acknowledges, observe: { commands.add($0) })
    store = SimulatedStore(products: products, script: script)
    let storage = InMemoryStorage(status.map { ["status": ["status": .string($0)]] })
    tollgate = Tollgate(
      ports: Ports(
        time: clock, transport: transport, storage: storage, store: store, presenter: presenter,
        device: FixedDevice(device)), platform: platform)
    self.requests = requests
    self.commands = commands
  }

  /// Waits until the presenter was asked for something.
  func waitFor(_ command: (ScriptedPresenter.Command) -> Bool) async throws {
    try await wait { commands.all.contains(where: command) }
  }

  func waitForPaywall(_ identifier: String) async throws {
    try await waitFor { if case .message(.paywallOpen) = $0 { true } else { false } }
    let shown = commands.all.contains { command in
      if case .present(let shown, _) = command { shown == identifier } else { false }
    }
    if !shown { throw NotThere() }
  }
}

struct NotThere: Error {}

/// The system's time, on which waits last a hundred times as long.
///
/// On a machine that is busy with other tests, what an app may wait for takes longer than its limits
/// of some seconds; a test that is not about limits must not run into one.
private struct UnhurriedTime: TimeSource {
  var now: Instant { SystemTime().now }

  func sleep(milliseconds: Int64) async throws {
    try await SystemTime().sleep(milliseconds: milliseconds * 100)
  }
}

extension Ports {
  /// The same ports without the system's haste.
  var unhurried: Ports {
    var ports = self
    ports.time = UnhurriedTime()
    return ports
  }
}

extension InMemoryStorage {
  /// Leaves a config as an earlier process would.
  func keep(config: Value) { write([.set(StorageKey.config, config)]) }
}

/// Waits until something holds. What never holds ends the test, after a time that no machine needs
/// however busy it is.
func wait(until holds: () async -> Bool) async throws {
  for _ in 0..<60_000 {
    if await holds() { return }
    try await Task.sleep(for: .milliseconds(5))
  }
  throw NotThere()
}

/// The same for what the main actor sees.
@MainActor
func waitOnMain(until holds: @MainActor () async -> Bool) async throws {
  for _ in 0..<60_000 {
    if await holds() { return }
    try await Task.sleep(for: .milliseconds(5))
  }
  throw NotThere()
}

/// What happened, from any thread.
final class Recorder<Element: Sendable>: Sendable {
  private let elements = Locked<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }

  func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

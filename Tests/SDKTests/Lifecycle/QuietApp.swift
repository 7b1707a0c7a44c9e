import Expressions
import RuleEngine

@testable import SDK

/// An app with the SDK on one thread and a clock that stands still: what can happen happens when a
/// test says so, and two runs are alike.
final class QuietApp: Sendable {
  let clock: VirtualClock
  let executor = SimulationExecutor()
  let tollgate: Tollgate
  let ports: Silence
  let storage: InMemoryStorage
  let log = Recorder<LogMessage>()
  let events = Recorder<ModuleEvent>()
  let requests = Recorder<BackendRequest>()

  init(
    silent: Set<Silence.Port> = [], after answers: Int = 0, status: String? = "INACTIVE",
    rules: [ScriptedTransport.Rule] = [], storage: InMemoryStorage? = nil,
    clock: VirtualClock = VirtualClock(now: Samples.start), platform: Platform = .ios,
    script: SimulatedStore.Script = .init()
  ) {
    self.clock = clock
    self.storage =
      storage ?? InMemoryStorage(status.map { ["status": ["status": .string($0)]] })
    let requests = requests
    let transport = ScriptedTransport(
      rules: rules + ScriptedTransport.Rule.backend(of: Samples.config), time: clock,
      observe: { requests.add($0) })
    ports = Silence(
      silent, after: answers, transport,
      SimulatedStore(
        products: [Samples.month, Samples.year, Samples.coins, Samples.web], script: script),
      self.storage)
    tollgate = Tollgate(
      ports: Ports(
        time: clock, transport: ports, storage: ports, store: ports,
        presenter: ports, device: FixedDevice(), entropy: .sequence(seed: 1), executor: executor),
      platform: platform)
    let (log, events, tollgate) = (log, events, tollgate)
    run {
      await tollgate.observe { event in
        if case .handleLog(let message) = event { log.add(message) } else { events.add(event) }
      }
    }
  }

  /// Starts something and runs until nothing can happen.
  @discardableResult
  func run<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Running<Result> {
    let running = Running<Result>()
    let clock = clock
    running.task.withLock { task in
      task = Task(executorPreference: executor) { running.end(await work(), at: clock.now) }
    }
    executor.drain()
    return running
  }

  /// Moves the clock by some seconds; what is due on the way happens in its order.
  func pass(_ seconds: Double) {
    let end = clock.now + Int64(seconds * 1_000)
    executor.drain()
    while clock.step(upTo: end) { executor.drain() }
  }

  @discardableResult
  func configure(
    key: String = "pk", options: TollgateOptions = TollgateOptions(),
    controller: (any PurchaseController)? = nil
  ) -> Running<SDKError?> {
    run { [tollgate] in
      do throws(SDKError) {
        try await tollgate.configure(
          apiKey: key, purchaseController: controller, options: options)
        return nil
      } catch {
        return error
      }
    }
  }

  @discardableResult
  func register(_ placement: String) -> Running<PlacementOutcome> {
    run { [tollgate] in await tollgate.register(placement: placement) }
  }

  func end() {
    run { [tollgate] in await tollgate.shutDown() }
    ports.speak()
    pass(100)
  }
}

/// A call under way.
final class Running<Result: Sendable>: Sendable {
  private let result = Locked<(value: Result, time: Instant)?>(nil)
  let task = Locked<Task<Void, Never>?>(nil)

  var value: Result? { result.withLock { $0?.value } }
  var hasEnded: Bool { value != nil }
  /// Seconds after the start of the samples' time.
  var seconds: Double? {
    result.withLock { $0.map { Double($0.time - Samples.start) / 1_000 } }
  }

  func end(_ value: Result, at time: Instant) { result.withLock { $0 = (value, time) } }

  func cancel() { task.withLock { $0?.cancel() } }
}

/// All ports in one, of which some never answer.
final class Silence: Transport, PurchaseStore, PaywallPresenter, StateStorage,
  PurchaseController
{
  enum Port: String, CaseIterable, Sendable {
    case config, assignments, confirmation, redemption, checkout, products, owned, purchase,
      restore,
      consume, controller, canPresent, present, dismiss, survey, loadState, saveState, loadConfig,
      saveConfig, loadLog, appendLog, clearLog
  }

  private struct State {
    var waiting: [CheckedContinuation<Void, Never>] = []
    var calls: [Port: Int] = [:]
    var presentation: PaywallPresentation?
    var isSilent = true
  }

  private let silent: Set<Port>
  private let answers: Int
  private let transport: ScriptedTransport
  private let store: SimulatedStore
  private let storage: InMemoryStorage
  private let state = Locked(State())
  let told = Recorder<PaywallMessage>()
  let dismissed = Recorder<String>()
  /// What a host does while it shows a paywall.
  let whileShowing = Locked<(@Sendable (PresentationHandle) -> Void)?>(nil)

  init(
    _ silent: Set<Port>, after answers: Int, _ transport: ScriptedTransport,
    _ store: SimulatedStore, _ storage: InMemoryStorage
  ) {
    (self.silent, self.answers) = (silent, answers)
    (self.transport, self.store, self.storage) = (transport, store, storage)
  }

  var handle: PresentationHandle? { state.withLock { $0.presentation?.handle } }

  /// How often the port was asked.
  func calls(_ port: Port) -> Int { state.withLock { $0.calls[port] ?? 0 } }

  /// The store takes a product back.
  func revoke(_ product: String) { store.revoke(product) }

  /// Whether the port was asked for anything.
  func wasAsked(_ port: Port) -> Bool { state.withLock { $0.calls[port] != nil } }

  /// Answers everything that was not answered, and whatever comes.
  func speak() {
    let waiting = state.withLock { state in
      state.isSilent = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Answers whatever comes, but not what was not answered.
  func speakFromNowOn() { state.withLock { $0.isSilent = false } }

  private func ask(_ port: Port) async {
    let isSilent = state.withLock { state in
      defer { state.calls[port, default: 0] += 1 }
      return state.isSilent && silent.contains(port) && state.calls[port, default: 0] >= answers
    }
    guard isSilent else { return }
    await withCheckedContinuation { waiting in state.withLock { $0.waiting.append(waiting) } }
  }

  // MARK: The network

  func send(_ request: BackendRequest) async throws(TransportFailure) -> BackendResponse {
    switch request.path {
    case "/api/v1/static_config": await ask(.config)
    case "/api/v1/assignments": await ask(.assignments)
    case "/api/v1/confirm_assignments": await ask(.confirmation)
    case let path where path.contains("/checkout/"): await ask(.checkout)
    default: await ask(.redemption)
    }
    return try await transport.send(request)
  }

  // MARK: The store, and a controller

  func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
    await ask(.products)
    return try await store.products(identifiers)
  }

  func purchase(_ request: PurchaseRequest) async -> StorePurchase {
    await ask(.purchase)
    return await store.purchase(request)
  }

  func purchase(_ product: PurchaseRequest) async -> PurchaseResult {
    await ask(.controller)
    return .purchased
  }

  func restorePurchases() async -> RestorationResult {
    await ask(.restore)
    return await store.restorePurchases()
  }

  func ownedProducts() async throws(StoreError) -> [OwnedProduct] {
    await ask(.owned)
    return try await store.ownedProducts()
  }

  func consume(_ purchaseToken: String) async throws(StoreError) -> String {
    await ask(.consume)
    return purchaseToken
  }

  func changes() -> AsyncStream<Void> { store.changes() }

  // MARK: The host

  func canPresent() async -> Bool {
    await ask(.canPresent)
    return true
  }

  func present(_ presentation: PaywallPresentation) async throws {
    state.withLock { $0.presentation = presentation }
    whileShowing.withLock { $0 }?(presentation.handle)
    await ask(.present)
  }

  func dismiss(_ presentation: PaywallPresentation) async {
    dismissed.add(presentation.info.identifier)
    await ask(.dismiss)
  }

  func ask(_ survey: Survey, in presentation: PaywallPresentation) async -> SurveyAnswer {
    await ask(.survey)
    return .closed
  }

  func send(_ message: PaywallMessage, to presentation: PaywallPresentation) { told.add(message) }
  func alert(_ alert: PaywallAlert) {}
  func open(_ url: String, external: Bool) {}
  func schedule(_ notification: LocalNotification) {}
  func checkout(_ directive: Value, in presentation: PaywallPresentation) {}

  // MARK: Storage

  func records(_ prefix: String) async -> [String: Value] {
    await ask(prefix == StorageKey.config ? .loadConfig : .loadState)
    return storage.records(prefix)
  }

  func logs(_ names: [String]?) async -> [String: StorageLog] {
    await ask(.loadLog)
    return storage.logs(names)
  }

  func write(_ changes: [StorageChange]) async {
    var ports: Set<Port> = []
    for change in changes {
      switch change {
      case .set(StorageKey.config, _), .remove(StorageKey.config): ports.insert(.saveConfig)
      case .set, .remove: ports.insert(.saveState)
      case .append: ports.insert(.appendLog)
      case .clearLogs: ports.insert(.clearLog)
      }
    }
    for port in Port.allCases where ports.contains(port) { await ask(port) }
    storage.write(changes)
  }
}

public import Expressions
public import SDK

/// An SDK for tests of an app, with a config, a store, a screen and a network that the test controls, and a clock that
/// stands still until the test moves it. Tests never wait, and do not depend on the load of the machine.
///
/// ```swift
/// let app = try await TestTollgate(config: config, products: products)
/// try await app.configure()
/// let export = await app.register("export_pdf")   // returns when the paywall is on screen
/// try await app.buy("com.app.pro.year")
/// await export.value.featureGranted               // true
/// ```
///
/// Each function returns when no work is left that can be done without moving the clock. After a direct call of
/// ``tollgate``, call ``settle()``. The functions do not wait for work that the app does on its own threads or with the
/// system's clock.
public final class TestTollgate: Sendable {
  /// How requests are answered.
  public enum Network: Hashable, Sendable {
    case answers
    /// Every request fails immediately, as without a network.
    case fails
    /// No request ever gets a response, as with a very poor connection.
    case hangs
  }

  /// Why a test cannot continue.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// The SDK, for the calls of an app.
  public let tollgate: Tollgate
  /// The store, with the products that the user can buy and the products that the user owns.
  public let store: TestStore

  let presenter: ScriptedPresenter
  private let clock: VirtualClock
  private let executor: QuietExecutor
  private let backend: TestBackend
  private let storage: any StateStorage
  private let device: DeviceFacts
  private let platform: Platform
  private let record = Locked(Record())

  private struct Record {
    var events: [ModuleEvent] = []
    var told: [ScriptedPresenter.Command] = []
  }

  /// - Parameters:
  ///   - config: the static config of the backend as JSON: the `utf8` of a string, or the bytes of a file.
  ///   - products: the store's products. ``TestStore/products(storeKitConfiguration:)`` reads products from a file.
  ///   - purchases: the results of purchases, in order. The last result repeats.
  ///   - restores: the results of restores, in order. The last result repeats.
  ///   - owned: the products that the user already owns.
  ///   - status: the subscription status that an earlier start stored. The store's data replaces this status, unless
  ///     the app has a purchase controller.
  ///   - device: facts that rules read as `device.…`.
  ///   - now: the time of the clock.
  /// - Throws: when the config is not JSON.
  public convenience init(
    config: some Sequence<UInt8>, products: [StoreProduct] = [],
    purchases: [PurchaseResult] = [.purchased], restores: [RestorationResult] = [.restored],
    owned: [OwnedProduct] = [], status: SubscriptionStatus? = nil,
    device: DeviceFacts = DeviceFacts(),
    platform: Platform = .ios, now: Instant = 1_767_225_600_000
  ) async throws {
    let value: Value
    do {
      value = try Value.parse(json: Array(config))
    } catch {
      throw Fault(description: "the config is not JSON: \(error.message) at byte \(error.offset)")
    }
    let clock = VirtualClock(now: now)
    let stored = status.map { Value.object(["status": $0.value]) }
    await self.init(
      clock: clock, backend: TestBackend(config: value, time: clock),
      store: TestStore(products: products, purchases: purchases, restores: restores, owned: owned),
      storage: InMemoryStorage(stored), device: device,
      platform: platform)
  }

  private init(
    clock: VirtualClock, backend: TestBackend, store: TestStore, storage: any StateStorage,
    device: DeviceFacts, platform: Platform
  ) async {
    let executor = QuietExecutor()
    let record = record
    presenter = ScriptedPresenter(observe: { told in record.withLock { $0.told.append(told) } })
    (self.clock, self.backend, self.store, self.storage) = (clock, backend, store, storage)
    (self.device, self.platform) = (device, platform)
    self.executor = executor
    tollgate = Tollgate(
      ports: Ports(
        time: clock, transport: backend, storage: storage, store: store,
        presenter: presenter, device: FixedDevice(device), entropy: .sequence(seed: 1),
        executor: executor), platform: platform)
    await tollgate.observe { event in record.withLock { $0.events.append(event) } }
    await settle()
  }

  /// Ends this process of the app, and starts a new process with the same stored data.
  public func restart() async -> TestTollgate {
    await tollgate.shutDown()
    return await TestTollgate(
      clock: clock, backend: backend, store: store, storage: storage,
      device: device, platform: platform)
  }

  // MARK: Actions

  /// Makes the SDK ready, and moves the clock as far as necessary.
  ///
  /// - Throws: the errors of ``SDK/Tollgate/configure(apiKey:purchaseController:options:)``.
  public func configure(
    purchaseController: (any PurchaseController)? = nil,
    options: TollgateOptions = TollgateOptions()
  ) async throws {
    try await run { tollgate in
      try await tollgate.configure(
        apiKey: "pk_test", purchaseController: purchaseController, options: options)
    }
  }

  /// Registers a placement. Returns when its paywall is visible, or when it is certain that no paywall appears. Await
  /// the `value` of the result to get the final outcome.
  public func register(
    _ placement: String, params: [String: (any AttributeConvertible)?] = [:],
    handler: PaywallPresentationHandler? = nil, feature: (@MainActor @Sendable () -> Void)? = nil
  ) async -> Task<PlacementOutcome, Never> {
    let tollgate = tollgate
    let task = Task(executorPreference: executor) {
      await tollgate.register(
        placement: placement, params: params, handler: handler, feature: feature)
    }
    await settle()
    return task
  }

  /// Runs an operation until it ends. Whenever no other work is left, the clock advances to the next deadline.
  ///
  /// - Parameter limit: how far the clock may advance.
  /// - Throws: the errors of `work`, or a ``Fault`` if `work` waits for something other than the clock.
  public func run<Result: Sendable>(
    within limit: Duration = .seconds(600),
    _ work: @escaping @Sendable (Tollgate) async throws -> Result
  ) async throws -> Result {
    let end = clock.now + limit.inMilliseconds
    let hasEnded = Locked(false)
    let tollgate = tollgate
    let task = Task(executorPreference: executor) {
      defer { hasEnded.withLock { $0 = true } }
      return try await work(tollgate)
    }
    await settle()
    while !hasEnded.withLock({ $0 }) {
      guard clock.step(upTo: end) else {
        task.cancel()
        throw Fault(
          description:
            "the operation has not ended within \(limit): it waits for something other than time,"
            + " such as the user, or needs a larger limit")
      }
      await settle()
    }
    return try await task.value
  }

  /// Moves the clock. Each deadline on the way takes effect at its own time.
  public func advance(by time: Duration) async {
    await settle()
    let end = clock.now + time.inMilliseconds
    while clock.step(upTo: end) { await settle() }
  }

  /// Returns when no work is left that can be done without moving the clock.
  public func settle() async {
    var count = -1
    while count != executor.count {
      count = executor.count
      await executor.idle()
      // Waits for handlers and delegates, and for their answers.
      await tollgate.untilHeard()
      await MainActor.run {}
      await executor.idle()
    }
  }

  /// The time of the clock.
  public var now: Instant { clock.now }

  /// How the network responds to requests from now on.
  public var network: Network {
    get { backend.network }
    set { backend.network = newValue }
  }

  /// Sets the response to requests for a path, such as `/subscriptions-api/public/v1/redeem`.
  public func answer(_ path: String, with body: Value?, status: Int = 200) {
    backend.answer(path, status: status, body: body)
  }

  /// Sets whether the host can present paywalls.
  public func setCanPresent(_ canPresent: Bool) { presenter.set(isAvailable: canPresent) }

  // MARK: Results

  /// Everything that the SDK has reported to the app, in order.
  public var events: [ModuleEvent] { record.withLock { $0.events } }

  /// The names of ``events``, without log messages. Analytics events have names such as `triggerFire` and
  /// `paywallOpen`.
  public var eventNames: [String] {
    events.compactMap { event in
      switch event {
      case .handleSuperwallEvent(let event): event.value["event"]?.text
      case .handleLog: nil
      default: event.name.rawValue
      }
    }
  }

  /// The messages of the app's log.
  public var log: [LogMessage] {
    events.compactMap { if case .handleLog(let message) = $0 { message } else { nil } }
  }

  /// The paths of all sent requests, in order.
  public var requests: [String] { backend.requests.map(\.path) }

  /// The alerts that were shown to the user.
  public var alerts: [PaywallAlert] {
    record.withLock { record in
      record.told.compactMap { if case .alert(let alert) = $0 { alert } else { nil } }
    }
  }

  /// The messages sent to open paywalls.
  public var messages: [PaywallMessage] {
    record.withLock { record in
      record.told.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }
  }

  /// The URLs that were opened, inside or outside the app.
  public var openedURLs: [String] {
    record.withLock { record in
      record.told.compactMap { if case .open(let url, _) = $0 { url } else { nil } }
    }
  }
}

extension Duration {
  /// The duration in milliseconds, limited to 64 bits.
  var inMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000_000_000
  }
}

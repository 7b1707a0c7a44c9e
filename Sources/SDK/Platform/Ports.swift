/// Everything that the SDK needs from outside. Each port has a real and a simulated one.
public struct Ports: Sendable {
  /// The SDK's clock: it tells the time and waits.
  public var time: any TimeSource
  /// How the backend is reached.
  public var transport: any Transport
  public var storage: any StateStorage
  public var store: any PurchaseStore
  public var presenter: any PaywallPresenter
  public var device: any Device
  /// Whether events are uploaded for the backend's statistics.
  package var uploadsEvents: Bool
  /// Where identifiers and random numbers come from.
  package var entropy: Entropy
  /// Where developers read the log, as far as ``LoggingOptions/consoleLevel`` has it; nil is nowhere. Called
  /// on the SDK's executor; returns soon.
  public var console: (@Sendable (LogMessage) -> Void)?
  /// Runs everything the SDK does, in tests that want one thread. Nil is the system's choice.
  public var executor: (any TaskExecutor)?

  /// - Parameters:
  ///   - time: the clock.
  ///   - transport: how the backend is reached.
  ///   - storage: where the SDK keeps what it knows.
  ///   - store: where products are bought.
  ///   - presenter: shows paywalls.
  ///   - device: facts about the machine and the app.
  ///   - uploadsEvents: whether events are uploaded for the backend's statistics.
  ///   - console: where developers read the log.
  public init(
    time: any TimeSource = SystemTime(), transport: any Transport, storage: any StateStorage,
    store: any PurchaseStore, presenter: any PaywallPresenter, device: any Device,
    uploadsEvents: Bool, console: (@Sendable (LogMessage) -> Void)? = nil
  ) {
    self.init(
      time: time, transport: transport, storage: storage, store: store, presenter: presenter,
      device: device, uploadsEvents: uploadsEvents, entropy: .system, console: console)
  }

  package init(
    time: any TimeSource = SystemTime(), transport: any Transport, storage: any StateStorage,
    store: any PurchaseStore, presenter: any PaywallPresenter, device: any Device,
    uploadsEvents: Bool = false, entropy: Entropy = .system,
    console: (@Sendable (LogMessage) -> Void)? = nil, executor: (any TaskExecutor)? = nil
  ) {
    self.time = time
    self.transport = transport
    self.storage = storage
    self.store = store
    self.presenter = presenter
    self.device = device
    self.uploadsEvents = uploadsEvents
    self.entropy = entropy
    self.console = console
    self.executor = executor
  }
}

/// The SDK's connections to the outside world. Each port has a real and a simulated implementation.
public struct Ports: Sendable {
  /// The SDK's clock, which returns the time and waits for deadlines.
  public var time: any TimeSource
  /// Sends requests to the backend.
  public var transport: any Transport
  public var storage: any StateStorage
  public var store: any PurchaseStore
  public var presenter: any PaywallPresenter
  public var device: any Device
  /// Whether events are uploaded for the backend's statistics.
  package var uploadsEvents: Bool
  /// The source of identifiers and random numbers.
  package var entropy: Entropy
  /// Writes the log messages that ``LoggingOptions/consoleLevel`` includes; nil writes nothing. The function is called
  /// on the SDK's executor and must return quickly.
  public var console: (@Sendable (LogMessage) -> Void)?
  /// Runs all work of the SDK, for tests that require one thread. Nil uses the system's executor.
  public var executor: (any TaskExecutor)?

  /// - Parameters:
  ///   - time: the clock.
  ///   - transport: sends requests to the backend.
  ///   - storage: stores the SDK's data.
  ///   - store: sells the products.
  ///   - presenter: shows paywalls.
  ///   - device: facts about the machine and the app.
  ///   - uploadsEvents: whether events are uploaded for the backend's statistics.
  ///   - console: writes the log for developers.
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

/// Everything that the SDK needs from outside. Each port has a real and a simulated one.
public struct Ports: Sendable {
  package var time: any TimeSource
  package var transport: any Transport
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

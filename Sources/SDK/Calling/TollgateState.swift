public import Expressions

/// The state of the SDK at one moment, for views. ``Tollgate/snapshot`` is the current state, and ``Tollgate/states()``
/// reports each change.
public struct TollgateState: Hashable, Sendable {
  package let lifecycle: Lifecycle.Phase
  package let interfaceStyle: InterfaceStyle?
  package let logLevel: LogLevel
  package let tracking: EventTrackingBehavior
  /// A message that explains why the SDK has no config; nil once the SDK has a config.
  public let configurationError: String?
  /// The source of the config in use, its version and when it was fetched.
  public let configOrigin: ConfigOrigin?
  public let subscriptionStatus: SubscriptionStatus
  /// Whether the status is inactive because a subscription has ended. AgentWallie calls this
  /// `expired`.
  public let hasExpired: Bool
  /// The backend's data about the customer's subscriptions and purchases.
  public let customerInfo: CustomerInfo
  /// The paywall that the host shows.
  public let paywall: PaywallInfo?
  /// The user, whose attributes are computed on demand.
  private let person: StoredState

  init(_ state: SDKState) {
    lifecycle = state.startup.phase
    interfaceStyle = state.settings.interfaceStyle
    logLevel = state.settings.logging.level
    tracking = state.settings.trackingBehavior
    configurationError = state.startup.error
    configOrigin = state.catalog.origin
    subscriptionStatus = state.ownership.status
    hasExpired = state.ownership.hasExpired
    customerInfo = state.ownership.customer
    paywall = state.presentation.flatMap { $0.isVisible ? $0.info : nil }
    person = StoredState(userOf: state.person, state.usage)
  }

  /// Whether the SDK has a config, so that calls return without waiting for a config.
  public var isConfigured: Bool { lifecycle == .configured }
  /// Whether `configure` is running.
  public var isLoading: Bool { lifecycle == .configuring }
  /// Whether a paywall is visible.
  public var isPaywallPresented: Bool { paywall != nil }
  /// The ID passed to `identify`.
  public var userID: String? { person.appUserID }

  /// The user's attributes, including those that the SDK adds; nil until the SDK has a config.
  public var user: [String: Value]? {
    guard isConfigured else { return nil }
    return Dictionary(
      (person.user.members ?? []).map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
  }
}

/// The newest state, for readers on any thread, and the listeners that observe changes.
final class StateBoard: Sendable {
  typealias Listener = @Sendable (TollgateState) -> Void

  private struct Content {
    var state: TollgateState
    var listeners: [Int: Listener] = [:]
    var streams: [Int: AsyncStream<TollgateState>.Continuation] = [:]
    var count = 0
    var isFinished = false
  }

  private let content: Locked<Content>

  init(_ state: TollgateState) { content = Locked(Content(state: state)) }

  var state: TollgateState { content.withLock { $0.state } }

  /// The number of listeners, for tests.
  var listenerCount: Int { content.withLock { $0.listeners.count + $0.streams.count } }

  /// Sets the state after an input, and notifies listeners if it has changed.
  func publish(_ state: TollgateState) {
    let told = content.withLock { content -> [Listener] in
      guard content.state != state else { return [] }
      content.state = state
      for stream in content.streams.values { stream.yield(state) }
      return content.listeners.sorted { $0.key < $1.key }.map(\.value)
    }
    for listener in told { listener(state) }
  }

  /// - Returns: the current state, which the listener does not receive, and an ID to remove the
  ///   listener.
  func add(_ listener: @escaping Listener) -> (state: TollgateState, id: Int) {
    content.withLock { content in
      content.count += 1
      content.listeners[content.count] = listener
      return (content.state, content.count)
    }
  }

  func remove(_ id: Int) {
    content.withLock {
      $0.listeners[id] = nil
      $0.streams[id] = nil
    }
  }

  /// The current state and all later states. Slow readers miss outdated states.
  func states() -> AsyncStream<TollgateState> {
    let (stream, continuation) = AsyncStream<TollgateState>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let id = content.withLock { content in
      continuation.yield(content.state)
      content.count += 1
      if content.isFinished {
        continuation.finish()
      } else {
        content.streams[content.count] = continuation
      }
      return content.count
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  /// Ends all streams and listeners.
  func finish() {
    let streams = content.withLock { content in
      defer { (content.listeners, content.streams) = ([:], [:]) }
      content.isFinished = true
      return Array(content.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}

// MARK: In a debugger

extension Tollgate: CustomStringConvertible {
  /// The SDK and its current state, for a debugger.
  nonisolated public var description: String { "Tollgate(\(snapshot))" }
}

extension TollgateState: CustomStringConvertible {
  public var description: String {
    var parts: [String] = []
    switch lifecycle {
    case .configured: parts.append("configured: \(configOrigin?.buildID ?? "")")
    case .configuring: parts.append("configuring")
    case .unconfigured: parts.append("not configured")
    case .configFailed: parts.append(configurationError ?? "not configured")
    }
    if let userID { parts.append("user: \(userID)") }
    parts.append("status: \(subscriptionStatus)")
    if let paywall { parts.append("paywall: \(paywall.identifier)") }
    return parts.joined(separator: ", ")
  }
}

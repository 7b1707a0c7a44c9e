/// A call that waits for `configure`.
struct WaitingCall: Hashable, Sendable {
  var token: Token
  var call: Call
}

/// The fallbacks if the network does not answer `configure`.
struct Offline: Sendable {
  /// Identifies the load of the stored config, while it is running.
  fileprivate(set) var load: Token?
  fileprivate(set) var kept: KeptConfig?
  /// Whether the network has exceeded its time limit.
  fileprivate(set) var isDue = false
  /// The reason why the config from the network is not available.
  fileprivate(set) var failure: BackendError?
}

/// The progress of `configure`, and the calls that wait for it.
struct Startup {
  private var lifecycle: Lifecycle
  /// A description of why there is no config.
  private(set) var error: String?
  /// The available fallbacks. Nil as soon as a config is loaded from any source.
  private(set) var offline: Offline?
  /// Calls of `configure` that share one outcome.
  private(set) var configureCalls: [Token] = []
  /// Calls that wait for `configure`, in order.
  private(set) var waitingCalls: [WaitingCall] = []
  /// Preloads and links that were requested before the config was loaded.
  private var preloads: [[String]?] = []
  private var links: [String] = []

  init(isUserKnown: Bool) { lifecycle = Lifecycle(user: isUserKnown ? .known : .anonymous) }

  var phase: Lifecycle.Phase { lifecycle.phase }

  mutating func handle(_ input: Lifecycle.Input) -> [Lifecycle.Effect] { lifecycle.handle(input) }

  mutating func begin(_ call: Token) {
    error = nil
    configureCalls = [call]
  }

  mutating func beginOffline(load: Token) { offline = Offline(load: load) }

  /// - Returns: whether the load was still running.
  mutating func receive(_ kept: KeptConfig?, for token: Token) -> Bool {
    guard offline?.load == token else { return false }
    offline?.load = nil
    offline?.kept = kept
    return true
  }

  mutating func networkIsDue() { offline?.isDue = true }

  mutating func networkFailed(_ error: BackendError) { offline?.failure = error }

  mutating func endOffline() { offline = nil }

  mutating func join(_ call: Token) { configureCalls.append(call) }

  mutating func fail(_ why: String) { error = why }

  /// Ends waiting, because the config is loaded.
  ///
  /// - Returns: the waiting calls, in the order in which to handle them.
  mutating func finish() -> (configureCalls: [Token], preloads: [[String]?], links: [String]) {
    defer { (error, preloads, links) = (nil, [], []) }
    return (takeConfigureCalls(), preloads, links)
  }

  mutating func takeConfigureCalls() -> [Token] {
    defer { configureCalls = [] }
    return configureCalls
  }

  mutating func wait(_ call: WaitingCall) { waitingCalls.append(call) }

  mutating func giveUp(_ token: Token) -> WaitingCall? {
    let place = waitingCalls.firstIndex { $0.token == token }
    return place.map { waitingCalls.remove(at: $0) }
  }

  mutating func takeWaitingCalls() -> [WaitingCall] {
    defer { waitingCalls = [] }
    return waitingCalls
  }

  mutating func queue(preload placements: [String]?) { preloads.append(placements) }

  mutating func queue(link url: String) { links.append(url) }
}

internal import Expressions
internal import RuleEngine

/// A call that waits for `configure`.
struct WaitingCall: Hashable, Sendable {
  var token: Token
  var call: Call
}

// MARK: Waiting (decision D1)

extension SDKState {
  mutating func receive(_ call: Call, _ token: Token) {
    guard call.needsConfiguration, !isReserved(call) else { return run(call, token) }
    switch lifecycle.phase {
    case .configured: run(call, token)
    case .configFailed: reject(call, token, configurationFailed)
    case .unconfigured, .configuring:
      waitingCalls.append(WaitingCall(token: token, call: call))
      startTimer(.waitingCall(token), options.timeouts.configure)
    }
  }

  /// A placement with a name of the SDK's own is ignored whatever the state.
  private func isReserved(_ call: Call) -> Bool {
    guard case .registerPlacement(let request) = call else { return false }
    return SuperwallEventName.isReserved(request.placement)
  }

  mutating func giveUpWaiting(_ token: Token) {
    guard let place = waitingCalls.firstIndex(where: { $0.token == token }) else { return }
    let waiting = waitingCalls.remove(at: place)
    let error: SDKError =
      lifecycle.phase == .unconfigured ? .configureNotCalled : .configureTimedOut
    reject(waiting.call, token, error)
  }

  /// Ends a call that cannot be run. Registering a placement never throws: its error is its
  /// outcome, and its handler's.
  mutating func reject(_ call: Call, _ token: Token, _ error: SDKError) {
    guard case .registerPlacement(let request) = call else { return fail(token, error) }
    settle(.error(error), call: token, handler: request.handlerID)
  }

  private var configurationFailed: SDKError {
    let why = configurationError ?? "the config could not be loaded"
    return SDKError(.configurationFailed, "\(why); call configure() again")
  }
}

// MARK: Configuring

extension SDKState {
  mutating func configure(_ configuration: Configuration, _ token: Token) {
    guard !configuration.apiKey.allSatisfy(\.isWhitespace) else {
      let error = SDKError(.invalidArgument, "the API key is blank; take it from the dashboard")
      return fail(token, error)
    }
    for effect in lifecycle.handle(.configure) {
      switch effect {
      case .fetchConfig: begin(configuration, token)
      case .joinConfigure: configureCalls.append(token)
      case .warnAlreadyConfigured:
        log(.warn, .superwallCore, "configure() was called again; the SDK is already configured")
        complete(token)
      default: break
      }
    }
  }

  private mutating func begin(_ configuration: Configuration, _ token: Token) {
    apiKey = configuration.apiKey
    options = configuration.options
    purchases = configuration.purchases
    wrapper = configuration.wrapper
    configurationError = nil
    configureCalls = [token]
    for waiting in waitingCalls {
      startTimer(.waitingCall(waiting.token), options.timeouts.configure)
    }
    fetchConfig(retries: options.maxConfigRetryCount)
  }

  private mutating func fetchConfig(retries: Int) {
    if let configRequest { dropRequest(configRequest) }
    configRequest = send(
      Endpoints.staticConfig(apiKey: apiKey), for: .config, retries: retries)
  }

  mutating func receiveConfig(_ result: Result<[UInt8], BackendError>) {
    configRequest = nil
    do throws(BackendError) {
      let config = try ApplicationConfig.decode(try result.get(), platform: platform)
      apply(config)
    } catch {
      if case .decoding = error { track(.networkDecodingFail) }
      configMissing(error)
    }
  }

  /// Takes a config, be it the first or a newer one.
  private mutating func apply(_ config: ApplicationConfig) {
    self.config = config
    runner = RuleRunner(config.rules)
    fetchedPaywalls = [:]
    chooseAssignments()
    if lifecycle.phase == .configured {
      track(.configRefresh)
      trackDevice()
    } else if purchases == .store {
      loadOwned(for: .configuring)
    } else {
      finishConfiguring()
    }
  }

  private mutating func configMissing(_ error: BackendError) {
    if lifecycle.phase == .configured {
      return log(.warn, .configManager, "the config could not be refreshed", error: error.message)
    }
    for effect in lifecycle.handle(.configMissing) where effect == .announceFailure {
      configurationError = "the config could not be loaded: \(error.message)"
      track(.configFail)
      let failure = configurationFailed
      for call in configureCalls { fail(call, failure) }
      configureCalls = []
      for waiting in takeWaitingCalls() { reject(waiting.call, waiting.token, failure) }
    }
  }

  /// The config is there, and so is the status if the SDK keeps it.
  mutating func finishConfiguring() {
    for effect in lifecycle.handle(.configLoaded) where effect == .announceConfigured {
      configurationError = nil
      track(.configRefresh)
      let implicit = launch()
      for call in configureCalls { complete(call) }
      configureCalls = []
      if options.paywalls.shouldPreload { preload(nil) }
      for names in queuedPreloads { preload(names) }
      queuedPreloads = []
      for url in queuedDeepLinks { _ = routeDeepLink(url) }
      queuedDeepLinks = []
      for waiting in takeWaitingCalls() { run(waiting.call, waiting.token) }
      for event in implicit { triggerImplicitly(event) }
    }
  }

  private mutating func takeWaitingCalls() -> [WaitingCall] {
    let calls = waitingCalls
    waitingCalls = []
    for waiting in calls { cancelTimer(.waitingCall(waiting.token)) }
    return calls
  }

  /// One attempt, after coming back to the foreground without a config (decision D5).
  mutating func fetchConfigOnce() { fetchConfig(retries: 0) }

  /// Asks for a newer config in the background.
  mutating func refreshConfig() {
    if configRequest == nil { fetchConfig(retries: options.maxConfigRetryCount) }
  }
}

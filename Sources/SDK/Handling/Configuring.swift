internal import Expressions
internal import RuleEngine

// MARK: Waiting

extension SDKState {
  mutating func receive(_ call: Call, _ token: Token) {
    guard call.needsConfiguration, !isReserved(call) else { return run(call, token) }
    switch startup.phase {
    case .configured: run(call, token)
    case .configFailed: reject(call, token, configurationFailed)
    case .unconfigured, .configuring:
      startup.wait(WaitingCall(token: token, call: call))
      outbox.startTimer(.waitingCall(token), options.timeouts.configure)
    }
  }

  /// Whether a call registers a reserved name, which is an error in any state.
  private func isReserved(_ call: Call) -> Bool {
    guard case .registerPlacement(let request) = call else { return false }
    return SuperwallEventName.isReserved(request.placement)
  }

  mutating func giveUpWaiting(_ token: Token) {
    guard let waiting = startup.giveUp(token) else { return }
    let error: SDKError =
      startup.phase == .unconfigured ? .configureNotCalled : .configureTimedOut
    reject(waiting.call, token, error)
  }

  /// Ends a call that cannot run. Registering a placement never throws: the outcome and the handler report the error.
  mutating func reject(_ call: Call, _ token: Token, _ error: SDKError) {
    guard case .registerPlacement(let request) = call else { return outbox.fail(token, error) }
    settle(.error(error), call: token, handler: request.handlerID)
  }

  private var configurationFailed: SDKError {
    let why = startup.error ?? "the config could not be loaded"
    return SDKError(.configurationFailed, "\(why); call configure() again")
  }
}

// MARK: Cancelled

extension SDKState {
  /// Ends the work that only a cancelled call needs. Work that other calls also need continues, such as a config
  /// request, a purchase, or a paywall that is loading or visible.
  mutating func cancel(_ token: Token) {
    if let waiting = startup.giveUp(token) {
      outbox.cancelTimer(.waitingCall(token))
      return reject(waiting.call, token, .cancelled)
    }
    if cancelRegistration(token) || cancelQuestion(token) { stopStatusTimer() }
  }

  /// Stops the timer, because no call waits for the status any more.
  private mutating func stopStatusTimer() {
    let isWaiting =
      active?.stage == .waitingForStatus || turns.questions.values.contains { $0.wait == .status }
    if !isWaiting { outbox.cancelTimer(.status) }
  }
}

// MARK: Configuring

extension SDKState {
  mutating func configure(_ configuration: Configuration, _ token: Token) {
    guard configuration.given != nil || !configuration.apiKey.allSatisfy(\.isWhitespace) else {
      let error = SDKError(.invalidArgument, "the API key is blank; take it from the dashboard")
      return outbox.fail(token, error)
    }
    for effect in startup.handle(.configure) {
      switch effect {
      case .fetchConfig: begin(configuration, token)
      case .joinConfigure: startup.join(token)
      case .warnAlreadyConfigured:
        log(.warn, .superwallCore, "configure() was called again; the SDK is already configured")
        outbox.complete(token)
      default: break
      }
    }
  }

  private mutating func begin(_ configuration: Configuration, _ token: Token) {
    settings.adopt(configuration)
    startup.begin(token)
    outbox.add(.beginConfiguring(token, configuration.purchases))
    for waiting in startup.waitingCalls {
      outbox.startTimer(.waitingCall(waiting.token), options.timeouts.configure)
    }
    if let given = configuration.given { return use(given: given) }
    let load = outbox.newToken()
    startup.beginOffline(load: load)
    outbox.startTimer(.loadConfig(load), options.timeouts.storage)
    outbox.add(.loadConfig(load))
    fetchConfig(retries: options.maxConfigRetryCount)
    if options.fallbackConfig != nil {
      outbox.startTimer(.keptConfig, options.timeouts.keptConfig)
    }
  }

  private mutating func fetchConfig(retries: Int) {
    if let earlier = requests.config { dropRequest(earlier) }
    switch options.configSource {
    case .staticConfig:
      send(Endpoints.staticConfig(apiKey: settings.apiKey), for: .config, retries: retries)
    case .artifacts:
      send(
        Endpoints.artifact(.application(publicKey: settings.apiKey)),
        for: .application(retries: retries), retries: retries)
    }
  }

  /// Receives the application, which names the domain of its config.
  mutating func receiveApplication(_ result: Result<[UInt8], BackendError>, retries: Int) {
    do throws(BackendError) {
      guard let value = try? Value.parse(json: try result.get()) else {
        if case .failure(let error) = result { throw error }
        throw .decoding("it is not JSON")
      }
      guard let domain = try ApplicationArtifact(decoding: value).webPaywallDomain, !domain.isEmpty
      else { throw .missingWebPaywallDomain }
      send(Endpoints.artifact(.staticConfig(domain: domain)), for: .config, retries: retries)
    } catch {
      configFailed(error)
    }
  }

  mutating func receiveConfig(_ result: Result<[UInt8], BackendError>) {
    do throws(BackendError) {
      let body = try result.get()
      let config = try ApplicationConfig.decode(body, platform: platform)
      keep(body)
      apply(config, .network, fetchedAt: now)
    } catch {
      configFailed(error)
    }
  }

  private mutating func configFailed(_ error: BackendError) {
    if case .decoding = error { track(.networkDecodingFail) }
    let isArtifact = options.configSource == .artifacts
    configMissing(isArtifact && error == .notFound ? .artifactNotFound : error)
  }

  /// Starts to use a config, as soon as the history that its rules read is loaded.
  mutating func apply(
    _ config: ApplicationConfig, _ source: ConfigOrigin.Source, fetchedAt: Instant? = nil
  ) {
    endOffline()
    let next = NextConfig(
      config: config, needs: HistoryNeeds(of: config.rules, in: config.config),
      origin: ConfigOrigin(source: source, buildID: config.config.buildID, fetchedAt: fetchedAt),
      token: nextConfig?.token)
    if !waitsForHistory(next) { adopt(next) }
  }

  mutating func adopt(_ next: NextConfig) {
    nextConfig = nil
    catalog.adopt(next.config, next.needs, from: next.origin)
    chooseAssignments()
    prefetchProducts()
    if startup.phase == .configured {
      track(.configRefresh)
      trackDevice()
    } else if settings.purchases == .store {
      loadOwned(for: .configuring)
    } else {
      finishConfiguring()
    }
  }

  private mutating func configMissing(_ error: BackendError) {
    if startup.phase == .configured {
      return log(.warn, .configManager, "the config could not be refreshed", error: error.message)
    }
    // If the config is already loaded, only the owned products from the store are missing.
    if catalog.config != nil || nextConfig != nil || isReplaced(error) { return }
    failConfiguring(error.message)
  }

  mutating func failConfiguring(_ why: String) {
    endOffline()
    for effect in startup.handle(.configMissing) where effect == .announceFailure {
      startup.fail("the config could not be loaded: \(why)")
      track(.configFail)
      let failure = configurationFailed
      for call in startup.takeConfigureCalls() { outbox.fail(call, failure) }
      for waiting in takeWaitingCalls() { reject(waiting.call, waiting.token, failure) }
    }
  }

  /// Ends configuring. The config is loaded, and so is the subscription status if the SDK maintains the status.
  mutating func finishConfiguring() {
    for effect in startup.handle(.configLoaded) where effect == .announceConfigured {
      let waited = startup.finish()
      track(.configRefresh)
      let implicit = launch()
      for call in waited.configureCalls { outbox.complete(call) }
      if options.paywalls.shouldPreload { preload(nil) }
      for names in waited.preloads { preload(names) }
      for url in waited.links { _ = routeDeepLink(url) }
      for waiting in takeWaitingCalls() { run(waiting.call, waiting.token) }
      for event in implicit { triggerImplicitly(event) }
      completeApproved()
      refreshWebEntitlements(isStart: true)
      askForPendingCheckout()
      beginUploading()
    }
  }

  private mutating func takeWaitingCalls() -> [WaitingCall] {
    let calls = startup.takeWaitingCalls()
    for waiting in calls { outbox.cancelTimer(.waitingCall(waiting.token)) }
    return calls
  }

  /// Requests the config once, when the app returns to the foreground without a config.
  mutating func fetchConfigOnce() { fetchConfig(retries: 0) }

  /// Refreshes the config in the background.
  mutating func refreshConfig() {
    guard requests.config == nil, !settings.isGivenConfig else { return }
    fetchConfig(retries: options.maxConfigRetryCount)
  }
}

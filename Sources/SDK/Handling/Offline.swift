internal import Expressions
internal import RuleEngine

// MARK: Without a network

extension SDKState {
  /// Stores a config from the network for the next start.
  mutating func keep(_ body: [UInt8]) {
    let kept = KeptConfig(apiKey: settings.apiKey, fetchedAt: now, config: body)
    outbox.add(.keepConfig(kept.value))
  }

  /// Receives the config that an earlier process stored, as a fallback if the network does not answer. A config of
  /// another app is ignored.
  mutating func receiveKept(_ value: Value?, for token: Token) {
    let kept = value.flatMap { KeptConfig(decoding: $0) }
    outbox.cancelTimer(.loadConfig(token))
    guard
      startup.receive(kept?.apiKey == settings.apiKey ? kept : nil, for: token),
      let offline = startup.offline
    else { return }
    if offline.isDue || offline.failure != nil {
      if !useOwnConfig(), let failure = offline.failure { failConfiguring(failure.message) }
    } else if offline.kept != nil, !outbox.armedTimers.contains(.keptConfig) {
      outbox.startTimer(.keptConfig, options.timeouts.keptConfig)
    }
  }

  /// Handles a network that has not answered in time, but may still answer.
  mutating func networkIsSilent() {
    startup.networkIsDue()
    if startup.offline?.load == nil { useOwnConfig() }
  }

  /// Ends the fallbacks, because the config has arrived or failed.
  mutating func endOffline() {
    outbox.cancelTimer(.keptConfig)
    if let load = startup.offline?.load { outbox.cancelTimer(.loadConfig(load)) }
    startup.endOffline()
  }

  /// Whether a config exists, or may exist, to replace an unavailable config.
  mutating func isReplaced(_ error: BackendError) -> Bool {
    // If the server refuses the config, the stored config is not used either.
    guard ![.unauthorized, .notFound, .artifactNotFound].contains(error) else { return false }
    startup.networkFailed(error)
    return startup.offline?.load == nil ? useOwnConfig() : startup.offline != nil
  }

  /// Uses the stored config, or the app's fallback.
  ///
  /// - Returns: whether a config was available.
  @discardableResult
  private mutating func useOwnConfig() -> Bool {
    guard startup.phase == .configuring, let offline = startup.offline else { return false }
    if let kept = offline.kept, let config = decode(kept.config, "that was stored") {
      let age = kept.age(at: now)
      tell("the config of \(age) ago")
      apply(config, .kept, fetchedAt: kept.fetchedAt)
      return true
    }
    if let body = options.fallbackConfig, let config = decode(body, "in 'fallbackConfig'") {
      tell("the config that came with the app")
      apply(config, .fallback)
      return true
    }
    return false
  }

  private mutating func tell(_ config: String) {
    log(
      .warn, .configManager,
      "the network does not answer: \(config) is used until the network answers")
  }

  private mutating func decode(_ body: [UInt8], _ which: String) -> ApplicationConfig? {
    do throws(BackendError) {
      return try ApplicationConfig.decode(body, platform: platform)
    } catch {
      log(
        .error, .configManager, "the config \(which) cannot be used", error: error.reason)
      return nil
    }
  }

  /// Uses the config that the app passed to `configure`. The SDK requests no other config.
  mutating func use(given body: [UInt8]) {
    do throws(BackendError) {
      apply(try ApplicationConfig.decode(body, platform: platform), .given)
    } catch {
      failConfiguring(error.reason)
    }
  }

  /// Whether the config did not come from the server in this process.
  var waitsForConfig: Bool {
    switch catalog.origin?.source {
    case .kept, .fallback: true
    case .network, .given, nil: false
    }
  }
}

extension BackendError {
  /// Describes the problem with a config that is not an answer of the backend.
  fileprivate var reason: String { if case .decoding(let text) = self { text } else { message } }
}

internal import RuleEngine

/// A config whose rules cannot run yet.
struct NextConfig: Sendable {
  let config: ApplicationConfig
  let needs: HistoryNeeds
  let origin: ConfigOrigin
  /// The token of the request that loads the history, while it runs.
  var token: Token?
}

// MARK: Loading history for rules

extension SDKState {
  /// Loads the missing part of the history that a config's rules read. The storage may contain much more history than
  /// any config needs.
  ///
  /// - Returns: whether the config has to wait.
  mutating func waitsForHistory(_ next: NextConfig) -> Bool {
    let missing = history.missing(for: next.needs)
    guard next.token != nil || !missing.isEmpty else { return false }
    nextConfig = next
    // Only one load runs at a time. If the loaded logs are not enough, the missing logs are loaded afterwards.
    guard next.token == nil else { return true }
    let token = outbox.newToken()
    nextConfig?.token = token
    history.beginLoading(missing)
    outbox.startTimer(.loadHistory(token), options.timeouts.storage)
    outbox.add(.loadHistory(token, missing.logs))
    return true
  }

  mutating func receiveHistory(_ logs: [String: StorageLog], for token: Token) {
    guard var next = nextConfig, next.token == token else { return }
    outbox.cancelTimer(.loadHistory(token))
    history.finishLoading(logs)
    next.token = nil
    if !waitsForHistory(next) { adopt(next) }
  }

  mutating func historyIsSilent(_ token: Token) {
    let limit = options.timeouts.storage
    log(
      .error, .coreData,
      "the storage has not answered within \(limit.words): rules count events from now on")
    receiveHistory([:], for: token)
  }
}

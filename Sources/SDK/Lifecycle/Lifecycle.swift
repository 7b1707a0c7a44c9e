/// The life cycle as a pure state machine: the progress of the configuration, and the identity of the user. `handle`
/// returns the consequences of an input as effects.
package struct Lifecycle: Hashable, Sendable {
  /// The progress of the configuration.
  package enum Phase: String, Hashable, Sendable, CaseIterable {
    case unconfigured
    case configuring
    case configured
    case configFailed
  }

  /// Whether the app has identified the user.
  package enum User: Hashable, Sendable, CaseIterable {
    /// The app has not identified the user yet.
    case anonymous
    case known
    /// The app has not identified the user since a reset.
    case reset
  }

  package enum Input: Hashable, Sendable, CaseIterable {
    /// `configure` with a usable key.
    case configure
    case configLoaded
    /// The config is not available: all retries failed, the server refused the request, or the config is unreadable.
    case configMissing
    case foreground
    /// `identify` with the known ID, another ID, or an empty ID.
    case identifySame
    case identifyOther
    case identifyBlank
    case reset
    /// The process ended and started again.
    case restart
  }

  package enum Effect: Hashable, Sendable {
    /// Fetch the config, with all retries.
    case fetchConfig
    /// Fetch the config with one attempt.
    case fetchConfigOnce
    /// Complete the call with the outcome of the running `configure` call.
    case joinConfigure
    /// Log a warning and end the call, because the SDK is already configured.
    case warnAlreadyConfigured
    /// Notify the app, answer `configure`, release the waiting calls.
    case announceConfigured
    /// Notify the app, reject `configure` and the waiting calls.
    case announceFailure
    /// Delete the user's data.
    case resetIdentity
    /// Set the new user ID.
    case adoptIdentity
    case warnBlankIdentity
  }

  package var phase: Phase = .unconfigured
  package var user: User
  /// Whether the single attempt after returning to the foreground is running.
  package var isRecovering = false

  package init(user: User = .anonymous) { self.user = user }

  package mutating func handle(_ input: Input) -> [Effect] {
    switch input {
    case .configure: configure()
    case .configLoaded: configLoaded()
    case .configMissing: configMissing()
    case .foreground: foreground()
    case .identifySame: []
    case .identifyOther: identify()
    case .identifyBlank: [.warnBlankIdentity]
    case .reset: reset()
    case .restart: restart()
    }
  }

  private mutating func configure() -> [Effect] {
    switch phase {
    case .unconfigured, .configFailed:
      phase = .configuring
      isRecovering = false
      return [.fetchConfig]
    case .configuring: return [.joinConfigure]
    case .configured: return [.warnAlreadyConfigured]
    }
  }

  private mutating func configLoaded() -> [Effect] {
    guard phase == .configuring || isRecovering else { return [] }
    phase = .configured
    isRecovering = false
    return [.announceConfigured]
  }

  private mutating func configMissing() -> [Effect] {
    if isRecovering {
      isRecovering = false
      return []
    }
    guard phase == .configuring else { return [] }
    phase = .configFailed
    return [.announceFailure]
  }

  private mutating func foreground() -> [Effect] {
    guard phase == .configFailed, !isRecovering else { return [] }
    isRecovering = true
    return [.fetchConfigOnce]
  }

  private mutating func identify() -> [Effect] {
    defer { user = .known }
    return user == .known ? [.resetIdentity, .adoptIdentity] : [.adoptIdentity]
  }

  private mutating func reset() -> [Effect] {
    user = .reset
    return [.resetIdentity]
  }

  /// Restarts the life cycle. An identified user stays identified, and any other user is anonymous.
  private mutating func restart() -> [Effect] {
    phase = .unconfigured
    isRecovering = false
    if user == .reset { user = .anonymous }
    return []
  }
}

/// The life cycle as a pure state machine: how far the SDK is configured, and what is known of the
/// user. `handle` is the whole of it; what follows from an input comes back as effects.
package struct Lifecycle: Hashable, Sendable {
  /// How far the configuration is.
  package enum Phase: String, Hashable, Sendable, CaseIterable {
    case unconfigured
    case configuring
    case configured
    case configFailed
  }

  /// Who the user is.
  package enum User: Hashable, Sendable, CaseIterable {
    /// Nobody has said yet.
    case anonymous
    case known
    /// Nobody has said since the identity was cleared.
    case reset
  }

  package enum Input: Hashable, Sendable, CaseIterable {
    /// `configure` with a usable key.
    case configure
    case configLoaded
    /// The config cannot be had: retries used up, refused, or unreadable.
    case configMissing
    case foreground
    /// `identify` with the ID that is known already, with another one, with an empty one.
    case identifySame
    case identifyOther
    case identifyBlank
    case reset
    /// The process ended and began again.
    case restart
  }

  package enum Effect: Hashable, Sendable {
    /// Fetch the config, with all retries.
    case fetchConfig
    /// Fetch the config with one attempt.
    case fetchConfigOnce
    /// The call shares the outcome of the one that runs.
    case joinConfigure
    /// The call is done: the SDK is already configured.
    case warnAlreadyConfigured
    /// Tell the app, answer `configure`, let the waiting calls go.
    case announceConfigured
    /// Tell the app, reject `configure` and the waiting calls.
    case announceFailure
    /// Forget the user.
    case resetIdentity
    /// Take the new user ID.
    case adoptIdentity
    case warnBlankIdentity
  }

  package var phase: Phase = .unconfigured
  package var user: User
  /// Whether the one attempt after coming back to the foreground runs.
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

  /// What was persisted stays: a known user is known, everybody else is anonymous.
  private mutating func restart() -> [Effect] {
    phase = .unconfigured
    isRecovering = false
    if user == .reset { user = .anonymous }
    return []
  }
}

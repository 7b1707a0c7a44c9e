internal import Expressions
internal import RuleEngine

/// A time of use of the app, as rules see it.
struct AppSession: Sendable {
  var id = ""
  var start: Int64?
}

// MARK: Launch, foreground, background

extension SDKState {
  /// Tells of the first run, the launch and the session, once in a process.
  ///
  /// - Returns: the events that may ask for a paywall, for when the calls that waited are done.
  mutating func launch() -> [SuperwallEventName] {
    guard !hasLaunched else { return [] }
    hasLaunched = true
    beginSession()
    var events: [SuperwallEvent] = []
    if stored.installedAt == nil {
      stored.installedAt = now
      isFirstRun = true
      track(.firstSeen)
      events.append(.appInstall)
    }
    events.append(.appLaunch)
    if isNewSession { events.append(.sessionStart) }
    for event in events { track(event) }
    track(.configAttributes)
    trackDevice()
    return events.map(\.name)
  }

  private mutating func beginSession() {
    session = AppSession(id: entropy.identifier("session"), start: now)
  }

  /// Whether the app was never in the background, or longer than the config allows.
  private var isNewSession: Bool {
    guard let closedAt = stored.closedAt else { return true }
    let timeout = config?.settings.sessionTimeout ?? ConfigSettings.defaultSessionTimeout
    return now - closedAt > timeout
  }

  mutating func enterForeground() {
    track(.appOpen)
    if lifecycle.handle(.foreground) == [.fetchConfigOnce] { fetchConfigOnce() }
    guard lifecycle.phase == .configured, stored.closedAt != nil, isNewSession else { return }
    stored.closedAt = nil
    beginSession()
    track(.sessionStart)
    trackDevice()
    refreshConfig()
    triggerImplicitly(.sessionStart)
  }

  mutating func enterBackground() {
    stored.closedAt = now
    track(.appClose)
  }

  mutating func receive(_ report: DeviceReport) {
    switch report {
    case .adServicesTokenRequestStart: track(.adServicesTokenRequestStart)
    case .adServicesTokenRequestFail(let error): track(.adServicesTokenRequestFail(error: error))
    case .adServicesTokenRequestComplete(let token):
      track(.adServicesTokenRequestComplete(token: token))
    case .enrichmentStart: track(.enrichmentStart)
    case .enrichmentComplete(let user, let device):
      track(.enrichmentComplete(user: user, device: device))
      enrichment = device ?? enrichment
      if let user { setUserAttributes(user) }
    case .enrichmentFail: track(.enrichmentFail)
    case .customerInfoDidChange: track(.customerInfoDidChange)
    case .testModeModalOpen: track(.testModeModalOpen)
    case .testModeModalClose: track(.testModeModalClose)
    case .transactionTimeout: track(.transactionTimeout(presentation?.info ?? .none))
    case .touchesBegan: touchesBegan()
    case .unknown: track(.unknown)
    }
  }
}

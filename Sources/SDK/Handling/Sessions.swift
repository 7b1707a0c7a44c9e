internal import Expressions
internal import RuleEngine

// MARK: Launch, foreground, background

extension SDKState {
  /// Reports the first run, the launch and the session, once per process.
  ///
  /// - Returns: the events that may trigger a paywall. Handle these events after the waiting calls.
  mutating func launch() -> [SuperwallEventName] {
    guard !usage.hasLaunched else { return [] }
    usage.launch(newSession(), at: now)
    var events: [SuperwallEvent] = []
    if usage.isFirstRun {
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

  private mutating func newSession() -> AppSession {
    AppSession(id: entropy.identifier("session"), start: now)
  }

  /// Whether the app was never in the background, or stayed in the background for longer than the config allows.
  private var isNewSession: Bool {
    usage.isNewSession(
      at: now, timeout: config?.settings.sessionTimeout ?? ConfigSettings.defaultSessionTimeout)
  }

  mutating func enterForeground() {
    track(.appOpen)
    if startup.handle(.foreground) == [.fetchConfigOnce] { fetchConfigOnce() }
    if startup.phase == .configured, waitsForConfig { refreshConfig() }
    refreshWebEntitlements(isStart: false)
    askForPendingCheckout()
    guard startup.phase == .configured, usage.closedAt != nil, isNewSession else { return }
    usage.resume(newSession())
    track(.sessionStart)
    trackDevice()
    refreshConfig()
    triggerImplicitly(.sessionStart)
  }

  mutating func enterBackground() {
    usage.close(at: now)
    track(.appClose)
    // The system may end the process in the background.
    upload()
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
      if let device { usage.enrich(device) }
      if let user { setUserAttributes(user) }
    case .enrichmentFail: track(.enrichmentFail)
    case .customerInfoDidChange: track(.customerInfoDidChange)
    case .testModeModalOpen: track(.testModeModalOpen)
    case .testModeModalClose: track(.testModeModalClose)
    case .transactionTimeout: track(.transactionTimeout(paywallInfo: presentation?.info ?? .none))
    case .touchesBegan: touchesBegan()
    case .unknown: track(.unknown)
    }
  }
}

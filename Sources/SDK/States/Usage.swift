internal import Expressions

/// A session of the app, as rules read it.
struct AppSession: Sendable {
  var id = ""
  var start: Instant?
}

/// The app's usage on this device: installation, launches and sessions.
struct Usage {
  private(set) var session = AppSession()
  /// Whether the SDK never ran before this process.
  private(set) var isFirstRun = false
  /// A server's data about the device, an object.
  private(set) var enrichment: Value = .map([])
  /// Whether the launch of this process has been reported.
  private(set) var hasLaunched = false
  private(set) var installedAt: Instant?
  private(set) var totalPaywallViews: Int
  private(set) var lastPaywallView: Instant?
  /// The last time that the app entered the background.
  private(set) var closedAt: Instant?

  init(_ stored: StoredState) {
    installedAt = stored.installedAt
    totalPaywallViews = stored.totalPaywallViews
    lastPaywallView = stored.lastPaywallView
    closedAt = stored.closedAt
  }

  mutating func launch(_ session: AppSession, at now: Instant) {
    hasLaunched = true
    isFirstRun = installedAt == nil
    installedAt = installedAt ?? now
    self.session = session
  }

  /// Whether the app was never in the background, or stayed in the background for longer than a session may pause.
  func isNewSession(at now: Instant, timeout: Int64) -> Bool {
    guard let closedAt else { return true }
    return now - closedAt > timeout
  }

  /// Begins a session after a pause.
  mutating func resume(_ session: AppSession) {
    closedAt = nil
    self.session = session
  }

  mutating func close(at now: Instant) { closedAt = now }

  mutating func seePaywall(at now: Instant) {
    if totalPaywallViews < .max { totalPaywallViews += 1 }
    lastPaywallView = now
  }

  mutating func forgetPaywalls() {
    totalPaywallViews = 0
    lastPaywallView = nil
  }

  mutating func enrich(_ device: Value) { enrichment = device }
}

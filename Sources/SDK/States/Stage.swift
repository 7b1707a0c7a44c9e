internal import Expressions
internal import RuleEngine

/// The closing of a paywall, and the steps that follow.
struct Closing: Hashable, Sendable {
  enum Next: Hashable, Sendable {
    /// Another placement follows, perhaps as a replacement of the current placement.
    case register(Registration, inherits: Bool)
    case openDeepLink(String)
  }

  var reason: PaywallCloseReason
  var next: Next?
  /// Whether to ask the host to close the paywall. False if the host has already closed the paywall.
  var tellsHost = true
}

/// The paywall that is visible, appearing, or closing. At most one paywall is visible.
struct Presentation: Sendable {
  enum Phase: Sendable {
    /// The SDK has asked the host to show the paywall. `then` is the closing to begin once the paywall is visible.
    case presenting(then: Closing?)
    case presented
    /// A survey is shown before the paywall closes.
    case surveying(Survey, Closing)
    /// The SDK has asked the host to close the paywall.
    case dismissing(Closing)
  }

  let id: String
  private(set) var info: PaywallInfo
  let paywall: PaywallResponse
  let products: [StoreProduct]
  let registration: Registration
  let decision: PlacementDecision
  private(set) var phase = Phase.presenting(then: nil)
  /// The purchase or restore made while the paywall was open. Any later close reports this result.
  private(set) var completed: PaywallResult?
  /// The user's actions before the host reported the paywall as visible.
  private(set) var early: [PresentationReport] = []
  /// Calls of `dismiss` that wait until the paywall is closed.
  private(set) var dismissCalls: [Token] = []

  init(
    _ turn: ActiveRegistration, _ paywall: PaywallResponse, _ decision: PlacementDecision,
    id: String
  ) {
    self.id = id
    info = turn.info
    info.presentationID = id
    self.paywall = paywall
    products = turn.products
    registration = turn.registration
    self.decision = decision
  }

  /// The result of the paywall: the completed purchase or restore, otherwise declined.
  var result: PaywallResult { completed ?? .declined }

  /// Whether the host shows the paywall.
  var isVisible: Bool { if case .presenting = phase { false } else { true } }

  /// Whether the paywall is closing. Later paywalls wait until this paywall is closed.
  var isLeaving: Bool {
    switch phase {
    case .dismissing, .presenting(.some): true
    case .presenting, .presented, .surveying: false
    }
  }

  /// Whether the paywall is visible and not closing.
  var isOpen: Bool { if case .presented = phase { true } else { false } }

  mutating func appear() { phase = .presented }

  mutating func keep(_ report: PresentationReport) { early.append(report) }

  mutating func survey(_ survey: Survey, before closing: Closing) {
    phase = .surveying(survey, closing)
  }

  /// Closes the paywall as soon as it is visible.
  mutating func closeLater(_ closing: Closing) { phase = .presenting(then: closing) }

  mutating func leave(_ closing: Closing) {
    info.closeReason = closing.reason
    phase = .dismissing(closing)
  }

  /// Changes the follow-up of a closing that has already begun.
  mutating func redirect(_ closing: Closing) {
    switch phase {
    case .presenting(.some): phase = .presenting(then: closing)
    case .dismissing: phase = .dismissing(closing)
    case .presenting, .presented, .surveying: break
    }
  }

  mutating func complete(_ result: PaywallResult) { completed = result }

  mutating func wait(_ call: Token) { dismissCalls.append(call) }

  mutating func report(_ step: WebViewStep, at now: Instant) {
    switch step {
    case .start: info.webViewLoad.start = now
    case .complete: info.webViewLoad.complete = now
    case .fail: info.webViewLoad.fail = now
    case .ready(let version): info.paywalljsVersion = version
    case .timeout, .fallback, .processTerminated: break
    }
  }

  mutating func report(state: Value) { info.state = state }
}

/// A paywall's question that the app has not answered yet.
struct PendingCallback: Hashable, Sendable {
  var presentationID: String
  /// The paywall's own ID of the question.
  var requestID: String
}

/// The current paywall, with its open questions to the app: custom callbacks, and the back button.
struct Stage {
  private(set) var presentation: Presentation?
  private var callbacks: [String: PendingCallback] = [:]
  /// The press of the back button that waits for the app.
  private var backPress: Token?
  /// Paywalls that the host was too slow to show. These paywalls are closed as soon as they appear.
  private var overdue: Set<String> = []

  /// Whether the app has answered all questions of the paywall.
  var isAnswered: Bool { callbacks.isEmpty && backPress == nil }

  mutating func enter(_ presentation: Presentation) { self.presentation = presentation }

  /// Updates the paywall.
  mutating func advance(_ step: (inout Presentation) -> Void) {
    if var open = presentation {
      step(&open)
      presentation = open
    }
  }

  mutating func exit() { presentation = nil }

  /// Drops a paywall that the host is still trying to show.
  mutating func giveUp() {
    if let presentation { overdue.insert(presentation.id) }
    presentation = nil
  }

  /// - Returns: whether the presentation is a dropped paywall that has now appeared or failed.
  mutating func takeOverdue(_ id: String) -> Bool { overdue.remove(id) != nil }

  mutating func ask(_ callback: PendingCallback, as id: String) { callbacks[id] = callback }

  mutating func takeCallback(_ id: String) -> PendingCallback? {
    callbacks.removeValue(forKey: id)
  }

  /// A paywall's unanswered questions, in order.
  func callbacks(of presentationID: String) -> [String] {
    callbacks.keys.filter { callbacks[$0]?.presentationID == presentationID }.sorted()
  }

  /// Begins a press of the back button. Only one press can wait at a time.
  ///
  /// - Returns: false while another press waits for the app.
  mutating func ask(_ press: Token) -> Bool {
    guard backPress == nil else { return false }
    backPress = press
    return true
  }

  mutating func takeBackPress() -> Token? {
    defer { backPress = nil }
    return backPress
  }
}

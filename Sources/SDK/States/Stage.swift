internal import Expressions
internal import RuleEngine

/// How a paywall goes away.
struct Closing: Hashable, Sendable {
  enum Next: Hashable, Sendable {
    /// Another placement takes its turn, perhaps in this one's stead.
    case register(Registration, inherits: Bool)
    case openDeepLink(String)
  }

  var reason: PaywallCloseReason
  var next: Next?
  /// False when the host took it away by itself.
  var tellsHost = true
}

/// The paywall that is on screen, on its way there, or on its way out. There is at most one.
struct Presentation: Sendable {
  enum Phase: Sendable {
    /// The host was told to show it; what to do as soon as it is visible.
    case presenting(then: Closing?)
    case presented
    /// The user is asked something before it goes.
    case surveying(Survey, Closing)
    /// The host was told to take it away.
    case dismissing(Closing)
  }

  let id: String
  private(set) var info: PaywallInfo
  let paywall: PaywallResponse
  let products: [StoreProduct]
  let registration: Registration
  let decision: PlacementDecision
  private(set) var phase = Phase.presenting(then: nil)
  /// What was bought or restored while it was open: any later close reports it.
  private(set) var completed: PaywallResult?
  /// What the user did before the host said that it is visible.
  private(set) var early: [PresentationReport] = []
  /// Calls of `dismiss` that wait until it is gone.
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

  /// How it ends, unless something was bought meanwhile.
  var result: PaywallResult { completed ?? .declined }

  /// Whether the host shows it.
  var isVisible: Bool { if case .presenting = phase { false } else { true } }

  /// Whether it is on its way out: what comes next waits until it is gone.
  var isLeaving: Bool {
    switch phase {
    case .dismissing, .presenting(.some): true
    case .presenting, .presented, .surveying: false
    }
  }

  /// Whether it is visible and nothing has begun to take it away.
  var isOpen: Bool { if case .presented = phase { true } else { false } }

  mutating func appear() { phase = .presented }

  mutating func keep(_ report: PresentationReport) { early.append(report) }

  mutating func survey(_ survey: Survey, before closing: Closing) {
    phase = .surveying(survey, closing)
  }

  /// Closes as soon as it is visible.
  mutating func closeLater(_ closing: Closing) { phase = .presenting(then: closing) }

  mutating func leave(_ closing: Closing) {
    info.closeReason = closing.reason
    phase = .dismissing(closing)
  }

  /// Leads on to something else than it set out to when it began to leave.
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

/// A question of a paywall that the app has not answered yet.
struct PendingCallback: Hashable, Sendable {
  var presentationID: String
  /// The paywall's own name of the question.
  var requestID: String
}

/// The paywall that there is, with what it asked the app: custom callbacks, and the back button.
struct Stage {
  private(set) var presentation: Presentation?
  private var callbacks: [String: PendingCallback] = [:]
  /// The press of the back button that the app thinks about.
  private var backPress: Token?
  /// Paywalls that the host was too slow to show: they go as soon as they come.
  private var overdue: Set<String> = []

  /// Whether the app owes no answers.
  var isAnswered: Bool { callbacks.isEmpty && backPress == nil }

  mutating func enter(_ presentation: Presentation) { self.presentation = presentation }

  /// Takes the paywall a step further.
  mutating func advance(_ step: (inout Presentation) -> Void) {
    if var open = presentation {
      step(&open)
      presentation = open
    }
  }

  mutating func exit() { presentation = nil }

  /// Gives up a paywall that the host still tries to show.
  mutating func giveUp() {
    if let presentation { overdue.insert(presentation.id) }
    presentation = nil
  }

  /// - Returns: whether a paywall comes, or fails, that nobody waits for any more.
  mutating func takeOverdue(_ id: String) -> Bool { overdue.remove(id) != nil }

  mutating func ask(_ callback: PendingCallback, as id: String) { callbacks[id] = callback }

  mutating func takeCallback(_ id: String) -> PendingCallback? {
    callbacks.removeValue(forKey: id)
  }

  /// What a paywall has asked and not heard of, in order.
  func callbacks(of presentationID: String) -> [String] {
    callbacks.keys.filter { callbacks[$0]?.presentationID == presentationID }.sorted()
  }

  /// One press at a time.
  ///
  /// - Returns: false while the app thinks about another one.
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

internal import Expressions
internal import RuleEngine

/// A placement that waits for its turn, or is active.
struct Registration: Hashable, Sendable {
  var placement: String
  var params: Value
  var handlerID: String?
  /// The call that receives the outcome; nil if no call waits.
  var call: Token?
  /// The SDK event that triggered the placement, or nil for a placement of the app.
  var event: SuperwallEventName?
  var isFeatureGatable = false
  /// The feature gating of the paywall that the new paywall replaces.
  var gating: Paywall.FeatureGating?
  var eventID: String
  var at: Instant
  /// The time at which the placement was added to the history. SDK events are added before they trigger a placement.
  var rememberedAt: Instant?
  /// The turn that this registration waits for, because both would show a paywall.
  var heldBy: Token?
}

/// The active registration, from waiting for the status until its paywall is visible.
struct ActiveRegistration: Sendable {
  enum Stage: Hashable, Sendable {
    case waitingForStatus
    case waitingForIdentity
    case loadingPaywall
    case loadingProducts
    /// Everything is loaded, but another registration is active.
    case loaded
    case askingPresenter
    case presenting
  }

  private(set) var registration: Registration
  /// Identifies this turn in timers and answers.
  let token: Token
  private(set) var stage = Stage.waitingForStatus
  private(set) var decision: PlacementDecision?
  private(set) var paywall: PaywallResponse?
  private(set) var products: [StoreProduct] = []
  private(set) var info = PaywallInfo.none
  /// Whether the registration has blocked other registrations for the maximum time.
  private(set) var isLong = false

  fileprivate init(_ registration: Registration, _ token: Token) {
    self.registration = registration
    self.token = token
  }

  mutating func remember(at now: Instant) { registration.rememberedAt = now }

  mutating func wait(for stage: Stage) { self.stage = stage }

  mutating func decide(_ decision: PlacementDecision) { self.decision = decision }

  mutating func load(_ paywall: PaywallResponse, _ info: PaywallInfo) {
    self.paywall = paywall
    self.info = info
    stage = .loadingProducts
  }

  mutating func load(_ products: [StoreProduct], _ info: PaywallInfo) {
    self.products = products
    self.info = info
    stage = .loaded
  }

  mutating func makeLong() { isLong = true }

  var isLoading: Bool { stage == .loadingPaywall || stage == .loadingProducts }

  /// Whether placements that show no paywall may pass this registration.
  var letsPass: Bool {
    switch stage {
    case .loadingPaywall, .loadingProducts, .askingPresenter: true
    case .presenting: isLong
    case .waitingForStatus, .waitingForIdentity, .loaded: false
    }
  }
}

/// A call of `getPresentationResult`.
struct Question: Hashable, Sendable {
  /// The prerequisites of a decision.
  enum Wait: Hashable, Sendable {
    case status
    case identity
  }

  var token: Token
  var placement: String
  var params: Value
  var wait: Wait?
  /// The decision, stored until its paywall is available.
  var decision: PlacementDecision?
}

/// The queue of waiting placements, the active placement, and questions about placements. Questions need no turn.
struct Turns {
  private(set) var waiting: [Registration] = []
  private(set) var active: ActiveRegistration?
  /// Registrations that let other registrations pass while they load.
  private(set) var parked: [ActiveRegistration] = []
  private(set) var questions: [Token: Question] = [:]

  mutating func add(_ registration: Registration) { waiting.append(registration) }

  /// Adds a registration at the front of the queue.
  mutating func addFirst(_ registration: Registration) { waiting.insert(registration, at: 0) }

  /// Whether the next registration can start.
  var isReady: Bool { active == nil && !waiting.isEmpty }

  /// Starts the next registration.
  mutating func begin(_ token: Token) {
    if isReady { active = ActiveRegistration(waiting.removeFirst(), token) }
  }

  /// Updates the active registration.
  mutating func advance(_ step: (inout ActiveRegistration) -> Void) {
    if var turn = active {
      step(&turn)
      active = turn
    }
  }

  /// Updates the active registration, or a parked registration.
  mutating func advance(_ token: Token, _ step: (inout ActiveRegistration) -> Void) {
    if active?.token == token { return advance(step) }
    if let place = parked.firstIndex(where: { $0.token == token }) { step(&parked[place]) }
  }

  mutating func end() { active = nil }

  /// The registration with this turn, active or parked.
  subscript(token: Token) -> ActiveRegistration? {
    active?.token == token ? active : parked.first { $0.token == token }
  }

  mutating func end(_ token: Token) {
    if active?.token == token { active = nil }
    parked.removeAll { $0.token == token }
  }

  /// Parks the active registration, which lets other registrations pass while it loads.
  mutating func park() {
    if let active { parked.append(active) }
    active = nil
  }

  /// Reactivates a parked registration that has been loaded, unless another registration is active.
  ///
  /// - Returns: whether a registration was reactivated.
  mutating func resume() -> Bool {
    guard active == nil, let place = parked.firstIndex(where: { $0.stage == .loaded }) else {
      return false
    }
    active = parked.remove(at: place)
    return true
  }

  /// Removes and returns a waiting registration.
  mutating func takeWaiting(where isMeant: (Registration) -> Bool) -> Registration? {
    waiting.firstIndex(where: isMeant).map { waiting.remove(at: $0) }
  }

  /// Returns a removed registration to its place in the queue.
  mutating func hold(_ registration: Registration, at place: Int) {
    waiting[place] = registration
  }

  mutating func ask(_ question: Question) { questions[question.token] = question }

  /// - Returns: whether the question was open.
  mutating func endQuestion(_ token: Token) -> Bool { questions.removeValue(forKey: token) != nil }
}

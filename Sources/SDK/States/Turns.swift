internal import Expressions
internal import RuleEngine

/// A placement that waits for its turn, or has it.
struct Registration: Hashable, Sendable {
  var placement: String
  var params: Value
  var handlerID: String?
  /// The call that gets the outcome; nil when nobody waits for it.
  var call: Token?
  /// The event of the SDK that asked; nil when the app did.
  var event: SuperwallEventName?
  var isFeatureGatable = false
  /// The gating of the paywall whose place this one takes.
  var gating: Paywall.FeatureGating?
  var eventID: String
  var at: Instant
  /// When the placement was put into the history. Events of the SDK are there before they ask.
  var rememberedAt: Instant?
  /// The turn behind which this one waits, because it would show a paywall.
  var heldBy: Token?
}

/// The registration that has its turn: from the status to the paywall on screen.
struct ActiveRegistration: Sendable {
  enum Stage: Hashable, Sendable {
    case waitingForStatus
    case waitingForIdentity
    case loadingPaywall
    case loadingProducts
    /// Everything is there, but another one has its turn.
    case loaded
    case askingPresenter
    case presenting
  }

  private(set) var registration: Registration
  /// Names this turn in timers and answers.
  let token: Token
  private(set) var stage = Stage.waitingForStatus
  private(set) var decision: PlacementDecision?
  private(set) var paywall: PaywallResponse?
  private(set) var products: [StoreProduct] = []
  private(set) var info = PaywallInfo.none
  /// Whether it has made others wait for as long as it may.
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

  /// Whether placements that show nothing go before it.
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
  /// What has to be known before it can be decided.
  enum Wait: Hashable, Sendable {
    case status
    case identity
  }

  var token: Token
  var placement: String
  var params: Value
  var wait: Wait?
  /// What is answered when its paywall is available.
  var decision: PlacementDecision?
}

/// Placements one after the other: those that wait, the one that has its turn; and questions about
/// placements, which have no turn.
struct Turns {
  private(set) var waiting: [Registration] = []
  private(set) var active: ActiveRegistration?
  /// Those that let others go first while they load.
  private(set) var parked: [ActiveRegistration] = []
  private(set) var questions: [Token: Question] = [:]

  mutating func add(_ registration: Registration) { waiting.append(registration) }

  /// Adds one that comes before all others.
  mutating func addFirst(_ registration: Registration) { waiting.insert(registration, at: 0) }

  /// Whether the next one can have its turn.
  var isReady: Bool { active == nil && !waiting.isEmpty }

  /// Gives the next one its turn.
  mutating func begin(_ token: Token) {
    if isReady { active = ActiveRegistration(waiting.removeFirst(), token) }
  }

  /// Takes the one that has its turn a step further.
  mutating func advance(_ step: (inout ActiveRegistration) -> Void) {
    if var turn = active {
      step(&turn)
      active = turn
    }
  }

  /// Takes one that has its turn, or let others go first, a step further.
  mutating func advance(_ token: Token, _ step: (inout ActiveRegistration) -> Void) {
    if active?.token == token { return advance(step) }
    if let place = parked.firstIndex(where: { $0.token == token }) { step(&parked[place]) }
  }

  mutating func end() { active = nil }

  /// The one with this turn, whether it has it or lets others go first.
  subscript(token: Token) -> ActiveRegistration? {
    active?.token == token ? active : parked.first { $0.token == token }
  }

  mutating func end(_ token: Token) {
    if active?.token == token { active = nil }
    parked.removeAll { $0.token == token }
  }

  /// Lets others go first.
  mutating func park() {
    if let active { parked.append(active) }
    active = nil
  }

  /// Gives the turn back to one that has loaded meanwhile.
  ///
  /// - Returns: whether there was one, and a turn to give.
  mutating func resume() -> Bool {
    guard active == nil, let place = parked.firstIndex(where: { $0.stage == .loaded }) else {
      return false
    }
    active = parked.remove(at: place)
    return true
  }

  /// Takes one out that has not had its turn.
  mutating func takeWaiting(where isMeant: (Registration) -> Bool) -> Registration? {
    waiting.firstIndex(where: isMeant).map { waiting.remove(at: $0) }
  }

  /// Puts one that was taken out back in its place.
  mutating func hold(_ registration: Registration, at place: Int) {
    waiting[place] = registration
  }

  mutating func ask(_ question: Question) { questions[question.token] = question }

  /// - Returns: whether the question was open.
  mutating func endQuestion(_ token: Token) -> Bool { questions.removeValue(forKey: token) != nil }
}

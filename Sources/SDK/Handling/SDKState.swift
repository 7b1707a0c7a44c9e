package import Expressions
package import Pricing
internal import RuleEngine

/// The whole SDK as a value, and how it answers to what happens.
///
/// `handle` is a pure function of the state and its arguments: it reads no clock, sends nothing
/// and waits for nothing. What has to be done comes back as effects, in order; what comes of them
/// is handled as inputs. ``Tollgate`` is the actor that does both ends.
package struct SDKState {
  /// What the shell knows at the moment of an input.
  package struct Surroundings: Sendable {
    /// Milliseconds since 1970.
    var now: Int64
    var device: DeviceFacts

    package init(now: Int64, device: DeviceFacts) {
      self.now = now
      self.device = device
    }
  }

  let platform: Platform
  var entropy: Entropy
  var now: Int64 = 0
  var device = DeviceFacts()
  var effects: [Effect] = []

  // Life cycle.
  var lifecycle: Lifecycle
  var apiKey = ""
  var options = TollgateOptions()
  var purchases = PurchaseHandling.store
  var wrapper: Configuration.Wrapper?
  var config: ApplicationConfig?
  /// Runs the rules of the config.
  var runner: RuleRunner?
  /// Why there is no config, for a person.
  var configurationError: String?
  /// The request for the config that counts, if one runs.
  var configRequest: Token?
  /// Calls of `configure` that share one outcome.
  var configureCalls: [Token] = []
  /// Calls that wait for `configure`, in their order.
  var waitingCalls: [WaitingCall] = []
  /// Preloads and links that came before the config.
  var queuedPreloads: [[String]?] = []
  var queuedDeepLinks: [String] = []
  var hasLaunched = false
  var session = AppSession()
  /// Whether the SDK never ran before this process.
  var isFirstRun = false
  /// Settings that calls made; they win over the options.
  var logLevel: LogLevel?
  var tracking: EventTrackingBehavior?
  var interfaceStyle: InterfaceStyle?

  // The user.
  var stored: StoredState
  var saved: StoredState?
  var history: LoggedEvents
  /// Counts identities, so that answers about an earlier one are left aside.
  var identityNumber = 0
  /// Calls of `identify` that wait for the server's assignments, and keep placements waiting.
  var restoringAssignments: Set<Token> = []
  /// Experiments whose confirmation is under way.
  var confirming: Set<String> = []
  var ownedProducts: [String] = []
  /// What a server knows of the device, an object.
  var enrichment: Value = .map([])

  // Placements.
  var registrations: [Registration] = []
  var active: ActiveRegistration?
  var presentation: Presentation?
  var questions: [Token: Question] = [:]
  var callbacks: [String: PendingCallback] = [:]
  var backPress: Token?
  var fetchedPaywalls: [String: PaywallResponse] = [:]
  var storeProducts: [String: StoreProduct] = [:]

  // Purchases.
  var hasPurchaseListener = false
  var purchase: PurchaseSlot?
  var restore: RestoreSlot?
  /// Restores of a controller app in the store, by the store's token.
  var plainRestores: [Token: Token] = [:]
  var consumptions: [Token: Token] = [:]

  // Work under way.
  var requests: [Token: PendingRequest] = [:]
  var ownedLoads: [Token: OwnedLoad] = [:]
  var productLoads: [Token: ProductLoad] = [:]
  private var tokens = 0
  var armedTimers: Set<TimerID> = []

  /// - Parameters:
  ///   - stored: what an earlier process saved, if anything.
  ///   - log: what the event log keeps.
  package init(
    platform: Platform, entropy: Entropy, stored: Value? = nil, log: [EventLogEntry] = []
  ) {
    self.platform = platform
    self.entropy = entropy
    self.stored = StoredState(decoding: stored ?? .null)
    history = LoggedEvents(log)
    lifecycle = Lifecycle(user: self.stored.appUserID == nil ? .anonymous : .known)
    if self.stored.deviceID.isEmpty {
      self.stored.deviceID = "$SuperwallDevice:" + self.entropy.identifier("device")
    }
    if self.stored.aliasID.isEmpty {
      self.stored.aliasID = newAlias()
      self.stored.seed = self.entropy.percentile()
    }
  }

  /// Takes one input and says what has to be done.
  package mutating func handle(_ input: Input, in surroundings: Surroundings) -> [Effect] {
    now = surroundings.now
    device = surroundings.device
    take(input)
    startRegistrations()
    if stored != saved {
      saved = stored
      effects.append(.save(stored.value))
    }
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  private mutating func take(_ input: Input) {
    switch input {
    case .call(let token, let call): receive(call, token)
    case .application(.foreground): enterForeground()
    case .application(.background): enterBackground()
    case .presentation(let id, let report): receive(report, from: id)
    case .backPress(let token, let id): pressBack(token, in: id)
    case .device(let report): receive(report)
    case .listenersChanged(let purchases): hasPurchaseListener = purchases
    case .timer(let id): if armedTimers.remove(id) != nil { fire(id) }
    case .response(let token, let result): receive(result, for: token)
    case .ownedProducts(let token, let result): receiveOwned(result, for: token)
    case .products(let token, let result): receiveProducts(result, for: token)
    case .canPresent(let token, let canPresent): presenterAnswered(canPresent, for: token)
    case .presented(let id): didPresent(id)
    case .presentFailed(let id, let message): didFailToPresent(id, message)
    case .dismissed(let id): didDismiss(id)
    case .surveyAnswered(let id, let answer): surveyAnswered(answer, in: id)
    case .purchaseFinished(let token, let purchase): finishPurchase(purchase, token)
    case .restoreFinished(let token, let result): finishRestore(result, token)
    case .consumed(let token, let result): finishConsuming(result, token)
    case .storeChanged: storeChanged()
    }
  }

  private mutating func fire(_ timer: TimerID) {
    switch timer {
    case .waitingCall(let token): giveUpWaiting(token)
    case .status(let token): statusStayedUnknown(token)
    case .retry(let token): sendAgain(token)
    case .requestLimit(let token): receive(.failure(.timeout), for: token)
    case .callback(let id): answerCallback(id, .failure())
    case .backPress: answerBackPress(false)
    }
  }
}

// MARK: Saying what has to be done

extension SDKState {
  mutating func newToken() -> Token {
    tokens += 1
    // Tokens of calls come from the shell and are positive.
    return Token(number: -tokens)
  }

  mutating func newAlias() -> String { "$SuperwallAlias:" + entropy.identifier("alias") }

  mutating func emit(_ event: ModuleEvent) { effects.append(.emit(event)) }

  /// Tells the app of an event of the SDK and keeps it in the history.
  mutating func track(_ event: SuperwallEvent) {
    remember(event.name.placementName)
    emit(.handleSuperwallEvent(event))
    if uploads(event) { collect(event.name.placementName, event.value) }
  }

  /// Whether an event is uploaded (decision D44).
  private func uploads(_ event: SuperwallEvent) -> Bool {
    switch (trackingBehavior, event) {
    case (.none, _): false
    case (.superwallOnly, .triggerFire), (.superwallOnly, .userAttributes): false
    default: true
    }
  }

  var trackingBehavior: EventTrackingBehavior { tracking ?? options.eventTrackingBehavior }

  mutating func collect(_ name: String, _ parameters: Value) {
    effects.append(
      .collect(
        CollectedEvent(id: newEventID(), name: name, parameters: parameters, createdAt: now)))
  }

  /// Keeps an event in the history.
  mutating func remember(_ name: String) { remember(.event(name: name, at: now)) }

  mutating func remember(_ entry: EventLogEntry) {
    history.add(entry)
    effects.append(.log(entry))
  }

  mutating func log(
    _ level: LogLevel, _ scope: LogScope, _ message: String, error: String? = nil
  ) {
    let message = LogMessage(level, scope, message, error: error)
    if logging.allows(message) { emit(.handleLog(message)) }
  }

  var logging: LoggingOptions {
    var logging = options.logging
    logging.level = logLevel ?? logging.level
    return logging
  }

  mutating func complete(_ token: Token?, _ reply: Reply = .done) {
    if let token { effects.append(.complete(token, .success(reply))) }
  }

  mutating func fail(_ token: Token?, _ error: SDKError) {
    if let token { effects.append(.complete(token, .failure(error))) }
  }

  mutating func startTimer(_ id: TimerID, _ milliseconds: Int64) {
    armedTimers.insert(id)
    effects.append(.startTimer(id, milliseconds: milliseconds))
  }

  mutating func cancelTimer(_ id: TimerID) {
    if armedTimers.remove(id) != nil { effects.append(.cancelTimer(id)) }
  }
}

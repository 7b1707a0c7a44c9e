package import Expressions
package import Pricing
internal import RuleEngine

/// The whole SDK as a value, and how it answers to what happens.
///
/// `handle` is a pure function of the state and its arguments: it reads no clock, sends nothing
/// and waits for nothing. What has to be done comes back as effects, in order; what comes of them
/// is handled as inputs. ``Tollgate`` is the actor that does both ends.
///
/// What is known lies in a few states, each of which changes by its own functions alone. What
/// touches several of them is an extension of this one, beside it in the folder.
package struct SDKState {
  /// What the shell knows at the moment of an input.
  package struct Surroundings: Sendable {
    var now: Instant
    var device: DeviceFacts

    package init(now: Instant, device: DeviceFacts) {
      self.now = now
      self.device = device
    }
  }

  let platform: Platform
  var entropy: Entropy
  private var surroundings = Surroundings(now: 0, device: DeviceFacts())
  var outbox = Outbox()
  var settings = Settings()
  var startup: Startup
  var catalog = Catalog()
  var person: Person
  var ownership: Ownership
  var usage: Usage
  var history: LoggedEvents
  /// A config that counts as soon as the history is there that its rules read.
  var nextConfig: NextConfig?
  var uploads: Uploads
  var turns = Turns()
  var stage = Stage()
  var transactions = Transactions()
  var requests = Requests()
  var redemptions = Redemptions()
  var checkout: Checkout?
  private var saved: StoredState?

  /// - Parameters:
  ///   - stored: what an earlier process saved, if anything.
  ///   - history: what happened before, if it is known.
  ///   - uploads: the events that the backend has not got yet.
  package init(
    platform: Platform, entropy: Entropy, stored: Value? = nil,
    history: LoggedEvents = LoggedEvents(), uploads: Uploads = Uploads()
  ) {
    self.platform = platform
    self.entropy = entropy
    let stored = StoredState(decoding: stored ?? .null)
    person = Person(stored, &self.entropy)
    ownership = Ownership(stored)
    usage = Usage(stored)
    startup = Startup(isUserKnown: stored.appUserID != nil)
    self.history = history
    self.uploads = uploads
  }

  /// Takes one input and says what has to be done.
  package mutating func handle(_ input: Input, in surroundings: Surroundings) -> [Effect] {
    self.surroundings = surroundings
    take(input)
    startRegistrations()
    let stored = stored
    if stored != saved {
      saved = stored
      outbox.add(.save(stored.value))
    }
    return outbox.take()
  }

  private mutating func take(_ input: Input) {
    switch input {
    case .call(let token, let call): receive(call, token)
    case .cancel(let token): cancel(token)
    case .application(.foreground): enterForeground()
    case .application(.background): enterBackground()
    case .presentation(let id, let report): receive(report, from: id)
    case .backPress(let token, let id): pressBack(token, in: id)
    case .device(let report): receive(report)
    case .listenersChanged(let purchases): transactions.setListener(purchases)
    case .timer(let id): if outbox.takeTimer(id) { fire(id) }
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
    case .keptConfig(let token, let kept): receiveKept(kept, for: token)
    case .history(let token, let logs): receiveHistory(logs, for: token)
    case .storageFailed(let message): log(.error, .coreData, message)
    case .unreadable(let names):
      log(
        .error, .superwallCore, "rules cannot read these values: " + names.joined(separator: ", "))
    }
  }

  private mutating func fire(_ timer: TimerID) {
    switch timer {
    case .waitingCall(let token): giveUpWaiting(token)
    case .status: statusStayedUnknown()
    case .retry(let token): sendAgain(token)
    case .requestLimit(let token): receive(.failure(.timeout), for: token)
    case .callback(let id): answerCallback(id, .failure())
    case .backPress: answerBackPress(false)
    case .checkout: continueCheckout()
    case .keptConfig: networkIsSilent()
    case .turn(let token): turnIsLong(token)
    case .upload: upload()
    default: portIsSilent(timer)
    }
  }

  /// A port has not answered in time.
  private mutating func portIsSilent(_ timer: TimerID) {
    switch timer {
    case .ownedProducts(let token): storeIsSilent(aboutOwnedOf: token)
    case .products(let token): storeIsSilent(aboutProductsOf: token)
    case .consume(let token):
      let error = silence(of: "about the purchase", options.timeouts.consume)
      finishConsuming(.failure(error), token)
    case .canPresent(let token): presenterIsSilent(token)
    case .present(let id): hostDoesNotShow(id)
    case .dismiss(let id): hostDoesNotHide(id)
    case .loadConfig(let token): receiveKept(nil, for: token)
    case .loadHistory(let token): historyIsSilent(token)
    case .purchase(let token): purchaseIsSlow(token)
    case .restore: restoreIsSlow()
    case .entitlementEnd: storeChanged()
    default: break
    }
  }

  // MARK: What is known

  var now: Instant { surroundings.now }
  var device: DeviceFacts { surroundings.device }
  var options: TollgateOptions { settings.options }
  var config: ApplicationConfig? { catalog.config }
  var presentation: Presentation? { stage.presentation }
  var active: ActiveRegistration? { turns.active }
  /// Whether anything that is under way belongs to a handler.
  func refers(toHandler id: String) -> Bool {
    presentation?.registration.handlerID == id || active?.registration.handlerID == id
      || turns.waiting.contains { $0.handlerID == id }
      || turns.parked.contains { $0.registration.handlerID == id }
  }

  /// What survives the end of the process.
  var stored: StoredState { StoredState(person, ownership, usage) }
  /// What decisions go by beside attributes.
  var decisionState: DecisionState {
    DecisionState(
      subjectID: person.subjectID, now: now, assignments: person.assignments,
      occurrences: history.forDeciding, entitlements: ownership.status.entitlements.map(\.id),
      sessionStart: usage.session.start)
  }

  // MARK: Saying what happened

  /// Tells the app of an event of the SDK and keeps it in the history.
  mutating func track(_ event: SuperwallEvent) {
    remember(event.name.placementName)
    outbox.emit(.handleSuperwallEvent(event))
    if settings.uploads(event) { collect(event.name.placementName, event.value) }
  }

  mutating func newEventID() -> String { entropy.identifier("event") }

  /// Keeps an event in the history.
  mutating func remember(_ name: String) { remember(.event(name: name, at: now)) }

  mutating func remember(_ entry: EventLogEntry) {
    history.add(entry)
    outbox.add(.log(entry))
  }

  /// Forgets what happened to a user, but for events of the device.
  mutating func forgetHistory() {
    let kept = platform.eventsKeptOnReset
    history.reset(keeping: kept)
    outbox.add(.clearLog(keepingEvents: Set(kept)))
  }

  mutating func log(
    _ level: LogLevel, _ scope: LogScope, _ message: String, error: String? = nil
  ) {
    let message = LogMessage(level, scope, message, error: error)
    if settings.logging.allows(message) { outbox.emit(.handleLog(message)) }
  }
}

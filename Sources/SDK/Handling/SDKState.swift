package import Expressions
package import Pricing
internal import RuleEngine

/// The whole SDK as a value, and its reaction to inputs.
///
/// `handle` is a pure function of the state and its arguments: the function reads no clock, sends no requests and does
/// not wait. `handle` returns effects in order, and their results become inputs. The actor ``Tollgate`` carries out the
/// effects and passes the inputs.
///
/// The state consists of smaller states, each changed only by its own functions. Functions that change several states
/// are extensions of this type, in the same folder.
package struct SDKState {
  /// The environment at the moment of an input.
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
  /// A config that takes effect once the history that its rules read is loaded.
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
  ///   - stored: the data that an earlier process saved, if any.
  ///   - history: the earlier events, if they are known.
  ///   - uploads: the events that the backend does not have yet.
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

  /// Handles one input and returns the effects to carry out.
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

  /// Handles a port that has not answered in time.
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

  // MARK: Queries

  var now: Instant { surroundings.now }
  var device: DeviceFacts { surroundings.device }
  var options: TollgateOptions { settings.options }
  var config: ApplicationConfig? { catalog.config }
  var presentation: Presentation? { stage.presentation }
  var active: ActiveRegistration? { turns.active }
  /// Whether anything in progress belongs to a handler.
  func refers(toHandler id: String) -> Bool {
    presentation?.registration.handlerID == id || active?.registration.handlerID == id
      || turns.waiting.contains { $0.handlerID == id }
      || turns.parked.contains { $0.registration.handlerID == id }
  }

  /// The data that survives the end of the process.
  var stored: StoredState { StoredState(person, ownership, usage) }
  /// The state that decisions depend on, except attributes.
  var decisionState: DecisionState {
    DecisionState(
      subjectID: person.subjectID, now: now, assignments: person.assignments,
      occurrences: history.forDeciding, entitlements: ownership.status.entitlements.map(\.id),
      sessionStart: usage.session.start)
  }

  // MARK: Events

  /// Reports an event of the SDK to the app and adds it to the history.
  mutating func track(_ event: SuperwallEvent) {
    remember(event.name.placementName)
    outbox.emit(.handleSuperwallEvent(event))
    if settings.uploads(event) { collect(event.name.placementName, event.value) }
  }

  mutating func newEventID() -> String { entropy.identifier("event") }

  /// Adds an event to the history.
  mutating func remember(_ name: String) { remember(.event(name: name, at: now)) }

  mutating func remember(_ entry: EventLogEntry) {
    history.add(entry)
    outbox.add(.log(entry))
  }

  /// Deletes the user's history, except events that belong to the device.
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

internal import Expressions
public import Pricing

/// The SDK: asks the backend for the config, decides placements, presents paywalls, buys, and keeps
/// the subscription status.
///
/// ```swift
/// let tollgate = Tollgate(ports: ports)
/// try await tollgate.configure(apiKey: "pk_...")
/// await tollgate.register(placement: "export_pdf", params: ["pages": 12]) { exportPDF() }
/// ```
///
/// Make one when the app starts and keep it. Calls that come before `configure` has resolved wait
/// for it, up to ``Timeouts/configure``.
///
/// The actor is a shell: it passes what happens to a plain value and carries out, in order, what
/// that wants done. All events have one order, and a call returns after the events that it caused.
public actor Tollgate {
  let ports: Ports
  public nonisolated let platform: Platform
  private var state: SDKState
  /// What waits to be handled; handling one thing can add another.
  private var inputs: [Input] = []
  private var isHandling = false
  private let mailbox: Mailbox

  private var calls: [Token: CheckedContinuation<Result<Reply, SDKError>, Never>] = [:]
  private var backPresses: [Token: CheckedContinuation<Bool, Never>] = [:]
  private var tokens = 0
  private var timers: [TimerID: Task<Void, Never>] = [:]
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var presentations: [String: PaywallPresentation] = [:]
  private var isShutDown = false

  // Who is told.
  private var hub: EventHub
  private var answersForAbsent: Bool
  private var callbacks: [Int: EventCallbacks] = [:]
  private var observers: [(id: Int, listen: @Sendable (ModuleEvent) -> Void)] = []
  private var listeners = 0
  var handlers: [String: PaywallPresentationHandler] = [:]
  var handlerCount = 0
  var delegate: (any TollgateDelegate)?
  let mainQueue = MainQueue()

  var purchaseController: (any PurchaseController)?
  var isWatchingStore = false
  var backPressHandler: (@Sendable (PaywallInfo) async -> Bool)?

  /// - Parameters:
  ///   - ports: what the SDK needs from outside.
  ///   - platform: whose SDK is followed where they differ.
  ///   - keepsEvents: whether events that nobody took are kept for subscribers who come later, and
  ///     questions that nobody can answer are answered with no (`useSuperwallEvents`).
  public init(ports: Ports, platform: Platform = .ios, keepsEvents: Bool = false) {
    self.ports = ports
    self.platform = platform
    state = SDKState(
      platform: platform, entropy: ports.entropy, stored: ports.storage.load(),
      log: ports.eventLog.load())
    mailbox = Mailbox(executor: ports.executor)
    hub = EventHub(keepsEvents: keepsEvents)
    answersForAbsent = keepsEvents
    mailbox.setOwner(self)
  }

  // MARK: Handling

  /// Handles an input and whatever it leads to at once.
  func handle(_ input: Input) {
    guard !isShutDown else { return }
    // What was reported before this came first.
    inputs += mailbox.take()
    inputs.append(input)
    handleInputs()
  }

  func emptyMailbox() {
    guard !isShutDown else { return }
    inputs += mailbox.take()
    handleInputs()
  }

  private func handleInputs() {
    guard !isHandling else { return }
    isHandling = true
    while !inputs.isEmpty {
      let surroundings = SDKState.Surroundings(now: ports.time.now, device: ports.device.facts)
      for effect in state.handle(inputs.removeFirst(), in: surroundings) { carryOut(effect) }
    }
    isHandling = false
  }

  /// Runs a method of the contract to its one outcome.
  func perform(_ call: Call) async -> Result<Reply, SDKError> {
    guard !isShutDown else { return .failure(.shutDown) }
    let token = nextToken()
    return await withCheckedContinuation { continuation in
      calls[token] = continuation
      handle(.call(token, call))
    }
  }

  func pressBack(in presentationID: String) async -> Bool {
    guard !isShutDown else { return false }
    let token = nextToken()
    return await withCheckedContinuation { continuation in
      backPresses[token] = continuation
      handle(.backPress(token, presentation: presentationID))
    }
  }

  private func nextToken() -> Token {
    tokens += 1
    return Token(number: tokens)
  }

  /// Ends the SDK: calls that wait end with ``SDKError/Code/shutDown``, timers and requests stop,
  /// nothing is told any more. What was stored stays.
  public func shutDown() {
    isShutDown = true
    for call in calls.values { call.resume(returning: .failure(.shutDown)) }
    for press in backPresses.values { press.resume(returning: false) }
    for timer in timers.values { timer.cancel() }
    for task in tasks.values { task.cancel() }
    calls = [:]
    backPresses = [:]
    timers = [:]
    tasks = [:]
    mainQueue.finish()
  }

  var entitlementsNow: EntitlementsInfo { state.entitlements }

  /// The locale of the options, which counts before the device's.
  var localeIdentifier: String? { state.options.localeIdentifier }

  /// What owning a product gives, by the config.
  func entitlements(ofProduct id: String) -> [Entitlement] {
    state.config?.entitlements(ofProduct: id) ?? []
  }

  /// Whether a paywall, a purchase or a restore is under way.
  var isBusy: Bool {
    state.presentation != nil || state.active != nil || !state.transactions.isEmpty
  }

  /// What the SDK is like now.
  package func snapshot() -> Snapshot { Snapshot(state) }

  /// Takes a report from any thread; reports keep their order.
  nonisolated func post(_ input: Input) { mailbox.post(input) }

  // MARK: Carrying out

  private func carryOut(_ effect: Effect) {
    switch effect {
    case .emit(let event): deliver(event)
    case .complete(let token, let result):
      calls.removeValue(forKey: token)?.resume(returning: result)
    case .answerBackPress(let token, let isConsumed):
      backPresses.removeValue(forKey: token)?.resume(returning: isConsumed)
    case .startTimer(let id, let milliseconds): startTimer(id, milliseconds)
    case .cancelTimer(let id): timers.removeValue(forKey: id)?.cancel()
    case .save(let state): ports.storage.save(state)
    case .log(let entry): ports.eventLog.append(entry)
    case .collect(let event): ports.collector?.add(event)
    case .clearLog(let names): ports.eventLog.clear(keepingEvents: names)
    case .send(let token, let request):
      start { ports in
        do throws(TransportFailure) {
          return .response(token, .success(try await ports.transport.send(request)))
        } catch {
          return .response(token, .failure(error))
        }
      }
    case .didCompletePurchase(let productID):
      tellDelegate { $0.didCompletePurchase(productID: productID) }
    case .didRestorePurchases: tellDelegate { $0.didRestorePurchases() }
    case .loadOwnedProducts, .loadProducts, .purchase, .restore, .consume: askStore(effect)
    default: askPresenter(effect)
    }
  }

  private func askStore(_ effect: Effect) {
    switch effect {
    case .loadOwnedProducts(let token):
      start { ports in
        do throws(StoreError) {
          return .ownedProducts(token, .success(try await ports.store.ownedProducts()))
        } catch {
          return .ownedProducts(token, .failure(error))
        }
      }
    case .loadProducts(let token, let identifiers):
      start { ports in
        do throws(StoreError) {
          return .products(token, .success(try await ports.store.products(identifiers)))
        } catch {
          return .products(token, .failure(error))
        }
      }
    case .purchase(let token, let request, let byController):
      let controller = byController ? purchaseController : nil
      start { ports in
        if let controller {
          return .purchaseFinished(token, StorePurchase(await controller.purchase(request)))
        }
        return .purchaseFinished(token, await ports.store.purchase(request))
      }
    case .restore(let token, let byController):
      let controller = byController ? purchaseController : nil
      start { ports in
        if let controller { return .restoreFinished(token, await controller.restorePurchases()) }
        return .restoreFinished(token, await ports.store.restorePurchases())
      }
    case .consume(let token, let purchaseToken):
      start { ports in
        do throws(StoreError) {
          return .consumed(token, .success(try await ports.store.consume(purchaseToken)))
        } catch {
          return .consumed(token, .failure(error))
        }
      }
    default: break
    }
  }

  private func askPresenter(_ effect: Effect) {
    switch effect {
    case .askPresenter(let token):
      start { .canPresent(token, await $0.presenter.canPresent()) }
    case .present(let content):
      let presentation = self.presentation(content)
      presentations = [content.id: presentation]
      start { ports in
        do {
          try await ports.presenter.present(presentation)
          return .presented(id: content.id)
        } catch {
          return .presentFailed(id: content.id, String(describing: error))
        }
      }
    case .dismiss(let id):
      guard let presentation = presentations[id] else { return }
      start { ports in
        await ports.presenter.dismiss(presentation)
        return .dismissed(id: id)
      }
    case .ask(let id, let survey):
      guard let presentation = presentations[id] else { return }
      start { .surveyAnswered(id: id, await $0.presenter.ask(survey, in: presentation)) }
    case .message(let id, let message):
      if let presentation = presentations[id] {
        ports.presenter.send(message, to: presentation)
      }
    case .checkout(let id, let directive):
      if let presentation = presentations[id] {
        ports.presenter.checkout(directive, in: presentation)
      }
    case .alert(let alert): ports.presenter.alert(alert)
    case .open(let url, let external): ports.presenter.open(url, external: external)
    case .schedule(let notification): ports.presenter.schedule(notification)
    default: break
    }
  }

  private func presentation(_ content: PresentationContent) -> PaywallPresentation {
    let id = content.id
    let handle = PresentationHandle(
      report: { [weak self] in self?.post(.presentation(id: id, $0)) },
      pressBack: { [weak self] in await self?.pressBack(in: id) ?? false })
    return PaywallPresentation(
      id: id, info: content.info, products: content.products, attributes: content.attributes,
      response: content.response, handle: handle)
  }

  /// Does something that takes time; what comes of it is handled.
  private func start(_ work: @escaping @Sendable (Ports) async -> Input) {
    listeners += 1
    let id = listeners
    let ports = ports
    tasks[id] = Task(executorPreference: ports.executor) { [weak self] in
      let input = await work(ports)
      await self?.finish(id, input)
    }
  }

  private func finish(_ task: Int, _ input: Input) {
    tasks[task] = nil
    handle(input)
  }

  private func startTimer(_ id: TimerID, _ milliseconds: Int64) {
    timers[id]?.cancel()
    let time = ports.time
    timers[id] = Task(executorPreference: ports.executor) { [weak self] in
      do {
        try await time.sleep(milliseconds: milliseconds)
      } catch {
        return
      }
      await self?.handle(.timer(id))
    }
  }

  /// Listens to the store from now on.
  func watchStore() {
    listeners += 1
    let changes = ports.store.changes()
    tasks[listeners] = Task(executorPreference: ports.executor) { [weak self] in
      for await _ in changes {
        guard let self else { return }
        await self.handle(.storeChanged)
      }
    }
  }
}

// MARK: Telling

extension Tollgate {
  private func deliver(_ event: ModuleEvent) {
    for observer in observers { observer.listen(event) }
    let receivers = hub.publish(event)
    switch event {
    case .onCustomCallback(let id, let callback, let handlerID):
      respond(to: id, callback, handlerID: handlerID, receivers.first)
    case .onBackPressed(let info): respond(toBackPressOn: info, receivers.first)
    default: for id in receivers { callbacks[id]?.onEvent(event) }
    }
    if let id = event.handlerID, let handler = handlers[id] {
      mainQueue.add { handler.receive(event) }
    }
    tellDelegate { $0.receive(event) }
  }

  func tellDelegate(_ tell: @escaping @MainActor @Sendable (any TollgateDelegate) -> Void) {
    if let delegate { mainQueue.add { tell(delegate) } }
  }

  /// Finds somebody to answer a custom callback. Where nobody can, the answer is a failure, unless
  /// an observer may give it with `didHandleCustomCallback`.
  private func respond(
    to id: String, _ callback: CustomCallback, handlerID: String, _ subscriber: Int?
  ) {
    let respondent =
      subscriber.flatMap { callbacks[$0]?.onCustomCallback } ?? handlers[handlerID]?.respondent
    guard let respondent else {
      if answersForAbsent || handlers[handlerID] != nil {
        inputs.append(.call(nextToken(), .didHandleCustomCallback(callbackID: id, .failure())))
      }
      return
    }
    let token = nextToken()
    start { _ in
      let result = (try? await respondent(callback)) ?? .failure()
      return .call(token, .didHandleCustomCallback(callbackID: id, result))
    }
  }

  private func respond(toBackPressOn info: PaywallInfo, _ subscriber: Int?) {
    let token = nextToken()
    guard let answer = subscriber.flatMap({ callbacks[$0]?.onBackPressed }) ?? backPressHandler
    else {
      if answersForAbsent {
        inputs.append(.call(token, .didHandleBackPressed(shouldConsume: false)))
      }
      return
    }
    start { _ in .call(token, .didHandleBackPressed(shouldConsume: await answer(info))) }
  }

  /// Calls a listener with every event, in order and before the call that caused it returns. The
  /// listener is called on the SDK's own executor and has to return soon.
  @discardableResult
  public func observe(_ listener: @escaping @Sendable (ModuleEvent) -> Void) -> EventSubscription {
    listeners += 1
    observers.append((listeners, listener))
    return EventSubscription(id: listeners)
  }

  /// Subscribes to events, of one handler or of all.
  ///
  /// - Parameter handlerID: nil hears of all handlers, but answers no custom callbacks.
  package func subscribe(handlerID: String? = nil, _ callbacks: EventCallbacks) -> EventSubscription
  {
    listeners += 1
    let id = listeners
    self.callbacks[id] = callbacks
    let kept = hub.subscribe(
      EventHub.Subscriber(id: id, handlerID: handlerID, events: callbacks.names))
    for event in kept { callbacks.onEvent(event) }
    return EventSubscription(id: id)
  }

  /// Ends what ``observe(_:)`` began.
  public func unsubscribe(_ subscription: EventSubscription) {
    hub.unsubscribe(subscription.id)
    callbacks[subscription.id] = nil
    observers.removeAll { $0.id == subscription.id }
  }

  /// All events from now on, in order.
  public func events() -> AsyncStream<ModuleEvent> {
    let (stream, continuation) = AsyncStream<ModuleEvent>.makeStream()
    let subscription = observe { continuation.yield($0) }
    continuation.onTermination = { [weak self] _ in
      Task { await self?.unsubscribe(subscription) }
    }
    return stream
  }
}

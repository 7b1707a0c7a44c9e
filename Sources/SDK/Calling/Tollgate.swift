internal import Expressions
public import Pricing

/// The SDK: requests the config from the backend, decides placements, presents paywalls, makes
/// purchases, and maintains the subscription status.
///
/// ```swift
/// let tollgate = Tollgate(ports: ports)
/// try await tollgate.configure(apiKey: "pk_...")
/// await tollgate.register(placement: "export_pdf", params: ["pages": 12]) { exportPDF() }
/// ```
///
/// Create the object when the app starts, and retain it. Calls made before `configure` has finished wait for it, up to
/// ``Timeouts/configure``.
///
/// The actor passes inputs to a plain value, and carries out the resulting effects in order. All events of one SDK have
/// a single order, and a call returns after the events that it caused.
public actor Tollgate {
  let ports: Ports
  public nonisolated let platform: Platform
  private var state: SDKState
  /// Inputs that wait to be handled. Handling an input can add more inputs.
  private var inputs: [Input] = []
  private var isHandling = false
  private let mailbox: Mailbox

  private var calls: [Token: CheckedContinuation<Result<Reply, SDKError>, Never>] = [:]
  private var backPresses: [Token: CheckedContinuation<Bool, Never>] = [:]
  private var tokens = 0
  /// The running timers. The number distinguishes a restarted timer from the timer that it replaced.
  private var timers: [TimerID: (number: Int, task: Task<Void, Never>)] = [:]
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var storeWatch: Task<Void, Never>?
  private(set) var isShutDown = false

  // The stored data.
  let storageQueue: StorageQueue
  private var isLoaded = false
  private var loading: [Task<Void, Never>] = []
  private var waitingForLoad: [CheckedContinuation<Void, Never>] = []

  // Paywalls.
  var presentations: [String: PaywallPresentation] = [:]
  /// Presentations that the host has not answered yet.
  var comingUp: [String: PaywallPresentation] = [:]

  // The receivers of events.
  var hub: EventHub
  let answersForAbsent: Bool
  var callbacks: [Int: EventCallbacks] = [:]
  var observers: [(id: Int, listen: @Sendable (ModuleEvent) -> Void)] = []
  var streams: [Int: AsyncStream<ModuleEvent>.Continuation] = [:]
  var listeners = 0
  var handlers: [String: PaywallPresentationHandler] = [:]
  /// Handlers whose call was cancelled. These handlers receive events until their paywall is closed.
  private var orphans: Set<String> = []
  var handlerCount = 0
  let unawaited = Unawaited()
  var appDelegate: (any TollgateDelegate)?
  let mainQueue = MainQueue()
  /// The state for views.
  nonisolated let board: StateBoard

  var purchaseController: (any PurchaseController)?
  /// Purchase controllers of `configure` calls that have not taken effect yet.
  private var offers: [Token: any PurchaseController] = [:]
  var backPressHandler: (@Sendable (PaywallInfo) async -> Bool)?

  /// - Parameters:
  ///   - ports: the SDK's connections to the outside.
  ///   - platform: the platform whose SDK is followed where the platforms differ.
  ///   - keepsEvents: whether events without a receiver are stored for later subscribers, and questions without a
  ///     receiver are answered with no, as `useSuperwallEvents` does.
  public init(ports: Ports, platform: Platform = .ios, keepsEvents: Bool = false) {
    self.ports = ports
    self.platform = platform
    state = SDKState(platform: platform, entropy: ports.entropy)
    board = StateBoard(TollgateState(state))
    let mailbox = Mailbox(executor: ports.executor)
    self.mailbox = mailbox
    storageQueue = StorageQueue(ports) { mailbox.post(.storageFailed($0)) }
    hub = EventHub(keepsEvents: keepsEvents)
    answersForAbsent = keepsEvents
    mailbox.setOwner(self)
    Task(executorPreference: ports.executor) { [weak self] in await self?.load() }
  }

  deinit {
    for timer in timers.values { timer.task.cancel() }
    for task in tasks.values { task.cancel() }
    for task in loading { task.cancel() }
    for stream in streams.values { stream.finish() }
    storeWatch?.cancel()
    board.finish()
    mainQueue.finish()
  }

  // MARK: Loading

  /// Loads the data that an earlier process saved. Until the data is loaded, inputs wait for a limited time.
  private func load() {
    guard !isShutDown, !isLoaded, loading.isEmpty else { return }
    let ports = ports
    loading = [
      Task(executorPreference: ports.executor) { [weak self] in
        await self?.finishLoading(await Self.load(from: ports))
      }
    ]
    limitLoading(Timeouts().storage)
  }

  private func limitLoading(_ limit: Duration) {
    guard !isLoaded, !isShutDown, let work = loading.first else { return }
    for task in loading.dropFirst() { task.cancel() }
    let time = ports.time
    let timer = Task(executorPreference: ports.executor) { [weak self] in
      guard (try? await time.sleep(milliseconds: limit.milliseconds)) != nil else { return }
      await self?.giveUpLoading(limit)
    }
    loading = [work, timer]
  }

  /// The data that an earlier process saved, and descriptions of problems with it.
  private struct Loaded: Sendable {
    var records: [String: Value] = [:]
    var unsent: [String: Value] = [:]
    var faults: [String] = []
    /// Why there is no data.
    var failure: String?
  }

  private static func load(from ports: Ports) async -> Loaded {
    var loaded = Loaded()
    do {
      loaded.records = try await ports.storage.records(StorageKey.state)
    } catch {
      loaded.failure = ErrorText.text(of: error)
    }
    loaded.faults = await ports.storage.takeFaults()
    guard loaded.failure == nil, ports.uploadsEvents else { return loaded }
    do {
      loaded.unsent = try await ports.storage.records(StorageKey.unsent)
    } catch {
      // Damaged statistics must not cause the loss of the user's data.
      loaded.faults.append(
        "events that were not uploaded cannot be read: \(ErrorText.text(of: error))")
    }
    loaded.faults += await ports.storage.takeFaults()
    return loaded
  }

  private func finishLoading(_ loaded: Loaded) {
    guard !isLoaded, !isShutDown else { return }
    inputs.insert(contentsOf: loaded.faults.map { .storageFailed($0) }, at: 0)
    if let failure = loaded.failure {
      return goOnWithoutStorage("what was saved cannot be read: \(failure)")
    }
    storageQueue.begin(with: loaded.records)
    let stored = StateRecords.state(of: loaded.records)
    setAside(StateRecords.faults(in: stored), of: stored)
    let waiting = loaded.unsent.compactMap { CollectedEvent(decoding: $0.value, key: $0.key) }
    let ids = Set(waiting.map { StorageKey.unsent($0.number) })
    for key in loaded.unsent.keys where !ids.contains(key) { storageQueue.set(key, nil) }
    state = SDKState(
      platform: platform, entropy: ports.entropy, stored: loaded.records.isEmpty ? nil : stored,
      history: LoggedEvents(isComplete: false),
      uploads: Uploads(isOn: ports.uploadsEvents, waiting: waiting))
    board.publish(TollgateState(state))
    endLoading()
  }

  /// Moves damaged data to keys that are not read, and continues without the data.
  private func setAside(_ faults: [String], of stored: Value) {
    for name in faults {
      storageQueue.set(StorageKey.damaged + StorageKey.escape(name), stored[name])
      inputs.insert(
        .storageFailed(
          "the saved '\(name)' has the wrong type; its initial value is used"),
        at: 0)
    }
  }

  /// Continues without saved data, as on a first start. The stored data stays unchanged.
  private func giveUpLoading(_ limit: Duration) {
    guard !isLoaded, !isShutDown else { return }
    goOnWithoutStorage("the storage has not answered within \(limit.words)")
  }

  private func goOnWithoutStorage(_ why: String) {
    storageQueue.close()
    inputs.insert(
      .storageFailed("\(why): the SDK continues without saved data, and saves nothing"), at: 0)
    state = SDKState(
      platform: platform, entropy: ports.entropy, uploads: Uploads(isOn: ports.uploadsEvents))
    board.publish(TollgateState(state))
    endLoading()
  }

  private func endLoading() {
    isLoaded = true
    for task in loading { task.cancel() }
    loading = []
    for continuation in waitingForLoad { continuation.resume() }
    waitingForLoad = []
    inputs += mailbox.take()
    handleInputs()
  }

  /// Returns when the saved data is loaded, or loading has failed.
  func untilLoaded() async {
    guard !isLoaded, !isShutDown else { return }
    await withCheckedContinuation { waitingForLoad.append($0) }
  }

  // MARK: Handling

  /// Handles an input and all inputs that immediately follow from it.
  func handle(_ input: Input) {
    guard !isShutDown else { return }
    // Earlier reports come first.
    inputs += mailbox.take()
    inputs.append(input)
    handleInputs()
  }

  /// Handles an input after the current one.
  func handleNext(_ input: Input) { inputs.append(input) }

  func emptyMailbox() {
    guard !isShutDown else { return }
    inputs += mailbox.take()
    handleInputs()
  }

  private func handleInputs() {
    guard isLoaded else { return dropCancelledInputs() }
    guard !isHandling else { return }
    isHandling = true
    while !inputs.isEmpty {
      let input = inputs.removeFirst()
      let surroundings = SDKState.Surroundings(now: ports.time.now, device: ports.device.facts)
      let effects = state.handle(input, in: surroundings)
      // The state must be current before any listener receives the events.
      board.publish(TollgateState(state))
      for effect in effects { carryOut(effect) }
      if case .cancel(let token) = input { end(token, .failure(.cancelled)) }
    }
    isHandling = false
    if !orphans.isEmpty { releaseHandlers() }
  }

  /// Calls that are cancelled before anything can be handled have no effect.
  private func dropCancelledInputs() {
    for case .cancel(let token) in inputs {
      inputs.removeAll { input in
        switch input {
        case .cancel(token), .call(token, _): true
        default: false
        }
      }
      end(token, .failure(.cancelled))
    }
  }

  private func end(_ token: Token, _ result: Result<Reply, SDKError>) {
    if unawaited.end(token, result, mainQueue) { return }
    calls.removeValue(forKey: token)?.resume(returning: result)
  }

  /// Runs a method, and returns its outcome when all listeners have received the events that the method caused.
  ///
  /// - Parameter offer: the new purchase controller, if a `configure` takes effect.
  func perform(_ call: Call, offer: (any PurchaseController)? = nil) async -> Result<
    Reply, SDKError
  > {
    guard !isShutDown else { return .failure(.shutDown) }
    let token = nextToken()
    offers[token] = offer
    defer { offers[token] = nil }
    if case .configure(let configuration) = call {
      limitLoading(configuration.options.timeouts.storage)
    }
    let mailbox = mailbox
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A cancelled task may still do work that takes no time.
        emptyMailbox()
        calls[token] = continuation
        handle(.call(token, call))
        if Task.isCancelled { handle(.cancel(token)) }
      }
    } onCancel: {
      mailbox.post(.cancel(token))
    }
    await mainQueue.flush()
    // When a call returns, its changes are stored.
    await storageQueue.flush()
    return result
  }

  func pressBack(in presentationID: String) async -> Bool {
    guard !isShutDown else { return false }
    let token = nextToken()
    return await withCheckedContinuation { continuation in
      backPresses[token] = continuation
      handle(.backPress(token, presentation: presentationID))
    }
  }

  func nextToken() -> Token {
    tokens += 1
    return Token(number: tokens)
  }

  /// Shuts the SDK down. Waiting calls fail with ``SDKError/Code/shutDown``. Streams, timers and requests end, the SDK
  /// stops listening to the store, and reports no more events. A visible paywall stays open, and the stored data is
  /// preserved.
  ///
  /// Returns when the last changes are saved, or after ``Timeouts/storage`` if the storage does not respond.
  public func shutDown() async {
    isShutDown = true
    for token in calls.keys { end(token, .failure(.shutDown)) }
    for press in backPresses.values { press.resume(returning: false) }
    for timer in timers.values { timer.task.cancel() }
    for task in tasks.values { task.cancel() }
    for task in loading { task.cancel() }
    for continuation in waitingForLoad { continuation.resume() }
    for stream in streams.values { stream.finish() }
    storeWatch?.cancel()
    (backPresses, timers, tasks, loading, waitingForLoad) = ([:], [:], [:], [], [])
    (streams, observers, callbacks, handlers) = ([:], [], [:], [:])
    (appDelegate, backPressHandler, storeWatch) = (nil, nil, nil)
    inputs = []
    unawaited.close()
    board.finish()
    mainQueue.finish()
    await storageQueue.flush(isLast: true)
  }

  /// The number of running timers.
  var timerCount: Int { timers.count }

  /// Whether a presentation has not been cancelled in the meantime.
  func isWanted(_ presentationID: String) -> Bool { state.presentation?.id == presentationID }

  var entitlementsNow: EntitlementsInfo { state.entitlements }

  /// The locale of the options, which takes precedence over the device's.
  var localeIdentifier: String? { state.options.localeIdentifier }

  /// The level of messages on the console for developers.
  var consoleLevel: LogLevel { state.options.logging.consoleLevel }

  /// The entitlements that a product grants, according to the config.
  func entitlements(ofProduct id: String) -> [Entitlement] {
    state.config?.entitlements(ofProduct: id) ?? []
  }

  /// Whether a paywall, a purchase, a restore or a code is in progress.
  var isBusy: Bool {
    state.presentation != nil || state.active != nil || !state.turns.parked.isEmpty
      || !state.transactions.isEmpty || state.redemptions.isRunning
  }

  /// Accepts a report from any thread. Reports stay in order.
  nonisolated func post(_ input: Input) { mailbox.post(input) }

  /// Removes the handler of a call that has ended, once its paywall is closed.
  func release(handler id: String) {
    orphans.insert(id)
    releaseHandlers()
  }

  private func releaseHandlers() {
    for id in orphans where !state.refers(toHandler: id) {
      handlers[id] = nil
      orphans.remove(id)
    }
  }
}

// MARK: Time and tasks

extension Tollgate {
  /// Starts a task whose result becomes an input.
  func start(_ work: @escaping @Sendable (Ports) async -> Input) {
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
    switch input {
    case .presented(let id), .presentFailed(let id, _): comingUp[id] = nil
    default: break
    }
  }

  func startTimer(_ id: TimerID, _ milliseconds: Int64) {
    cancelTimer(id)
    listeners += 1
    let number = listeners
    let time = ports.time
    let task = Task(executorPreference: ports.executor) { [weak self] in
      do {
        try await time.sleep(milliseconds: milliseconds)
      } catch {
        return
      }
      await self?.fire(id, number)
    }
    timers[id] = (number, task)
  }

  /// A timer that was cancelled or restarted just after it fired does nothing.
  private func fire(_ id: TimerID, _ number: Int) {
    guard timers[id]?.number == number else { return }
    timers[id] = nil
    handle(.timer(id))
  }

  private func cancelTimer(_ id: TimerID) { timers.removeValue(forKey: id)?.task.cancel() }

  /// Starts or stops listening to the store. With a controller, the app finishes transactions.
  private func watchStore(_ isWatching: Bool) {
    guard isWatching != (storeWatch != nil) else { return }
    storeWatch?.cancel()
    storeWatch = nil
    guard isWatching else { return }
    let store = ports.store
    storeWatch = Task(executorPreference: ports.executor) { [weak self] in
      for await _ in store.changes() {
        guard let self else { return }
        await self.handle(.storeChanged)
      }
    }
  }

  private func beginConfiguring(_ token: Token, _ purchases: PurchaseHandling) {
    if let controller = offers.removeValue(forKey: token) { purchaseController = controller }
    storageQueue.setLimit(state.options.timeouts.storage)
    watchStore(purchases == .store)
  }
}

// MARK: Carrying out

extension Tollgate {
  private func carryOut(_ effect: Effect) {
    switch effect {
    case .emit(let event): deliver(event)
    case .complete(let token, let result): end(token, result)
    case .answerBackPress(let token, let isConsumed):
      backPresses.removeValue(forKey: token)?.resume(returning: isConsumed)
    case .startTimer(let id, let milliseconds): startTimer(id, milliseconds)
    case .cancelTimer(let id): cancelTimer(id)
    case .save(let state): storageQueue.save(state)
    case .keepConfig(let config): storageQueue.set(StorageKey.config, config)
    case .log(let entry): storageQueue.append(entry)
    case .clearLog(let names): storageQueue.clearLog(keeping: names)
    case .loadConfig(let token):
      start { ports in
        let key = StorageKey.config
        return .keptConfig(token, try? await ports.storage.records(key)[key])
      }
    case .loadHistory(let token, let names):
      storageQueue.read(logs: names) { [mailbox] in mailbox.post(.history(token, $0)) }
    case .beginConfiguring(let token, let purchases): beginConfiguring(token, purchases)
    case .collect(let event):
      if ports.uploadsEvents { storageQueue.set(StorageKey.unsent(event.number), event.value) }
    case .dropEvents(let numbers):
      for number in numbers { storageQueue.set(StorageKey.unsent(number), nil) }
    case .send(let token, let request):
      start { ports in
        do throws(TransportFailure) {
          return .response(token, .success(try await ports.transport.send(request)))
        } catch {
          return .response(token, .failure(error))
        }
      }
    case .didCompletePurchase(let productID):
      tellDelegate {
        $0.didCompletePurchase(productID: productID)
        $0.didCompletePurchase(productId: productID)
      }
    case .didRestorePurchases: tellDelegate { $0.didRestorePurchases() }
    case .loadOwnedProducts, .loadProducts, .purchase, .restore, .consume: askStore(effect)
    default: askPresenter(effect)
    }
  }
}

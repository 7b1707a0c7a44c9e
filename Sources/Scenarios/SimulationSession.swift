package import Expressions
internal import Pricing
internal import SDK

/// A headless SDK that runs one scenario step by step, with a virtual clock.
///
/// Each step runs on the calling thread until no work is left at the current time, so two runs are identical.
package final class SimulationSession {
  /// The answer to a step.
  package struct StepReply {
    package var entries: [Value]
    package var requests: [Value]
    /// The indices of the requests that no backend rule answered.
    package var unanswered: Set<Int> = []
    package var result: Value
    package var state: Value

    package var value: Value {
      [
        "events": .list(entries), "requests": .list(requests), "result": result, "state": state,
      ]
    }
  }

  /// The start of the virtual clock: 2026-01-01T00:00:00Z.
  static let start: Instant = 1_767_225_600_000

  let clock = VirtualClock(now: SimulationSession.start)
  let executor = SimulationExecutor()
  let transcript = Transcript()
  let store: SimulatedStore
  let presenter: ScriptedPresenter
  private let transport: ScriptedTransport
  private let storage: InMemoryStorage
  private let platform: Platform
  private let hasListeners: Bool
  private let usesHooks: Bool
  private(set) var tollgate: Tollgate
  private(set) var bridge: Bridge
  private var runs = 0
  /// The results of calls by name. A result is set when the call completes.
  private var calls: [String: Later<Value>] = [:]
  private var subscriptions: [String: EventSubscription] = [:]
  private var placements: [String: UsedPlacement] = [:]

  /// - Parameter scenario: the scenario, without its steps.
  package init(_ scenario: Value, fixtures: Fixtures) throws {
    platform = scenario["platform"]?.text == "android" ? .android : .ios
    hasListeners = scenario["listeners"]?.text != "none"
    usesHooks = scenario["hooks"]?.truth ?? false
    storage = InMemoryStorage(scenario["storage"])
    let (transcript, clock) = (transcript, clock)
    store = SimulatedStore(
      products: fixtures.products, script: SimulatedStore.Script(scenario["store"] ?? .null),
      observe: { transcript.add($0) })
    presenter = ScriptedPresenter(
      isAvailable: scenario["presenter"]?["available"]?.truth ?? true,
      acknowledges: scenario["presenter"]?["auto"]?.truth ?? true,
      observe: { transcript.add($0) })
    let rules = try ScriptedTransport.Rule.rules(
      scenario["backend"], config: fixtures.config(scenario["config"]))
    transport = ScriptedTransport(
      rules: rules, time: clock,
      observe: { request in
        transcript.add(request, isAnswered: rules.contains { $0.answers(request) })
      })
    tollgate = Self.tollgate(
      platform, usesHooks, 0,
      Ports(
        time: clock, transport: transport, storage: storage, store: store,
        presenter: presenter, device: FixedDevice(Self.device), executor: executor))
    bridge = Bridge(tollgate)
    connect()
  }

  private static var device: DeviceFacts {
    var facts = DeviceFacts()
    facts.deviceID = "$SuperwallDevice:device-1"
    facts.vendorID = "device-1"
    return facts
  }

  private static func tollgate(_ platform: Platform, _ usesHooks: Bool, _ run: Int, _ ports: Ports)
    -> Tollgate
  {
    var ports = ports
    ports.entropy = .sequence(seed: UInt64(run))
    return Tollgate(ports: ports, platform: platform, keepsEvents: usesHooks)
  }

  /// Subscribes to the SDK's events.
  private func connect() {
    let (bridge, transcript, hasListeners) = (bridge, transcript, hasListeners)
    run {
      await bridge.onEvent { transcript.add(event: $0, $1) }
      await bridge.setPurchaseListeners(hasListeners)
    }
  }

  /// Simulates a restart of the process, in which only stored data remains.
  func restart() {
    // Calls of a process that has ended receive no answers.
    for call in calls.values { call.freeze() }
    let old = tollgate
    run { await old.shutDown() }
    placements = [:]
    runs += 1
    tollgate = Self.tollgate(
      platform, usesHooks, runs,
      Ports(
        time: clock, transport: transport, storage: storage, store: store,
        presenter: presenter, device: FixedDevice(Self.device), executor: executor))
    bridge = Bridge(tollgate)
    connect()
  }

  /// Ends the simulation, and all tasks that still wait.
  package func end() {
    let old = tollgate
    run { await old.shutDown() }
    presenter.finishPresenting(refusal: "the simulation has ended")
    presenter.finishDismissing()
    presenter.answerSurvey(.closed)
    store.resolvePurchase(.cancelled)
    store.resolveRestore(.failed(nil))
    executor.drain()
  }

  // MARK: Running

  /// Starts a task, and runs until no work is left.
  func run(_ work: @escaping @Sendable () async -> Void) {
    Task(executorPreference: executor) { await work() }
    executor.drain()
  }

  /// Runs a question, and returns its answer unless it has to wait.
  func ask<Answer: Sendable>(_ question: @escaping @Sendable () async -> Answer) -> Answer? {
    let answer = Later<Answer>()
    run { answer.set(await question()) }
    return answer.value
  }

  /// Moves the clock forward. All work that becomes due runs in order.
  func advance(_ milliseconds: Int64) {
    let end = clock.now + max(0, milliseconds)
    executor.drain()
    while clock.step(upTo: end) { executor.drain() }
  }

  /// Performs a step of a scenario.
  package func step(_ step: Value) -> StepReply {
    let result = perform(step)
    executor.drain()
    let content = transcript.take()
    return StepReply(
      entries: content.entries, requests: content.requests, unanswered: content.unanswered,
      result: result(), state: state)
  }

  /// The answer to an invalid step, which has no effect.
  package func refused(_ problem: KeyShape.Problem) -> StepReply {
    let error = SDKError(.unsupported, problem.text)
    return StepReply(entries: [], requests: [], result: ["error": error.value], state: state)
  }

  /// Begins a step.
  ///
  /// - Returns: a closure that returns the result. Call it when no work is left.
  private func perform(_ step: Value) -> () -> Value {
    switch step["do"]?.text {
    case "call":
      let call = start(step["method"]?.text ?? "", step["args"] ?? .map([]))
      if let name = step["as"]?.text { calls[name] = call }
      return { call.value ?? ["pending": true] }
    case "client":
      let call = ask(client: step["endpoint"]?.text ?? "", step["args"] ?? .map([]))
      if let name = step["as"]?.text { calls[name] = call }
      return { call.value ?? ["pending": true] }
    case "result":
      let call = calls[step["of"]?.text ?? ""]
      return { call.map { $0.value ?? ["pending": true] } ?? .null }
    case "advance": advance(Int64(step["ms"]?.wholeNumber ?? 0))
    case "presenter": play(step["action"]?.text ?? "", step["with"] ?? .map([]))
    case "app": app(step["action"]?.text ?? "", step["with"] ?? .map([]))
    case "store": resolve(step["with"] ?? .map([]))
    case "set":
      presenter.set(
        isAvailable: step["presenter"]?["available"]?.truth,
        acknowledges: step["presenter"]?["auto"]?.truth)
    case "subscribe": subscribe(step)
    case "unsubscribe": unsubscribe(step["id"]?.text ?? "")
    case "placement":
      let call = usePlacement(step["id"]?.text ?? "", step["action"]?.text, step["args"] ?? .null)
      return { call.map { $0.value ?? ["pending": true] } ?? .null }
    case "redemptionHelper":
      let result = RedemptionResult(decoding: step["result"] ?? .null)
      let answer: Value = [
        "stripeSubscriptionIds": result?.stripeSubscriptionIDs.map { .texts($0) } ?? .null,
        "code": result.map { .string($0.code) } ?? .null,
      ]
      return { ["value": answer] }
    case let other:
      let message = "the step '\(other ?? "")' is not supported"
      let error = SDKError(.unsupported, message)
      return { ["error": error.value] }
    }
    return { .null }
  }

  private func start(_ method: String, _ arguments: Value) -> Later<Value> {
    let result = Later<Value>()
    let bridge = bridge
    run {
      do throws(SDKError) {
        result.set(["value": try await bridge.call(method, arguments)])
      } catch {
        result.set(["error": error.value])
      }
    }
    return result
  }

  /// Calls an endpoint of the backend without the SDK.
  private func ask(client endpoint: String, _ arguments: Value) -> Later<Value> {
    let result = Later<Value>()
    let client = ClientCalls(transport, clock, executor)
    run { result.set(await client.result(endpoint, arguments)) }
    return result
  }

  private func app(_ action: String, _ details: Value) {
    switch action {
    case "foreground": tollgate.applicationDidEnterForeground()
    case "background": tollgate.applicationDidEnterBackground()
    case "restart": restart()
    case "storeTransaction":
      store.addTransaction(
        details["productId"]?.text ?? "", expiresAt: OwnedProduct.instant(details["expiresAt"]))
    case "storeForgets": store.forgetPurchases()
    case "storeRevoked": store.revoke(details["productId"]?.text ?? "")
    default: break
    }
  }

  private func resolve(_ result: Value) {
    if store.isPurchaseWaiting, result["result"] == nil {
      store.resolvePurchase(PurchaseResult(decoding: result))
    } else {
      store.resolveRestore(
        RestorationResult(decoding: result),
        owned: (result["owned"]?.elements ?? []).compactMap(\.text))
    }
  }

  // MARK: Subscribers

  private func subscribe(_ step: Value) {
    let id = step["id"]?.text ?? ""
    let names = Set(
      (step["callbacks"]?.elements ?? [])
        .compactMap { $0.text.flatMap { ModuleEvent.Name(rawValue: $0) } })
    let replies = step["replies"] ?? .null
    let transcript = transcript
    var callbacks = EventCallbacks(names) { event in
      transcript.add(delivery: event.name.rawValue, to: id, event.payload)
    }
    if names.contains(.onCustomCallback) {
      callbacks.onCustomCallback = { callback in
        let payload = Value.members([
          "name": .string(callback.name), "variables": callback.variables,
        ])
        transcript.add(delivery: "onCustomCallback", to: id, payload)
        guard let reply = replies["onCustomCallback"] else { throw NoReply() }
        return CustomCallbackResult(
          isSuccess: reply["status"]?.text == "success", data: reply["data"])
      }
    }
    if names.contains(.onBackPressed) {
      callbacks.onBackPressed = { info in
        transcript.add(delivery: "onBackPressed", to: id, ["paywallInfo": info.value])
        return replies["onBackPressed"]?.truth ?? false
      }
    }
    let (tollgate, handlerID, all) = (tollgate, step["handlerId"]?.text, callbacks)
    subscriptions[id] = ask { await tollgate.subscribe(handlerID: handlerID, all) }
  }

  private struct NoReply: Error {}

  private func unsubscribe(_ id: String) {
    guard let subscription = subscriptions.removeValue(forKey: id) else { return }
    let tollgate = tollgate
    run { await tollgate.unsubscribe(subscription) }
  }

  // MARK: Placements of views

  /// A placement with its state, as views use them.
  private final class UsedPlacement: Sendable {
    let progress = Locked(PlacementProgress())
    /// The number of times that the feature ran.
    let features = Locked(0)

    var value: Value {
      [
        "state": progress.withLock { $0.state.value },
        "features": .whole(features.withLock { $0 }),
      ]
    }
  }

  /// - Returns: the outcome, if the action registers the placement.
  private func usePlacement(_ id: String, _ action: String?, _ arguments: Value) -> Later<Value>? {
    let (tollgate, handlerID) = (tollgate, "$placement-\(id)")
    let placement = placements[id] ?? UsedPlacement()
    if placements.updateValue(placement, forKey: id) == nil {
      let callbacks = EventCallbacks(PlacementProgress.events) { event in
        placement.progress.withLock { $0.receive(event) }
      }
      run { _ = await tollgate.subscribe(handlerID: handlerID, callbacks) }
    }
    guard action == "register" else { return nil }
    var params: [String: (any AttributeConvertible)?] = [:]
    for member in arguments["params"]?.members ?? [] { params[member.key] = member.value }
    let result = Later<Value>()
    let (name, given) = (arguments["placement"]?.text ?? "", params)
    run {
      let registration = placement.progress.withLock { $0.begin() }
      let outcome = await tollgate.register(
        placement: name, params: given, handlerID: handlerID, isFeatureGatable: true)
      if placement.progress.withLock({ $0.end(registration, outcome) }) {
        placement.features.withLock { $0 += 1 }
      }
      result.set(["value": outcome.value])
    }
    return result
  }

  // MARK: State

  private var state: Value {
    let snapshot = tollgate.snapshot
    let store = Value.object([
      "isConfigured": .bool(snapshot.isConfigured), "isLoading": .bool(snapshot.isLoading),
      "configurationError": snapshot.configurationError.map { .string($0) } ?? .null,
      "user": snapshot.user.map { .members($0) } ?? .null,
      "subscriptionStatus": snapshot.subscriptionStatus.value,
    ])
    return [
      "lifecycle": .string(snapshot.lifecycle.rawValue),
      "appUserId": snapshot.userID.map { .string($0) } ?? .null,
      "paywallPresented": .bool(snapshot.isPaywallPresented),
      "interfaceStyle": snapshot.interfaceStyle.map { .string($0.rawValue) } ?? .null,
      "logLevel": .string(snapshot.logLevel.rawValue),
      "tracking": .string(snapshot.tracking.rawValue), "store": store,
      "placements": .members(placements.mapValues(\.value)),
    ]
  }
}

/// A value that is set later.
final class Later<Content: Sendable>: Sendable {
  private let content = Locked<(value: Content?, isFrozen: Bool)>((nil, false))

  var value: Content? { content.withLock { $0.value } }

  func set(_ value: Content) {
    content.withLock { content in
      if !content.isFrozen { content.value = value }
    }
  }

  /// Ignores later changes.
  func freeze() { content.withLock { $0.isFrozen = true } }
}

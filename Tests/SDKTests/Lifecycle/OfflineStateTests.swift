import Expressions
import RuleEngine
import Testing

@testable import SDK

/// What `configure` does while network and storage are silent, effect by effect.
@Suite("Offline, effect by effect")
struct OfflineStateTests {
  /// A run in which `configure` was called; nobody has answered anything.
  private struct Start {
    var run = StateRun()
    var load = Token(number: -1)
    var config = Token(number: -1)
    private(set) var effects: [Effect] = []

    init(_ options: TollgateOptions = .init(), purchases: PurchaseHandling = .controller) {
      run.answersStorage = false
      step {
        $0.call(
          .configure(
            Configuration(apiKey: "pk", options: options, purchases: purchases, wrapper: nil)))
      }
      for case .loadConfig(let token) in effects { load = token }
    }

    mutating func step(_ body: (inout StateRun) -> Void) {
      body(&run)
      effects = run.take()
      if let request = effects.requests.last(where: { $0.request.segments.last == "static_config" })
      {
        config = request.token
      }
    }

    mutating func storage(_ key: String?, _ config: [UInt8] = Samples.configText) {
      let kept = key.map { KeptConfig(apiKey: $0, fetchedAt: Samples.start, config: config).value }
      step { [load] in $0.handle(.keptConfig(load, kept)) }
    }

    mutating func network(_ json: Value = [:], status: Int = 200) {
      step { [config] in $0.answer(config, json, status: status) }
    }

    mutating func fire(_ timer: TimerID) { step { $0.handle(.timer(timer)) } }

    var source: ConfigOrigin.Source? { run.state.catalog.origin?.source }
    var phase: Lifecycle.Phase { run.state.startup.phase }
    var cancelled: [TimerID] {
      effects.compactMap { if case .cancelTimer(let id) = $0 { id } else { nil } }
    }
    var kept: [Value] {
      effects.compactMap { if case .keepConfig(let value) = $0 { value } else { nil } }
    }
    func started(_ id: TimerID) -> Int64? { effects.timers.first { $0.id == id }?.milliseconds }
  }

  private func options(retries: Int = 0, fallback: [UInt8]? = nil) -> TollgateOptions {
    var options = TollgateOptions()
    options.maxConfigRetryCount = retries
    options.fallbackConfig = fallback
    options.timeouts.keptConfig = .milliseconds(700)
    options.timeouts.storage = .milliseconds(900)
    options.timeouts.configure = .milliseconds(1_100)
    return options
  }

  @Test func theStorageHasALimit() {
    var start = Start(options())
    #expect(start.started(.loadConfig(start.load)) == 900)
    #expect(start.started(.keptConfig) == nil)
    start.storage("pk")
    #expect(start.cancelled == [.loadConfig(start.load)])
    #expect(start.started(.keptConfig) == 700)
    start.fire(.keptConfig)
    #expect(start.source == .kept && start.phase == .configured)
    // Nothing is kept of what was kept.
    #expect(start.kept.isEmpty)
  }

  /// A config of another app is none, and neither is what cannot be read.
  @Test(arguments: ["other", nil])
  func configsOfOthers(key: String?) {
    var start = Start(options())
    start.storage(key)
    #expect(start.started(.keptConfig) == nil)
    start.network(status: 500)
    #expect(start.phase == .configFailed && start.source == nil)
    #expect(start.effects.tracked == [.configFail])
  }

  /// What the network sends is kept, and ends the waiting.
  @Test func theNetworkEndsTheWaiting() {
    var start = Start(options(fallback: Samples.configText))
    #expect(start.started(.keptConfig) == 700)
    start.network(Samples.config)
    #expect(start.source == .network && start.phase == .configured)
    #expect(start.cancelled.contains(.keptConfig))
    #expect(start.cancelled.contains(.loadConfig(start.load)))
    #expect(start.kept.map { $0["apiKey"] } == ["pk"])
    #expect(start.kept.first?["config"] == .string(Samples.config.json))
    // What comes from the storage after that changes nothing.
    start.storage("pk")
    #expect(start.source == .network && start.effects.isEmpty)
  }

  /// The network has had its time before the storage answers: what that has is used at once.
  @Test(
    arguments: [("pk", .kept), ("other", .fallback), (nil, .fallback)]
      as [(String?, ConfigOrigin.Source)])
  func slowStorage(key: String?, source: ConfigOrigin.Source) {
    for hasFailed in [false, true] {
      var start = Start(options(fallback: Samples.configText))
      if hasFailed { start.network(status: 500) } else { start.fire(.keptConfig) }
      #expect(start.phase == .configuring && start.source == nil)
      start.storage(key)
      #expect(start.source == source && start.phase == .configured)
    }
  }

  /// A network that fails does not have to have its time.
  @Test func aNetworkThatFails() {
    var start = Start(options())
    start.storage("pk")
    start.network(status: 500)
    #expect(start.source == .kept && start.phase == .configured)
    #expect(start.cancelled.contains(.keptConfig))
    var slow = Start(options())
    slow.network(status: 500)
    #expect(slow.phase == .configuring)
    slow.storage("other")
    #expect(slow.phase == .configFailed)
  }

  @Test(arguments: [(401, false), (403, false), (404, false), (400, true), (500, true)])
  func whatTheServerRefuses(status: Int, isReplaced: Bool) {
    var start = Start(options(fallback: Samples.configText))
    start.storage("pk")
    start.network(status: status)
    #expect(start.source == (isReplaced ? .kept : nil))
    #expect(start.phase == (isReplaced ? .configured : .configFailed))
  }

  /// A config that the server has not sent is asked for again when the app comes back.
  @Test(arguments: [true, false])
  func comingBack(isFromNetwork: Bool) {
    var start = Start(options())
    start.storage("pk")
    if isFromNetwork { start.network(Samples.config) } else { start.network(status: 500) }
    start.step { $0.handle(.application(.foreground)) }
    let asks = start.effects.requests.filter { $0.request.segments.last == "static_config" }
    #expect(asks.count == (isFromNetwork ? 0 : 1))
    guard !isFromNetwork else { return }
    start.step { $0.handle(.application(.foreground)) }
    #expect(!start.effects.requests.contains { $0.request.segments.last == "static_config" })
    start.network(Samples.config)
    #expect(start.source == .network && start.kept.count == 1)
  }

  /// A config that is there is not lost by another answer while the store is asked what is owned.
  @Test func theStoreIsAskedMeanwhile() throws {
    var start = Start(options(), purchases: .store)
    start.storage("pk")
    start.fire(.keptConfig)
    #expect(start.source == .kept && start.phase == .configuring)
    let owned = start.effects.compactMap { effect -> Token? in
      if case .loadOwnedProducts(let token) = effect { token } else { nil }
    }
    start.network(status: 500)
    #expect(start.phase == .configuring)
    start.step { $0.handle(.ownedProducts(owned[0], .success([]))) }
    #expect(start.phase == .configured && owned.count == 1)
  }

  /// A store that is silent costs its limit, and its answer counts when it comes after all.
  @Test func aSilentStore() throws {
    var start = Start(options(), purchases: .store)
    start.storage(nil)
    start.network(Samples.config)
    var owned = Token(number: -1)
    for case .loadOwnedProducts(let token) in start.effects { owned = token }
    #expect(start.started(.ownedProducts(owned)) == 10_000)
    start.fire(.ownedProducts(owned))
    #expect(start.phase == .configured)
    start.step { [owned] in
      $0.handle(.ownedProducts(owned, .success(["com.tollgate.pro.year"])))
    }
    #expect(start.run.state.ownership.status.entitlements.map(\.id) == ["pro"])
    start.step { [owned] in $0.handle(.ownedProducts(owned, .success([]))) }
    #expect(start.run.state.ownership.status.entitlements.map(\.id) == ["pro"])
  }

  /// What waits for `configure` waits as long again when that begins.
  @Test func waitingBeginsAgain() {
    var run = StateRun()
    run.answersStorage = false
    let call = run.call(.getEntitlements)
    let timer = TimerID.waitingCall(call)
    #expect(run.take().timers.map(\.id) == [timer])
    func configure() {
      run.call(
        .configure(
          Configuration(apiKey: "pk", options: options(), purchases: .controller, wrapper: nil)))
    }
    configure()
    #expect(run.take().timers.contains { $0.id == timer && $0.milliseconds == 1_100 })
    run.handle(.timer(timer))
    let replies = run.take().replies(to: call)
    #expect(replies == [.failure(.configureTimedOut)])
    let before = StateRun().unconfigured()
    #expect(before == [.failure(.configureNotCalled)])
  }

  /// A config that the app gives is the only one.
  @Test func configsThatAreGiven() {
    var run = StateRun()
    run.call(
      .configure(
        Configuration(
          apiKey: "pk", options: options(), purchases: .controller, wrapper: nil,
          given: Samples.configText)))
    #expect(run.state.startup.phase == .configured)
    run.handle(.application(.background))
    run.now = run.now + 100_000_000
    run.handle(.application(.foreground))
    #expect(!run.take().requests.contains { $0.request.segments.last == "static_config" })
  }
}

extension StateRun {
  /// What a call hears that waited for a `configure` that nobody called.
  fileprivate func unconfigured() -> [Result<Reply, SDKError>] {
    var run = self
    let call = run.call(.getEntitlements)
    run.handle(.timer(.waitingCall(call)))
    return run.take().replies(to: call)
  }
}

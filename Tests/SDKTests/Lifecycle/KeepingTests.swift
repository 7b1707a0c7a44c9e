import Expressions
import Testing

@testable import SDK

/// What the SDK asks a storage for, and what becomes of one that fails.
@Suite("Keeping")
struct KeepingTests {
  /// A storage that fails when it is told to, and remembers what it was asked.
  private final class Fragile: StateStorage {
    struct Full: Error, CustomStringConvertible {
      let description = "the disk is full"
    }

    let inner: InMemoryStorage
    let fails = Locked(false)
    let faults = Locked<[String]>([])
    let asked = Recorder<[String]?>()
    let written = Recorder<[StorageChange]>()

    init(_ inner: InMemoryStorage = InMemoryStorage()) { self.inner = inner }

    private func check() throws { if fails.withLock({ $0 }) { throw Full() } }

    func records(_ prefix: String) throws -> [String: Value] {
      try check()
      return inner.records(prefix)
    }

    func logs(_ names: [String]?) throws -> [String: StorageLog] {
      try check()
      asked.add(names)
      return inner.logs(names)
    }

    func write(_ changes: [StorageChange]) throws {
      try check()
      written.add(changes)
      inner.write(changes)
    }

    func takeFaults() -> [String] {
      faults.withLock { faults in
        defer { faults = [] }
        return faults
      }
    }
  }

  private final class App: Sendable {
    let clock = VirtualClock(now: Samples.start)
    let executor = SimulationExecutor()
    let tollgate: Tollgate
    let log = Recorder<LogMessage>()
    let outcomes = Recorder<PlacementOutcome>()

    init(_ storage: any StateStorage, config: Value = Samples.config) {
      tollgate = Tollgate(
        ports: Ports(
          time: clock,
          transport: ScriptedTransport(
            rules: ScriptedTransport.Rule.backend(of: config), time: clock),
          storage: storage, store: SimulatedStore(products: []), presenter: ScriptedPresenter(),
          device: FixedDevice(), entropy: .sequence(seed: 1), executor: executor))
      let (log, tollgate) = (log, tollgate)
      run {
        await tollgate.observe { if case .handleLog(let message) = $0 { log.add(message) } }
      }
    }

    func run(_ work: @escaping @Sendable () async -> Void) {
      Task(executorPreference: executor) { await work() }
      executor.drain()
    }

    func configure() {
      run { [tollgate] in
        try? await tollgate.configure(apiKey: "pk")
        try? await tollgate.setSubscriptionStatus(.inactive)
      }
    }

    func register(_ placement: String) {
      run { [tollgate, outcomes] in
        outcomes.add(await tollgate.register(placement: placement))
      }
    }

    func pass(_ seconds: Int64) {
      let end = clock.now + seconds * 1_000
      while clock.step(upTo: end) { executor.drain() }
    }

    func end() { run { [tollgate] in await tollgate.shutDown() } }

    var complaints: [String] {
      log.all.filter { $0.scope == .coreData }.compactMap(\.message)
    }
  }

  // MARK: Failing

  /// A failure is told of once until something succeeds, and what could not be written is written
  /// then.
  @Test func failuresAreToldOnceAndNothingIsLost() {
    let storage = Fragile()
    let app = App(storage)
    app.configure()
    for round in 1...2 {
      storage.fails.withLock { $0 = true }
      for id in ["a", "b"] { app.run { try? await app.tollgate.identify(userID: "\(id)\(round)") } }
      #expect(app.complaints.count { $0.contains("the disk is full") } == round)
      #expect(storage.inner.load()?["appUserId"]?.text != "b\(round)")
      storage.fails.withLock { $0 = false }
      app.run { try? await app.tollgate.setUserAttributes(["round": .int(Int64(round))]) }
      app.pass(1)
      #expect(storage.inner.load()?["appUserId"]?.text == "b\(round)")
      #expect(storage.inner.load()?["userAttributes"]?["round"] == .int(Int64(round)))
    }
    let ids = storage.inner.logs(["event:identity_alias"])["event:identity_alias"]
    #expect(ids?.times.count == 1)
    app.end()
  }

  /// The end tries once more.
  @Test func theEndTriesAgain() {
    let storage = Fragile()
    let app = App(storage)
    app.configure()
    storage.fails.withLock { $0 = true }
    app.run { try? await app.tollgate.identify(userID: "u") }
    storage.fails.withLock { $0 = false }
    app.end()
    #expect(storage.inner.load()?["appUserId"] == "u")
  }

  /// What cannot be read is not written over.
  @Test func whatCannotBeReadStays() {
    let storage = Fragile(InMemoryStorage(["appUserId": "u"]))
    storage.fails.withLock { $0 = true }
    let app = App(storage)
    storage.fails.withLock { $0 = false }
    app.configure()
    app.run { try? await app.tollgate.identify(userID: "other") }
    #expect(
      app.complaints.contains { $0.contains("the disk is full") && $0.contains("saves nothing") })
    #expect(storage.inner.load() == ["appUserId": "u"])
    app.end()
  }

  /// What a storage has put aside is told of; one member of the wrong kind costs itself alone.
  @Test func damageIsToldOf() {
    let storage = Fragile(InMemoryStorage(["appUserId": "u", "seed": "x", "codes": ["c"]]))
    storage.faults.withLock { $0 = ["a page is damaged"] }
    let app = App(storage)
    app.configure()
    #expect(app.complaints.contains("a page is damaged"))
    #expect(app.complaints.contains { $0.hasPrefix("the saved 'seed' has") })
    #expect(storage.inner.records("damaged/") == ["damaged/seed": "x"])
    #expect(storage.inner.load()?["appUserId"] == "u" && storage.inner.load()?["codes"] == ["c"])
    #expect(storage.inner.load()?["seed"]?.wholeNumber != nil)
    app.end()
  }

  // MARK: What is written

  /// A change writes the records that changed.
  @Test func savesAreIncremental() {
    let storage = Fragile()
    let app = App(storage)
    app.configure()
    app.run { try? await app.tollgate.setUserAttributes(["a": 1, "b": 2]) }
    let before = storage.written.all.count
    app.run { try? await app.tollgate.setUserAttributes(["b": 3]) }
    let sets = storage.written.all.dropFirst(before).flatMap { $0 }.filter { change in
      if case .append = change { false } else { true }
    }
    #expect(sets == [.set("state/userAttributes/b", 3)])
    app.end()
  }

  /// When a call has returned, what it changed is stored.
  @Test func callsReturnWhenChangesAreStored() async throws {
    for number in 0..<50 {
      let storage = InMemoryStorage()
      let tollgate = Tollgate(
        ports: .simulated(
          config: Samples.config, presenter: ScriptedPresenter(), storage: storage
        ).unhurried)
      try await tollgate.configure(apiKey: "pk")
      try await tollgate.identify(userID: "u\(number)")
      #expect(storage.load()?["appUserId"] == .string("u\(number)"))
      await tollgate.shutDown()
    }
  }

  // MARK: History

  private static func counting(_ placement: String, _ expression: String) -> Value {
    var trigger =
      (Samples.config["trigger_options"]?.elements ?? [])
      .first { $0["event_name"] == "vip" } ?? .null
    trigger = trigger.merging(patch: ["event_name": .string(placement)])
    let rule = (trigger["rules"]?.elements?.first ?? .null).merging(patch: [
      "expression_cel": .string(expression), "expression": .null, "experiment_id": "exp_counting",
    ])
    trigger = trigger.merging(patch: ["rules": .list([rule])])
    let triggers = (Samples.config["trigger_options"]?.elements ?? []) + [trigger]
    return Samples.config.merging(patch: ["trigger_options": .list(triggers)])
  }

  /// Rules see what happened in earlier processes; only what they ask for is read, once.
  @Test func historyIsReadByName() {
    let config = Self.counting("counted", #"device.placementsInDay("open_app") >= 3"#)
    for earlier in [2, 3] {
      let inner = InMemoryStorage()
      let hour: Int64 = 3_600_000
      inner.write(
        (0..<earlier).map { .append(to: "event:open_app", Samples.start - Int64($0) * hour) }
          + [
            .append(to: "event:open_app", Samples.start - 25 * hour),
            .append(to: "event:other", Samples.start), .append(to: "occurrence:once", 5),
          ])
      let storage = Fragile(inner)
      let app = App(storage, config: config)
      app.configure()
      app.register("counted")
      #expect(
        app.outcomes.all.first.map { $0.skipReason != nil } == (earlier < 3 ? true : nil),
        "\(earlier)")
      // The limit of another placement was reached in an earlier process.
      if earlier < 3 {
        app.register("once")
        #expect(app.outcomes.all.last?.skipReason != nil)
      }
      let asked = storage.asked.all.compactMap { $0 }.flatMap { $0 }
      #expect(
        Set(asked) == ["event:open_app", "event:review_requested", "occurrence:once"])
      #expect(asked.count == 3)
      app.end()
    }
  }

  /// A config whose rules ask for no more than is known reads nothing; one that asks for more reads
  /// that. What happens between is counted once.
  @Test func newerConfigsReadMore() throws {
    var history = LoggedEvents(isComplete: false)
    func needs(_ names: [String]?) -> HistoryNeeds { HistoryNeeds(logs: names) }
    func count(_ name: String) -> Int { history.count(ofEvent: name) }
    history.add(.event(name: "a", at: 1))
    #expect(count("a") == 0)
    #expect(history.missing(for: needs(["event:a"])).logs == ["event:a"])
    history.beginLoading(needs(["event:a"]))
    history.add(.event(name: "a", at: 2))
    history.add(.event(name: "b", at: 2))
    history.finishLoading(["event:a": StorageLog(times: [1], earlier: 4)])
    #expect(count("a") == 2 && count("b") == 0)
    #expect(history.missing(for: needs(["event:a"])).isEmpty)
    #expect(history.missing(for: needs(["event:a", "event:b"])).logs == ["event:b"])
    #expect(history.missing(for: needs(nil)).logs == nil)
    // A user who is forgotten meanwhile stays forgotten.
    history.beginLoading(needs(["event:b", "event:app_install"]))
    history.reset(keeping: ["app_install"])
    history.add(.event(name: "b", at: 9))
    history.finishLoading([
      "event:b": StorageLog(times: [1, 2]), "event:app_install": StorageLog(times: [1]),
    ])
    #expect(count("a") == 0 && count("b") == 1 && count("app_install") == 1)
  }

  /// Of a long history the last times are known, and how many there were in all.
  @Test func longHistories() throws {
    var log = StorageLog()
    for number in 0..<25_000 { log.append(Instant(milliseconds: Int64(number))) }
    #expect(log.times.count >= StorageLog.limit && log.times.count < StorageLog.limit * 9 / 8)
    #expect(log.times.count + log.earlier == 25_000)
    #expect(log.times.last == 24_999)
    let config = Self.counting("counted", #"device.placementsSinceInstall("e") == 12000"#)
    let inner = InMemoryStorage()
    inner.write((0..<12_000).map { .append(to: "event:e", Instant(milliseconds: Int64($0))) })
    let app = App(inner, config: config)
    app.configure()
    app.register("counted")
    #expect(app.outcomes.all.isEmpty)
    app.end()
  }
}

extension PlacementOutcome {
  fileprivate var skipReason: PaywallSkippedReason? {
    if case .skipped(let reason) = kind { reason } else { nil }
  }
}

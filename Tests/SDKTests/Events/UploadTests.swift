import Expressions
import Testing

@testable import SDK

/// Events on their way to the backend's statistics.
@Suite("Uploads")
struct UploadTests {
  /// An app whose events are uploaded, on one thread.
  private final class App: Sendable {
    let clock: VirtualClock
    let executor = SimulationExecutor()
    let tollgate: Tollgate
    let storage: InMemoryStorage
    let requests = Recorder<BackendRequest>()

    init(
      _ replies: [ScriptedTransport.Reply], storage: InMemoryStorage = InMemoryStorage(),
      clock: VirtualClock = VirtualClock(now: Samples.start), isOn: Bool = true
    ) {
      (self.clock, self.storage) = (clock, storage)
      let requests = requests
      let transport = ScriptedTransport(
        rules: [.init(.post, "/api/v1/events", replies)]
          + ScriptedTransport.Rule.backend(of: Samples.config), time: clock,
        observe: { if $0.path == "/api/v1/events" { requests.add($0) } })
      tollgate = Tollgate(
        ports: Ports(
          time: clock, transport: transport, storage: storage, store: SimulatedStore(products: []),
          presenter: ScriptedPresenter(), device: FixedDevice(), uploadsEvents: isOn,
          entropy: .sequence(seed: 1), executor: executor))
    }

    func run(_ work: @escaping @Sendable () async -> Void) {
      Task(executorPreference: executor) { await work() }
      executor.drain()
    }

    func configure(key: String = "pk", _ behavior: EventTrackingBehavior = .all) {
      run { [tollgate] in
        var options = TollgateOptions()
        options.eventTrackingBehavior = behavior
        try? await tollgate.configure(apiKey: key, options: options)
        try? await tollgate.setSubscriptionStatus(.inactive)
      }
    }

    func pass(_ seconds: Int64) {
      let end = clock.now + seconds * 1_000
      executor.drain()
      while clock.step(upTo: end) { executor.drain() }
    }

    func end() {
      run { [tollgate] in await tollgate.shutDown() }
      pass(100)
    }

    var unsent: [Value] {
      storage.records(StorageKey.unsent).sorted { $0.key < $1.key }.map(\.value)
    }

    /// The events of each request.
    var uploaded: [[Value]] { requests.all.map { $0.body?["events"]?.elements ?? [] } }
  }

  private static let accepted = ScriptedTransport.Reply.json(["status": "ok"])

  /// Events are kept as they happen, uploaded after a while in one request, and not kept any more.
  @Test func uploadsABatch() {
    let app = App([Self.accepted])
    app.configure()
    let names = app.unsent.compactMap { $0["name"]?.text }
    #expect(names.contains("app_install") && names.contains("config_refresh"))
    app.pass(19)
    #expect(app.requests.all.isEmpty)
    app.pass(1)
    #expect(app.requests.all.count == 1 && app.unsent.isEmpty)
    #expect(app.uploaded[0].compactMap { $0["event_name"]?.text } == names)
    #expect(app.uploaded[0][0]["created_at"] == "2026-01-01T00:00:00Z")
    #expect(Set(app.uploaded[0].compactMap { $0["event_id"]?.text }).count == names.count)
    #expect(app.requests.all[0].headers.contains(.init("Authorization", "Bearer pk")))
    #expect(app.requests.all[0].host == .collector)
    app.pass(1_000)
    #expect(app.requests.all.count == 1)
    app.end()
  }

  /// Anything but an acceptance, and every event comes again, with the same ID, after longer pauses.
  @Test func nothingIsLostUntilItIsAccepted() {
    let app = App([
      .networkError("off"), .json(nil, status: 500), .json(nil, status: 302),
      .json(nil, status: 403),
      Self.accepted,
    ])
    app.configure()
    let kept = app.unsent
    app.pass(20)
    #expect(app.unsent == kept)
    app.pass(39)
    #expect(app.requests.all.count == 1)
    app.pass(1)
    #expect(app.requests.all.count == 2)
    app.pass(2_000)
    #expect(app.requests.all.count == 5 && app.unsent.isEmpty)
    #expect(Set(app.uploaded.map { $0.compactMap { $0["event_id"]?.text } }).count == 1)
    app.end()
  }

  /// What the backend finds fault with does not keep everything after it waiting, nor takes others with
  /// it: halves are sent until the one is found.
  @Test func refusedEventsMakeRoom() {
    for status in [400, 413, 422] {
      let refused = ScriptedTransport.Reply.json(nil, status: status)
      let app = App([
        refused, refused, .json(nil, status: 503), refused, refused, refused, Self.accepted,
      ])
      app.configure()
      app.pass(10_000)
      let sizes = app.uploaded.map(\.count)
      let kept = app.uploaded[0].compactMap { $0["event_id"]?.text }
      #expect(kept.count > 4)
      var size = kept.count
      var expected = [size]
      size /= 2
      expected += [size, size / 2, size / 2]
      #expect(Array(sizes.prefix(4)) == expected)
      #expect(sizes.contains(1) && app.unsent.isEmpty)
      // Only the first one is not among those that were taken.
      let ids = app.uploaded.map { $0.compactMap { $0["event_id"]?.text } }
      let alone = ids.firstIndex { $0 == [kept[0]] } ?? 0
      #expect(Set(ids[(alone + 1)...].joined()) == Set(kept.dropFirst()))
      app.end()
    }
    // Who may not upload may do so later.
    for status in [401, 404, 429] {
      let refused = ScriptedTransport.Reply.json(nil, status: status)
      let app = App([refused, refused, refused, refused, Self.accepted])
      app.configure()
      app.pass(10_000)
      #expect(app.requests.all.count == 5 && app.unsent.isEmpty)
      app.end()
    }
  }

  /// After a batch that was refused smaller ones are sent, until one is accepted; then whole ones again.
  @Test func batchesGrowAgain() {
    let events = (1...200).map { number in
      var event = CollectedEvent(
        id: "\(number)", name: "e", parameters: [:], createdAt: Samples.start)
      event.number = number
      return event
    }
    var uploads = Uploads(isOn: true, waiting: events)
    #expect(uploads.begin().map(\.number) == Array(1...50) && uploads.isFull)
    #expect(uploads.refuse().isEmpty && uploads.failures == 1 && !uploads.isFull)
    #expect(uploads.begin().map(\.number) == Array(1...25))
    uploads.fail()
    #expect(uploads.begin().count == 25 && uploads.failures == 2)
    #expect(uploads.succeed() == Array(1...25) && uploads.failures == 0 && uploads.isFull)
    #expect(uploads.begin().map(\.number) == Array(26...75))
    #expect(uploads.succeed() == Array(26...75))
  }

  /// What one process could not upload, the next one does.
  @Test func survivesARestart() {
    let first = App([.networkError("off")])
    first.configure()
    first.pass(30)
    first.end()
    let left = first.unsent
    #expect(!left.isEmpty)
    let second = App([Self.accepted], storage: first.storage, clock: first.clock)
    second.configure()
    second.pass(60)
    let uploaded = second.uploaded.flatMap { $0 }.compactMap { $0["event_id"] }
    #expect(Array(uploaded.prefix(left.count)) == left.compactMap { $0["id"] })
    #expect(second.unsent.isEmpty)
    second.end()
  }

  /// What was kept for one API key is not for the statistics of another one.
  @Test func anotherKeyGetsNothingOfIt() {
    let first = App([.networkError("off")])
    first.configure()
    first.end()
    #expect(first.unsent.contains { $0["apiKey"] == "pk" })
    let second = App([Self.accepted], storage: first.storage, clock: first.clock)
    second.configure(key: "pk_other")
    #expect(!second.unsent.isEmpty && !second.unsent.contains { $0["apiKey"] == "pk" })
    second.pass(60)
    #expect(second.unsent.isEmpty)
    second.end()
  }

  /// Fifty go at once; of those that cannot go the last thousand are kept.
  @Test func batchesAreBounded() {
    let app = App([.networkError("off"), Self.accepted])
    app.configure()
    app.run { [tollgate = app.tollgate] in
      for number in 0..<1_100 {
        try? await tollgate.setUserAttributes(["n": .int(Int64(number))])
      }
    }
    #expect(app.unsent.count == Uploads.limit)
    app.pass(2_000)
    #expect(app.unsent.isEmpty)
    #expect(app.uploaded.allSatisfy { $0.count <= Uploads.batchSize })
    let last = app.uploaded.last?.last?["parameters"]?["attributes"]?["n"]
    #expect(last == 1_099)
    app.end()
  }

  /// What must not be uploaded is neither sent nor kept.
  @Test func noneIsNone() {
    let app = App([Self.accepted])
    app.configure(.none)
    #expect(app.unsent.isEmpty)
    app.pass(100)
    #expect(app.requests.all.isEmpty)
    app.end()

    let other = App([Self.accepted])
    other.configure()
    #expect(!other.unsent.isEmpty)
    other.run { [tollgate = other.tollgate] in await tollgate.setEventTrackingBehavior(.none) }
    #expect(other.unsent.isEmpty)
    other.pass(100)
    #expect(other.requests.all.isEmpty)
    other.end()
  }

  /// An app that goes to the background may not come back.
  @Test func theBackgroundIsTheLastMoment() {
    let app = App([Self.accepted])
    app.configure()
    app.tollgate.applicationDidEnterBackground()
    app.pass(0)
    #expect(app.requests.all.count == 1 && app.unsent.isEmpty)
    app.end()
  }

  /// Where nothing is uploaded nothing is kept for it.
  @Test func offIsOff() {
    let app = App([Self.accepted], isOn: false)
    app.configure()
    app.pass(100)
    #expect(app.requests.all.isEmpty && app.unsent.isEmpty)
    app.end()
  }
}

import Expressions
import RuleEngine
import Testing

@testable import SDK

/// What takes as long as a person needs, what is waited for together, and what ends when nobody
/// wants it any more.
@Suite("Waiting")
struct WaitingTests {
  // MARK: Purchases

  /// A purchase has no limit: it is told of after a minute, hinders nobody, and its answer counts
  /// once, whenever it comes.
  @Test(arguments: [false, true])
  func purchasesTakeTheirTime(byController: Bool) {
    let app = QuietApp(silent: [.purchase, .controller])
    app.configure(controller: byController ? app.ports : nil)
    let first = app.register("open")
    app.ports.handle?.purchaseTapped(Samples.year.id)
    app.pass(59)
    #expect(app.log.all.isEmpty)
    app.pass(1)
    #expect(app.log.all.count { $0.message?.contains("has had no answer for 60 s") == true } == 1)

    // The same paywall goes on waiting, another one does not begin to.
    app.ports.handle?.purchaseTapped(Samples.month.id)
    #expect(app.ports.told.all.last == .transactionStart(productID: Samples.year.id))
    app.ports.handle?.closeTapped()
    app.pass(0)
    #expect(first.value?.kind == .presented(.declined, .manualClose))
    #expect(app.register("nomatch").value?.kind == .skipped(.noAudienceMatch))
    let second = app.register("gated")
    app.ports.handle?.purchaseTapped(Samples.year.id)
    app.pass(0)
    #expect(app.ports.told.all.last == .transactionFail)
    #expect(app.log.all.last?.message?.contains("is running") == true)

    app.pass(86_400)
    app.ports.speak()
    app.pass(1)
    for name in [SuperwallEventName.transactionStart, .transactionComplete] {
      #expect(app.events.all.count { $0.isTracked(name) } == 1)
    }
    let changes = app.events.all.count { $0.name == .subscriptionStatusDidChange }
    #expect(changes == (byController ? 0 : 1))
    #expect(!second.hasEnded)
    // And now another one can begin.
    app.ports.handle?.purchaseTapped(Samples.year.id)
    app.pass(1)
    #expect(second.value?.featureGranted == true)
    app.end()
  }

  /// A tap on restore shares the outcome of what runs, so that no subscriber stays outside.
  @Test func restoresAreShared() {
    var script = SimulatedStore.Script()
    script.restores = [.result(.restored, owned: [Samples.year.id])]
    let app = QuietApp(silent: [.restore], script: script)
    app.configure()
    let call = app.run { try? await app.tollgate.restorePurchases() }
    let paywall = app.register("gated")
    app.ports.handle?.restoreTapped()
    app.pass(60)
    #expect(app.ports.told.all.last == .restoreStart)
    #expect(app.log.all.contains { $0.message?.contains("restoring purchases has had") == true })
    app.ports.speak()
    app.pass(1)
    #expect(call.value == .restored)
    #expect(paywall.value?.kind == .presented(.restored, .systemLogic))
    #expect(app.events.all.count { $0.isTracked(.restoreComplete) } == 1)
    app.end()
  }

  // MARK: The status

  /// The status is one fact: whoever waits for it has one deadline.
  @Test func statusHasOneDeadline() {
    let app = QuietApp(status: nil)
    app.configure(controller: app.ports)
    let calls = (0..<10).map { _ in app.register("gated") }
    app.pass(3)
    let late = app.register("nomatch")
    let question = app.run {
      try? await app.tollgate.getPresentationResult(forPlacement: "gated")
    }
    app.pass(2)
    for call in calls + [late] {
      #expect(call.value?.kind == .error(.statusTimeout) && call.seconds == 5)
    }
    #expect(question.value == .paywallNotAvailable && question.seconds == 5)
    // Who comes afterwards has five seconds.
    let next = app.register("nomatch")
    app.pass(4.9)
    #expect(!next.hasEnded)
    app.run { try? await app.tollgate.setSubscriptionStatus(.inactive) }
    #expect(next.value?.kind == .skipped(.noAudienceMatch))
    app.end()
  }

  // MARK: Cancelling

  @Test func cancelledCallsEnd() {
    let app = QuietApp(silent: [.config])
    let configure = app.configure()
    let waiting = app.register("open")
    let attributes = app.run { () -> SDKError? in
      do throws(SDKError) {
        _ = try await app.tollgate.getUserAttributes()
        return nil
      } catch {
        return error
      }
    }
    for call in [configure, attributes] { call.cancel() }
    waiting.cancel()
    app.pass(0)
    #expect(waiting.value?.kind == .error(.cancelled))
    #expect(configure.value == .cancelled && attributes.value == .cancelled)
    // The config is fetched all the same.
    app.ports.speak()
    app.pass(0)
    #expect(app.tollgate.configurationStatus == .configured)
    app.end()
  }

  @Test func cancelledPlacementsAreGivenUp() {
    let app = QuietApp(silent: [.products])
    app.configure()
    let loading = app.register("gated")
    let queued = app.register("open")
    queued.cancel()
    app.pass(0)
    #expect(queued.value?.kind == .error(.cancelled) && !loading.hasEnded)
    loading.cancel()
    app.pass(0)
    #expect(loading.value?.kind == .error(.cancelled))
    app.pass(20)
    #expect(!app.ports.wasAsked(.present))
    #expect(app.run { await app.tollgate.isBusy }.value == false)
    app.end()
  }

  /// A paywall stays when the task that asked for it goes, as SwiftUI's do, and is then like any.
  @Test func cancellingClosesNothing() {
    let app = QuietApp()
    app.configure()
    let call = app.register("open")
    call.cancel()
    app.pass(0)
    #expect(call.value?.kind == .error(.cancelled) && call.value?.featureGranted == false)
    #expect(app.run { app.tollgate.snapshot.isPaywallPresented }.value == true)
    app.ports.handle?.closeTapped()
    app.pass(0)
    #expect(app.ports.dismissed.all == ["pw_open"])
    app.end()
  }

  /// What was cancelled before it began does not happen twice either.
  @Test func cancelledTasksCanStillSet() {
    let app = QuietApp()
    app.configure()
    let call = app.run { () -> Bool in
      withUnsafeCurrentTask { $0?.cancel() }
      return (try? await app.tollgate.setUserAttributes(["a": 1])) != nil
    }
    #expect(call.value == true)
    app.end()
  }

  // MARK: Configuring

  /// A `configure` that changes nothing changes nothing (decisions D4, D32).
  @Test func configureThatDoesNotCountChangesNothing() {
    let (first, second, blank) = (Buyer(), Buyer(), Buyer())
    let app = QuietApp()
    #expect(app.configure(key: " ", controller: blank).value??.code == .invalidArgument)
    app.configure(controller: first)
    app.configure(controller: second)
    app.configure(key: "  ", controller: blank)
    app.register("open")
    app.ports.handle?.purchaseTapped(Samples.year.id)
    app.pass(0)
    #expect(first.count == 1 && second.count == 0 && blank.count == 0)
    app.end()

    // Without a controller that counts the SDK buys itself.
    let other = QuietApp(status: nil)
    other.configure(key: "", controller: blank)
    #expect(other.configure().value == .some(nil))
    #expect(other.run { await other.tollgate.subscriptionStatus }.value == .inactive)
    other.end()
  }

  private final class Buyer: PurchaseController {
    private let bought = Locked(0)

    var count: Int { bought.withLock { $0 } }

    func purchase(_ product: PurchaseRequest) async -> PurchaseResult {
      bought.withLock { $0 += 1 }
      return .cancelled
    }

    func restorePurchases() async -> RestorationResult { true }
  }

  // MARK: The end

  @Test func shuttingDownEndsStreams() {
    let app = QuietApp()
    app.configure()
    let reading = app.run {
      for await _ in await app.tollgate.events() {}
      return true
    }
    #expect(!reading.hasEnded)
    app.run { await app.tollgate.shutDown() }
    #expect(reading.value == true)
    let later = app.run {
      for await _ in await app.tollgate.events() {}
      return true
    }
    #expect(later.value == true)
    #expect(app.clock.nextDeadline == nil)
    app.end()
  }

  /// An SDK that is dropped takes its streams, timers and watchers with it.
  @Test func droppingEndsEverything() async throws {
    let clock = VirtualClock(now: Samples.start)
    let store = WatchedStore()
    weak var dropped: Tollgate?
    let stream: AsyncStream<ModuleEvent>
    do {
      let tollgate = Tollgate(
        ports: Ports(
          time: clock,
          transport: ScriptedTransport(
            rules: ScriptedTransport.Rule.backend(of: Samples.config), time: clock),
          storage: InMemoryStorage(), store: store, presenter: ScriptedPresenter(),
          device: FixedDevice()))
      try await tollgate.configure(apiKey: "pk")
      try await wait { store.isWatched }
      stream = await tollgate.events()
      dropped = tollgate
    }
    for await _ in stream {}
    try await wait { dropped == nil && !store.isWatched && clock.nextDeadline == nil }
  }

  private final class WatchedStore: PurchaseStore {
    private let watched = Locked(false)

    var isWatched: Bool { watched.withLock { $0 } }

    func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct] { [] }
    func purchase(_ request: PurchaseRequest) async -> StorePurchase { StorePurchase(.cancelled) }
    func restorePurchases() async -> RestorationResult { true }
    func ownedProducts() async throws(StoreError) -> [OwnedProduct] { [] }
    func consume(_ purchaseToken: String) async throws(StoreError) -> String { purchaseToken }

    func changes() -> AsyncStream<Void> {
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      watched.withLock { $0 = true }
      continuation.onTermination = { [self] _ in watched.withLock { $0 = false } }
      return stream
    }
  }

  /// A timer that has fired is forgotten.
  @Test func firedTimersAreForgotten() {
    let app = QuietApp(status: nil)
    app.configure(controller: app.ports)
    for _ in 0..<20 {
      app.register("gated")
      app.pass(5)
    }
    #expect(app.run { await app.tollgate.timerCount }.value == 0)
    app.end()
  }
}

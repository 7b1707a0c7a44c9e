import Expressions
import RuleEngine
import SDKHooks
import Testing

@testable import SDK

/// Placements as views have them, and subscriptions that end with their owner.
@Suite("Placements of views") @MainActor
struct PlacementHandleTests {
  @Test func goesThroughItsStates() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let handle = PlacementHandle(app.tollgate)
    #expect(handle.state == .idle && !handle.isRegistering)
    var features = 0
    let bought = Task { await handle.register(placement: "gated") { features += 1 } }
    try await waitOnMain { if case .presented = handle.state { true } else { false } }
    #expect(handle.isRegistering && handle.state.value["paywallInfo"]?["identifier"] == "pw_gated")
    app.presenter.handle?.purchaseTapped(Samples.year.id)
    let outcome = await bought.value
    #expect(outcome.featureGranted && features == 1 && !handle.isRegistering)
    #expect(handle.state == .dismissed(.purchased(productID: Samples.year.id)))

    #expect(await handle.register(placement: "nomatch") { features += 1 }.featureGranted)
    #expect(handle.state == .skipped(.noAudienceMatch) && features == 2)
    await handle.register(placement: "missing_paywall") { features += 1 }
    guard case .error(let error) = handle.state else { throw NotThere() }
    #expect(error.code == .paywallNotAvailable && features == 2)
    // What the SDK does not tell any more is an error too.
    await app.tollgate.shutDown()
    await handle.register(placement: "nomatch") { features += 1 }
    guard case .error(let error) = handle.state else { throw NotThere() }
    #expect(error.code == .shutDown && features == 2)
  }

  /// A registration that another one followed grants nothing any more.
  @Test func supersededFeaturesAreDropped() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let handle = PlacementHandle(app.tollgate)
    let ran = Recorder<String>()
    let first = Task { await handle.register(placement: "open") { ran.add("first") } }
    try await waitOnMain { if case .presented = handle.state { true } else { false } }
    let second = await handle.register(placement: "gated") { ran.add("second") }
    #expect(second.error?.code == .paywallAlreadyPresented)
    await app.tollgate.dismiss()
    #expect(await first.value.featureGranted && ran.all.isEmpty)
    #expect(handle.state == .dismissed(.declined) && !handle.isRegistering)
    await app.tollgate.shutDown()
  }

  /// Each handle hears of its own placements.
  @Test func handlesAreApart() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let (one, other) = (PlacementHandle(app.tollgate), PlacementHandle(app.tollgate))
    #expect(one.handlerID != other.handlerID)
    await one.register(placement: "nomatch")
    await other.register(placement: "missing_paywall")
    #expect(one.state == .skipped(.noAudienceMatch))
    guard case .error = other.state else { throw NotThere() }
    await app.tollgate.shutDown()
  }

  /// A cancelled registration leaves its paywall on screen, and the handle goes on hearing of it.
  @Test func cancelledWhilePresented() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let handle = PlacementHandle(app.tollgate)
    var features = 0
    let call = Task { await handle.register(placement: "open") { features += 1 } }
    try await waitOnMain { if case .presented = handle.state { true } else { false } }
    call.cancel()
    #expect(await call.value.error?.code == .cancelled)
    guard case .presented = handle.state else { throw NotThere() }
    await app.tollgate.dismiss()
    #expect(handle.state == .dismissed(.declined) && features == 0)
    await app.tollgate.shutDown()
  }

  @Test func handlesGo() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    weak var gone: PlacementHandle?
    do {
      let handle = PlacementHandle(app.tollgate)
      gone = handle
      await handle.register(placement: "nomatch")
    }
    try await waitOnMain { gone == nil }
    try await waitOnMain { await app.tollgate.hub.subscribers.isEmpty }
    await app.tollgate.shutDown()
  }

  // MARK: Subscriptions

  @Test func tokensEndWithTheirOwner() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let heard = Recorder<String>()
    var token: SubscriptionToken? = await app.tollgate.subscribe(
      handlerID: "h", to: [.subscriptionStatusDidChange]
    ) { heard.add($0.name.rawValue) }
    let other = await app.tollgate.subscribe(to: [.subscriptionStatusDidChange]) { _ in
      heard.add("other")
    }
    try await app.tollgate.setSubscriptionStatus(.active([Entitlement(id: "pro")]))
    #expect(heard.all == ["subscriptionStatusDidChange", "other"])
    token = nil
    #expect(token == nil)
    try await app.tollgate.setSubscriptionStatus(.inactive)
    #expect(heard.all == ["subscriptionStatusDidChange", "other", "other"])
    other.cancel()
    other.cancel()
    try await app.tollgate.setSubscriptionStatus(.active([Entitlement(id: "pro")]))
    #expect(heard.all.count == 3)
    try await waitOnMain { await app.tollgate.hub.subscribers.isEmpty }
    await app.tollgate.shutDown()
  }

  /// What nobody took is given once, to the first whom it fits.
  @Test func latecomersGetWhatWasKept() async throws {
    let tollgate = Tollgate(
      ports: .simulated(
        config: Samples.config, presenter: HostPresenter(show: { _ in }, hide: { _ in })
      ).unhurried,
      keepsEvents: true)
    try await tollgate.configure(apiKey: "pk")
    let handle = PlacementHandle(tollgate)
    // Nobody listens to skips of this handler but the handle.
    await handle.register(placement: "nomatch")
    try await tollgate.setSubscriptionStatus(.active([Entitlement(id: "pro")]))
    let heard = Recorder<String>()
    let names: Set<ModuleEvent.Name> = [.subscriptionStatusDidChange, .onPaywallSkip]
    let first = await tollgate.subscribe(to: names) { heard.add("first \($0.name)") }
    let second = await tollgate.subscribe(to: names) { heard.add("second \($0.name)") }
    try await tollgate.identify(userID: "flush")
    // The status of the start, and the one that was set.
    #expect(heard.all == Array(repeating: "first subscriptionStatusDidChange", count: 2))
    first.cancel()
    second.cancel()
    await tollgate.shutDown()
  }

  @Test func subscribersAnswerQuestions() async throws {
    let app = TestApp(platform: .android)
    try await app.tollgate.configure(apiKey: "pk")
    let handle = PlacementHandle(app.tollgate)
    let token = await app.tollgate.subscribe(
      handlerID: handle.handlerID,
      onCustomCallback: { callback in
        if callback.name == "bad" { throw NotThere() }
        return .success(["echo": .string(callback.name)])
      })
    let call = Task { await handle.register(placement: "open") }
    try await app.waitForPaywall("pw_open")
    app.presenter.handle?.requestCallback(requestID: "1", name: "good")
    app.presenter.handle?.requestCallback(requestID: "2", name: "bad")
    func results() -> [String] {
      app.commands.all.compactMap { command in
        guard case .message(let message) = command, message.value["name"] == "callback_result"
        else {
          return nil
        }
        return "\(message.value["requestId"]?.text ?? "") \(message.value["status"]?.text ?? "")"
      }.sorted()
    }
    try await waitOnMain { results().count == 2 }
    #expect(results() == ["1 success", "2 failure"])
    token.cancel()
    await app.tollgate.dismiss()
    _ = await call.value
    await app.tollgate.shutDown()
  }
}

import Expressions
import Observation
import RuleEngine
import SDKHooks
import Testing

@testable import SDK

/// What views see of the SDK.
@Suite("Store of views") @MainActor
struct StoreTests {
  /// What a call changes is there when it returns, without a timer: 200 of 200.
  @Test func followsCalls() async throws {
    let app = TestApp()
    let store = SuperwallStore(app.tollgate)
    #expect(!store.isConfigured && !store.isLoading && store.user == nil)
    try await store.configure(apiKey: "pk")
    #expect(store.isConfigured && !store.isLoading && store.configurationError == nil)
    #expect(store.configOrigin?.source == .network && store.configAge == .zero)
    #expect(store.user?["aliasId"] != nil && store.userID == nil)
    var late = 0
    for number in 0..<200 {
      try await store.identify(userID: "u\(number)")
      if store.userID != "u\(number)" || store.user?["appUserId"] != .string("u\(number)") {
        late += 1
      }
      try await store.setUserAttributes(["n": number])
      if store.user?["n"] != .whole(number) { late += 1 }
      let status = SubscriptionStatus(
        entitlements: number % 2 == 0 ? [Entitlement(id: "pro")] : [])
      try await store.setSubscriptionStatus(status)
      if store.subscriptionStatus != status { late += 1 }
    }
    #expect(late == 0)
    try await store.currentUser.setIntegrationAttributes([.adjustID: "a-1"])
    #expect(store.user?["adjustId"] == "a-1")
    try await store.currentUser.signOut()
    #expect(store.userID == nil && store.user?["n"] == nil && store.user?["adjustId"] == nil)
    await app.tollgate.shutDown()
  }

  @Test func tellsOfLoadingAndFailure() async throws {
    let app = TestApp(
      rules: [
        .init(.get, "/api/v1/static_config", [.json(nil, status: 403), .json(Samples.config)])
      ])
    let store = SuperwallStore(app.tollgate)
    let loading = Recorder<Bool>()
    let states = Task { for await state in app.tollgate.states() { loading.add(state.isLoading) } }
    do {
      try await store.configure(apiKey: "pk")
      Issue.record("it is configured")
    } catch {
      #expect(error.code == .configurationFailed)
    }
    #expect(store.configurationError?.hasPrefix("the config could not be loaded") == true)
    #expect(!store.isConfigured && !store.isLoading && store.configOrigin == nil)
    #expect(store.configAge == nil)
    try await store.configure(apiKey: "pk")
    #expect(store.configurationError == nil && store.isConfigured)
    await app.tollgate.shutDown()
    await states.value
    #expect(loading.all.first == false && loading.all.last == false)
  }

  @Test func knowsThePaywall() async throws {
    let app = TestApp()
    let store = SuperwallStore(app.tollgate)
    try await store.configure(apiKey: "pk")
    let outcome = Task { await store.register(placement: "gated") }
    try await app.waitForPaywall("pw_gated")
    try await waitOnMain { store.paywall?.identifier == "pw_gated" }
    #expect(app.tollgate.snapshot.paywall?.identifier == "pw_gated")
    await store.dismiss()
    #expect(store.paywall == nil && app.tollgate.snapshot.paywall == nil)
    _ = await outcome.value
    await app.tollgate.shutDown()
  }

  /// A view that reads the status is drawn again for the status, and for nothing else.
  @Test func viewsAreDrawnForWhatTheyRead() async throws {
    let app = TestApp()
    let store = SuperwallStore(app.tollgate)
    try await store.configure(apiKey: "pk")
    let drawn = Recorder<String>()
    withObservationTracking {
      _ = store.subscriptionStatus
    } onChange: {
      drawn.add("status")
    }
    withObservationTracking {
      _ = store.user
    } onChange: {
      drawn.add("user")
    }
    try await store.setSubscriptionStatus(.inactive)
    #expect(drawn.all.isEmpty)
    try await store.setUserAttributes(["a": 1])
    #expect(drawn.all == ["user"])
    try await store.setSubscriptionStatus(.active([Entitlement(id: "pro")]))
    #expect(drawn.all == ["user", "status"])
    await app.tollgate.shutDown()
  }

  @MainActor private final class Ear: TollgateDelegate {
    let store: SuperwallStore
    var seen: [SubscriptionStatus] = []

    init(_ store: SuperwallStore) { self.store = store }

    func subscriptionStatusDidChange(from old: SubscriptionStatus, to new: SubscriptionStatus) {
      seen.append(store.subscriptionStatus)
    }
  }

  /// A delegate that looks at the store sees what it is told of.
  @Test func isThereBeforeTheDelegateHears() async throws {
    let app = TestApp()
    let store = SuperwallStore(app.tollgate)
    let ear = Ear(store)
    await app.tollgate.setDelegate(ear)
    try await store.configure(apiKey: "pk")
    let active = SubscriptionStatus.active([Entitlement(id: "pro")])
    for status in [active, .inactive, active] { try await store.setSubscriptionStatus(status) }
    #expect(ear.seen == [active, .inactive, active])
    await app.tollgate.shutDown()
  }

  /// What was saved is there as soon as it is loaded.
  @Test func showsWhatWasSaved() async throws {
    let app = TestApp(status: "INACTIVE")
    _ = await app.tollgate.subscriptionStatus
    #expect(app.tollgate.snapshot.subscriptionStatus == .inactive)
    #expect(SuperwallStore(app.tollgate).subscriptionStatus == .inactive)
    await app.tollgate.shutDown()
  }

  /// Changes that depend on what was there before are made one after the other.
  @Test func updatesAreNotLost() async throws {
    let app = TestApp()
    let store = SuperwallStore(app.tollgate)
    try await store.configure(apiKey: "pk")
    let updates = (0..<50).map { _ in
      Task { try await store.currentUser.update { ["n": ($0["n"]?.wholeNumber ?? 0) + 1] } }
    }
    for update in updates { try await update.value }
    #expect(store.user?["n"] == 50)
    #expect(try await store.currentUser.refresh()["n"] == 50)
    try await store.currentUser.update(["n": nil])
    #expect(store.currentUser.attributes?["n"] == nil)
    await app.tollgate.shutDown()
    let failure: Result<Void, SDKError>
    do { failure = .success(try await store.currentUser.update { _ in [:] }) } catch {
      failure = .failure(error)
    }
    #expect(throws: SDKError.shutDown) { try failure.get() }
  }

  /// A store that is gone hears of nothing, and keeps nothing.
  @Test func storesGo() async throws {
    let app = TestApp()
    weak var gone: SuperwallStore?
    do {
      let store = SuperwallStore(app.tollgate)
      gone = store
      try await store.configure(apiKey: "pk")
    }
    #expect(gone == nil)
    #expect(app.tollgate.board.listenerCount == 0)
    await app.tollgate.shutDown()
  }

  // MARK: States

  /// A slow reader sees the first and the newest; the stream ends with the SDK, and one that begins
  /// after its end has one state.
  @Test func streamsOfStatesEnd() async throws {
    let app = TestApp()
    let states = app.tollgate.states()
    try await app.tollgate.configure(apiKey: "pk")
    for number in 0..<100 { try await app.tollgate.identify(userID: "u\(number)") }
    var iterator = states.makeAsyncIterator()
    #expect(await iterator.next()?.userID == "u99")
    await app.tollgate.shutDown()
    #expect(await iterator.next() == nil)
    var seen: [String?] = []
    for await state in app.tollgate.states() { seen.append(state.userID) }
    #expect(seen == ["u99"])
  }

  @Test func aStreamThatIsLeftIsForgotten() async throws {
    let app = TestApp()
    let reading = Task { for await _ in app.tollgate.states() {} }
    try await waitOnMain { app.tollgate.board.listenerCount == 1 }
    reading.cancel()
    try await waitOnMain { app.tollgate.board.listenerCount == 0 }
    await app.tollgate.shutDown()
  }
}

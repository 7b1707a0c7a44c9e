import Expressions
import RuleEngine
import Testing

@testable import SDK

/// The SDK as an app uses it.
@Suite("Tollgate")
struct TollgateTests {
  @Test func featureRunsWhenNobodyIsToPay() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let ran = Recorder<String>()
    let outcome = await app.tollgate.register(placement: "nomatch") { ran.add("feature") }
    #expect(outcome.kind == .skipped(.noAudienceMatch))
    #expect(ran.all == ["feature"])
  }

  /// The bug that the contract names: the feature must wait for the paywall's end.
  @Test func gatedFeatureRunsAfterThePurchaseOnly() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let heard = Recorder<String>()
    let handler = PaywallPresentationHandler()
    handler.onPresent { heard.add("present \($0.identifier)") }
    handler.onDismiss { info, result in heard.add("dismiss \(info.closeReason) \(result)") }
    handler.onSkip { _ in heard.add("skip") }
    handler.onError { _ in heard.add("error") }
    let declined = Task {
      await app.tollgate.register(placement: "gated", handler: handler) { heard.add("feature") }
    }
    try await app.waitForPaywall("pw_gated")
    app.presenter.handle?.closeTapped()
    #expect(await declined.value.featureGranted == false)

    let bought = Task {
      await app.tollgate.register(placement: "gated", handler: handler) { heard.add("feature") }
    }
    try await wait { app.tollgate.snapshot.isPaywallPresented }
    app.presenter.handle?.purchaseTapped(Samples.year.id)
    #expect(
      await bought.value.kind == .presented(.purchased(productID: Samples.year.id), .systemLogic))
    #expect(
      heard.all == [
        "present pw_gated", "dismiss manualClose declined", "present pw_gated",
        "dismiss systemLogic purchased(productID: \"com.tollgate.pro.year\")", "feature",
      ])
    #expect(await app.tollgate.subscriptionStatus == .active([Entitlement(id: "pro")]))
    #expect(await app.tollgate.entitlements.active == [Entitlement(id: "pro")])
  }

  @Test func errorsAreOutcomes() async throws {
    let app = TestApp()
    let outcome = Task { await app.tollgate.register(placement: "gated") }
    try await wait { app.clock.nextDeadline == Samples.start + 10_000 }
    #expect(app.clock.step(upTo: Samples.start + 10_000))
    #expect(await outcome.value.kind == .error(.configureNotCalled))
    await #expect(throws: SDKError.self) { try await app.tollgate.configure(apiKey: " ") }
  }

  @Test func delegateHearsEverythingInOrder() async throws {
    let app = TestApp(status: nil)
    let heard = Recorder<String>()
    let delegate = await HearingDelegate(heard)
    await app.tollgate.setDelegate(delegate)
    try await app.tollgate.configure(apiKey: "pk")
    let task = Task { await app.tollgate.register(placement: "open") }
    try await app.waitForPaywall("pw_open")
    app.presenter.handle?.customAction("help")
    await app.tollgate.dismiss()
    #expect(await task.value.featureGranted)
    try await wait { heard.all.contains("didDismiss") }
    #expect(
      heard.all.filter { !$0.hasPrefix("event") } == [
        "status unknown inactive", "willPresent", "didPresent", "action help", "willDismiss",
        "didDismiss",
      ])
    let events = heard.all.filter { $0.hasPrefix("event") }
    #expect(
      events.firstIndex(of: "event configRefresh")! < events.firstIndex(of: "event paywallOpen")!)
  }

  @Test func customCallbacksAreAnsweredByTheHandler() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let handler = PaywallPresentationHandler()
    handler.onCustomCallback { callback in
      callback.name == "validate" ? .success(["ok": true]) : .failure()
    }
    let task = Task {
      await app.tollgate.register(placement: "open", handler: handler)
    }
    try await app.waitForPaywall("pw_open")
    app.presenter.handle?.requestCallback(requestID: "1", name: "validate")
    try await app.waitFor {
      $0 == .message(.callbackResult(requestID: "1", .success(["ok": true])))
    }
    app.presenter.handle?.requestCallback(requestID: "2", name: "other")
    try await app.waitFor { $0 == .message(.callbackResult(requestID: "2", .failure())) }
    await app.tollgate.dismiss()
    _ = await task.value
  }

  /// A handler without a function for them answers no at once.
  @Test func customCallbacksWithoutFunctionFail() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let task = Task {
      await app.tollgate.register(placement: "open", handler: PaywallPresentationHandler())
    }
    try await app.waitForPaywall("pw_open")
    app.presenter.handle?.requestCallback(requestID: "1", name: "validate")
    try await app.waitFor { $0 == .message(.callbackResult(requestID: "1", .failure())) }
    await app.tollgate.dismiss()
    _ = await task.value
  }

  @Test func backPressAsksTheApp() async throws {
    let app = TestApp(platform: .android)
    try await app.tollgate.configure(apiKey: "pk")
    let answers = Locked([true, false])
    await app.tollgate.onBackPressed { _ in answers.withLock { $0.removeFirst() } }
    let task = Task { await app.tollgate.register(placement: "back") }
    try await app.waitForPaywall("pw_back")
    #expect(await app.presenter.handle?.backPressed() == true)
    #expect(app.tollgate.snapshot.isPaywallPresented)
    #expect(await app.presenter.handle?.backPressed() == false)
    #expect(await task.value.kind == .presented(.declined, .manualClose))
  }

  @Test func eventsCanBeReadAsAStream() async throws {
    let app = TestApp()
    let events = await app.tollgate.events()
    try await app.tollgate.configure(apiKey: "pk")
    for await event in events where event.name == .handleSuperwallEvent {
      if case .handleSuperwallEvent(.configRefresh) = event { break }
    }
  }

  @Test func shuttingDownEndsEveryCall() async throws {
    let app = TestApp()
    let waiting = Task { try await app.tollgate.getAssignments() }
    try await wait { app.clock.nextDeadline != nil }
    await app.tollgate.shutDown()
    await #expect(throws: SDKError.self) { try await waiting.value }
    await #expect(throws: SDKError.shutDown) { try await app.tollgate.reset() }
    #expect(await app.tollgate.register(placement: "open").kind == .error(.shutDown))
  }

  @Test func attributesAndIdentityRoundTrip() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    try await app.tollgate.identify(userID: " u1 ")
    try await app.tollgate.setUserAttributes(["goal": "sleep", "age": 4])
    try await app.tollgate.setIntegrationAttributes([.adjustID: "a", .mixpanelDistinctID: nil])
    let attributes = try await app.tollgate.getUserAttributes()
    #expect(attributes["appUserId"] == "u1" && attributes["goal"] == "sleep")
    #expect(try await app.tollgate.getIntegrationAttributes() == [.adjustID: "a"])
    #expect(try await app.tollgate.getDeviceAttributes()["platform"] == "iOS")
    #expect(try await app.tollgate.getAssignments().count == 16)
    let result = try await app.tollgate.getPresentationResult(forPlacement: "gated")
    #expect(result.type == "Paywall")
    // Servers know their users by the headers.
    try await wait { app.requests.all.contains { $0.path == "/api/v1/assignments" } }
    let assignments = app.requests.all.first { $0.path == "/api/v1/assignments" }
    #expect(assignments?.headers.contains(.init("X-App-User-ID", "u1")) == true)
  }
}

@MainActor
private final class HearingDelegate: TollgateDelegate {
  private let heard: Recorder<String>

  init(_ heard: Recorder<String>) { self.heard = heard }

  func subscriptionStatusDidChange(from old: SubscriptionStatus, to new: SubscriptionStatus) {
    heard.add("status \(old) \(new)")
  }
  func handleSuperwallEvent(withInfo info: SuperwallEventInfo) {
    heard.add("event \(info.event.name)")
  }
  func handleCustomPaywallAction(withName name: String) { heard.add("action \(name)") }
  func willPresentPaywall(withInfo info: PaywallInfo) { heard.add("willPresent") }
  func didPresentPaywall(withInfo info: PaywallInfo) { heard.add("didPresent") }
  func willDismissPaywall(withInfo info: PaywallInfo) { heard.add("willDismiss") }
  func didDismissPaywall(withInfo info: PaywallInfo) { heard.add("didDismiss") }
}

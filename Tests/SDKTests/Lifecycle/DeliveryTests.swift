import Expressions
import RuleEngine
import TestSupport
import Testing

@testable import SDK

/// What a call causes is heard before it returns, and in its order with what the host does.
@Suite("Delivery")
struct DeliveryTests {
  /// A host and an app that write down what they hear, all on the main actor.
  @MainActor
  private final class Ear: TollgateDelegate {
    var heard: [String] = []

    nonisolated init() {}

    func subscriptionStatusDidChange(from old: SubscriptionStatus, to new: SubscriptionStatus) {
      heard.append("status")
    }
    func willPresentPaywall(withInfo info: PaywallInfo) { heard.append("willPresent") }
    func didPresentPaywall(withInfo info: PaywallInfo) { heard.append("didPresent") }
    func willDismissPaywall(withInfo info: PaywallInfo) { heard.append("willDismiss") }
    func didDismissPaywall(withInfo info: PaywallInfo) { heard.append("didDismiss") }
    func paywallWillOpenURL(url: String) { heard.append("willOpen") }
  }

  private func tollgate(_ presenter: HostPresenter) -> Tollgate {
    let time = VirtualClock(now: Samples.start)
    return Tollgate(
      ports: Ports(
        time: time,
        transport: ScriptedTransport(
          rules: [.init(.get, "/api/v1/static_config", [.json(Samples.config)])]
            + ScriptedTransport.Rule.backend(of: .null), time: time),
        storage: InMemoryStorage(["status": ["status": "INACTIVE"]]),
        store: SimulatedStore(products: [Samples.year]), presenter: presenter,
        device: FixedDevice()))
  }

  /// 1,000 of 1,000: what a test that awaits a call then looks at is there.
  @Test func callsReturnAfterTheirCallbacks() async throws {
    let ear = Ear()
    let tollgate = tollgate(HostPresenter(show: { _ in }, hide: { _ in }))
    await tollgate.setDelegate(ear)
    try await tollgate.configure(apiKey: "pk")
    var late = 0
    for number in 0..<1_000 {
      await MainActor.run { ear.heard = [] }
      let status = SubscriptionStatus(
        entitlements: number % 2 == 0 ? [Entitlement(id: "pro")] : [])
      try await tollgate.setSubscriptionStatus(status)
      if await ear.heard != ["status"] { late += 1 }
      let skips = Recorder<Int>()
      let handler = PaywallPresentationHandler()
      handler.onSkip { _ in skips.add(1) }
      await tollgate.register(placement: "nomatch", handler: handler)
      if skips.all.count != 1 { late += 1 }
    }
    #expect(late == 0)
  }

  /// The app hears of a paywall before the host shows it, and before the host takes it away.
  @Test func hostsComeAfterTheApp() async throws {
    let ear = Ear()
    var presenter = HostPresenter(
      show: { _ in ear.heard.append("SHOW") }, hide: { _ in ear.heard.append("HIDE") })
    presenter.openURL = { url, _ in ear.heard.append("OPEN \(url)") }
    presenter.tell = { message, presentation in
      guard message == .paywallOpen else { return }
      presentation.handle.openURL("https://\(presentation.id)")
      presentation.handle.closeTapped()
    }
    let tollgate = tollgate(presenter)
    await tollgate.setDelegate(ear)
    try await tollgate.configure(apiKey: "pk")
    var orders: Set<[String]> = []
    var opened = 0
    for _ in 0..<Extent.count(1_000, or: 300) {
      await MainActor.run { ear.heard = [] }
      let handler = PaywallPresentationHandler()
      let id = Recorder<String>()
      handler.onPresent { info in
        id.add(info.presentationID ?? "")
        ear.heard.append("onPresent")
      }
      handler.onDismiss { _, _ in ear.heard.append("onDismiss") }
      await tollgate.register(placement: "open", handler: handler) { ear.heard.append("feature") }
      let heard = await ear.heard
      orders.insert(heard.filter { !$0.hasPrefix("OPEN") })
      // Nobody waits for an address to be opened, so that one of the round before may come here.
      let opening = heard.firstIndex(of: "OPEN https://\(id.all.first ?? "")")
      if let told = heard.firstIndex(of: "willOpen"), let opening {
        #expect(told < opening)
        opened += 1
      }
    }
    #expect(opened > 0)
    #expect(
      orders == [
        [
          "willPresent", "SHOW", "didPresent", "onPresent", "willOpen", "willDismiss", "HIDE",
          "onDismiss", "didDismiss", "feature",
        ]
      ])
  }

  /// A call that a callback begins, and even one that it waits for, comes to its end.
  @Test func callbacksCanCall() async throws {
    let tollgate = tollgate(HostPresenter(show: { _ in }, hide: { _ in }))
    try await tollgate.configure(apiKey: "pk")
    let ended = Recorder<String>()
    let handler = PaywallPresentationHandler()
    handler.onSkip { _ in
      let hasEnded = SharedFlag()
      // The main actor is busy until the call has ended.
      let work: @Sendable () async -> Void = {
        try? await tollgate.setSubscriptionStatus(.active([Entitlement(id: "pro")]))
        hasEnded.toggle()
      }
      Task(operation: work)
      let deadline = ContinuousClock.now + .seconds(300)
      while !hasEnded.isSet, ContinuousClock.now < deadline {}
      ended.add(hasEnded.isSet ? "ended" : "stuck")
    }
    let ear = Ear()
    await tollgate.setDelegate(ear)
    await tollgate.register(placement: "nomatch", handler: handler)
    #expect(ended.all == ["ended"])
  }
}

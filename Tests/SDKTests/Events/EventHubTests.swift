import Testing

@testable import SDK

@Suite("Event hub")
struct EventHubTests {
  private func skip(_ handler: String) -> ModuleEvent {
    .onPaywallSkip(.noAudienceMatch, handlerID: handler)
  }

  private func callback(_ handler: String) -> ModuleEvent {
    .onCustomCallback(callbackID: "c", CustomCallback(name: "n"), handlerID: handler)
  }

  private func subscriber(_ id: Int, _ handler: String?, _ events: ModuleEvent.Name...)
    -> EventHub.Subscriber
  {
    EventHub.Subscriber(id: id, handlerID: handler, events: Set(events))
  }

  @Test func scopedEventsGoToTheirHandlerAndToThoseWithout() {
    var hub = EventHub()
    _ = hub.subscribe(subscriber(1, "a", .onPaywallSkip))
    _ = hub.subscribe(subscriber(2, "b", .onPaywallSkip))
    _ = hub.subscribe(subscriber(3, nil, .onPaywallSkip))
    _ = hub.subscribe(subscriber(4, nil, .onPaywallError))
    #expect(hub.publish(skip("a")) == [1, 3])
    #expect(hub.publish(skip("c")) == [3])
    hub.unsubscribe(3)
    #expect(hub.publish(skip("c")) == [])
  }

  @Test func eventsForEverybodyReachScopedSubscribersToo() {
    var hub = EventHub()
    _ = hub.subscribe(subscriber(1, "a", .willRedeemLink))
    #expect(hub.publish(.willRedeemLink) == [1])
  }

  @Test func customCallbacksHaveOneRespondentWithTheirHandler() {
    var hub = EventHub()
    _ = hub.subscribe(subscriber(1, nil, .onCustomCallback))
    #expect(hub.publish(callback("a")) == [])
    _ = hub.subscribe(subscriber(2, "a", .onCustomCallback))
    _ = hub.subscribe(subscriber(3, "a", .onCustomCallback))
    #expect(hub.publish(callback("a")) == [2])
    _ = hub.subscribe(subscriber(4, nil, .onBackPressed))
    _ = hub.subscribe(subscriber(5, nil, .onBackPressed))
    #expect(hub.publish(.onBackPressed(.none)) == [4])
  }

  @Test func keptEventsAreGivenOnceAndOnlyToTheirHandler() {
    var hub = EventHub(keepsEvents: true)
    _ = hub.publish(skip("a"))
    _ = hub.publish(.willRedeemLink)
    #expect(hub.subscribe(subscriber(1, nil, .onPaywallSkip)).isEmpty)
    #expect(hub.subscribe(subscriber(2, "b", .onPaywallSkip)).isEmpty)
    #expect(hub.subscribe(subscriber(3, "a", .onPaywallSkip, .willRedeemLink)).count == 2)
    #expect(hub.subscribe(subscriber(4, "a", .onPaywallSkip, .willRedeemLink)).isEmpty)
  }

  /// Who has no answer to a question does not hear it, whatever was asked for.
  @Test func questionsAreForThoseWhoAnswer() {
    let all: Set<ModuleEvent.Name> = [.onCustomCallback, .onBackPressed, .onPaywallSkip]
    #expect(EventCallbacks(all).names == [.onPaywallSkip])
    #expect(
      EventCallbacks([], onCustomCallback: { _ in throw CancellationError() }).names
        == [.onCustomCallback])
    #expect(EventCallbacks([], onBackPressed: { _ in true }).names == [.onBackPressed])
  }

  @Test func questionsAreNeverKept() {
    var hub = EventHub(keepsEvents: true)
    for event in [
      .onPurchase(PurchaseRequest(productID: "p")), .onPurchaseRestore, .onBackPressed(.none),
      callback("a"),
    ] as [ModuleEvent] {
      _ = hub.publish(event)
    }
    #expect(hub.kept.isEmpty)
  }

  @Test func theNumberOfKeptEventsIsLimited() {
    var hub = EventHub(keepsEvents: true, limit: 3)
    for number in 0..<10 { _ = hub.publish(skip("\(number)")) }
    #expect(hub.kept.map(\.handlerID) == ["7", "8", "9"])
    #expect(EventHub().limit == 1_000)
    var silent = EventHub()
    _ = silent.publish(skip("a"))
    #expect(silent.kept.isEmpty)
  }
}

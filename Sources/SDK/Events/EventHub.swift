/// Decides which subscriber receives which event, and stores events for late subscribers.
///
/// The rules match the rules of the wrapper in the SDK contract. An event with a handler reaches the subscribers with
/// that handler and the subscribers without any handler. Custom callbacks reach only subscribers with the handler. An
/// event without a receiver is stored and delivered once, to the first subscriber that matches. A stored event with a
/// handler needs a subscriber with the same handler. Questions are never stored, because an absent subscriber cannot
/// answer.
struct EventHub: Sendable {
  struct Subscriber: Hashable, Sendable {
    var id: Int
    /// The handler whose events the subscriber accepts. Nil accepts the events of all handlers.
    var handlerID: String?
    /// The events that the subscriber receives.
    var events: Set<ModuleEvent.Name>

    func wants(_ event: ModuleEvent) -> Bool { events.contains(event.name) }
  }

  /// Whether events are stored for later subscribers.
  var keepsEvents: Bool
  /// The maximum number of stored events. The oldest events are dropped first.
  let limit: Int
  private(set) var subscribers: [Subscriber] = []
  private(set) var kept: [ModuleEvent] = []

  private static let questions: Set<ModuleEvent.Name> = [
    .onPurchase, .onPurchaseRestore, .onBackPressed, .onCustomCallback,
  ]

  init(keepsEvents: Bool = false, limit: Int = 1_000) {
    self.keepsEvents = keepsEvents
    self.limit = limit
  }

  /// Returns the receivers of an event, in the order of subscription.
  mutating func publish(_ event: ModuleEvent) -> [Int] {
    if event.name == .onCustomCallback || event.name == .onBackPressed {
      return respondent(to: event).map { [$0] } ?? []
    }
    let receivers = subscribers.filter { subscriber in
      let isForeign =
        event.handlerID != nil && subscriber.handlerID != nil
        && subscriber.handlerID != event.handlerID
      return subscriber.wants(event) && !isForeign
    }
    if receivers.isEmpty, keepsEvents, !Self.questions.contains(event.name) {
      kept.append(event)
      if kept.count > limit { kept.removeFirst(kept.count - limit) }
    }
    return receivers.map(\.id)
  }

  /// The single subscriber that answers a custom callback or a press of the back button.
  func respondent(to event: ModuleEvent) -> Int? {
    let isScoped = event.name == .onCustomCallback
    return subscribers.first { subscriber in
      subscriber.wants(event) && (!isScoped || subscriber.handlerID == event.handlerID)
    }?.id
  }

  /// Adds a subscriber and returns the stored events for it.
  mutating func subscribe(_ subscriber: Subscriber) -> [ModuleEvent] {
    subscribers.append(subscriber)
    var given: [ModuleEvent] = []
    kept.removeAll { event in
      let isForeign = event.handlerID != nil && event.handlerID != subscriber.handlerID
      guard subscriber.wants(event), !isForeign else { return false }
      given.append(event)
      return true
    }
    return given
  }

  mutating func unsubscribe(_ id: Int) { subscribers.removeAll { $0.id == id } }
}

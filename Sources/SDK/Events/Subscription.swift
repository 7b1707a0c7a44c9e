/// What a subscriber is called with. Everything is called in the order of the events.
package struct EventCallbacks: Sendable {
  /// The events to hear of; questions are heard of with their own callbacks.
  package var events: Set<ModuleEvent.Name>
  package var onEvent: @Sendable (ModuleEvent) -> Void
  /// Answers custom callbacks of the subscriber's handler. What it throws is a failure.
  package var onCustomCallback: (@Sendable (CustomCallback) async throws -> CustomCallbackResult)?
  /// Says whether the app used a press of Android's back button for itself.
  package var onBackPressed: (@Sendable (PaywallInfo) async -> Bool)?

  package init(
    _ events: Set<ModuleEvent.Name>, onEvent: @escaping @Sendable (ModuleEvent) -> Void = { _ in },
    onCustomCallback: (@Sendable (CustomCallback) async throws -> CustomCallbackResult)? = nil,
    onBackPressed: (@Sendable (PaywallInfo) async -> Bool)? = nil
  ) {
    self.events = events
    self.onEvent = onEvent
    self.onCustomCallback = onCustomCallback
    self.onBackPressed = onBackPressed
  }

  var names: Set<ModuleEvent.Name> {
    var names = events.subtracting([.onCustomCallback, .onBackPressed])
    if onCustomCallback != nil { names.insert(.onCustomCallback) }
    if onBackPressed != nil { names.insert(.onBackPressed) }
    return names
  }
}

/// Names a subscription, to end it with ``Tollgate/unsubscribe(_:)``.
public struct EventSubscription: Hashable, Sendable {
  let id: Int
}

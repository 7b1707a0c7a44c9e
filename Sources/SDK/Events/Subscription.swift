/// The callbacks of a subscriber, called in the order of the events.
package struct EventCallbacks: Sendable {
  /// The events to receive. Questions have their own callbacks.
  package var events: Set<ModuleEvent.Name>
  package var onEvent: @Sendable (ModuleEvent) -> Void
  /// Answers custom callbacks of the subscriber's handler. If the callback throws, the answer is a failure.
  package var onCustomCallback: (@Sendable (CustomCallback) async throws -> CustomCallbackResult)?
  /// Whether the app consumed a press of Android's back button.
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

/// Identifies a subscription for ``Tollgate/unsubscribe(_:)``.
public struct EventSubscription: Hashable, Sendable {
  let id: Int
}

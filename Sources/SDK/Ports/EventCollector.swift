package import Expressions

/// Takes events for the backend's statistics.
package protocol EventCollector: Sendable {
  /// Called in the order of the events; returns at once.
  func add(_ event: CollectedEvent)
}

/// An event as it is uploaded.
package struct CollectedEvent: Hashable, Sendable {
  /// Unique, so that an event that arrives twice counts once.
  package var id: String
  package var name: String
  /// An object.
  package var parameters: Value
  package var createdAt: Instant

  package init(id: String, name: String, parameters: Value, createdAt: Instant) {
    self.id = id
    self.name = name
    self.parameters = parameters
    self.createdAt = createdAt
  }
}

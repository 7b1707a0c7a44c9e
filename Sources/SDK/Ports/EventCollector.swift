public import Expressions

/// Takes events for the backend's statistics.
public protocol EventCollector: Sendable {
  /// Called in the order of the events; returns at once.
  func add(_ event: CollectedEvent)
}

/// An event as it is uploaded.
public struct CollectedEvent: Hashable, Sendable {
  /// Unique, so that an event that arrives twice counts once.
  public var id: String
  public var name: String
  /// An object.
  public var parameters: Value
  /// Milliseconds since 1970.
  public var createdAt: Int64

  public init(id: String, name: String, parameters: Value, createdAt: Int64) {
    self.id = id
    self.name = name
    self.parameters = parameters
    self.createdAt = createdAt
  }
}

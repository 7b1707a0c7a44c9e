public import Expressions

/// Keeps what has to survive the end of the process: one JSON object.
public protocol StateStorage: Sendable {
  /// What was saved last, or nil when there is nothing or it cannot be read.
  func load() -> Value?
  /// Replaces what was saved. Called in the order of the changes; returns soon.
  func save(_ state: Value)
}

/// Keeps what happened: events by name, and how often rules applied.
package protocol EventLog: Sendable {
  /// Everything that is kept, oldest first.
  func load() -> [EventLogEntry]
  func append(_ entry: EventLogEntry)
  /// Forgets all occurrences, and all events but those with these names.
  func clear(keepingEvents names: Set<String>)
}

/// One entry of the ``EventLog``.
package enum EventLogEntry: Hashable, Sendable {
  /// A placement or an event of the SDK.
  case event(name: String, at: Instant)
  /// A rule with an occurrence limit applied.
  case occurrence(key: String, at: Instant)
}

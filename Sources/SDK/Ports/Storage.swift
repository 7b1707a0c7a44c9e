public import Expressions

/// Keeps what has to survive the end of the process: one JSON object.
///
/// The SDK does not wait for it, but for what was saved, once, when it starts. Functions are called
/// one at a time. One that takes longer than ``Timeouts/storage`` is told of in the log; what could
/// not be loaded by then is left as it is, and nothing is saved over it.
public protocol StateStorage: Sendable {
  /// What was saved last, or nil when there is nothing or it cannot be read.
  func load() async -> Value?
  /// Replaces what was saved. Of changes that come while it saves, only the last is saved.
  func save(_ state: Value) async
}

/// A storage that keeps the last config too, for starts without a network. With one that does not
/// there is only ``TollgateOptions/fallbackConfig``.
public protocol ConfigStorage: StateStorage {
  /// What was saved last, or nil when there is nothing or it cannot be read.
  func loadConfig() async -> Value?
  /// Replaces what was saved: a config as one JSON object, with the time when it was fetched.
  func saveConfig(_ config: Value) async
}

/// Keeps what happened: events by name, and how often rules applied.
package protocol EventLog: Sendable {
  /// Everything that is kept, oldest first.
  func load() async -> [EventLogEntry]
  func append(_ entry: EventLogEntry) async
  /// Forgets all occurrences, and all events but those with these names.
  func clear(keepingEvents names: Set<String>) async
}

/// One entry of the ``EventLog``.
package enum EventLogEntry: Hashable, Sendable {
  /// A placement or an event of the SDK.
  case event(name: String, at: Instant)
  /// A rule with an occurrence limit applied.
  case occurrence(key: String, at: Instant)
}

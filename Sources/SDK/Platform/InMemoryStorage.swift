public import Expressions

/// Keeps the state for as long as the object lives.
public final class InMemoryStorage: ConfigStorage {
  private let state: Locked<Value?>
  private let config = Locked<Value?>(nil)

  public init(_ state: Value? = nil) { self.state = Locked(state) }

  public func load() -> Value? { state.withLock { $0 } }

  public func save(_ state: Value) { self.state.withLock { $0 = state } }

  public func loadConfig() -> Value? { config.withLock { $0 } }

  public func saveConfig(_ config: Value) { self.config.withLock { $0 = config } }
}

/// Keeps what happened for as long as the object lives.
package final class InMemoryEventLog: EventLog {
  private let entries = Locked<[EventLogEntry]>([])

  package init() {}

  package func load() -> [EventLogEntry] { entries.withLock { $0 } }

  package func append(_ entry: EventLogEntry) { entries.withLock { $0.append(entry) } }

  package func clear(keepingEvents names: Set<String>) {
    entries.withLock { entries in
      entries.removeAll { entry in
        if case .event(let name, _) = entry { return !names.contains(name) }
        return true
      }
    }
  }
}

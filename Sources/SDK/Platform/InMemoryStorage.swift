public import Expressions

/// The contents of a storage, as a value.
package struct StorageImage: Hashable, Sendable {
  package private(set) var records: [String: Value] = [:]
  package private(set) var logs: [String: StorageLog] = [:]

  package init() {}

  init(logs: [String: StorageLog]) { self.logs = logs }

  package var isEmpty: Bool { records.isEmpty && logs.isEmpty }

  package func records(_ prefix: String) -> [String: Value] {
    records.filter { $0.key.utf8.starts(with: prefix.utf8) }
  }

  package func logs(_ names: [String]?) -> [String: StorageLog] {
    guard let names else { return logs }
    var found: [String: StorageLog] = [:]
    for name in names { found[name] = logs[name] }
    return found
  }

  package mutating func apply(_ change: StorageChange) {
    switch change {
    case .set(let key, let value): records[key] = value
    case .remove(let key): records[key] = nil
    case .append(let name, let time): logs[name, default: StorageLog()].append(time)
    case .clearLogs(let names): logs = logs.filter { names.contains($0.key) }
    }
  }

  /// Adds the earlier entries of a log.
  package mutating func add(_ log: StorageLog, to name: String) {
    logs[name, default: StorageLog()].append(log)
  }
}

/// Stores the SDK's data for the lifetime of the object.
public final class InMemoryStorage: StateStorage {
  private let image: Locked<StorageImage>

  /// - Parameter state: the data that an earlier process stored, an object.
  public init(_ state: Value? = nil) {
    var image = StorageImage()
    for (key, value) in StateRecords.records(of: state ?? .null) { image.apply(.set(key, value)) }
    self.image = Locked(image)
  }

  public func records(_ prefix: String) -> [String: Value] {
    image.withLock { $0.records(prefix) }
  }

  public func logs(_ names: [String]?) -> [String: StorageLog] { image.withLock { $0.logs(names) } }

  public func write(_ changes: [StorageChange]) {
    image.withLock { image in for change in changes { image.apply(change) } }
  }

  /// The state as one object, or nil if no state is stored.
  package func load() -> Value? {
    let records = records(StorageKey.state)
    return records.isEmpty ? nil : StateRecords.state(of: records)
  }
}

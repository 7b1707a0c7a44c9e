internal import Expressions

/// What is to be written in one go.
struct StorageBatch: Sendable {
  /// How many entries of logs are kept for a storage that does not answer, or fails; the oldest go first.
  static let limit = 10_000

  /// Only the last state counts.
  private(set) var state: Value?
  /// By key; nil is one that is removed. Only the last counts.
  private(set) var records: [String: Value?] = [:]
  private(set) var log: [StorageChange] = []

  var isEmpty: Bool { state == nil && records.isEmpty && log.isEmpty }

  mutating func save(_ value: Value) { state = value }

  mutating func set(_ key: String, _ value: Value?) {
    // An event that was not uploaded has a key of its own: while it waits here it was never stored.
    if value == nil, key.hasPrefix(StorageKey.unsent), case .some(.some) = records[key] {
      records.removeValue(forKey: key)
    } else {
      records.updateValue(value, forKey: key)
    }
  }

  mutating func append(_ change: StorageChange) {
    log.append(change)
    if log.count > Self.limit { trim(to: Self.limit * 9 / 10) }
  }

  /// Adds what changed after this.
  mutating func add(_ later: StorageBatch) {
    state = later.state ?? state
    for (key, value) in later.records { set(key, value) }
    log += later.log
    if log.count > Self.limit { trim(to: Self.limit) }
  }

  /// What is forgotten stays forgotten, however much is left out.
  private mutating func trim(to count: Int) {
    var kept: Set<String>?
    for case .clearLogs(let names) in log.prefix(log.count - count) {
      kept = kept.map { $0.intersection(names) } ?? names
    }
    log.removeFirst(log.count - count)
    if let kept { log.insert(.clearLogs(except: kept), at: 0) }
  }

  /// What a storage has to change.
  ///
  /// - Parameters:
  ///   - stored: the records of the state that it has.
  ///   - records: those that it is to have; nil when the state has not changed.
  func changes(from stored: [String: Value], to records: [String: Value]?) -> [StorageChange] {
    var changes = records.map { StateRecords.changes(from: stored, to: $0) } ?? []
    for (key, value) in self.records {
      changes.append(value.map { .set(key, $0) } ?? .remove(key))
    }
    return changes + log
  }
}

/// What a storage was asked to write, or will be, before logs are read that may not show it.
struct UnwrittenLogs: Sendable {
  /// What is being written: it may be there or not.
  var written: [StorageChange] = []
  /// What is certainly not there yet.
  var waiting: [StorageChange] = []

  /// Adds to logs that were read what they lack. What is being written is left out, but for the times that
  /// follow a change that forgets all others: then they are known, whether it was written or not.
  func complete(_ logs: [String: StorageLog], _ names: [String]?) -> [String: StorageLog] {
    guard !written.isEmpty || !waiting.isEmpty else { return logs }
    var image = StorageImage(logs: logs)
    var kept: Set<String>?
    for change in written {
      switch change {
      case .clearLogs(let names):
        kept = kept.map { $0.intersection(names) } ?? names
        image.apply(change)
      case .append(let name, _):
        if kept.map({ !$0.contains(name) }) ?? false { image.apply(change) }
      case .set, .remove: break
      }
    }
    for change in waiting { image.apply(change) }
    return image.logs(names)
  }
}

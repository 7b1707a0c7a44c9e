internal import Expressions

/// Changes that are written together.
struct StorageBatch: Sendable {
  /// The maximum number of log entries that wait while a storage fails or does not answer. The oldest entries are
  /// dropped first.
  static let limit = 10_000

  /// The newest state, which replaces earlier states.
  private(set) var state: Value?
  /// The newest record of each key. Nil means that the record is removed.
  private(set) var records: [String: Value?] = [:]
  private(set) var log: [StorageChange] = []

  var isEmpty: Bool { state == nil && records.isEmpty && log.isEmpty }

  mutating func save(_ value: Value) { state = value }

  mutating func set(_ key: String, _ value: Value?) {
    // Each event that was not uploaded has its own key. A waiting event was never stored, so there is nothing to
    // remove.
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

  /// Adds later changes.
  mutating func add(_ later: StorageBatch) {
    state = later.state ?? state
    for (key, value) in later.records { set(key, value) }
    log += later.log
    if log.count > Self.limit { trim(to: Self.limit) }
  }

  /// Drops the oldest entries. Resets of logs are never dropped.
  private mutating func trim(to count: Int) {
    var kept: Set<String>?
    for case .clearLogs(let names) in log.prefix(log.count - count) {
      kept = kept.map { $0.intersection(names) } ?? names
    }
    log.removeFirst(log.count - count)
    if let kept { log.insert(.clearLogs(except: kept), at: 0) }
  }

  /// The changes that bring a storage up to date.
  ///
  /// - Parameters:
  ///   - stored: the records in the storage.
  ///   - records: the records that the storage should have, or nil if the state has not changed.
  func changes(from stored: [String: Value], to records: [String: Value]?) -> [StorageChange] {
    var changes = records.map { StateRecords.changes(from: stored, to: $0) } ?? []
    for (key, value) in self.records {
      changes.append(value.map { .set(key, $0) } ?? .remove(key))
    }
    return changes + log
  }
}

/// The changes that were sent or wait to be sent to a storage, and that a read of its logs may not
/// show yet.
struct UnwrittenLogs: Sendable {
  /// The batch that is being written. The storage may already contain its changes.
  var written: [StorageChange] = []
  /// The batches that are not written yet.
  var waiting: [StorageChange] = []

  /// Adds the unwritten entries to logs that were read. Entries of the batch that is being written are omitted, because
  /// the storage may already contain them. Entries after a reset of their log are always added.
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

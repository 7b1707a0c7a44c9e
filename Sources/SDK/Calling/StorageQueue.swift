internal import Expressions

/// Writes what changes, one thing after the other and beside everything else: a storage that does
/// not answer keeps nobody waiting for long.
final class StorageQueue: Sendable {
  /// What is to be written in one go.
  private struct Batch: Sendable {
    /// Only the last state counts.
    var state: Value?
    /// By key; nil is one that is removed. Only the last counts.
    var records: [String: Value?] = [:]
    var log: [StorageChange] = []

    var isEmpty: Bool { state == nil && records.isEmpty && log.isEmpty }

    /// Adds what changed after this.
    mutating func add(_ later: Batch) {
      state = later.state ?? state
      records.merge(later.records) { $1 }
      log += later.log
    }
  }

  private enum Step: Sendable {
    case write(Batch)
    /// Read logs as they are after what came before.
    case read([String]?, @Sendable ([String: StorageLog]) -> Void)
  }

  private struct State {
    var steps: [Step] = []
    /// What could not be written, and is tried again with what changes next.
    var failed = Batch()
    /// Whether the last attempt failed.
    var isFailing = false
    /// The records of the state that are stored.
    var stored: [String: Value] = [:]
    var isWriting = false
    /// Whether what is being written has had its time.
    var isSilent = false
    /// Whether what is stored may be replaced.
    var isOpen = true
    /// Who waits until everything is written.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// How much is kept for a storage that does not answer, or fails; the oldest goes first.
  private static let limit = 10_000
  /// How long calls wait at most for what they changed to be stored.
  static let patience: Int64 = 1_000

  private let ports: Ports
  private let state = Locked(State())
  private let complain: @Sendable (String) -> Void
  private let timeLimit = Locked(Timeouts().storage)

  /// - Parameter complain: is told, for a person, what is wrong with a storage.
  init(_ ports: Ports, complain: @escaping @Sendable (String) -> Void) {
    self.ports = ports
    self.complain = complain
  }

  func setLimit(_ limit: Duration) { timeLimit.withLock { $0 = limit } }

  /// Writes nothing from now on: what is stored is not known.
  func close() {
    state.withLock {
      $0.isOpen = false
      $0.steps = []
    }
  }

  /// Says which records of the state are stored.
  func begin(with records: [String: Value]) { state.withLock { $0.stored = records } }

  func save(_ value: Value) { add { $0.state = value } }

  func set(_ key: String, _ value: Value?) { add { $0.records[key] = .some(value) } }

  func append(_ entry: EventLogEntry) { add { $0.log.append(entry.change) } }

  func clearLog(keeping names: Set<String>) {
    let logs = Set(names.map { StorageKey.event($0) })
    add { $0.log.append(.clearLogs(except: logs)) }
  }

  /// Tells what logs hold when everything is written that came before.
  func read(
    logs names: [String]?, _ tell: @escaping @Sendable ([String: StorageLog]) -> Void
  ) {
    let begins = state.withLock { state in
      state.steps.append(.read(names, tell))
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { Task(executorPreference: ports.executor) { [self] in await work() } }
  }

  private func add(_ change: (inout Batch) -> Void) {
    let begins = state.withLock { state in
      guard state.isOpen else { return false }
      var batch = Batch()
      if case .write(let last)? = state.steps.last {
        batch = last
        state.steps.removeLast()
      }
      change(&batch)
      if batch.log.count > Self.limit { batch.log.removeFirst(Self.limit / 10) }
      state.steps.append(.write(batch))
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { Task(executorPreference: ports.executor) { [self] in await work() } }
  }

  private func work() async {
    while let step = take() {
      let watch = watch()
      switch step {
      case .write(let batch): await write(batch)
      case .read(let names, let tell): tell(await read(names))
      }
      watch.cancel()
      state.withLock { $0.isSilent = false }
      for fault in await ports.storage.takeFaults() { complain(fault) }
    }
  }

  private func write(_ batch: Batch) async {
    let (batch, stored) = state.withLock { state in
      var all = state.failed
      all.add(batch)
      state.failed = Batch()
      return (all, state.stored)
    }
    let records = batch.state.map { StateRecords.records(of: $0) }
    var changes = records.map { StateRecords.changes(from: stored, to: $0) } ?? []
    for (key, value) in batch.records {
      changes.append(value.map { .set(key, $0) } ?? .remove(key))
    }
    changes += batch.log
    guard !changes.isEmpty else { return }
    do {
      try await ports.storage.write(changes)
      let fails = state.withLock { state in
        if let records { state.stored = records }
        defer { state.isFailing = false }
        return state.isFailing
      }
      if fails { complain("the storage takes what changes again") }
    } catch {
      let isFirst = state.withLock { state in
        state.failed = batch
        let surplus = batch.log.count - Self.limit
        if surplus > 0 { state.failed.log.removeFirst(surplus) }
        defer { state.isFailing = true }
        return !state.isFailing
      }
      if isFirst {
        complain(
          "what changes cannot be saved: \(ErrorText.text(of: error)); it is kept in memory and tried"
            + " again with the next change")
      }
    }
  }

  private func read(_ names: [String]?) async -> [String: StorageLog] {
    do {
      return try await ports.storage.logs(names)
    } catch {
      complain(
        "the history cannot be read: \(ErrorText.text(of: error)); rules count events from now on")
      return [:]
    }
  }

  /// The next thing to do; nil when there is nothing, which those hear who wait.
  private func take() -> Step? {
    let (step, waiting) = state.withLock { state -> (Step?, [CheckedContinuation<Void, Never>]) in
      if state.steps.isEmpty {
        state.isWriting = false
        defer { state.waiting = [] }
        return (nil, state.waiting)
      }
      return (state.steps.removeFirst(), [])
    }
    for continuation in waiting { continuation.resume() }
    return step
  }

  /// Lets go those who wait for too long, and says that a storage has not answered when its time is
  /// over.
  private func watch() -> Task<Void, Never> {
    let limit = timeLimit.withLock { $0 }
    return Task(executorPreference: ports.executor) { [self] in
      let patience = min(Self.patience, limit.milliseconds)
      do {
        try await ports.time.sleep(milliseconds: patience)
        letGo()
        try await ports.time.sleep(milliseconds: limit.milliseconds - patience)
        complain(
          "the storage has not answered within \(limit.words); what changes is saved when it does")
      } catch {}
    }
  }

  /// Nobody waits any longer for what is being written, also not who wants to read: what has not been
  /// written by then is not in it.
  private func letGo() {
    let (waiting, steps) = state.withLock { state in
      state.isSilent = true
      let steps = state.steps
      state.steps.removeAll { if case .read = $0 { true } else { false } }
      defer { state.waiting = [] }
      return (state.waiting, steps)
    }
    for continuation in waiting { continuation.resume() }
    for case .read(let names, let tell) in steps {
      Task(executorPreference: ports.executor) { [self] in tell(await read(names)) }
    }
  }

  /// Returns when everything is written, or the storage has had its time. What could not be written is
  /// tried once more if somebody asks for it.
  func flush(retries: Bool = false) async {
    if retries, state.withLock({ !$0.failed.isEmpty && !$0.isWriting }) { add { _ in } }
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        let waits = state.isWriting && !state.isSilent
        if waits { state.waiting.append(continuation) }
        return !waits
      }
      if isDone { continuation.resume() }
    }
  }
}

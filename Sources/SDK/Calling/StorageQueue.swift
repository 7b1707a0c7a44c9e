internal import Expressions

/// Writes what changes, one thing after the other and beside everything else: a storage that does
/// not answer keeps nobody waiting.
final class StorageQueue: Sendable {
  /// What is to be written in one go.
  private struct Batch: Sendable {
    /// Only the last state counts, and the last config.
    var state: Value?
    var config: Value?
    var log: [LogChange] = []

    var isEmpty: Bool { state == nil && config == nil && log.isEmpty }
  }

  private enum LogChange: Sendable {
    case append(EventLogEntry)
    case clear(keeping: Set<String>)
  }

  private struct State {
    var next = Batch()
    var isWriting = false
    /// Whether what is being written has had its time.
    var isSilent = false
    /// Whether what is stored may be replaced.
    var isOpen = true
    /// Who waits until everything is written.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// How much is kept for a storage that does not answer; the oldest goes first.
  private static let limit = 10_000

  private let ports: Ports
  private let state = Locked(State())
  private let complain: @Sendable (String) -> Void
  private let timeLimit = Locked(Timeouts().storage)

  /// - Parameter complain: is told, for a person, that a storage does not answer.
  init(_ ports: Ports, complain: @escaping @Sendable (String) -> Void) {
    self.ports = ports
    self.complain = complain
  }

  func setLimit(_ limit: Duration) { timeLimit.withLock { $0 = limit } }

  /// Writes nothing from now on: what is stored is not known.
  func close() {
    state.withLock {
      $0.isOpen = false
      $0.next = Batch()
    }
  }

  func save(_ value: Value) { add { $0.state = value } }

  func keep(config: Value) { add { $0.config = config } }

  func append(_ entry: EventLogEntry) { add { $0.log.append(.append(entry)) } }

  func clearLog(keeping names: Set<String>) { add { $0.log.append(.clear(keeping: names)) } }

  private func add(_ change: (inout Batch) -> Void) {
    let begins = state.withLock { state in
      guard state.isOpen else { return false }
      change(&state.next)
      if state.next.log.count > Self.limit { state.next.log.removeFirst(Self.limit / 10) }
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { Task(executorPreference: ports.executor) { [self] in await write() } }
  }

  private func write() async {
    while let batch = take() {
      let watch = watch()
      if let value = batch.state { await ports.storage.save(value) }
      for change in batch.log {
        switch change {
        case .append(let entry): await ports.eventLog.append(entry)
        case .clear(let names): await ports.eventLog.clear(keepingEvents: names)
        }
      }
      if let config = batch.config, let storage = ports.storage as? any ConfigStorage {
        await storage.saveConfig(config)
      }
      watch.cancel()
      state.withLock { $0.isSilent = false }
    }
  }

  /// The next things to write; nil when there are none, which those hear who wait.
  private func take() -> Batch? {
    let (batch, waiting) = state.withLock { state -> (Batch?, [CheckedContinuation<Void, Never>]) in
      if state.next.isEmpty {
        state.isWriting = false
        defer { state.waiting = [] }
        return (nil, state.waiting)
      }
      defer { state.next = Batch() }
      return (state.next, [])
    }
    for continuation in waiting { continuation.resume() }
    return batch
  }

  /// Says that a storage has not answered, when its time is over. Those who wait do not any longer.
  private func watch() -> Task<Void, Never> {
    let limit = timeLimit.withLock { $0 }
    return Task(executorPreference: ports.executor) { [self] in
      guard (try? await ports.time.sleep(milliseconds: limit.milliseconds)) != nil else { return }
      complain(
        "the storage has not answered within \(limit.words); what changes is saved when it does")
      let waiting = state.withLock { state in
        state.isSilent = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Returns when everything is written, or the storage has had its time.
  func flush() async {
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

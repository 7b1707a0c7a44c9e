internal import Expressions

/// Writes changes to the storage in the background, one batch after the other. Calls wait only a limited time for a
/// slow storage.
///
/// Steps are numbered in order. A call waits for the step with its own changes, but not for later steps. While the
/// storage fails, changes are collected and retried after 1, 2, 4 seconds and so on, up to a minute.
final class StorageQueue: Sendable {
  private struct Step: Sendable {
    enum Work: Sendable {
      case write(StorageBatch)
      /// Reads logs after all earlier steps.
      case read([String]?, @Sendable ([String: StorageLog]) -> Void)
    }

    let number: Int
    var work: Work

    /// The batch to write, or nil if the step reads.
    var batch: StorageBatch? { if case .write(let batch) = work { batch } else { nil } }
  }

  private struct Waiter {
    /// The number of the step that the waiter waits for.
    let number: Int
    /// Whether the waiter waits without a limit. Otherwise the limit is one second.
    let isPatient: Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  /// How long the current step has taken.
  private enum Delay: Comparable {
    case none
    /// Calls no longer wait for the step.
    case long
    /// Neither calls nor reads wait for the step any more.
    case tooLong
  }

  private struct State {
    var steps: [Step] = []
    /// The number of the last step.
    var last = 0
    /// The current step.
    var current: Step?
    var delay = Delay.none
    /// The batch that could not be written.
    var failed = StorageBatch()
    /// The pause before the next attempt; zero when the last attempt succeeded.
    var pause: Int64 = 0
    var retry: Task<Void, Never>?
    /// The stored records of the state.
    var stored: [String: Value] = [:]
    /// Whether the stored data may be replaced.
    var isOpen = true
    var waiters: [Waiter] = []

    var isWorking = false

    mutating func takeWaiters(_ isDone: (Waiter) -> Bool) -> [Waiter] {
      let done = waiters.filter(isDone)
      if !done.isEmpty { waiters.removeAll(where: isDone) }
      return done
    }

    /// The step that writes the latest change. Nil when all changes are written or wait for a retry.
    var lastWrite: Int? {
      steps.last { $0.batch != nil }?.number
        ?? current.flatMap { $0.batch == nil ? nil : $0.number }
    }

    /// Whether changes wait for the next attempt after a failure.
    var isPausing: Bool { retry != nil }

    /// The waiters whose step is done.
    mutating func takeDone() -> [Waiter] {
      let next = current?.number ?? steps.first?.number ?? .max
      return takeWaiters { $0.number < next }
    }

    /// The changes before a step that the storage may not contain. Nil if `step` is not the current step.
    func unwritten(before step: Step, _ current: Int) -> UnwrittenLogs? {
      guard let now = self.current, now.number == current else { return nil }
      return UnwrittenLogs(
        written: now.batch?.log ?? [],
        waiting: failed.log
          + steps.lazy.filter { $0.number < step.number }.flatMap { $0.batch?.log ?? [] })
    }
  }

  /// The maximum time that calls wait for their changes to be stored.
  static let patience: Int64 = 1_000
  /// The first and the longest pause after a failure, in milliseconds.
  static let pauses: (first: Int64, last: Int64) = (1_000, 60_000)

  private let ports: Ports
  private let state = Locked(State())
  private let complain: @Sendable (String) -> Void
  private let timeLimit = Locked(Timeouts().storage)

  /// - Parameter complain: called with a description of a problem with the storage.
  init(_ ports: Ports, complain: @escaping @Sendable (String) -> Void) {
    self.ports = ports
    self.complain = complain
  }

  deinit { state.withLock { $0.retry?.cancel() } }

  func setLimit(_ limit: Duration) { timeLimit.withLock { $0 = limit } }

  /// Stops all writing, because the stored data is unknown.
  func close() {
    let waiters = state.withLock { state in
      state.isOpen = false
      state.steps = []
      state.retry?.cancel()
      return state.takeDone()
    }
    for waiter in waiters { waiter.continuation.resume() }
  }

  /// Sets the stored records of the state.
  func begin(with records: [String: Value]) { state.withLock { $0.stored = records } }

  func save(_ value: Value) { add { $0.save(value) } }

  func set(_ key: String, _ value: Value?) { add { $0.set(key, value) } }

  func append(_ entry: EventLogEntry) { add { $0.append(entry.change) } }

  func clearLog(keeping names: Set<String>) {
    let logs = Set(names.map { StorageKey.event($0) })
    add { $0.append(.clearLogs(except: logs)) }
  }

  /// Reads logs after all earlier changes are written.
  func read(
    logs names: [String]?, _ tell: @escaping @Sendable ([String: StorageLog]) -> Void
  ) {
    start { state in
      state.last += 1
      state.steps.append(Step(number: state.last, work: .read(names, tell)))
    }
    let (current, steps) = state.withLock { state in
      (state.delay > .none ? state.current?.number : nil, state.steps)
    }
    if let current { readMeanwhile(steps, current) }
  }

  private func add(_ change: (inout StorageBatch) -> Void) {
    start { state in
      guard state.isOpen else { return }
      if state.isPausing, state.steps.isEmpty, state.current == nil {
        change(&state.failed)
      } else if var batch = state.steps.last?.batch {
        let place = state.steps.count - 1
        state.steps[place].work = .write(StorageBatch())
        change(&batch)
        state.steps[place].work = .write(batch)
      } else {
        var batch = StorageBatch()
        change(&batch)
        state.last += 1
        state.steps.append(Step(number: state.last, work: .write(batch)))
      }
    }
  }

  /// Starts the writer task if none is running.
  private func start(_ change: (inout State) -> Void) {
    let begins = state.withLock { state in
      change(&state)
      guard !state.steps.isEmpty else { return false }
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if begins { Task(executorPreference: ports.executor) { [self] in await work() } }
  }

  // MARK: Working

  private func work() async {
    while let step = take() {
      let watch = watch(step.number)
      switch step.work {
      case .write(let batch): await write(batch)
      case .read(let names, let tell):
        let unwritten = UnwrittenLogs(waiting: state.withLock { $0.failed.log })
        tell(unwritten.complete(await read(names), names))
      }
      for fault in await ports.storage.takeFaults() { complain(fault) }
      watch.cancel()
      resume { state in
        state.current = nil
        state.delay = .none
      }
    }
  }

  /// Takes the next step. After a failure, new changes wait together with the unwritten changes.
  private func take() -> Step? {
    var step: Step?
    resume { state in
      while state.isPausing, let batch = state.steps.first?.batch {
        state.failed.add(batch)
        state.steps.removeFirst()
      }
      guard !state.steps.isEmpty else {
        state.isWorking = false
        return
      }
      var next = state.steps.removeFirst()
      if let batch = next.batch {
        var all = state.failed
        all.add(batch)
        state.failed = StorageBatch()
        next.work = .write(all)
      }
      state.current = next
      step = next
    }
    return step
  }

  /// Changes the state, and releases the waiters whose step has finished.
  private func resume(_ change: (inout State) -> Void) {
    let waiters = state.withLock { state in
      change(&state)
      return state.takeDone()
    }
    for waiter in waiters { waiter.continuation.resume() }
  }

  private func write(_ batch: StorageBatch) async {
    let records = batch.state.map { StateRecords.records(of: $0) }
    let changes = batch.changes(from: state.withLock { $0.stored }, to: records)
    guard !changes.isEmpty else { return }
    do {
      try await ports.storage.write(changes)
      let failed = state.withLock { state in
        if let records { state.stored = records }
        defer { state.pause = 0 }
        return state.pause > 0
      }
      if failed { complain("the storage accepts changes again") }
    } catch {
      if keep(batch) {
        complain(
          "changes cannot be saved: \(ErrorText.text(of: error)); they stay in memory and are"
            + " saved again later")
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

  // MARK: Failing

  /// Saves a failed batch for a retry.
  ///
  /// - Returns: whether the previous attempt succeeded.
  private func keep(_ batch: StorageBatch) -> Bool {
    let time = ports.time
    return state.withLock { state in
      let isFirst = state.pause == 0
      state.failed = batch
      state.pause = min(max(Self.pauses.first, 2 * state.pause), Self.pauses.last)
      let pause = state.pause
      state.retry?.cancel()
      state.retry = Task(executorPreference: ports.executor) { [weak self] in
        guard (try? await time.sleep(milliseconds: pause)) != nil else { return }
        _ = self?.tryAgain()
      }
      return isFirst
    }
  }

  /// Retries the failed batch.
  ///
  /// - Returns: whether there is a failed batch.
  private func tryAgain() -> Bool {
    let hasFailed = state.withLock { state in
      state.retry?.cancel()
      state.retry = nil
      return !state.failed.isEmpty
    }
    if hasFailed { add { _ in } }
    return hasFailed
  }

  // MARK: Waiting

  /// Releases the callers that have waited too long, and reports a storage that has not answered in
  /// time.
  private func watch(_ number: Int) -> Task<Void, Never> {
    let limit = timeLimit.withLock { $0 }
    return Task(executorPreference: ports.executor) { [self] in
      let patience = min(Self.patience, limit.milliseconds)
      do {
        try await ports.time.sleep(milliseconds: patience)
        _ = letGo(number, .long)
        try await ports.time.sleep(milliseconds: limit.milliseconds - patience)
        guard letGo(number, .tooLong) else { return }
        complain(
          "the storage has not answered within \(limit.words); changes are saved when it does")
      } catch {}
    }
  }

  /// Releases all waiters and reads that wait for the current step.
  ///
  /// - Returns: whether the step is still running.
  private func letGo(_ number: Int, _ delay: Delay) -> Bool {
    let (waiters, steps) = state.withLock { state -> ([Waiter], [Step]?) in
      guard state.current?.number == number else { return ([], nil) }
      state.delay = delay
      return (state.takeWaiters { delay == .tooLong || !$0.isPatient }, state.steps)
    }
    for waiter in waiters { waiter.continuation.resume() }
    if let steps { readMeanwhile(steps, number) }
    return steps != nil
  }

  private func readMeanwhile(_ steps: [Step], _ current: Int) {
    for step in steps where step.batch == nil {
      Task(executorPreference: ports.executor) { [self] in await readMeanwhile(step, current) }
    }
  }

  /// Reads logs while the storage has not answered a write. If the write finishes first, the step ends as usual.
  private func readMeanwhile(_ step: Step, _ current: Int) async {
    guard case .read(let names, let tell) = step.work,
      let unwritten = state.withLock({ $0.unwritten(before: step, current) })
    else { return }
    let logs = await read(names)
    let isFirst = state.withLock { state in
      guard state.current?.number == current else { return false }
      let count = state.steps.count
      state.steps.removeAll { $0.number == step.number }
      return state.steps.count < count
    }
    if isFirst { tell(unwritten.complete(logs, names)) }
  }

  /// Returns when all earlier changes are written, or after one second.
  ///
  /// - Parameter isLast: whether the storage may take its full time, and whether a failed batch is
  ///   tried once more.
  func flush(isLast: Bool = false) async {
    await wait(isPatient: isLast)
    guard isLast else { return }
    if tryAgain() { await wait(isPatient: true) }
    state.withLock { state in
      state.retry?.cancel()
      state.retry = nil
    }
  }

  private func wait(isPatient: Bool) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        guard let number = state.lastWrite else { return true }
        if state.delay >= (isPatient ? .tooLong : .long) { return true }
        state.waiters.append(
          Waiter(number: number, isPatient: isPatient, continuation: continuation))
        return false
      }
      if isDone { continuation.resume() }
    }
  }
}

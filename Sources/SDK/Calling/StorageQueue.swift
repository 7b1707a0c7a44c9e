internal import Expressions

/// Writes what changes, one thing after the other and beside everything else: a storage that does
/// not answer keeps nobody waiting for long.
///
/// What there is to do has numbers, in order. A call waits for the number that holds what it changed, and not
/// for what others change meanwhile. While a storage fails, what changes is kept, and tried again after a
/// second, two, four and so on, up to a minute.
final class StorageQueue: Sendable {
  private struct Step: Sendable {
    enum Work: Sendable {
      case write(StorageBatch)
      /// Read logs as they are after what came before.
      case read([String]?, @Sendable ([String: StorageLog]) -> Void)
    }

    let number: Int
    var work: Work

    /// What is to be written; nil for one that reads.
    var batch: StorageBatch? { if case .write(let batch) = work { batch } else { nil } }
  }

  private struct Waiter {
    /// The step for which it waits.
    let number: Int
    /// Whether it waits for as long as the storage may take, and not for a second.
    let isPatient: Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  /// How long what is being done has taken.
  private enum Delay: Comparable {
    case none
    /// Calls wait no longer.
    case long
    /// Nobody waits any longer.
    case tooLong
  }

  private struct State {
    var steps: [Step] = []
    /// The last step that there was.
    var last = 0
    /// The step that is being done.
    var current: Step?
    var delay = Delay.none
    /// What could not be written.
    var failed = StorageBatch()
    /// How long the pause is after which that is tried again; zero when the last attempt succeeded.
    var pause: Int64 = 0
    var retry: Task<Void, Never>?
    /// The records of the state that are stored.
    var stored: [String: Value] = [:]
    /// Whether what is stored may be replaced.
    var isOpen = true
    var waiters: [Waiter] = []

    var isWorking = false

    mutating func takeWaiters(_ isDone: (Waiter) -> Bool) -> [Waiter] {
      let done = waiters.filter(isDone)
      if !done.isEmpty { waiters.removeAll(where: isDone) }
      return done
    }

    /// The step that writes what changed last; nil when all is written, or waits for another attempt.
    var lastWrite: Int? {
      steps.last { $0.batch != nil }?.number
        ?? current.flatMap { $0.batch == nil ? nil : $0.number }
    }

    /// Whether what changes waits for the next attempt to write what could not be written.
    var isPausing: Bool { retry != nil }

    /// Those whose step is behind.
    mutating func takeDone() -> [Waiter] {
      let next = current?.number ?? steps.first?.number ?? .max
      return takeWaiters { $0.number < next }
    }

    /// What came before a step and may not be in the storage; nil when another step than `current` is being
    /// done.
    func unwritten(before step: Step, _ current: Int) -> UnwrittenLogs? {
      guard let now = self.current, now.number == current else { return nil }
      return UnwrittenLogs(
        written: now.batch?.log ?? [],
        waiting: failed.log
          + steps.lazy.filter { $0.number < step.number }.flatMap { $0.batch?.log ?? [] })
    }
  }

  /// How long calls wait at most for what they changed to be stored.
  static let patience: Int64 = 1_000
  /// The first and the longest pause after a failure, in milliseconds.
  static let pauses: (first: Int64, last: Int64) = (1_000, 60_000)

  private let ports: Ports
  private let state = Locked(State())
  private let complain: @Sendable (String) -> Void
  private let timeLimit = Locked(Timeouts().storage)

  /// - Parameter complain: is told, for a person, what is wrong with a storage.
  init(_ ports: Ports, complain: @escaping @Sendable (String) -> Void) {
    self.ports = ports
    self.complain = complain
  }

  deinit { state.withLock { $0.retry?.cancel() } }

  func setLimit(_ limit: Duration) { timeLimit.withLock { $0 = limit } }

  /// Writes nothing from now on: what is stored is not known.
  func close() {
    let waiters = state.withLock { state in
      state.isOpen = false
      state.steps = []
      state.retry?.cancel()
      return state.takeDone()
    }
    for waiter in waiters { waiter.continuation.resume() }
  }

  /// Says which records of the state are stored.
  func begin(with records: [String: Value]) { state.withLock { $0.stored = records } }

  func save(_ value: Value) { add { $0.save(value) } }

  func set(_ key: String, _ value: Value?) { add { $0.set(key, value) } }

  func append(_ entry: EventLogEntry) { add { $0.append(entry.change) } }

  func clearLog(keeping names: Set<String>) {
    let logs = Set(names.map { StorageKey.event($0) })
    add { $0.append(.clearLogs(except: logs)) }
  }

  /// Tells what logs hold when everything is written that came before.
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

  /// Sees that somebody does what there is to do.
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

  /// The next thing to do. What is to be written waits with the rest where that has failed.
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

  /// Lets go those whose step is behind after a change.
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
      if failed { complain("the storage takes what changes again") }
    } catch {
      if keep(batch) {
        complain(
          "what changes cannot be saved: \(ErrorText.text(of: error)); it is kept in memory and tried"
            + " again")
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

  /// Keeps what could not be written for another attempt.
  ///
  /// - Returns: whether the attempt before has succeeded.
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

  /// Tries again now to write what could not be written.
  ///
  /// - Returns: whether there is any.
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

  /// Lets go those who wait for too long, and says that a storage has not answered when its time is
  /// over.
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
          "the storage has not answered within \(limit.words); what changes is saved when it does")
      } catch {}
    }
  }

  /// Nobody waits any longer for what is being done, also not who wants to read.
  ///
  /// - Returns: whether it is being done still.
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

  /// Reads while a storage does not say whether it has written something. When it does before it has
  /// read, the step's turn comes as usual.
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

  /// Returns when everything is written that has changed so far, or the storage has had its time: a
  /// second.
  ///
  /// - Parameter isLast: whether the storage may take as long as it may, and what could not be written is
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

internal import Dispatch
internal import Expressions

/// Runs the SDK's work one job after the other, and knows when no job remains.
final class QuietExecutor: TaskExecutor {
  private struct State {
    /// The number of jobs that were enqueued and have not finished.
    var open = 0
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let queue = DispatchQueue(label: "tollgate.testing")
  private let state = Locked(State())

  /// The number of jobs enqueued so far.
  var count: Int { state.withLock { $0.count } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { state in
      state.open += 1
      state.count += 1
    }
    queue.async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
      let waiting = state.withLock { state in
        state.open -= 1
        guard state.open == 0 else { return [CheckedContinuation<Void, Never>]() }
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Returns when no job remains.
  func idle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.open > 0 { state.waiting.append(continuation) }
        return state.open == 0
      }
      if isIdle { continuation.resume() }
    }
  }
}

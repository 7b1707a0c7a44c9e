internal import Dispatch
internal import Expressions

/// Runs what the SDK does, one thing after the other, and knows when nothing is left to run.
final class QuietExecutor: TaskExecutor {
  private struct State {
    /// What was enqueued and has not run to its end.
    var open = 0
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let queue = DispatchQueue(label: "tollgate.testing")
  private let state = Locked(State())

  /// How much was enqueued until now.
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

  /// Returns when nothing is left to run.
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

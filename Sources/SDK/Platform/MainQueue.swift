internal import Expressions

/// Calls an app's handlers and its delegate on the main actor, in the order of the events.
final class MainQueue: Sendable {
  typealias Job = @MainActor @Sendable () -> Void

  /// A running job, which its tasks can identify.
  private final class Callback: Sendable {
    private let hasEnded = Locked(false)

    var isRunning: Bool { !hasEnded.withLock { $0 } }

    func end() { hasEnded.withLock { $0 = true } }
  }

  @TaskLocal private static var callback: Callback?

  private let jobs: AsyncStream<Job>.Continuation
  /// The number of unfinished jobs.
  private let open: Locked<Int>

  init() {
    let (stream, continuation) = AsyncStream<Job>.makeStream()
    jobs = continuation
    let open = Locked(0)
    self.open = open
    Task { @MainActor in
      for await job in stream {
        let callback = Callback()
        MainQueue.$callback.withValue(callback) { job() }
        callback.end()
        open.withLock { $0 -= 1 }
      }
    }
  }

  deinit { jobs.finish() }

  func add(_ job: @escaping Job) {
    open.withLock { $0 += 1 }
    if case .terminated = jobs.yield(job) { open.withLock { $0 -= 1 } }
  }

  /// Runs work after all earlier jobs, or immediately if all earlier jobs have ended.
  func addOrDo(_ work: @escaping @Sendable () -> Void) {
    if isIdle { work() } else { add { work() } }
  }

  /// Runs a job after all earlier jobs, and returns when the job has ended.
  func run(_ job: @escaping Job) async {
    await withCheckedContinuation { continuation in
      open.withLock { $0 += 1 }
      let result = jobs.yield {
        job()
        continuation.resume()
      }
      if case .terminated = result {
        open.withLock { $0 -= 1 }
        continuation.resume()
      }
    }
  }

  private var isIdle: Bool { open.withLock { $0 == 0 } }

  /// Returns when all earlier jobs have ended. A call made inside a callback does not wait for that callback, because
  /// the callback may be waiting for the call.
  func flush() async {
    if isIdle || MainQueue.callback?.isRunning == true { return }
    await run {}
  }

  /// Returns when all earlier jobs have ended.
  func settle() async {
    if !isIdle { await run {} }
  }

  func finish() { jobs.finish() }
}

internal import Expressions

/// Calls an app's handlers and its delegate on the main actor, in the order of the events.
final class MainQueue: Sendable {
  typealias Job = @MainActor @Sendable () -> Void

  /// A job while it runs, as the tasks know it that it started.
  private final class Callback: Sendable {
    private let hasEnded = Locked(false)

    var isRunning: Bool { !hasEnded.withLock { $0 } }

    func end() { hasEnded.withLock { $0 = true } }
  }

  @TaskLocal private static var callback: Callback?

  private let jobs: AsyncStream<Job>.Continuation
  /// How many jobs were added and have not ended.
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

  /// Does something after everything that was added before, at once when that has ended already.
  func addOrDo(_ work: @escaping @Sendable () -> Void) {
    if isIdle { work() } else { add { work() } }
  }

  /// Does something after everything that was added before, and returns when it is done.
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

  /// Returns when everything that was added before is done. A call that was made inside a callback
  /// does not wait for that callback, which may be waiting for the call.
  func flush() async {
    if isIdle || MainQueue.callback?.isRunning == true { return }
    await run {}
  }

  /// Returns when everything that was added before is done.
  func settle() async {
    if !isIdle { await run {} }
  }

  func finish() { jobs.finish() }
}

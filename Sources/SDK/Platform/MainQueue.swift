/// Calls an app's handlers and its delegate on the main actor, in the order of the events.
final class MainQueue: Sendable {
  typealias Job = @MainActor @Sendable () -> Void

  private let jobs: AsyncStream<Job>.Continuation

  init() {
    let (stream, continuation) = AsyncStream<Job>.makeStream()
    jobs = continuation
    Task { @MainActor in
      for await job in stream { job() }
    }
  }

  deinit { jobs.finish() }

  func add(_ job: @escaping Job) { jobs.yield(job) }

  /// Does something after everything that was added before, and returns when it is done.
  func run(_ job: @escaping Job) async {
    await withCheckedContinuation { continuation in
      let result = jobs.yield {
        job()
        continuation.resume()
      }
      if case .terminated = result { continuation.resume() }
    }
  }

  func finish() { jobs.finish() }
}

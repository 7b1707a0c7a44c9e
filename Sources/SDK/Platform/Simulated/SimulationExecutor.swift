internal import Expressions

/// Runs all work of a simulation on the calling thread, in the order in which the work became ready. Two runs are
/// identical, and the executor can report whether work remains.
package final class SimulationExecutor: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs until no work is ready.
  package func drain() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// Runs all work of a simulation on the calling thread, in the order in which it became ready. It
/// is known whether any work remains, and two runs are identical.
internal import Expressions

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

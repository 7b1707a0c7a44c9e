/// Runs everything of a simulation on the thread that asks for it, in the order in which it became
/// ready. Whether anything is left to do can be told, and two runs are alike.
internal import Expressions

package final class SimulationExecutor: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs until nothing is ready.
  package func drain() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

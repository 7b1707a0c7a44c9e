internal import RuleEngine
internal import Synchronization

/// Workers that chunks take in turn: a worker has learned how records look, and has its memory.
final class WorkerPool: Sendable {
  /// A worker that one task at a time holds.
  final class Worker: @unchecked Sendable {
    private var worker: BatchWorker

    fileprivate init(_ plan: BatchPlan) { worker = BatchWorker(plan) }

    func process(_ chunk: [UInt8]) -> BatchWorker.Output { worker.process(chunk) }

    var unknownKeys: [String: Int] { worker.unknownKeys }
    var textErrors: [String: Int] { worker.textErrors }
  }

  private let plan: BatchPlan
  private let free = Mutex<[Worker]>([])

  init(_ plan: BatchPlan) { self.plan = plan }

  /// A worker that nobody holds.
  func take() -> Worker { free.withLock { $0.popLast() } ?? Worker(plan) }

  func giveBack(_ worker: Worker) { free.withLock { $0.append(worker) } }

  /// The keys that nobody knows, over all workers that have been given back.
  func unknownKeys() -> [String: Int] {
    free.withLock {
      $0.reduce(into: [:]) { $0.merge($1.unknownKeys, uniquingKeysWith: +) }
    }
  }

  /// What went wrong in texts, over all workers that have been given back.
  func textErrors() -> [String: Int] {
    free.withLock {
      $0.reduce(into: [:]) { $0.merge($1.textErrors, uniquingKeysWith: +) }
    }
  }
}

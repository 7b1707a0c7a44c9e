internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// Sends blocks of users through workers, and adds their results in order.
struct FuzzRun {
  private let pool: FuzzPool
  private let threads: Int
  /// The maximum number of users, and of milliseconds.
  private let mostUsers: Int?
  private let mostTime: Int64?
  private let start: Instant
  private var progress: ProgressLine

  /// The minimum number of blocks, regardless of the time, if no time limit was set.
  private let leastBlocks: Int

  /// The number of blocks to run even if every declared invariant is settled.
  private static let mostSettled = 2

  init(
    _ plan: FuzzPlan, threads: Int, mostUsers: Int?, mostTime: Int64?, start: Instant,
    leastBlocks: Int, isQuiet: Bool
  ) {
    self.leastBlocks = leastBlocks
    pool = FuzzPool(plan)
    self.threads = threads
    self.mostUsers = mostUsers
    self.mostTime = mostTime
    self.start = start
    progress = ProgressLine(isQuiet: isQuiet)
  }

  mutating func run(_ report: FuzzReport) async throws {
    defer { progress.interrupt() }
    var pending: [Task<FuzzBlock, Never>] = []
    defer { for task in pending { task.cancel() } }
    let blocks = mostUsers.map { ($0 + FuzzWorker.usersInBlock - 1) / FuzzWorker.usersInBlock }
    let limit = mostUsers ?? .max
    var (next, taken) = (0, 0)
    while true {
      try Signals.check()
      while pending.count <= threads, next < blocks ?? .max {
        let (pool, block) = (pool, next)
        pending.append(Task.detached { pool.run(block, upTo: limit) })
        next += 1
      }
      guard !pending.isEmpty else { return }
      report.add(await pending.removeFirst().value)
      taken += 1
      tell(report)
      if let mostTime, Clock.now() - start >= mostTime, taken >= leastBlocks { return }
      if report.hasBroken, report.isSettled, taken >= Self.mostSettled { return }
    }
  }

  private mutating func tell(_ report: FuzzReport) {
    guard progress.isDue() else { return }
    progress.show(FuzzText.counts(report.counts))
  }
}

/// Workers that process blocks, and are reused.
private final class FuzzPool: Sendable {
  /// A worker that one task uses at a time.
  private final class Worker: @unchecked Sendable {
    // SAFETY: A task takes a worker from a `Locked` and has it alone. Tests: FuzzCommandTests,
    // tsan.

    private var worker: FuzzWorker

    init(_ plan: FuzzPlan) { worker = FuzzWorker(plan) }

    func run(_ block: Int, upTo limit: Int) -> FuzzBlock { worker.run(block: block, upTo: limit) }
  }

  private let plan: FuzzPlan
  private let free = Locked<[Worker]>([])

  init(_ plan: FuzzPlan) { self.plan = plan }

  func run(_ block: Int, upTo limit: Int) -> FuzzBlock {
    Signals.addStack()
    let worker = free.withLock { $0.popLast() } ?? Worker(plan)
    defer { free.withLock { $0.append(worker) } }
    return worker.run(block, upTo: limit)
  }
}

internal import Expressions
internal import RuleEngine

/// Users whose records have been read into columns of attributes in memory, for repeated decisions.
///
/// The file is read once, and only deciding is repeated. The users must fit into memory: each takes
/// its identity, and 16 bytes for each attribute that rules read.
///
/// ```swift
/// let rules = try RuleSet.compile(Config()).get()
/// let plan = BatchPlan(rules, placements: ["next"], now: 0, assigner: .hash(salt: ""))
/// var users = DecodedUsers(Array("{\"userId\":\"a\"}\n{}".utf8), plan)
/// users.count      // 1
/// plan.tally(of: users.decide()).placements[0].placementNotFound  // 1
/// ```
package struct DecodedUsers: ~Copyable {
  // SAFETY: The blocks point into `records`, a copy of the file that is freed together with them.
  // Tests: BatchDifferentialTests.usersInMemory, asan.

  private final class Box {
    var block: BatchBlock
    init(_ block: consuming BatchBlock) { self.block = block }
  }

  private let plan: BatchPlan
  /// The memory that strings and identities point into.
  private let records: UnsafeMutableBufferPointer<UInt8>
  private var blocks: [Box] = []
  private let table: BatchTable
  private var decider: ColumnDecider
  private var chooser: VariantChooser
  private var counts: BatchCounts
  private var errors: BatchErrors
  private var reasons: BatchReasons
  /// The counts of users with unusual records, which are decided once when they are read.
  private var alone: BatchSums

  /// Invalid lines.
  package let rejected: [BatchWorker.RejectedLine]
  /// The number of users.
  package private(set) var count = 0
  /// The number of users that are decided again each time.
  package private(set) var countInColumns = 0

  /// Reads the lines of a users file.
  package init(_ lines: [UInt8], _ plan: BatchPlan) {
    self.plan = plan
    table = plan.table
    decider = ColumnDecider(plan)
    chooser = VariantChooser(plan)
    counts = BatchCounts(plan)
    errors = BatchErrors(plan)
    reasons = BatchReasons(plan)
    records = .allocate(capacity: max(lines.count, 1))
    _ = records.initialize(from: lines)
    var worker = BatchWorker(plan)
    var blocks: [Box] = []
    let view = ByteView(rebasing: records[..<lines.count])
    (alone, rejected) = worker.decode(view) { blocks.append(Box($0)) }
    self.blocks = blocks
    for box in blocks {
      count += box.block.count
      countInColumns += RowMasks.count(box.block.inColumns)
    }
    alone.users = count
    alone.rejected = rejected.count
  }

  deinit { records.deallocate() }

  /// Decides every placement of the plan for all users, and counts the outcomes. The example of a
  /// rule's error is an arbitrary user.
  package mutating func decide() -> BatchSums {
    counts.clear()
    for box in blocks {
      decider.decide(&box.block, table, &counts, chooser, &errors, &reasons)
      counts.endBlock(box.block)
      errors.endBlock(box.block)
      reasons.endBlock()
    }
    var sums = counts.sums
    sums.errors = errors.takeCounts()
    sums.add(alone)
    return sums
  }
}

extension BatchWorker {
  /// Reads a chunk, and decides only users that do not fit into blocks.
  ///
  /// - Returns: the counts of those users, and the rejected lines.
  mutating func decode(
    _ chunk: ByteView, _ keep: (consuming BatchBlock) -> Void
  ) -> (BatchSums, [RejectedLine]) {
    counts.clear()
    block.begin()
    var rejected: [RejectedLine] = []
    var start = 0
    var lines = 0
    while start < chunk.count {
      start = next(in: chunk, from: start, number: lines, &rejected)
      lines += 1
      if block.isFull { keep(exchangeBlock()) }
    }
    keep(exchangeBlock())
    forget()
    var sums = counts.sums
    sums.errors = takeErrors()
    sums.lines = lines
    return (sums, rejected)
  }

  private mutating func exchangeBlock() -> BatchBlock {
    var other = BatchBlock(plan.ruleSet.program, placements: plan.placements.count)
    other.begin()
    swap(&block, &other)
    endErrors(of: other)
    return other
  }
}

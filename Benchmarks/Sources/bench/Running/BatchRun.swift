internal import RuleBatch
internal import RuleEngine

/// Decides all placements for all users of a file in memory.
struct BatchRun {
  /// The cost of one kind of run: only counting, or also writing outcomes.
  struct Result {
    /// CPU seconds of all threads, one number per pass over the users.
    var cpuSeconds: [Double]
    /// Wall seconds of a pass, over all passes.
    var wallSeconds: Double
    /// Bytes of outcomes in a pass.
    var bytes: Int
    /// The counts of a pass.
    var tally: Tally
    /// Allocations of a pass, or nil if they are not counted.
    var allocations: Int?
  }

  let users: Int
  let placements: Int
  let threads: Int
  /// Only deciding, with records that were read before.
  let deciding: Result
  let counting: Result
  let writing: Result

  /// The number of measured passes, after one for warming up.
  static let passes = 9

  init(_ ruleSet: RuleSet, users text: [UInt8], threads: Int) async throws {
    let chunks = Self.chunks(text)
    let plan = { writesOutcomes in
      BatchPlan(
        ruleSet, now: DecideRun.now, assigner: .hash(salt: "bench"), layout: .long,
        writesOutcomes: writesOutcomes)
    }
    self.threads = threads
    placements = plan(false).placementCount
    deciding = await Self.run(plan(false), chunks, threads) { DecidingShare($0, $1).share }
    counting = await Self.run(plan(false), chunks, threads)
    writing = await Self.run(plan(true), chunks, threads)
    users = counting.tally.users
    guard users > 0, placements > 0 else {
      throw InputError("the batch", "there is nothing to decide")
    }
  }

  /// The number of decisions in one pass.
  var decisions: Int { users * placements }

  /// Whole lines in chunks of about half a megabyte, as in `tollgate precompute`.
  private static func chunks(_ text: [UInt8]) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var start = 0
    while start < text.count {
      let far = min(start + 512 << 10, text.count)
      let end = text[far...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
      chunks.append(Array(text[start..<end]))
      start = end
    }
    return chunks
  }

  private static func run(
    _ plan: BatchPlan, _ chunks: [[UInt8]], _ threads: Int,
    _ share: @escaping @Sendable (BatchPlan, [[UInt8]]) -> Share = { Share($0, $1) }
  ) async -> Result {
    let start = Stopwatch.wallNanoseconds()
    let shares = await withTaskGroup(of: Share.self) { group in
      for thread in 0..<threads {
        let own = stride(from: thread, to: chunks.count, by: threads).map { chunks[$0] }
        group.addTask { share(plan, own) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let wall = Double(Stopwatch.wallNanoseconds() - start) / 1e9 / Double(passes + 1)
    var result = Result(
      cpuSeconds: Array(repeating: 0, count: passes), wallSeconds: wall, bytes: 0,
      tally: plan.emptyTally, allocations: nil)
    for share in shares {
      for pass in 0..<passes { result.cpuSeconds[pass] += share.cpuSeconds[pass] }
      result.bytes += share.bytes
      result.tally.add(share.tally)
      if let count = share.allocations { result.allocations = (result.allocations ?? 0) + count }
    }
    return result
  }
}

/// One thread's part of the chunks, which one worker decides repeatedly.
private struct Share: Sendable {
  var cpuSeconds: [Double] = []
  var bytes = 0
  var tally: Tally
  var allocations: Int?

  init(tally: Tally) { self.tally = tally }

  init(_ plan: BatchPlan, _ chunks: [[UInt8]]) {
    var worker = BatchWorker(plan)
    tally = plan.emptyTally
    for pass in 0...BatchRun.passes {
      bytes = 0
      tally = plan.emptyTally
      let allocated = Allocations()
      let start = Stopwatch.threadNanoseconds()
      for chunk in chunks {
        let output = worker.process(chunk)
        bytes += output.outcomeCount
        tally.add(output.tally)
      }
      let elapsed = Stopwatch.threadNanoseconds() - start
      if pass > 0 { cpuSeconds.append(Double(elapsed) / 1e9) }
      allocations = allocated.sinceThen
    }
  }
}

/// One thread's part of the users, read once and decided repeatedly.
private struct DecidingShare {
  var share: Share

  init(_ plan: BatchPlan, _ chunks: [[UInt8]]) {
    var users = DecodedUsers(chunks.flatMap { $0 }, plan)
    share = Share(tally: plan.emptyTally)
    for pass in 0...BatchRun.passes {
      let allocated = Allocations()
      let start = Stopwatch.threadNanoseconds()
      let sums = users.decide()
      let elapsed = Stopwatch.threadNanoseconds() - start
      if pass > 0 { share.cpuSeconds.append(Double(elapsed) / 1e9) }
      share.allocations = allocated.sinceThen
      share.tally = plan.tally(of: sums)
    }
  }
}

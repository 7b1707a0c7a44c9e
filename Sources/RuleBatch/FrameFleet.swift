internal import Expressions
internal import RuleEngine

/// Decides the rows of tables whose users have SDKs of several versions. Each group of SDKs has its
/// own worker, which decides the rows of the group.
final class FrameFleet {
  // SAFETY: Cells of `block` point into the batch, and are dropped before a call ends.
  // Tests: TableTests, asan.

  /// The results for all rows.
  struct Output {
    var sums: BatchSums
    var choices: [Int32]
    var rejected: [FrameWorker.RejectedRow]
    var reasons: FrameReasons
    var untrimmed: (rows: Int, example: String) = (0, "")
    var notes: RecordNotes
    var filledRows = 0
  }

  private let fleet: Fleet
  private let plan: BatchPlan
  private let columns: FrameColumns
  /// The worker of each group, by the group's number in the fleet.
  private var workers: [Int: (worker: FrameWorker, columns: FrameColumns, numbers: [Int?])] = [:]
  private let program: Program
  private let slots: [Int]
  private var known: KnownSDKs
  private var block: ColumnFrame
  private let mask = RowMasks.allocate()
  private let scratch = RowMasks.allocate()

  init(_ fleet: Fleet, _ plan: BatchPlan, _ columns: FrameColumns) {
    self.fleet = fleet
    self.plan = plan
    self.columns = columns
    let program = DeviceSDK.program
    self.program = program
    slots = DeviceSDK.paths.map { program.slot(of: $0) ?? 0 }
    block = ColumnFrame(for: program)
    known = KnownSDKs(fleet)
  }

  deinit {
    mask.deallocate()
    scratch.deallocate()
  }

  func decide(_ rows: borrowing ArrowRows, from first: Int, count: Int) throws(ArrowError)
    -> Output
  {
    let (groups, notes) = try groups(rows, from: first, count: count)
    var output = Output(
      sums: plan.emptySums, choices: [], rejected: [], reasons: FrameReasons(plan), notes: notes)
    let placements = plan.keepsChoices ? plan.placementCount : 0
    output.choices = Array(repeating: BatchBlock.noChoice, count: placements * count)
    var parts: [FrameReasons] = []
    var partOf: [Int: Int] = [:]
    // For each group, its rows in order.
    var rowsOf: [Int: [Int]] = [:]
    for (row, group) in groups.enumerated() { rowsOf[group, default: []].append(first + row) }
    for (group, own) in rowsOf.sorted(by: { $0.key < $1.key }) {
      let part = try worker(group)
      var table = try rows.rows(part.columns.binding)
      let filled = part.worker.filledRows
      let sums = try own.withUnsafeBufferPointer { list throws(ArrowError) in
        try part.worker.decide(&table, ArrowRows.Selection(list))
      }
      output.sums.add(sums.renumbered(part.numbers, count: output.sums.numbers.count))
      for placement in 0..<placements {
        for (number, row) in own.enumerated() {
          output.choices[placement * count + row - first] =
            part.worker.choices[placement * own.count + number]
        }
      }
      output.rejected += part.worker.rejected.map {
        FrameWorker.RejectedRow(row: own[$0.row] - first, reason: $0.reason)
      }
      output.sums.rejected += sums.rejected
      output.filledRows += part.worker.filledRows - filled
      let untrimmed = part.worker.untrimmed
      if output.untrimmed.rows == 0 { output.untrimmed.example = untrimmed.example }
      output.untrimmed.rows += untrimmed.rows
      partOf[group] = parts.count
      parts.append(part.worker.reasons)
    }
    if output.reasons.isActive { output.reasons.join(parts, of: groups.map { partOf[$0] ?? 0 }) }
    output.rejected.sort { $0.row < $1.row }
    output.rejected = Array(output.rejected.prefix(FrameWorker.mostReasons))
    output.sums.lines = count
    return output
  }

  private func worker(_ group: Int) throws(ArrowError)
    -> (worker: FrameWorker, columns: FrameColumns, numbers: [Int?])
  {
    if let known = workers[group] { return known }
    let own = fleet.plan(ofGroup: group)
    let columns = try columns.columns(for: own.ruleSet)
    let made = (FrameWorker(own, columns), columns, plan.numbers(ofPart: own))
    workers[group] = made
    return made
  }

  /// For each row, the group of its SDK; and the oddities of the SDKs.
  private func groups(_ rows: borrowing ArrowRows, from first: Int, count: Int)
    throws(ArrowError) -> ([Int], RecordNotes)
  {
    let binding = try columns.binding(for: program)
    let versions = DeviceSDK.paths.map { $0.description }.filter { $0.contains("sdkVersion") }
    if fleet.selection == .record, versions.allSatisfy({ binding.missing.contains($0) }) {
      throw ArrowError(
        versions[0], "sdkVersion is 'record', and no column has the version of each row's SDK")
    }
    let own = try rows.rows(binding)
    var groups: [Int] = []
    var notes = RecordNotes()
    groups.reserveCapacity(count)
    defer { block.reset() }
    var start = 0
    while start < count {
      let part = min(BlockShape.rows, count - start)
      block.reset()
      mask.update(repeating: 0, count: BlockShape.words)
      try own.fill(
        &block, ArrowRows.Selection(from: first + start, count: part), tooLarge: mask,
        scratch: scratch)
      for row in 0..<part {
        let isTooLarge = mask[row >> 6] >> UInt64(row & 63) & 1 != 0
        let cells = KnownSDKs.Cells { block.cell(slots[$0], row: row) }
        let match = isTooLarge ? fleet.match(DeviceSDK()) : known.match(cells)
        groups.append(match.group)
        if let problem = match.problem { notes.add(problem) }
      }
      start += part
    }
    return (groups, notes)
  }
}

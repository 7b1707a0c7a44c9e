internal import Expressions
internal import RuleEngine

/// Decides a chunk whose users have SDKs of several versions. Each group of SDKs has its own
/// worker, and outcomes are in the order of the lines.
struct FleetWorker: ~Copyable {
  // SAFETY: Cells of `shared` and `frame` point into the chunk, and rows of the groups into `shared`.
  // All are reset before a call ends. Tests: FleetTests, asan.

  /// The worker of a group, and its outcomes for the chunk.
  private final class Group {
    var worker: BatchWorker
    let transfer: RowTransfer
    let buffer = OutcomeBuffer()
    /// The number of outcomes that were already copied.
    var passed = 0
    /// For each count of the group, its number in the batch.
    let numbers: [Int?]

    init(_ plan: BatchPlan, of batch: BatchPlan, _ transfer: consuming RowTransfer) {
      worker = BatchWorker(plan)
      self.transfer = transfer
      numbers = batch.numbers(ofPart: plan)
      buffer.marksEnds = true
    }

    func begin(slack: Int, _ limit: UInt64) {
      worker.begin(slack: slack, comparing: limit, buffer)
    }

    /// Handles the record in a shared row, and decides the block if it is full afterwards.
    ///
    /// - Returns: false if the record must be read in another way.
    func addShared(
      _ record: RecordShapes.Filled, _ row: borrowing SharedRow, in chunk: ByteView,
      from start: Int, number: Int
    ) -> Bool {
      worker.addShared(
        record, row, by: transfer, in: chunk, from: start, number: number, buffer)
    }
  }

  private let fleet: Fleet
  private let plan: BatchPlan
  /// The groups by their number in the fleet; nil for groups without a user in this worker.
  private var groups: [Group?] = []
  /// The row into which records are read once, whichever group decides.
  private var shared: SharedRow
  /// The number of times that ``shared`` lost its record because a new group added attributes.
  private var losses = 0
  /// The slots of ``DeviceSDK/paths`` in ``shared``.
  private var sharedSlots: [Int] = []
  /// For each shape with unknown keys, the number of its records in the chunk.
  private var unusual: [Int: Int] = [:]
  private let slots: [Int]
  private var frame: Frame
  private var known: KnownSDKs
  /// The group of each line that has an outcome.
  private var order: [Int32] = []

  init(_ fleet: Fleet, _ plan: BatchPlan) {
    self.fleet = fleet
    self.plan = plan
    let program = DeviceSDK.program
    slots = DeviceSDK.paths.map { program.slot(of: $0) ?? 0 }
    frame = Frame(for: program)
    known = KnownSDKs(fleet)
    shared = SharedRow(
      plan.ruleSet.environment, paths: DeviceSDK.paths,
      captures: UserMember.captured.map { $0.key },
      objects: UserMember.allCases.filter { $0.kind == .attributes }.map { $0.key })
    sharedSlots = DeviceSDK.paths.map { shared.slot(of: $0) ?? 0 }
    shared.include(plan.ruleSet.program)
  }

  /// The number of errors in texts, by text and reason.
  var textErrors: [String: Int] {
    groups.compactMap { $0 }.reduce(into: [:]) {
      $0.combine($1.worker.textErrors, +)
    }
  }

  /// The results for the lines of a chunk.
  struct Output {
    var sums: BatchSums
    var rejected: [BatchWorker.RejectedLine] = []
    var notes = RecordNotes()
    var repeated: [(line: Int, key: String)] = []
    var subjects: [SubjectRecord] = []
  }

  mutating func process(
    _ chunk: ByteView, slack: Int, comparing limit: UInt64, sums: BatchSums,
    kept: KeptChoices?, into buffer: OutcomeBuffer
  ) -> Output {
    buffer.clear()
    kept?.clear()
    var output = Output(sums: sums)
    order.removeAll(keepingCapacity: true)
    for case let group? in groups { group.begin(slack: slack, limit) }
    var start = 0
    var line = 0
    while start < chunk.count {
      start = next(in: chunk, from: start, number: line, slack: slack, limit, &output)
      line += 1
    }
    for case let group? in groups {
      group.worker.decideBlock(group.buffer)
      group.worker.forget()
      let part = group.worker.finish(line)
      output.sums.add(part.sums.renumbered(group.numbers, count: output.sums.numbers.count))
      output.notes.add(part.notes)
      output.repeated += part.repeated
      output.subjects += part.subjects
    }
    addUnusual(to: &output.notes)
    output.sums.lines = line
    output.sums.rejected = output.rejected.count
    output.repeated.sort { $0.line < $1.line }
    output.subjects.sort { $0.line < $1.line }
    join(into: buffer)
    kept?.join(order.map { Int($0) }, groups.map { $0?.worker.kept })
    shared.reset()
    frame.reset()
    return output
  }

  // MARK: Lines

  /// Handles the line that begins at an offset.
  ///
  /// - Returns: where the next line begins.
  private mutating func next(
    in chunk: ByteView, from start: Int, number: Int, slack: Int, _ limit: UInt64,
    _ output: inout Output
  ) -> Int {
    if let record = shared.fill(ByteView(rebasing: chunk[start...]), slack: slack) {
      let match = known.match(KnownSDKs.Cells { shared.cell(sharedSlots[$0]) })
      let losses = self.losses
      let group = self.group(match.group, slack: slack, limit, &output)
      if losses == self.losses {
        let shape = record.hasUnknownKeys ? shared.lastShape : nil
        if group.addShared(record, shared, in: chunk, from: start, number: number) {
          if let shape { unusual[shape, default: 0] += 1 }
          note(match, &output)
        } else {
          let line = ByteView(rebasing: chunk[start..<start + record.length])
          add(line, number, match, to: group, &output)
        }
        return start + record.length + 1
      }
    }
    let end = LineScan.newline(in: chunk, from: start)
    let line = ByteView(rebasing: chunk[start..<end])
    let match = self.match(line)
    let group = self.group(match.group, slack: slack, limit, &output)
    if add(line, number, match, to: group, &output), line.count <= BatchWorker.longestInBlock {
      shared.learn(line)
    }
    return end + 1
  }

  /// Reads a line for a group, and decides the user of the line.
  ///
  /// - Returns: whether the line has a user.
  @discardableResult
  private mutating func add(
    _ line: ByteView, _ number: Int, _ match: Fleet.Match, to group: Group,
    _ output: inout Output
  ) -> Bool {
    let count = group.worker.block.count
    if let refused = group.worker.add(line, number: number) { output.rejected.append(refused) }
    guard group.worker.block.count > count else { return false }
    if group.worker.block.isFull { group.worker.decideBlock(group.buffer) }
    note(match, &output)
    return true
  }

  private mutating func note(_ match: Fleet.Match, _ output: inout Output) {
    order.append(Int32(truncatingIfNeeded: match.group))
    if let problem = match.problem { output.notes.add(problem) }
  }

  private mutating func addUnusual(to notes: inout RecordNotes) {
    for (shape, records) in unusual {
      for key in shared.unknownKeys(ofShape: shape) { notes.add(unknownKey: key, records) }
    }
    unusual.removeAll(keepingCapacity: true)
  }

  /// Merges the outcomes of the groups in the order of the lines.
  private func join(into buffer: OutcomeBuffer) {
    for case let group? in groups { group.passed = 0 }
    for number in order {
      guard let group = groups[Int(number)], group.passed < group.buffer.ends.count else {
        continue
      }
      let from = group.passed > 0 ? group.buffer.ends[group.passed - 1] : 0
      let content = UnsafeRawBufferPointer(
        rebasing: group.buffer.content[from..<group.buffer.ends[group.passed]])
      group.passed += 1
      buffer.append(capacity: content.count) { start in
        if let base = content.baseAddress {
          start.copyMemory(from: base, byteCount: content.count)
        }
        return start + content.count
      }
    }
  }

  // MARK: Groups

  private mutating func group(
    _ number: Int, slack: Int, _ limit: UInt64, _ output: inout Output
  ) -> Group {
    if number < groups.count, let group = groups[number] { return group }
    while groups.count <= number { groups.append(nil) }
    let plan = fleet.plan(ofGroup: number)
    include(plan.ruleSet.program, &output)
    let group = Group(plan, of: self.plan, shared.transfer(to: plan.ruleSet.program))
    group.begin(slack: slack, limit)
    groups[number] = group
    return group
  }

  /// Adds the attributes of a group to ``shared``.
  private mutating func include(_ program: Program, _ output: inout Output) {
    if shared.includes(program) { return }
    losses += 1
    // Rows of blocks point into the memory that is replaced, and the numbers of shapes change.
    for case let group? in groups { group.worker.decideBlock(group.buffer) }
    addUnusual(to: &output.notes)
    shared.include(program)
  }

  /// Reads the SDK of a record, and returns its group.
  private mutating func match(_ line: ByteView) -> Fleet.Match {
    do throws(JSONFault) {
      try frame.fill(json: line)
    } catch {
      // Any worker that reads the line rejects it.
      return fleet.match(DeviceSDK())
    }
    return known.match(KnownSDKs.Cells { frame.slots[slots[$0]] })
  }
}

extension BatchWorker {
  /// Handles a line's record in the shared row, and decides the block if it is full afterwards.
  ///
  /// - Returns: false if the record must be read in another way.
  mutating func addShared(
    _ record: RecordShapes.Filled, _ row: borrowing SharedRow, by transfer: borrowing RowTransfer,
    in chunk: ByteView, from start: Int, number: Int, _ buffer: OutcomeBuffer
  ) -> Bool {
    // SAFETY: There is a place for each member of a record in both memories. Tests: FleetTests, asan.
    guard record.captures & UserMember.userID.bit != 0 else { return false }
    captured.update(from: row.places, count: UserMember.captured.count)
    let text = ByteView(rebasing: chunk[start..<start + record.length])
    guard row.copy(by: transfer, to: block.count, of: &block.columns), accept(record, text) else {
      return false
    }
    addRow(text, number)
    if block.isFull { decideBlock(buffer) }
    return true
  }
}

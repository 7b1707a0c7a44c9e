internal import Expressions
package import RuleEngine

/// The plans of a batch whose users have SDKs of several versions: one for each group of SDKs that
/// decide the config alike. All workers share it. Plans are created on demand.
package final class Fleet: Sendable {
  /// A group, and any oddity of the record that led to it.
  struct Match: Sendable {
    var group: Int
    var problem: SDKSelection.Choice.Problem?
  }

  package let selection: SDKSelection
  private let family: RuleSetFamily
  private let usual: SDKName
  private let makePlan: @Sendable (RuleSet, [OutcomeColumns.OfRun]) -> BatchPlan
  /// The column with the SDK of each outcome; nil for none.
  private let column: String?
  private let state = Locked(State())

  private struct State: Sendable {
    var groups: [(key: GroupKey, plan: BatchPlan)] = []
    var groupOf: [SDKProfile: Int] = [:]
  }

  /// The common properties of the SDKs in a group.
  private struct GroupKey: Hashable {
    var compiling: SDKProfile.CompileKey
    var aborts: Bool
    var hasNullTimes: Bool
    var rejection: ConfigFact?
    var unsent: [Int]
    /// The name of the SDK, if outcomes include it.
    var name: String?
  }

  init(
    _ selection: SDKSelection, _ config: Config, usual: SDKName, column: String?,
    _ makePlan: @escaping @Sendable (RuleSet, [OutcomeColumns.OfRun]) -> BatchPlan
  ) {
    self.selection = selection
    family = RuleSetFamily(config)
    self.usual = usual
    self.column = column
    self.makePlan = makePlan
  }

  /// The group of a user.
  func match(_ device: DeviceSDK) -> Match {
    let choice = selection.choice(device, usual: usual)
    return Match(group: group(of: choice.profile), problem: choice.problem)
  }

  /// The number of compiled rule sets.
  package var compileCount: Int { family.compileCount }

  func plan(ofGroup number: Int) -> BatchPlan { state.withLock { $0.groups[number].plan } }

  private func group(of profile: SDKProfile) -> Int {
    state.withLock { state in
      if let known = state.groupOf[profile] { return known }
      let ruleSet = family.ruleSet(for: profile)
      let group = GroupKey(
        compiling: profile.compileKey(for: family.config), aborts: ruleSet.storage.aborts,
        hasNullTimes: profile.has(.nullTimes),
        rejection: ruleSet.storage.rejection, unsent: ruleSet.storage.unsent,
        name: column.map { _ in profile.name })
      let number = state.groups.firstIndex { $0.key == group } ?? state.groups.count
      if number == state.groups.count {
        let columns = column.map { [OutcomeColumns.OfRun($0, profile.name)] } ?? []
        state.groups.append((group, makePlan(ruleSet, columns)))
      }
      state.groupOf[profile] = number
      return number
    }
  }
}

/// Decides a chunk whose users have SDKs of several versions. Each group of SDKs has its own
/// worker, and outcomes are in the order of the lines.
final class FleetWorker {
  // SAFETY: Cells of `columns` and `frame` point into the chunk; both are reset before a call ends.
  // Tests: FleetTests, asan.

  /// A worker of a group, and its outcomes for the chunk.
  private final class Group {
    var worker: BatchWorker
    let buffer = OutcomeBuffer()
    /// The number of outcomes already copied.
    var passed = 0
    /// The batch's numbers for the counts of the group.
    let numbers: [Int?]

    init(_ plan: BatchPlan, of batch: BatchPlan) {
      worker = BatchWorker(plan)
      numbers = batch.numbers(ofPart: plan)
      buffer.marksEnds = true
    }

    func begin(slack: Int, _ limit: UInt64) {
      worker.begin(slack: slack, comparing: limit, buffer)
    }
  }

  /// SDK data from earlier records, and their groups.
  private struct Known {
    var cells: [Cell]
    var match: Fleet.Match
  }

  private let fleet: Fleet
  private let plan: BatchPlan
  /// By the numbers of the fleet; nil for groups without a user in this worker.
  private var groups: [Group?] = []
  private let program: Program
  private let slots: [Int]
  private var shapes: RecordShapes
  private var columns: ColumnFrame
  private var frame: Frame
  private var known: [Known] = []
  private let captured = UnsafeMutablePointer<RecordShapes.Captured>.allocate(capacity: 1)
  /// The group of each line that has an outcome.
  private var order: [Int32] = []

  /// The paths of a record's SDK data.
  private static let paths = [
    "platform", "sdkVersion", "sdkVersionPadded", "platformWrapper", "platform_wrapper",
  ].map { AttributePath(["device", $0]) }
  private static let mostKnown = 64

  init(_ fleet: Fleet, _ plan: BatchPlan) {
    self.fleet = fleet
    self.plan = plan
    var builder = ProgramBuilder(ExpressionEnvironment())
    for path in Self.paths { _ = builder.add(path.description) }
    program = builder.build()
    let program = program
    slots = Self.paths.map { program.slot(of: $0) ?? 0 }
    shapes = RecordShapes(for: program, captures: [], objects: [])
    columns = ColumnFrame(for: program)
    frame = Frame(for: program)
    captured.initialize(to: RecordShapes.Captured())
  }

  deinit { captured.deallocate() }

  /// The errors in texts, with their number.
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

  func process(
    _ chunk: ByteView, slack: Int, comparing limit: UInt64, sums: BatchSums,
    kept: KeptChoices?, into buffer: OutcomeBuffer
  ) -> Output {
    var output = Output(sums: sums)
    order.removeAll(keepingCapacity: true)
    for case let group? in groups { group.begin(slack: slack, limit) }
    var start = 0
    var line = 0
    while start < chunk.count {
      let match = self.match(ByteView(rebasing: chunk[start...]), slack: slack)
      let group = self.group(match.group, slack: slack, limit)
      let count = group.worker.block.count
      start = group.worker.next(in: chunk, from: start, number: line, &output.rejected)
      if group.worker.block.count > count {
        order.append(Int32(match.group))
        if let problem = match.problem { output.notes.add(problem) }
      }
      if group.worker.block.isFull { group.worker.decideBlock(group.buffer) }
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
    output.sums.lines = line
    output.sums.rejected = output.rejected.count
    output.repeated.sort { $0.line < $1.line }
    output.subjects.sort { $0.line < $1.line }
    join(into: buffer)
    kept?.join(order.map { Int($0) }, groups.map { $0?.worker.kept })
    columns.reset()
    frame.reset()
    return output
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

  private func group(_ number: Int, slack: Int, _ limit: UInt64) -> Group {
    if number < groups.count, let group = groups[number] { return group }
    while groups.count <= number { groups.append(nil) }
    let group = Group(fleet.plan(ofGroup: number), of: plan)
    group.begin(slack: slack, limit)
    groups[number] = group
    return group
  }

  /// The SDK of the record at the beginning of the bytes, and its group.
  private func match(_ text: ByteView, slack: Int) -> Fleet.Match {
    if shapes.fill(text, slack: slack, row: 0, of: &columns, captured: captured) != nil {
      return match { columns.cell($0, row: 0) }
    }
    let line = ByteView(rebasing: text[..<LineScan.newline(in: text, from: 0)])
    do throws(JSONFault) {
      try frame.fill(json: line)
      shapes.learn(line)
    } catch {
      // The line is rejected by any worker that reads it.
      return fleet.match(DeviceSDK())
    }
    return match { frame.slots[$0] }
  }

  private func match(_ cell: (Int) -> Cell) -> Fleet.Match {
    search: for place in known.indices {
      for (number, slot) in slots.enumerated() where known[place].cells[number] != cell(slot) {
        continue search
      }
      return known[place].match
    }
    let cells = slots.map(cell)
    func text(_ number: Int) -> String? {
      guard cells[number].isValue else { return nil }
      let value = Value(cells[number])
      if value == .null { return nil }
      guard let text = value.text else { return value.json }
      return text.isEmpty ? nil : text
    }
    var device = DeviceSDK()
    device.platform = text(0)
    device.version = text(1)
    device.paddedVersion = text(2)
    device.hasWrapper = text(3) != nil || text(4) != nil
    let match = fleet.match(device)
    // Longer strings point into the chunk.
    if !cells.contains(where: { $0.isValue && $0.pointsOutside }), known.count < Self.mostKnown {
      known.append(Known(cells: cells, match: match))
    }
    return match
  }
}

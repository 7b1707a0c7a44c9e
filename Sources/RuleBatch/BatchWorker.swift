package import Expressions
package import RuleEngine

/// Decides all placements of a plan for many users. Each thread needs its own worker. A worker becomes faster once it
/// knows the shapes of the records, so use the same worker for all chunks.
///
/// Records with a known shape are decided in blocks, column by column. Other records are decided one by one, with the
/// same results.
public struct BatchWorker: ~Copyable {
  /// A line that is invalid.
  public struct RejectedLine: Hashable, Sendable {
    /// The number of the line within the chunk, from 0.
    public var line: Int
    public var reason: String
    public var text: [UInt8]

    public init(line: Int, reason: String, text: [UInt8]) {
      self.line = line
      self.reason = reason
      self.text = text
    }
  }

  /// The results of a chunk of lines.
  public struct Output: Sendable {
    package var sums: BatchSums
    public var rejected: [RejectedLine]
    /// The outcomes, in memory that may be reused for another chunk.
    package var buffer: OutcomeBuffer
    /// The oddities of the chunk's records.
    package var notes: RecordNotes
    /// The lines, from 0, whose records repeat a key. Only the first line is listed for each key.
    package var repeated: [(line: Int, key: String)]
    /// The subjects to compare with subjects of other chunks.
    package var subjects: [SubjectRecord]
    fileprivate let plan: BatchPlan

    public var outcomes: [UInt8] { buffer.bytes }
    /// The size of the outcomes in bytes.
    public var outcomeCount: Int { buffer.content.count }
    public var tally: Tally { plan.tally(of: sums) }
    /// The number of lines in the chunk, including blank lines.
    public var lines: Int { sums.lines }
  }

  let plan: BatchPlan
  // Copies of the plan's values, because reading them through the plan would cost reference
  // counting for every user.
  private let program: Program
  private let rules: RuleTable
  let table: BatchTable
  /// Slots of attributes that the SDK does not send.
  let unsent: [Int]
  /// The state of a user that is decided one by one.
  private var state: DecisionState
  var frame: Frame
  var reader: UserRecordReader
  private var shapes: RecordShapes
  var block: BatchBlock
  var columns: ColumnDecider
  private var walk: RowWalk
  var counts: BatchCounts
  var chooser: VariantChooser
  private var writer: OutcomeWriter
  private var texts: BatchTexts
  var errors: BatchErrors
  private var draws: DrawCounter?
  var reasons: BatchReasons
  /// The users' choices; nil unless the plan collects them.
  package let kept: KeptChoices?
  // SAFETY: There is a place for each member of a record. `deinit` frees them.
  // Tests: BatchDifferentialTests, asan.
  let captured: UnsafeMutablePointer<RecordShapes.Captured>
  private var slack = 0
  /// The answers to questions about events for users without events, by slot; nil if they do not
  /// fit into cells, so that users must be decided one by one.
  let answersWithoutEvents: [(slot: Int, cell: Cell)]?
  /// For each shape with unknown keys, the number of its records since the last notes.
  private var unusual: [Int: Int] = [:]
  /// The oddities of records with known shapes.
  private var shapeNotes = RecordNotes()
  /// The outcomes of ``process(_:)``.
  private var ownBuffer = OutcomeBuffer()
  /// The value for ``Output/repeated``.
  private var repeated: [(line: Int, key: String)] = []
  private var compared = SubjectCollector()
  /// The worker that decides instead of this one if users have SDKs of several versions.
  private var fleet: FleetWorker?
  /// The notes that were already returned in ``Output/notes``.
  private var told = RecordNotes()

  /// Longer lines are decided one by one, so that the limits of an evaluation are enforced.
  static let longestInBlock = 8_192

  public init(_ plan: BatchPlan) {
    self.plan = plan
    fleet = plan.fleet.map { FleetWorker($0, plan) }
    program = plan.ruleSet.program
    rules = plan.ruleSet.storage.table
    table = plan.table
    unsent = plan.ruleSet.storage.unsent
    state = DecisionState(subjectID: "", now: plan.now)
    frame = Frame(for: plan.ruleSet.program)
    reader = UserRecordReader(plan.ruleSet, at: plan.clock)
    shapes = RecordShapes(
      for: plan.ruleSet.program, captures: UserMember.captured.map({ $0.key }),
      objects: UserMember.allCases.filter { $0.kind == .attributes }.map({ $0.key }))
    block = BatchBlock(plan.ruleSet.program, placements: plan.placements.count)
    columns = ColumnDecider(plan)
    walk = RowWalk(plan)
    counts = BatchCounts(plan)
    chooser = VariantChooser(plan)
    writer = OutcomeWriter(plan)
    texts = BatchTexts(plan)
    errors = BatchErrors(plan)
    draws = plan.draws.map { DrawCounter($0) }
    reasons = BatchReasons(plan)
    kept = plan.collectsChoices ? KeptChoices(placements: plan.placements.count) : nil
    captured = .allocate(capacity: UserMember.captured.count)
    captured.initialize(repeating: RecordShapes.Captured(), count: UserMember.captured.count)
    let answers = plan.ruleSet.answersWithoutEvents(at: plan.clock, in: &frame)
    answersWithoutEvents = answers.contains { $0.cell.pointsOutside } ? nil : answers
  }

  deinit { captured.deallocate() }

  /// The number of errors in texts, by text and reason.
  package var textErrors: [String: Int] {
    switch fleet {
    case .some(let fleet): fleet.textErrors
    case nil: texts.errors
    }
  }

  /// The oddities of the records that were read since the last call.
  private mutating func newNotes() -> RecordNotes {
    for (shape, records) in unusual {
      for key in shapes.unknownKeys(ofShape: shape) {
        shapeNotes.add(unknownKey: key, records)
      }
    }
    unusual.removeAll(keepingCapacity: true)
    if reader.notes.isEmpty, shapeNotes.isEmpty { return RecordNotes() }
    var all = reader.notes
    all.add(shapeNotes)
    defer { told = all }
    return all.since(told)
  }

  /// Decides the user of every line in a chunk. The chunk must consist of complete lines.
  public mutating func process(_ chunk: [UInt8]) -> Output {
    // A buffer that a caller still uses is not reused.
    if !isKnownUniquelyReferenced(&ownBuffer) { ownBuffer = OutcomeBuffer() }
    let buffer = ownBuffer
    return chunk.withUnsafeBufferPointer { process($0, into: buffer) }
  }

  /// Decides the user of every line in a chunk. The chunk must stay in place until the call returns.
  ///
  /// - Parameters:
  ///   - slack: bytes after the chunk that may be read, whatever they contain, so that the last
  ///     record can be read by its shape too.
  ///   - limit: the limit for hashes. Subjects with hashes below it are returned for
  ///     ``ComparedSubjects``.
  ///   - buffer: receives the outcomes. Its contents are replaced.
  package mutating func process(
    _ chunk: ByteView, slack: Int = 0, comparing limit: UInt64 = 0, into buffer: OutcomeBuffer
  ) -> Output {
    // SAFETY: The caller keeps the chunk until this returns. `forget()` drops everything that
    // points into it. Tests: InputFormsTests, BatchDifferentialTests.chunksAndLineEnds, asan.
    if let all = fleet?.process(
      chunk, slack: slack, comparing: limit, sums: plan.emptySums, kept: kept, into: buffer)
    {
      return Output(
        sums: all.sums, rejected: all.rejected, buffer: buffer, notes: all.notes,
        repeated: all.repeated, subjects: all.subjects, plan: plan)
    }
    begin(slack: slack, comparing: limit, buffer)
    var rejected: [RejectedLine] = []
    var start = 0
    var lines = 0
    while start < chunk.count {
      start = next(in: chunk, from: start, number: lines, &rejected)
      lines += 1
      if block.isFull { decideBlock(buffer) }
    }
    decideBlock(buffer)
    forget()
    var output = finish(lines)
    output.sums.rejected = rejected.count
    output.rejected = rejected
    output.buffer = buffer
    return output
  }

  /// Begins a chunk.
  mutating func begin(slack: Int, comparing limit: UInt64, _ buffer: OutcomeBuffer) {
    self.slack = slack
    compared.limit = limit
    counts.clear()
    buffer.clear()
    repeated = []
    kept?.clear()
    block.begin()
  }

  /// The results of a chunk, except for the rejected lines.
  mutating func finish(_ lines: Int) -> Output {
    var sums = counts.sums
    sums.errors = errors.takeCounts()
    sums.draws = draws?.take()
    sums.lines = lines
    return Output(
      sums: sums, rejected: [], buffer: ownBuffer, notes: newNotes(), repeated: repeated,
      subjects: compared.take(), plan: plan)
  }

  /// Drops the chunk, so that no view into it outlives the call.
  mutating func forget() {
    // SAFETY: No view into the chunk outlives this call. Tests: InputFormsTests,
    // BatchDifferentialTests.longLines, asan.
    block.begin()
    texts.forget()
    reader.forget()
    frame.reset()
  }

  /// Reports the errors of users that were decided one by one, after their block is decided.
  mutating func endErrors(of block: borrowing BatchBlock) { errors.endBlock(block) }

  mutating func takeErrors() -> [NamedError: BatchSums.ErrorCount] { errors.takeCounts() }

  /// Handles the line that begins at an offset.
  ///
  /// - Returns: where the next line begins.
  @inline(__always)
  mutating func next(
    in chunk: ByteView, from start: Int, number: Int, _ rejected: inout [RejectedLine]
  ) -> Int {
    // The shape shows where the record ends, so no search for the newline is needed.
    if let count = addByShape(ByteView(rebasing: chunk[start...])) {
      addRow(ByteView(rebasing: chunk[start..<start + count]), number)
      return start + count + 1
    }
    let end = LineScan.newline(in: chunk, from: start)
    let line = ByteView(rebasing: chunk[start..<end])
    let rows = block.count
    if let refused = add(line, number: number) { rejected.append(refused) }
    if block.count > rows, line.count <= BatchWorker.longestInBlock { shapes.learn(line) }
    return end + 1
  }

  /// Stores the data of the last row's record that is needed later.
  @inline(__always)
  mutating func addRow(_ record: ByteView, _ line: Int) {
    texts.addRow(record)
    compared.add(block.subjects[block.count &- 1], record, line)
  }

  /// - Returns: the line if it is rejected.
  mutating func add(_ line: ByteView, number: Int) -> RejectedLine? {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return nil }
    do throws(UserRecordReader.Rejection) {
      guard line.count <= plan.lineLimit else {
        throw UserRecordReader.Rejection(
          reason: "the line has more than \(plan.lineLimit) bytes, which is the limit")
      }
      try reader.read(line, into: &frame)
    } catch {
      let place = error.offset.map { "at byte \($0): " } ?? ""
      let hint = error.hint.map { "; \($0)" } ?? ""
      return RejectedLine(line: number, reason: place + error.reason + hint, text: Array(line))
    }
    for key in reader.repeatedKeys where !repeated.contains(where: { $0.key == key }) {
      repeated.append((number, key))
    }
    decideAlone()
    addRow(line, number)
    return nil
  }

  // MARK: In a block

  /// Fills a row of the block from the record at the beginning of the bytes, if its shape is known.
  ///
  /// - Returns: the length of the record's line; nil if the record must be read in another way.
  private mutating func addByShape(_ text: ByteView) -> Int? {
    guard
      let record = shapes.fill(
        text, slack: slack, row: block.count, of: &block.columns, captured: captured),
      accept(record, text)
    else { return nil }
    if record.hasUnknownKeys { unusual[shapes.lastShape, default: 0] += 1 }
    return record.length
  }

  /// Adds the record that fills the next row.
  ///
  /// - Returns: false if the record must be read in another way.
  @inline(__always)
  mutating func accept(_ record: RecordShapes.Filled, _ text: ByteView) -> Bool {
    // SAFETY: Captured ranges come from this very record and lie inside it.
    // Tests: BatchDifferentialTests, InputFormsTests, asan.
    guard record.length <= BatchWorker.longestInBlock, !reader.failsOnNull,
      let base = text.baseAddress,
      record.captures & UserMember.userID.bit != 0
    else { return false }
    guard let answersWithoutEvents else { return false }
    for (slot, cell) in answersWithoutEvents { block.columns.set(slot, row: block.count, to: cell) }
    let identity = captured[UserMember.userID.number]
    guard identity.to - identity.from > 2, base[identity.from] == UInt8(ascii: "\""),
      identity.to - identity.from < 4_096
    else { return false }
    let subject = ByteView(
      start: base + identity.from + 1, count: identity.to - identity.from - 2)
    if !identity.isPlainText {
      for byte in subject where byte == UInt8(ascii: "\\") { return false }
    }
    // The reader of records handles white space.
    guard UserID.isTrimmed(subject) else { return false }
    // Most records only have attributes and an identity.
    if record.captures != UserMember.userID.bit, !addCaptured(record.captures, base) {
      return false
    }
    if let slot = reader.userIDSlot, !block.columns.cell(slot, row: block.count).isValue {
      block.columns.set(slot, row: block.count, to: Cell(textAt: subject))
    }
    reader.derivation?.fill(rows: block.count..<block.count &+ 1, of: &block.columns)
    for slot in unsent { block.columns.set(slot, row: block.count, to: .missing) }
    block.addRow(subject: subject)
    return true
  }

  /// Reads the members of a record other than its attributes and identity.
  ///
  /// - Returns: false if the user must be decided alone, or the record may have to be rejected.
  @inline(never)
  private mutating func addCaptured(_ found: UInt32, _ base: UnsafePointer<UInt8>) -> Bool {
    // SAFETY: `base` is the beginning of the record that the captured ranges belong to.
    // Tests: BatchDifferentialTests, asan.
    guard isSilent(.assignments, found, base), isSilent(.occurrences, found, base),
      isSilent(.sessionStart, found, base),
      isSilent(.events, found, base) || !reader.wantsEvents && isOfItsKind(.events, base),
      isSilent(.entitlements, found, base)
        || !reader.needsEntitlements && isOfItsKind(.entitlements, base)
    else { return false }
    return fillStatus(.status, found, reader.statusSlot, base)
      && fillStatus(.entitlements, found, reader.entitlementsSlot, base) && isStatus(found, base)
  }

  /// Whether a member is missing, null, or an empty list or object of the right type.
  private func isSilent(
    _ member: UserMember, _ found: UInt32, _ base: UnsafePointer<UInt8>
  ) -> Bool {
    if found & member.bit == 0 { return true }
    let value = captured[member.number]
    // The shape check has validated the JSON, so a word that begins with `n` is null.
    if base[value.from] == UInt8(ascii: "n") { return true }
    let bracket = member.hasMembers ? UInt8(ascii: "{") : UInt8(ascii: "[")
    return value.to - value.from == 2 && base[value.from] == bracket && member.kind != .time
  }

  /// Whether a member that rules do not read still has the right type.
  private func isOfItsKind(_ member: UserMember, _ base: UnsafePointer<UInt8>) -> Bool {
    let value = captured[member.number]
    var cursor = JSONCursor(base, from: value.from, to: value.to)
    do throws(JSONFault) {
      return try member.pass(&cursor, nesting: program.limits.dataNesting) == nil
    } catch {
      return false
    }
  }

  /// Whether the status is a string or null. A status that no SDK knows is noted as an oddity.
  private mutating func isStatus(_ found: UInt32, _ base: UnsafePointer<UInt8>) -> Bool {
    if found & UserMember.status.bit == 0 { return true }
    let value = captured[UserMember.status.number]
    guard value.isPlainText else { return base[value.from] == UInt8(ascii: "n") }
    let text = ByteView(start: base + value.from + 1, count: value.to - value.from - 2)
    if !RecordNotes.isStatus(text) { shapeNotes.add(status: text) }
    return true
  }

  /// Fills an attribute that `device` lacks from a member outside `device`.
  private mutating func fillStatus(
    _ member: UserMember, _ found: UInt32, _ slot: Int?, _ base: UnsafePointer<UInt8>
  ) -> Bool {
    let value = captured[member.number]
    guard let slot, found & member.bit != 0, base[value.from] != UInt8(ascii: "n"),
      !block.columns.cell(slot, row: block.count).isValue
    else { return true }
    var cursor = JSONCursor(base, from: value.from, to: value.to)
    do throws(JSONFault) {
      let cell = try cursor.cell(
        in: &block.columns.arena, nesting: program.limits.dataNesting)
      let passed = program.passed(cell, in: &block.columns.arena)
      if passed.isValue { block.columns.set(slot, row: block.count, to: passed) }
      return true
    } catch {
      return false
    }
  }

  mutating func decideBlock(_ buffer: OutcomeBuffer) {
    guard block.count > 0 else { return }
    columns.decide(&block, table, &counts, chooser, &errors, &reasons)
    counts.users += block.count
    texts.render(block)
    if let kept {
      kept.add(block)
    } else if plan.writesOutcomes {
      writer.write(block, table, texts, errors, &reasons, chooser, to: buffer)
    }
    counts.endBlock(block)
    errors.endBlock(block)
    draws?.count(block)
    reasons.endBlock()
    block.begin()
  }

  // MARK: Alone

  /// Decides the user in the frame.
  mutating func decideAlone() {
    let row = block.addRow(copying: reader.subject)
    walk.beginUser()
    state.occurrences = reader.occurrences
    state.entitlements = reader.ownedEntitlements
    state.sessionStart = reader.sessionStart
    for number in 0..<table.ruleRanges.count {
      walk.beginPlacement()
      var choice = table.unmatched[number]
      if let range = table.ruleRanges[number] {
        let rule = rules.firstMatch(of: range, program, in: &frame, state, &walk)
        if let aborted = walk.aborted {
          choice = table.rules[aborted].aborted
        } else if let rule {
          walk.taken(rule)
          choice = self.choice(of: rule, placement: number, row)
        }
      }
      for (rule, failure) in walk.failed {
        errors.add(rule, failure, placement: number, row: row)
      }
      walk.addObstacles(to: &counts, row: row)
      if reasons.isNoting { noteReasons(placement: number, row) }
      counts.count(choice)
      block.setChoice(choice, placement: number, row: row)
    }
    walk.addCounts(to: &counts, row: row)
  }

  /// Records why the audiences of a placement do not match the current user.
  private mutating func noteReasons(placement: Int, _ row: Int) {
    for (rule, count) in walk.heldBack {
      reasons.addHeldBack(rule, count: count, placement: placement, row: row)
    }
    for rule in walk.passedOver { reasons.addOwned(rule, placement: placement, row: row) }
    for (rule, _, number, holds) in walk.missing {
      reasons.addMissing(rule, number, holds: holds, placement: placement, row: row)
    }
  }

  /// The choice of the current user for a rule that takes the user.
  private mutating func choice(of number: Int, placement: Int, _ row: Int) -> Int32 {
    let rule = table.rules[number]
    guard !rule.variants.isEmpty else { return rule.withoutVariants }
    if !reader.assignments.isEmpty, let variant = storedVariant(of: number) {
      let choice = rule.variants.lowerBound + Int32(variant)
      draws?.addStored(placement: placement, row: row)
      if reasons.isNoting { reasons.addStored(placement: placement, row: row) }
      counts.stored[Int(choice)] = counts.stored[Int(choice)] &+ 1
      return choice
    }
    return chooser.choice(number, rule, subject: block.subjects[row], table)
  }

  private func storedVariant(of rule: Int) -> Int? {
    let stored = rules.withExperiment(of: rules.rows[rule]) { experiment in
      reader.assignments.last { $0.experimentID.utf8.elementsEqual(experiment) }
    }
    guard let stored else { return nil }
    return plan.ruleSet.rules[rule].audience.variants.firstIndex {
      $0.id.utf8.elementsEqual(stored.variantID.utf8)
    }
  }
}

extension UserMember {
  /// The members other than attributes, by their numbers in shapes.
  static let captured = allCases.prefix { $0.kind != .attributes }

  /// The captured member of a record.
  @inline(__always)
  var bit: UInt32 { 1 << UInt32(number) }
}

package import CArrow
internal import Expressions
package import RuleEngine

/// Decides all placements of a plan for the rows of Arrow tables. Each thread has its own worker.
///
/// Rows are decided in blocks, column by column, as in ``BatchWorker``. A row with data about the
/// past is decided alone: assignments, occurrences, events, or entitlements if rules read them. A
/// row with an unreadable user has no outcome, and is listed in ``rejected``.
package final class FrameWorker {
  // SAFETY: `subjects`, `statuses` and masks have 512 rows, as many as a block. A call ends with
  // `forget()`; after an error, `abandon()` replaces the worker, because its notes name rows of the
  // old batch. Tests: FrameWorkerTests, DamagedFrameTests, FrameFailureTests, asan.

  /// A row without a decision.
  package struct RejectedRow: Hashable, Sendable {
    /// The index of the row, from 0, in the call that decided it.
    package var row: Int
    package var reason: String
  }

  private let plan: BatchPlan
  private let columns: FrameColumns
  private var worker: BatchWorker
  /// The rows of the block that are decided alone, and a scratch mask.
  private let alone = RowMasks.allocate()
  private let scratch = RowMasks.allocate()
  /// Strings for the block's rows: identities and statuses.
  private let subjects: UnsafeMutablePointer<ByteView>
  private let statuses: UnsafeMutablePointer<ByteView>
  private var memory = Arena(limit: 64 << 20)
  private var json: [UInt8] = []
  /// The workers that decide instead of this one if users have SDKs of several versions.
  private let fleet: FrameFleet?

  /// The users' choices as indices of ``BatchPlan/choices``. All rows of the first placement come
  /// first, then all rows of the next. Rows without an outcome have -1. Empty if the plan only
  /// counts.
  package private(set) var choices: [Int32] = []
  /// The first rejected rows, at most ``mostReasons``.
  package private(set) var rejected: [RejectedRow] = []
  /// The reasons of ``choices``.
  package private(set) var reasons: FrameReasons
  /// The rows whose identities have white space at an end, and the first of these identities.
  package private(set) var untrimmed: (rows: Int, example: String) = (0, "")
  /// The number of rows in ``choices``.
  package private(set) var count = 0
  /// The number of rows that were put into blocks, over all calls.
  package private(set) var filledRows = 0
  /// The oddities of the rows' SDKs.
  package private(set) var notes = RecordNotes()

  /// The maximum number of stored rejections.
  package static let mostReasons = 100
  /// The maximum number of rows per call, and of stored outcomes. The number of rows that a batch
  /// declares cannot be trusted.
  private static let mostRows = 1 << 28
  private static let mostOutcomes = 1 << 30

  package init(_ plan: BatchPlan, _ columns: FrameColumns) {
    self.plan = plan
    self.columns = columns
    fleet = plan.fleet.map { FrameFleet($0, plan, columns) }
    worker = BatchWorker(plan)
    worker.reader.hasOnlyMembers = true
    reasons = FrameReasons(plan)
    subjects = .allocate(capacity: BlockShape.rows)
    statuses = .allocate(capacity: BlockShape.rows)
    subjects.initialize(repeating: ByteView(start: nil, count: 0), count: BlockShape.rows)
    statuses.initialize(repeating: ByteView(start: nil, count: 0), count: BlockShape.rows)
  }

  deinit {
    alone.deallocate()
    scratch.deallocate()
    subjects.deallocate()
    statuses.deallocate()
  }

  /// Decides all rows of a batch, which must stay in place until the call returns.
  ///
  /// - Returns: the counts. The users' choices are in ``choices``.
  package func decide(_ batch: UnsafePointer<ArrowArray>) throws(ArrowError) -> BatchSums {
    do throws(ArrowError) {
      var rows = try ArrowRows(columns.binding, batch)
      return try decideRows(&rows, ArrowRows.Selection(from: 0, count: rows.count))
    } catch {
      abandon()
      throw error
    }
  }

  /// Decides some rows of a batch.
  package func decide(_ rows: inout ArrowRows, from first: Int, count: Int)
    throws(ArrowError) -> BatchSums
  {
    try decide(&rows, ArrowRows.Selection(from: first, count: count))
  }

  /// Decides some rows of a batch. The results are in the order of the selection.
  func decide(_ rows: inout ArrowRows, _ selection: ArrowRows.Selection)
    throws(ArrowError) -> BatchSums
  {
    do throws(ArrowError) {
      return try decideRows(&rows, selection)
    } catch {
      abandon()
      throw error
    }
  }

  private func decideRows(_ rows: inout ArrowRows, _ selection: ArrowRows.Selection)
    throws(ArrowError) -> BatchSums
  {
    let count = selection.count
    rows.check(selection)
    guard count <= FrameWorker.mostRows else {
      throw ArrowError("", "the batch has \(count) rows; give at most \(FrameWorker.mostRows)")
    }
    if let problem = plan.problemWithTables { throw ArrowError("", problem) }
    let (outcomes, isOver) = count.multipliedReportingOverflow(by: plan.placementCount)
    guard !plan.keepsChoices || !isOver && outcomes <= FrameWorker.mostOutcomes else {
      throw ArrowError(
        "",
        "\(count) rows at \(plan.placementCount) placements are more than "
          + "\(FrameWorker.mostOutcomes) outcomes; give fewer rows at once, or a stream")
    }
    worker.counts.clear()
    rejected.removeAll(keepingCapacity: true)
    reasons.removeAll()
    untrimmed = (0, "")
    notes = RecordNotes()
    self.count = count
    let wanted = plan.keepsChoices ? plan.placementCount * count : 0
    if choices.count != wanted { choices = Array(repeating: BatchBlock.noChoice, count: wanted) }
    if let fleet {
      let found = try fleet.decide(rows, from: selection.first, count: count)
      (choices, rejected, reasons) = (found.choices, found.rejected, found.reasons)
      (untrimmed, notes) = (found.untrimmed, found.notes)
      filledRows += found.filledRows
      return found.sums
    }
    // No view points into the batch after its release, even after an error.
    defer {
      worker.forget()
      memory.reset()
    }
    var refused = 0
    var start = 0
    while start < count {
      let part = min(BlockShape.rows, count - start)
      refused += try decideBlock(&rows, selection, start, part)
      start += part
    }
    var sums = worker.counts.sums
    sums.errors = worker.takeErrors()
    sums.rejected = refused
    sums.lines = count
    return sums
  }

  /// Discards the decisions made before an error, and their notes. Discarded decisions are neither
  /// returned, nor counted with later decisions.
  private func abandon() {
    worker = BatchWorker(plan)
    worker.reader.hasOnlyMembers = true
    choices = []
    rejected = []
    reasons.removeAll()
    count = 0
  }

  /// - Returns: the number of rows that have no outcome.
  private func decideBlock(
    _ rows: inout ArrowRows, _ selection: ArrowRows.Selection, _ start: Int, _ count: Int
  ) throws(ArrowError) -> Int {
    // SAFETY: Views into the batch are valid until the call of `decide` ends. Choices of `count`
    // rows fit behind `place`: the array has all rows for each placement. Tests: FrameWorkerTests,
    // DamagedFrameTests, asan.
    let chosen = selection.part(from: start, count: count)
    filledRows += count
    worker.block.begin()
    memory.reset()
    alone.update(repeating: 0, count: BlockShape.words)
    if !rows.objects.isEmpty { RowMasks.fill(alone, rows: count) }
    try rows.fill(&worker.block.columns, chosen, tooLarge: alone, scratch: scratch)
    try rows.fillTexts(
      ofCapture: UserMember.userID.number, chosen, to: subjects, in: &memory)
    fillAnswers(count)
    try findLoudRows(rows, chosen)
    try fillStatuses(rows, chosen)
    for slot in worker.unsent {
      for row in 0..<count { worker.block.columns.set(slot, row: row, to: .missing) }
    }
    // All rows are derived at once, because every access to the worker while another module's call runs is checked at
    // run time.
    worker.derive(rows: count)
    var refused = 0
    for row in 0..<count {
      let subject = subjects[row]
      var reason: String?
      if subject.isEmpty {
        let what = subject.baseAddress == nil ? "NULL" : "empty"
        reason = "'\(UserMember.userID.key)' is \(what); it is required"
      } else if alone[row >> 6] >> UInt64(row & 63) & 1 != 0 || !UserID.isTrimmed(subject) {
        if !UserID.isTrimmed(subject) { note(untrimmed: subject) }
        do throws(ArrowError) {
          reason = try decideAlone(&rows, chosen[row], subject)
        } catch {
          guard error.isOfValue else { throw error }
          reason = error.messageOfRow
        }
      } else {
        if let slot = worker.reader.userIDSlot, !worker.block.columns.cell(slot, row: row).isValue {
          worker.block.columns.set(slot, row: row, to: Cell(textAt: subject))
        }
        worker.block.addRow(subject: subject)
      }
      guard let reason else { continue }
      worker.block.addVoidRow()
      refused += 1
      if rejected.count < FrameWorker.mostReasons {
        rejected.append(RejectedRow(row: start + row, reason: reason))
      }
    }
    worker.decideColumns(rows: count, refused: refused, &reasons)
    for placement in 0..<(choices.isEmpty ? 0 : plan.placementCount) {
      let block = worker.block.choices + placement &* BlockShape.rows
      let place = placement &* self.count &+ start
      choices.withUnsafeMutableBufferPointer {
        $0.baseAddress.map { ($0 + place).update(from: block, count: count) }
      }
    }
    return refused
  }

  private func note(untrimmed subject: ByteView) {
    if untrimmed.rows == 0 {
      untrimmed.example = UserMember.short(String(decoding: subject, as: UTF8.self))
    }
    untrimmed.rows += 1
  }

  /// Fills in the answers to questions about events for users without events.
  private func fillAnswers(_ count: Int) {
    guard let answers = worker.answersWithoutEvents else {
      return RowMasks.fill(alone, rows: count)
    }
    for (slot, cell) in answers {
      for row in 0..<count { worker.block.columns.set(slot, row: row, to: cell) }
    }
  }

  /// Finds the rows with data about the past.
  private func findLoudRows(_ rows: borrowing ArrowRows, _ chosen: ArrowRows.Selection)
    throws(ArrowError)
  {
    for member in UserMember.captured where rows.hasCapture(member.number) {
      switch member {
      case .assignments, .occurrences, .sessionStart: break
      case .events: guard worker.reader.wantsEvents || columns.hasEventTexts else { continue }
      case .entitlements: guard worker.reader.needsEntitlements else { continue }
      default: continue
      }
      for row in 0..<chosen.count
      where try !rows.isSilent(capture: member.number, chosen[row]) {
        alone[row >> 6] |= 1 << UInt64(row & 63)
      }
    }
  }

  /// Fills attributes that `device` lacks from columns outside `device`.
  private func fillStatuses(_ rows: borrowing ArrowRows, _ chosen: ArrowRows.Selection)
    throws(ArrowError)
  {
    let count = chosen.count
    if let slot = worker.reader.statusSlot, rows.hasCapture(UserMember.status.number) {
      try rows.fillTexts(
        ofCapture: UserMember.status.number, chosen, to: statuses, in: &memory)
      for row in 0..<count where statuses[row].baseAddress != nil {
        guard !worker.block.columns.cell(slot, row: row).isValue else { continue }
        worker.block.columns.arena.hasRunOut = false
        let cell = plan.ruleSet.program.passed(
          Cell(textAt: statuses[row]), in: &worker.block.columns.arena)
        if worker.block.columns.arena.hasRunOut { alone[row >> 6] |= 1 << UInt64(row & 63) }
        if cell.isValue { worker.block.columns.set(slot, row: row, to: cell) }
      }
    }
    let member = UserMember.entitlements.number
    guard let slot = worker.reader.entitlementsSlot, rows.hasCapture(member) else { return }
    for row in 0..<count where !worker.block.columns.cell(slot, row: row).isValue {
      worker.block.columns.arena.hasRunOut = false
      guard
        let cell = try readableCell(rows, member, chosen[row]),
        !worker.block.columns.arena.hasRunOut
      else {
        alone[row >> 6] |= 1 << UInt64(row & 63)
        continue
      }
      if cell.isValue { worker.block.columns.set(slot, row: row, to: cell) }
    }
  }

  /// The value of a captured column for a slot; nil if the value cannot be read.
  private func readableCell(
    _ rows: borrowing ArrowRows, _ member: Int, _ row: Int
  ) throws(ArrowError) -> Cell? {
    do throws(ArrowError) {
      return try rows.cell(ofCapture: member, row, in: &worker.block.columns.arena)
    } catch {
      if error.isOfValue { return nil }
      throw error
    }
  }

  // MARK: Alone

  /// Decides one row. The reader of records handles its members other than attributes. In most
  /// tables, few rows need this reader.
  ///
  /// - Returns: the reason why the row has no outcome; nil if it has one.
  private func decideAlone(
    _ rows: inout ArrowRows, _ row: Int, _ subject: ByteView
  ) throws(ArrowError) -> String? {
    json.removeAll(keepingCapacity: true)
    json += Array("{\"\(UserMember.userID.key)\":".utf8)
    JSONWriter.append(.string(String(decoding: subject, as: UTF8.self)), to: &json)
    for member in UserMember.captured.dropFirst() {
      guard let value = try rows.value(ofCapture: member.number, row) else { continue }
      json += Array(",\"\(member.key)\":".utf8)
      JSONWriter.append(value, to: &json)
    }
    for (number, object) in rows.objects.enumerated() {
      guard let text = try rows.json(ofObject: number, row) else { continue }
      json += Array(",\"\(object.key)\":".utf8)
      json += text
    }
    json.append(UInt8(ascii: "}"))
    let record = worker.frame.own(json)
    do throws(UserRecordReader.Rejection) {
      try worker.read(record)
    } catch {
      return error.reason
    }
    guard try rows.fillRow(row, of: &worker.frame) else {
      return "its values take more memory than the limit allows"
    }
    worker.derive()
    for slot in worker.unsent { worker.frame.slots[slot] = .missing }
    worker.decideAlone()
    return nil
  }
}

extension BatchPlan {
  /// The reason why the plan cannot decide tables, in words: it requests data that only lines have.
  /// Nil if the plan can decide tables.
  fileprivate var problemWithTables: String? {
    let wanted =
      draws != nil ? "counts draws" : texts != nil ? "renders texts" : nil
    return wanted.map { "the plan \($0), which works for lines of JSON, but not for tables" }
  }
}

extension BatchWorker {
  fileprivate mutating func read(_ record: ByteView) throws(UserRecordReader.Rejection) {
    try reader.read(record, into: &frame)
  }

  /// Derives the attributes that rows, or the frame, lack.
  fileprivate mutating func derive(rows: Int) {
    reader.derivation?.fill(rows: 0..<rows, of: &block.columns)
  }

  fileprivate mutating func derive() { reader.derivation?.fill(&frame) }

  /// Decides the rows of the block that are in columns, and counts the outcomes.
  fileprivate mutating func decideColumns(
    rows: Int, refused: Int, _ texts: inout FrameReasons
  ) {
    columns.decide(&block, table, &counts, chooser, &errors, &reasons)
    if texts.isActive { texts.append(rows, of: block, chooser, errors, &reasons) }
    counts.users += block.count - refused
    counts.endBlock(block)
    errors.endBlock(block)
    reasons.endBlock()
  }
}

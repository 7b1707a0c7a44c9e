/// Evaluates conditions of a program over the rows of a ``ColumnFrame``. Results are stored until the next frame, so a
/// test that several conditions share is computed once.
@usableFromInline package struct ConditionColumns: ~Copyable {
  // SAFETY: `init` allocates masks for all tests, conditions and chains, and for the longest plan;
  // plans name them by numbers below these counts. `deinit` frees them.
  // Tests: ConditionColumnsTests, BatchDifferentialTests.

  private let program: Program
  private let storage: Program.Storage
  private let tests: [ColumnTest]
  private let plans: [ColumnPlan]
  /// The frame for rows that are evaluated one by one.
  private var frame: Frame

  /// The rows of the current frame that hold a context. No other row is ever read.
  private let all = RowMasks.allocate()
  // For each test, the rows for which it was computed, and the results.
  private let testDone: RowMask
  private let testYes: RowMask
  private let testNo: RowMask
  // For each condition, the rows for which it was evaluated, and the rows for which it is true.
  private let done: RowMask
  private let holding: RowMask
  // For each condition, the rows that may have failed.
  private let failing: RowMask
  /// For each condition, the row whose failure was determined last.
  private var lastAsked: [(row: Int, failure: Failure?)?]
  /// For each condition, the slots that it reads.
  private let slots: [[Int]]
  private var finder: FailureFinder
  private let entries: [Program.Entry]
  // During an evaluation: for each step, the rows that reach it, and for each chain, the rows with a stored fault.
  private let arriving: RowMask
  private let pending: RowMask
  private let wanted = RowMasks.allocate()

  /// - Parameter conditions: entries of the program.
  package init(_ program: Program, conditions: [Program.Entry]) {
    self.program = program
    storage = program.storage
    var table = ColumnTestTable()
    plans = conditions.map { ColumnPlan($0, program.storage, &table) }
    tests = table.tests
    frame = Frame(for: program)
    testDone = RowMasks.allocate(max(tests.count, 1))
    testYes = RowMasks.allocate(max(tests.count, 1))
    testNo = RowMasks.allocate(max(tests.count, 1))
    done = RowMasks.allocate(max(plans.count, 1))
    holding = RowMasks.allocate(max(plans.count, 1))
    failing = RowMasks.allocate(max(plans.count, 1))
    lastAsked = Array(repeating: nil, count: plans.count)
    slots = conditions.map {
      program.storage.graph.slots(below: program.storage.rootNodes[$0.source])
    }
    finder = FailureFinder(program)
    entries = conditions
    arriving = RowMasks.allocate(max(plans.map { $0.steps.count }.max() ?? 1, 1))
    pending = RowMasks.allocate(max(program.storage.chains, 1))
  }

  deinit {
    for mask in [
      all, testDone, testYes, testNo, done, holding, failing, arriving, pending, wanted,
    ] {
      mask.deallocate()
    }
  }

  /// Discards all results: the columns have been filled with other rows.
  package mutating func begin(_ columns: borrowing ColumnFrame) {
    // SAFETY: `all` is the mask of filled rows and comes from nowhere else, so vacant rows are
    // never followed. Tests: ConditionColumnsTests, InputFormsTests.
    all.update(from: columns.filled, count: ColumnFrame.words)
    testDone.update(repeating: 0, count: max(tests.count, 1) * ColumnFrame.words)
    done.update(repeating: 0, count: max(plans.count, 1) * ColumnFrame.words)
    for condition in lastAsked.indices { lastAsked[condition] = nil }
  }

  /// The rows for which a condition evaluates to exactly true. Bits of rows that are not `active`, or that
  /// hold no context, are undefined.
  package mutating func holds(
    _ condition: Int, for active: RowMask, in columns: borrowing ColumnFrame
  ) -> RowMask {
    let known = done + condition &* ColumnFrame.words
    let result = holding + condition &* ColumnFrame.words
    let isCheap = plans[condition].isCheap
    let wanted = wanted
    var any: UInt64 = 0
    for word in 0..<ColumnFrame.words {
      let rows = (isCheap ? all[word] : all[word] & active[word]) & ~known[word]
      wanted[word] = rows
      any |= rows & active[word]
    }
    if any == 0 { return result }
    let failed = failing + condition &* ColumnFrame.words
    for word in 0..<ColumnFrame.words {
      known[word] |= wanted[word]
      result[word] &= ~wanted[word]
      failed[word] &= ~wanted[word]
    }
    run(condition, columns, result, failed)
    return result
  }

  /// Finds the rows that hold a context in which an attribute is missing.
  ///
  /// - Parameter missing: the mask that receives the rows.
  /// - Returns: whether any row was found.
  package static func findRows(
    without slot: Int, in columns: borrowing ColumnFrame, to missing: RowMask
  ) -> Bool {
    // SAFETY: Reads the tags of a column's cells, and follows no address. Tests: StandInTests.
    let column = UnsafePointer(columns.cells + slot &* ColumnFrame.stride)
    var any: UInt64 = 0
    for word in 0..<ColumnFrame.words {
      missing[word] = columns.filled[word] & ~ColumnTest.values(column, word &* 64)
      any |= missing[word]
    }
    return any != 0
  }

  /// The rows for which a condition may have failed, among those that ``holds(_:for:in:)`` evaluated. See
  /// ``failure(of:word:rows:in:)`` for the failures.
  package func mayHaveFailed(_ condition: Int) -> RowMask {
    failing + condition &* ColumnFrame.words
  }

  /// The failure of a condition in the first of some rows, or nil if the condition has a value there. Also returns all
  /// rows from which the condition reads the same values, so that their failure is the same.
  ///
  /// - Parameter rows: at least one row, as bits of the 64 rows that begin with row `word * 64`.
  package mutating func failure(
    of condition: Int, word: Int, rows: UInt64, in columns: borrowing ColumnFrame
  ) -> (failure: Failure?, rows: UInt64) {
    // Most failures are due to missing attributes, for long runs of users.
    if let last = lastAsked[condition] {
      let alike = rowsAlike(last.row, rows, word, condition, columns)
      if alike != 0 { return (last.failure, alike) }
    }
    let row = word &* 64 &+ rows.trailingZeroBitCount
    let failure = findFailure(condition, row, columns)
    lastAsked[condition] = (row, failure)
    return (failure, rowsAlike(row, rows, word, condition, columns))
  }

  /// The rows from which a condition reads the same values as from a given row.
  private func rowsAlike(
    _ row: Int, _ rows: UInt64, _ word: Int, _ condition: Int, _ columns: borrowing ColumnFrame
  ) -> UInt64 {
    // SAFETY: Compares bits of 64 cells of a column, and follows no address.
    // Tests: ConditionColumnsTests.
    var alike = rows
    for slot in slots[condition] {
      let column = columns.cells + slot &* ColumnFrame.stride
      alike &= ColumnTest.rows(UnsafePointer(column), word &* 64, same: column[row])
    }
    return alike
  }

  private mutating func findFailure(
    _ condition: Int, _ row: Int, _ columns: borrowing ColumnFrame
  ) -> Failure? {
    columns.copyRow(row, to: frame)
    let mark = frame.arena.mark
    var trace = NoTrace()
    let cell = Machine.run(storage, from: entries[condition].start, in: &frame, &trace)
    frame.arena.release(to: mark)
    // The content of the frame must not outlive the columns.
    defer { frame.reset() }
    return finder.failure(cell, in: frame)
  }

  // Masks are copied to local constants before they are written. Otherwise the thread sanitizer sees a
  // write through a property of a noncopyable structure as a write to the memory of its first property,
  // which all workers share.

  private mutating func run(
    _ condition: Int, _ columns: borrowing ColumnFrame, _ result: RowMask, _ failed: RowMask
  ) {
    let steps = plans[condition].steps
    let (arriving, pending) = (arriving, pending)
    arriving.update(repeating: 0, count: steps.count * ColumnFrame.words)
    pending.update(repeating: 0, count: storage.chains * ColumnFrame.words)
    arriving.update(from: wanted, count: ColumnFrame.words)
    for number in 0..<steps.count {
      let rows = arriving + number &* ColumnFrame.words
      if RowMasks.isEmpty(rows) { continue }
      switch steps[number] {
      case .test(let test, let yes, let no, let fault):
        make(test, for: rows, columns)
        let (made, refused) = (
          testYes + test &* ColumnFrame.words, testNo + test &* ColumnFrame.words
        )
        for word in 0..<ColumnFrame.words {
          let (yeses, noes) = (rows[word] & made[word], rows[word] & refused[word])
          arriving[yes &* ColumnFrame.words &+ word] |= yeses
          arriving[no &* ColumnFrame.words &+ word] |= noes
          arriving[fault &* ColumnFrame.words &+ word] |= rows[word] & ~(yeses | noes)
        }
      case .pend(let chain, let next):
        merge(rows, into: pending + chain &* ColumnFrame.words)
        merge(rows, into: arriving + next &* ColumnFrame.words)
      case .check(let chain, let fault, let next):
        for word in 0..<ColumnFrame.words {
          let kept = pending[chain &* ColumnFrame.words &+ word]
          arriving[fault &* ColumnFrame.words &+ word] |= rows[word] & kept
          arriving[next &* ColumnFrame.words &+ word] |= rows[word] & ~kept
        }
      case .jump(let next): merge(rows, into: arriving + next &* ColumnFrame.words)
      case .missing(let slot, let caught, let other):
        RowMasks.forEach(rows) { row in
          let fault = Arithmetic.absent(columns.cell(slot, row: row))
          let isMissing =
            !columns.cell(slot, row: row).isValue && FaultSet.missing.contains(fault: fault.low)
          let next = isMissing ? caught : other
          arriving[next &* ColumnFrame.words &+ row >> 6] |= 1 << UInt64(row & 63)
        }
      case .finish(let isTrue): if isTrue { merge(rows, into: result) }
      case .fail: merge(rows, into: failed)
      case .finishTest(let test):
        make(test, for: rows, columns)
        for word in 0..<ColumnFrame.words {
          let at = test &* ColumnFrame.words &+ word
          result[word] |= rows[word] & testYes[at]
          failed[word] |= rows[word] & ~(testYes[at] | testNo[at])
        }
      case .rows(let instruction, let names):
        runRows(rows, from: instruction, names, columns, result, failed)
      }
    }
  }

  @inline(__always)
  private func merge(_ rows: RowMask, into mask: RowMask) {
    for word in 0..<ColumnFrame.words { mask[word] |= rows[word] }
  }

  // MARK: Row by row

  /// Runs the machine separately for some rows, with their stored faults and the meanings of temporaries.
  private mutating func runRows(
    _ rows: RowMask, from instruction: Int, _ names: StepKey.Names,
    _ columns: borrowing ColumnFrame, _ result: RowMask, _ failed: RowMask
  ) {
    let copies = Array(names)
    for word in 0..<ColumnFrame.words {
      var left = rows[word]
      while left != 0 {
        let bit = left & (0 &- left)
        left ^= bit
        let row = word &* 64 &+ bit.trailingZeroBitCount
        columns.copyRow(row, to: frame)
        for (temporary, place) in copies { frame.cells[Int(temporary)] = frame.cells[Int(place)] }
        for chain in 0..<storage.chains
        where pending[chain &* ColumnFrame.words &+ word] & bit != 0 {
          frame.keepFault(ofChain: chain)
        }
        let mark = frame.arena.mark
        var trace = NoTrace()
        let cell = Machine.run(storage, from: UInt32(instruction), in: &frame, &trace)
        frame.arena.release(to: mark)
        if cell == .true { result[word] |= bit }
        if cell.tag == Tag.fault { failed[word] |= bit }
      }
    }
    // No value of the columns stays in the frame.
    frame.reset()
  }

  // MARK: Tests

  /// Computes a test for the rows that need it, unless it was computed for them before.
  private mutating func make(
    _ test: Int, for rows: RowMask, _ columns: borrowing ColumnFrame
  ) {
    let at = test &* ColumnFrame.words
    let content = tests[test]
    let (testDone, testYes, testNo) = (testDone, testYes, testNo)
    for word in 0..<ColumnFrame.words {
      let missing = rows[word] & ~testDone[at &+ word]
      if missing == 0 { continue }
      let making = content.isCheap ? all[word] : missing
      let verdict = verdict(content, making, word &* 64, columns)
      let kept = ~making
      testYes[at &+ word] = testYes[at &+ word] & kept | verdict.yes
      testNo[at &+ word] = testNo[at &+ word] & kept | verdict.no
      testDone[at &+ word] |= making
    }
  }

  private mutating func verdict(
    _ test: ColumnTest, _ wanted: UInt64, _ first: Int, _ columns: borrowing ColumnFrame
  ) -> ColumnTest.Verdict {
    // SAFETY: Slots and constants are numbered by the compiler, below the sizes of the frame and
    // its columns. Tests: ConditionColumnsTests, BatchDifferentialTests.
    let constants = frame.cells
    let cells = columns.cells
    func column(_ slot: Int) -> UnsafePointer<Cell> {
      UnsafePointer(cells + slot &* ColumnFrame.stride)
    }
    func operand(_ operand: ColumnTest.Operand) -> ColumnOperand {
      operand.isConstant
        ? ColumnOperand(base: UnsafePointer(constants + operand.number), stride: 0)
        : ColumnOperand(base: column(operand.number), stride: 1)
    }
    switch test {
    case .bool(let slot): return ColumnTest.bool(column(slot), wanted, first)
    case .equalBits(let slot, let constant):
      return ColumnTest.equalBits(column(slot), constant, wanted, first)
    case .equalInt(let slot, let constant):
      return ColumnTest.equalInt(
        column(slot), UnsafePointer(constants + constant), wanted, first)
    case .order(let a, let b, let orEqual):
      return ColumnTest.order(operand(a), operand(b), orEqual: orEqual, wanted, first)
    case .present(let slot): return ColumnTest.present(column(slot), wanted, first)
    case .inBits(let slot, let list):
      return ColumnTest.inBits(column(slot), list.elements, wanted, first)
    case .inSet(let slot, let set):
      return ColumnTest.inSet(column(slot), storage.sets[set], wanted, first)
    case .equal(let a, let b): return ColumnTest.equal(operand(a), operand(b), wanted, first)
    case .isIn(let a, let b): return ColumnTest.isIn(operand(a), operand(b), wanted, first)
    case .text(let a, let b, let test):
      return ColumnTest.text(operand(a), operand(b), test, wanted, first)
    case .truthy(let slot): return ColumnTest.truthy(column(slot), wanted, first)
    case .compare(let a, let b, let comparison):
      return ColumnTest.compare(operand(a), operand(b), comparison, wanted, first)
    case .call(let a, let b, let function):
      return ColumnTest.call(operand(a), operand(b), function, wanted, first)
    case .matches(let slot, let pattern):
      return ColumnTest.matches(
        column(slot), frame.running.patterns[pattern], &frame.regexScratch, wanted, first)
    }
  }
}

extension Frame {
  /// Makes a chain's fault visible to the next run, as if that run had stored it.
  func keepFault(ofChain chain: Int) {
    pending[chain] = Cell(
      low: UInt64(Tag.fault) | (run &+ 1) << 8, high: Cell(fault: .noSuchOverload).low)
  }
}

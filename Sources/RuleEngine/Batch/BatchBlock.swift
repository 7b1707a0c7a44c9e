internal import Expressions

/// Users that are decided together: their attributes in columns, and what comes of each at each
/// placement.
///
/// Users that were decided alone have a row as well, so that outcomes keep the order of the file;
/// they are not among the ``inColumns``.
struct BatchBlock: ~Copyable {
  var columns: ColumnFrame
  /// Identities, in the chunk or in the block's memory.
  let subjects: UnsafeMutablePointer<ByteView>
  /// The same for hashing, by row.
  let subjectWords: UnsafeMutablePointer<UInt64>
  /// Choices by placement and row.
  let choices: UnsafeMutablePointer<Int32>
  /// The rows whose attributes are in the columns.
  let inColumns = RowMasks.allocate()
  let placements: Int
  private(set) var count = 0
  private var memory = Arena(limit: .max)

  init(_ program: Program, placements: Int) {
    columns = ColumnFrame(for: program)
    self.placements = placements
    subjects = .allocate(capacity: ColumnFrame.rows)
    subjects.initialize(repeating: ByteView(start: nil, count: 0), count: ColumnFrame.rows)
    subjectWords = .allocate(capacity: SubjectWords.count * ColumnFrame.rows)
    subjectWords.initialize(repeating: 0, count: SubjectWords.count * ColumnFrame.rows)
    choices = .allocate(capacity: max(placements, 1) * ColumnFrame.rows)
    choices.initialize(repeating: 0, count: max(placements, 1) * ColumnFrame.rows)
  }

  deinit {
    subjects.deallocate()
    choices.deallocate()
    subjectWords.deallocate()
    inColumns.deallocate()
  }

  var isFull: Bool { count == ColumnFrame.rows }

  mutating func begin() {
    count = 0
    columns.reset()
    memory.reset()
    inColumns.update(repeating: 0, count: ColumnFrame.words)
  }

  /// Keeps the row that was filled.
  mutating func addRow(subject: ByteView) {
    setSubject(subject)
    inColumns[count >> 6] |= 1 << UInt64(count & 63)
    count += 1
  }

  /// Takes a row for a user who is decided alone.
  mutating func addRow(copying subject: Cell) -> Int {
    let row = count
    withUnsafePointer(to: subject) {
      let bytes = $0.textBytes
      guard let copy = memory.allocate(bytes.count), let start = bytes.baseAddress else { return }
      copy.copyMemory(from: start, byteCount: bytes.count)
      setSubject(
        ByteView(start: copy.assumingMemoryBound(to: UInt8.self), count: bytes.count))
    }
    count += 1
    return row
  }

  @inline(__always)
  private func setSubject(_ subject: ByteView) {
    subjects[count] = subject
    SubjectWords.write(subject, to: words(ofRow: count))
  }

  @inline(__always)
  func words(ofRow row: Int) -> UnsafeMutablePointer<UInt64> {
    subjectWords + row &* SubjectWords.count
  }

  func setChoice(_ choice: Int32, placement: Int, row: Int) {
    choices[placement &* ColumnFrame.rows &+ row] = choice
  }
}

/// What happened to how many users, while a chunk is decided.
struct BatchCounts: ~Copyable {
  var users = 0
  let reached: UnsafeMutablePointer<Int>
  let matched: UnsafeMutablePointer<Int>
  let taken: UnsafeMutablePointer<Int>
  /// By choice.
  let choices: UnsafeMutablePointer<Int>
  private let rules: Int
  private let choiceCount: Int

  init(_ plan: BatchPlan) {
    rules = max(plan.ruleSet.rules.count, 1)
    choiceCount = max(plan.table.choices.count, 1)
    func zeros(_ count: Int) -> UnsafeMutablePointer<Int> {
      let memory = UnsafeMutablePointer<Int>.allocate(capacity: count)
      memory.initialize(repeating: 0, count: count)
      return memory
    }
    reached = zeros(rules)
    matched = zeros(rules)
    taken = zeros(rules)
    choices = zeros(choiceCount)
  }

  deinit {
    for memory in [reached, matched, taken, choices] { memory.deallocate() }
  }

  mutating func clear() {
    users = 0
    for memory in [reached, matched, taken] { memory.update(repeating: 0, count: rules) }
    choices.update(repeating: 0, count: choiceCount)
  }

  @inline(__always)
  func count(_ choice: Int32, times: Int = 1) { choices[Int(choice)] &+= times }

  /// Adds the counts of rules and outcomes to a tally of the plan's shape.
  borrowing func add(to tally: inout Tally, _ plan: BatchPlan, _ table: BatchTable) {
    for (number, placement) in plan.placements.enumerated() {
      var counted: Set<Int> = []
      func add(_ choice: Int32) {
        guard counted.insert(Int(choice)).inserted else { return }
        tally.placements[number].add(choices[Int(choice)], table.choices[Int(choice)].outcome)
      }
      add(table.unmatched[number])
      for (i, rule) in (placement.compiled?.rules ?? 0..<0).enumerated() {
        tally.placements[number].audiences[i].reached += reached[rule]
        tally.placements[number].audiences[i].matched += matched[rule]
        tally.placements[number].audiences[i].taken += taken[rule]
        for choice in table.rules[rule].variants { add(choice) }
        add(table.rules[rule].withoutVariants)
      }
    }
  }
}

extension Tally.Placement {
  fileprivate mutating func add(_ count: Int, _ outcome: BatchTable.OutcomeIndex) {
    switch outcome {
    case .paywall: paywall += count
    case .holdout: holdout += count
    case .noAudienceMatch: noAudienceMatch += count
    case .placementNotFound: placementNotFound += count
    case .error: error += count
    }
  }
}

internal import Expressions
internal import RuleEngine

/// Finds what was decided for the users of a block before, and gives out what is decided, for later runs.
struct DecisionKeeper {
  /// What is known of a row.
  private struct Row {
    var hash: RecordHash
    var hasHistory: Bool
    /// Its entry among the earlier decisions, where it has one.
    var earlier: Range<Int>?
    /// Remarks about its record.
    var remarks: [UInt8]
  }

  /// Whether records have to be hashed.
  let isActive: Bool
  let form: DecisionForm?
  let earlier: EarlierDecisions?
  private let keeps: Bool
  private var rows: [Row] = []
  /// By row: whether the user had to be decided; empty where nobody asks.
  private(set) var isAnew: [Bool] = []
  private let givesChanged: Bool
  /// Remarks about the record that is being read.
  private var remarks: [UInt8] = []
  /// Where the entry of the next record may be.
  private var guess = 0
  /// By choice: users of the chunk for whom it was made before.
  private(set) var choices: [Int]
  /// Users of the chunk for whom nothing had to be decided.
  private(set) var users = 0
  /// The entries of the chunk.
  private var entries: [UInt8] = []

  init(_ plan: BatchPlan) {
    keeps = plan.keepsDecisions
    earlier = plan.earlier
    givesChanged = plan.givesChanged
    isActive = keeps || givesChanged || earlier != nil
    form = isActive ? plan.decisionForm : nil
    guess = earlier?.first ?? 0
    choices = Array(repeating: 0, count: earlier == nil ? 0 : plan.table.choices.count)
  }

  // MARK: Records

  /// The entry of a record, for whom nothing has to be decided then.
  mutating func entry(_ hash: RecordHash) -> Range<Int>? {
    guard let entry = earlier?.entry(hash, guess: guess) else { return nil }
    guess = entry.upperBound
    return entry
  }

  mutating func beginRecord() {
    if !remarks.isEmpty { remarks.removeAll(keepingCapacity: true) }
  }

  /// Notes what is odd about the record that is being read.
  mutating func note(_ remark: DecisionForm.Remark, _ text: String) {
    guard keeps else { return }
    var text = text
    text.withUTF8 { note(remark, $0) }
  }

  mutating func note(_ remark: DecisionForm.Remark, _ text: ByteView) {
    guard keeps else { return }
    remarks.append(remark.rawValue)
    DecisionKeeper.append(UInt32(truncatingIfNeeded: text.count), to: &remarks)
    remarks += text
  }

  /// Takes the next row of the block.
  mutating func addRow(_ hash: RecordHash, hasHistory: Bool) {
    if givesChanged { isAnew.append(true) }
    guard keeps else { return }
    rows.append(Row(hash: hash, hasHistory: hasHistory, earlier: nil, remarks: remarks))
  }

  mutating func addRow(_ hash: RecordHash, earlier entry: Range<Int>) {
    users += 1
    if givesChanged { isAnew.append(false) }
    guard keeps else { return }
    rows.append(Row(hash: hash, hasHistory: false, earlier: entry, remarks: []))
  }

  mutating func count(_ choice: Int32) { choices[Int(choice)] &+= 1 }

  // MARK: Blocks and chunks

  /// Appends the entries of a block that has been decided, and forgets its rows.
  mutating func endBlock(
    _ block: borrowing BatchBlock, _ errors: borrowing BatchErrors,
    _ reasons: borrowing BatchReasons
  ) {
    if !isAnew.isEmpty { isAnew.removeAll(keepingCapacity: true) }
    guard keeps, let form else { return }
    for (number, row) in rows.enumerated() {
      if let entry = row.earlier, let earlier {
        entries += earlier.bytes(entry)
        continue
      }
      DecisionKeeper.append(row.hash.first, to: &entries)
      DecisionKeeper.append(row.hash.second, to: &entries)
      let start = entries.count
      DecisionKeeper.append(UInt32(0), to: &entries)
      entries.append(row.hasHistory ? 1 : 0)
      let subject = block.subjects[number]
      DecisionKeeper.append(UInt32(truncatingIfNeeded: subject.count), to: &entries)
      entries += subject
      for placement in form.spans.indices {
        let choice = block.choices[placement &* BlockShape.rows &+ number]
        let kept = form.number(of: choice, placement: placement)
        for byte in 0..<form.width { entries.append(UInt8(truncatingIfNeeded: kept >> (8 * byte))) }
      }
      entries += row.remarks
      if !reasons.isEmpty || !errors.isEmpty {
        for placement in form.spans.indices { append(placement, number, errors, reasons) }
      }
      OutcomeForm.write(count: entries.count - start - 4, to: &entries, at: start)
    }
    rows.removeAll(keepingCapacity: true)
  }

  /// Appends what few outcomes have.
  private mutating func append(
    _ placement: Int, _ row: Int, _ errors: borrowing BatchErrors,
    _ reasons: borrowing BatchReasons
  ) {
    var bytes = entries
    entries = []
    func append(_ remark: DecisionForm.Remark, _ rule: Int?) {
      bytes.append(remark.rawValue)
      DecisionKeeper.append(UInt32(truncatingIfNeeded: placement), to: &bytes)
      if let rule { DecisionKeeper.append(UInt32(truncatingIfNeeded: rule), to: &bytes) }
    }
    reasons.forEachNote(placement: placement, row: row) { piece in
      switch piece.member {
      case .heldBack:
        append(.heldBack, piece.rule)
        DecisionKeeper.append(Int64(piece.count), to: &bytes)
      case .owned: append(.owned, piece.rule)
      case .stored: append(.stored, nil)
      case .errors, .draw: break
      }
    }
    errors.forEachFailure(placement: placement, row: row) { rule, failure in
      append(.failed, rule)
      let numbers = failure.numbers
      DecisionKeeper.append(numbers.fault, to: &bytes)
      DecisionKeeper.append(numbers.slot, to: &bytes)
      bytes.append(numbers.flags)
    }
    entries = bytes
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  /// The entries of the chunk, and for how many users nothing had to be decided.
  mutating func take() -> (entries: [UInt8], users: Int) {
    defer {
      entries = []
      users = 0
    }
    return (entries, users)
  }

  /// Adds what the users of the chunk count for whom nothing had to be decided, as deciding does.
  mutating func addCounts(to counts: inout BatchCounts, _ table: BatchTable) {
    guard users > 0, let form else { return }
    for span in form.spans {
      var left = choices[Int(span.unmatched)]
      for rule in span.rules { left += users(ofRule: rule, table) }
      for rule in span.rules {
        let taken = users(ofRule: rule, table)
        counts.reached[rule] = counts.reached[rule] &+ left
        counts.matched[rule] = counts.matched[rule] &+ taken
        counts.taken[rule] = counts.taken[rule] &+ taken
        left -= taken
      }
    }
    for choice in choices.indices where choices[choice] > 0 {
      counts.count(Int32(choice), times: choices[choice])
      choices[choice] = 0
    }
  }

  private func users(ofRule rule: Int, _ table: BatchTable) -> Int {
    let row = table.rules[rule]
    return row.variants.reduce(choices[Int(row.withoutVariants)]) { $0 + choices[Int($1)] }
  }
}

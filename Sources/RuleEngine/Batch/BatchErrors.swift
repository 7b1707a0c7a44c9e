internal import Expressions

/// Which rules of a block failed for which users, and what to write of it; counts for a chunk.
///
/// Each different failure is told once, as a kind: what is kept for a user is its number.
struct BatchErrors: ~Copyable {
  /// A failure of a rule.
  private struct Key: Hashable {
    var rule: Int32
    var failure: Failure
  }

  /// What is known of all failures that read the same.
  private struct Kind {
    var error: RuleError
    var placement: Int
    /// What an outcome says of it, in the form of the outcomes.
    var bytes: [UInt8]
    var users = 0
    /// The identity of the first user of the chunk.
    var example: String?
    /// The first row of the block, if there is one.
    var row: Int?
  }

  /// One user at one placement failed in a rule. The errors of one outcome are a list.
  private struct Entry {
    /// Placement and row, as choices are numbered.
    var cell: Int32
    var kind: Int32
    /// The next entry of the same outcome, or -1.
    var next: Int32
  }

  private let ruleSet: RuleSet
  private let names: [String]
  private let form: OutcomeForm
  private let writesOutcomes: Bool
  private var kindOf: [Key: Int] = [:]
  /// What was noted last, as users mostly fail alike.
  private var last: (key: Key, kind: Int)?
  private var kinds: [Kind] = []
  /// Kinds that read the same have one number.
  private var numberOf: [NamedError: Int] = [:]
  private var entries: [Entry] = []
  /// By placement and row: the first entry and the last one, or -1. Made when there is an error.
  private var firsts: [Int32] = []
  private var lasts: [Int32] = []

  init(_ plan: BatchPlan) {
    ruleSet = plan.ruleSet
    names = plan.placements.map(\.name)
    form = plan.form
    writesOutcomes = plan.writesOutcomes
  }

  /// Whether some outcome of the block has an error.
  var isEmpty: Bool { entries.isEmpty }

  /// Notes that a rule failed for the user of a row.
  mutating func add(_ rule: Int, _ failure: Failure, placement: Int, row: Int) {
    add(rule, failure, placement: placement, word: row >> 6, rows: 1 << UInt64(row & 63))
  }

  /// Notes that a rule failed in the same way for the users of some rows.
  ///
  /// - Parameter rows: 64 rows from `word` times 64 on, at least one of them.
  mutating func add(_ rule: Int, _ failure: Failure, placement: Int, word: Int, rows: UInt64) {
    let key = Key(rule: Int32(rule), failure: failure)
    let kind: Int
    if let last, last.key == key {
      kind = last.kind
    } else {
      kind = kindOf[key] ?? newKind(key, placement)
      last = (key, kind)
    }
    if kind < 0 { return }
    let first = word &* 64 &+ rows.trailingZeroBitCount
    kinds[kind].users += rows.nonzeroBitCount
    kinds[kind].row = min(kinds[kind].row ?? first, first)
    guard writesOutcomes else { return }
    var left = rows
    while left != 0 {
      link(kind, placement, word &* 64 &+ left.trailingZeroBitCount)
      left &= left &- 1
    }
  }

  /// - Returns: -1 for a rule that does not compile, of which all is said already.
  private mutating func newKind(_ key: Key, _ placement: Int) -> Int {
    guard !ruleSet.rules[Int(key.rule)].isBroken else {
      kindOf[key] = -1
      return -1
    }
    let error = ruleSet.ruleError(key.failure, ofRule: Int(key.rule))
    let name = NamedError(placement: names[placement], error: error)
    let number = numberOf[name] ?? kinds.count
    if number < kinds.count {
      kinds[number].error.message = min(kinds[number].error.message, error.message)
    } else {
      kinds.append(
        Kind(error: error, placement: placement, bytes: BatchErrors.bytes(of: error, form)))
      numberOf[name] = number
    }
    kindOf[key] = number
    return number
  }

  private mutating func link(_ kind: Int, _ placement: Int, _ row: Int) {
    if firsts.isEmpty {
      firsts = Array(repeating: -1, count: names.count * BlockShape.rows)
      lasts = firsts
    }
    let cell = placement &* BlockShape.rows &+ row
    let number = Int32(entries.count)
    entries.append(Entry(cell: Int32(cell), kind: Int32(kind), next: -1))
    if firsts[cell] < 0 { firsts[cell] = number } else { entries[Int(lasts[cell])].next = number }
    lasts[cell] = number
  }

  /// Takes the examples of a block, and forgets whose errors they were.
  mutating func endBlock(_ block: borrowing BatchBlock) {
    for number in kinds.indices {
      guard let row = kinds[number].row else { continue }
      if kinds[number].example == nil {
        kinds[number].example = BatchErrors.identity(block.subjects[row])
      }
      kinds[number].row = nil
    }
    for entry in entries { firsts[Int(entry.cell)] = -1 }
    entries.removeAll(keepingCapacity: true)
  }

  /// A subject as it is in a record: JSON may have escaped it, in which case it is in the block's
  /// memory as text.
  private static func identity(_ subject: ByteView) -> String {
    String(decoding: subject, as: UTF8.self)
  }

  /// The counts since this was asked last.
  mutating func takeCounts() -> [NamedError: BatchSums.ErrorCount] {
    var counts: [NamedError: BatchSums.ErrorCount] = [:]
    for number in kinds.indices where kinds[number].users > 0 {
      let kind = kinds[number]
      counts[NamedError(placement: names[kind.placement], error: kind.error)] =
        BatchSums.ErrorCount(users: kind.users, example: kind.example ?? "")
      kinds[number].users = 0
      kinds[number].example = nil
    }
    return counts
  }

  // MARK: Writing

  /// Appends what the outcome of a user says of errors: a member of the outcome's object, the content
  /// of a cell, or the errors of all placements as rows have them. Nothing where there are none.
  func append(placement: Int, row: Int, to bytes: inout [UInt8]) {
    guard !entries.isEmpty else { return }
    var entry = firsts[placement &* BlockShape.rows &+ row]
    guard entry >= 0 else { return }
    bytes += form == .ndjson ? Array(",\"errors\":[".utf8) : Array("\"[".utf8)
    var isFirst = true
    while entry >= 0 {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      bytes += kinds[Int(entries[Int(entry)].kind)].bytes
      entry = entries[Int(entry)].next
    }
    bytes += form == .ndjson ? [UInt8(ascii: "]")] : Array("]\"".utf8)
  }

  /// Appends the errors of a user as ``OutcomeForm/rows`` has them.
  func appendRows(row: Int, to bytes: inout [UInt8]) {
    var count: UInt32 = 0
    let start = bytes.count
    bytes += [0, 0, 0, 0]
    for placement in 0..<(entries.isEmpty ? 0 : names.count) {
      var entry = firsts[placement &* BlockShape.rows &+ row]
      while entry >= 0 {
        count += 1
        BatchErrors.append(UInt32(placement), to: &bytes)
        bytes += kinds[Int(entries[Int(entry)].kind)].bytes
        entry = entries[Int(entry)].next
      }
    }
    withUnsafeBytes(of: count.littleEndian) { source in
      for (i, byte) in source.enumerated() { bytes[start + i] = byte }
    }
  }

  private static func bytes(of error: RuleError, _ form: OutcomeForm) -> [UInt8] {
    var json: [UInt8] = []
    JSONWriter.append(error.value, to: &json)
    switch form {
    case .ndjson: return json
    // Within a cell in quotes.
    case .csv: return json.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
    case .rows:
      var bytes: [UInt8] = []
      append(UInt32(json.count), to: &bytes)
      return bytes + json
    }
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }
}

/// An error of a rule, and the placement whose audience the rule is of.
package struct NamedError: Hashable, Sendable {
  package var placement: String
  package var error: RuleError

  package init(placement: String, error: RuleError) {
    self.placement = placement
    self.error = error
  }
}

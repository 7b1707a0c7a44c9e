internal import Expressions
package import RuleEngine

/// The failures of rules for the users of a block, with the text to write for each, and the counts
/// for a chunk.
///
/// Each distinct failure is described once, as a kind. A user only stores the kind's number.
struct BatchErrors: ~Copyable {
  /// A failure of a rule.
  private struct Key: Hashable {
    var rule: Int32
    var failure: Failure
  }

  /// The common data of all failures with the same description.
  private struct Kind {
    var error: RuleError
    var placement: Int
    /// The description in an outcome, in the form of the outcomes.
    var bytes: [UInt8]
    var users = 0
    /// The identity of the chunk's first user with this failure.
    var example: String?
    /// The first row of the block with this failure, if there is one.
    var row: Int?
  }

  /// A failure with its details, which may differ between failures of one kind.
  private struct Wording {
    var key: Key
    /// The number of the failure's kind, or -1 for a rule that does not compile, whose problem is
    /// already reported.
    var kind: Int
    /// The description in the reason of an outcome, in the form of the outcomes. Empty if reasons
    /// are off.
    var reason: [UInt8] = []
  }

  private let ruleSet: RuleSet
  private let names: [String]
  private let form: OutcomeForm
  private let isNoting: Bool
  private let givesReasons: Bool
  private var wordings: [Wording] = []
  private var wordingOf: [Key: Int] = [:]
  /// The last failure, which is cached because most users fail in the same way.
  private var last: (key: Key, wording: Int)?
  private var kinds: [Kind] = []
  /// The number of each kind, by the description of its failures.
  private var numberOf: [NamedError: Int] = [:]
  /// The failures of each outcome of the block, as indexes of ``wordings``.
  private var notes: OutcomeNotes

  init(_ plan: BatchPlan) {
    ruleSet = plan.ruleSet
    names = plan.placements.map { $0.name }
    form = plan.form
    isNoting = plan.writesOutcomes || plan.tellsReasons
    givesReasons = plan.givesReasons
    notes = OutcomeNotes(placements: names.count)
  }

  /// Whether no outcome of the block has an error.
  var isEmpty: Bool { notes.isEmpty }

  /// Records that a rule failed for the user of a row.
  mutating func add(_ rule: Int, _ failure: Failure, placement: Int, row: Int) {
    add(rule, failure, placement: placement, word: row >> 6, rows: 1 << UInt64(row & 63))
  }

  /// Records that a rule failed in the same way for the users of some rows.
  ///
  /// - Parameter rows: at least one of the 64 rows that begin at `word` times 64.
  mutating func add(_ rule: Int, _ failure: Failure, placement: Int, word: Int, rows: UInt64) {
    let key = Key(rule: Int32(rule), failure: failure)
    let wording: Int
    if let last, last.key == key {
      wording = last.wording
    } else {
      wording = wordingOf[key] ?? newWording(key, placement)
      last = (key, wording)
    }
    let kind = wordings[wording].kind
    if kind < 0 { return }
    let first = word &* 64 &+ rows.trailingZeroBitCount
    kinds[kind].users += rows.nonzeroBitCount
    kinds[kind].row = min(kinds[kind].row ?? first, first)
    guard isNoting else { return }
    var left = rows
    while left != 0 {
      notes.add(wording, placement: placement, row: word &* 64 &+ left.trailingZeroBitCount)
      left &= left &- 1
    }
  }

  private mutating func newWording(_ key: Key, _ placement: Int) -> Int {
    var wording = Wording(key: key, kind: -1)
    if !ruleSet.rules[Int(key.rule)].isBroken {
      let error = ruleSet.ruleError(key.failure, ofRule: Int(key.rule))
      wording.kind = kind(of: error, placement)
      if givesReasons {
        wording.reason = form.quoted(
          DecisionReason.failed(error.audience, code: error.code, text: error.message))
      }
    }
    wordings.append(wording)
    wordingOf[key] = wordings.count - 1
    return wordings.count - 1
  }

  private mutating func kind(of error: RuleError, _ placement: Int) -> Int {
    let name = NamedError(placement: names[placement], error: error)
    if let number = numberOf[name] {
      kinds[number].error.message = min(kinds[number].error.message, error.message)
      return number
    }
    kinds.append(
      Kind(error: error, placement: placement, bytes: BatchErrors.bytes(of: error, form)))
    numberOf[name] = kinds.count - 1
    return kinds.count - 1
  }

  /// Takes examples from a block, and clears the block's failures.
  mutating func endBlock(_ block: borrowing BatchBlock) {
    for number in kinds.indices {
      guard let row = kinds[number].row else { continue }
      if kinds[number].example == nil {
        kinds[number].example = BatchErrors.identity(block.subjects[row])
      }
      kinds[number].row = nil
    }
    notes.removeAll()
  }

  /// The subject as in its record. If JSON escaped the subject, the block's memory contains it unescaped.
  private static func identity(_ subject: ByteView) -> String {
    // SAFETY: The view is copied into a string at once. Tests: RuleErrorsTests.
    String(decoding: subject, as: UTF8.self)
  }

  /// Returns the counts since the last call.
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

  /// Appends the errors of a user's outcome: a member of the outcome's object, the content of a CSV
  /// cell, or for rows, the errors of all placements. Appends nothing if there are no errors.
  func append(placement: Int, row: Int, to bytes: inout [UInt8]) {
    guard !notes.isEmpty else { return }
    var isFirst = true
    notes.forEach(placement: placement, row: row) { wording in
      if isFirst {
        bytes += form == .ndjson ? Array(",\"errors\":[".utf8) : Array("\"[".utf8)
      } else {
        bytes.append(UInt8(ascii: ","))
      }
      isFirst = false
      bytes += kinds[wordings[wording].kind].bytes
    }
    if isFirst { return }
    bytes += form == .ndjson ? [UInt8(ascii: "]")] : Array("]\"".utf8)
  }

  /// Calls the body with the text for each error of a user's outcome, in order.
  func forEachReason(placement: Int, row: Int, _ body: ([UInt8]) -> Void) {
    guard !notes.isEmpty else { return }
    notes.forEach(placement: placement, row: row) { body(wordings[$0].reason) }
  }

  /// Appends the errors of a user in the form of ``OutcomeForm/rows``.
  func appendRows(row: Int, to bytes: inout [UInt8]) {
    var count = 0
    let start = bytes.count
    bytes += [0, 0, 0, 0]
    for placement in 0..<(notes.isEmpty ? 0 : names.count) {
      notes.forEach(placement: placement, row: row) { wording in
        count += 1
        OutcomeForm.append(count: placement, to: &bytes)
        bytes += kinds[wordings[wording].kind].bytes
      }
    }
    OutcomeForm.write(count: count, to: &bytes, at: start)
  }

  private static func bytes(of error: RuleError, _ form: OutcomeForm) -> [UInt8] {
    let json = form.quoted(error.value)
    guard form == .rows else { return json }
    var bytes: [UInt8] = []
    OutcomeForm.append(count: json.count, to: &bytes)
    return bytes + json
  }
}

/// An error of a rule, and the placement of the rule's audience.
package struct NamedError: Hashable, Sendable {
  package var placement: String
  package var error: RuleError

  package init(placement: String, error: RuleError) {
    self.placement = placement
    self.error = error
  }
}

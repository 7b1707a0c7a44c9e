internal import Expressions
internal import RuleEngine

/// The counts of a part of a batch as plain numbers, which are cheap to create and to add. A plan
/// converts them to a ``Tally``.
package struct BatchSums: Hashable, Sendable {
  /// The number of times that a rule failed in one way.
  package struct ErrorCount: Hashable, Sendable {
    package var users: Int
    /// The identity of the first user with this error.
    package var example: String

    package init(users: Int, example: String) {
      self.users = users
      self.example = example
    }
  }

  package var users = 0
  package var rejected = 0
  /// The number of lines that were read, including blank ones.
  package var lines = 0
  /// The counts of ``BatchNumbers``.
  package var numbers: [Int]
  /// For each number, the identity of the first user that it counts. Empty if examples are off.
  package internal(set) var examples: [String?] = []

  /// The errors in rules.
  package var errors: [NamedError: ErrorCount] = [:]

  /// The additional counts for reports; nil without a report.
  package var draws: DrawCounts?

  /// Adds the counts of a later part of the same batch.
  package mutating func add(_ other: BatchSums) {
    users += other.users
    rejected += other.rejected
    lines += other.lines
    for (error, count) in other.errors {
      let example = errors[error]?.example ?? count.example
      // The message for equal errors must not depend on the division of the input into parts.
      let message = errors.index(forKey: error).map { errors[$0].key.error.message }
      guard let message, error.error.message < message else {
        errors[error, default: ErrorCount(users: 0, example: example)].users += count.users
        continue
      }
      let users = (errors.removeValue(forKey: error)?.users ?? 0) + count.users
      errors[error] = ErrorCount(users: users, example: example)
    }
    for i in numbers.indices { numbers[i] += other.numbers[i] }
    if let more = other.draws { draws?.add(more) }
    if examples.isEmpty { examples = other.examples }
    for i in other.examples.indices { examples[i] = examples[i] ?? other.examples[i] }
  }

  /// The same counts with other numbers. Counts without a new number are dropped.
  func renumbered(_ numberOf: [Int?], count: Int) -> BatchSums {
    var sums = self
    sums.numbers = Array(repeating: 0, count: count)
    if !examples.isEmpty { sums.examples = Array(repeating: nil, count: count) }
    for (own, number) in numberOf.enumerated() {
      guard let number else { continue }
      sums.numbers[number] += numbers[own]
      if !examples.isEmpty { sums.examples[number] = sums.examples[number] ?? examples[own] }
    }
    return sums
  }
}

/// The numbers of a batch's counts, as indices of ``BatchSums/numbers``.
package struct BatchNumbers {
  let rules: Int
  let choices: Int
  private let standInFirsts: [Int]

  package init(_ plan: BatchPlan) {
    rules = plan.ruleSet.rules.count
    choices = plan.table.choices.count
    standInFirsts = plan.standInFirsts
  }

  // Each rule has three counts: users for whom it was tried, users that matched its condition, and
  // users for whom it decided.
  package func reached(_ rule: Int) -> Int { rule }
  package func matched(_ rule: Int) -> Int { rules + rule }
  package func taken(_ rule: Int) -> Int { 2 * rules + rule }
  /// The number of users with a choice.
  package func choice(_ choice: Int) -> Int { 3 * rules + choice }
  /// The number of users that skip a rule because of an entitlement that they own.
  package func owned(_ rule: Int) -> Int { 3 * rules + choices + rule }
  /// The number of users for whom a rule was held back by its limit.
  package func heldBack(_ rule: Int) -> Int { 4 * rules + choices + rule }
  /// The number of users whose choice was stored instead of drawn.
  package func stored(_ choice: Int) -> Int { 5 * rules + choices + choice }

  /// The number of users for whom a clause with a missing attribute decided the result of a rule's
  /// condition.
  ///
  /// - Parameter place: the clause's index in the rule.
  package func missing(_ rule: Int, _ place: Int, holds: Bool) -> Int {
    5 * rules + 2 * choices + 2 * (standInFirsts[rule] + place) + (holds ? 0 : 1)
  }

  var count: Int { 5 * rules + 2 * choices + 2 * standInFirsts[rules] }
}

/// The counts of users while a chunk is decided.
struct BatchCounts: ~Copyable {
  // SAFETY: One allocation holds all counters, and `BatchNumbers` places them in it. Rules and
  // choices are numbers of the plan. `deinit` frees it. Tests: BatchTests, BatchDifferentialTests,
  // ReachTests.

  var users = 0
  let numbers: BatchNumbers
  let reached: UnsafeMutablePointer<Int>
  let matched: UnsafeMutablePointer<Int>
  let taken: UnsafeMutablePointer<Int>
  /// The number of users with each choice.
  let choices: UnsafeMutablePointer<Int>
  let owned: UnsafeMutablePointer<Int>
  let heldBack: UnsafeMutablePointer<Int>
  let stored: UnsafeMutablePointer<Int>
  /// Whether examples of counted users are requested.
  let wantsExamples: Bool
  private var examples: [String?]
  /// For each number, the first row of the current block that it counts, unless it already had an
  /// example.
  private var rows: [Int32]

  init(_ plan: BatchPlan) {
    numbers = BatchNumbers(plan)
    let count = max(numbers.count, 1)
    reached = .allocate(capacity: count)
    reached.initialize(repeating: 0, count: count)
    matched = reached + numbers.matched(0)
    taken = reached + numbers.taken(0)
    choices = reached + numbers.choice(0)
    owned = reached + numbers.owned(0)
    heldBack = reached + numbers.heldBack(0)
    stored = reached + numbers.stored(0)
    wantsExamples = plan.wantsExamples
    examples = Array(repeating: nil, count: wantsExamples ? numbers.count : 0)
    rows = Array(repeating: .max, count: examples.count)
  }

  deinit { reached.deallocate() }

  mutating func clear() {
    users = 0
    reached.update(repeating: 0, count: numbers.count)
    for number in examples.indices { examples[number] = nil }
  }

  @inline(__always)
  func count(_ choice: Int32, times: Int = 1) { choices[Int(choice)] &+= times }

  /// Counts users for whom a missing attribute decided the result of a condition.
  mutating func addMissing(_ rule: Int, _ place: Int, holds: Bool, rows: RowMask) {
    let number = numbers.missing(rule, place, holds: holds)
    reached[number] = reached[number] &+ RowMasks.count(rows)
    note(number, rows: rows)
  }

  /// Records that a number counts the user of a row.
  @inline(__always)
  mutating func note(_ number: Int, row: Int) {
    guard wantsExamples else { return }
    rows[number] = min(rows[number], Int32(row))
  }

  /// Records that a number counts the users of some rows.
  @inline(__always)
  mutating func note(_ number: Int, rows: RowMask) {
    guard wantsExamples, let first = RowMasks.first(rows) else { return }
    note(number, row: first)
  }

  /// Takes the examples of a block after its choices are made.
  mutating func endBlock(_ block: borrowing BatchBlock) {
    guard wantsExamples else { return }
    for place in 0..<block.placements * BlockShape.rows {
      let row = place % BlockShape.rows
      guard row < block.count, block.choices[place] >= 0 else { continue }
      note(numbers.choice(Int(block.choices[place])), row: row)
    }
    for number in rows.indices where rows[number] != .max {
      if examples[number] == nil {
        examples[number] = String(decoding: block.subjects[Int(rows[number])], as: UTF8.self)
      }
      rows[number] = .max
    }
  }

  var sums: BatchSums {
    var sums = BatchSums(
      users: users, numbers: Array(UnsafeBufferPointer(start: reached, count: numbers.count)))
    sums.examples = examples
    return sums
  }
}

extension BatchPlan {
  /// Counts of this batch that are all zero.
  package var emptySums: BatchSums {
    var sums = BatchSums(numbers: Array(repeating: 0, count: BatchNumbers(self).count))
    sums.draws = draws.map { DrawCounts($0) }
    return sums
  }

  /// Restores counts that were stored elsewhere; nil if the number of counts does not fit this batch.
  package func sums(users: Int, rejected: Int, lines: Int, numbers: [Int]) -> BatchSums? {
    guard numbers.count == BatchNumbers(self).count else { return nil }
    return BatchSums(users: users, rejected: rejected, lines: lines, numbers: numbers)
  }

  /// Converts the counts to a tally by placement and audience.
  package func tally(of sums: BatchSums) -> Tally {
    var tally = emptyTally
    tally.users = sums.users
    tally.rejected = sums.rejected
    let numbers = BatchNumbers(self)
    let errors = Dictionary(grouping: sums.errors, by: { $0.key.placement })
    for (number, placement) in placements.enumerated() {
      var counted: Set<Int> = []
      func add(_ choice: Int32) {
        guard counted.insert(Int(choice)).inserted else { return }
        tally.placements[number].add(
          sums.numbers[numbers.choice(Int(choice))], table.choices[Int(choice)].outcome)
      }
      add(table.unmatched[number])
      if number < table.rejected.count { add(table.rejected[number]) }
      tally.placements[number].errors = (errors[placement.name] ?? []).map { name, count in
        Tally.RuleErrors(error: name.error, users: count.users, example: count.example)
      }.sorted { Tally.RuleErrors.isBefore($0, $1) }
      for (i, rule) in (placement.compiled?.rules ?? 0..<0).enumerated() {
        tally.placements[number].audiences[i].reached += sums.numbers[numbers.reached(rule)]
        tally.placements[number].audiences[i].matched += sums.numbers[numbers.matched(rule)]
        tally.placements[number].audiences[i].taken += sums.numbers[numbers.taken(rule)]
        tally.placements[number].audiences[i].owned += sums.numbers[numbers.owned(rule)]
        tally.placements[number].audiences[i].heldBack += sums.numbers[numbers.heldBack(rule)]
        tally.placements[number].audiences[i].missing = missing(of: rule, sums)
        for choice in table.rules[rule].variants { add(choice) }
        add(table.rules[rule].withoutVariants)
        if table.rules[rule].aborted >= 0 { add(table.rules[rule].aborted) }
        if table.rules[rule].undecidable >= 0 { add(table.rules[rule].undecidable) }
      }
    }
    return tally
  }
}

extension BatchPlan {
  /// For each number of another plan, the number in this plan. The other plan has the same
  /// placements and rules for another generation of the evaluator. Generations differ in the
  /// clauses that replace missing attributes. A clause that only the other plan has is not counted
  /// here.
  func numbers(ofPart part: BatchPlan) -> [Int?] {
    let (own, other) = (BatchNumbers(self), BatchNumbers(part))
    var numbers: [Int?] = (0..<other.missing(0, 0, holds: true)).map { $0 }
    for rule in part.ruleSet.rules.indices {
      let known = standInClauses(of: rule)
      for clause in part.standInClauses(of: rule) {
        let place = known.firstIndex { $0.text == clause.text && $0.path == clause.path }
        numbers.append(place.map { own.missing(rule, $0, holds: true) })
        numbers.append(place.map { own.missing(rule, $0, holds: false) })
      }
    }
    return numbers
  }

  private func standInClauses(of rule: Int) -> [StandInProgram.Clause] {
    guard let standIns, ruleSet.rules[rule].condition >= 0 else { return [] }
    return standIns.ofCondition[Int(ruleSet.rules[rule].condition)].map { standIns.clauses[$0] }
  }

  /// The clauses of a rule in which a missing attribute decided for some users.
  private func missing(of rule: Int, _ sums: BatchSums) -> [Tally.MissingAttribute] {
    guard let standIns, ruleSet.rules[rule].condition >= 0 else { return [] }
    let numbers = BatchNumbers(self)
    let clauses = standIns.ofCondition[Int(ruleSet.rules[rule].condition)]
    return clauses.enumerated().compactMap { place, number in
      let clause = standIns.clauses[number]
      let (matched, unmatched) = (
        numbers.missing(rule, place, holds: true), numbers.missing(rule, place, holds: false)
      )
      guard sums.numbers[matched] + sums.numbers[unmatched] > 0 else { return nil }
      func example(_ number: Int) -> String? {
        sums.examples.isEmpty ? nil : sums.examples[number]
      }
      return Tally.MissingAttribute(
        clause: clause.text, path: clause.path.description, standIn: clause.standIn,
        matched: sums.numbers[matched], unmatched: sums.numbers[unmatched],
        matchedExample: example(matched), unmatchedExample: example(unmatched))
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
    case .undecidable: undecidable += count
    }
  }
}

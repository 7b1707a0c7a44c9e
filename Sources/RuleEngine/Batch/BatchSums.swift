/// Counts of a part of a batch as plain numbers, which are cheap to make and to add. A plan makes a
/// ``Tally`` of them.
package struct BatchSums: Hashable, Sendable {
  /// How often a rule failed in one way.
  package struct ErrorCount: Hashable, Sendable {
    package var users: Int
    /// The identity of the first of these users.
    package var example: String

    package init(users: Int, example: String) {
      self.users = users
      self.example = example
    }
  }

  package var users = 0
  package var rejected = 0
  /// Lines that were read, blank ones included.
  package var lines = 0
  /// Reached, matched and taken by rule, and how often each choice was made.
  package internal(set) var numbers: [Int]

  /// What went wrong in rules.
  package var errors: [NamedError: ErrorCount] = [:]

  /// What reports need beside that; nil where none is wanted.
  package var draws: DrawCounts?

  /// Adds the counts of a later part of the same batch.
  package mutating func add(_ other: BatchSums) {
    users += other.users
    rejected += other.rejected
    lines += other.lines
    for (error, count) in other.errors {
      let example = errors[error]?.example ?? count.example
      // Which message comes with equal errors must not depend on how the input was cut.
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
  private let count: Int

  init(_ plan: BatchPlan) {
    let rules = plan.ruleSet.rules.count
    count = plan.numberCount
    reached = .allocate(capacity: max(count, 1))
    reached.initialize(repeating: 0, count: max(count, 1))
    matched = reached + rules
    taken = matched + rules
    choices = taken + rules
  }

  deinit { reached.deallocate() }

  mutating func clear() {
    users = 0
    reached.update(repeating: 0, count: count)
  }

  @inline(__always)
  func count(_ choice: Int32, times: Int = 1) { choices[Int(choice)] &+= times }

  var sums: BatchSums {
    BatchSums(
      users: users, numbers: Array(UnsafeBufferPointer(start: reached, count: count)))
  }
}

extension BatchPlan {
  /// How many numbers ``BatchSums`` of this plan has.
  var numberCount: Int { 3 * ruleSet.rules.count + table.choices.count }

  /// Counts of nothing, in this batch's shape.
  package var emptySums: BatchSums {
    var sums = BatchSums(numbers: Array(repeating: 0, count: numberCount))
    sums.draws = draws.map { DrawCounts($0) }
    return sums
  }

  /// Counts that were kept elsewhere; nil when they are not of this batch's shape.
  package func sums(users: Int, rejected: Int, lines: Int, numbers: [Int]) -> BatchSums? {
    guard numbers.count == numberCount else { return nil }
    return BatchSums(users: users, rejected: rejected, lines: lines, numbers: numbers)
  }

  /// The counts by placement and audience.
  package func tally(of sums: BatchSums) -> Tally {
    var tally = emptyTally
    tally.users = sums.users
    tally.rejected = sums.rejected
    let rules = ruleSet.rules.count
    let errors = Dictionary(grouping: sums.errors, by: \.key.placement)
    for (number, placement) in placements.enumerated() {
      var counted: Set<Int> = []
      func add(_ choice: Int32) {
        guard counted.insert(Int(choice)).inserted else { return }
        tally.placements[number].add(
          sums.numbers[3 * rules + Int(choice)], table.choices[Int(choice)].outcome)
      }
      add(table.unmatched[number])
      tally.placements[number].errors = (errors[placement.name] ?? []).map { name, count in
        Tally.RuleErrors(error: name.error, users: count.users, example: count.example)
      }.sorted { Tally.RuleErrors.isBefore($0, $1) }
      for (i, rule) in (placement.compiled?.rules ?? 0..<0).enumerated() {
        tally.placements[number].audiences[i].reached += sums.numbers[rule]
        tally.placements[number].audiences[i].matched += sums.numbers[rules + rule]
        tally.placements[number].audiences[i].taken += sums.numbers[2 * rules + rule]
        for choice in table.rules[rule].variants { add(choice) }
        add(table.rules[rule].withoutVariants)
      }
    }
    return tally
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

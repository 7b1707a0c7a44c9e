internal import Expressions

/// What a part of a batch counts for a report beside ``BatchSums/numbers``.
package struct DrawCounts: Hashable, Sendable {
  /// By choice: users who had it stored, so that nothing was drawn.
  package var stored: [Int]
  /// The tables of a ``DrawPlan``, one after the other: users who drew both variants.
  package var pairs: [Int]
  /// By choice: the identity of the first user who got it.
  package var examples: [Int: String] = [:]

  /// Counts that were kept elsewhere.
  package init(stored: [Int], pairs: [Int], examples: [Int: String]) {
    self.stored = stored
    self.pairs = pairs
    self.examples = examples
  }

  init(_ plan: DrawPlan) {
    stored = Array(repeating: 0, count: plan.experimentOf.count)
    pairs = Array(repeating: 0, count: plan.cellCount)
  }

  /// Adds the counts of a later part of the same batch.
  mutating func add(_ other: DrawCounts) {
    for i in stored.indices { stored[i] += other.stored[i] }
    for i in pairs.indices { pairs[i] += other.pairs[i] }
    examples.merge(other.examples) { first, _ in first }
  }
}

/// Counts the draws of one block after the other. A worker has one only where a report is wanted.
struct DrawCounter {
  private let plan: DrawPlan
  private var counts: DrawCounts
  /// Outcomes of the block that were stored, numbered as the block's choices are.
  private var stored: Set<Int> = []
  private var hasExample: [Bool]
  /// By experiment: the last user who met it, and the variant.
  private var metBy: [Int]
  private var user = 0
  private var met: [(experiment: Int, variant: Int)] = []

  init(_ plan: DrawPlan) {
    self.plan = plan
    counts = DrawCounts(plan)
    hasExample = Array(repeating: false, count: plan.experimentOf.count)
    metBy = Array(repeating: 0, count: plan.comparedCount)
  }

  /// Notes that the user of a row had this choice stored.
  mutating func addStored(_ choice: Int32, placement: Int, row: Int) {
    counts.stored[Int(choice)] += 1
    stored.insert(placement * BlockShape.rows + row)
  }

  /// Counts a block that has been decided.
  mutating func count(_ block: borrowing BatchBlock) {
    for row in 0..<block.count {
      user += 1
      met.removeAll(keepingCapacity: true)
      for placement in 0..<block.placements {
        let cell = placement * BlockShape.rows + row
        let choice = Int(block.choices[cell])
        if !hasExample[choice] {
          hasExample[choice] = true
          counts.examples[choice] = String(decoding: block.subjects[row], as: UTF8.self)
        }
        let experiment = Int(plan.experimentOf[choice])
        guard experiment >= 0, metBy[experiment] != user,
          stored.isEmpty || !stored.contains(cell)
        else { continue }
        metBy[experiment] = user
        met.append((experiment, Int(plan.variantOf[choice])))
      }
      countPairs()
    }
    if !stored.isEmpty { stored.removeAll(keepingCapacity: true) }
  }

  /// Counts the experiments that the current user has met by twos.
  private mutating func countPairs() {
    for later in met.indices.dropFirst() {
      for earlier in 0..<later {
        var (a, b) = (met[earlier], met[later])
        if a.experiment > b.experiment { swap(&a, &b) }
        let start = plan.starts[a.experiment * plan.comparedCount + b.experiment]
        guard start >= 0 else { continue }
        let columns = plan.experiments[b.experiment].variants.count
        counts.pairs[Int(start) + a.variant * columns + b.variant] += 1
      }
    }
  }

  /// The counts since this was asked last.
  mutating func take() -> DrawCounts {
    defer {
      counts = DrawCounts(plan)
      for i in hasExample.indices { hasExample[i] = false }
    }
    return counts
  }
}

// MARK: For reports

/// An audience of a batch with what each of its variants came to.
package struct DrawnAudience: Sendable {
  package struct DrawnVariant: Sendable {
    package let id: String
    /// The paywall; nil for a holdout, and for a variant that shows nothing.
    package let paywallID: String?
    package let isHoldout: Bool
    /// What of the draws the weights give it.
    package let share: Double
    /// Users who got it.
    package let users: Int
    /// Those of them who had it stored.
    package let stored: Int
    /// The first user who got it.
    package let example: String?
  }

  package let audience: Audience
  /// The condition as text; nil means everybody.
  package let condition: String?
  package let variants: [DrawnVariant]
  /// A user who got nothing, because the experiment is not running or has no variants.
  package let exampleWithoutVariant: String?
}

/// Two experiments, and how many users drew which variants of them.
package struct DrawnPair: Sendable {
  package let first: DrawPlan.Experiment
  package let second: DrawPlan.Experiment
  /// A row for each variant of the first.
  package let users: [[Int]]
}

extension BatchPlan {
  /// By placement, and by audience: what the draws came to. Stored variants, and examples, are
  /// there when the batch counted draws.
  package func drawn(of sums: BatchSums) -> [[DrawnAudience]] {
    placements.map { placement in
      (placement.compiled?.rules ?? 0..<0).map { number in
        let rule = ruleSet.rules[number]
        let shares = Ratio.shares(of: rule.audience.variants.map(\.weight))
        let variants = table.rules[number].variants.enumerated().map { variant, choice in
          DrawnAudience.DrawnVariant(
            id: rule.audience.variants[variant].id,
            paywallID: table.choices[Int(choice)].outcome == .paywall
              ? rule.audience.variants[variant].paywallID : nil,
            isHoldout: table.choices[Int(choice)].outcome == .holdout,
            share: shares[variant].double, users: count(of: choice, in: sums),
            stored: sums.draws?.stored[Int(choice)] ?? 0,
            example: sums.draws?.examples[Int(choice)])
        }
        return DrawnAudience(
          audience: rule.audience,
          condition: rule.audience.isEverybody
            ? nil
            : rule.audience.expression ?? rule.entry.map { ruleSet.program.sources[$0.source] },
          variants: variants,
          exampleWithoutVariant: sums.draws?.examples[Int(table.rules[number].withoutVariants)])
      }
    }
  }

  private func count(of choice: Int32, in sums: BatchSums) -> Int {
    sums.numbers[3 * ruleSet.rules.count + Int(choice)]
  }

  /// By placement: the first user whom no audience took.
  package func unmatchedExamples(of sums: BatchSums) -> [String?] {
    placements.indices.map { sums.draws?.examples[Int(table.unmatched[$0])] }
  }

  /// The experiments that users met together.
  package func drawnPairs(of sums: BatchSums) -> [DrawnPair] {
    guard let draws, let counts = sums.draws else { return [] }
    return draws.pairs.map { pair in
      let (first, second) = (draws.experiments[pair.first], draws.experiments[pair.second])
      let columns = second.variants.count
      return DrawnPair(
        first: first, second: second,
        users: first.variants.indices.map { row in
          Array(counts.pairs[pair.start + row * columns..<pair.start + (row + 1) * columns])
        })
    }
  }

  /// Whether counts that were kept elsewhere are of this batch's shape.
  package func accepts(_ counts: DrawCounts) -> Bool {
    counts.stored.count == table.choices.count && counts.pairs.count == draws?.cellCount
      && counts.examples.keys.allSatisfy(table.choices.indices.contains)
  }
}

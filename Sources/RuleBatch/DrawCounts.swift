internal import Expressions
internal import RuleEngine

/// The counts of a part of a batch for a report, in addition to ``BatchSums/numbers`` and
/// ``BatchSums/examples``.
package struct DrawCounts: Hashable, Sendable {
  /// The concatenated tables of a ``DrawPlan``: the number of users for each pair of drawn variants.
  package var pairs: [Int]

  /// Counts that were stored elsewhere.
  package init(pairs: [Int]) { self.pairs = pairs }

  init(_ plan: DrawPlan) { pairs = Array(repeating: 0, count: plan.cellCount) }

  /// Adds the counts of a later part of the same batch.
  mutating func add(_ other: DrawCounts) {
    for i in pairs.indices { pairs[i] += other.pairs[i] }
  }
}

/// Counts the draws of successive blocks. Workers only have a counter if the plan counts draws.
struct DrawCounter {
  private let plan: DrawPlan
  private var counts: DrawCounts
  /// The outcomes of the block whose variant was stored, numbered like the block's choices.
  private var stored: Set<Int> = []
  /// For each experiment, the last user that met it, and the user's variant.
  private var metBy: [Int]
  private var user = 0
  private var met: [(experiment: Int, variant: Int)] = []

  init(_ plan: DrawPlan) {
    self.plan = plan
    counts = DrawCounts(plan)
    metBy = Array(repeating: 0, count: plan.comparedCount)
  }

  /// Records that the variant of a row's user was stored.
  mutating func addStored(placement: Int, row: Int) {
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

  /// Counts the pairs of experiments that the current user has met.
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

  /// Returns the counts since the last call.
  mutating func take() -> DrawCounts {
    defer { counts = DrawCounts(plan) }
    return counts
  }
}

// MARK: For reports

/// Two experiments, and the number of users for each pair of drawn variants.
package struct DrawnPair: Sendable {
  package let first: DrawPlan.Experiment
  package let second: DrawPlan.Experiment
  /// The numbers of users, with a row for each variant of the first experiment.
  package let users: [[Int]]
}

extension BatchPlan {
  /// The pairs of experiments that the same users met.
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

  /// Restores counts for a report that were stored elsewhere.
  ///
  /// - Parameter examples: identities by their numbers in ``BatchSums/examples``.
  /// - Returns: false if the number of counts does not fit this batch.
  package func restore(_ counts: DrawCounts, examples: [Int: String], in sums: inout BatchSums)
    -> Bool
  {
    let count = BatchNumbers(self).count
    guard counts.pairs.count == draws?.cellCount,
      examples.keys.allSatisfy((0..<count).contains)
    else { return false }
    sums.draws = counts
    sums.examples = (0..<count).map { examples[$0] }
    return true
  }
}

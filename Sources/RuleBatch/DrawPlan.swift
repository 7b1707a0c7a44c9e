internal import Expressions
internal import RuleEngine

/// The draws of a batch to count: the experiments that a user may meet together, and a table for
/// each pair of experiments.
package struct DrawPlan: Sendable {
  /// An experiment, which is identified by its ID and may occur in several audiences.
  package struct Experiment: Sendable {
    package let id: String
    /// The IDs of the variants, in the order in which audiences mention them.
    package fileprivate(set) var variants: [String]
    /// The placements of the batch where a user may meet the experiment.
    fileprivate var placements: Set<Int>
  }

  /// Two experiments, and the index at which the table of their variants starts. The table has one
  /// row per variant of the first experiment.
  package struct Pair: Sendable {
    package let first: Int
    package let second: Int
    let start: Int
  }

  package private(set) var experiments: [Experiment] = []
  package private(set) var pairs: [Pair] = []
  /// The number of pairs that are skipped because there are too many.
  package private(set) var pairsLeftOut = 0
  /// For each choice, the experiment that it is drawn for, or -1.
  private(set) var experimentOf: [Int32]
  /// For each choice, the number of the variant in its experiment.
  private(set) var variantOf: [Int32]
  /// For each pair of experiments, the smaller number first, the start of their table, or -1.
  private(set) var starts: [Int32] = []
  private(set) var cellCount = 0

  /// The maximum number of compared experiments. Other experiments are skipped.
  private static let mostExperiments = 64
  /// The maximum size of all tables together. The size is limited because each part of the input
  /// has its own copy.
  private static let mostCells = 20_000

  init(_ table: BatchTable, _ ruleSet: RuleSet) {
    experimentOf = Array(repeating: -1, count: table.choices.count)
    variantOf = Array(repeating: -1, count: table.choices.count)
    var known: [String: Int] = [:]
    for (placement, rules) in table.ruleRanges.enumerated() {
      for rule in rules ?? 0..<0 where table.rules[rule].variants.count > 1 {
        let audience = ruleSet.rules[rule].audience
        guard !audience.experimentID.isEmpty else { continue }
        let number = known[audience.experimentID] ?? experiments.count
        if number == experiments.count {
          known[audience.experimentID] = number
          experiments.append(
            Experiment(id: audience.experimentID, variants: [], placements: []))
        }
        experiments[number].placements.insert(placement)
        for (choice, variant) in zip(table.rules[rule].variants, audience.variants) {
          experimentOf[Int(choice)] = Int32(number)
          variantOf[Int(choice)] = Int32(experiments[number].number(of: variant.id))
        }
      }
    }
    addPairs()
  }

  private mutating func addPairs() {
    let count = experiments.count
    let most = min(count, Self.mostExperiments)
    starts = Array(repeating: -1, count: most * most)
    // Experiments without a table are not compared.
    for choice in experimentOf.indices where experimentOf[choice] >= most {
      experimentOf[choice] = -1
    }
    for first in 0..<most {
      for second in first + 1..<max(most, first + 1) {
        guard canMeet(first, second) else { continue }
        let cells = experiments[first].variants.count * experiments[second].variants.count
        guard cellCount + cells <= Self.mostCells else {
          pairsLeftOut += 1
          continue
        }
        starts[first * most + second] = Int32(cellCount)
        pairs.append(Pair(first: first, second: second, start: cellCount))
        cellCount += cells
      }
    }
    pairsLeftOut += (count - most) * (count + most - 1) / 2
  }

  /// Whether one user can meet both experiments. A placement gives a user only one of its experiments.
  private func canMeet(_ first: Int, _ second: Int) -> Bool {
    experiments[first].placements.union(experiments[second].placements).count > 1
  }

  /// The number of compared experiments.
  var comparedCount: Int { min(experiments.count, Self.mostExperiments) }
}

extension DrawPlan.Experiment {
  fileprivate mutating func number(of variant: String) -> Int {
    if let known = variants.firstIndex(of: variant) { return known }
    variants.append(variant)
    return variants.count - 1
  }
}

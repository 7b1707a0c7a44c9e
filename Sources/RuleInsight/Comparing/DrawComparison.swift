internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// The outcomes for all users of a rule, whatever their identities and stored variants are.
struct RuleOutcomes {
  /// The outcome of each variant; without variants, the outcome of users that get none.
  private let shown: [Int32]
  private let ids: [[UInt8]]
  private let experiment: [UInt8]
  private let weights: WeightTable?
  private let assigner: Assigner

  /// - Parameter rule: nil for users that no rule matches.
  init(_ rule: Int?, placement: Int, _ side: RuleComparison.Side) {
    let table = side.plan.table
    assigner = side.plan.assigner
    guard let rule else {
      shown = [side.shown[Int(table.unmatched[placement])]]
      (ids, experiment, weights) = ([], [], nil)
      return
    }
    let row = table.rules[rule]
    let compiled = side.plan.ruleSet.rules[rule]
    experiment = Array(compiled.audience.experimentID.utf8)
    guard !row.variants.isEmpty else {
      shown = [side.shown[Int(row.withoutVariants)]]
      (ids, weights) = ([], nil)
      return
    }
    shown = row.variants.map { side.shown[Int($0)] }
    ids = compiled.audience.variants.map { Array($0.id.utf8) }
    weights = compiled.weights
  }

  /// Whether every user has the same outcome by both rules. If false, a user with different
  /// outcomes need not exist.
  func isSame(as other: RuleOutcomes) -> Bool {
    let all = Set(shown + other.shown)
    if all.count == 1 { return true }
    guard shown == other.shown, ids == other.ids, experiment == other.experiment,
      assigner == other.assigner
    else { return false }
    return weights == other.weights || sharesAlike(other)
  }

  /// Whether each draw selects the same variant.
  private func sharesAlike(_ other: RuleOutcomes) -> Bool {
    guard let weights, let others = other.weights else { return false }
    switch assigner {
    case .hash: return RuleOutcomes.limits(weights) == RuleOutcomes.limits(others)
    case .djb2:
      return (0..<100).allSatisfy { bucket in
        weights.variant(draw: Double(bucket) * weights.drawRange / 100)
          == others.variant(draw: Double(bucket) * others.drawRange / 100)
      }
    case .draw: return false
    }
  }

  /// For each variant, the first 53-bit number above its range; empty if the sums are unclear.
  private static func limits(_ weights: WeightTable) -> [UInt64?] {
    weights.cumulative.map {
      weights.sum > 0 && weights.sum.isFinite
        ? VariantChooser.limit($0, range: weights.drawRange) : nil
    }
  }
}

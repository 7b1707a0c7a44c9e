public import Expressions

/// The possible outcomes of a placement for a subject without a stored assignment, with their exact probabilities.
public struct Distribution: Hashable, Sendable {
  /// An outcome and its probability.
  public struct Share: Hashable, Sendable {
    public var outcome: Decision.Outcome
    public var probability: Ratio
  }

  public var placement: String
  /// The position of the audience that decides, or nil if no audience decides.
  public var audience: Int?
  /// The outcomes, in the order of the variants. The probabilities of all outcomes sum to one.
  public var shares: [Share]
}

extension RuleSet {
  /// The exact distribution of the outcomes that ``decide(_:frame:state:assigner:)`` can return. A subject with a valid
  /// stored assignment has only one possible outcome.
  ///
  /// With ``Assigner/djb2``, the probabilities are shares of its hundred buckets. Otherwise they follow the weights.
  public func distribution(
    _ placement: String, frame: inout Frame, state: DecisionState, assigner: Assigner
  ) -> Distribution {
    let decision = decide(placement, frame: &frame, state: state, assigner: assigner)
    return distribution(of: decision, assigner: assigner)
  }

  /// The distribution from which a decision was drawn.
  func distribution(of decision: Decision, assigner: Assigner) -> Distribution {
    Distribution(
      placement: decision.placement, audience: decision.audience,
      shares: shares(of: decision, assigner))
  }

  private func shares(of decision: Decision, _ assigner: Assigner) -> [Distribution.Share] {
    let certain = [Distribution.Share(outcome: decision.outcome, probability: .one)]
    guard let rule = decision.rule, decision.verdict.variant >= 0,
      decision.verdict.source != .stored
    else { return certain }
    guard rule.audience.variants.count > 1 else { return certain }
    return RuleSet.shares(of: rule, assigner).enumerated().map { variant, probability in
      Distribution.Share(outcome: rule.outcome(variant), probability: probability)
    }
  }

  /// The probability of each variant of a rule for a subject without a stored assignment.
  package static func shares(of rule: Rule, _ assigner: Assigner) -> [Ratio] {
    let weights = rule.audience.variants.map { $0.weight }
    guard weights.count > 1 else { return weights.map { _ in .one } }
    return assigner == .djb2 ? bucketShares(rule.weights) : Ratio.shares(of: weights)
  }

  /// The number of djb2's buckets for each variant.
  private static func bucketShares(_ weights: WeightTable) -> [Ratio] {
    var counts = [UInt128](repeating: 0, count: weights.count)
    for bucket in 0..<100 {
      let draw = Double(bucket) * weights.drawRange / 100
      if let variant = weights.variant(draw: draw) { counts[variant] += 1 }
    }
    return counts.map { Ratio($0, 100) }
  }
}

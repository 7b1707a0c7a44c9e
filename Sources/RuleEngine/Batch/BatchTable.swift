internal import Expressions

/// A rule set laid out for the loop over users: trivial values in flat arrays, so that nothing is
/// reference-counted per user, and every byte that does not depend on the user written already.
struct BatchTable: Sendable {
  /// What the loop needs of a rule.
  struct Rule {
    /// The part of ``prefixes`` that the rule's hashes begin with.
    var prefix: Range<Int32>
    /// The rule's variants, as a range of ``cumulative`` and ``variants``.
    var variants: Range<Int32>
    var drawRange: Double
    /// For an experiment without variants.
    var withoutVariants: Variant
  }

  /// What the loop needs of a variant: the kind of outcome, and its part of ``text``.
  struct Variant {
    var outcome: OutcomeIndex
    var text: Range<Int32>
  }

  /// Kinds of outcome, in the order in which they are counted.
  enum OutcomeIndex: Int {
    case paywall, holdout, noAudienceMatch, placementNotFound, error
    static let count = 5
  }

  private(set) var rules: [Rule] = []
  private(set) var variants: [Variant] = []
  private(set) var cumulative: [Double] = []
  private(set) var prefixes: [UInt8] = []
  private(set) var text: [UInt8] = []
  /// By placement of the batch: when no audience matches, or the placement does not exist.
  private(set) var unmatched: [Variant] = []
  /// By placement of the batch: its rules, or nil when the config does not have it.
  private(set) var ruleRanges: [Range<Int>?] = []

  init(
    _ ruleSet: RuleSet, placements: [BatchPlan.Placement], layout: OutcomeLayout,
    assigner: Assigner
  ) {
    let fragments = OutcomeFragments(layout: layout)
    var placementOf: [Int: String] = [:]
    for placement in placements {
      let isKnown = placement.compiled != nil
      ruleRanges.append(placement.compiled?.rules)
      let none: Decision.Outcome = isKnown ? .noAudienceMatch : .placementNotFound
      unmatched.append(
        Variant(
          outcome: isKnown ? .noAudienceMatch : .placementNotFound,
          text: add(fragments.fragment(placement.name, none, nil))))
      for rule in placement.compiled?.rules ?? 0..<0 { placementOf[rule] = placement.name }
    }
    for (number, rule) in ruleSet.rules.enumerated() {
      add(rule, placementOf[number] ?? "", fragments, assigner)
    }
  }

  private mutating func add(_ bytes: [UInt8]) -> Range<Int32> {
    let start = Int32(text.count)
    text += bytes
    return start..<Int32(text.count)
  }

  private mutating func add(
    _ rule: RuleSet.Rule, _ placement: String, _ fragments: OutcomeFragments,
    _ assigner: Assigner
  ) {
    let prefix = assigner.hashPrefix(experimentID: rule.audience.experimentID)
    let prefixStart = Int32(prefixes.count)
    prefixes += prefix
    let first = Int32(variants.count)
    let isRunning = rule.audience.experimentStatus == .running
    if isRunning { cumulative += rule.weights.cumulative }
    let index = rule.audience.index
    for variant in isRunning ? rule.audience.variants.indices : 0..<0 {
      let outcome = rule.outcome(variant)
      let kind: OutcomeIndex =
        switch outcome {
        case .paywall: .paywall
        case .holdout: .holdout
        default: .error
        }
      variants.append(
        Variant(outcome: kind, text: add(fragments.fragment(placement, outcome, index))))
    }
    rules.append(
      Rule(
        prefix: prefixStart..<Int32(prefixes.count), variants: first..<Int32(variants.count),
        drawRange: rule.weights.drawRange,
        withoutVariants: Variant(
          outcome: .error, text: add(fragments.fragment(placement, rule.outcome(nil), index)))))
  }
}

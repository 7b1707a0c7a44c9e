internal import Expressions
internal import RuleEngine

/// A rule set laid out for the loop over users: trivial values in flat arrays, so that nothing is
/// reference-counted per user, and every byte that does not depend on the user written already.
package struct BatchTable: Sendable {
  /// What the loop needs of a rule.
  package struct Rule {
    /// The part of ``prefixes`` that the rule's hashes begin with.
    var prefix: Range<Int32>
    /// The rule's variants, as a range of ``choices`` and ``cumulative``.
    package var variants: Range<Int32>
    var drawRange: Double
    /// The choice of an experiment without variants.
    package var withoutVariants: Int32
    /// Whether the rule's limit lets a user apply it who has no occurrences.
    var allowsFirst: Bool
  }

  /// What a decision may come to: the kind of outcome, and its part of ``text``.
  package struct Choice {
    var outcome: OutcomeIndex
    var text: Range<Int32>
  }

  /// Kinds of outcome, in the order in which they are counted.
  enum OutcomeIndex: Int {
    case paywall, holdout, noAudienceMatch, placementNotFound, error
    static let count = 5
  }

  package private(set) var rules: [Rule] = []
  package private(set) var choices: [Choice] = []
  /// Sums of the weights of a rule's variants, where its choices are.
  private(set) var cumulative: [Double] = []
  private(set) var prefixes: [UInt8] = []
  private(set) var text: [UInt8] = []
  /// By choice, for the form of rows.
  private(set) var descriptions: [BatchPlan.Choice] = []
  /// What stands around fragments.
  let opening: [UInt8]
  let closing: [UInt8]
  /// Bytes at the end of a fragment that close the outcome.
  let closingBytes: Int
  /// By placement of the batch: the choice when no audience matches, or there is no placement.
  package private(set) var unmatched: [Int32] = []
  /// By placement of the batch: its rules, or nil when the config does not have it.
  private(set) var ruleRanges: [Range<Int>?] = []

  init(
    _ ruleSet: RuleSet, placements: [BatchPlan.Placement], _ fragments: OutcomeFragments,
    assigner: Assigner
  ) {
    opening = fragments.opening
    closing = fragments.closing
    closingBytes = fragments.closingBytes
    var placementOf: [Int: String] = [:]
    for placement in placements {
      let isKnown = placement.compiled != nil
      ruleRanges.append(placement.compiled?.rules)
      let none: Decision.Outcome = isKnown ? .noAudienceMatch : .placementNotFound
      unmatched.append(
        add(
          isKnown ? .noAudienceMatch : .placementNotFound, none, nil, placement.name, fragments))
      for rule in placement.compiled?.rules ?? 0..<0 { placementOf[rule] = placement.name }
    }
    for (number, rule) in ruleSet.rules.enumerated() {
      add(rule, placementOf[number] ?? "", fragments, assigner)
    }
    // Fragments are read in steps, the last one too.
    text += Array(repeating: 0, count: OutcomeWriter.step)
  }

  private mutating func add(
    _ kind: OutcomeIndex, _ outcome: Decision.Outcome, _ audience: Int?, _ placement: String,
    _ fragments: OutcomeFragments, weight: Double = 0
  ) -> Int32 {
    let start = Int32(text.count)
    text += fragments.fragment(placement, outcome, audience)
    choices.append(Choice(outcome: kind, text: start..<Int32(text.count)))
    cumulative.append(weight)
    if fragments.form == .rows {
      descriptions.append(BatchPlan.Choice(placement, outcome, audience))
    }
    return Int32(choices.count - 1)
  }

  private mutating func add(
    _ rule: RuleSet.Rule, _ placement: String, _ fragments: OutcomeFragments,
    _ assigner: Assigner
  ) {
    let prefix = assigner.hashPrefix(experimentID: rule.audience.experimentID)
    let prefixStart = Int32(prefixes.count)
    prefixes += prefix
    let first = Int32(choices.count)
    let isRunning = rule.audience.experimentStatus == .running
    let index = rule.audience.index
    for variant in isRunning ? rule.audience.variants.indices : 0..<0 {
      let outcome = rule.outcome(variant)
      let kind: OutcomeIndex =
        switch outcome {
        case .paywall: .paywall
        case .holdout: .holdout
        default: .error
        }
      _ = add(
        kind, outcome, index, placement, fragments, weight: rule.weights.cumulative[variant])
    }
    let end = Int32(choices.count)
    rules.append(
      Rule(
        prefix: prefixStart..<Int32(prefixes.count), variants: first..<end,
        drawRange: rule.weights.drawRange,
        withoutVariants: add(.error, rule.outcome(nil), index, placement, fragments),
        allowsFirst: rule.audience.occurrenceLimit?.allows(storedCount: 0) ?? true))
  }
}

internal import Expressions
internal import RuleEngine

/// A rule set in the form that the loop over users needs. Trivial values are in flat arrays, so
/// that users cost no reference counting. All text that does not depend on the user is already
/// written.
package struct BatchTable: Sendable {
  /// The part of a rule that the loop needs.
  package struct Rule {
    /// The range of ``prefixes`` with the prefix of the rule's hashes.
    var prefix: Range<Int32>
    /// The rule's variants, as a range of ``choices`` and ``cumulative``.
    package var variants: Range<Int32>
    var drawRange: Double
    /// The choice for users of an experiment without variants.
    package var withoutVariants: Int32
    /// Whether the rule's limit allows an occurrence for a user without any.
    var allowsFirst: Bool
    /// The choice for users for whom evaluating the condition terminates the app, and the choice
    /// for users for whom only the device can decide; -1 if this cannot happen with the selected
    /// SDK.
    package var aborted: Int32 = -1
    package var undecidable: Int32 = -1
  }

  /// A possible result of a decision: the kind of outcome, and its range of ``text``.
  package struct Choice {
    var outcome: OutcomeIndex
    var text: Range<Int32>
  }

  /// The content of a choice's text.
  private struct Content: Equatable {
    var placement: String
    var outcome: Decision.Outcome
    var audience: Int?
  }

  /// The kinds of outcomes, in the order in which they are counted.
  enum OutcomeIndex: Int {
    case paywall, holdout, noAudienceMatch, placementNotFound, error, undecidable
    static let count = 6
  }

  package private(set) var rules: [Rule] = []
  package private(set) var choices: [Choice] = []
  /// The cumulative weights of each rule's variants, at the indices of its choices.
  private(set) var cumulative: [Double] = []
  private(set) var prefixes: [UInt8] = []
  private(set) var text: [UInt8] = []
  /// The description of each choice, for ``OutcomeForm/rows``.
  private(set) var descriptions: [BatchPlan.Choice] = []
  /// The content of each choice, for the tables of other SDK versions. Empty without versions.
  private var contents: [Content] = []
  private let isVersioned: Bool
  /// The text before and after fragments.
  let opening: [UInt8]
  let closing: [UInt8]
  /// The number of bytes at the end of a fragment that close the outcome.
  let closingBytes: Int
  /// For each placement of the batch, the choice if no audience matches or the placement does not
  /// exist.
  package private(set) var unmatched: [Int32] = []
  /// For each placement of the batch, the choice for a config that the SDK rejects. Empty if no SDK
  /// version is selected.
  package private(set) var rejected: [Int32] = []
  /// For each placement of the batch, its rules; nil if the config does not have the placement.
  private(set) var ruleRanges: [Range<Int>?] = []

  /// - Parameter isVersioned: whether the choices include outcomes that only occur with SDK
  ///   versions. Choices have the same numbers for every version.
  init(
    _ ruleSet: RuleSet, placements: [BatchPlan.Placement], _ fragments: OutcomeFragments,
    assigner: Assigner, isVersioned: Bool
  ) {
    opening = fragments.opening
    closing = fragments.closing
    closingBytes = fragments.closingBytes
    self.isVersioned = isVersioned
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
    if isVersioned { addVersioned(ruleSet, placements, placementOf, fragments) }
    // The padding is needed because fragments, including the last one, are read in steps.
    text += Array(repeating: 0, count: OutcomeWriter.step)
  }

  /// Adds the choices that only occur with SDK versions, after all other choices.
  private mutating func addVersioned(
    _ ruleSet: RuleSet, _ placements: [BatchPlan.Placement], _ placementOf: [Int: String],
    _ fragments: OutcomeFragments
  ) {
    for (number, rule) in ruleSet.rules.enumerated() {
      let (index, name) = (rule.audience.index, placementOf[number] ?? "")
      rules[number].aborted = add(.error, .error(.abortsApp), index, name, fragments)
      rules[number].undecidable = add(
        .undecidable, RuleSet.Rule.undecidable, index, name, fragments)
      if rule.isUndecidable {
        rules[number].variants =
          rules[number].variants.lowerBound..<rules[number].variants.lowerBound
        rules[number].withoutVariants = rules[number].undecidable
        rules[number].allowsFirst = true
      }
    }
    for (number, placement) in placements.enumerated() {
      let fact = ruleSet.storage.rejection
      rejected.append(
        add(
          .error, .error(.configRejected(reason: fact?.kind.reason ?? "")), nil, placement.name,
          fragments))
      if fact != nil {
        unmatched[number] = rejected[number]
        ruleRanges[number] = 0..<0
      }
    }
  }

  private mutating func add(
    _ kind: OutcomeIndex, _ outcome: Decision.Outcome, _ audience: Int?, _ placement: String,
    _ fragments: OutcomeFragments, weight: Double = 0
  ) -> Int32 {
    let start = Int32(text.count)
    let content = Content(placement: placement, outcome: outcome, audience: audience)
    if let known = fragments.known, choices.count < known.contents.count,
      known.contents[choices.count] == content
    {
      let text = known.choices[choices.count].text
      self.text += known.text[Int(text.lowerBound)..<Int(text.upperBound)]
    } else {
      text += fragments.fragment(placement, outcome, audience)
    }
    if isVersioned { contents.append(content) }
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
    var decidable = rule
    decidable.isUndecidable = false
    for variant in isRunning ? rule.audience.variants.indices : 0..<0 {
      let outcome = decidable.outcome(variant)
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
        withoutVariants: add(.error, decidable.outcome(nil), index, placement, fragments),
        allowsFirst: rule.audience.occurrenceLimit?.allows(storedCount: 0) ?? true))
  }
}

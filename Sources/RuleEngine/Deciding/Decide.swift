public import Expressions

/// What a walk over a placement's rules is asked. Generic, so that batches pay for nothing.
package protocol RuleWalk {
  /// Whether the rule's expression gives true; it does when the audience is everybody.
  mutating func holds(_ rule: Int, in frame: inout Frame) -> Bool
  /// Whether the rule may apply once more.
  mutating func allows(_ limit: OccurrenceLimit, rule: Int) -> Bool
  mutating func reached(_ rule: Int)
  mutating func matched(_ rule: Int)
}

extension RuleSet {
  /// Tries the rules of a placement in order. This loop is the decision; everything else is
  /// about it. An expression that errs, or gives something other than true, does not match.
  ///
  /// - Returns: the number of the rule that decides, or nil.
  @inline(__always)
  package func firstMatch<Walk: RuleWalk>(
    of rules: Range<Int>, in frame: inout Frame, _ walk: inout Walk
  ) -> Int? {
    for number in rules {
      walk.reached(number)
      guard walk.holds(number, in: &frame) else { continue }
      walk.matched(number)
      let limit = Int(limitOf[number])
      if limit >= 0, !walk.allows(limits[limit], rule: number) { continue }
      return number
    }
    return nil
  }

  /// Decides what a subject gets at a placement.
  ///
  /// A pure function of its arguments: it reads no clock, draws no number and changes nothing but
  /// the scratch memory of the frame. What should follow comes back as effects.
  ///
  /// - Parameters:
  ///   - placement: the placement's name.
  ///   - frame: a frame of ``program``, filled with the subject's attributes.
  public func decide(
    _ placement: String, frame: inout Frame, state: DecisionState, assigner: Assigner
  ) -> Decision {
    guard let number = self.placement(named: placement) else {
      return Decision(
        placement: placement, outcome: .placementNotFound, effects: [], steps: [], audience: nil)
    }
    let compiled = placements[number]
    var walk = RecordingWalk(ruleSet: self, state: state, rules: compiled.rules)
    let match = firstMatch(of: compiled.rules, in: &frame, &walk)
    var decision = Decision(
      placement: placement, outcome: .noAudienceMatch, effects: [],
      steps: zip(compiled.rules, walk.reasons).map { step($0, $1) }, audience: nil)
    if let match { conclude(match, state, assigner, &decision) }
    return decision
  }

  private func step(_ rule: Int, _ reason: Decision.Reason) -> Decision.Step {
    let audience = rules[rule].audience
    return Decision.Step(
      index: audience.index, experimentID: audience.experimentID, reason: reason, rule: rule)
  }

  /// Gives the subject its variant of the rule that matched.
  private func conclude(
    _ number: Int, _ state: DecisionState, _ assigner: Assigner, _ decision: inout Decision
  ) {
    let rule = rules[number]
    decision.audience = rule.audience.index
    let stored = state.variantID(in: rule.audience.experimentID)
    var subject = state.subjectID
    let assigned = subject.withUTF8 {
      rule.assign(subject: $0, stored: stored, by: assigner)
    }
    guard let (variant, source) = assigned else {
      decision.outcome = .error(.noVariants)
      return
    }
    let chosen = rule.audience.variants[variant]
    let experiment = Decision.Experiment(
      id: rule.audience.experimentID, campaignID: rule.audience.campaignID, variant: chosen)
    decision.assignmentSource = source
    decision.outcome = rule.outcome(variant)
    if source != .stored {
      decision.effects.append(
        .storeAssignment(experimentID: experiment.id, variantID: chosen.id))
    }
    if case .error = decision.outcome { return }
    if let limit = rule.audience.occurrenceLimit {
      decision.effects.append(.recordOccurrence(limit))
    }
  }
}

extension RuleSet.Rule {
  /// The outcome of one of the rule's variants.
  package func outcome(_ variant: Int) -> Decision.Outcome {
    let chosen = audience.variants[variant]
    let experiment = Decision.Experiment(
      id: audience.experimentID, campaignID: audience.campaignID, variant: chosen)
    if chosen.kind == .holdout { return .holdout(experiment) }
    if (chosen.paywallID ?? "").isEmpty {
      return .error(.variantWithoutPaywall(variantID: chosen.id))
    }
    return .paywall(experiment)
  }
}

/// Remembers why each audience did not match.
private struct RecordingWalk: RuleWalk {
  let ruleSet: RuleSet
  let state: DecisionState
  /// By rule of the placement, in order.
  var reasons: [Decision.Reason]
  private let first: Int

  init(ruleSet: RuleSet, state: DecisionState, rules: Range<Int>) {
    self.ruleSet = ruleSet
    self.state = state
    first = rules.lowerBound
    reasons = Array(repeating: .notReached, count: rules.count)
  }

  mutating func holds(_ rule: Int, in frame: inout Frame) -> Bool {
    let compiled = ruleSet.rules[rule]
    if compiled.isBroken {
      reasons[rule - first] = .expressionBroken
      return false
    }
    guard let entry = compiled.entry else { return true }
    let value = ruleSet.program.condition(entry, in: &frame)
    if value.tag == Tag.fault {
      reasons[rule - first] = .expressionError(EvaluationError(fault: value))
    } else if value != .true {
      let type = value.tag == Tag.bool ? nil : Tag.typeName(value.tag)
      reasons[rule - first] = .expressionFalse(valueType: type)
    }
    return value == .true
  }

  mutating func allows(_ limit: OccurrenceLimit, rule: Int) -> Bool {
    let count = state.count(for: limit)
    if limit.allows(storedCount: count) { return true }
    reasons[rule - first] = .occurrenceLimit(count: count, limit: limit)
    return false
  }

  mutating func reached(_ rule: Int) {}

  mutating func matched(_ rule: Int) { reasons[rule - first] = .matched }
}

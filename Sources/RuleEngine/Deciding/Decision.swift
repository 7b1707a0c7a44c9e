/// The outcome of a placement for a subject, with its reason and its consequences.
///
/// A decision stores a few numbers and its rule set. The outcome and the effects are computed on demand. A decision
/// does not explain why each audience matched or not. Use ``RuleSet/steps(_:frame:state:)`` or
/// ``RuleSet/explain(_:frame:state:assigner:clock:)`` to explain audiences.
public struct Decision: Sendable {
  /// The experiment that decided, and the subject's variant.
  public struct Experiment: Hashable, Sendable {
    public var id: String
    public var campaignID: String
    public var variant: Variant

    public init(id: String, campaignID: String, variant: Variant) {
      self.id = id
      self.campaignID = campaignID
      self.variant = variant
    }
  }

  /// The reason why no paywall is shown although an audience matched.
  public enum Failure: Hashable, Sendable {
    /// The experiment has no variants.
    case noVariants
    /// The treatment names no paywall.
    case variantWithoutPaywall(variantID: String)
    /// The audience has no experiment.
    case noExperiment
    /// The audience's experiment is paused or completed.
    case experimentNotRunning(experimentID: String, ExperimentStatus)
    /// The SDK version that decides would crash the app while it evaluates an audience's condition.
    case abortsApp
    /// The SDK version that decides rejects the whole config.
    case configRejected(reason: String)
  }

  /// A missing attribute that counts as another value and thereby decides whether an audience's condition is true.
  package struct MissingAttribute: Hashable, Sendable {
    package var audience: Int
    package var path: String
    /// Whether the condition is true.
    package var isMatched: Bool

    package init(audience: Int, path: String, isMatched: Bool) {
      self.audience = audience
      self.path = path
      self.isMatched = isMatched
    }
  }

  /// The outcomes for a subject.
  public enum Outcome: Hashable, Sendable {
    case paywall(Experiment)
    case holdout(Experiment)
    case noAudienceMatch
    case placementNotFound
    case error(Failure)
    /// Only the device can decide, because this engine cannot evaluate the audience's condition.
    case undecidable(reason: String)
  }

  /// An action that the caller performs to carry out the decision. A dry run ignores the effects.
  public enum Effect: Hashable, Sendable {
    /// Store the variant, and report it to the server.
    case storeAssignment(experimentID: String, variantID: String)
    /// Report a stored variant that the server has not confirmed.
    case confirmAssignment(experimentID: String, variantID: String)
    /// Record under the limit's key that the rule applied. For a paywall, record it when the paywall is presented; for
    /// a holdout, immediately.
    case recordOccurrence(OccurrenceLimit)
    /// Record an event for the decided placement. Requests add this effect; ``Decision/effects`` does not include it.
    case fireTrigger
  }

  package let ruleSet: RuleSet
  package let verdict: Verdict
  private let placementNumber: Int
  /// The name of an unknown placement, or the stored variant that is no longer valid.
  private let detail: String?
  /// Whether the stored assignment that decided is unconfirmed.
  private let isUnsent: Bool

  package init(
    ruleSet: RuleSet, verdict: Verdict, placement: Int, _ state: borrowing DecisionState
  ) {
    self.ruleSet = ruleSet
    self.verdict = verdict
    placementNumber = placement
    let assignment = Int(verdict.assignment)
    detail = verdict.source == .redrawn ? state.assignments[assignment].variantID : nil
    isUnsent = verdict.source == .stored && !state.assignments[assignment].isSentToServer
  }

  package init(ruleSet: RuleSet, unknownPlacement: String) {
    self.ruleSet = ruleSet
    verdict = Verdict(isPlacementKnown: false)
    placementNumber = -1
    detail = unknownPlacement
    isUnsent = false
  }

  /// The placement's name.
  public var placement: String {
    placementNumber >= 0 ? ruleSet.placements[placementNumber].name : detail ?? ""
  }

  /// The rule that decided, or nil.
  package var rule: RuleSet.Rule? {
    verdict.rule >= 0 ? ruleSet.rules[Int(verdict.rule)] : nil
  }

  /// The position of the audience that decided, or nil if no audience decided.
  public var audience: Int? { rule?.audience.index }

  /// The audience that decided, or nil if no audience decided.
  public var decidingAudience: Audience? { rule?.audience }

  public var outcome: Outcome {
    if let fact = ruleSet.storage.rejection {
      return .error(.configRejected(reason: fact.kind.reason))
    }
    guard verdict.isPlacementKnown else { return .placementNotFound }
    guard let rule else { return .noAudienceMatch }
    if verdict.aborts { return .error(.abortsApp) }
    return rule.outcome(verdict.variant >= 0 ? Int(verdict.variant) : nil)
  }

  /// The source of the variant, or nil if the decision has no variant.
  public var assignmentSource: AssignmentSource? {
    switch verdict.source {
    case .none: nil
    case .stored: .stored
    case .new: .new
    case .redrawn: .redrawn(from: detail ?? "")
    case .only: .only
    }
  }

  /// The effects of carrying out the decision, which presents a paywall or applies a holdout.
  public var effects: [Effect] {
    guard let rule, verdict.variant >= 0 else { return [] }
    var effects: [Effect] = []
    let experiment = rule.audience.experimentID
    let variant = rule.audience.variants[Int(verdict.variant)].id
    if verdict.source != .stored {
      effects.append(.storeAssignment(experimentID: experiment, variantID: variant))
    } else if isUnsent {
      effects.append(.confirmAssignment(experimentID: experiment, variantID: variant))
    }
    if case .error = outcome { return effects }
    if let limit = rule.audience.occurrenceLimit { effects.append(.recordOccurrence(limit)) }
    return effects
  }
}

/// The source of a decision's variant.
public enum AssignmentSource: Hashable, Sendable {
  /// The variant was stored earlier and is still valid.
  case stored
  /// The variant is new, because no variant was stored.
  case new
  /// The variant is new, because the stored variant with this ID is no longer in the experiment.
  case redrawn(from: String)
  /// The experiment has only one variant.
  case only
}

extension Decision: Equatable {
  /// Whether all properties of two decisions are equal.
  public static func == (a: Decision, b: Decision) -> Bool {
    a.placement.utf8.elementsEqual(b.placement.utf8) && a.audience == b.audience
      && a.outcome == b.outcome && a.effects == b.effects
      && a.assignmentSource == b.assignmentSource
  }
}

extension RuleSet.Rule {
  /// The outcome of a rule whose condition only the device can evaluate.
  package static let undecidable = Decision.Outcome.undecidable(
    reason: "the condition is JavaScript")

  /// The outcome of the rule for a variant, or for a subject without a variant.
  package func outcome(_ variant: Int?) -> Decision.Outcome {
    if isUndecidable { return Self.undecidable }
    switch audience.experimentStatus {
    case .running: break
    case .absent: return .error(.noExperiment)
    case .paused, .completed:
      return .error(
        .experimentNotRunning(experimentID: audience.experimentID, audience.experimentStatus))
    }
    guard let variant else { return .error(.noVariants) }
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

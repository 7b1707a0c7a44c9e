public import Expressions

/// What a subject gets at a placement, why, and what follows from it.
public struct Decision: Hashable, Sendable {
  /// The experiment that decided, with the subject's variant.
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

  /// Why there can be no outcome although an audience matched.
  public enum Failure: Hashable, Sendable {
    /// The experiment has no variants.
    case noVariants
    /// The treatment names no paywall.
    case variantWithoutPaywall(variantID: String)
  }

  /// What the subject gets.
  public enum Outcome: Hashable, Sendable {
    case paywall(Experiment)
    case holdout(Experiment)
    case noAudienceMatch
    case placementNotFound
    case error(Failure)
  }

  /// What the caller should do if the decision is carried out. A dry run drops the effects.
  public enum Effect: Hashable, Sendable {
    /// Remember the variant, and tell the server.
    case storeAssignment(experimentID: String, variantID: String)
    /// Record that the rule applied, under this key: for a paywall once it is presented, for a
    /// holdout at once.
    case recordOccurrence(OccurrenceLimit)
  }

  /// What became of an audience. The vocabulary is closed and stable.
  public enum Reason: Hashable, Sendable {
    case matched
    /// The expression gave false, or a value that is no bool (its type is named then).
    case expressionFalse(valueType: String?)
    case expressionError(EvaluationError)
    /// The expression does not compile.
    case expressionBroken
    case occurrenceLimit(count: Int, limit: OccurrenceLimit)
    case notReached
  }

  /// One audience on the way to the decision.
  public struct Step: Hashable, Sendable {
    /// Position of the audience in the config, from 0.
    public var index: Int
    public var experimentID: String
    public var reason: Reason
    /// Number of the rule in its rule set.
    package var rule: Int
  }

  public var placement: String
  public var outcome: Outcome
  public var effects: [Effect]
  /// Every audience of the placement, in order.
  public var steps: [Step]
  /// Position of the audience that decided, or nil.
  public var audience: Int?
  public var assignmentSource: AssignmentSource?
}

internal import Expressions
internal import RuleEngine

/// The decision of a placement for the user, and the effects that the kind of request applies.
struct PlacementDecision: Hashable, Sendable {
  var placement: String
  var outcome: Decision.Outcome
  var effects: [AppliedEffect]

  var experiment: Decision.Experiment? {
    switch outcome {
    case .paywall(let experiment), .holdout(let experiment): experiment
    case .noAudienceMatch, .placementNotFound, .error, .undecidable: nil
    }
  }
}

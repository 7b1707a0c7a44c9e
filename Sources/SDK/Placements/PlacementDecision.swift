internal import Expressions
internal import RuleEngine

/// What a placement gives the user, and what the request that it was decided for applies.
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

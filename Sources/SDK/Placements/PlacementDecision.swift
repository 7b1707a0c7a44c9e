internal import Expressions
internal import RuleEngine

/// A placement's decision for the user, and the effects that its request applies.
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

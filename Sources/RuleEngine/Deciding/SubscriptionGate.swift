extension SDKProfile {
  /// Whether a subscribed user gets no paywall although the rules lead to a paywall. Old SDKs evaluate a paywall's
  /// `presentation_condition`.
  package func skips(_ outcome: Decision.Outcome, isSubscribed: Bool, in config: Config) -> Bool {
    guard isSubscribed, has(.subscriptionGate) else { return false }
    func isAlways(_ identifier: String?) -> Bool {
      identifier.flatMap { config.paywall($0) }?.presentationCondition == "ALWAYS"
    }
    return switch outcome {
    case .paywall(let experiment): !isAlways(experiment.variant.paywallID)
    case .undecidable: true
    case .holdout, .noAudienceMatch, .placementNotFound, .error: true
    }
  }
}

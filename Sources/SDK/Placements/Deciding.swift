internal import Expressions
internal import RuleEngine

/// What a placement gives the user, and what follows if it is carried out.
struct PlacementDecision: Sendable {
  var outcome: Decision.Outcome
  var effects: [Decision.Effect]

  init(_ outcome: Decision.Outcome, _ effects: [Decision.Effect] = []) {
    self.outcome = outcome
    self.effects = effects
  }

  /// The limit under which the decision counts, once it is carried out.
  var occurrenceLimit: OccurrenceLimit? {
    for case .recordOccurrence(let limit) in effects { return limit }
    return nil
  }
}

// MARK: Asking the rule engine

extension SDKState {
  /// What the placement gives the user now. Nothing is changed: what should follow is in the
  /// decision's effects.
  ///
  /// - Parameter event: when the placement itself was put into the history, if it was.
  mutating func decide(
    _ placement: String, params: Value, isFeatureGatable: Bool = false, event: Int64? = nil
  ) -> PlacementDecision {
    guard let rules = config?.rules, rules.placement(named: placement) != nil else {
      return PlacementDecision(.placementNotFound)
    }
    if options.paywalls.hideWhenSubscribed, stored.status.isActive {
      return PlacementDecision(.noAudienceMatch)
    }
    var frame = Frame(for: rules.program)
    let params = PlacementParams.make(
      placement: placement, custom: params,
      isStandardEvent: SuperwallEventName.isReserved(placement),
      isFeatureGatable: isFeatureGatable, sessionID: session.id)
    fill(&frame, params: params, placement: event.map { (placement, $0) })
    let decision = rules.decide(
      placement, frame: &frame, state: decisionState, assigner: .draw(entropy.fraction()))
    return PlacementDecision(decision.outcome, decision.effects)
  }

  /// Gives rules what they read: attributes, and answers from the history. Attributes past the
  /// memory limit count as not there: rules that read them do not match.
  ///
  /// - Parameter placement: the placement that is decided and when it was put into the history.
  mutating func fill(
    _ frame: inout Frame, params: Value, placement: (name: String, time: Int64)? = nil
  ) {
    let context = Value.object([
      "user": userForRules, "device": deviceAttributes(), "params": params,
    ])
    do throws(EvaluationError) {
      try frame.fill(context)
      try answer(&frame, placement)
    } catch {
      log(.warn, .placements, "the attributes are too large for the rules")
      frame.reset()
    }
  }

  private func answer(_ frame: inout Frame, _ placement: (name: String, time: Int64)?)
    throws(EvaluationError)
  {
    guard let rules = config?.rules, rules.readsEvents else { return }
    let clock =
      HistoryClock(now: now, timeZone: device.timeZone) ?? HistoryClock(now: now)
    try rules.answer(history.eventHistory, at: clock, placement: placement, in: &frame)
  }

  /// What decisions go by beside attributes.
  var decisionState: DecisionState {
    DecisionState(
      subjectID: subjectID, now: now, assignments: stored.assignments.map(\.pair),
      occurrences: history.forDeciding, entitlements: stored.status.entitlements.map(\.id),
      sessionStart: session.start)
  }

  /// Keeps the assignment that a decision promises.
  mutating func keepAssignment(of decision: PlacementDecision) {
    switch decision.outcome {
    case .paywall(let experiment), .holdout(let experiment):
      for effect in decision.effects {
        if case .storeAssignment = effect { store(experiment.variant, of: experiment.id) }
      }
    default: break
    }
  }

  private var userForRules: Value {
    guard case .map(var entries) = userAttributes else { return .map([]) }
    entries.append(.init(key: "isLoggedIn", value: .bool(stored.appUserID != nil)))
    return .map(entries)
  }
}

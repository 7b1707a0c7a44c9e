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
    case .noAudienceMatch, .placementNotFound, .error: nil
    }
  }
}

// MARK: Asking the rule engine

extension SDKState {
  /// What the placement gives the user now. What the kind of request applies at once is done; the
  /// rest is left to ``apply(_:_:)``.
  ///
  /// - Parameter event: when the placement itself was put into the history, if it was.
  mutating func decide(
    _ placement: String, params: Value, for kind: RequestKind, isFeatureGatable: Bool = false,
    event: Int64? = nil
  ) -> PlacementDecision {
    let (outcome, effects) = ask(placement, params, isFeatureGatable, event)
    let decision = PlacementDecision(
      placement: placement, outcome: outcome,
      effects: EffectTable.tollgate.applied(of: effects, outcome, for: kind))
    apply(decision, .atOnce)
    return decision
  }

  /// Does what a decision wants done at a time.
  mutating func apply(_ decision: PlacementDecision, _ time: AppliedEffect.Time) {
    for applied in decision.effects where applied.time == time {
      switch applied.effect {
      case .storeAssignment(let experimentID, _):
        if let variant = decision.experiment?.variant { store(variant, of: experimentID) }
      case .confirmAssignment(let experimentID, _): confirmAssignment(of: experimentID)
      case .recordOccurrence(let limit): remember(.occurrence(key: limit.key, at: now))
      case .fireTrigger:
        track(.triggerFire(placement: decision.placement, TriggerResult(decision.outcome)))
      }
    }
  }

  private mutating func ask(
    _ placement: String, _ params: Value, _ isFeatureGatable: Bool, _ event: Int64?
  ) -> (Decision.Outcome, [Decision.Effect]) {
    guard let rules = config?.rules, rules.placement(named: placement) != nil else {
      return (.placementNotFound, [])
    }
    if hidesPaywalls { return (.noAudienceMatch, []) }
    var frame = Frame(for: rules.program)
    let params = PlacementParams.make(
      placement: placement, custom: params,
      isStandardEvent: SuperwallEventName.isReserved(placement),
      isFeatureGatable: isFeatureGatable, sessionID: session.id)
    fill(&frame, params: params, placement: event.map { (placement, $0) })
    let decision = rules.decide(
      placement, frame: &frame, state: decisionState, assigner: .draw(entropy.fraction()))
    return (decision.outcome, decision.effects)
  }

  /// Whether nobody who is subscribed sees a paywall (decision D17).
  var hidesPaywalls: Bool { options.paywalls.hideWhenSubscribed && stored.status.isActive }

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
      subjectID: subjectID, now: now, assignments: stored.assignments,
      occurrences: history.forDeciding, entitlements: stored.status.entitlements.map(\.id),
      sessionStart: session.start)
  }

  private var userForRules: Value {
    guard case .map(var entries) = userAttributes else { return .map([]) }
    entries.append(.init(key: "isLoggedIn", value: .bool(stored.appUserID != nil)))
    return .map(entries)
  }
}

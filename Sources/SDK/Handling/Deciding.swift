internal import Expressions
internal import RuleEngine

// MARK: Asking the rule engine

extension SDKState {
  /// Decides a placement for the current user. Effects that the kind of request applies immediately are carried out.
  /// The remaining effects are left to ``apply(_:_:)``.
  ///
  /// - Parameter event: the time at which the placement was added to the history, or nil.
  mutating func decide(
    _ placement: String, params: Value, for kind: RequestKind, isFeatureGatable: Bool = false,
    event: Instant? = nil
  ) -> PlacementDecision {
    let (outcome, effects) = ask(placement, params, isFeatureGatable, event)
    let decision = PlacementDecision(
      placement: placement, outcome: outcome,
      effects: EffectTable.tollgate.applied(of: effects, outcome, for: kind))
    apply(decision, .atOnce)
    return decision
  }

  /// Carries out the effects of a decision that apply at a certain time.
  mutating func apply(_ decision: PlacementDecision, _ time: AppliedEffect.Time) {
    for applied in decision.effects where applied.time == time {
      switch applied.effect {
      case .storeAssignment(let experimentID, _):
        if let variant = decision.experiment?.variant { person.store(variant, of: experimentID) }
      case .confirmAssignment(let experimentID, _): confirmAssignment(of: experimentID)
      case .recordOccurrence(let limit): remember(.occurrence(key: limit.key, at: now))
      case .fireTrigger:
        track(.triggerFire(placement: decision.placement, result: TriggerResult(decision.outcome)))
      }
    }
  }

  private mutating func ask(
    _ placement: String, _ params: Value, _ isFeatureGatable: Bool, _ event: Instant?
  ) -> (Decision.Outcome, [Decision.Effect]) {
    guard let runner = catalog.runner, runner.rules.placement(named: placement) != nil else {
      return (.placementNotFound, [])
    }
    if hidesPaywalls { return (.noAudienceMatch, []) }
    let params = PlacementParams(
      placement: placement, custom: params,
      isStandardEvent: SuperwallEventName.isReserved(placement),
      isFeatureGatable: isFeatureGatable, sessionID: usage.session.id
    ).value
    let assigner = Assigner.draw(entropy.fraction())
    let state = decisionState
    let decision = run(runner, params: params, placement: event.map { (placement, $0) }) {
      $0.decide(placement, frame: &$1, state: state, assigner: assigner)
    }
    return (decision.outcome, decision.effects)
  }

  /// Whether users with an active status see no paywall.
  var hidesPaywalls: Bool { options.paywalls.hideWhenSubscribed && ownership.status.isActive }

  /// Runs rules on the current state.
  ///
  /// - Parameter placement: the placement that is decided, and the time at which the placement was added to the
  ///   history.
  mutating func run<Result>(
    _ runner: RuleRunner, params: Value, placement: (name: String, time: Instant)? = nil,
    _ body: (RuleSet, inout Frame) -> Result
  ) -> Result {
    let (stored, device, history) = (stored, deviceAttributes, history)
    let context = RuleContext(
      user: .init(attribute: { stored.user(named: $0) }, all: { stored.userForRules }),
      device: .init(attribute: { device.value(named: $0) }, all: { device.all() }),
      params: params,
      events: {
        let (now, zone) = (device.now, device.facts.timeZone)
        let clock = HistoryClock(now: now, timeZone: zone) ?? HistoryClock(now: now)
        return (history.eventHistory(of: runner.needs), clock)
      }, placement: placement)
    let (result, hadRoom) = runner.run(in: context, body)
    if !hadRoom { log(.warn, .placements, "the attributes are too large for the rules") }
    return result
  }
}

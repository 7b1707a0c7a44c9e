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
  mutating func decide(_ placement: String, params: Value, isFeatureGatable: Bool = false)
    -> PlacementDecision
  {
    guard let rules = config?.rules, rules.placement(named: placement) != nil else {
      return PlacementDecision(.placementNotFound)
    }
    if options.paywalls.hideWhenSubscribed, stored.status.isActive {
      return PlacementDecision(.noAudienceMatch)
    }
    var frame = Frame(for: rules.program)
    let context = Value.object([
      "user": userForRules, "device": deviceAttributes(),
      "params": self.params(params, placement, isFeatureGatable: isFeatureGatable),
    ])
    do throws(EvaluationError) {
      try frame.fill(context)
    } catch {
      // Attributes past the memory limit count as not there: rules that read them do not match.
      log(.warn, .placements, "the attributes are too large for the rules")
      frame.reset()
    }
    let state = DecisionState(
      subjectID: subjectID, now: now,
      assignments: stored.assignments.map {
        .init(experimentID: $0.experimentID, variantID: $0.variant.id)
      }, occurrences: history.forDeciding)
    let decision = rules.decide(
      placement, frame: &frame, state: state, assigner: .draw(entropy.fraction()))
    return PlacementDecision(decision.outcome, decision.effects)
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

  /// The app's params without what rules cannot read (names with `$`, nulls, lists), and the SDK's
  /// own about the placement.
  private func params(_ params: Value, _ placement: String, isFeatureGatable: Bool) -> Value {
    var all: [String: Value] = [:]
    for member in params.members ?? [] where !member.key.hasPrefix("$") {
      switch member.value {
      case .null, .list: continue
      default: all[member.key] = member.value
      }
    }
    all["$is_standard_event"] = .bool(SuperwallEventName.isReserved(placement))
    all["$event_name"] = .string(placement)
    all["event_name"] = .string(placement)
    all["$is_feature_gatable"] = .bool(isFeatureGatable)
    return .members(all)
  }
}

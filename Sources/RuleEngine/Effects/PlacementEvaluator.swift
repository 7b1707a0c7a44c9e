public import Expressions

/// Evaluates placements for one subject, and stores the resulting assignments.
///
/// ```swift
/// let audience = Audience(
///   index: 0, experimentID: "long-texts", expression: "params.pages > 10",
///   variants: [Variant(id: "v1", kind: .treatment, weight: 100, paywallID: "export")])
/// let config = Config(placements: [Placement(name: "export_pdf", audiences: [audience])])
/// var evaluator = PlacementEvaluator(
///   ruleSet: try RuleSet.compile(config).get(), subjectID: "user-1",
///   attributes: ["user": ["plan": "free"], "device": ["country": "DE"]])
/// let now: Instant = 1_772_366_400_000
/// evaluator.presentationResult("export_pdf", params: ["pages": 12], now: now).type  // "Paywall"
/// evaluator.assignments.map(\.variantID)  // ["v1"]
/// ```
///
/// This type is for callers that need only the results. The evaluator uses no clock, network or storage: the caller
/// passes the time, and stores ``assignments`` and ``occurrences``.
public struct PlacementEvaluator: ~Copyable {
  private let ruleSet: RuleSet
  private let assigner: Assigner
  private var frame: Frame
  private var derivation: DeviceDerivation?
  /// The subject's attributes, a map with the members `user` and `device`.
  public var attributes: Value
  /// The subject's events, which rules can ask about.
  public var events = EventHistory()
  /// The ID of the subject.
  public let subjectID: String
  /// The subject's assignments, both from the caller and from this evaluator's decisions.
  public private(set) var assignments: [Assignment]
  /// Occurrences by key.
  public private(set) var occurrences: [DecisionState.Occurrences]

  public init(
    ruleSet: RuleSet, subjectID: String, attributes: Value,
    assignments: [Assignment] = [], occurrences: [DecisionState.Occurrences] = [],
    assigner: Assigner = .hash(salt: "")
  ) {
    self.ruleSet = ruleSet
    self.subjectID = subjectID
    self.attributes = attributes
    self.assignments = assignments
    self.occurrences = occurrences
    self.assigner = assigner
    frame = Frame(for: ruleSet.program)
    derivation = DeviceDerivation(ruleSet, at: HistoryClock(now: 0))
  }

  /// The result that a placement would have now. No paywall is presented and no occurrence is counted. The resulting
  /// assignment is stored, so that the next result is the same.
  ///
  /// - Parameters:
  ///   - placement: the placement's name.
  ///   - params: the placement's parameters, a map.
  ///   - now: the current time.
  public mutating func presentationResult(
    _ placement: String, params: Value = .map([]), now: Instant
  ) -> PresentationResult {
    let decision = decide(placement, params: params, now: now)
    apply(decision, for: .getPresentationResult, now: now)
    return PresentationResult(TriggerResult(decision.outcome))
  }

  /// Decides without storing anything.
  public mutating func decide(_ placement: String, params: Value = .map([]), now: Instant)
    -> Decision
  {
    var entries: [Value.Entry] = []
    if case .map(let roots) = attributes { entries = roots }
    entries.append(Value.Entry(key: "params", value: params))
    do throws(EvaluationError) {
      let clock = HistoryClock(now: now)
      try frame.fill(.map(entries))
      derivation?.clock = clock
      derivation?.fill(&frame)
      try ruleSet.answer(events, at: clock, in: &frame)
    } catch {
      // Attributes past the memory limit count as missing, so rules that read them do not match.
      frame.reset()
    }
    let state = DecisionState(
      subjectID: subjectID, now: now, assignments: assignments, occurrences: occurrences)
    return ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner)
  }

  /// Applies the effects of a decision whose paywall was presented, or whose holdout was applied.
  public mutating func apply(_ decision: Decision, now: Instant) {
    apply(decision, for: .presentation, now: now)
  }

  private mutating func apply(_ decision: Decision, for kind: RequestKind, now: Instant) {
    for applied in decision.effects(for: kind) {
      switch applied.effect {
      case .storeAssignment(let experiment, let variant): store(experiment, variant)
      case .recordOccurrence(let limit): record(limit.key, now)
      case .confirmAssignment, .fireTrigger: break
      }
    }
  }

  private mutating func store(_ experimentID: String, _ variantID: String) {
    assignments.removeAll { $0.experimentID.utf8.elementsEqual(experimentID.utf8) }
    assignments.append(
      Assignment(experimentID: experimentID, variantID: variantID))
  }

  private mutating func record(_ key: String, _ now: Instant) {
    if let known = occurrences.firstIndex(where: { $0.key.utf8.elementsEqual(key.utf8) }) {
      occurrences[known].times.append(now)
    } else {
      occurrences.append(DecisionState.Occurrences(key: key, times: [now]))
    }
  }
}

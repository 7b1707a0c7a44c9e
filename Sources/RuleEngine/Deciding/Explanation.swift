public import Expressions

/// A decision explained step by step: all audiences, the clauses and compared values of each audience that was tried,
/// and how the variant was chosen.
public struct Explanation: Sendable {
  /// One audience.
  public struct Audience: Sendable {
    public var step: Decision.Step
    public var id: String?
    public var name: String?
    /// The source of the condition. Nil matches every user.
    public var expression: String?
    /// The clauses of the condition, in source order; empty if the audience was not tried.
    public var clauses: [Clause]
    /// The error that prevents the audience from matching, or nil.
    public var error: RuleError?
    /// The operand of `&&` that is already false, if the condition fails only because the other operand is also
    /// evaluated.
    package var falseOperand: String?
    /// Clauses in which a missing attribute decided whether the condition is true, and the result.
    package var missing: [(clause: StandInProgram.Clause, holds: Bool)] = []
    /// The occurrence limit, and the times of the occurrences that count now, in order.
    public var limit: OccurrenceLimit?
    public var occurrences: [Instant]
    /// The audience is skipped for owners of this entitlement.
    public var entitlementGuard: String?
    /// The time of the decision, and the time zone in which the explanation writes times.
    package var clock: HistoryClock
  }

  public var decision: Decision
  public var state: DecisionState
  /// The method that chooses a variant if the subject has no stored assignment.
  public var assigner: Assigner
  public var audiences: [Audience]
  /// The possible outcomes of the audience that decided; empty if no audience decided.
  public var shares: [Distribution.Share]
  /// The subject's draw, if a draw chose its variant.
  package var draw: VariantDraw?
  /// The subject's purchases, if its record contains them.
  package var ownership: Ownership?
}

extension Explanation {
  /// Shows the nulls of a record as null, whatever values the SDK converts nulls to.
  package mutating func showNulls(of record: Value) {
    for index in audiences.indices { audiences[index].showNulls(of: record) }
  }
}

extension Explanation.Audience {
  /// Shows the nulls of a record as null. The SDK for iOS converts nulls to empty maps, which would confuse readers.
  package mutating func showNulls(of record: Value) {
    for index in clauses.indices { clauses[index].showNulls(of: record) }
  }
}

extension Clause {
  fileprivate mutating func showNulls(of record: Value) {
    for index in attributes.indices where attributes[index].value == .map([]) {
      let names = attributes[index].path.names
      let written = names.reduce(Optional(record)) { value, name in value?[name] }
      guard written == .null else { continue }
      attributes[index].value = .null
      attributes[index].isMapForNull = true
    }
  }
}

extension RuleSet {
  /// Decides a placement, and explains the decision. The first arguments are the same as for
  /// ``decide(_:frame:state:assigner:)``. Times are written in the time zone of the clock, or in UTC if the clock is
  /// nil.
  public func explain(
    _ placement: String, frame: inout Frame, state: DecisionState, assigner: Assigner,
    clock: HistoryClock? = nil
  ) -> Explanation {
    let clock = clock ?? HistoryClock(now: state.now)
    let decision = decide(placement, frame: &frame, state: state, assigner: assigner)
    let steps = steps(placement, frame: &frame, state: state)
    var audiences: [Explanation.Audience] = []
    for step in steps {
      audiences.append(audience(step, isTried: step.reason.isTried, frame: &frame, state, clock))
    }
    let shares = decision.rule == nil ? [] : distribution(of: decision, assigner: assigner).shares
    return Explanation(
      decision: decision, state: state, assigner: assigner, audiences: audiences, shares: shares,
      draw: VariantDraw(of: decision, subjectID: state.subjectID, assigner))
  }

  /// Explains one audience of a placement, as if it were the first audience. Times are written in the time zone of the
  /// clock, or in UTC if the clock is nil.
  ///
  /// - Returns: the explanation, or nil if the placement has no audience with this index.
  public func explain(
    audience index: Int, of placement: String, frame: inout Frame, state: DecisionState,
    clock: HistoryClock? = nil
  ) -> Explanation.Audience? {
    guard let number = self.placement(named: placement),
      let rule = placements[number].rules.first(where: { rules[$0].audience.index == index })
    else { return nil }
    let step = step(ofRule: rule, frame: &frame, state: state)
    return audience(
      step, isTried: true, frame: &frame, state, clock ?? HistoryClock(now: state.now))
  }

  private func audience(
    _ step: Decision.Step, isTried: Bool, frame: inout Frame, _ state: DecisionState,
    _ clock: HistoryClock
  ) -> Explanation.Audience {
    let rule = rules[step.rule]
    let audience = rule.audience
    var clauses: [Clause] = []
    var error: RuleError?
    var falseOperand: String?
    if isTried, !rule.isBroken, let entry = rule.entry {
      clauses = program.clauses(of: entry, in: &frame)
      if case .expressionError = step.reason {
        error = self.error(ofRule: step.rule, frame: &frame)
        falseOperand = program.falseOperand(before: clauses, of: entry)
      }
    }
    let text =
      audience.isEverybody
      ? nil : audience.expression ?? rule.entry.map { program.sources[$0.source] }
    return Explanation.Audience(
      step: step, id: audience.id, name: audience.name, expression: text, clauses: clauses,
      error: error, falseOperand: falseOperand,
      missing: isTried
        ? missing(ofRule: step.rule, holds: step.reason.holds, storage.standIns, frame) : [],
      limit: audience.occurrenceLimit,
      occurrences: audience.occurrenceLimit.map { state.counted(for: $0) } ?? [],
      entitlementGuard: audience.entitlementGuard, clock: clock)
  }
}

extension RuleSet {
  /// Clauses of a rule that were decided by a missing attribute.
  func missing(
    ofRule rule: Int, holds: Bool, _ standIns: StandInProgram?, _ frame: borrowing Frame
  ) -> [(clause: StandInProgram.Clause, holds: Bool)] {
    guard let standIns, rules[rule].condition >= 0 else { return [] }
    var scratch = Frame(for: standIns.program)
    return standIns.decisive(Int(rules[rule].condition), holds: holds, in: frame, &scratch).map {
      (standIns.clauses[$0], holds)
    }
  }
}

extension Decision.Reason {
  /// Whether the condition is true.
  var holds: Bool {
    switch self {
    case .matched, .occurrenceLimit: true
    case .expressionFalse, .expressionError, .expressionBroken, .entitled, .undecidable,
      .notReached:
      false
    }
  }

  /// Whether the condition was evaluated.
  package var isTried: Bool {
    switch self {
    case .notReached, .entitled, .expressionBroken, .undecidable: false
    case .matched, .expressionFalse, .expressionError, .occurrenceLimit: true
    }
  }

  /// The reason's name in results.
  public var code: String {
    switch self {
    case .matched: "matched"
    case .expressionFalse: "expressionFalse"
    case .expressionError, .expressionBroken: "expressionError"
    case .occurrenceLimit: "occurrenceLimit"
    case .entitled: "entitled"
    case .undecidable: "undecidable"
    case .notReached: "notReached"
    }
  }
}

extension Decision.Outcome {
  /// The name of the result: the outcome, or the reason why a matching audience shows no paywall. The set of names is
  /// closed.
  public var code: String {
    switch self {
    case .paywall: "paywall"
    case .holdout: "holdout"
    case .noAudienceMatch: "noAudienceMatch"
    case .placementNotFound: "placementNotFound"
    case .error(.noVariants): "noVariants"
    case .error(.variantWithoutPaywall): "variantWithoutPaywall"
    case .error(.noExperiment): "noExperiment"
    case .error(.experimentNotRunning): "experimentNotRunning"
    case .error(.abortsApp): "abortsApp"
    case .error(.configRejected): "configRejected"
    case .undecidable: "undecidable"
    }
  }
}

public import Expressions

extension Decision {
  /// The reason why an audience matches or not. The set of reasons is closed and stable.
  public enum Reason: Hashable, Sendable {
    case matched
    /// The condition is false, or its value is not a boolean but has the type `valueType`.
    case expressionFalse(valueType: String?)
    case expressionError(EvaluationError)
    /// The expression does not compile.
    case expressionBroken
    /// The condition is in a language that only the device evaluates.
    case undecidable
    case occurrenceLimit(count: Int, limit: OccurrenceLimit)
    /// The subject owns the entitlement whose owners skip the audience.
    case entitled(String)
    case notReached
  }

  /// The result for one audience. Audiences after the deciding audience have no step.
  public struct Step: Hashable, Sendable {
    /// The position of the audience in its placement, from 0.
    public var index: Int
    public var experimentID: String
    public var reason: Reason
    /// Number of the rule in its rule set.
    package var rule: Int
  }
}

extension RuleSet {
  /// The reasons why each audience of a placement matches or not, in order, up to the audience that decides. Empty if
  /// the config does not contain the placement.
  ///
  /// The arguments are the same as for ``decide(_:frame:state:assigner:)``, which tries the audiences in the same way.
  public func steps(_ placement: String, frame: inout Frame, state: DecisionState)
    -> [Decision.Step]
  {
    guard let number = self.placement(named: placement) else { return [] }
    let rules = storage.placements[number].rules
    var walk = RecordingWalk(ruleSet: self, rules: rules)
    _ = storage.table.firstMatch(of: rules, program, in: &frame, state, &walk)
    return zip(rules, walk.reasons).map { step($0, $1) }
  }

  /// The results of a placement's rules, without the rules' names, because creating the names takes longer than running
  /// the rules.
  package func reasons(ofPlacement number: Int, frame: inout Frame, state: DecisionState)
    -> [Decision.Reason]
  {
    let rules = storage.placements[number].rules
    var walk = RecordingWalk(ruleSet: self, rules: rules)
    _ = storage.table.firstMatch(of: rules, program, in: &frame, state, &walk)
    return walk.reasons
  }

  /// The rule of a placement that decides, if no condition ends the app and all rules are decidable.
  package func firstMatch(ofPlacement number: Int, frame: inout Frame, state: DecisionState) -> Int?
  {
    storage.table.firstMatch(of: storage.placements[number].rules, program, in: &frame, state)
  }

  /// The result of one rule, regardless of earlier rules.
  package func step(ofRule rule: Int, frame: inout Frame, state: DecisionState) -> Decision.Step {
    var walk = RecordingWalk(ruleSet: self, rules: rule..<rule + 1)
    _ = storage.table.firstMatch(of: rule..<rule + 1, program, in: &frame, state, &walk)
    return step(rule, walk.reasons[0])
  }

  private func step(_ rule: Int, _ reason: Decision.Reason) -> Decision.Step {
    let audience = rules[rule].audience
    return Decision.Step(
      index: audience.index, experimentID: audience.experimentID, reason: reason, rule: rule)
  }
}

/// Records why each audience did not match.
private struct RecordingWalk: RuleWalk {
  let ruleSet: RuleSet
  /// The reasons, one for each rule of the placement, in order.
  var reasons: [Decision.Reason]
  private let first: Int
  private var finder: FailureFinder
  /// Whether a rule has terminated the app. No later rule is tried.
  private var isOver = false

  init(ruleSet: RuleSet, rules: Range<Int>) {
    self.ruleSet = ruleSet
    first = rules.lowerBound
    finder = FailureFinder(ruleSet.program)
    reasons = Array(repeating: .notReached, count: rules.count)
  }

  mutating func holds(_ rule: Int, at start: UInt32, _ program: Program, in frame: inout Frame)
    -> Bool
  {
    if isOver { return false }
    isOver = ruleSet.storage.endsApp(reading: rule)
    // Copying a rule takes longer than evaluating its condition.
    guard !ruleSet.storage.rules[rule].isBroken, let entry = ruleSet.storage.rules[rule].entry
    else {
      reasons[rule - first] = .expressionBroken
      return false
    }
    let value = program.condition(entry, in: &frame)
    if ruleSet.storage.aborts, let failure = finder.failure(value, in: frame) {
      isOver = ruleSet.storage.endsApp(failure)
    }
    if value.tag == Tag.fault {
      reasons[rule - first] = .expressionError(EvaluationError(fault: value))
    } else if value != .true {
      let type = value.tag == Tag.bool ? nil : Tag.typeName(value.tag)
      reasons[rule - first] = .expressionFalse(valueType: type)
    }
    return value == .true
  }

  mutating func reached(_ rule: Int) {}

  mutating func passedOver(_ rule: Int) {
    if isOver { return }
    let audience = ruleSet.rules[rule].audience
    reasons[rule - first] = .entitled(audience.entitlementGuard ?? "")
  }

  mutating func matched(_ rule: Int) {
    if isOver { return }
    reasons[rule - first] = ruleSet.rules[rule].isUndecidable ? .undecidable : .matched
  }

  mutating func heldBack(_ rule: Int, count: Int) {
    guard !isOver, let limit = ruleSet.rules[rule].audience.occurrenceLimit else { return }
    reasons[rule - first] = .occurrenceLimit(count: count, limit: limit)
  }
}

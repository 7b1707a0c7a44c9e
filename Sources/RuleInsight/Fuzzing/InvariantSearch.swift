internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Finds out whether any user violates the invariants over decisions. For each possible outcome of
/// a placement it asks whether a user exists that gets the outcome and violates the invariant.
struct InvariantSearch {
  enum Answer: Sendable, Equatable {
    /// No user violates the invariant.
    case proof
    /// No user with attributes of the usual types violates the invariant.
    case usualProof
    case unknown
  }

  /// A possible outcome of a placement, and the rule that leads to it.
  private struct Outcome {
    var rule: Int?
    var value: Value
  }

  private let ruleSet: RuleSet
  private let invariants: [RuleInvariant]
  private let explored: [ExploredPlacement]
  let model: ConditionModel
  private let now: Instant
  let kinds: UsualKinds
  /// For each invariant, the numbers of its conditions in the model.
  private var conditions: [(when: Int?, holds: Int)] = []
  /// For each entitlement, the condition that the user owns it.
  private var guards: [String: Int] = [:]

  private static let budget = 20_000
  /// The maximum number of outcomes to ask about for one invariant, and the maximum number that
  /// depend on the rules.
  private static let mostQuestions = 4_000
  private static let mostJoint = 400

  init(
    _ ruleSet: RuleSet, _ invariants: [RuleInvariant], _ explored: [ExploredPlacement],
    now: Instant
  ) {
    self.ruleSet = ruleSet
    self.invariants = invariants
    self.explored = explored
    self.now = now
    var sources: [ConditionModel.Source] = []
    for invariant in invariants {
      var when: Int?
      if let text = invariant.when {
        when = sources.count
        sources.append(.expression(text))
      }
      conditions.append((when, sources.count))
      sources.append(.expression(invariant.holds))
    }
    for entitlement in ruleSet.rules.compactMap({ $0.audience.entitlementGuard })
    where guards[entitlement] == nil {
      guards[entitlement] = sources.count
      sources.append(.expression("\(Value.string(entitlement).json) in entitlements"))
    }
    model = ConditionModel(RuleInvariant.environment, sources)
    kinds = UsualKinds([model] + explored.prefix(1).map { $0.model })
  }

  /// Values of attributes that the invariants distinguish.
  var candidates: [ConditionSpace.Candidate] {
    ConditionSpace(model, roots: model.conditions.map { $0.root }).candidates.filter {
      !["outcome", "shown", "now"].contains($0.path.first ?? "outcome")
    }
  }

  /// A user that the invariant's `when` applies to, whatever the outcome is.
  func meant(_ number: Int) -> Value? {
    guard let when = conditions[number].when else { return nil }
    let root = model.conditions[when].root
    let space = ConditionSpace(model, roots: [root])
    let goals = [ConditionSpace.Goal(root, .true)]
    guard case .witness(let witness) = space.answer(goals, budget: Self.budget),
      case .map(let roots) = witness.attributes
    else { return nil }
    let kept = roots.filter { !["outcome", "shown", "now"].contains($0.key.text) }
    let user = Value.Entry(key: "userId", value: .string(WitnessRecord.userID))
    return .map([user] + kept)
  }

  /// - Parameters:
  ///   - placements: the placements that the invariant applies to.
  ///   - breaks: whether a user violates the invariant at a placement, according to a decision.
  func answer(
    _ number: Int, at placements: [Int], breaks: (_ record: Value, _ placement: Int) -> Bool
  ) -> Answer {
    guard invariants[number].span == .decision else { return .unknown }
    var isProof = true
    var isWide = true
    var (questions, joint) = (0, 0)
    for placement in placements {
      for outcome in outcomes(placement) {
        questions += 1
        guard questions <= Self.mostQuestions, joint <= Self.mostJoint else { return .unknown }
        switch ask(number, placement, explored[placement], outcome, &joint, breaks) {
        case .proof: continue
        case .usualProof: isWide = false
        case .unknown: isProof = false
        }
      }
    }
    return isProof ? (isWide ? .proof : .usualProof) : .unknown
  }

  private func outcomes(_ placement: Int) -> [Outcome] {
    let compiled = ruleSet.placements[placement]
    func value(_ outcome: Decision.Outcome, _ rule: RuleSet.Rule?) -> Value {
      InvariantJudge.outcome(outcome, placement: compiled.name, audience: rule?.audience.index)
    }
    var outcomes = [Outcome(rule: nil, value: value(.noAudienceMatch, nil))]
    for number in compiled.rules where takes(number) {
      let rule = ruleSet.rules[number]
      var choices: [Int?] = rule.audience.variants.indices.map { $0 }
      if choices.isEmpty || rule.audience.variants.allSatisfy({ $0.weight <= 0 }) {
        choices.append(nil)
      }
      for choice in choices {
        let made = Outcome(rule: number, value: value(rule.outcome(choice), rule))
        if !outcomes.contains(where: { $0.rule == number && $0.value == made.value }) {
          outcomes.append(made)
        }
      }
    }
    return outcomes
  }

  private func takes(_ rule: Int) -> Bool {
    let compiled = ruleSet.rules[rule]
    if let limit = compiled.audience.occurrenceLimit, limit.maxCount <= 0 { return false }
    return !compiled.isBroken
  }

  private func ask(
    _ number: Int, _ placement: Int, _ seen: ExploredPlacement, _ outcome: Outcome,
    _ joint: inout Int, _ breaks: (Value, Int) -> Bool
  ) -> Answer {
    let rules = ruleSet.placements[placement].rules
    let last = outcome.rule ?? rules.upperBound
    var sparing: [Int] = []
    for earlier in rules.lowerBound..<last where takes(earlier) {
      let audience = ruleSet.rules[earlier].audience
      if audience.occurrenceLimit != nil || audience.entitlementGuard != nil { continue }
      // An audience that matches every user lets no user pass.
      guard let condition = seen.conditions[earlier - rules.lowerBound] else { return .proof }
      if !sparing.contains(condition) { sparing.append(condition) }
    }
    var goals: [ConditionSpace.Goal] = []
    if let condition = outcome.rule.flatMap({ seen.conditions[$0 - rules.lowerBound] }) {
      goals.append(ConditionSpace.Goal(seen.model.conditions[condition].root, .true))
    }
    let (when, holds) = conditions[number]
    var claims = [ConditionSpace.Goal(model.conditions[holds].root, .notTrue)]
    if let when { claims.append(ConditionSpace.Goal(model.conditions[when].root, .true)) }
    if let owners = outcome.rule.flatMap({ ruleSet.rules[$0].audience.entitlementGuard }),
      let condition = guards[owners]
    {
      claims.append(ConditionSpace.Goal(model.conditions[condition].root, .notTrue))
    }
    var pinned: [[String]: Value] = [["now"]: .string(now.text ?? "")]
    if ruleSet.format == .superwall {
      let utc = ClockText(now)
      pinned[["device", "utcDate"]] = .string(utc.date)
      pinned[["device", "utcTime"]] = .string(utc.time)
      pinned[["device", "utcDateTime"]] = .string(
        utc.utcDateTime(on: ruleSet.language.platform))
    }
    for member in RuleInvariant.outcomeMembers {
      pinned[["outcome", member]] = outcome.value[member] ?? .null
    }
    func space(_ roots: [Int]) -> JointSpace {
      JointSpace(
        seen.model, roots: roots, claims: model, claimRoots: claims.map { $0.node }, pinned: pinned,
        lists: [["entitlements"]], kinds: kinds)
    }
    // The proof may need no rules, because the outcome itself satisfies the invariant for every user.
    if space([]).isProved(claims, budget: Self.budget) { return .proof }
    joint += 1
    let question = ConditionSpace.Question(goals, sparing: sparing)
    let whole = space(goals.map { $0.node } + sparing.map { seen.model.conditions[$0].root })
    func answer(isUsual: Bool) -> JointSpace.Answer {
      whole.answer(question, claims, isUsual: isUsual, budget: Self.budget) { witness in
        let record = self.record(witness, upTo: last, in: placement, seen)
        return breaks(record, placement)
      }
    }
    guard case .proof = answer(isUsual: true) else { return .unknown }
    // On a platform, other types give no proof, because not all strings that the platform converts
    // are known.
    guard ruleSet.language.platform == nil, case .proof = answer(isUsual: false) else {
      return .usualProof
    }
    return .proof
  }

  /// The user of a context, with a history that lets it reach a rule.
  private func record(
    _ witness: AnalysisWitness, upTo last: Int, in placement: Int, _ seen: ExploredPlacement
  ) -> Value {
    let rules = ruleSet.placements[placement].rules
    let before = (rules.lowerBound..<last).filter { takes($0) }
    let conditions = before.compactMap { seen.conditions[$0 - rules.lowerBound] }
    let held = Set(seen.model.held(conditions, for: witness) ?? [])
    var heldBack: [OccurrenceLimit] = []
    var owned: [String] = []
    for rule in before where seen.conditions[rule - rules.lowerBound].map(held.contains) ?? true {
      let audience = ruleSet.rules[rule].audience
      if let limit = audience.occurrenceLimit {
        heldBack.append(limit)
      } else if let owners = audience.entitlementGuard {
        owned.append(owners)
      }
    }
    var record = WitnessRecord(
      witness, heldBack: heldBack, owned: [], platform: ruleSet.language.platform, now: now
    ).value
    if !owned.isEmpty {
      let others = record[UserMember.entitlements.key]?.elements ?? []
      let names = owned.map { Value.string($0) }
      record = record.setting(
        [UserMember.entitlements.key], to: .list(others + names.filter { !others.contains($0) }))
    }
    return record
  }
}

internal import CivilTime
internal import Expressions
internal import Pricing

/// Questions about the audiences of one placement.
struct PlacementAnalysis {
  /// What is answered about a question.
  enum Answer {
    case witness(Value)
    case proof
    case unknown
  }

  /// Steps that all questions about a placement may take, and one of them alone.
  static let budget = 1_500_000
  static let budgetPerQuestion = 100_000

  let ruleSet: RuleSet
  let model: ConditionModel
  /// By rule, the number of its condition in the model.
  let conditionOf: [Int?]
  /// Conditions of the model that hold from now on, whatever else holds.
  let dates: Range<Int>
  /// The placement's rules.
  let rules: Range<Int>
  let name: String
  let now: Instant
  let space: ConditionSpace
  private let decider: WitnessDecider
  private(set) var statistics = RuleAnalysis.Statistics()
  /// An answer to an earlier question, which may answer others.
  private struct Known {
    var witness: AnalysisWitness
    var record: Value
    /// The outcomes of all nodes that are asked about.
    var outcomes: [OutcomeSet]
    /// The last rule for which it was decided.
    var rule: Int
    /// What is used up, and owned.
    var heldBack: [OccurrenceLimit]
    var owned: [String]
    /// Whether nothing is used up and nothing owned.
    var isPlain: Bool { heldBack.isEmpty && owned.isEmpty }
  }

  private var pool: [Known] = []
  private let asked: [Int]
  private let placeOf: [Int: Int]

  init(
    _ ruleSet: RuleSet, _ placement: Int, _ model: ConditionModel, conditionOf: [Int?],
    dates: Range<Int>, _ decider: WitnessDecider, now: Instant
  ) {
    self.decider = decider
    self.ruleSet = ruleSet
    self.model = model
    self.conditionOf = conditionOf
    self.now = now
    rules = ruleSet.placements[placement].rules
    name = ruleSet.placements[placement].name
    self.dates = dates
    var conditions = rules.compactMap { conditionOf[$0] }
    conditions += dates.filter { date in
      conditions.contains { model.sharesAttributes(of: $0, with: date) }
    }
    space = ConditionSpace(model, roots: conditions.map { model.conditions[$0].root })
    var asked: Set<Int> = []
    for condition in conditions {
      asked.insert(model.conditions[condition].root)
      for number in model.conditions[condition].clauses.indices {
        guard let context = model.context(ofClause: number, in: condition) else { continue }
        asked.formUnion(context.map(\.node))
        if let node = model.conditions[condition].clauses[number].node { asked.insert(node) }
      }
    }
    self.asked = asked.sorted()
    placeOf = Dictionary(
      uniqueKeysWithValues: self.asked.enumerated().map { ($0.element, $0.offset) })
  }

  /// Steps that the next question may take.
  var budget: Int { max(0, min(Self.budgetPerQuestion, Self.budget - space.steps)) }

  // MARK: Audiences

  /// What has to be so for a user to get to a rule; nil when nobody does.
  ///
  /// - Parameter isFirstTime: whether no limit has been used up and nobody owns anything.
  func reaching(_ rule: Int, isFirstTime: Bool) -> [ConditionSpace.Goal]? {
    var goals: [ConditionSpace.Goal] = []
    for earlier in rules.lowerBound..<rule where takes(earlier) {
      if !isFirstTime, isPassed(earlier, by: rule) { continue }
      guard let condition = conditionOf[earlier] else { return nil }
      goals.append(ConditionSpace.Goal(model.conditions[condition].root, .notTrue))
    }
    return goals
  }

  /// Whether a rule can take anybody at all.
  func takes(_ rule: Int) -> Bool {
    let compiled = ruleSet.rules[rule]
    if let limit = compiled.audience.occurrenceLimit, limit.maxCount <= 0 { return false }
    return !compiled.isBroken
  }

  /// Whether a rule may have to pass over users who match it and get to a later rule.
  func isPassed(_ earlier: Int, by rule: Int) -> Bool {
    isOwned(earlier, before: rule) || isHeldBack(earlier, before: rule)
  }

  /// Whether users may own what the earlier rule's users must not, and get to a later one.
  private func isOwned(_ earlier: Int, before rule: Int) -> Bool {
    let (first, second) = (ruleSet.rules[earlier].audience, ruleSet.rules[rule].audience)
    return first.entitlementGuard != nil && second.entitlementGuard != first.entitlementGuard
  }

  /// Whether the limit of the earlier rule may be used up for users who get to a later one.
  private func isHeldBack(_ earlier: Int, before rule: Int) -> Bool {
    guard let limit = ruleSet.rules[earlier].audience.occurrenceLimit else { return false }
    guard let other = ruleSet.rules[rule].audience.occurrenceLimit,
      other.key.utf8.elementsEqual(limit.key.utf8)
    else { return true }
    // Who may still get the later one has had less than the earlier one allows.
    return !(other.maxCount <= limit.maxCount && limit.interval.isWithin(other.interval))
  }

  /// The goals of being taken by a rule.
  func taking(_ rule: Int, isFirstTime: Bool) -> [ConditionSpace.Goal]? {
    guard let reaching = reaching(rule, isFirstTime: isFirstTime) else { return nil }
    return [holding(rule)].compactMap { $0 } + reaching
  }

  func holding(_ rule: Int) -> ConditionSpace.Goal? {
    conditionOf[rule].map { ConditionSpace.Goal(model.conditions[$0].root, .true) }
  }

  // MARK: Asking

  /// Looks for a user who gets to a rule, and for whom goals are met.
  mutating func ask(_ goals: [ConditionSpace.Goal], gettingTo rule: Int) -> Answer {
    statistics.questions += 1
    guard budget > 0 else {
      statistics.unknown += 1
      return .unknown
    }
    // Looking at earlier answers takes steps, too.
    space.steps += goals.count + pool.count
    if let known = known(goals, gettingTo: rule) {
      statistics.witnesses += 1
      return .witness(known)
    }
    var found: Known?
    let answer = space.answer(goals, budget: budget) { witness in
      found = verified(witness, gettingTo: rule)
      return found != nil
    }
    switch answer {
    case .witness:
      statistics.witnesses += 1
      guard let found else { return .unknown }
      pool.append(found)
      return .witness(found.record)
    case .proof:
      statistics.proofs += 1
      return .proof
    case .unknown:
      statistics.unknown += 1
      return .unknown
    }
  }

  /// The record of an earlier answer that meets goals, too.
  private mutating func known(_ goals: [ConditionSpace.Goal], gettingTo rule: Int) -> Value? {
    let places = goals.map { (place: placeOf[$0.node], wanted: $0.wanted) }
    for i in pool.indices {
      let isMet = places.allSatisfy { goal in
        goal.place.map { pool[i].outcomes[$0].isSubset(of: goal.wanted) } ?? false
      }
      guard isMet else { continue }
      if pool[i].isPlain, rule <= pool[i].rule { return pool[i].record }
      guard let again = verified(pool[i].witness, gettingTo: rule) else { continue }
      if again.isPlain, pool[i].isPlain { pool[i] = again }
      return again.record
    }
    return nil
  }

  /// What was seen, and users whom each rule takes because of each of its clauses, and in spite of it.
  mutating func explored() -> ExploredPlacement {
    for rule in rules where takes(rule) {
      guard let condition = conditionOf[rule], let taking = taking(rule, isFirstTime: false) else {
        continue
      }
      for number in model.conditions[condition].clauses.indices {
        guard let node = model.conditions[condition].clauses[number].node,
          let context = model.context(ofClause: number, in: condition)
        else { continue }
        let holds = model.holdingClause
        for wanted in [holds, OutcomeSet.any.subtracting(holds)] {
          _ = ask(taking + context + [ConditionSpace.Goal(node, wanted)], gettingTo: rule)
        }
      }
    }
    return ExploredPlacement(
      model: model, space: space, conditions: rules.map { conditionOf[$0] },
      users: pool.map {
        ExploredPlacement.User(
          witness: $0.witness, record: $0.record, heldBack: $0.heldBack, owned: $0.owned)
      })
  }

  func isProved(_ goals: [ConditionSpace.Goal], relaxing: [Int] = []) -> Bool {
    budget > 0 && space.isProved(goals, budget: budget, relaxing: relaxing)
  }

  /// The record of a witness, when deciding it as an ordinary user gives what the analysis says.
  private func verified(_ witness: AnalysisWitness, gettingTo rule: Int) -> Known? {
    space.steps += 2 * asked.count
    guard let outcomes = model.outcomes(of: asked, for: witness) else { return nil }
    func holds(_ rule: Int) -> Bool {
      guard let condition = conditionOf[rule] else { return true }
      return placeOf[model.conditions[condition].root].map { outcomes[$0] == .true } ?? false
    }
    var heldBack: [OccurrenceLimit] = []
    var owned: [String] = []
    for earlier in rules.lowerBound..<rule where takes(earlier) && holds(earlier) {
      let audience = ruleSet.rules[earlier].audience
      if let limit = audience.occurrenceLimit, isHeldBack(earlier, before: rule) {
        heldBack.append(limit)
      } else if let entitlement = audience.entitlementGuard, isOwned(earlier, before: rule) {
        owned.append(entitlement)
      } else {
        return nil
      }
    }
    let record = WitnessRecord(
      witness, heldBack: heldBack, owned: owned, platform: ruleSet.language.platform, now: now)
    guard let reasons = decider.reasons(for: record.value, at: name) else { return nil }
    for (i, reason) in reasons.enumerated() where rules.lowerBound + i <= rule {
      let number = rules.lowerBound + i
      if number < rule, reason == .matched { return nil }
      if number == rule {
        if reason == .notReached || (reason == .matched) != holds(number) { return nil }
      }
    }
    return Known(
      witness: witness, record: record.value, outcomes: outcomes, rule: rule, heldBack: heldBack,
      owned: owned)
  }
}

extension OccurrenceLimit.Interval {
  /// Whether all that counts in this interval counts in another.
  fileprivate func isWithin(_ other: Self) -> Bool {
    switch (self, other) {
    case (_, .infinity): true
    case (.minutes(let own), .minutes(let other)): own <= other
    case (.session, .session): true
    default: false
    }
  }
}

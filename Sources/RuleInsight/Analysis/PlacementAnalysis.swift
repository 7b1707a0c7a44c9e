internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine

/// Questions about the audiences of one placement.
struct PlacementAnalysis {
  /// The answer to a question.
  enum Answer {
    case witness(Value)
    case proof
    case unknown
  }

  /// The step limits: the minimum for all questions about a placement, the additions per audience and per part of a
  /// condition, and the maximum for one question.
  private static let leastBudget = 1_500_000
  private static let budgetPerRule = 10_000
  private static let budgetPerNode = 500
  private static let budgetPerQuestion = 100_000

  let ruleSet: RuleSet
  let model: ConditionModel
  /// The number of each rule's condition in the model.
  let conditionOf: [Int?]
  /// The model's conditions that are true for all devices from now on.
  let dates: Range<Int>
  /// For each condition and clause, the flip for questions about deciding clauses; empty if there
  /// are no such questions.
  let flips: [[ClauseFlip?]]
  private let effort: Int
  private let mostSteps: Int?
  /// Whether witnesses may be users at a later time.
  private let isFromNowOn: Bool
  /// The placement's rules.
  let rules: Range<Int>
  /// The gate of each rule of the placement. Copying audiences for each pair of rules takes longer than the questions.
  private let gates: [Gate]
  /// The distinct conditions of rules that take users, in order.
  private let distinct: [Int]
  /// The conditions that must be false for users to reach a rule.
  private let reached = ReachingConditions()
  /// For each rule of the placement, how many of ``distinct`` come before it; nil after a rule that takes every user.
  private let before: [Int?]
  let name: String
  private let placement: Int
  /// Whether users may pass a rule that matches them.
  let mayBePassed: Bool
  /// For each condition, the first rule of the placement that has it.
  private let firstRules: [Int: Int]
  /// Whether the first matching rule always decides.
  private let isPlain: Bool
  /// Whether conditions alone do not decide, for users that pass no rule.
  private let isUndecided: Bool
  let now: Instant
  let space: ConditionSpace
  private let decider: WitnessDecider
  private(set) var statistics = RuleAnalysis.Statistics()
  /// An answer to an earlier question, which may answer other questions too.
  private struct Known {
    var witness: AnalysisWitness
    var record: Value
    /// The last rule that the user reaches.
    var reach: Int
    /// The limits that are used up, and the entitlements that are owned.
    var heldBack: [OccurrenceLimit]
    var owned: [String]
    /// Whether no limit is used up and no entitlement is owned.
    var isPlain: Bool { heldBack.isEmpty && owned.isEmpty }
    /// The rule for which ``outcomes`` are known.
    var rule: Int?
    var outcomes = NodeOutcomes()
  }

  private var pool: [Known] = []
  /// All users that were found.
  private var users: [ExploredPlacement.User] = []
  private static let mostKnown = 32
  /// The maximum number of known users that are decided again for one question.
  private static let mostVerified = 4
  /// Nodes that all questions are about, if there are few.
  private let asked: [Int]
  private static let mostRulesAtOnce = 64
  /// The last rule of a question, and the earlier conditions that are known to matter to questions
  /// about that rule.
  private var learned: (rule: Int, conditions: [Int])?

  /// - Parameters:
  ///   - flips: by condition, the clause flips that questions are also about.
  ///   - effort: the factor for the usual number of steps.
  ///   - isFromNowOn: whether witnesses may be users at a later time.
  ///   - mostSteps: the most steps of all questions; nil for a number that depends on the length of the conditions.
  init(
    _ ruleSet: RuleSet, _ placement: Int, _ conditions: RuleModel, _ decider: WitnessDecider,
    now: Instant, flips: [[ClauseFlip?]] = [], effort: Int = 1, isFromNowOn: Bool = false,
    mostSteps: Int? = nil
  ) {
    self.mostSteps = mostSteps
    self.isFromNowOn = isFromNowOn
    self.decider = decider
    self.ruleSet = ruleSet
    let (model, conditionOf) = (conditions.model, conditions.conditionOf)
    self.model = model
    self.conditionOf = conditionOf
    dates = conditions.dates
    self.flips = flips
    self.effort = effort
    self.now = now
    rules = ruleSet.placements[placement].rules
    name = ruleSet.placements[placement].name
    self.placement = placement
    let gates = rules.map { Gate(ruleSet.rules[$0]) }
    self.gates = gates
    mayBePassed = gates.contains { $0.mayBePassed }
    firstRules = Dictionary(
      combining: rules.compactMap { rule in conditionOf[rule].map { ($0, rule) } }
    ) { first, _ in first }
    isUndecided =
      ruleSet.storage.aborts || rules.contains { ruleSet.rules[$0].isUndecidable }
    isPlain = !gates.contains { $0.mayBePassed } && !isUndecided
    (distinct, before) = Self.distinct(rules.map { conditionOf[$0] }, gates)
    var asking = rules.compactMap { conditionOf[$0] }
    asking += dates.filter { date in
      asking.contains { model.sharesAttributes(of: $0, with: date) }
    }
    var roots = asking.map { model.conditions[$0].root }
    for condition in Set(asking).sorted() where flips.indices.contains(condition) {
      roots += flips[condition].compactMap { $0 }.flatMap { [$0.whenTrue, $0.whenFalse] }
    }
    space = ConditionSpace(model, roots: roots)
    let isSmall = rules.count <= Self.mostRulesAtOnce
    asked = isSmall ? Set(asking.flatMap { model.nodes(askedAbout: $0) }).sorted() : []
  }

  /// The maximum number of steps for the next question.
  var budget: Int {
    let size = rules.count * Self.budgetPerRule + space.nodes.count * Self.budgetPerNode
    let all = mostSteps ?? effort * max(Self.leastBudget, size)
    let most = effort * (Self.budgetPerQuestion + 20 * rules.count)
    return max(0, min(most, all - space.steps))
  }

  // MARK: Audiences

  /// Whether a rule takes users, and how users pass it.
  private struct Gate {
    /// Whether the rule can match any user at all.
    let takes: Bool
    /// The entitlement whose owners skip the rule.
    let owners: String?
    let limit: OccurrenceLimit?

    var mayBePassed: Bool { owners != nil || limit != nil }
    var passes: ReachingConditions.Way { ReachingConditions.Way(owners: owners, limit: limit) }

    init(_ rule: RuleSet.Rule) {
      owners = rule.audience.entitlementGuard
      limit = rule.audience.occurrenceLimit
      takes = !rule.isBroken && limit?.maxCount ?? 1 > 0
    }
  }

  private static func distinct(_ conditions: [Int?], _ gates: [Gate]) -> ([Int], [Int?]) {
    var (distinct, before): ([Int], [Int?]) = ([], [])
    var seen: Set<Int> = []
    var isClosed = false
    for (condition, gate) in zip(conditions, gates) {
      before.append(isClosed ? nil : distinct.count)
      guard gate.takes else { continue }
      if let condition {
        if seen.insert(condition).inserted { distinct.append(condition) }
      } else {
        isClosed = true
      }
    }
    return (distinct, before)
  }

  /// The conditions that must be false for a user that reaches a rule; nil if no user reaches the rule.
  ///
  /// - Parameter isFirstTime: whether no limit is used up and no entitlement is owned.
  func reaching(_ rule: Int, isFirstTime: Bool) -> [Int]? {
    if isFirstTime || !mayBePassed {
      return before[rule - rules.lowerBound].map { Array(distinct.prefix($0)) }
    }
    return reached.conditions(
      before: rule, in: rules, as: gates[rule - rules.lowerBound].passes
    ) { earlier in
      guard takes(earlier), !isPassed(earlier, by: rule) else { return .passed }
      return conditionOf[earlier].map { .condition($0) } ?? .everyUser
    }
  }

  func firstRule(with condition: Int) -> Int { firstRules[condition] ?? 0 }

  /// Whether a rule can match any user at all.
  func takes(_ rule: Int) -> Bool { gates[rule - rules.lowerBound].takes }

  /// Whether users that match a rule may skip it and reach a later rule.
  func isPassed(_ earlier: Int, by rule: Int) -> Bool {
    isOwned(earlier, before: rule) || isHeldBack(earlier, before: rule)
  }

  /// Whether users may own the entitlement that skips the earlier rule, and reach a later one.
  private func isOwned(_ earlier: Int, before rule: Int) -> Bool {
    let (first, second) = (gates[earlier - rules.lowerBound], gates[rule - rules.lowerBound])
    return first.owners != nil && second.owners != first.owners
  }

  /// Whether the limit of the earlier rule may be used up for users that reach a later one.
  private func isHeldBack(_ earlier: Int, before rule: Int) -> Bool {
    guard let limit = gates[earlier - rules.lowerBound].limit else { return false }
    guard let other = gates[rule - rules.lowerBound].limit else { return true }
    return !other.leavesRoom(for: limit)
  }

  /// The question that finds users that a rule matches; nil if no user reaches the rule.
  func taking(_ rule: Int, isFirstTime: Bool) -> ConditionSpace.Question? {
    reaching(rule, isFirstTime: isFirstTime).map { earlier in
      ConditionSpace.Question([holding(rule)].compactMap { $0 }, sparing: earlier)
    }
  }

  func holding(_ rule: Int) -> ConditionSpace.Goal? {
    conditionOf[rule].map { ConditionSpace.Goal(model.conditions[$0].root, .true) }
  }

  // MARK: Asking

  /// Looks for a user that reaches a rule and meets the goals.
  mutating func ask(_ question: ConditionSpace.Question, gettingTo rule: Int) -> Answer {
    statistics.questions += 1
    guard budget > 0 else {
      statistics.unknown += 1
      statistics.notAsked += 1
      return .unknown
    }
    // Checking earlier answers also takes steps.
    space.steps += question.goals.count + pool.count
    if let known = known(question.goals, gettingTo: rule) {
      statistics.witnesses += 1
      return .witness(known)
    }
    var found: Known?
    var needed = learned(about: rule, question)
    let answer = space.answer(question, &needed, budget: budget) { witness in
      found = verified(witness, gettingTo: rule)
      return found != nil
    }
    learn(needed, about: rule)
    switch answer {
    case .witness:
      statistics.witnesses += 1
      guard var found else { return .unknown }
      if let outcomes = model.outcomes(of: asked, for: found.witness) {
        found.outcomes = NodeOutcomes(asked, outcomes)
      }
      if pool.count == Self.mostKnown { pool.removeFirst() }
      pool.append(found)
      users.append(
        ExploredPlacement.User(
          witness: found.witness, record: found.record, heldBack: found.heldBack,
          owned: found.owned))
      return .witness(found.record)
    case .proof:
      statistics.proofs += 1
      return .proof
    case .unknown:
      statistics.unknown += 1
      return .unknown
    }
  }

  /// Conditions that mattered to earlier questions about a rule.
  private func learned(about rule: Int, _ question: ConditionSpace.Question) -> [Int] {
    guard let learned, learned.rule == rule else { return [] }
    return learned.conditions.filter { question.sparing.contains($0) }
  }

  private mutating func learn(_ conditions: [Int], about rule: Int) {
    var all = learned?.rule == rule ? learned?.conditions ?? [] : []
    for condition in conditions where !all.contains(condition) { all.append(condition) }
    learned = (rule, all)
  }

  /// The record of an earlier answer that also meets the goals.
  private mutating func known(_ goals: [ConditionSpace.Goal], gettingTo rule: Int) -> Value? {
    pool.removeAll { $0.isPlain && $0.reach < rule }
    let goal = holding(rule)
    var verifications = 0
    for i in pool.indices where verifications < Self.mostVerified {
      if asked.isEmpty, pool[i].rule != rule {
        pool[i].rule = rule
        pool[i].outcomes = NodeOutcomes()
      }
      var open: [Int] = []
      let mayBeMet = goals.allSatisfy { goal in
        guard let outcome = pool[i].outcomes[goal.node] else {
          open.append(goal.node)
          return true
        }
        return outcome.isSubset(of: goal.wanted)
      }
      guard mayBeMet else { continue }
      if let goal, pool[i].outcomes[goal.node] == nil { open.append(goal.node) }
      if !open.isEmpty {
        let witness = pool[i].witness
        let known = space.counted { model.outcomes(of: open, for: witness) }
        guard let outcomes = known else { continue }
        for (node, outcome) in zip(open, outcomes) { pool[i].outcomes.add(outcome, of: node) }
        let isMet = goals.allSatisfy {
          pool[i].outcomes[$0.node]?.isSubset(of: $0.wanted) ?? false
        }
        guard isMet else { continue }
      }
      // The decision must agree with the outcome that the model computed from the attributes alone.
      let holds = goal.map { pool[i].outcomes[$0.node] == .true } ?? true
      if pool[i].isPlain, holds == (pool[i].reach == rule) { return pool[i].record }
      verifications += 1
      if let again = verified(pool[i].witness, gettingTo: rule) { return again.record }
    }
    return nil
  }

  /// The results of the analysis, with users for whom each clause of each rule decides by being
  /// true, and users for whom it decides by not being true.
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
          let goals = taking.goals + context + [ConditionSpace.Goal(node, wanted)]
          _ = ask(ConditionSpace.Question(goals, sparing: taking.sparing), gettingTo: rule)
        }
      }
    }
    return ExploredPlacement(
      model: model, space: space, conditions: rules.map { conditionOf[$0] },
      users: users)
  }

  /// Whether it is proved that a question has no answer.
  ///
  /// - Returns: conditions that suffice for the proof; nil if there is no proof.
  func proof(
    _ question: ConditionSpace.Question, gettingTo rule: Int, relaxing: [Int] = []
  ) -> [Int]? {
    var needed = learned(about: rule, question)
    let isProved = space.isProved(question, &needed, budget: budget, relaxing: relaxing)
    return isProved ? needed : nil
  }

  /// Whether it is proved that goals cannot be met.
  func isProved(_ goals: [ConditionSpace.Goal], relaxing: [Int] = []) -> Bool {
    var needed: [Int] = []
    return space.isProved(
      ConditionSpace.Question(goals), &needed, budget: budget, relaxing: relaxing)
  }

  /// The record of a witness, if deciding it as an ordinary user agrees with the analysis.
  private func verified(_ witness: AnalysisWitness, gettingTo rule: Int) -> Known? {
    if isPlain || !isUndecided, let known = verifiedPlainly(witness, gettingTo: rule) {
      return known
    }
    if isPlain { return nil }
    let before = rules.lowerBound..<rule
    space.steps += 4 * before.count
    let conditions = (before.lowerBound...rule).compactMap { conditionOf[$0] }
    let all = space.counted { model.held(conditions, for: witness) }
    guard let held = all.map(Set.init) else { return nil }
    func holds(_ rule: Int) -> Bool { conditionOf[rule].map { held.contains($0) } ?? true }
    var heldBack: [OccurrenceLimit] = []
    var owned: [String] = []
    for earlier in before where takes(earlier) && holds(earlier) {
      let audience = ruleSet.rules[earlier].audience
      if let limit = audience.occurrenceLimit, isHeldBack(earlier, before: rule) {
        heldBack.append(limit)
      } else if let entitlement = audience.entitlementGuard, isOwned(earlier, before: rule) {
        owned.append(entitlement)
      } else {
        return nil
      }
    }
    // The rule's own limit may have a shorter time span than the limits that are used up.
    for history in heldBack.isEmpty ? [.recent] : WitnessRecord.History.allCases {
      let made = WitnessRecord(
        witness, heldBack: heldBack, owned: owned, platform: ruleSet.language.platform, now: now,
        history: history)
      for record in SettledRecord.candidates(
        made.value, reading: ruleSet.storage.derived, keepsOwn: isFromNowOn)
      {
        guard let reasons = decider.reasons(for: record, at: name) else { return nil }
        let reach = reasons.firstIndex(of: .matched) ?? reasons.count
        guard reach >= before.count, reasons.indices.contains(before.count) else { continue }
        let reason = reasons[before.count]
        if reason == .notReached || (reason == .matched) != holds(rule) { continue }
        return Known(
          witness: witness, record: record, reach: rules.lowerBound + reach,
          heldBack: heldBack, owned: owned)
      }
    }
    return nil
  }
}

extension PlacementAnalysis {
  /// Like ``verified(_:gettingTo:)``, for users that pass no rule, so that the first matching rule decides.
  private func verifiedPlainly(_ witness: AnalysisWitness, gettingTo rule: Int) -> Known? {
    space.steps += 2 + (rule - rules.lowerBound) / 2
    let condition = conditionOf[rule].map { [$0] } ?? []
    let all = space.counted { model.held(condition, for: witness) }
    guard let held = all else { return nil }
    let holds = held.count == condition.count
    let made = WitnessRecord(
      witness, heldBack: [], owned: [], platform: ruleSet.language.platform, now: now)
    for record in SettledRecord.candidates(
      made.value, reading: ruleSet.storage.derived, keepsOwn: isFromNowOn)
    {
      guard let first = decider.firstMatch(for: record, at: placement) else { return nil }
      let reach = first ?? rules.upperBound
      guard reach >= rule, (reach == rule) == holds else { continue }
      return Known(witness: witness, record: record, reach: reach, heldBack: [], owned: [])
    }
    return nil
  }
}

/// The outcomes of some nodes.
private struct NodeOutcomes {
  /// The nodes, in ascending order.
  private var nodes: [Int] = []
  private var outcomes: [OutcomeSet] = []

  init() {}

  /// - Parameter nodes: in ascending order.
  init(_ nodes: [Int], _ outcomes: [OutcomeSet]) {
    self.nodes = nodes
    self.outcomes = outcomes
  }

  subscript(node: Int) -> OutcomeSet? {
    let place = place(of: node)
    return place < nodes.count && nodes[place] == node ? outcomes[place] : nil
  }

  mutating func add(_ outcome: OutcomeSet, of node: Int) {
    let place = place(of: node)
    if place < nodes.count, nodes[place] == node { return }
    nodes.insert(node, at: place)
    outcomes.insert(outcome, at: place)
  }

  /// The index of a node, or its insertion point. A search is cheaper than hashing, because there
  /// are few nodes.
  private func place(of node: Int) -> Int {
    var (low, high) = (0, nodes.count)
    while low < high {
      let middle = (low + high) / 2
      if nodes[middle] < node { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

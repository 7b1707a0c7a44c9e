package import Expressions
package import RuleEngine

/// The parts of a config that one user exercises at a placement.
package struct Exercise {
  package var decision: Decision
  package var state: DecisionState
  package fileprivate(set) var points: Set<CoveragePoint> = []
  fileprivate var reached: [Int] = []
  /// The results of the clauses that were evaluated.
  fileprivate var clauses: [(rule: Int, clause: Int, holds: Bool)] = []
}

/// The number of times that tests have exercised each part.
package struct CoverageCounts: Sendable {
  /// The number of times that a clause was true, and the number of times that it was not true.
  package struct Clause: Hashable, Sendable {
    package var holds = 0
    package var fails = 0
  }

  package fileprivate(set) var users = 0
  package fileprivate(set) var points: [CoveragePoint: Int] = [:]
  /// For each rule, the number of users that reached it.
  package fileprivate(set) var reached: [Int]
  /// The counts of each clause, by rule.
  package fileprivate(set) var clauses: [[Clause]]

  package subscript(point: CoveragePoint) -> Int { points[point] ?? 0 }

  mutating func add(_ exercise: Exercise) {
    users += 1
    for point in exercise.points { points[point, default: 0] += 1 }
    for rule in exercise.reached { reached[rule] += 1 }
    for (rule, clause, holds) in exercise.clauses {
      if holds { clauses[rule][clause].holds += 1 } else { clauses[rule][clause].fails += 1 }
    }
  }
}

/// Decides users and records the parts that they exercise.
package final class CoverageCounter {
  package let ruleSet: RuleSet
  let assigner: Assigner
  let texts: TextPlan?
  let rules: RuleModel
  /// For each condition and clause, the condition with the clause inverted.
  let flips: [[ClauseFlip?]]
  /// For each condition and clause, the result of a clause that reads nothing, such as `false` in a
  /// choice.
  private let literals: [[Bool?]]
  /// The limit of each rule. Copying an audience for each user takes longer than deciding.
  private let limits: [OccurrenceLimit?]
  /// For each condition, the numbers of its clauses by their range.
  private var numbers: [Int: [SourceRange: Int]] = [:]
  /// For each slot of the model, the slot of the rules.
  private let slots: [Int?]
  private(set) var frame: Frame
  private var reader: UserRecordReader
  private var clock: HistoryClock
  package private(set) var counts: CoverageCounts
  /// Rules that need no more users. The clauses of these rules are not judged for users that are
  /// decided later.
  private var isClosed: Set<Int> = []

  /// - Parameters:
  ///   - clock: the time for users whose tests have none.
  ///   - texts: the texts to include in the coverage.
  package init(_ ruleSet: RuleSet, assigner: Assigner, clock: HistoryClock, texts: TextPlan? = nil)
  {
    self.ruleSet = ruleSet
    self.assigner = assigner
    self.clock = clock
    self.texts = texts
    rules = RuleModel(ruleSet, now: clock.now)
    limits = ruleSet.rules.map { $0.audience.occurrenceLimit }
    let model = rules.model
    flips = model.conditions.indices.map { model.makeFlips(ofClausesIn: $0) }
    literals = model.conditions.indices.map { condition in
      model.conditions[condition].clauses.indices.map { number in
        guard model.isLiteral(clause: number, of: condition),
          let node = model.conditions[condition].clauses[number].node
        else { return nil }
        return model.outcomes(of: [node], for: .nothing)?[0].isSubset(of: model.holdingClause)
      }
    }
    slots = model.slots(in: ruleSet.program)
    frame = Frame(for: ruleSet.program)
    reader = UserRecordReader(ruleSet, at: clock)
    counts = CoverageCounts(
      reached: Array(repeating: 0, count: ruleSet.rules.count),
      clauses: rules.conditionOf.map { condition in
        let clauses = condition.map { model.conditions[$0].clauses } ?? []
        return Array(repeating: CoverageCounts.Clause(), count: clauses.count)
      })
  }

  /// The clauses of a rule's condition.
  package func clauses(ofRule rule: Int) -> [ConditionModel.ClausePlace] {
    rules.conditionOf[rule].map { rules.model.conditions[$0].clauses } ?? []
  }

  /// The results with which a clause can decide. A clause that reads nothing always has the same
  /// result, and a clause that folding removed never decides.
  func sides(ofClause number: Int, ofRule rule: Int) -> [Bool] {
    guard let condition = rules.conditionOf[rule] else { return [] }
    let clause = rules.model.conditions[condition].clauses[number]
    if clause.node == nil { return clause.isWithinAtom ? [true, false] : [] }
    return literals[condition][number].map { [$0] } ?? [true, false]
  }

  /// Whether a clause of a rule reads nothing.
  package func isLiteral(clause number: Int, ofRule rule: Int) -> Bool {
    sides(ofClause: number, ofRule: rule).count == 1
  }

  /// Counts the user of a test.
  package func add(_ test: RuleTestCase, at clock: HistoryClock) throws(UserRecordReader.Rejection)
    -> Decision
  {
    let exercise = try exercise(test.record, at: test.placement, clock, seed: test.seed)
    counts.add(exercise)
    return exercise.decision
  }

  func add(_ exercise: Exercise) { counts.add(exercise) }

  func close(_ rule: Int) { isClosed.insert(rule) }

  /// Decides a user without counting it.
  ///
  /// - Parameter only: the point of the only clause to judge; nil judges all clauses.
  func exercise(
    _ record: [UInt8], at placement: String, _ clock: HistoryClock, seed: String? = nil,
    only: CoveragePoint? = nil
  ) throws(UserRecordReader.Rejection) -> Exercise {
    if clock.now != self.clock.now {
      self.clock = clock
      reader = UserRecordReader(ruleSet, at: clock)
    }
    try reader.read(json: record, into: &frame)
    let state = reader.state(now: clock.now)
    let assigner = seed.map { self.assigner.seeded($0) } ?? self.assigner
    var exercise = Exercise(
      decision: ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner),
      state: state)
    for step in ruleSet.steps(placement, frame: &frame, state: state) {
      add(step, state, only, to: &exercise)
    }
    addVariant(of: exercise.decision, to: &exercise)
    return exercise
  }

  private func add(
    _ step: Decision.Step, _ state: DecisionState, _ only: CoveragePoint?,
    to exercise: inout Exercise
  ) {
    if step.reason == .notReached { return }
    let (rule, limit) = (step.rule, limits[step.rule])
    exercise.reached.append(rule)
    switch step.reason {
    case .matched:
      exercise.points.insert(.audience(rule: rule))
      if let limit { addAllowed(limit, rule, state, to: &exercise) }
    case .occurrenceLimit: exercise.points.insert(.limit(rule: rule, .usedUp))
    case .entitled: exercise.points.insert(.owner(rule: rule))
    case .expressionFalse, .expressionError, .expressionBroken, .notReached, .undecidable: break
    }
    guard step.reason.isTried, !isClosed.contains(rule) else { return }
    var clause: Int?
    if let only {
      guard only.rule == rule, case .clause(_, let number, _) = only else { return }
      clause = number
    }
    let isOpen = limit.map { $0.allows(storedCount: state.count(for: $0)) } ?? true
    addClauses(of: rule, clause, isOpen: isOpen, &exercise)
  }

  /// Records the limit of an audience that matches the user.
  private func addAllowed(
    _ limit: OccurrenceLimit, _ rule: Int, _ state: DecisionState, to exercise: inout Exercise
  ) {
    if state.count(for: limit) == limit.maxCount - 1 {
      exercise.points.insert(.limit(rule: rule, .lastTime))
    }
    var always = limit
    always.interval = .infinity
    if state.count(for: always) >= limit.maxCount {
      exercise.points.insert(.limit(rule: rule, .longAgo))
    }
  }

  /// - Parameters:
  ///   - only: the clause to judge; nil for all.
  ///   - isOpen: whether the rule decides for every user that matches it.
  private func addClauses(
    of rule: Int, _ only: Int?, isOpen: Bool, _ exercise: inout Exercise
  ) {
    guard let condition = rules.conditionOf[rule], let entry = ruleSet.rules[rule].entry else {
      return
    }
    let (model, flips) = (rules.model, flips[condition])
    let places = model.conditions[condition].clauses
    let none = model.conditions[condition].root
    // The result of every clause, and the result of the condition with the clause inverted.
    let numbers = only.map { $0..<$0 + 1 } ?? places.indices
    let nodes = numbers.flatMap { number in
      [places[number].node, flips[number]?.whenTrue, flips[number]?.whenFalse].map { $0 ?? none }
    }
    let outcomes = model.outcomes(of: [none] + nodes, in: frame, slots)
    let clauseNumbers = self.clauseNumbers(of: condition)
    for clause in ruleSet.program.clauses(of: entry, in: &frame) {
      guard let number = clauseNumbers[clause.range], numbers.contains(number)
      else { continue }
      let first = 3 * (number - numbers.lowerBound)
      let outcome = outcomes[first + 1]
      let holds =
        places[number].node == nil
        ? clause.outcome == .true : !outcome.isDisjoint(with: model.holdingClause)
      if clause.wasReached { exercise.clauses.append((rule, number, holds)) }
      guard isOpen, flips[number] != nil else { continue }
      let turned = outcomes[first + (holds ? 3 : 2)]
      // A result that may be true or not does not count as a difference.
      if turned != .true && turned.contains(.true) { continue }
      if (turned == .true) != (outcomes[0] == .true) {
        exercise.points.insert(.clause(rule: rule, number: number, holds: holds))
      }
    }
  }

  private func clauseNumbers(of condition: Int) -> [SourceRange: Int] {
    if let known = numbers[condition] { return known }
    let clauses = rules.model.conditions[condition].clauses
    let made = Dictionary(combining: clauses.enumerated().map { ($1.range, $0) }) { first, _ in
      first
    }
    numbers[condition] = made
    return made
  }

  private func addVariant(of decision: Decision, to exercise: inout Exercise) {
    let verdict = decision.verdict
    guard verdict.rule >= 0, verdict.variant >= 0 else { return }
    exercise.points.insert(.variant(rule: Int(verdict.rule), Int(verdict.variant)))
    guard let texts, let paywall = decision.paywall.flatMap({ texts.index(of: $0) }) else { return }
    for number in texts.paywalls[paywall].names.indices {
      exercise.points.insert(.text(paywall: paywall, number))
    }
  }
}

extension Decision {
  /// The identifier of the user's paywall.
  var paywall: String? {
    if case .paywall(let experiment) = outcome { return experiment.variant.paywallID }
    return nil
  }
}

extension CoverageCounter {
  /// The condition of a rule as a string; nil for a rule that matches every user.
  package func expression(ofRule number: Int) -> String? {
    let rule = ruleSet.rules[number]
    if rule.audience.isEverybody { return nil }
    return rule.audience.expression ?? rule.entry.map { ruleSet.program.sources[$0.source] }
  }

  /// The place of a rule, or of one of its clauses, in the config. The range is relative to the
  /// expression.
  package func place(ofRule number: Int, clause: Int? = nil) -> (path: String, range: SourceRange?)
  {
    let audience = ruleSet.rules[number].audience
    guard let clause else { return (audience.path, nil) }
    let range = audience.expression == nil ? nil : clauses(ofRule: number)[clause].range
    return (audience.conditionPath(clause: clause), range)
  }
}

extension CoverageCounter {
  /// The included texts of each paywall.
  package var paywallTexts: [(identifier: String, names: [String])] {
    texts?.paywalls.map { ($0.identifier, $0.names) } ?? []
  }
}

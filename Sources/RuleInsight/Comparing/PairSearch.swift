internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleBatch
internal import RuleEngine

/// Looks for a user that one audience matches by the old config, and another by the new config.
struct PairSearch {
  enum Answer {
    /// No user has a different outcome.
    case same
    case witness(PlacementDifference.Witness)
    /// The result is unknown, for this reason.
    case unknown(String)
  }

  private let comparison: RuleComparison
  private let placement: ComparedPlacement
  private let questions: PairQuestions
  private let model: ConditionModel
  let space: ConditionSpace
  private let pair: WitnessPair
  /// Attributes that rules read and that are derived from other attributes or from the clock.
  private let derived: [DeviceAttribute]
  /// Whether users may skip rules that match them.
  private let mayBePassed: Bool
  private let spared: SparedConditions

  /// The number of contexts for which other draws are tried. The result of a draw does not depend
  /// on the context.
  private static let mostDrawn = 2

  init(
    _ comparison: RuleComparison, _ placement: ComparedPlacement, _ questions: PairQuestions,
    _ model: ConditionModel, _ space: ConditionSpace, _ pair: WitnessPair
  ) {
    self.comparison = comparison
    self.placement = placement
    self.questions = questions
    self.model = model
    self.space = space
    self.pair = pair
    derived = [comparison.old, comparison.new].flatMap { $0.plan.ruleSet.storage.derived }
    mayBePassed = (questions.old + questions.new).contains { $0.mayBePassed }
    spared = SparedConditions(questions)
  }

  /// - Parameter budget: the maximum number of steps.
  func answer(_ asked: PairQuestions.Pair, budget: Int) -> Answer {
    guard let (goals, sparing) = question(asked) else { return .same }
    guard budget > 0 else { return .unknown(words(asked, "the search took too many steps")) }
    var found: PlacementDifference.Witness?
    var tries = 0
    var needed: [Int] = []
    let answer = space.answer(
      ConditionSpace.Question(
        goals.map { ConditionSpace.Goal($0, .true) }, sparing: sparing), &needed, budget: budget
    ) { witness in
      tries += 1
      found = verified(witness, asked, draws: tries <= Self.mostDrawn)
      return found != nil
    }
    switch answer {
    case .witness:
      if let found { return .witness(found) }
      return .unknown(
        words(asked, "the user that was found gets the same outcome from both configs"))
    case .proof: return .same
    case .unknown(.budget): return .unknown(words(asked, "the search took too many steps"))
    case .unknown(.opaque):
      return .unknown(
        words(
          asked,
          tries > 0
            ? readsClock
              ? "no user was found for whom the configs differ at this time (--now)"
              : "no user was found whose outcome depends on the history or the draw"
            : "conditions have parts that are not understood"))
    }
  }

  private func question(_ asked: PairQuestions.Pair) -> (goals: [Int], sparing: [Int])? {
    if mayBePassed {
      guard let question = questions.question(asked) else { return nil }
      // Finding the earlier rules takes steps as well.
      space.steps += question.sparing.count
      return question
    }
    let before = spared.steps
    let sparing = spared.conditions(
      before: asked.from ?? questions.old.count, asked.to ?? questions.new.count)
    space.steps += spared.steps - before
    let roots = [
      asked.from.flatMap { questions.old[$0].root }, asked.to.flatMap { questions.new[$0].root },
    ]
    return sparing.map { (roots.compactMap { $0 }, $0) }
  }

  /// The user of a witness, if the configs have different outcomes for it. The history of the user
  /// lets it reach both rules of the pair.
  ///
  /// - Parameter draws: whether to look for a user whose draw has a different outcome.
  private func verified(
    _ witness: AnalysisWitness, _ asked: PairQuestions.Pair, draws: Bool
  ) -> PlacementDifference.Witness? {
    let before = mayBePassed ? questions.before(asked).filter { $0.takes } : []
    space.steps += 2 * before.count
    let work = pair.work
    defer { space.steps += pair.work - work }
    let all = space.counted { model.held(before.compactMap { $0.condition }, for: witness) }
    guard let held = all.map(Set.init) else { return nil }
    var heldBack: [OccurrenceLimit] = []
    var owned: [String] = []
    for rule in before where rule.condition.map({ held.contains($0) }) ?? true {
      if let limit = rule.limit, questions.isHeldBack(rule, asked) {
        if !heldBack.contains(limit) { heldBack.append(limit) }
      } else if let owners = rule.owners, questions.isOwned(rule, asked) {
        if !owned.contains(where: { sameBytes($0, owners) }) { owned.append(owners) }
      } else {
        return nil
      }
    }
    let plan = comparison.old.plan
    for history in WitnessRecord.History.allCases {
      let record = WitnessRecord(
        witness, heldBack: heldBack, owned: owned, platform: plan.ruleSet.language.platform,
        now: plan.now, history: history
      ).value
      for record in SettledRecord.candidates(record, reading: derived, keepsOwn: false) {
        let found =
          draws
          ? pair.witness(drawing: record, at: placement) : pair.witness(record, at: placement)
        // A user of another pair answers another question.
        if let found, isAbout(asked, found) { return found }
      }
      if heldBack.isEmpty { return nil }
    }
    return nil
  }

  /// Whether rules depend on the current time.
  private var readsClock: Bool { derived.contains(where: { $0.isOfTheMoment }) }

  private func isAbout(_ asked: PairQuestions.Pair, _ found: PlacementDifference.Witness) -> Bool {
    func index(_ rule: PairQuestions.Rule?, _ side: RuleComparison.Side) -> Int? {
      rule.map { side.plan.ruleSet.rules[$0.number].audience.index }
    }
    return found.from.audience == index(asked.from.map { questions.old[$0] }, comparison.old)
      && found.to.audience == index(asked.to.map { questions.new[$0] }, comparison.new)
  }

  private func words(_ asked: PairQuestions.Pair, _ why: String) -> String {
    func label(_ rule: PairQuestions.Rule?, _ side: RuleComparison.Side) -> String {
      rule.map { "audience \(side.plan.ruleSet.rules[$0.number].audience.label)" } ?? "none"
    }
    let from = label(asked.from.map { questions.old[$0] }, comparison.old)
    let to = label(asked.to.map { questions.new[$0] }, comparison.new)
    return "from \(from) to \(to): \(why)"
  }
}

/// The conditions before a pair of rules, if no user can skip a rule. The conditions of the next pair are computed from
/// them.
private final class SparedConditions {
  private let questions: PairQuestions
  private var (old, new) = (0, 0)
  private var conditions: [Int]? = []
  private var seen: Set<Int> = []
  /// The number of rules that were visited.
  private(set) var steps = 0

  init(_ questions: PairQuestions) { self.questions = questions }

  /// The conditions that must be false; nil if a rule before either position matches every user.
  func conditions(before old: Int, _ new: Int) -> [Int]? {
    if old != self.old || new < self.new {
      (self.old, self.new) = (old, 0)
      conditions = []
      seen = []
      add(questions.old[..<old])
    }
    add(questions.new[self.new..<new])
    self.new = new
    return conditions
  }

  private func add(_ rules: ArraySlice<PairQuestions.Rule>) {
    steps += rules.count
    for rule in rules where rule.takes {
      guard let condition = rule.condition else {
        conditions = nil
        return
      }
      if seen.insert(condition).inserted { conditions?.append(condition) }
    }
  }
}

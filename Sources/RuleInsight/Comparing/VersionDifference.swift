internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Looks for users that two SDK versions decide differently at a placement, where the versions evaluate conditions in
/// different ways. Each version has a model of its own, and both models read the same attributes.
struct VersionDifference {
  private let comparison: RuleComparison
  private let placement: ComparedPlacement
  private let pair: WitnessPair
  private let old: Side
  private let new: Side
  private let questions: PairQuestions
  private let space: JointSpace
  /// The reason why a search without a result proves nothing; nil if the search is a proof.
  private let doubt: String?

  static let unproved = "the two sides evaluate conditions differently, so no proof covers both"

  private static let budget = 20_000
  /// The number of contexts for which other draws are tried.
  private static let mostDrawn = 2

  /// One version's conditions.
  private struct Side {
    let model: ConditionModel
    let rules: [PairQuestions.Rule]

    /// - Parameter offset: added to the numbers of conditions and formulas, because the sides count separately.
    init(_ range: Range<Int>?, _ ruleSet: RuleSet, offset: Int) {
      var sources = ConditionSources()
      let numbers = (range ?? 0..<0).map { sources.number(ruleSet.rules[$0]) }
      model = ConditionModel(ruleSet.environment.readingNumbersInGraph, sources.all) {
        ruleSet.answers(to: $0)
      }
      let model = model
      rules = zip(range ?? 0..<0, numbers).map { number, condition in
        PairQuestions.Rule(
          ruleSet, number, condition: condition.map { offset + $0 },
          root: condition.map { offset + model.conditions[$0].root })
      }
    }

    var roots: [Int] { model.conditions.map { $0.root } }
  }

  /// More than the number of nodes of any model.
  private static let offset = 1 << 40

  init(_ comparison: RuleComparison, _ placement: ComparedPlacement, _ pair: WitnessPair) {
    self.comparison = comparison
    self.placement = placement
    self.pair = pair
    let (before, after) = (comparison.old.plan.ruleSet, comparison.new.plan.ruleSet)
    old = Side(placement.oldRules, before, offset: 0)
    new = Side(placement.newRules, after, offset: Self.offset)
    questions = PairQuestions(old: old.rules, new: new.rules)
    let missing = [before, after].map { ruleSet in
      Set(
        ruleSet.storage.unsent.compactMap {
          ruleSet.program.storage.graph.slots.contents[$0].attribute?.names
        })
    }
    space = JointSpace(
      old.model, roots: old.roots, claims: new.model, claimRoots: new.roots, pinned: [:],
      lists: [], missing: (missing[0], missing[1]), kinds: UsualKinds([old.model, new.model]))
    doubt = before.doubt(about: after, at: placement.name)
  }

  /// The answers for the pairs of audiences with different outcomes.
  ///
  /// - Parameters:
  ///   - outcomes: the outcomes of the old and the new rules, and at the end those of users that no rule matches.
  ///   - steps: the maximum number of steps.
  ///   - witnesses: known users. The search skips the pairs of audiences that take them.
  func answers(
    _ outcomes: (old: [RuleOutcomes], new: [RuleOutcomes]), steps: Int,
    besides witnesses: [PlacementDifference.Witness]
  ) -> [PairSearch.Answer] {
    let known = Set(witnesses.map { [$0.from.audience, $0.to.audience] })
    var answers: [PairSearch.Answer] = []
    var isOpen = false
    for asked in questions.pairs() {
      let (from, to) = (asked.from ?? old.rules.count, asked.to ?? new.rules.count)
      if outcomes.old[from].isSame(as: outcomes.new[to]) || known.contains(audiences(asked)) {
        continue
      }
      guard space.rules.steps + space.claims.steps < steps else {
        return answers + [.unknown("the search took too many steps")]
      }
      let answer = answer(asked)
      if case .unknown = answer { isOpen = true } else { answers.append(answer) }
    }
    if doubt != nil || isOpen { answers.append(.unknown(doubt ?? Self.unproved)) }
    return answers
  }

  private func audiences(_ asked: PairQuestions.Pair) -> [Int?] {
    func index(_ rule: PairQuestions.Rule?, _ side: RuleComparison.Side) -> Int? {
      rule.map { side.plan.ruleSet.rules[$0.number].audience.index }
    }
    return [
      index(asked.from.map { old.rules[$0] }, comparison.old),
      index(asked.to.map { new.rules[$0] }, comparison.new),
    ]
  }

  private func answer(_ asked: PairQuestions.Pair) -> PairSearch.Answer {
    guard let (goals, sparing) = questions.question(asked) else { return .same }
    let own = ConditionSpace.Question(
      goals.filter { $0 < Self.offset }.map { ConditionSpace.Goal($0, .true) },
      sparing: sparing.filter { $0 < Self.offset })
    let others =
      goals.filter { $0 >= Self.offset }.map { ConditionSpace.Goal($0 - Self.offset, .true) }
      + sparing.filter { $0 >= Self.offset }.map {
        ConditionSpace.Goal(new.model.conditions[$0 - Self.offset].root, .notTrue)
      }
    var found: PlacementDifference.Witness?
    var tries = 0
    for isUsual in [true, false] {
      let answer = space.answer(own, others, isUsual: isUsual, budget: Self.budget) { context in
        tries += 1
        found = witness(context, asked, draws: tries <= Self.mostDrawn)
        return found != nil
      }
      if let found { return .witness(found) }
      if !isUsual, case .proof = answer { return .same }
    }
    return .unknown(Self.unproved)
  }

  /// The user of a context, if the audiences of a pair take this user.
  private func witness(
    _ context: AnalysisWitness, _ asked: PairQuestions.Pair, draws: Bool
  ) -> PlacementDifference.Witness? {
    let before = questions.before(asked).filter { $0.takes }
    let held = before.filter { questions.isHeldBack($0, asked) }.compactMap { $0.limit }
    let owned = before.filter { questions.isOwned($0, asked) }.compactMap { $0.owners }
    let plan = comparison.old.plan
    for (held, owned) in held.isEmpty && owned.isEmpty ? [([], [])] : [(held, owned), ([], [])] {
      let record = WitnessRecord(
        context, heldBack: held, owned: owned, platform: plan.ruleSet.language.platform,
        now: plan.now
      ).value
      let derived = plan.ruleSet.storage.derived
      for record in SettledRecord.candidates(record, reading: derived, keepsOwn: false) {
        let found =
          draws
          ? pair.witness(drawing: record, at: placement) : pair.witness(record, at: placement)
        // A user that another audience takes answers another question.
        if let found, [found.from.audience, found.to.audience] == audiences(asked) { return found }
      }
    }
    return nil
  }
}

extension RuleSet {
  /// The reason why the models of the conditions do not cover all differences between two versions; nil if they do.
  fileprivate func doubt(about other: RuleSet, at placement: String) -> String? {
    guard let profile, let second = other.profile, let own = part(placement),
      let others = other.part(placement)
    else { return VersionDifference.unproved }
    if own.storage.aborts || others.storage.aborts {
      return "nothing is proved about conditions that may crash the app"
    }
    let isComparable =
      profile.platform == second.platform && profile.behavior != nil && second.behavior != nil
      && (profile.has(.failsOnNull) == second.has(.failsOnNull)
        || own.rules.allSatisfy { $0.entry == nil })
      && storage.rejection == other.storage.rejection
      && own.computed.map { $0.property } == others.computed.map { $0.property }
    return isComparable ? nil : VersionDifference.unproved
  }
}

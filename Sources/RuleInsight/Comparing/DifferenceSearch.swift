internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleBatch
internal import RuleEngine

/// Finds out for every placement of two configs whether any user could get a different outcome. The
/// search needs no users, because it asks a question for each pair of audiences with different
/// outcomes (docs/decisions/0014-differences.md).
struct DifferenceSearch {
  private let comparison: RuleComparison
  private let pair: WitnessPair
  private let model: ConditionModel?
  /// The condition's number in the model, by rule.
  private var oldConditions: [Int: Int] = [:]
  private var newConditions: [Int: Int] = [:]

  private static let leastBudget = 1_500_000
  private static let budgetPerRule = 10_000
  private static let budgetPerNode = 500
  private static let budgetPerQuestion = 100_000
  /// The limits of the pairs to ask about at a placement: the minimum, and the number for each audience. Every pair may
  /// have users of its own, so a report on all pairs of long lists would be too long to read.
  private static let leastPairs = 6_400
  private static let pairsPerRule = 20
  private static let randomUsers = 600

  /// The maximum number of steps for a placement; nil for the usual number.
  private let mostSteps: Int?
  private let mostPairs: Int?

  init(_ comparison: RuleComparison, mostSteps: Int?, mostPairs: Int?) {
    self.mostSteps = mostSteps
    self.mostPairs = mostPairs
    self.comparison = comparison
    pair = WitnessPair(comparison)
    let (old, new) = (comparison.old.plan.ruleSet, comparison.new.plan.ruleSet)
    guard old.format == new.format, old.isDecidedAlike(new) else {
      model = nil
      return
    }
    var sources = ConditionSources()
    for placement in comparison.placements where !Self.isIdentical(placement, comparison) {
      for rule in placement.oldRules ?? 0..<0 {
        oldConditions[rule] = sources.number(old.rules[rule])
      }
      for rule in placement.newRules ?? 0..<0 {
        newConditions[rule] = sources.number(new.rules[rule])
      }
    }
    model = ConditionModel(
      old.environment, sources.all
    ) { old.answers(to: $0) }
  }

  func differences() -> [PlacementDifference] {
    var explored: (old: RuleAnalysis, new: RuleAnalysis)?
    return comparison.placements.enumerated().map { number, placement in
      if Self.isIdentical(placement, comparison) { return PlacementDifference(placement.name) }
      if let model { return difference(placement, number, model) }
      let (old, new) = (comparison.old.plan, comparison.new.plan)
      let users =
        explored
        ?? (
          RuleAnalysis(old.ruleSet, now: old.now, keepsUsers: true),
          RuleAnalysis(new.ruleSet, now: new.now, keepsUsers: true)
        )
      explored = users
      return sampled(placement, number, users)
    }
  }

  /// Whether all parts that affect decisions have the same text.
  private static func isIdentical(
    _ placement: ComparedPlacement, _ comparison: RuleComparison
  ) -> Bool {
    let (old, new) = (comparison.old.plan, comparison.new.plan)
    guard let before = placement.oldRules, let after = placement.newRules,
      before.count == after.count, old.assigner == new.assigner, !placement.hasOtherContext
    else { return false }
    return zip(before, after).allSatisfy {
      placement.newRule(of: $0) == $1 && placement.change($0, $1).isEmpty
    }
  }

  // MARK: By one model

  private func difference(
    _ placement: ComparedPlacement, _ number: Int, _ model: ConditionModel
  ) -> PlacementDifference {
    let questions = PairQuestions(
      old: rules(placement.oldRules, comparison.old, oldConditions, model),
      new: rules(placement.newRules, comparison.new, newConditions, model))
    let roots = (questions.old + questions.new).compactMap { $0.root }
    let search = PairSearch(
      comparison, placement, questions, model, ConditionSpace(model, roots: roots), pair)
    let count = questions.old.count + questions.new.count
    let size = count * Self.budgetPerRule + search.space.nodes.count * Self.budgetPerNode
    let end = mostSteps ?? max(Self.leastBudget, size)
    let outcomes = outcomes(placement, number)
    var difference = PlacementDifference(placement.name)
    var known = Answers()
    let pairs = questions.pairs()
    let mostPairs = self.mostPairs ?? max(Self.leastPairs, count * Self.pairsPerRule)
    var asked = 0
    for (number, pair) in pairs.enumerated() {
      if search.space.steps >= end || asked == mostPairs {
        let all = pairs.reduce(0) { count, _ in count + 1 }
        difference.add(
          .unknown(
            "\(all - number) of \(all) pairs of audiences were not compared: "
              + (asked == mostPairs ? "there are too many" : "the search took too many steps")),
          &known)
        break
      }
      let (from, to) = (pair.from ?? questions.old.count, pair.to ?? questions.new.count)
      if outcomes.old[from].isSame(as: outcomes.new[to]) { continue }
      asked += 1
      let most = min(Self.budgetPerQuestion + 20 * count, end - search.space.steps)
      difference.add(search.answer(pair, budget: max(most, 0)), &known)
    }
    if placement.hasOtherContext {
      // Equal conditions need not have equal results.
      difference.add(
        .unknown(
          "one config computes values from the event history that the other config only reads"),
        &known)
    }
    return difference
  }

  private func rules(
    _ range: Range<Int>?, _ side: RuleComparison.Side, _ conditions: [Int: Int],
    _ model: ConditionModel
  ) -> [PairQuestions.Rule] {
    (range ?? 0..<0).map { number in
      PairQuestions.Rule(
        side.plan.ruleSet, number, condition: conditions[number],
        root: conditions[number].map { model.conditions[$0].root })
    }
  }

  // MARK: By two models

  /// Compares two sides that evaluate conditions differently. Examples with simple values come first, then searches for
  /// the pairs of audiences without an example. Nothing is proved about configs in different languages.
  private func sampled(
    _ placement: ComparedPlacement, _ number: Int, _ users: (old: RuleAnalysis, new: RuleAnalysis)
  ) -> PlacementDifference {
    var difference = PlacementDifference(placement.name)
    var known = Answers()
    let outcomes = outcomes(placement, number)
    let draws = !zip(outcomes.old, outcomes.new).allSatisfy { $0.isSame(as: $1) }
    addExamples(placement, users, draws: draws, to: &difference, &known)
    let (old, new) = (comparison.old.plan.ruleSet, comparison.new.plan.ruleSet)
    guard old.format == new.format else {
      difference.add(.unknown(VersionDifference.unproved), &known)
      return difference
    }
    let search = VersionDifference(comparison, placement, pair)
    let steps = mostSteps ?? Self.leastBudget
    for answer in search.answers(outcomes, steps: steps, besides: difference.witnesses) {
      difference.add(answer, &known)
    }
    return difference
  }

  /// The outcomes of each rule, and at the end the outcomes of users that no rule matches.
  private func outcomes(_ placement: ComparedPlacement, _ number: Int)
    -> (old: [RuleOutcomes], new: [RuleOutcomes])
  {
    func outcomes(_ rules: Range<Int>?, _ side: RuleComparison.Side) -> [RuleOutcomes] {
      ((rules ?? 0..<0).map { $0 } as [Int?] + [nil]).map {
        RuleOutcomes($0, placement: number, side)
      }
    }
    return (
      outcomes(placement.oldRules, comparison.old), outcomes(placement.newRules, comparison.new)
    )
  }

  /// Adds users that the two sides decide differently. The candidates are the users that either analysis finds, users
  /// near them, and random users.
  ///
  /// - Parameter draws: whether to try other draws.
  private func addExamples(
    _ placement: ComparedPlacement, _ users: (old: RuleAnalysis, new: RuleAnalysis), draws: Bool,
    to difference: inout PlacementDifference, _ known: inout Answers
  ) {
    let (old, new) = (comparison.old.plan.ruleSet, comparison.new.plan.ruleSet)
    let nobody = Value.object([UserMember.userID.key: .string(WitnessRecord.userID)])
    var records = [nobody]
    for (analysis, ruleSet) in [(users.old, old), (users.new, new)] {
      guard let number = ruleSet.placement(named: placement.name) else { continue }
      records += analysis.explored[number].users.map { $0.record }
    }
    if old.profile?.has(.failsOnNull) != new.profile?.has(.failsOnNull) {
      records += records.map { $0.setting(["user", "other"], to: .null) }
    }
    let candidates = VersionCandidates([old, new], at: placement.name)
    for record in records + candidates.users(near: records)
      + candidates.randomUsers(Self.randomUsers, from: nobody)
    {
      if let witness = pair.witness(record, at: placement) {
        difference.add(.witness(witness), &known)
      }
    }
    guard draws else { return }
    for record in records {
      if let witness = pair.witness(drawing: record, at: placement) {
        difference.add(.witness(witness), &known)
      }
    }
  }
}

/// The kind of move that a witness shows. A placement has one witness for each kind.
private struct Move: Hashable {
  var from: ComparedOutcome
  var to: ComparedOutcome
  var reason: MoveReason
}

/// The moves that have a witness, and the reasons why other pairs are unknown.
private struct Answers {
  var moves: Set<Move> = []
  var reasons: Set<String> = []
}

extension PlacementDifference {
  /// Adds the answer for a pair.
  ///
  /// - Parameter known: the answers that the difference already contains.
  fileprivate mutating func add(_ answer: PairSearch.Answer, _ known: inout Answers) {
    switch answer {
    case .same: break
    case .unknown(let why): if known.reasons.insert(why).inserted { unknown.append(why) }
    case .witness(let witness):
      let move = Move(from: witness.from, to: witness.to, reason: witness.reason)
      if known.moves.insert(move).inserted { witnesses.append(witness) }
    }
  }
}

extension RuleComparison {
  /// Whether any user could get a different outcome, placement by placement. Each pair of audiences is a question.
  /// Pairs beyond the limits are counted as unknown.
  ///
  /// - Parameters:
  ///   - mostSteps: the most steps of the search at a placement; nil for a number that depends on the lengths of the configs.
  ///   - mostPairs: the most pairs to ask about at a placement; nil for 20 for each audience, and at least 6,400.
  package func differences(mostSteps: Int? = nil, mostPairs: Int? = nil) -> [PlacementDifference] {
    DifferenceSearch(self, mostSteps: mostSteps, mostPairs: mostPairs).differences()
  }
}

internal import CivilTime
internal import Expressions
internal import Pricing
package import RuleEngine

/// The settings of a search for users that violate invariants, with all precomputed data. All
/// workers share it.
package final class FuzzPlan: Sendable {
  /// The options of a search.
  package struct Options: Sendable {
    package var assigner: Assigner
    package var clock: HistoryClock
    /// The seed for everything random.
    package var seed = ""
    /// The names of the placements to test; nil for all placements of the config.
    package var placements: [String]?
    /// The number of days that generated histories cover.
    package var days = 2
    /// Texts to render for users.
    package var texts: TextPlan?
    /// Whether values in texts must be escaped, so that data cannot create a tag.
    package var isHTML = false
    /// Alters the second result of each of our own checks. Tests use it to inject faults.
    package var alters: (@Sendable (OwnInvariant, String) -> String)?

    package init(assigner: Assigner, clock: HistoryClock) {
      self.assigner = assigner
      self.clock = clock
    }
  }

  package let ruleSet: RuleSet
  package let config: Config
  package let invariants: [RuleInvariant]
  package let options: Options
  let space: FuzzSpace
  let kinds: UsualKinds
  /// The result of the analysis for each invariant.
  let answers: [InvariantSearch.Answer]
  /// For each placement of the rule set, the invariants over decisions that apply to it.
  let claims: [[Int]]
  /// The invariants over histories.
  let histories: [Int]
  let traffic: TrafficPlan
  let own: OwnChecks.Plan
  /// Users that the analysis found.
  let found: [FuzzCase]

  package init(
    _ ruleSet: RuleSet, _ config: Config, _ invariants: [RuleInvariant], _ options: Options
  ) {
    self.ruleSet = ruleSet
    self.config = config
    self.invariants = invariants
    self.options = options
    let wanted = options.placements.map { Set($0.map { Array($0.utf8) }) }
    claims = ruleSet.placements.map { placement in
      guard wanted?.contains(Array(placement.name.utf8)) ?? true else { return [] }
      return invariants.indices.filter { number in
        invariants[number].span == .decision
          && invariants[number].placement.map { sameBytes($0, placement.name) } ?? true
      }
    }
    histories = invariants.indices.filter { invariants[$0].span == .history }
    var trafficOptions = TrafficPlan.Options(assigner: options.assigner, clock: options.clock)
    trafficOptions.placements = options.placements
    trafficOptions.seed = options.seed
    traffic = TrafficPlan(ruleSet, config, trafficOptions)
    let now = options.clock.now
    let analysis = RuleAnalysis(ruleSet, now: now, keepsUsers: true, at: options.clock)
    let search = InvariantSearch(ruleSet, invariants, analysis.explored, now: now)
    kinds = search.kinds
    // The space knows the attributes that rules read, which are used to make records of witnesses
    // consistent.
    var space = FuzzSpace(ruleSet, analysis.explored, search, seed: options.seed, now: now)
    let records = space.records
    let judge = FuzzJudge(ruleSet, invariants, options)
    var found: [FuzzCase] = []
    var witnesses: [Value] = []
    let (claims, kinds) = (claims, search.kinds)
    answers = invariants.indices.map { number in
      search.answer(number, at: claims.indices.filter { claims[$0].contains(number) }) {
        record, placement in
        let made = records.consistent(record)
        if witnesses.count < 200 { witnesses.append(made) }
        guard let broken = judge.broken(number, made, placement) else { return false }
        found.append(
          FuzzCase(
            invariant: number, record: broken, placement: placement,
            isUsual: kinds.isUsual(broken)))
        return true
      }
    }
    self.found = found
    space.add(witnesses + invariants.indices.compactMap { search.meant($0) })
    self.space = space
    own = OwnChecks.Plan(ruleSet, config, options)
  }
}

/// A user that violates an invariant.
struct FuzzCase: Sendable {
  var invariant: Int
  var record: Value
  /// The index of the placement in the rule set; nil for a history.
  var placement: Int?
  /// The requests of a history.
  var steps: [FuzzHistory.Step] = []
  /// Whether all attributes have types that conditions are written for.
  var isUsual: Bool
}

/// Decides users, and finds the invariants that they violate.
final class FuzzJudge {
  private let ruleSet: RuleSet
  private let options: FuzzPlan.Options
  private let decider: WitnessDecider
  private var judge: InvariantJudge
  /// The number of times that a record was read into the frame.
  private var reads = 0

  /// The number of user IDs that are tried if the draw determines the outcome.
  private static let mostIDs = 2_000

  init(_ ruleSet: RuleSet, _ invariants: [RuleInvariant], _ options: FuzzPlan.Options) {
    self.ruleSet = ruleSet
    self.options = options
    decider = WitnessDecider(ruleSet, at: options.clock)
    judge = InvariantJudge(invariants)
  }

  /// The result for a user at a placement.
  private struct Decided {
    var state: DecisionState
    var decision: Decision
  }

  private func decide(_ record: Value, _ placement: Int) -> Decided? {
    reads += 1
    guard let state = decider.read(record) else { return nil }
    let decision = ruleSet.decide(
      ruleSet.placements[placement].name, frame: &decider.frame, state: state,
      assigner: options.assigner)
    return Decided(state: state, decision: decision)
  }

  private func context(_ record: Value) -> [Value.Entry] {
    InvariantJudge.context(
      record, options.clock, ruleSet.format, on: ruleSet.language.platform)
  }

  private func verdict(
    _ number: Int, _ context: [Value.Entry], _ outcome: Decision.Outcome, _ placement: Int,
    _ audience: Int?
  ) -> InvariantJudge.Verdict {
    let value = InvariantJudge.outcome(
      outcome, placement: ruleSet.placements[placement].name, audience: audience)
    return judge.judge(number, .map(context + [Value.Entry(key: "outcome", value: value)]))
  }

  /// The record, or a variant of it with another draw, if its user violates an invariant at a placement.
  func broken(_ number: Int, _ record: Value, _ placement: Int) -> Value? {
    var counts = FuzzCounts(invariants: number + 1)
    return broken(number, record, context(record), placement, decide(record, placement), &counts)
  }

  private func broken(
    _ number: Int, _ record: Value, _ context: [Value.Entry], _ placement: Int,
    _ decided: Decided?, _ counts: inout FuzzCounts
  ) -> Value? {
    guard let decided else { return nil }
    let (decision, state) = (decided.decision, decided.state)
    let own = verdict(number, context, decision.outcome, placement, decision.audience)
    counts.add(own, number)
    if own.isViolated { return record }
    guard let rule = decision.rule, decision.verdict.source != .stored,
      rule.audience.variants.count > 1
    else { return nil }
    for (variant, content) in rule.audience.variants.enumerated()
    where content.weight > 0 && variant != Int(decision.verdict.variant) {
      let other = verdict(
        number, context, rule.outcome(variant), placement, decision.audience)
      guard other.isViolated else { continue }
      for changed in drawing(variant, of: decision, record, state) {
        guard let again = decide(changed, placement),
          verdict(
            number, self.context(changed), again.decision.outcome, placement,
            again.decision.audience
          ).isViolated
        else { continue }
        return changed
      }
    }
    return nil
  }

  /// The user with an ID that draws a variant, and the user with this variant as a stored assignment.
  private func drawing(
    _ variant: Int, of decision: Decision, _ record: Value, _ state: DecisionState
  ) -> [Value] {
    var state = state
    var users: [Value] = []
    for number in 0..<Self.mostIDs {
      state.subjectID = "u-\(number)"
      let verdict = ruleSet.storage.assign(
        Int(decision.verdict.rule), state, options.assigner)
      guard Int(verdict.variant) == variant else { continue }
      users.append(record.setting([UserMember.userID.key], to: .string(state.subjectID)))
      break
    }
    if let audience = decision.decidingAudience {
      users.append(
        record.setting(
          [UserMember.assignments.key],
          to: .list([
            .object([
              "experimentId": .string(audience.experimentID),
              "variantId": .string(audience.variants[variant].id),
            ])
          ])))
    }
    return users
  }

  /// Judges a user at all placements.
  func check(
    _ record: Value, at claims: [[Int]], _ counts: inout FuzzCounts,
    _ found: (_ number: Int, _ record: Value, _ placement: Int) -> Void
  ) {
    guard var state = decider.read(record) else {
      counts.refused += 1
      return
    }
    let context = context(record)
    var known = reads
    for (placement, numbers) in claims.enumerated() where !numbers.isEmpty {
      if reads != known {
        // The frame now contains another user.
        guard let again = decider.read(record) else { return }
        state = again
        known = reads
      }
      let decision = ruleSet.decide(
        ruleSet.placements[placement].name, frame: &decider.frame, state: state,
        assigner: options.assigner)
      let decided = Decided(state: state, decision: decision)
      for number in numbers {
        if let broken = broken(number, record, context, placement, decided, &counts) {
          found(number, broken, placement)
        }
      }
    }
  }

  /// Judges the outcomes that a user has seen.
  func verdict(_ number: Int, _ record: Value, shown: Value) -> InvariantJudge.Verdict {
    judge.judge(number, .map(context(record) + [Value.Entry(key: "shown", value: shown)]))
  }

  /// The error that makes an invariant fail for a user; nil if there is no error.
  func error(_ number: Int, _ record: Value, _ placement: Int) -> String? {
    guard let decided = decide(record, placement) else { return nil }
    let found = verdict(
      number, context(record), decided.decision.outcome, placement, decided.decision.audience)
    if case .violated(let error) = found { return error }
    return nil
  }

  /// An outcome of the placement that satisfies an invariant for a user: no match, a holdout, or
  /// another paywall.
  func allowed(_ number: Int, _ record: Value, _ placement: Int) -> Value? {
    let rules = ruleSet.placements[placement].rules.map { ruleSet.rules[$0] }
    var outcomes: [(Decision.Outcome, Int?, Value)] = [
      (.noAudienceMatch, nil, .object(["result": "noAudienceMatch"]))
    ]
    for rule in rules {
      for variant in rule.audience.variants.indices {
        let outcome = rule.outcome(variant)
        switch outcome {
        case .holdout:
          outcomes.append((outcome, rule.audience.index, .object(["result": "holdout"])))
        case .paywall(let experiment):
          outcomes.append(
            (
              outcome, rule.audience.index,
              .object([
                "result": "paywall", "paywall": .string(experiment.variant.paywallID ?? ""),
              ])
            ))
        case .noAudienceMatch, .placementNotFound, .error, .undecidable: continue
        }
      }
    }
    let context = context(record)
    return outcomes.first { outcome, audience, _ in
      verdict(number, context, outcome, placement, audience) == .holds
    }?.2
  }
}

/// The number of times that invariants applied.
package struct FuzzCounts: Sendable {
  package internal(set) var users = 0
  package internal(set) var histories = 0
  /// Records that could not be read.
  var refused = 0
  /// For each invariant, the number of decisions or histories that it applied to.
  var applied: [Int]
  /// For each invariant, the number of failures of `when`.
  var whenErrors: [Int]

  init(invariants count: Int) {
    applied = Array(repeating: 0, count: count)
    whenErrors = applied
  }

  mutating func add(_ verdict: InvariantJudge.Verdict, _ number: Int) {
    switch verdict {
    case .holds, .violated: applied[number] += 1
    case .whenFails: whenErrors[number] += 1
    case .notMeant: break
    }
  }

  static func += (sum: inout FuzzCounts, part: FuzzCounts) {
    sum.users += part.users
    sum.histories += part.histories
    sum.refused += part.refused
    for i in part.applied.indices {
      sum.applied[i] += part.applied[i]
      sum.whenErrors[i] += part.whenErrors[i]
    }
  }
}

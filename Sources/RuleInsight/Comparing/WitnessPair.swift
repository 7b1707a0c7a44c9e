internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleBatch
internal import RuleEngine

/// Decides users by both configs.
final class WitnessPair {
  private let comparison: RuleComparison
  private let old: WitnessDecider
  private let new: WitnessDecider
  private let reader: MoveReader
  /// The work of all decisions, in rules.
  private(set) var work = 0

  /// The number of user IDs that are tried if the draw determines the outcome.
  private static let mostIDs = 4_000

  init(_ comparison: RuleComparison) {
    self.comparison = comparison
    old = WitnessDecider(comparison.old.plan.ruleSet, at: comparison.old.plan.clock)
    new = WitnessDecider(comparison.new.plan.ruleSet, at: comparison.new.plan.clock)
    reader = MoveReader(comparison)
  }

  /// A decision of one config, with its state.
  private struct Decided {
    var state: DecisionState
    var decision: Decision
    var outcome: ComparedOutcome

    init?(_ record: Value, _ placement: String, _ decider: WitnessDecider, _ assigner: Assigner) {
      guard let state = decider.read(record) else { return nil }
      self.state = state
      decision = decider.ruleSet.decide(
        placement, frame: &decider.frame, state: state, assigner: assigner)
      outcome = ComparedOutcome(decision.outcome, audience: decision.audience)
    }

    /// Whether the outcome may depend on the user's ID.
    var isDrawn: Bool {
      decision.rule.map { $0.audience.variants.contains { $0.weight != 100 } } ?? false
    }

    /// The outcome for a user with another ID, and the same attributes.
    func outcome(for id: String, _ assigner: Assigner) -> ComparedOutcome {
      guard let rule = decision.rule, decision.verdict.rule >= 0 else { return outcome }
      var state = state
      state.subjectID = id
      let verdict = decision.ruleSet.storage.assign(Int(decision.verdict.rule), state, assigner)
      let variant = verdict.variant >= 0 ? Int(verdict.variant) : nil
      return ComparedOutcome(rule.outcome(variant), audience: rule.audience.index)
    }
  }

  /// The record as a witness, if the configs have different outcomes for its user.
  func witness(_ record: Value, at placement: ComparedPlacement)
    -> PlacementDifference.Witness?
  {
    let (oldPlan, newPlan) = (comparison.old.plan, comparison.new.plan)
    work += 32 + (placement.oldRules?.count ?? 0) + (placement.newRules?.count ?? 0)
    guard let before = Decided(record, placement.name, old, oldPlan.assigner),
      let after = Decided(record, placement.name, new, newPlan.assigner),
      !before.outcome.isSame(as: after.outcome)
    else { return nil }
    func rule(_ decided: Decided) -> Int? {
      decided.decision.verdict.rule >= 0 ? Int(decided.decision.verdict.rule) : nil
    }
    let cause = placement.cause(from: rule(before), to: rule(after))
    var (reason, question) = placement.reason(cause, before.outcome, after.outcome)
    if let question {
      var bytes: [UInt8] = []
      JSONWriter.append(record, to: &bytes)
      let found = reader.reason(question, bytes)
      reason = ComparedPlacement.reason(found, cause)
    }
    let known = reason ?? .condition
    return PlacementDifference.Witness(
      record: record, from: before.outcome, to: after.outcome, reason: known,
      text: placement.text(known, cause, before.outcome, after.outcome))
  }

  /// Like ``witness(_:at:)``, but tries other user IDs or stored variants if necessary.
  func witness(drawing record: Value, at placement: ComparedPlacement)
    -> PlacementDifference.Witness?
  {
    if let found = witness(record, at: placement) { return found }
    let assigners = (comparison.old.plan.assigner, comparison.new.plan.assigner)
    guard let before = Decided(record, placement.name, old, assigners.0),
      let after = Decided(record, placement.name, new, assigners.1)
    else { return nil }
    for number in 1...Self.mostIDs where before.isDrawn || after.isDrawn {
      work += 4
      let id = "u-\(number)"
      let isSame = before.outcome(for: id, assigners.0)
        .isSame(as: after.outcome(for: id, assigners.1))
      if isSame { continue }
      let changed = record.setting([UserMember.userID.key], to: .string(id))
      if let found = witness(changed, at: placement) { return found }
    }
    return stored(record, before.decision, after.decision, placement)
  }

  /// A user with stored variants, one for each experiment.
  private func stored(
    _ record: Value, _ before: Decision, _ after: Decision, _ placement: ComparedPlacement
  ) -> PlacementDifference.Witness? {
    let (old, new) = (Self.assignments(before), Self.assignments(after))
    for assignment in old + new {
      let changed = record.setting([UserMember.assignments.key], to: .list([assignment]))
      if let found = witness(changed, at: placement) { return found }
    }
    for (first, second) in zip(old, new) {
      let changed = record.setting([UserMember.assignments.key], to: .list([first, second]))
      if let found = witness(changed, at: placement) { return found }
    }
    return nil
  }

  private static func assignments(_ decision: Decision) -> [Value] {
    guard let audience = decision.decidingAudience else { return [] }
    return audience.variants.map {
      .object([
        "experimentId": .string(audience.experimentID), "variantId": .string($0.id),
      ])
    }
  }
}

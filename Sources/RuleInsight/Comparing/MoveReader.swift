internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Finds out why a user moves if the configs alone do not show it. The reason depends on the result
/// of one rule for the user.
final class MoveReader {
  private let old: WitnessDecider
  private let new: WitnessDecider

  init(_ comparison: RuleComparison) {
    old = WitnessDecider(comparison.old.plan.ruleSet, at: comparison.old.plan.clock)
    new = WitnessDecider(comparison.new.plan.ruleSet, at: comparison.new.plan.clock)
  }

  /// The result of a rule for a user, regardless of earlier rules; nil when the record is rejected.
  func reason(_ question: MoveQuestion, _ record: some Sequence<UInt8>) -> Decision.Reason? {
    let decider = question.isOld ? old : new
    guard let state = decider.read(json: record) else { return nil }
    return decider.ruleSet.step(ofRule: question.rule, frame: &decider.frame, state: state).reason
  }
}

internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Finds out why a user moves for whom the configs alone do not say it: looks at what becomes of the
/// user at one rule.
final class MoveReader {
  private let old: WitnessDecider
  private let new: WitnessDecider

  init(_ comparison: RuleComparison) {
    old = WitnessDecider(comparison.old.plan.ruleSet, at: comparison.old.plan.clock)
    new = WitnessDecider(comparison.new.plan.ruleSet, at: comparison.new.plan.clock)
  }

  /// What becomes of a user at a rule, whatever stands before it; nil when the record is refused.
  func reason(_ question: MoveQuestion, _ record: some Sequence<UInt8>) -> Decision.Reason? {
    let decider = question.isOld ? old : new
    guard let state = decider.read(json: record) else { return nil }
    return decider.ruleSet.step(ofRule: question.rule, frame: &decider.frame, state: state).reason
  }
}

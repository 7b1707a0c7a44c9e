package import CivilTime
internal import Expressions
package import RuleEngine

/// Which attributes rules take for numbers, and for nothing else.
package struct NumericAttributes {
  private let kinds: UsualKinds

  package init(_ ruleSet: RuleSet, now: Instant) {
    kinds = UsualKinds([RuleModel(ruleSet, now: now).model])
  }

  package func contains(_ path: [String]) -> Bool {
    kinds.isUsual(path, .int(1)) && !kinds.isUsual(path, .string("1"))
  }
}

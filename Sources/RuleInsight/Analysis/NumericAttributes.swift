package import CivilTime
internal import Expressions
package import RuleEngine

/// The attributes that rules only use as numbers.
package struct NumericAttributes {
  private let kinds: UsualKinds

  package init(_ ruleSet: RuleSet, now: Instant) {
    kinds = UsualKinds([RuleModel(ruleSet, now: now).model])
  }

  package func contains(_ path: [String]) -> Bool {
    kinds.isUsual(path, .int(1)) && !kinds.isUsual(path, .string("1"))
  }
}

internal import Expressions
internal import RuleEngine

/// Finds users for whom a clause decides.
extension PlacementAnalysis {
  /// A question whose witnesses are users for whom a clause decides whether a rule matches them.
  struct DecidingQuestion {
    var question: ConditionSpace.Question
    /// Whether the question asks for users of any kind and with any history. If no such question
    /// has an answer, no such user exists.
    var isGeneral: Bool
  }

  /// Questions that find users for whom a clause decides, the most ordinary users first.
  ///
  /// - Parameter holds: whether the clause should be true for the users.
  /// - Returns: empty if no user reaches the rule.
  func deciding(clause number: Int, holds: Bool, of rule: Int) -> [DecidingQuestion] {
    guard let condition = conditionOf[rule], flips.indices.contains(condition),
      let node = model.conditions[condition].clauses[number].node,
      let flip = flips[condition][number]
    else { return [] }
    let (root, holding) = (model.conditions[condition].root, model.holdingClause)
    let turned = holds ? flip.whenFalse : flip.whenTrue
    let wanted = holds ? holding : OutcomeSet.any.subtracting(holding)
    // A missing attribute is an error too, and makes a less helpful example.
    let plain: OutcomeSet = [.false, .null, .falsy]
    func goals(_ isTaken: Bool, _ own: OutcomeSet, _ whole: OutcomeSet) -> [ConditionSpace.Goal] {
      [.init(root, whole), .init(node, own), .init(turned, isTaken ? .notTrue : .true)]
    }
    // A true clause may prevent the match, for example below a `!`, so both directions are tried.
    let general = [holds, !holds].map { goals($0, wanted, $0 ? .true : .notTrue) }
    let usual =
      holds
      ? []
      : [
        goals(false, plain.subtracting(holding), plain),
        goals(true, plain.subtracting(holding), .true),
      ]
    return [true, false].flatMap { isFirstTime -> [DecidingQuestion] in
      guard let earlier = reaching(rule, isFirstTime: isFirstTime) else { return [] }
      return (isFirstTime ? usual + general : general).map {
        DecidingQuestion(
          question: ConditionSpace.Question($0, sparing: earlier), isGeneral: !isFirstTime)
      }
    }
  }
}

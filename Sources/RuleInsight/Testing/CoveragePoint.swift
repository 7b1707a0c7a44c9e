internal import Expressions
internal import RuleEngine

/// Something of a config that a test can exercise, and that counts once in the share. Rules are those of
/// the rule set.
package enum CoveragePoint: Hashable, Sendable {
  /// The audience decides.
  case audience(rule: Int)
  /// The clause decides while it holds, or while it does not: if it alone came out the other way, the
  /// audience would not take the user, or would.
  case clause(rule: Int, number: Int, holds: Bool)
  case limit(rule: Int, LimitCase)
  /// The audience passes over an owner of its entitlement.
  case owner(rule: Int)
  /// Somebody gets the variant.
  case variant(rule: Int, Int)
  /// A text of a paywall that somebody gets, by its number in the plan's texts.
  case text(paywall: Int, Int)

  /// What can be so of an audience's occurrence limit.
  package enum LimitCase: String, Hashable, Sendable, CaseIterable {
    /// The audience matches, and the limit is used up.
    case usedUp
    /// The audience takes somebody for the last time: one more occurrence and it would not.
    case lastTime
    /// The audience takes somebody who has had it as often as it may, but longer ago than counts.
    case longAgo
  }

  package var rule: Int? {
    switch self {
    case .audience(let rule), .clause(let rule, _, _), .limit(let rule, _), .owner(let rule),
      .variant(let rule, _):
      rule
    case .text: nil
    }
  }

  /// What points of a table's column have in common.
  package enum Group: String, CaseIterable, Sendable {
    case audiences, clauses, limits, owners, variants, texts
  }

  package var group: Group {
    switch self {
    case .audience: .audiences
    case .clause: .clauses
    case .limit: .limits
    case .owner: .owners
    case .variant: .variants
    case .text: .texts
    }
  }
}

extension OccurrenceLimit {
  /// What a test can exercise of the limit.
  var cases: [CoveragePoint.LimitCase] {
    if maxCount <= 0 { return [.usedUp] }
    return interval == .infinity ? [.usedUp, .lastTime] : [.usedUp, .lastTime, .longAgo]
  }
}

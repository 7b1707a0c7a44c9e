internal import Expressions
internal import RuleEngine

/// A part of a config that a test can exercise. Each point counts once in the coverage. Rules are
/// numbered as in the rule set.
package enum CoveragePoint: Hashable, Sendable {
  /// The audience decides.
  case audience(rule: Int)
  /// The clause decides: with the opposite result of this clause alone, the audience's condition
  /// would have another result. `holds` is the result of the clause.
  case clause(rule: Int, number: Int, holds: Bool)
  case limit(rule: Int, LimitCase)
  /// An owner of the audience's entitlement skips the audience.
  case owner(rule: Int)
  /// A user gets the variant.
  case variant(rule: Int, Int)
  /// A user gets a text of a paywall. The text is a number among the plan's texts.
  case text(paywall: Int, Int)

  /// The cases of an audience's occurrence limit.
  package enum LimitCase: String, Hashable, Sendable, CaseIterable {
    /// The audience's condition is true, but the limit is used up.
    case usedUp
    /// The audience takes a user for the last time: one more occurrence would use up the limit.
    case lastTime
    /// The audience takes a user with as many occurrences as the limit allows, because some are too
    /// old to count.
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

  /// The groups of points, one for each column of a table.
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
  /// The cases of the limit that a test can exercise.
  var cases: [CoveragePoint.LimitCase] {
    if maxCount <= 0 { return [.usedUp] }
    return interval == .infinity ? [.usedUp, .lastTime] : [.usedUp, .lastTime, .longAgo]
  }
}

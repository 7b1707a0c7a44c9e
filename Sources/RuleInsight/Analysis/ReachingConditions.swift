internal import RuleEngine

/// The conditions that must be false for users to reach a rule. Rules that users pass in the same way share one list.
final class ReachingConditions {
  struct Way: Hashable {
    var owners: String?
    var limit: OccurrenceLimit?
  }

  enum Rule {
    case condition(Int)
    case passed, everyUser
  }

  private struct Known {
    var end = 0
    var conditions: [Int]? = []
    var seen: Set<Int> = []
  }

  private var known: [Way: Known] = [:]

  /// - Parameter read: returns how users of a rule with this way get past an earlier rule.
  func conditions(
    before rule: Int, in rules: Range<Int>, as way: Way, _ read: (Int) -> Rule
  ) -> [Int]? {
    var own = known.removeValue(forKey: way) ?? Known()
    if own.end > rule { own = Known() }
    for earlier in max(own.end, rules.lowerBound)..<max(rule, rules.lowerBound) {
      switch read(earlier) {
      case .passed: continue
      case .everyUser: own.conditions = nil
      case .condition(let condition):
        if own.seen.insert(condition).inserted { own.conditions?.append(condition) }
      }
    }
    own.end = rule
    known[way] = own
    return own.conditions
  }
}

extension OccurrenceLimit {
  /// Whether every user below this limit is also below another limit.
  func leavesRoom(for other: OccurrenceLimit) -> Bool {
    key.utf8.elementsEqual(other.key.utf8) && maxCount <= other.maxCount
      && other.interval.isWithin(interval)
  }
}

extension OccurrenceLimit.Interval {
  /// Whether every occurrence that counts in this interval also counts in another interval.
  func isWithin(_ other: Self) -> Bool {
    switch (self, other) {
    case (_, .infinity): true
    case (.minutes(let own), .minutes(let other)): own <= other
    case (.session, .session): true
    default: false
    }
  }
}

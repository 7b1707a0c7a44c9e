package import CivilTime
package import Expressions
package import RuleEngine

/// What can be said of a config's rules without users: audiences that nobody gets to, clauses that
/// contradict each other, clauses that are always or never true.
package struct RuleAnalysis {
  /// A finding, with a user for whom it matters where there is one.
  package struct Finding {
    package var diagnostic: Diagnostic
    package var witness: Value?
  }

  /// How many questions were asked, and how they were answered.
  package struct Statistics: Equatable, Sendable {
    package var questions = 0
    package var witnesses = 0
    package var proofs = 0
    package var unknown = 0

    static func += (sum: inout Statistics, part: Statistics) {
      sum.questions += part.questions
      sum.witnesses += part.witnesses
      sum.proofs += part.proofs
      sum.unknown += part.unknown
    }
  }

  package private(set) var findings: [Finding] = []

  /// The user for whom a finding matters.
  package func witness(for diagnostic: Diagnostic) -> Value? {
    findings.first { $0.diagnostic == diagnostic }?.witness
  }

  package private(set) var statistics = Statistics()
  /// By placement, what was seen of it; empty unless users are kept.
  package private(set) var explored: [ExploredPlacement] = []

  /// Asks all questions about all placements.
  ///
  /// - Parameters:
  ///   - now: the time at which witnesses are decided.
  ///   - keepsUsers: whether to look for more users, and to keep all that are found.
  ///   - clock: when and where users are decided; nil for `now`, in UTC.
  ///   - tell: is called before each placement.
  package init(
    _ ruleSet: RuleSet, now: Instant, keepsUsers: Bool = false, at clock: HistoryClock? = nil,
    tell: () -> Void = {}
  ) {
    let rules = RuleModel(ruleSet, now: now)
    let decider = WitnessDecider(ruleSet, at: clock ?? HistoryClock(now: now))
    for placement in ruleSet.placements.indices {
      tell()
      var analysis = PlacementAnalysis(
        ruleSet, placement, rules, decider, now: now, isFromNowOn: !keepsUsers)
      findings += analysis.findings()
      statistics += analysis.statistics
      if keepsUsers { explored.append(analysis.explored()) }
    }
  }
}

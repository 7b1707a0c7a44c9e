package import CivilTime
package import Expressions
package import RuleEngine

/// Findings about a config's rules that need no users: audiences that no user reaches, clauses that
/// contradict each other, clauses that are always or never true.
package struct RuleAnalysis {
  /// A finding, with an example user if there is one.
  package struct Finding {
    package var diagnostic: Diagnostic
    package var witness: Value?
  }

  /// The number of questions, and the number of each kind of answer.
  package struct Statistics: Equatable, Sendable {
    package var questions = 0
    package var witnesses = 0
    package var proofs = 0
    package var unknown = 0
    /// The unknown ones that were not asked, because the limit of work was reached.
    package var notAsked = 0

    static func += (sum: inout Statistics, part: Statistics) {
      sum.questions += part.questions
      sum.witnesses += part.witnesses
      sum.proofs += part.proofs
      sum.unknown += part.unknown
      sum.notAsked += part.notAsked
    }
  }

  package private(set) var findings: [Finding] = []
  private var witnesses: [Diagnostic: Value] = [:]

  /// The example user of a finding.
  package func witness(for diagnostic: Diagnostic) -> Value? { witnesses[diagnostic] }

  package private(set) var statistics = Statistics()
  /// The steps of all searches, and the work of the machine.
  package private(set) var steps = 0
  /// The results of each placement's analysis; empty unless users are stored.
  package private(set) var explored: [ExploredPlacement] = []

  /// Asks all questions about all placements.
  ///
  /// - Parameters:
  ///   - now: the time at which witnesses are decided.
  ///   - keepsUsers: whether to look for more users, and to store all users that are found.
  ///   - clock: the time and time zone of decisions; nil for `now`, in UTC.
  ///   - mostSteps: the most steps of the searches at a placement; nil for a number that depends on the length of its
  ///     conditions.
  ///   - tell: called before each placement.
  package init(
    _ ruleSet: RuleSet, now: Instant, keepsUsers: Bool = false, at clock: HistoryClock? = nil,
    mostSteps: Int? = nil, tell: () -> Void = {}
  ) {
    let rules = RuleModel(ruleSet, now: now)
    let decider = WitnessDecider(ruleSet, at: clock ?? HistoryClock(now: now))
    for placement in ruleSet.placements.indices {
      tell()
      var analysis = PlacementAnalysis(
        ruleSet, placement, rules, decider, now: now, isFromNowOn: !keepsUsers, mostSteps: mostSteps
      )
      findings += analysis.findings()
      statistics += analysis.statistics
      steps += analysis.space.steps
      if keepsUsers { explored.append(analysis.explored()) }
    }
    steps += rules.model.work
    for finding in findings.reversed() {
      if let witness = finding.witness { witnesses[finding.diagnostic] = witness }
    }
  }
}

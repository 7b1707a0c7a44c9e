package import CivilTime
package import Expressions

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
  package init(_ ruleSet: RuleSet, now: Instant, keepsUsers: Bool = false) {
    var places: [[UInt8]: Int] = [:]
    var filterPlaces: [[Filter]: Int] = [:]
    var sources: [ConditionModel.Source] = []
    let conditionOf = ruleSet.rules.map { rule -> Int? in
      guard !rule.isBroken, rule.entry != nil else { return nil }
      if let expression = rule.audience.expression {
        let key = Array(expression.utf8)
        let place = places[key] ?? sources.count
        if place == sources.count { sources.append(.expression(expression)) }
        places[key] = place
        return place
      }
      let place = filterPlaces[rule.audience.filters] ?? sources.count
      if place == sources.count { sources.append(.filters(rule.audience.filters)) }
      filterPlaces[rule.audience.filters] = place
      return place
    }
    let dates = RuleAnalysis.dates(of: ruleSet, from: now)
    let firstDate = sources.count
    sources += dates.map { .expression($0) }
    let model = ConditionModel(
      ruleSet.language.environment(limits: ruleSet.program.limits), sources
    ) { ruleSet.answers(to: $0) }
    let decider = WitnessDecider(ruleSet, now: now)
    for placement in ruleSet.placements.indices {
      var analysis = PlacementAnalysis(
        ruleSet, placement, model, conditionOf: conditionOf,
        dates: firstDate..<sources.count, decider, now: now)
      findings += analysis.findings()
      statistics += analysis.statistics
      if keepsUsers { explored.append(analysis.explored()) }
    }
  }

  /// Conditions that hold for every device from a time on: what it says of the date is not in the past.
  private static func dates(of ruleSet: RuleSet, from now: Instant) -> [String] {
    let day: Int64 = 86_400_000
    // Somewhere it is still yesterday.
    guard let yesterday = (now - day).text else { return [] }
    return ["utcDate", "localDate", "utcDateTime", "localDateTime"].filter { name in
      ruleSet.requirements.contains(AttributePath(["device", name]))
    }.map { "device.\($0) >= \"\(yesterday.prefix(10))\"" }
  }
}

internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// Counts of simulated traffic as tables for a terminal.
struct TrafficText {
  private let plan: TrafficPlan
  private let sums: TrafficSums
  private let style: TextStyle

  /// The maximum number of days, and of days of limits, to list.
  private static let mostDays = 100
  private static let mostLimits = 6

  init(_ plan: TrafficPlan, _ sums: TrafficSums, _ style: TextStyle) {
    self.plan = plan
    self.sums = sums
    self.style = style
  }

  var text: String {
    ([""] + placements + [""] + limits + days + [""] + paywalls + [""] + failures
      + style.wrapped(closing))
      .joined(separator: "\n")
  }

  private var placements: [String] {
    var rows = [["placement", "asked", "paywall", "", "holdout", "", "no match", "", "error", ""]]
    if hasUndecidable { rows[0] += ["undecidable", ""] }
    for (place, name) in plan.placementNames.enumerated() {
      let counts = sums.outcomes[place]
      let asked = counts.reduce(0, +)
      let kinds: [EffectTable.OutcomeKind] =
        [.paywall, .holdout, .noAudienceMatch, .error] + (hasUndecidable ? [.undecidable] : [])
      rows.append(
        [name, grouped(asked)]
          + kinds.flatMap { [grouped(counts[$0.rawValue]), share(counts[$0.rawValue], asked)] })
    }
    return table(rows, spare: [hasUndecidable ? [3, 5, 7, 9, 11] : [3, 5, 7, 9]])
  }

  /// The numbers of users that each limit has held back; empty without limits.
  private var limits: [String] {
    var rows = [["placement", "audience", "", "at most", "matched", "held back", "", "users", ""]]
    var last = ""
    for rule in plan.limitedRules {
      let audience = plan.ruleSet.rules[rule].audience
      let counts = sums.rules[rule]
      let name = plan.name(ofPlacementWith: rule)
      rows.append([
        name == last ? "" : name, String(audience.index), audience.experimentID,
        audience.occurrenceLimit?.short ?? "", grouped(counts.matched), grouped(counts.held),
        share(counts.held, counts.matched), grouped(counts.usersHeld),
        share(counts.usersHeld, sums.users),
      ])
      last = name
    }
    return rows.count > 1
      ? table(rows, left: [0, 2], whole: [3], spanning: [1], spare: [[6, 8], [4]]) + [""] : []
  }

  /// Days with their counts, and with the numbers held back by the most frequent limits.
  private var days: [String] {
    let shown = plan.limitedRules.indices
      .filter { sums.rules[plan.limitedRules[$0]].held > 0 }
      .sorted {
        let (a, b) = (plan.limitedRules[$0], plan.limitedRules[$1])
        return (-sums.rules[a].held, a) < (-sums.rules[b].held, b)
      }
      .prefix(TrafficText.mostLimits)
    let names = shown.map {
      TextWidth.shortened(
        plan.ruleSet.rules[plan.limitedRules[$0]].audience.occurrenceLimit?.key ?? "", to: 20)
    }
    let updates = plan.options.versions?.update == nil ? [] : ["updates"]
    var rows = [["day", "asked", "paywalls", "holdouts", "held back"] + updates + names]
    for number in sums.days.keys.sorted().prefix(TrafficText.mostDays) {
      guard let day = sums.days[number] else { continue }
      let counts =
        [
          day.placements, day.paywalls, day.holdouts, day.held.reduce(0, +),
        ] + (updates.isEmpty ? [] : [day.updates])
      rows.append(
        [TrafficReport.text(ofDay: number)]
          + (counts + shown.map { day.held[$0] }).map { grouped($0) })
    }
    let more = sums.days.count - TrafficText.mostDays
    // The limits that held back the fewest users are dropped first.
    return table(
      rows, left: [], whole: [0], spare: rows[0].indices.dropFirst(5).reversed().map { [$0] })
      + (more > 0 ? ["... and \(counted(more, "more day")); --json has them all"] : [])
  }

  /// The number of users for each number of paywalls seen.
  private var paywalls: [String] {
    var rows = [["times seen", "0", "1", "2", "3", "4", "5-9", "10+"]]
    func row(_ name: String, _ counts: [Int]) -> [String] {
      let shown = counts[0...4] + [counts[5...9].reduce(0, +), counts[10]]
      return [name] + shown.map { grouped($0) }
    }
    for (number, name) in plan.paywalls.enumerated() { rows.append(row(name, sums.seen[number])) }
    rows.append(row("any", sums.seenAny))
    return table(rows)
  }

  /// Rules that failed; empty if there are none.
  private var failures: [String] {
    let failed = plan.errors(sums)
    if failed.isEmpty { return [] }
    let most = SummaryText.errorLimit
    let lines = failed.prefix(most).flatMap { rule, error, count in
      let head =
        "  \(plan.name(ofPlacementWith: rule)), audience \(plan.ruleSet.rules[rule].audience.label): "
      return [
        head + SummaryText.clause(error.clause, behind: head, style.width),
        "    \(error.message): \(counted(count, "time"))",
      ]
    }
    let more = failed.count > most ? ["  and \(failed.count - most) more"] : []
    return (["These rules failed, so their audiences did not match:"] + lines + more)
      .flatMap { style.wrapped(DiagnosticText.visible($0)) } + [""]
  }

  /// Whether SDKs that evaluate JavaScript decide some placements.
  private var hasUndecidable: Bool {
    sums.outcomes.contains { $0[EffectTable.OutcomeKind.undecidable.rawValue] > 0 }
  }

  private var closing: String {
    "\(counted(sums.users, "user")), \(counted(sums.placements, "placement")) in "
      + "\(counted(sums.sessions, "session")), \(counted(sums.purchases, "purchase"))"
      + (plan.options.versions?.update == nil ? "" : ", \(counted(sums.updates, "update"))")
      + ". Shares are "
      + "of requests, of matches and of users."
  }

  private func share(_ count: Int, _ all: Int) -> String {
    guard all > 0, count > 0 else { return "" }
    let tenths = Int((Double(count) / Double(all) * 1_000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
  }

  private func table(
    _ rows: [[String]], left: Set<Int> = [0], whole: Set<Int> = [], spanning: Set<Int> = [],
    spare: [Set<Int>] = []
  ) -> [String] {
    TextTable(
      rows: rows.map { $0.map(DiagnosticText.visible) }, left: left, whole: whole,
      spanning: spanning, spare: spare
    ).lines(style)
  }
}

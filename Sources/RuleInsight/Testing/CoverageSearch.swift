internal import CivilTime
package import Expressions
package import RuleEngine

/// Looks for users that exercise the points that tests do not. Every gap gets a user or a reason why no such user
/// exists, or is reported as unknown.
package struct CoverageSearch {
  /// The result for a point that no test exercises.
  package enum Gap: Hashable, Sendable {
    /// A user exists that exercises the point.
    case closable
    /// No user can exercise the point, for this reason.
    case impossible(String)
    /// No user was found, for this reason.
    case unknown(String)
  }

  /// The factor for the usual number of steps of a question. The factor is high because no user
  /// waits for an answer at a keystroke.
  private static let effort = 20

  /// The numbers of times that tests have exercised each part.
  package let counts: CoverageCounts
  /// All points in the order of the config, including points that cannot be exercised.
  package private(set) var points: [CoveragePoint] = []
  /// The gaps, by point that no test exercises.
  package private(set) var gaps: [CoveragePoint: Gap] = [:]
  /// Lines of tests that close the gaps.
  package private(set) var lines: [Value] = []

  package init(_ counter: CoverageCounter, clock: HistoryClock) {
    self.init(counter, clock: clock) { _ in }
  }

  /// - Parameters:
  ///   - counter: the counter that has counted the users of the tests. Afterwards it has also
  ///     counted the users of ``lines``.
  ///   - clock: the time at which the users of ``lines`` are decided.
  ///   - tell: called with the number of the placement before each of its rules.
  package init<Problem: Error>(
    _ counter: CoverageCounter, clock: HistoryClock, _ tell: (Int) throws(Problem) -> Void
  ) throws(Problem) {
    counts = counter.counts
    let decider = WitnessDecider(counter.ruleSet, at: clock)
    for number in counter.ruleSet.placements.indices {
      let placement = counter.ruleSet.placements[number]
      let own = placement.rules.flatMap { counter.points(ofRule: $0) }
      points += own
      if own.allSatisfy({ counts[$0] > 0 }) { continue }
      let analysis = PlacementAnalysis(
        counter.ruleSet, number, counter.rules, decider, now: clock.now, flips: counter.flips,
        effort: Self.effort)
      var closing = PlacementClosing(counter, placement.name, analysis, clock)
      for rule in placement.rules {
        try tell(number)
        closing.close(rule)
      }
      gaps.combine(closing.gaps) { $1 }
      // Users that were found for other points may exercise this point too.
      for point in own where counts[point] == 0 && counter.counts[point] > 0 {
        gaps[point] = .closable
      }
      lines += closing.lines
    }
    closeTexts(counter)
  }

  private mutating func closeTexts(_ counter: CoverageCounter) {
    guard let texts = counter.texts else { return }
    for (number, paywall) in texts.paywalls.enumerated() {
      let giving = counter.ruleSet.rules.indices.flatMap { rule in
        counter.ruleSet.rules[rule].audience.variants.indices.filter {
          counter.ruleSet.rules[rule].paywall($0) == paywall.identifier
        }.map { CoveragePoint.variant(rule: rule, $0) }
      }
      let isKnown = giving.allSatisfy { if case .impossible? = gaps[$0] { true } else { false } }
      for text in paywall.names.indices {
        let point = CoveragePoint.text(paywall: number, text)
        points.append(point)
        if counts[point] > 0 { continue }
        gaps[point] =
          counter.counts[point] > 0
          ? .closable
          : isKnown
            ? .impossible("no user gets the paywall")
            : .unknown("no user was found that gets the paywall")
      }
    }
  }

  // MARK: Shares

  /// The number of exercised points among some points, and the number of points that can be exercised.
  package func share(of points: some Sequence<CoveragePoint>) -> (exercised: Int, all: Int) {
    var (exercised, all) = (0, 0)
    for point in points {
      if case .impossible? = gaps[point] { continue }
      all += 1
      if counts[point] > 0 { exercised += 1 }
    }
    return (exercised, all)
  }
}

extension RuleSet.Rule {
  /// The paywall of a variant.
  fileprivate func paywall(_ variant: Int) -> String? {
    if case .paywall(let experiment) = outcome(variant) { return experiment.variant.paywallID }
    return nil
  }
}

extension CoverageCounter {
  /// The points of a rule, in a natural order.
  package func points(ofRule number: Int) -> [CoveragePoint] {
    let rule = ruleSet.rules[number]
    var points = [CoveragePoint.audience(rule: number)]
    if rule.audience.entitlementGuard != nil { points.append(.owner(rule: number)) }
    for clause in clauses(ofRule: number).indices {
      points += sides(ofClause: clause, ofRule: number).map {
        .clause(rule: number, number: clause, holds: $0)
      }
    }
    points += rule.audience.occurrenceLimit?.cases.map { .limit(rule: number, $0) } ?? []
    // Users only get a variant while the experiment is running.
    if rule.audience.experimentStatus == .running {
      points += rule.audience.variants.indices.map { .variant(rule: number, $0) }
    }
    return points
  }

  /// A point in words, for the name of a test.
  func title(of point: CoveragePoint) -> String {
    guard let rule = point.rule else { return "" }
    let audience = ruleSet.rules[rule].audience
    let head = "audience \(audience.label)"
    switch point {
    case .audience, .text: return head
    case .owner: return "\(head), owns \(audience.entitlementGuard ?? "")"
    case .clause(_, let number, let holds):
      let text = Self.short(clauses(ofRule: rule)[number].text)
      if isLiteral(clause: number, ofRule: rule) { return "\(head), '\(text)' decides" }
      return "\(head), \(holds ? "" : "not ")\(text)"
    case .limit(_, .usedUp): return "\(head), limit used up"
    case .limit(_, .lastTime): return "\(head), last time within the limit"
    case .limit(_, .longAgo): return "\(head), limit used up long ago"
    case .variant(_, let variant): return "\(head), \(audience.variants[variant].id)"
    }
  }

  private static func short(_ text: String) -> String {
    let line = text.split(whereSeparator: { $0.isWhitespace }).joined(separator: " ")
    return line.count <= 80 ? line : String(line.prefix(79)) + "…"
  }
}

internal import RuleEngine
internal import RuleInsight

/// The words of a coverage run.
extension CoverageRun {
  static func percent(_ share: (exercised: Int, all: Int)) -> String {
    share.all == 0 ? "-" : ReportNumber.percent(share.exercised, of: share.all)
  }

  /// The last line: `61.2 % covered: 30 of 49 by 6 tests; 2 cannot be exercised`.
  var closingLine: String {
    let share = share
    guard share.all > 0 else { return "Nothing to cover" }
    return
      "\(Self.percent(share)) covered: \(grouped(share.exercised)) of \(grouped(share.all)) by "
      + counted(tests, "test")
      + (impossible > 0 ? "; \(grouped(impossible)) cannot be exercised" : "")
  }

  /// The groups that contain at least one point.
  var groups: [CoveragePoint.Group] {
    let present = Set(search.points.map(\.group))
    return CoveragePoint.Group.allCases.filter { present.contains($0) }
  }

  /// The placement of each rule.
  var placements: [(name: String, points: [CoveragePoint])] {
    counter.ruleSet.placements.map { placement in
      (placement.name, placement.rules.flatMap { counter.points(ofRule: $0) })
    }
  }
}

internal import Expressions
internal import RuleEngine

/// Tests that were decided to see what they exercise, and users for what they do not.
struct CoverageRun {
  let counter: CoverageCounter
  let search: CoverageSearch
  /// Tests that could be decided.
  private(set) var tests = 0
  /// Those of them that expect something else.
  private(set) var failing = 0
  /// What cannot be run, and why.
  private(set) var faults: [String]

  /// - Parameters:
  ///   - tests: the users that are counted.
  ///   - start: when tests without a time are decided, and the users who close gaps.
  ///   - clock: a time by the zone that times are told in.
  init(
    _ tests: [PlacedTest], faults: [String], ruleSet: RuleSet, assigner: Assigner,
    texts: TextPlan?, start: HistoryClock, isQuiet: Bool,
    clock: (Instant) throws -> HistoryClock
  ) throws {
    self.faults = faults
    counter = CoverageCounter(ruleSet, assigner: assigner, clock: start, texts: texts)
    for placed in tests {
      try Signals.check()
      if let fault = placed.placementFault(ruleSet) {
        self.faults.append(fault)
        continue
      }
      do {
        let time = try placed.test.now.map(clock) ?? start
        let decision = try counter.add(placed.test, at: time)
        self.tests += 1
        if !placed.test.expectation.differences(from: decision).isEmpty { failing += 1 }
      } catch let rejection as UserRecordReader.Rejection {
        self.faults.append("\(placed.file):\(placed.line): \(rejection.reason)")
      }
    }
    var progress = ProgressLine(isQuiet: isQuiet)
    let all = ruleSet.placements.count
    search = try CoverageSearch(counter, clock: start) { number in
      try Signals.check()
      if progress.isDue() { progress.show("\(grouped(number)) of \(grouped(all)) placements") }
    }
    progress.interrupt()
  }

  /// The share of what can be exercised that is.
  var share: (exercised: Int, all: Int) { search.share(of: search.points) }
  var impossible: Int { search.points.count - share.all }

  /// Whether tests exercise less than a share, in percent.
  func isBelow(_ percent: Double) -> Bool {
    Double(share.exercised) * 100 < percent * Double(share.all)
  }

  static func percent(_ share: (exercised: Int, all: Int)) -> String {
    share.all == 0 ? "-" : ReportNumber.percent(share.exercised, of: share.all)
  }

  /// `61.2 % covered: 30 of 49 by 6 tests; 2 cannot be exercised`
  var closingLine: String {
    let share = share
    guard share.all > 0 else { return "Nothing to cover" }
    return
      "\(Self.percent(share)) covered: \(grouped(share.exercised)) of \(grouped(share.all)) by "
      + counted(tests, "test")
      + (impossible > 0 ? "; \(grouped(impossible)) cannot be exercised" : "")
  }

  /// The groups that there is anything of.
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

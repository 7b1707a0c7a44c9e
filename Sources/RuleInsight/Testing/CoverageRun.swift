internal import Expressions
package import RuleEngine

/// Tests that were decided to see what they exercise, and users for what they do not.
package struct CoverageRun {
  package let counter: CoverageCounter
  package let search: CoverageSearch
  /// Tests that could be decided.
  package private(set) var tests = 0
  /// Those of them that expect something else.
  package private(set) var failing = 0
  /// What cannot be run, and why.
  package private(set) var faults: [String]

  /// - Parameters:
  ///   - tests: the users that are counted.
  ///   - start: when tests without a time are decided, and the users who close gaps.
  ///   - clock: a time by the zone that times are told in.
  ///   - tell: is called before each test, and then with the number of each placement that is searched;
  ///     what it throws ends the run.
  package init(
    _ tests: [PlacedTestCase], faults: [String], ruleSet: RuleSet, assigner: Assigner,
    texts: TextPlan?, start: HistoryClock, clock: (Instant) throws -> HistoryClock,
    tell: (_ placement: Int?) throws -> Void
  ) throws {
    self.faults = faults
    counter = CoverageCounter(ruleSet, assigner: assigner, clock: start, texts: texts)
    for placed in tests {
      try tell(nil)
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
        self.faults.append("\(placed.place): \(rejection.reason)")
      }
    }
    search = try CoverageSearch(counter, clock: start) { try tell($0) }
  }

  /// The share of what can be exercised that is.
  package var share: (exercised: Int, all: Int) { search.share(of: search.points) }
  package var impossible: Int { search.points.count - share.all }

  /// Whether tests exercise less than a share, in percent.
  package func isBelow(_ percent: Double) -> Bool {
    Double(share.exercised) * 100 < percent * Double(share.all)
  }
}

internal import Expressions
package import RuleEngine

/// Decides tests to measure their coverage, and finds users for the parts that are not covered.
package struct CoverageRun {
  package let counter: CoverageCounter
  package let search: CoverageSearch
  /// The number of tests that could be decided.
  package private(set) var tests = 0
  /// The number of decided tests that fail.
  package private(set) var failing = 0
  /// The tests that cannot run, with the reasons.
  package private(set) var faults: [String]

  /// - Parameters:
  ///   - tests: the users to count.
  ///   - start: the time for tests without one, and for the users that close gaps.
  ///   - clock: the clock with the time zone for displayed times.
  ///   - tell: called before each test, and then with the number of each placement that is
  ///     searched. If it throws, the run ends.
  package init<Problem: Error>(
    _ tests: [PlacedTestCase], faults: [String], ruleSet: RuleSet, assigner: Assigner,
    texts: TextPlan?, start: HistoryClock, clock: (Instant) throws(Problem) -> HistoryClock,
    tell: (_ placement: Int?) throws(Problem) -> Void
  ) throws(Problem) {
    self.faults = faults
    counter = CoverageCounter(ruleSet, assigner: assigner, clock: start, texts: texts)
    for placed in tests {
      try tell(nil)
      if let fault = placed.placementFault(ruleSet) {
        self.faults.append(fault)
        continue
      }
      let time = try placed.test.now.map(clock) ?? start
      do throws(UserRecordReader.Rejection) {
        let decision = try counter.add(placed.test, at: time)
        self.tests += 1
        if !placed.test.expectation.differences(from: decision).isEmpty { failing += 1 }
      } catch {
        self.faults.append("\(placed.place): \(error.reason)")
      }
    }
    search = try CoverageSearch(counter, clock: start) { (number) throws(Problem) in
      try tell(number)
    }
  }

  /// The number of exercised points, and the number of all points that can be exercised.
  package var share: (exercised: Int, all: Int) { search.share(of: search.points) }
  package var impossible: Int { search.points.count - share.all }

  /// Whether tests exercise less than a percentage.
  package func isBelow(_ percent: Double) -> Bool {
    Double(share.exercised) * 100 < percent * Double(share.all)
  }
}

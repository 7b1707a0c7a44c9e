internal import Expressions
internal import RuleEngine

/// Tests of a config's rules, run one after the other.
struct RuleTestRun {
  /// A test that was run.
  struct Ran {
    var test: PlacedTest
    var result: RuleTestResult
  }

  private(set) var ran: [Ran] = []
  /// What could not be run, and why.
  private(set) var faults: [String] = []

  var failed: Int { ran.count { !$0.result.differences.isEmpty } }
  var passed: Int { ran.count - failed }

  /// - Parameters:
  ///   - tests: what is to be run.
  ///   - faults: what cannot be.
  ///   - clock: the time of tests that say none, by the zone that times are told in.
  init(
    _ tests: [PlacedTest], faults: [String], ruleSet: RuleSet, assigner: Assigner,
    clock: (Instant?) throws -> HistoryClock
  ) throws {
    self.faults = faults
    var tester = RuleTester(ruleSet, assigner: assigner, clock: try clock(nil))
    for placed in tests {
      try Signals.check()
      if ruleSet.placement(named: placed.test.placement) == nil,
        placed.test.expectation.result != "placementNotFound"
      {
        let close = Suggestion.closest(to: placed.test.placement, among: ruleSet.placementNames)
        self.faults.append(
          "\(placed.file):\(placed.line): the config has no placement '\(placed.test.placement)'"
            + (close.map { "; did you mean '\($0)'?" } ?? ""))
        continue
      }
      do {
        let result = try tester.run(placed.test, at: try clock(placed.test.now))
        ran.append(Ran(test: placed, result: result))
      } catch let rejection as UserRecordReader.Rejection {
        self.faults.append("\(placed.file):\(placed.line): \(rejection.reason)")
      }
    }
  }

  var closingLine: String {
    "\(grouped(passed)) passed, \(grouped(failed)) failed"
      + (faults.isEmpty ? "" : ", \(grouped(faults.count)) could not be run")
  }

  var counts: Value {
    .object([
      "passed": .int(Int64(passed)), "failed": .int(Int64(failed)),
      "unusable": .int(Int64(faults.count)),
    ])
  }
}

extension RuleTestRun.Ran {
  /// What a person reads of a test that failed.
  var text: String {
    let head =
      test.test.name == nil
      ? "FAILED \(test.title)" : "FAILED \(test.title)  (\(test.file):\(test.line))"
    let width = result.differences.map(\.field.count).max() ?? 0
    let differences = result.differences.map { difference in
      let pad = String(repeating: " ", count: width - difference.field.count)
      return "  \(difference.field)\(pad)  expected \(difference.expected), got \(difference.got)"
    }
    return ([head] + differences + ["  user \(result.subjectID), \(result.got)"] + result.reasons)
      .map(DiagnosticText.visible).joined(separator: "\n")
  }

  var value: Value {
    .object([
      "name": test.test.name.map { .string($0) } ?? .null, "file": .string(test.file),
      "line": .int(Int64(test.line)), "placement": .string(test.test.placement),
      "userId": .string(result.subjectID), "passed": .bool(result.differences.isEmpty),
      "differences": .list(
        result.differences.map { difference in
          .object([
            "field": .string(difference.field), "expected": .string(difference.expected),
            "got": .string(difference.got),
          ])
        }),
      "reasons": .list(result.reasons.map { .string($0) }),
    ])
  }
}

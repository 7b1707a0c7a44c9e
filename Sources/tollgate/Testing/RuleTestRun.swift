internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// Tests of a config's rules, run one after the other.
struct RuleTestRun {
  /// A test that was run.
  struct Ran {
    var test: PlacedTestCase
    var result: RuleTestResult
  }

  private(set) var ran: [Ran] = []
  /// The tests that could not run, with the reasons.
  private(set) var faults: [String] = []

  var failed: Int { ran.count { !$0.result.differences.isEmpty } }
  var passed: Int { ran.count - failed }

  /// - Parameters:
  ///   - tests: the tests to run.
  ///   - faults: the tests that cannot run.
  ///   - texts: the texts of paywalls at a time, or nil.
  ///   - clock: the time for tests without their own time, and the time zone for displayed times.
  init(
    _ tests: [PlacedTestCase], faults: [String], ruleSet: RuleSet, assigner: Assigner,
    texts: (Instant) throws -> TextPlan? = { _ in nil },
    clock: (Instant?) throws -> HistoryClock
  ) throws {
    self.faults = faults
    var tester = RuleTester(ruleSet, assigner: assigner, clock: try clock(nil))
    for placed in tests {
      try Signals.check()
      if let fault = placed.placementFault(ruleSet) {
        self.faults.append(fault)
        continue
      }
      let clock = try clock(placed.test.now)
      let plan = placed.test.expectation.texts.isEmpty ? nil : try texts(clock.now)
      if plan == nil, !placed.test.expectation.texts.isEmpty {
        self.faults.append(
          "\(placed.file):\(placed.line): the test expects texts: give the templates with --render FILE"
        )
        continue
      }
      do {
        let result = try tester.run(placed.test, at: clock, texts: plan)
        ran.append(Ran(test: placed, result: result))
      } catch {
        self.faults.append("\(placed.file):\(placed.line): \(error.reason)")
      }
    }
  }

  /// The maximum number of invalid lines to report. In a file of another kind all lines are
  /// invalid.
  private static let mostFaults = 20

  /// Reports the tests that cannot run.
  static func tell(_ faults: [String]) {
    for fault in faults.prefix(mostFaults) { FileText.printError("error: \(fault)") }
    if faults.count > mostFaults {
      FileText.printError(
        "... and \(grouped(faults.count - mostFaults)) more that could not be run")
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
  /// The description of a failed test.
  var text: String {
    let head =
      test.test.name == nil
      ? "FAILED \(test.title)" : "FAILED \(test.title)  (\(test.file):\(test.line))"
    let width = result.differences.map(\.field.count).max() ?? 0
    let differences = result.differences.map { difference in
      let pad = String(repeating: " ", count: width - difference.field.count)
      let (expected, got) = Self.shortened(difference)
      return "  \(difference.field)\(pad)  expected \(expected), got \(got)"
    }
    return ([head] + differences + ["  user \(result.subjectID), \(result.got)"] + result.reasons)
      .map(DiagnosticText.visible).joined(separator: "\n")
  }

  /// The description as an annotation at the test; nil if the test is not in a file.
  var annotation: String? {
    if test.file == PlacedTestCase.standardInput { return nil }
    let differences = result.differences.map { difference in
      let (expected, got) = Self.shortened(difference)
      return "\(difference.field): expected \(expected), got \(got)"
    }
    return Annotations.line(
      ([test.title] + differences + ["user \(result.subjectID), \(result.got)"] + result.reasons)
        .map(DiagnosticText.visible).joined(separator: "\n"),
      file: test.file, line: test.line)
  }

  /// The parts of two long texts around their first difference.
  private static func shortened(_ difference: RuleExpectation.Difference) -> (String, String) {
    let most = 72
    let (expected, got) = (Array(difference.expected), Array(difference.got))
    guard max(expected.count, got.count) > most else {
      return (difference.expected, difference.got)
    }
    let same = zip(expected, got).prefix { $0 == $1 }.count
    func part(_ text: [Character]) -> String {
      let start = same <= most / 2 ? 0 : same - most / 3
      let end = min(text.count, start + most)
      return (start > 0 ? "…" : "") + String(text[min(start, end)..<end])
        + (end < text.count ? "…" : "")
    }
    return (part(expected), part(got))
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

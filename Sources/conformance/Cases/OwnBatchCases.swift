internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import Scenarios

/// Suite `tollgate-batches`: lines of a users file, and the resulting outcome lines.
///
/// One worker decides the lines three times, the second time in reverse order. Data that the engine learns or stores
/// from one line must not change the outcome of another.
enum BatchCases {
  private static let rounds = 3
  private static let defaultNow = "2026-03-01T12:00:00Z"

  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    let lines = CaseValues.list(testCase.input("users")).map { user in
      // A string is the unchanged line.
      if let line = user.text { line } else { user.json }
    }
    guard let plan = try plan(testCase), !lines.isEmpty else {
      throw CaseFileError(message: "case \(testCase.id) lacks an input")
    }
    var worker = BatchWorker(plan)
    let chunk = self.chunk(lines)
    let reversed = self.chunk(lines.reversed())
    let expected = testCase.content["expect"] ?? .null
    var got = Value.null
    for round in 0..<rounds {
      if round > 0 { _ = worker.process(reversed) }
      let output = worker.process(chunk)
      got = [
        "outcomes": .list(try outcomes(output, testCase)),
        "rejected": .list(output.rejected.map { .int(Int64($0.line)) }),
        "summary": output.tally.value,
        "unknownKeys": .list(output.notes.unknownKeys.keys.sorted().map { .string($0) }),
      ]
      guard CaseComparison.matches(got, expected, partial: true) else { break }
    }
    return .judge(got, against: expected)
  }

  private static func chunk(_ lines: [String]) -> [UInt8] {
    Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private static func outcomes(
    _ output: borrowing BatchWorker.Output, _ testCase: Case
  ) throws(CaseFileError) -> [Value] {
    var values: [Value] = []
    for line in output.outcomes.split(separator: UInt8(ascii: "\n")) {
      guard let value = try? Value.parse(json: line) else {
        throw CaseFileError(message: "case \(testCase.id): an outcome line is not JSON")
      }
      values.append(value)
    }
    return values
  }

  private static func plan(_ testCase: Case) throws(CaseFileError) -> BatchPlan? {
    guard let json = testCase.input("config"),
      let config = Config.decode(json.json.utf8).output,
      let rules = RuleSet.compile(config, language: DecisionCases.language(testCase)).output,
      let now = try? WireTime.instant(testCase.input("now")?.text ?? defaultNow)
    else { return nil }
    let names = CaseValues.texts(testCase.input("placements"))
    let clock = testCase.input("timeZone")?.text.flatMap {
      HistoryClock(now: now, timeZone: $0)
    }
    return BatchPlan(
      rules, placements: names.isEmpty ? nil : names, now: now,
      assigner: DecisionCases.assigner(testCase),
      layout: testCase.input("layout")?.text.flatMap(OutcomeLayout.init(rawValue:))
        ?? .long, clock: clock)
  }
}

import CArrow
import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// White space at the ends of user IDs: kept by default and told, removed as the SDKs do where that is wanted.
@Suite struct UserIDTests {
  private static let ids: [(id: String, trimmed: String)] = [
    ("u-1", "u-1"), ("u-1 ", "u-1"), (" u-1", "u-1"), ("\\tu-1\\n", "u-1"),
    ("\u{A0}u-1\u{A0}", "u-1"), ("\u{2003}a b\u{3000}", "a b"), ("\\u0000u", "\0u"),
    ("a longer identity than fits ", "a longer identity than fits"), ("é ", "é"),
  ]

  private func assigned(_ plan: BatchPlan, _ id: String) throws -> String {
    var worker = BatchWorker(plan)
    let lines = (0..<3).map { _ in #"{"userId":"\#(id)"}"# }
    let output = worker.process(Array(lines.joined(separator: "\n").utf8))
    #expect(output.tally.users == 3, "\(id)")
    let line = try #require(output.outcomes.split(separator: UInt8(ascii: "\n")).last)
    return try #require(try Value.parse(json: line)["userId"]?.text)
  }

  @Test func lines() throws {
    for reading in UserID.Reading.allCases {
      var rules = try ruleSet(wireRule(expression: "true"))
      rules.userIDs = reading
      let plan = BatchPlan(rules, now: 0, assigner: .hash(salt: ""))
      for (id, trimmed) in Self.ids {
        let raw = try #require(try Value.parse(json: Array("\"\(id)\"".utf8)).text)
        #expect(try assigned(plan, id) == (reading == .sdk ? trimmed : raw), "\(reading)")
      }
    }
  }

  @Test func tables() throws {
    var rules = try ruleSet(wireRule(expression: "true"))
    rules.userIDs = .sdk
    let rows: [Value] = [["userId": "u-1 "], ["userId": "u-2"], ["userId": "  "]]
    let table = ArrowTable(.structure([("userId", .text("u"))]), rows)
    let plan = BatchPlan(
      rules, now: 0, assigner: .hash(salt: ""), form: .rows, writesOutcomes: false, texts: nil,
      collectsChoices: true)
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    _ = try worker.decide(table.array)
    #expect(worker.rejected.map(\.row) == [2])
    #expect(worker.rejected.first?.reason == "'userId' contains only white space")
  }

  /// Both ways say how many users it is about.
  @Test func notes() throws {
    for (reading, severity) in [(UserID.Reading.bytes, Diagnostic.Severity.warning), (.sdk, .note)]
    {
      var rules = try ruleSet(wireRule(expression: "true"))
      rules.userIDs = reading
      var worker = BatchWorker(BatchPlan(rules, now: 0, assigner: .hash(salt: "")))
      let lines = ["u-1 ", "u-2", "u-3 ", "u-4 "].map { #"{"userId":"\#($0)"}"# }
      let notes = worker.process(Array(lines.joined(separator: "\n").utf8)).notes
      let found = rules.diagnostics(of: notes, users: 4)
      #expect(found.map(\.severity) == [severity])
      #expect(
        found.first?.message.hasPrefix("3 user IDs begin or end with white space, such as \"u-1 \"")
          == true)
      #expect(RecordNotes(notes.value) == notes)
    }
  }
}

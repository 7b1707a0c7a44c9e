import Expressions
import Foundation
import RuleBatch
import RuleEngine
import TestSupport
import Testing

@testable import conformance

/// Every expression of the corpus as a rule, over the contexts of the corpus as users: a batch, which
/// reads records by their shape and decides in columns, gives what deciding one user at a time gives.
@Suite("The corpus in columns")
struct CorpusInColumnsTests {
  private static func cases(_ files: [String]) throws -> [Case] {
    try files.flatMap { try CaseFile.read("\(Conformance.corpus)/\($0)") }
  }

  /// A config with a placement for each expression.
  private func rules(
    _ expressions: [String], _ language: RuleLanguage, _ behavior: EvaluatorBehavior
  ) throws -> RuleSet {
    let triggers = expressions.enumerated().map { number, expression -> Value in
      [
        "event_name": .string("p\(number)"),
        "rules": [
          [
            "experiment_id": .string("e\(number)"), "experiment_group_id": "g",
            "expression_cel": .string(expression),
            "variants": [
              [
                "variant_id": "v", "variant_type": "TREATMENT", "percentage": 100,
                "paywall_identifier": "pw",
              ]
            ],
          ]
        ],
      ]
    }
    let config: Value = ["build_id": "b", "trigger_options": .list(triggers)]
    let decoded = try #require(Config.decode(config.json.utf8).output)
    return try #require(RuleSet.compile(decoded, language: language, behavior: behavior).output)
  }

  /// The line of a user with a context's roots.
  private func line(_ number: Int, _ context: Value) -> String {
    var entries: [Value.Entry] = [.init(key: "userId", value: .string("u\(number)"))]
    for root in ["user", "device", "params"] {
      if let value = context[root] { entries.append(.init(key: .string(root), value: value)) }
    }
    return Value.map(entries).json
  }

  private func compare(
    _ expressions: [String], _ lines: [String], _ language: RuleLanguage,
    _ behavior: EvaluatorBehavior = .text
  ) throws {
    let rules = try rules(expressions, language, behavior)
    let plan = BatchPlan(rules, now: 0, assigner: .hash(salt: ""))
    var expected: [String] = []
    for line in lines {
      var frame = Frame(for: rules.program)
      var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
      guard (try? reader.read(json: line.utf8, into: &frame)) != nil else { continue }
      let state = reader.state(now: 0)
      for name in rules.placementNames {
        let decision = rules.decide(name, frame: &frame, state: state, assigner: plan.assigner)
        let errors = rules.errors(name, frame: &frame, state: state)
        expected.append(decision.outcomeLine(subjectID: state.subjectID, errors: errors).json)
      }
    }
    var worker = BatchWorker(plan)
    func chunk(_ lines: [String]) -> [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }
    // From the second round on the shape of every record is known; in between another user has each
    // row.
    for round in 0..<3 {
      if round > 0 { _ = worker.process(chunk(lines.reversed())) }
      let output = worker.process(chunk(lines))
      let got = String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n")
      try #require(got.count == expected.count)
      let pairs = zip(got, expected)
      if let (a, b) = pairs.first(where: { !$0.utf8.elementsEqual($1.utf8) }) {
        Issue.record("in round \(round): \(a) in columns, alone \(b), of \(expressions)")
      }
    }
  }

  /// Whether a case goes to the limits of steps or memory, which takes long for every user.
  private func runsLong(_ testCase: Case) -> Bool {
    testCase.content["expect"]?["error"]?.text?.contains("limit") == true
  }

  @Test(arguments: [RuleLanguage.cel, .superscript(.ios)])
  func ownExpressions(language: RuleLanguage) throws {
    let cases = try Self.cases([
      "own/expressions.jsonl", "own/dates.jsonl", "regressions/expressions.jsonl",
    ]).filter { ($0.content["limits"], $0.content["dialect"]) == (nil, nil) && !runsLong($0) }
    #expect(cases.count > 400)
    for start in stride(from: 0, to: cases.count, by: 30) {
      let part = cases[start..<min(start + 30, cases.count)]
      let expressions = part.compactMap { $0.content["expression"]?.text }
      let lines = part.enumerated().map { line($0, $1.content["context"] ?? .map([])) }
      try compare(expressions, lines, language)
    }
  }

  @Test(arguments: Extent.some(0..<4))
  func recordedExpressions(part: Int) throws {
    let contexts = try CaseFile.read("\(Conformance.corpus)/cases/superscript-recorded.jsonl")
    let companion = try #require(contexts.first).companions
    let all = CaseValues.entries(try companion.value("superscript-contexts.json"))
    let lines = all.enumerated().map { line($0, $1.value["variables"] ?? .map([])) }
    var expressions: [String] = []
    for (number, testCase) in contexts.enumerated() where number % 8 == 2 * part {
      if let text = testCase.content["expression"]?.text { expressions.append(text) }
    }
    for start in stride(from: 0, to: expressions.count, by: 60) {
      let some = Array(expressions[start..<min(start + 60, expressions.count)])
      try compare(some, lines, .superscript(.ios))
    }
  }

  /// The same for each generation of the evaluator, with programs that tell them apart.
  @Test(arguments: EvaluatorBehavior.allCases) func recordedVersions(behavior: EvaluatorBehavior)
    throws
  {
    let cases = try CaseFile.read("\(Conformance.corpus)/cases/superscript-versions.jsonl.gz")
    let companions = try #require(cases.first).companions
    let all = CaseValues.entries(try companions.value("superscript-contexts-versions.json"))
    let lines = all.enumerated().map { line($0, $1.value["variables"] ?? .map([])) }
    let expressions = cases.enumerated().compactMap { number, testCase in
      number % 7 == 3 ? testCase.content["expression"]?.text : nil
    }
    for start in stride(from: 0, to: expressions.count, by: 60) {
      let some = Array(expressions[start..<min(start + 60, expressions.count)])
      try compare(some, lines, .superscript(.ios), behavior)
    }
  }
}

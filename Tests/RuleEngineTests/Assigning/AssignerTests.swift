import Expressions
import TestSupport
import Testing

@testable import RuleBatch
@testable import RuleEngine

/// Where subjects without a stored assignment go.
@Suite struct AssignerTests {
  private func fraction(_ salt: String, _ experiment: String, _ subject: String) -> Double {
    var subject = subject
    return subject.withUTF8 {
      Assigner.fraction(salt: salt, experimentID: experiment, subject: $0)
    }
  }

  /// The parts are counted, so that moving a letter from one to the next gives another hash.
  @Test func partsDoNotRunTogether() {
    let parts = [
      ("ab", "c", "d"), ("a", "bc", "d"), ("a", "b", "cd"), ("abcd", "", ""), ("", "abcd", ""),
      ("", "", "abcd"), ("abc", "d", ""), ("", "", ""), ("\u{4}abcd", "", ""),
    ]
    let fractions = parts.map { fraction($0.0, $0.1, $0.2) }
    #expect(Set(fractions).count == parts.count)
    #expect(fractions.allSatisfy { $0 >= 0 && $0 < 1 })
  }

  /// Bytes count, not characters.
  @Test func nothingIsNormalised() {
    #expect(fraction("", "e", "caf\u{E9}") != fraction("", "e", "cafe\u{301}"))
  }

  /// A batch and a single decision take the same draw, for subjects of every length and kind.
  @Test func batchesDrawAlike() throws {
    let variants = (0..<50).map {
      "{\"variant_id\":\"v\($0)\",\"variant_type\":\"HOLDOUT\",\"percentage\":2}"
    }.joined(separator: ",")
    let rules = try ruleSet(wireRule("é experiment", variants: variants))
    let assigner = Assigner.hash(salt: "salt \u{1F92A}")
    var worker = BatchWorker(BatchPlan(rules, now: 0, assigner: assigner))
    let subjects =
      [0, 7, 14, 15, 16, 17, 31, 32, 100, 5_000].map { "u" + String(repeating: "x", count: $0) }
      + ["é", "日本", "\u{1F92A}", "a\nb", "\"", "\\", "\u{0}", "cafe\u{301}"]
    for subject in subjects {
      var frame = Frame(for: rules.program)
      let state = DecisionState(subjectID: subject, now: 0)
      let decision = rules.decide("p", frame: &frame, state: state, assigner: assigner)
      let record: Value = ["userId": .string(subject)]
      let line = String(decoding: worker.process(Array(record.json.utf8)).outcomes, as: UTF8.self)
      #expect(line == decision.outcomeLine(subjectID: subject).json + "\n")
    }
  }

  /// How often each variant is drawn among `count` subjects.
  private func counts(_ weights: [Double], experiment: String = "e", _ count: Int = 30_000) -> [Int]
  {
    let table = WeightTable(weights)
    var counts = Array(repeating: 0, count: weights.count)
    for number in 0..<count {
      let draw = fraction("salt", experiment, "user-\(number)") * table.drawRange
      counts[table.variant(draw: draw)!] += 1
    }
    return counts
  }

  /// Shares are the weights' shares of their sum, within five standard deviations.
  @Test(
    arguments: [
      [50, 50], [45, 45, 10], [0, 0, 0, 0], [1, 2, 3, 4], [0.1, 0.2, 0.7], [33.3, 33.3, 33.4],
      [0, 5, 0, 5],
      [1_000, 1], [1e-9, 3e-9],
    ] as [[Double]])
  func sharesFollowTheWeights(weights: [Double]) {
    let sum = weights.reduce(0, +)
    let count = 30_000.0
    for (found, weight) in zip(counts(weights), weights) {
      let share = sum > 0 ? weight / sum : 1 / Double(weights.count)
      let bound = 5 * (count * share * (1 - share)).squareRoot()
      #expect(abs(Double(found) - count * share) <= bound, "\(found) of \(weight) in \(weights)")
    }
  }

  /// A variant whose weight grows keeps everybody it had: the draws stay where they are.
  @Test func growingAShareMovesNobodyOut() {
    let before = WeightTable([20, 80])
    let after = WeightTable([40, 60])
    for number in 0..<5_000 {
      let draw = fraction("", "e", "user-\(number)") * 100
      if before.variant(draw: draw) == 0 { #expect(after.variant(draw: draw) == 0) }
    }
  }

  /// Experiments, and salts, are independent: a chi-square test over the table of two times ten
  /// variants. With 81 degrees of freedom, 150 is five standard deviations off.
  @Test(arguments: [
    ("e1", "s", "e2", "s"), ("e", "s1", "e", "s2"), ("experiment_1", "", "experiment_2", ""),
    ("exp_101", "demo", "exp_102", "demo"), ("a", "", "b", ""),
  ])
  func independence(first: String, salt: String, second: String, otherSalt: String) {
    let table = WeightTable(Array(repeating: 1, count: 10))
    let total = 50_000
    var counts = Array(repeating: Array(repeating: 0, count: 10), count: 10)
    for number in 0..<total {
      let a = table.variant(draw: fraction(salt, first, "\(number)") * 10)!
      let b = table.variant(draw: fraction(otherSalt, second, "\(number)") * 10)!
      counts[a][b] += 1
    }
    let rows = counts.map { Double($0.reduce(0, +)) }
    let columns = (0..<10).map { column in Double(counts.reduce(0) { $0 + $1[column] }) }
    var chiSquare = 0.0
    for a in 0..<10 {
      for b in 0..<10 {
        let expected = rows[a] * columns[b] / Double(total)
        chiSquare +=
          (Double(counts[a][b]) - expected) * (Double(counts[a][b]) - expected) / expected
      }
    }
    #expect(chiSquare < 150 && chiSquare > 30, "\(chiSquare)")
  }

  /// A number from the caller decides as its share of the weights says.
  @Test(arguments: [(0.0, "a"), (0.199, "a"), (0.2, "b"), (0.999, "b")])
  func drawsFromTheCaller(fraction: Double, variant: String) throws {
    let rules = try ruleSet(
      wireRule(
        variants: """
          {"variant_id":"a","variant_type":"HOLDOUT","percentage":10},
          {"variant_id":"b","variant_type":"HOLDOUT","percentage":40}
          """))
    var frame = Frame(for: rules.program)
    let state = DecisionState(subjectID: "u", now: 0)
    let decision = rules.decide("p", frame: &frame, state: state, assigner: .draw(fraction))
    guard case .holdout(let experiment) = decision.outcome else {
      Issue.record("\(decision.outcome)")
      return
    }
    #expect(experiment.variant.id == variant)
  }

  /// No number a caller can give traps, whatever the weights.
  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 2, 1, 1e300])
  func oddNumbersFromTheCaller(fraction: Double) throws {
    for (a, b) in [(0, 0), (10, 0), (50, 50)] {
      let rules = try ruleSet(
        wireRule(
          variants: """
            {"variant_id":"a","variant_type":"HOLDOUT","percentage":\(a)},
            {"variant_id":"b","variant_type":"HOLDOUT","percentage":\(b)}
            """))
      var frame = Frame(for: rules.program)
      let state = DecisionState(subjectID: "u", now: 0)
      let decision = rules.decide("p", frame: &frame, state: state, assigner: .draw(fraction))
      #expect(decision.audience == 0)
    }
  }
}

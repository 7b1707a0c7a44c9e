import Expressions
import Testing

@testable import RuleBatch
@testable import RuleEngine

/// What a batch counts for reports is what deciding every user by itself gives.
@Suite struct DrawCountsTests {
  /// Three placements: two experiments at the first, one of which is at the second again, and
  /// another at the third.
  private func rules() throws -> RuleSet {
    func audience(_ index: Int, _ id: String, _ condition: String?, _ weights: [Double]) -> Audience
    {
      Audience(
        index: index, experimentID: id, expression: condition,
        variants: weights.enumerated().map {
          Variant(id: "v\($0)", kind: .treatment, weight: $1, paywallID: "p\($0)")
        })
    }
    let config = Config(placements: [
      Placement(
        name: "first",
        audiences: [
          audience(0, "x", "user.age > 30", [50, 50]), audience(1, "y", nil, [20, 30, 50]),
        ]),
      Placement(name: "second", audiences: [audience(0, "x", nil, [50, 50])]),
      Placement(name: "third", audiences: [audience(0, "z", "user.age > 10", [10, 90])]),
    ])
    return try RuleSet.compile(config, language: .cel).get()
  }

  private func users() -> [String] {
    (0..<3_000).map { number in
      let variant = number % 14 == 0 ? "v1" : "gone"
      let stored =
        number % 7 == 0
        ? #","assignments":[{"experimentId":"x","variantId":"\#(variant)"}]"# : ""
      return #"{"userId":"u-\#(number)","user":{"age":\#(number % 60)}\#(stored)}"#
    }
  }

  private func plan(_ rules: RuleSet, writes: Bool, counts: Bool = true) -> BatchPlan {
    BatchPlan(
      rules, now: 0, assigner: .hash(salt: "s"), writesOutcomes: writes, texts: nil,
      countsDraws: counts)
  }

  private func sums(_ plan: BatchPlan, parts: Int = 1) -> BatchSums {
    var sums = plan.emptySums
    var worker = BatchWorker(plan)
    let users = users()
    let size = users.count / parts
    for part in 0..<parts {
      let lines = users[part * size..<(part + 1) * size].joined(separator: "\n")
      sums.add(worker.process(Array(lines.utf8)).sums)
    }
    return sums
  }

  @Test func pairsAndStoredVariantsAreThoseOfDeciding() throws {
    let rules = try rules()
    var stored: [String: Int] = [:]
    var pairs: [[String]: Int] = [:]
    var examples: [String: String] = [:]
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
    for user in users() {
      try reader.read(json: Array(user.utf8), into: &frame)
      let state = reader.state(now: 0)
      var met: [String: String] = [:]
      for name in rules.placementNames {
        let decision = rules.decide(
          name, frame: &frame, state: state, assigner: .hash(salt: "s"))
        guard case .paywall(let experiment) = decision.outcome else { continue }
        let key = "\(name)/\(experiment.id)/\(experiment.variant.id)"
        if examples[key] == nil { examples[key] = state.subjectID }
        if decision.assignmentSource == .stored {
          stored[key, default: 0] += 1
        } else {
          met[experiment.id] = experiment.variant.id
        }
      }
      let ids = met.keys.sorted()
      for (number, first) in ids.enumerated() {
        for second in ids[(number + 1)...] {
          pairs[[first, met[first] ?? "", second, met[second] ?? ""], default: 0] += 1
        }
      }
    }
    for (writes, parts) in [(true, 1), (false, 1), (true, 10), (false, 6)] {
      let plan = plan(rules, writes: writes)
      let sums = sums(plan, parts: parts)
      var found: [[String]: Int] = [:]
      for pair in plan.drawnPairs(of: sums) {
        for (row, counts) in pair.users.enumerated() {
          for (column, count) in counts.enumerated() where count > 0 {
            let key = [
              pair.first.id, pair.first.variants[row], pair.second.id, pair.second.variants[column],
            ]
            found[key, default: 0] += count
          }
        }
      }
      #expect(found == pairs)
      var (foundStored, foundExamples): ([String: Int], [String: String]) = ([:], [:])
      for placement in plan.reach(of: sums) {
        for audience in placement.audiences {
          for variant in audience.variants {
            let key = "\(placement.counts.name)/\(audience.counts.experimentID)/\(variant.id)"
            if variant.stored > 0 { foundStored[key] = variant.stored }
            foundExamples[key] = variant.example
          }
        }
      }
      #expect(foundStored == stored)
      #expect(foundExamples == examples)
    }
    #expect(stored.count == 2)
    #expect(pairs.count > 10)
  }

  @Test func countingDrawsChangesNothingElse() throws {
    let rules = try rules()
    let plain = plan(rules, writes: true, counts: false)
    let counting = plan(rules, writes: true)
    var a = BatchWorker(plain)
    var b = BatchWorker(counting)
    let lines = Array(users().joined(separator: "\n").utf8)
    let (left, right) = (a.process(lines), b.process(lines))
    #expect(left.outcomes == right.outcomes)
    #expect(left.tally == right.tally)
    #expect(left.sums.draws == nil)
    #expect(plain.emptySums.draws == nil)
  }

  /// Two experiments of which a placement gives one cannot be met together elsewhere.
  @Test func pairsAreThoseThatCanMeet() throws {
    let plan = plan(try rules(), writes: true)
    let draws = try #require(plan.draws)
    #expect(draws.experiments.map(\.id) == ["x", "y", "z"])
    #expect(draws.pairs.count == 3)
    let alone = BatchPlan(
      try rules(), placements: ["first"], now: 0, assigner: .djb2, texts: nil, countsDraws: true)
    #expect(alone.draws?.pairs.isEmpty == true)
  }

  /// However many experiments there are, the tables stay small.
  @Test func pairsAreBounded() throws {
    let placements = (0..<200).map { number in
      Placement(
        name: "p\(number)",
        audiences: [
          Audience(
            index: 0, experimentID: "e\(number)",
            variants: (0..<8).map {
              Variant(id: "v\($0)", kind: .holdout, weight: 1)
            })
        ])
    }
    let rules = try RuleSet.compile(Config(placements: placements), language: .cel).get()
    let plan = plan(rules, writes: false)
    let draws = try #require(plan.draws)
    #expect(draws.pairs.count * 64 <= 20_000)
    #expect(draws.pairs.count + draws.pairsLeftOut == 200 * 199 / 2)
    var worker = BatchWorker(plan)
    let output = worker.process(Array(#"{"userId":"u"}"#.utf8))
    #expect(plan.drawnPairs(of: output.sums).allSatisfy { $0.users.joined().reduce(0, +) == 1 })
  }
}

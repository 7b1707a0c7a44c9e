import Expressions
import TestSupport
import Testing

@testable import RuleBatch
@testable import RuleEngine

/// Whom audiences get to, against explanations of every user.
@Suite struct ReachTests {
  typealias Sample = BatchDifferentialTests.Sample

  /// What the explanations of all users come to, as ``BatchPlan/reach(of:)`` has it: what is counted,
  /// by name, with the number of users and the first of them.
  private func expected(_ sample: Sample, _ explanations: [Explanation]) -> [String: String] {
    var counts: [String: (users: Int, first: String)] = [:]
    func add(_ name: String, _ explanation: Explanation) {
      counts[name, default: (0, explanation.state.subjectID)].users += 1
    }
    for explanation in explanations {
      let decision = explanation.decision
      if decision.audience == nil { add("\(decision.placement) unmatched", explanation) }
      for step in explanation.audiences.map(\.step) where step.reason != .notReached {
        let name = "\(decision.placement) \(step.index)"
        add("\(name) reached", explanation)
        switch step.reason {
        case .entitled: add("\(name) owned", explanation)
        case .occurrenceLimit:
          add("\(name) matched", explanation)
          add("\(name) heldBack", explanation)
        case .matched:
          add("\(name) matched", explanation)
          add("\(name) taken", explanation)
          let variant = Int(decision.verdict.variant)
          if variant >= 0 {
            add("\(name) variant \(variant)", explanation)
            if decision.assignmentSource == .stored {
              add("\(name) stored \(variant)", explanation)
            }
          }
        default: break
        }
      }
    }
    return counts.mapValues { "\($0.users) \($0.first)" }
  }

  private func told(_ reach: [Reach]) -> [String: String] {
    var counts: [String: String] = [:]
    func add(_ name: String, _ users: Int, _ example: String?) {
      #expect((users > 0) == (example != nil), "\(name)")
      if let example { counts[name] = "\(users) \(example)" }
    }
    for placement in reach {
      let name = placement.counts.name
      add("\(name) unmatched", placement.counts.unmatched, placement.unmatched)
      for audience in placement.audiences {
        let name = "\(name) \(audience.counts.index)"
        let (counts, examples) = (audience.counts, audience.examples)
        add("\(name) reached", counts.reached, examples.reached)
        add("\(name) owned", counts.owned, examples.owned)
        add("\(name) matched", counts.matched, examples.matched)
        add("\(name) heldBack", counts.heldBack, examples.heldBack)
        add("\(name) taken", counts.taken, examples.taken)
        for (number, variant) in audience.variants.enumerated() {
          add("\(name) variant \(number)", variant.users, variant.example)
        }
        #expect(counts.matched == counts.heldBack + counts.taken)
      }
    }
    return counts
  }

  private func reach(_ sample: Sample, inChunksOf size: Int) -> [Reach] {
    let plan = sample.plan(writes: false, examples: true)
    var worker = BatchWorker(plan)
    var sums = plan.emptySums
    for start in stride(from: 0, to: sample.lines.count, by: size) {
      let lines = sample.lines[start..<min(start + size, sample.lines.count)]
      sums.add(worker.process(Array(lines.joined(separator: "\n").utf8)).sums)
    }
    return plan.reach(of: sums)
  }

  @Test(arguments: Extent.some(0..<32) + Extent.some(100..<116))
  func agreesWithExplanations(seed: UInt64) throws {
    let sample = try Sample(seed: seed, lines: 80)
    var expected = expected(sample, try sample.decided().decisions)
    let reach = reach(sample, inChunksOf: 33)
    // Stored variants have no examples.
    for placement in reach {
      for audience in placement.audiences {
        for (number, variant) in audience.variants.enumerated() {
          let name = "\(placement.counts.name) \(audience.counts.index) stored \(number)"
          let known = expected.removeValue(forKey: name).map { $0.prefix { $0 != " " } }
          #expect(known ?? "0" == "\(variant.stored)")
        }
      }
    }
    #expect(told(reach) == expected)
  }

  /// Exact shares of those who draw sum to them.
  @Test(arguments: Extent.some(0..<16))
  func expectations(seed: UInt64) throws {
    let sample = try Sample(seed: seed, lines: 60)
    for placement in reach(sample, inChunksOf: 60) {
      for audience in placement.audiences where !audience.variants.isEmpty {
        let drawn = audience.variants.reduce(0) { $0 + $1.drawn }
        let sum = audience.variants.reduce(into: Ratio.zero) { sum, variant in
          sum = sum.adding(variant.expected ?? .zero)
        }
        #expect(sum == Ratio(UInt128(drawn), 1))
      }
    }
  }

  /// With as many users as there are, draws are near what was to be expected, and stored variants are
  /// not among them.
  @Test func drawnAndStored() throws {
    let variants =
      #"{"variant_id":"a","variant_type":"TREATMENT","percentage":30,"#
      + #""paywall_identifier":"pw"},{"variant_id":"b","variant_type":"HOLDOUT","percentage":70}"#
    let rules = try ruleSet(wireRule("e", variants: variants))
    let stored = #","assignments":[{"experimentId":"e","variantId":"a"}]"#
    let users = (0..<4_000).map { "{\"userId\":\"u\($0)\"\($0 % 4 == 0 ? stored : "")}" }
    let plan = BatchPlan(
      rules, now: 0, assigner: .hash(salt: ""), writesOutcomes: false, texts: nil,
      wantsExamples: true)
    var worker = BatchWorker(plan)
    let audience = try #require(
      plan.reach(of: worker.process(Array(users.joined(separator: "\n").utf8)).sums)
        .first?.audiences.first)
    #expect(audience.variants.map(\.stored) == [1_000, 0])
    #expect(audience.variants.map(\.expected) == [Ratio(900, 1), Ratio(2_100, 1)])
    #expect(audience.variants.map(\.share.description) == ["3/10", "7/10"])
    #expect(abs(audience.variants[0].drawn - 900) < 100)
    #expect(audience.variants.map(\.example) == ["u0", audience.variants[1].example])
    #expect(Ratio(UInt128.max, 7).times(8) == nil)
  }
}

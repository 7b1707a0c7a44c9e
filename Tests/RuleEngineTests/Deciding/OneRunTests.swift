import Expressions
import RuleEngine
import TestSupport
import Testing

/// The conditions of a placement are one run of the program, and yet each is by itself.
@Suite struct OneRunTests {
  private func rules(_ expressions: [String?], limits: Limits = Limits()) throws -> RuleSet {
    let audiences = expressions.enumerated().map {
      Audience(
        index: $0, experimentID: "e\($0)", expression: $1,
        variants: [Variant(id: "v", kind: .holdout, weight: 1)])
    }
    let config = Config(placements: [Placement(name: "p", audiences: audiences)])
    return try #require(
      RuleSet.compile(config, language: .cel, limits: limits).output)
  }

  /// Work of one condition is not charged to the next: every one of these takes most of the limit.
  @Test func stepsAreRenewed() throws {
    let work = "user.l.all(x, x >= 0) && user.n == "
    let rules = try rules(
      (0..<20).map { "\(work)\($0)" }, limits: Limits(steps: 150))
    let list = Value.list((0..<100).map { .int($0) })
    for n in [0, 7, 19] {
      let context: Value = ["user": ["l": list, "n": .int(Int64(n))]]
      #expect(try decide(rules, context).audience == n)
      #expect(try reasons(rules, context)[n] == .matched)
    }
    // One that takes more than the limit errs, and those behind it do not.
    let long = Value.list((0..<200).map { .int($0) })
    let mixed = try self.rules(
      ["\(work)1", "user.n == 1", nil], limits: Limits(steps: 150))
    #expect(try decide(mixed, ["user": ["l": long, "n": 1]]).audience == 1)
  }

  /// Memory of one condition is given back before the next.
  @Test func memoryIsRenewed() throws {
    let text = String(repeating: "x", count: 400)
    let rules = try rules(
      (0..<20).map { "(user.s + user.s).size() == 800 && user.n == \($0)" },
      limits: Limits(memoryBytes: 2_000))
    for n in [0, 19] {
      let context: Value = ["user": ["s": .string(text), "n": .int(Int64(n))]]
      #expect(try decide(rules, context).audience == n)
    }
  }

  /// An error that one condition passed over is not found by the next.
  @Test func passedOverErrorsAreForgotten() throws {
    let rules = try rules([
      "user.missing == 1 || user.n == 5", "user.n > 0 && user.n < 9",
      "user.missing == 2 && user.n == 1",
      "(user.missing == 1 || user.n == 3) && user.n == 3", nil,
    ])
    for (n, expected) in [(5, 0), (3, 1), (0, 4), (10, 4)] {
      let context: Value = ["user": ["n": .int(Int64(n))]]
      #expect(try decide(rules, context).audience == expected)
      #expect(try reasons(rules, context)[expected] == .matched)
    }
  }

  /// Where a limit or a guard holds a rule back, the run goes on behind it.
  @Test func goingOnBehindARule() throws {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
    let variants = [Variant(id: "v", kind: .holdout, weight: 1)]
    let audiences = [
      Audience(
        index: 0, experimentID: "a", expression: "user.n > 0", occurrenceLimit: limit,
        variants: variants),
      Audience(
        index: 1, experimentID: "b", expression: "user.n > 1", variants: variants,
        entitlementGuard: "pro"),
      Audience(index: 2, experimentID: "c", occurrenceLimit: limit, variants: variants),
      Audience(index: 3, experimentID: "d", variants: variants, entitlementGuard: "pro"),
      Audience(index: 4, experimentID: "e", expression: "user.n == 2", variants: variants),
    ]
    let config = Config(placements: [Placement(name: "p", audiences: audiences)])
    let rules = try #require(RuleSet.compile(config).output)
    var frame = Frame(for: rules.program)
    for (n, times, owned, expected) in [
      (1, 0, [], 0), (1, 1, [], 3), (2, 1, [], 1), (2, 1, ["pro"], 4), (1, 1, ["pro"], nil),
      (0, 0, [], 2), (0, 1, ["x"], 3),
    ] as [(Int, Int, [String], Int?)] {
      try frame.fill(["user": ["n": .int(Int64(n))]])
      let state = DecisionState(
        subjectID: "u", now: 0,
        occurrences: [.init(key: "k", times: Array(repeating: 0, count: times))],
        entitlements: owned)
      let decision = rules.decide("p", frame: &frame, state: state, assigner: .djb2)
      #expect(decision.audience == expected)
      let steps = rules.steps("p", frame: &frame, state: state)
      #expect(steps.first { $0.reason == .matched }?.index == expected)
    }
  }
}

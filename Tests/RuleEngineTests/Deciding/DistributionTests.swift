import Expressions
import TestSupport
import Testing

@testable import RuleEngine

/// Exact probabilities: they sum to one, and are what draws give.
@Suite struct DistributionTests {
  /// Random weights of all sizes, many of them fractions, some zero.
  private static func weights(_ random: inout SplitMix) -> [Double] {
    let count = Int.random(in: 1...6, using: &random)
    let scale = [1.0, 10, 1_000, 1e9, 1e-6].randomElement(using: &random)!
    return (0..<count).map { _ in
      switch Int.random(in: 0..<5, using: &random) {
      case 0: 0
      case 1: Double(Int.random(in: 0...100, using: &random)) * scale
      case 2: Double(Int.random(in: 0...1_000, using: &random)) / 10
      case 3: Double(Int.random(in: 0...3, using: &random))
      default: Double.random(in: 0...1, using: &random) * scale
      }
    }
  }

  private func rules(_ weights: [Double]) throws -> RuleSet {
    let variants = weights.enumerated().map {
      Variant(id: "v\($0)", kind: .treatment, weight: $1, paywallID: "p\($0)")
    }
    let audience = Audience(index: 0, experimentID: "e", variants: variants)
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    return try #require(RuleSet.compile(config).output)
  }

  private func shares(_ rules: RuleSet, _ assigner: Assigner) -> [Ratio] {
    var frame = Frame(for: rules.program)
    let state = DecisionState(subjectID: "u", now: 0)
    return rules.distribution("p", frame: &frame, state: state, assigner: assigner).shares
      .map(\.probability)
  }

  /// How often each variant comes of draws that lie evenly: the middle of each of `count` parts.
  private func counts(_ rules: RuleSet, _ variants: Int, _ count: Int) -> [Int] {
    var frame = Frame(for: rules.program)
    let state = DecisionState(subjectID: "u", now: 0)
    var counts = Array(repeating: 0, count: variants)
    for i in 0..<count {
      let draw = (Double(i) + 0.5) / Double(count)
      let decision = rules.decide("p", frame: &frame, state: state, assigner: .draw(draw))
      counts[Int(decision.verdict.variant)] += 1
    }
    return counts
  }

  /// Even draws fall on each variant as often as its probability says, to within one at each end of
  /// its range.
  @Test(arguments: 0..<120)
  func drawsAgree(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let weights = Self.weights(&random)
    let rules = try rules(weights)
    let shares = shares(rules, .hash(salt: ""))
    #expect(shares.count == weights.count)
    #expect(shares.reduce(Ratio.zero) { $0.adding($1) } == .one)
    let count = 2_000
    for (found, share) in zip(counts(rules, weights.count, count), shares) {
      #expect(abs(Double(found) - share.double * Double(count)) <= 1.000_001, "\(weights)")
      // What cannot come never comes.
      if share == .zero { #expect(found == 0) }
    }
  }

  /// Whole weights: draws at the middle of every unit give each variant exactly its weight.
  @Test(arguments: [
    [1, 2, 3], [45, 45, 10], [0, 7, 0], [100], [1, 99], [0, 0, 0], [3, 0, 4, 5],
  ])
  func unitsAgree(weights: [Int]) throws {
    let rules = try rules(weights.map { Double($0) })
    let sum = weights.reduce(0, +)
    let units = sum > 0 ? sum : weights.count
    let counts = counts(rules, weights.count, units)
    let shares = shares(rules, .draw(0))
    #expect(shares == counts.map { Ratio(UInt128($0), UInt128(units)) })
    if weights.count > 1, sum > 0 { #expect(counts == weights) }
  }

  /// djb2's buckets are counted, not computed.
  @Test(
    arguments: [
      ([50, 30, 20], ["1/2", "3/10", "1/5"]), ([33.3, 33.3, 33.4], ["17/50", "33/100", "33/100"]),
      ([1, 1], ["1/2", "1/2"]), ([0, 0, 0], ["17/50", "33/100", "33/100"]), ([5], ["1"]),
    ] as [([Double], [String])])
  func buckets(weights: [Double], expected: [String]) throws {
    #expect(shares(try rules(weights), .djb2).map(\.description) == expected)
  }

  /// What is certain has one outcome.
  @Test func certainty() throws {
    let rules = try rules([50, 50])
    var frame = Frame(for: rules.program)
    var state = DecisionState(
      subjectID: "u", now: 0, assignments: [.init(experimentID: "e", variantID: "v1")])
    func outcomes(_ placement: String) -> [String] {
      rules.distribution(placement, frame: &frame, state: state, assigner: .djb2).shares
        .map { "\($0.outcome.code) \($0.probability)" }
    }
    #expect(outcomes("p") == ["paywall 1"])
    #expect(outcomes("q") == ["placementNotFound 1"])
    state.assignments = [.init(experimentID: "e", variantID: "gone")]
    #expect(outcomes("p") == ["paywall 1/2", "paywall 1/2"])
  }

  /// Names are shortened as far as a line has to be, and no further than to 16 columns.
  @Test func linesFit() throws {
    let variants = ["a-variant-with-a-long-name", "b"].map {
      Variant(id: $0, kind: .treatment, weight: 50, paywallID: "pw")
    }
    let audience = Audience(index: 0, experimentID: "e", variants: variants)
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    let rules = try #require(RuleSet.compile(config).output)
    var frame = Frame(for: rules.program)
    let shares = rules.distribution(
      "p", frame: &frame, state: DecisionState(subjectID: "u", now: 0), assigner: .hash(salt: ""))
    func widest(_ width: Int?) -> Int {
      shares.text(width: width).split(separator: "\n").map(\.count).max() ?? 0
    }
    let whole = widest(nil)
    #expect(widest(whole) == whole && !shares.text(width: whole).contains("…"))
    for narrow in [whole - 1, whole - 5] {
      #expect(widest(narrow) == narrow && shares.text(width: narrow).contains("…"))
    }
    #expect(widest(1) == widest(10))
  }
}

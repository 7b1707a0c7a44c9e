import Expressions
import RuleEngine
import Testing

/// A treatment and a holdout for subjects on the free plan, at most once a day.
private func dailyRules() throws -> RuleSet {
  let audience = Audience(
    index: 0, experimentID: "e", campaignID: "c", expression: "user.plan == 'free' && params.n > 1",
    occurrenceLimit: OccurrenceLimit(key: "k", maxCount: 1, interval: .minutes(1_440)),
    variants: [
      Variant(id: "t", kind: .treatment, weight: 50, paywallID: "pw"),
      Variant(id: "h", kind: .holdout, weight: 50),
    ])
  let config = Config(placements: [Placement(name: "p", audiences: [audience])])
  return try #require(RuleSet.compile(config).output)
}

private func evaluator(_ subject: String = "u") throws -> PlacementEvaluator {
  PlacementEvaluator(
    ruleSet: try dailyRules(), subjectID: subject, attributes: ["user": ["plan": "free"]])
}

@Suite("Placement evaluator")
struct PlacementEvaluatorTests {
  @Test func askingKeepsTheAssignmentAndConsumesNothing() throws {
    var evaluator = try evaluator()
    let first = evaluator.presentationResult("p", params: ["n": 2], now: 0)
    let assigned = evaluator.assignments
    #expect(assigned.count == 1)
    #expect(evaluator.occurrences.isEmpty)
    #expect(evaluator.presentationResult("p", params: ["n": 2], now: 1) == first)
    #expect(evaluator.assignments == assigned)
  }

  @Test func paramsAndPlacementDecide() throws {
    var evaluator = try evaluator()
    #expect(evaluator.presentationResult("p", params: ["n": 1], now: 0) == .noAudienceMatch)
    #expect(evaluator.presentationResult("p", now: 0) == .noAudienceMatch)
    #expect(evaluator.presentationResult("q", now: 0) == .placementNotFound)
    #expect(evaluator.assignments.isEmpty)
  }

  @Test func applyingUsesUpTheOccurrenceUntilTheWindowHasPassed() throws {
    var evaluator = try evaluator()
    let decision = evaluator.decide("p", params: ["n": 2], now: 0)
    evaluator.apply(decision, now: 0)
    #expect(
      evaluator.presentationResult("p", params: ["n": 2], now: 86_400_000) == .noAudienceMatch)
    #expect(
      evaluator.presentationResult("p", params: ["n": 2], now: 86_400_001) != .noAudienceMatch)
  }

  @Test func aVariantThatIsGoneIsReplaced() throws {
    var evaluator = PlacementEvaluator(
      ruleSet: try dailyRules(), subjectID: "u", attributes: ["user": ["plan": "free"]],
      assignments: [.init(experimentID: "e", variantID: "gone")])
    _ = evaluator.presentationResult("p", params: ["n": 2], now: 0)
    #expect(evaluator.assignments.map(\.experimentID) == ["e"])
    #expect(evaluator.assignments.first?.variantID != "gone")
  }

  @Test func rulesReadTheEvents() throws {
    let audience = Audience(
      index: 0, experimentID: "e", campaignID: "c",
      expression: #"device.placementsSinceInstall("open") == 1"#,
      variants: [Variant(id: "t", kind: .treatment, weight: 100, paywallID: "pw")])
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    var evaluator = PlacementEvaluator(
      ruleSet: try #require(RuleSet.compile(config).output), subjectID: "u", attributes: [:])
    #expect(evaluator.presentationResult("p", now: 1_000) == .noAudienceMatch)
    evaluator.events.record("open", at: 500)
    #expect(evaluator.presentationResult("p", now: 1_000).type == "Paywall")
  }

  @Test func aStoredAssignmentWins() throws {
    for variant in ["t", "h"] {
      var evaluator = PlacementEvaluator(
        ruleSet: try dailyRules(), subjectID: "u", attributes: ["user": ["plan": "free"]],
        assignments: [.init(experimentID: "e", variantID: variant)])
      let result = evaluator.presentationResult("p", params: ["n": 2], now: 0)
      #expect(result.type == (variant == "t" ? "Paywall" : "Holdout"))
    }
  }
}

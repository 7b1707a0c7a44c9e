import Expressions
import RuleEngine
import TestSupport
import Testing

@Suite("Deciding")
struct DecideTests {
  private static let limit =
    #"{"key":"k","max_count":1,"interval":{"type":"MINUTES","minutes":60}}"#

  @Test func theFirstMatchDecides() throws {
    let rules = try ruleSet(
      wireRule("a", expression: "user.n > 5"), wireRule("b", expression: "user.n > 3"),
      wireRule("c"))
    #expect(try decide(rules, ["user": ["n": 9]]).audience == 0)
    #expect(try decide(rules, ["user": ["n": 4]]).audience == 1)
    #expect(try decide(rules, ["user": ["n": 1]]).audience == 2)
  }

  @Test func reasonsTellEveryAudience() throws {
    let rules = try ruleSet(
      wireRule("a", expression: "user.missing == 1"), wireRule("b", expression: "user.n == 2"),
      wireRule("c", expression: "user.n"), wireRule("d", occurrence: DecideTests.limit),
      wireRule("e"), wireRule("f"), language: .cel)
    let reasons = try reasons(rules, ["user": ["n": 1]], occurrences: ["k": [0]])
    guard case .expressionError(let error) = reasons[0] else {
      Issue.record("\(reasons[0])")
      return
    }
    #expect(error.kind == .noSuchAttribute)
    #expect(reasons[1] == .expressionFalse(valueType: nil))
    #expect(reasons[2] == .expressionFalse(valueType: "int"))
    #expect(
      reasons[3]
        == .occurrenceLimit(
          count: 1, limit: OccurrenceLimit(key: "k", maxCount: 1, interval: .minutes(60))))
    #expect(reasons[4] == .matched)
    #expect(reasons[5] == .notReached)
  }

  @Test func aBrokenExpressionDoesNotMatch() throws {
    let config = try #require(
      Config.decode(superwall: wireConfig(rules: wireRule(expression: "1 +") + "," + wireRule("b")))
        .output)
    let rules = try #require(RuleSet.compile(config).output)
    #expect(try decide(rules).audience == 1)
    #expect(try reasons(rules) == [.expressionBroken, .matched])
  }

  @Test func placementsAreFoundByTheirBytes() throws {
    let rules = try ruleSet(wireRule())
    var frame = Frame(for: rules.program)
    let state = DecisionState(subjectID: "u", now: 0)
    for name in ["q", "P", "p ", ""] {
      let decision = rules.decide(name, frame: &frame, state: state, assigner: .hash(salt: ""))
      #expect(decision.outcome == .placementNotFound)
      #expect(rules.steps(name, frame: &frame, state: state).isEmpty)
    }
    #expect(try decide(try ruleSet()).outcome == .noAudienceMatch)
  }

  @Test func effectsAreWhatFollows() throws {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: .minutes(60))
    let rules = try ruleSet(wireRule("e", occurrence: DecideTests.limit))
    #expect(
      try decide(rules).effects == [
        .storeAssignment(experimentID: "e", variantID: "v"), .recordOccurrence(limit),
      ])
    #expect(try decide(rules, assignments: [("e", "v")]).effects == [.recordOccurrence(limit)])
    #expect(try decide(rules, occurrences: ["k": [0]]).effects == [])
  }

  /// A variant without a paywall is drawn and kept, and nobody has seen anything.
  @Test func effectsOfAVariantWithoutAPaywall() throws {
    let rules = try ruleSet(
      wireRule(
        "e", occurrence: DecideTests.limit,
        variants: #"{"variant_id":"v","variant_type":"TREATMENT","percentage":100}"#))
    let decision = try decide(rules)
    guard case .error = decision.outcome else {
      Issue.record("\(decision.outcome)")
      return
    }
    #expect(decision.effects == [.storeAssignment(experimentID: "e", variantID: "v")])
  }

  @Test func storedAssignmentsWinWhileTheyExist() throws {
    let two =
      #"{"variant_id":"a","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"x"},{"variant_id":"b","variant_type":"HOLDOUT","percentage":0}"#
    let rules = try ruleSet(wireRule("e", variants: two))
    #expect(try decide(rules).assignmentSource == .new)
    let stored = try decide(rules, assignments: [("e", "b")])
    #expect(stored.assignmentSource == .stored)
    #expect(PresentationResult(TriggerResult(stored.outcome)).type == "Holdout")
    let gone = try decide(rules, assignments: [("e", "old")])
    #expect(gone.assignmentSource == .redrawn(from: "old"))
    #expect(gone.effects == [.storeAssignment(experimentID: "e", variantID: "a")])
  }

  /// The wire forms of the SDK contract, to the letter.
  @Test func resultsHaveTheContractsJSON() throws {
    let rules = try ruleSet(wireRule("e"))
    let experiment =
      #"{"id":"e","groupId":"g","variant":{"id":"v","type":"TREATMENT","paywallId":"pw"}}"#
    let paywall = TriggerResult(try decide(rules).outcome)
    #expect(paywall.value.json == #"{"result":"paywall","experiment":\#(experiment)}"#)
    #expect(
      PresentationResult(paywall).value.json == #"{"type":"Paywall","experiment":\#(experiment)}"#)
    let holdout = try ruleSet(
      wireRule(
        "e",
        variants:
          #"{"variant_id":"h","variant_type":"HOLDOUT","percentage":5,"paywall_identifier":null}"#))
    #expect(
      TriggerResult(try decide(holdout).outcome).value.json
        == #"{"result":"holdout","experiment":{"id":"e","groupId":"g","variant":{"id":"h","type":"HOLDOUT","paywallId":""}}}"#
    )
    #expect(TriggerResult.noAudienceMatch.value.json == #"{"result":"noAudienceMatch"}"#)
    #expect(TriggerResult.placementNotFound.value.json == #"{"result":"placementNotFound"}"#)
    #expect(PresentationResult.noAudienceMatch.value.json == #"{"type":"NoAudienceMatch"}"#)
    #expect(PresentationResult.placementNotFound.value.json == #"{"type":"PlacementNotFound"}"#)
    for variants in ["", #"{"variant_id":"v","variant_type":"TREATMENT","percentage":1}"#] {
      let result = TriggerResult(try decide(try ruleSet(wireRule("e", variants: variants))).outcome)
      guard case .error(let message) = result else {
        Issue.record("\(result)")
        continue
      }
      #expect(result.value == ["result": "error", "error": .string(message)])
      #expect(PresentationResult(result).value.json == #"{"type":"PaywallNotAvailable"}"#)
    }
  }

  /// Shares follow the weights, and experiments do not follow each other. Bounds are five standard
  /// deviations of 20,000 draws.
  @Test func assignmentsFollowTheWeights() throws {
    let variants =
      #"{"variant_id":"a","variant_type":"HOLDOUT","percentage":70},{"variant_id":"b","variant_type":"HOLDOUT","percentage":30}"#
    let first = try ruleSet(wireRule("one", variants: variants))
    let second = try ruleSet(wireRule("two", variants: variants))
    var counts = [0, 0]
    var both = 0
    for number in 0..<20_000 {
      func isA(_ rules: RuleSet) throws -> Bool {
        guard case .holdout(let experiment) = try decide(rules, subject: "user-\(number)").outcome
        else { return false }
        return experiment.variant.id == "a"
      }
      let (a, b) = (try isA(first), try isA(second))
      counts[0] += a ? 1 : 0
      counts[1] += b ? 1 : 0
      both += a && b ? 1 : 0
    }
    #expect(abs(counts[0] - 14_000) < 325)
    #expect(abs(counts[1] - 14_000) < 325)
    #expect(abs(both - 9_800) < 355)
  }
}

import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// Stored assignments: kept while their variant exists, drawn anew when it does not.
@Suite struct StoredAssignmentTests {
  private static let variants = """
    {"variant_id":"a","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"new"},
    {"variant_id":"b","variant_type":"HOLDOUT","percentage":0,"paywall_identifier":null},
    {"variant_id":"c","variant_type":"TREATMENT","percentage":0}
    """

  private func rules() throws -> RuleSet { try ruleSet(wireRule("e", variants: Self.variants)) }

  private func variant(_ decision: Decision) -> String? {
    TriggerResult(decision.outcome).value["experiment"]?["variant"]?["id"].flatMap {
      if case .string(let id) = $0 { id } else { nil }
    }
  }

  /// The stored variant wins over all weights, also when it has none.
  @Test(arguments: ["a", "b"])
  func storedVariantsAreKept(id: String) throws {
    let decision = try decide(try rules(), assignments: [("e", id)])
    #expect(variant(decision) == id)
    #expect(decision.assignmentSource == .stored)
    #expect(decision.effects == [])
  }

  /// The paywall always comes from the config, never from what was stored.
  @Test func thePaywallIsTheConfigs() throws {
    let decision = try decide(try rules(), assignments: [("e", "a")])
    #expect(decision.outcomeLine(subjectID: "u")["paywall"] == "new")
  }

  @Test(arguments: ["", "A", "a ", "gone", "\u{E0}"])
  func storedVariantsThatAreGone(id: String) throws {
    let decision = try decide(try rules(), assignments: [("e", id)])
    #expect(variant(decision) == "a")
    #expect(decision.assignmentSource == .redrawn(from: id))
    #expect(decision.effects == [.storeAssignment(experimentID: "e", variantID: "a")])
  }

  /// Assignments of other experiments do not count; of several for one experiment the last does.
  @Test func whichAssignmentCounts() throws {
    let rules = try rules()
    #expect(try decide(rules, assignments: [("other", "b"), ("E", "b")]).assignmentSource == .new)
    #expect(variant(try decide(rules, assignments: [("e", "a"), ("e", "b")])) == "b")
    #expect(variant(try decide(rules, assignments: [("e", "b"), ("x", "a")])) == "b")
    #expect(
      try decide(rules, assignments: [("e", "b"), ("e", "gone")]).assignmentSource
        == .redrawn(from: "gone"))
  }

  /// A stored treatment without a paywall is an error, not a silent nothing.
  @Test func aStoredTreatmentWithoutPaywall() throws {
    let decision = try decide(try rules(), assignments: [("e", "c")])
    #expect(decision.outcome == .error(.variantWithoutPaywall(variantID: "c")))
    #expect(decision.audience == 0)
  }

  /// The only variant needs no draw, and is new to a subject who had another.
  @Test func theOnlyVariant() throws {
    let rules = try ruleSet(wireRule("e"))
    #expect(try decide(rules).assignmentSource == .only)
    #expect(try decide(rules, assignments: [("e", "v")]).assignmentSource == .stored)
    #expect(
      try decide(rules, assignments: [("e", "gone")]).assignmentSource == .redrawn(from: "gone"))
  }

  /// Without variants there is nothing to keep.
  @Test func withoutVariants() throws {
    let rules = try ruleSet(wireRule("e", variants: ""))
    for assignments in [[], [("e", "a")]] {
      let decision = try decide(rules, assignments: assignments)
      #expect(decision.outcome == .error(.noVariants))
      #expect(decision.effects == [])
      #expect(decision.audience == 0)
    }
  }

  /// A batch keeps and redraws as a single decision does.
  @Test func batches() throws {
    let rules = try rules()
    var worker = BatchWorker(BatchPlan(rules, now: 0, assigner: .hash(salt: "s")))
    for stored in [[], ["a"], ["b"], ["c"], ["gone"], ["a", "b"], ["b", "gone"]] {
      let record: Value = [
        "userId": "u",
        "assignments": .list(stored.map { ["experimentId": "e", "variantId": .string($0)] }),
      ]
      let line = String(decoding: worker.process(Array(record.json.utf8)).outcomes, as: UTF8.self)
      let decision = try decide(rules, assignments: stored.map { ("e", $0) })
      #expect(line == decision.outcomeLine(subjectID: "u").json + "\n")
    }
  }
}

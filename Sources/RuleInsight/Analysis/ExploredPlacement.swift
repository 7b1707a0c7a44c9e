internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine

/// The results of an analysis for a placement.
package struct ExploredPlacement {
  /// A user that the analysis found.
  struct User {
    var witness: AnalysisWitness
    var record: Value
    var heldBack: [OccurrenceLimit]
    var owned: [String]

    /// The record of the user with another value of one attribute.
    func changed(
      _ candidate: ConditionSpace.Candidate, platform: Platform, now: Instant
    ) -> Value {
      WitnessRecord(
        witness.with(candidate), heldBack: heldBack, owned: owned, platform: platform, now: now
      ).value
    }
  }

  let model: ConditionModel
  let space: ConditionSpace
  /// The conditions of the placement's rules, in their order.
  let conditions: [Int?]
  var users: [User]

  /// The conditions and their clauses that have nodes in the model's formula.
  private var nodes: [Int] {
    conditions.compactMap { $0 }.flatMap { condition in
      [model.conditions[condition].root]
        + model.conditions[condition].clauses.compactMap { $0.node }
    }
  }

  /// For each attribute, the conditions and clauses that read it. The attribute is a candidate
  /// without a value.
  var readers: [ConditionSpace.Candidate: [Int]] {
    var readers: [ConditionSpace.Candidate: [Int]] = [:]
    for node in nodes {
      for attribute in model.reads(node) { readers[attribute, default: []].append(node) }
    }
    return readers
  }

  /// The outcomes of nodes for a user that has only one attribute; empty if the attribute does not
  /// fit into a frame.
  func outcomes(of nodes: [Int], with candidate: ConditionSpace.Candidate) -> [OutcomeSet] {
    model.outcomes(of: nodes, for: AnalysisWitness.nothing.with(candidate)) ?? []
  }
}

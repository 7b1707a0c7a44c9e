internal import CivilTime
internal import Expressions
internal import Pricing

/// What an analysis has seen of a placement.
package struct ExploredPlacement {
  /// A user who was found.
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
  /// The conditions of its rules, in their order.
  let conditions: [Int?]
  var users: [User]

  /// What the conditions and their clauses come to for a user with one attribute.
  func outcomes(with candidate: ConditionSpace.Candidate) -> [OutcomeSet?] {
    var nodes: [Int?] = []
    for condition in conditions {
      guard let condition else {
        nodes.append(nil)
        continue
      }
      nodes.append(model.conditions[condition].root)
      nodes += model.conditions[condition].clauses.map(\.node)
    }
    let witness = AnalysisWitness.nothing.with(candidate)
    guard let outcomes = model.outcomes(of: nodes.compactMap { $0 }, for: witness) else {
      return []
    }
    var rest = outcomes[...]
    return nodes.map { $0 == nil ? nil : rest.popFirst() }
  }
}

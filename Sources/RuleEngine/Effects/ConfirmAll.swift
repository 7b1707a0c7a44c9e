public import Expressions

extension RuleSet {
  /// What `confirmAllAssignments` confirms: the variant that each placement would give now.
  ///
  /// - Parameters:
  ///   - frame: filled with the subject's attributes and no parameters.
  ///   - assigner: by experiment ID, how a subject without a stored variant gets one.
  /// - Returns: all assignments afterwards, and of these the ones to send to the server, each once.
  public func confirmAllAssignments(
    frame: inout Frame, state: DecisionState, assigner: (String) -> Assigner
  ) -> (assignments: [DecisionState.Assignment], toConfirm: [DecisionState.Assignment]) {
    var state = state
    var toConfirm: [DecisionState.Assignment] = []
    for name in placementNames {
      let found = decide(name, frame: &frame, state: state, assigner: .hash(salt: ""))
      guard let experiment = found.rule?.audience.experimentID else { continue }
      let decision = decide(name, frame: &frame, state: state, assigner: assigner(experiment))
      for applied in decision.effects(for: .confirmAllAssignments) {
        switch applied.effect {
        case .storeAssignment(let experiment, let variant),
          .confirmAssignment(let experiment, let variant):
          let assignment = DecisionState.Assignment(
            experimentID: experiment, variantID: variant, isSentToServer: false)
          let isSame = { (other: DecisionState.Assignment) in
            other.experimentID.utf8.elementsEqual(experiment.utf8)
          }
          state.assignments.removeAll(where: isSame)
          state.assignments.append(assignment)
          if !toConfirm.contains(where: isSame) { toConfirm.append(assignment) }
        case .recordOccurrence, .fireTrigger: break
        }
      }
    }
    return (state.assignments, toConfirm)
  }
}

extension Config {
  /// What `getAssignments` answers: the SDK contract's JSON of stored assignments. Of variants that
  /// the config does not have only the ID is known.
  public func value(of assignments: [DecisionState.Assignment]) -> Value {
    .list(
      assignments.map { assignment in
        let variant = variant(of: assignment)
        return .object([
          "experimentId": .string(assignment.experimentID),
          "variant": .object([
            "id": .string(assignment.variantID),
            "type": .string((variant?.kind ?? .treatment).rawValue),
            "paywallId": .string(variant?.paywallID ?? ""),
          ]),
          "isSentToServer": .bool(assignment.isSentToServer),
        ])
      })
  }
}

public import Expressions

extension RuleSet {
  /// Computes the result of `confirmAllAssignments`: the variant that each placement would give the subject now.
  ///
  /// - Parameters:
  ///   - frame: a frame that contains the subject's attributes but no parameters.
  ///   - state: the time, and the subject's state other than its attributes.
  ///   - assigner: chooses the variant where the subject has no stored assignment.
  /// - Returns: all assignments afterwards, and the assignments to send to the server, without duplicates.
  public func confirmAllAssignments(
    frame: inout Frame, state: DecisionState, assigner: () -> Assigner
  ) -> (assignments: [Assignment], toConfirm: [Assignment]) {
    var state = state
    var toConfirm: [Assignment] = []
    for name in placementNames {
      let decision = decide(name, frame: &frame, state: state, assigner: assigner())
      for applied in decision.effects(for: .confirmAllAssignments) {
        guard case .confirmAssignment(let experiment, let variant) = applied.effect else {
          continue
        }
        let assignment = Assignment(
          experimentID: experiment, variantID: variant, isSentToServer: false)
        let isSame = { (other: Assignment) in
          other.experimentID.utf8.elementsEqual(experiment.utf8)
        }
        state.assignments.removeAll(where: isSame)
        state.assignments.append(assignment)
        if !toConfirm.contains(where: isSame) { toConfirm.append(assignment) }
      }
    }
    return (state.assignments, toConfirm)
  }
}

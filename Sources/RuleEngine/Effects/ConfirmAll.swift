public import Expressions

extension RuleSet {
  /// The assignments that `confirmAllAssignments` confirms: the variant that each placement would
  /// give now.
  ///
  /// - Parameters:
  ///   - frame: filled with the subject's attributes and no parameters.
  ///   - state: the subject's state beside its attributes, and the time.
  ///   - assigner: how a subject without a stored variant gets one; used for every placement.
  /// - Returns: all assignments afterwards, and the ones to send to the server, without duplicates.
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

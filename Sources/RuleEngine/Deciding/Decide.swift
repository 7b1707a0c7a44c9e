public import Expressions

extension RuleSet {
  /// Decides the outcome of a placement for a subject.
  ///
  /// The result depends only on the arguments: the function reads no clock, uses no random numbers and changes only the
  /// frame's temporary values. The function allocates no memory, because the details of a decision are computed on
  /// demand. Consequences are returned as effects.
  ///
  /// - Parameters:
  ///   - placement: the placement's name.
  ///   - frame: a frame of ``program``, filled with the subject's attributes.
  ///   - state: the time, and the subject's state other than its attributes.
  ///   - assigner: chooses the variant of a subject that has no assignment.
  public func decide(
    _ placement: String, frame: inout Frame, state: DecisionState, assigner: Assigner
  ) -> Decision {
    guard let number = self.placement(named: placement) else {
      return Decision(ruleSet: self, unknownPlacement: placement)
    }
    if storage.aborts || storage.rejection != nil {
      var errors: [RuleError] = []
      return decide(
        placement, frame: &frame, state: state, assigner: assigner, errors: &errors)
    }
    let verdict = storage.verdict(
      of: storage.placements[number].rules, frame: &frame, state, assigner)
    return Decision(ruleSet: self, verdict: verdict, placement: number, state)
  }
}

extension RuleSet.Storage {
  /// Decides without looking up names.
  package func verdict(
    of rules: Range<Int>, frame: inout Frame, _ state: borrowing DecisionState,
    _ assigner: Assigner
  ) -> Verdict {
    guard let rule = table.firstMatch(of: rules, program, in: &frame, state) else {
      return Verdict()
    }
    return assign(rule, state, assigner)
  }

  /// Assigns the subject a variant of the rule that matched: the stored variant if the experiment still has it,
  /// otherwise a variant from the assigner.
  package func assign(_ rule: Int, _ state: borrowing DecisionState, _ assigner: Assigner)
    -> Verdict
  {
    let row = table.rows[rule]
    var verdict = Verdict(rule: Int32(rule))
    guard row.variantCount > 0 else { return verdict }
    if !state.assignments.isEmpty { findStored(rule, row, state, &verdict) }
    if verdict.source == .stored { return verdict }
    if row.variantCount == 1 {
      verdict.variant = 0
      verdict.source = verdict.assignment >= 0 ? .redrawn : .only
      return verdict
    }
    let draw = draw(row, state, assigner)
    verdict.variant = table.variant(of: row, draw: draw).map { Int32($0) } ?? -1
    verdict.source = verdict.assignment >= 0 ? .redrawn : .new
    return verdict
  }

  private func findStored(
    _ rule: Int, _ row: RuleTable.Row, _ state: borrowing DecisionState, _ verdict: inout Verdict
  ) {
    let known = table.withExperiment(of: row) { state.assignment(in: $0) }
    guard let known else { return }
    verdict.assignment = Int32(known)
    let stored = state.assignments[known].variantID
    let variants = rules[rule].audience.variants
    if let variant = variants.firstIndex(where: { $0.id.utf8.elementsEqual(stored.utf8) }) {
      verdict.variant = Int32(variant)
      verdict.source = .stored
    }
  }

  private func draw(
    _ row: RuleTable.Row, _ state: borrowing DecisionState, _ assigner: Assigner
  ) -> Double {
    // SAFETY: The view of the subject stays in the closure. Tests: DecideTests, OneRunTests.
    if case .draw(let fraction) = assigner { return fraction * row.drawRange }
    return table.withExperiment(of: row) { experiment in
      let found = state.subjectID.utf8.withContiguousStorageIfAvailable {
        assigner.draw(experiment: experiment, subject: $0, range: row.drawRange)
      }
      return found
        ?? Array(state.subjectID.utf8).withUnsafeBufferPointer {
          assigner.draw(experiment: experiment, subject: $0, range: row.drawRange)
        }
    }
  }
}

import Testing

@testable import Expressions
@testable import RuleInsight

@Suite struct OutcomeTableTests {
  private let tables = OutcomeTables.shared

  @Test func operatorsAbsorbErrorsAsCELSays() {
    #expect(tables.outcome(.and, .fault, .false) == .false)
    #expect(tables.outcome(.and, .fault, .true) == .fault)
    #expect(tables.outcome(.or, .fault, .true) == .true)
    #expect(tables.outcome(.or, .false, .null) == .fault)
    #expect(tables.outcome(.and, .bools, .true) == .bools)
  }

  @Test func superscriptKeepsOperandsThatFail() {
    #expect(tables.outcome(.both, .false, .fault) == .fault)
    #expect(tables.outcome(.both, .truthy, .true) == .true)
    #expect(tables.outcome(.both, .null, .true) == .false)
    #expect(tables.outcome(.firstTruthy, .truthy, .fault) == .truthy)
    #expect(tables.outcome(.firstTruthy, .falsy, .null) == .null)
    #expect(tables.outcome(.firstTruthy, .fault, .true) == .fault)
  }

  @Test func testsOfOneOperand() {
    #expect(tables.outcome(.not, .null) == .fault)
    #expect(tables.outcome(.holds, [.fault, .truthy]) == .false)
    #expect(tables.outcome(.truthy, .falsy) == .false)
    // An empty list is true in JavaScript, an empty text is not.
    #expect(tables.outcome(.superscriptTruth, .falsy) == .bools)
    #expect(tables.branches(of: .true) == .yes)
    #expect(tables.branches(of: [.false, .null]) == [.no, .fault])
  }

  /// The search combines the operands behind one first.
  @Test(arguments: OutcomeTables.Fold.allCases)
  func operandsCombineInAnyGroups(_ fold: OutcomeTables.Fold) {
    let all = (0..<OutcomeSet.count).map { OutcomeSet(number: $0) }
    for a in all {
      for b in all {
        for c in all {
          let first = tables.outcome(fold, tables.outcome(fold, a, b), c)
          #expect(tables.outcome(fold, a, tables.outcome(fold, b, c)) == first, "\(a) \(b) \(c)")
        }
      }
    }
  }

  /// What is evaluated for its failures alone stands before the last one, which counts.
  @Test func sequencesAndChoices() {
    func outcome(_ kind: ConditionModel.Node.Kind, _ operands: OutcomeSet...) -> OutcomeSet {
      tables.outcome(kind, 0, count: operands.count) { operands[$0] }
    }
    #expect(outcome(.sequence, .true, .false) == .false)
    #expect(outcome(.sequence, [.true, .fault], .false) == [.false, .fault])
    #expect(outcome(.sequence, .true, [.null, .fault], .true) == [.true, .fault])
    #expect(outcome(.sequence, .true, .fault, .true) == .fault)
    #expect(outcome(.conditional, .true, .null, .falsy) == .null)
    #expect(outcome(.conditional, .bools, .null, .falsy) == [.null, .falsy])
    #expect(outcome(.conditional, [.false, .fault], .null, .falsy) == [.falsy, .fault])
    #expect(outcome(.rescue, .true, .false) == .true)
    #expect(outcome(.rescue, [.true, .fault], .false) == [.true, .fault, .false])
    #expect(outcome(.atom) == .any)
  }

  /// Every list of operands is worked out two at a time.
  @Test func operandsCanBeTakenTwoAtATime() {
    let all = (0..<OutcomeSet.count).map { OutcomeSet(number: $0) }
    for kind in OutcomeTables.Fold.allCases {
      for a in all {
        for b in all {
          for c in all {
            let left = tables.outcome(kind, tables.outcome(kind, a, b), c)
            let right = tables.outcome(kind, a, tables.outcome(kind, b, c))
            // A value that is no bool ends a chain of CEL with an error wherever it stands.
            #expect(left == right, "\(kind) \(a) \(b) \(c)")
          }
        }
      }
    }
  }
}

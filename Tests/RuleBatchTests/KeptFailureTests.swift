import Expressions
import RuleEngine
import TestSupport
import Testing

/// A failure comes back from its numbers as it was, and what is none of a program does not.
@Suite struct KeptFailureTests {
  private func failure(_ user: Value) throws -> (Program, Failure) {
    let rules = try ruleSet(wireRule(expression: "user.a > 1"), language: .cel)
    var frame = Frame(for: rules.program)
    try frame.fill(["user": user])
    let entry = try #require(rules.rules[0].entry)
    let cell = rules.program.condition(entry, in: &frame)
    var finder = FailureFinder(rules.program)
    let failure = finder.failure(cell, in: frame)
    return (rules.program, try #require(failure))
  }

  @Test func numbersComeBack() throws {
    for (user, isAbsent) in [(Value.map([]), true), (["a": "x"], false), (["a": .null], false)] {
      let (program, failure) = try failure(user)
      #expect(failure.isAbsent == isAbsent)
      #expect(program.failure(failure.numbers) == failure)
      for flags in UInt8(0)..<8 {
        var numbers = failure.numbers
        numbers.flags = flags
        let found = try #require(program.failure(numbers))
        #expect(found.numbers == numbers)
        #expect(
          [found.isAbsent, found.isOperand, found.isNull] == [1, 2, 4].map { flags & $0 != 0 })
      }
    }
  }

  @Test func numbersOfOthers() throws {
    let (program, failure) = try failure(.map([]))
    func isKnown(_ change: (inout Failure.Numbers) -> Void) -> Bool {
      var numbers = failure.numbers
      change(&numbers)
      return program.failure(numbers) != nil
    }
    #expect(isKnown { _ in })
    #expect(isKnown { $0.slot = -1 })
    #expect(!isKnown { $0.slot = -2 })
    #expect(!isKnown { $0.slot = 1_000 })
    #expect(!isKnown { $0.flags = 8 })
    #expect(!isKnown { $0.fault = 0 })
    #expect(!isKnown { $0.fault |= 0xFF00 })
    #expect(!isKnown { $0.fault |= 0xFFFF << 32 })
  }
}

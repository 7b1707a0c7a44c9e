import Testing

@testable import Expressions

@Suite("Limits of evaluation")
struct LimitTests {
  private func evaluate(_ source: String, _ context: Value, _ limits: Limits = Limits())
    throws -> Value
  {
    let program = try #require(ExpressionEnvironment(limits: limits).compile(source).output)
    return try program.evaluate(context)
  }

  private static let numbers = Value.list((0..<20_000).map { .int($0) })

  /// Loops within loops are work, and so is what a round goes through.
  @Test(arguments: [
    "user.l.all(x, x in user.l)", "user.l.all(x, user.l == user.l)",
    "user.l.exists(x, user.l.exists(y, y < 0))", "user.l.exists(x, user.s.contains('b'))",
    "user.l.exists(x, user.s.matches('a*b'))", "user.l.exists(x, user.s.size() == x - 1)",
    "user.l.map(x, user.l + user.l).size() < 0",
    "user.l.transformMapEntry(i, x, {x: i}).size() < 0",
  ])
  func quadraticWorkHitsTheLimit(source: String) throws {
    let context: Value = [
      "user": ["l": LimitTests.numbers, "s": .string(String(repeating: "a", count: 20_000))]
    ]
    let error = #expect(throws: EvaluationError.self) { try evaluate(source, context) }
    #expect(error?.kind == .limitExceeded)
  }

  @Test func stepsAreAParameter() throws {
    let context: Value = ["user": ["l": LimitTests.numbers]]
    #expect(try evaluate("user.l.all(x, x >= 0)", context) == true)
    var limits = Limits()
    limits.steps = 1_000
    let error = #expect(throws: EvaluationError.self) {
      try evaluate("user.l.all(x, x >= 0)", context, limits)
    }
    #expect(error?.kind == .limitExceeded)
  }

  @Test func memoryIsAParameter() throws {
    var limits = Limits()
    limits.memoryBytes = 1_000
    let error = #expect(throws: EvaluationError.self) {
      try evaluate(
        "'0123456789012345' + params.a + params.a == ''",
        ["params": ["a": .string(String(repeating: "x", count: 600))]], limits)
    }
    #expect(error?.kind == .limitExceeded)
  }

  /// What one record may hold does not depend on what the frame held before.
  @Test func memoryDoesNotDependOnHistory() throws {
    var limits = Limits()
    limits.memoryBytes = 4_096
    let program = try #require(
      ExpressionEnvironment(limits: limits).compile("size(user.c) > 0").output)
    func record(_ bytes: Int) -> [UInt8] {
      Array("{\"user\":{\"c\":\"\\n\(String(repeating: "x", count: bytes))\"}}".utf8)
    }
    for first in [100, 3_000, 4_000] {
      var frame = Frame(for: program)
      try frame.fill(json: record(first))
      try frame.fill(json: record(4_000))
      #expect(throws: JSONFault.self) { try frame.fill(json: record(5_000)) }
      try frame.fill(json: record(4_000))
    }
  }

  @Test(arguments: [
    "(", "!", "-", "[", "{1:", "a.b(", "1?2:", "a[", "1+", "a&&", "@", "not ", "a ? b : ",
  ])
  func hostileNestingIsADiagnostic(piece: String) {
    let source = String(repeating: piece, count: 90_000 / piece.utf8.count) + "1"
    let compiled = ExpressionEnvironment().compile(source)
    let isAccepted = compiled.output != nil
    #expect(isAccepted || !compiled.diagnostics.isEmpty)
  }

  @Test func longChainsAreNoNesting() throws {
    let source = Array(repeating: "user.a", count: 9_000).joined(separator: " && ")
    #expect(try evaluate(source, ["user": ["a": true]]) == true)
    #expect(try evaluate(source, ["user": ["a": false]]) == false)
  }

  @Test func sourcesHaveALength() {
    let compiled = ExpressionEnvironment().compile(String(repeating: " ", count: 100_001) + "1")
    #expect(compiled.diagnostics.map(\.code) == [.limitExceeded])
  }

  /// Whatever somebody asks for as a limit, there is a value or an error.
  @Test(arguments: [Int.min, -1, 0, 1, 1 << 33, Int.max])
  func limitsOfAnySize(number: Int) {
    let keys: [WritableKeyPath<Limits, Int>] = [
      \.sourceBytes, \.nesting, \.steps, \.memoryBytes, \.dataNesting, \.regexSteps,
    ]
    for key in keys {
      var environment = ExpressionEnvironment()
      environment.limits[keyPath: key] = number
      for source in ["user.a.matches('^(a|b)*$') && user.a + 'x' == 'abx'", "[1, 2].all(x, x > 0)"]
      {
        guard let program = environment.compile(source).output else { continue }
        var frame = Frame(for: program)
        try? frame.fill(json: #"{"user":{"a":"ab"}}"#.utf8)
        let result = try? program.evaluate(in: &frame)
        #expect(result == nil || result == true)
      }
    }
  }
}

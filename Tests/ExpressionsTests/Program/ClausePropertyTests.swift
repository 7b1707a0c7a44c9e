import Expressions
import TestSupport
import Testing

/// Clauses of random conditions on random contexts: each place in the text with its own outcome,
/// reached exactly where an evaluation from left to right comes, and together they give the result.
@Suite struct ClausePropertyTests {
  /// Conditions over a few tests that recur, some of them negated.
  private struct Conditions {
    var expressions: RandomExpressions<SplitMix>
    var random: SplitMix
    var tests: [ReferenceExpression] = []

    init(seed: UInt64) {
      expressions = RandomExpressions(random: SplitMix(seed: seed))
      random = SplitMix(seed: seed &+ 1)
    }

    mutating func next(depth: Int) -> ReferenceExpression {
      tests = [.literal(true), .literal(false), .literal(1)]
      for depth in [0, 1, 1, 2] { tests.append(expressions.expression(.bool, depth: depth)) }
      for test in tests {
        if case .binary(.equal, let a, let b) = test { tests.append(.binary(.notEqual, a, b)) }
        if case .binary(.less, let a, let b) = test { tests.append(.binary(.greater, b, a)) }
      }
      return condition(depth)
    }

    private mutating func condition(_ depth: Int) -> ReferenceExpression {
      guard depth > 0 else { return tests.randomElement(using: &random)! }
      let (a, b) = (condition(depth - 1), condition(depth - 1))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3: return .binary(.and, a, b)
      case 3..<6: return .binary(.or, a, b)
      case 6: return .conditional(condition(depth - 1), a, b)
      case 7: return .not(a)
      default: return a
      }
    }
  }

  /// The clauses of an expression, and how it connects them.
  private static func shape(
    _ expression: ReferenceExpression, _ clauses: inout [ReferenceExpression]
  ) -> ClauseShape {
    switch expression {
    case .binary(.and, let a, let b): return .and(shape(a, &clauses), shape(b, &clauses))
    case .binary(.or, let a, let b): return .or(shape(a, &clauses), shape(b, &clauses))
    case .conditional(let test, let yes, let no):
      return .choice(shape(test, &clauses), shape(yes, &clauses), shape(no, &clauses))
    case .not(let inner) where connects(inner): return .not(shape(inner, &clauses), sign: "!")
    default:
      clauses.append(expression)
      return .clause(clauses.count - 1)
    }
  }

  private static func connects(_ expression: ReferenceExpression) -> Bool {
    switch expression {
    case .binary(.and, _, _), .binary(.or, _, _), .conditional: true
    case .not(let inner): connects(inner)
    default: false
    }
  }

  private static func areSame(_ a: ClauseResult, _ b: ClauseResult) -> Bool {
    switch (a, b) {
    case (.value(let a), .value(let b)): ReferenceEquality.areIdentical(a, b)
    case (.error, .error): true
    default: false
    }
  }

  private static func evaluate(_ source: String, _ context: Value) throws -> ClauseResult {
    let program = try #require(ExpressionEnvironment().compile(source).output, "\(source)")
    do throws(EvaluationError) {
      return .value(try program.evaluate(context))
    } catch {
      return .error(isNull: false)
    }
  }

  /// What is wrong with what is told of an expression, or nil.
  private static func problem(
    _ expression: ReferenceExpression, _ source: String, _ context: Value, _ told: [Clause]
  ) throws -> String? {
    var clauses: [ReferenceExpression] = []
    let shape = shape(expression, &clauses)
    guard told.count == clauses.count else { return "\(clauses.count) clauses, told \(told.count)" }
    let interpreter = ReferenceInterpreter(context: context)
    var expected: [ClauseResult] = []
    for clause in clauses {
      switch interpreter.evaluate(clause) {
      case .value(let value): expected.append(.value(value))
      case .errors: expected.append(.error(isNull: false))
      case .unspecified: return nil
      }
    }
    let bytes = Array(source.utf8)
    for (clause, result) in zip(told, expected) {
      guard areSame(ClauseResult(clause), result) else {
        return "\(clause.text) is \(result), told \(clause.outcome)"
      }
      let place = bytes[clause.range.from..<clause.range.to]
      guard place.elementsEqual(clause.text.utf8) else { return "\(clause.text) lies elsewhere" }
      let alone = try evaluate(clause.text, context)
      guard areSame(alone, result) else { return "\(clause.text) alone is \(alone)" }
    }
    var walk = ClauseWalk(expected)
    let result = walk.cel(shape)
    let reached = Set(told.indices.filter { told[$0].wasReached })
    guard reached == walk.reached else {
      return "reached \(walk.reached.sorted()), told \(reached.sorted())"
    }
    var combined = ClauseWalk(told.map { ClauseResult($0) })
    let whole = try evaluate(source, context)
    guard areSame(combined.cel(shape), whole), areSame(result, whole) else {
      return "the clauses give \(result), the whole is \(whole)"
    }
    return nil
  }

  @Test(arguments: Extent.some(0..<24))
  func clausesGiveTheResult(seed: UInt64) throws {
    var conditions = Conditions(seed: seed &+ 3_000)
    var writer = ReferenceWriter(random: SplitMix(seed: seed &+ 4_000))
    for round in 0..<40 {
      let expression = conditions.next(depth: 1 + round % 4)
      let source = writer.write(expression)
      let program = try #require(ExpressionEnvironment().compile(source).output, "\(source)")
      var frame = Frame(for: program)
      for _ in 0..<4 {
        let context = conditions.expressions.context()
        try frame.fill(context)
        let told = program.clauses(of: program.entries[0], in: &frame)
        if let problem = try Self.problem(expression, source, context, told) {
          Issue.record("\(problem)\nin \(source)\non \(context.json)")
          return
        }
      }
    }
  }

  /// The sample is of no use without clauses that were not reached, and errors among them.
  @Test func theSampleIsTelling() throws {
    var conditions = Conditions(seed: 1)
    var writer = ReferenceWriter(random: SplitMix(seed: 2), isPlayful: false)
    var counts: [String: Int] = [:]
    for round in 0..<400 {
      let source = writer.write(conditions.next(depth: 1 + round % 4))
      let program = try #require(ExpressionEnvironment().compile(source).output)
      var frame = Frame(for: program)
      try frame.fill(conditions.expressions.context())
      for clause in program.clauses(of: program.entries[0], in: &frame) {
        counts[clause.wasReached ? "reached" : "not reached", default: 0] += 1
        if clause.isConstant { counts["constant", default: 0] += 1 }
        if case .failed = clause.outcome { counts["error", default: 0] += 1 }
        if case .noBool = clause.outcome { counts["value", default: 0] += 1 }
      }
    }
    for kind in ["reached", "not reached", "constant", "error", "value"] {
      #expect(counts[kind, default: 0] > 100, "\(kind): \(counts)")
    }
  }
}

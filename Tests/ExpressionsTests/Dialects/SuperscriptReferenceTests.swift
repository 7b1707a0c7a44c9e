import Expressions
import TestSupport
import Testing

/// Random superscript programs on random data, against an interpreter that follows the rules one
/// by one.
@Suite struct SuperscriptReferenceTests {
  private static let host = SuperscriptHost(
    functions: RandomSuperscript.functions,
    replies: [
      "daysSince": ["app_open": 5, "": .null, "pro": "5"], "placementsInDay": ["app_open": 0],
      "requestReview": ["": "true", "app_open": 7],
    ])

  /// `free` may be bound or not; `undeclared` never is.
  private static func environment(_ behavior: EvaluatorBehavior) -> ExpressionEnvironment {
    .superscript(variables: ["free"], hostFunctions: host.functions, behavior: behavior)
  }

  private enum Outcome: Equatable {
    case value(Value)
    case error
  }

  private static func expected(
    _ tree: SuperscriptTree, _ context: Value, _ behavior: EvaluatorBehavior
  ) -> Outcome {
    let rewritten = SuperscriptRewriting(functions: host.functions, behavior: behavior)
      .rewrite(tree)
    var interpreter = SuperscriptInterpreter(
      context: context, host: host, behavior: behavior,
      kept: behavior == .skip ? tree.keptPaths : [])
    do throws(SuperscriptInterpreter.Failure) {
      return .value(SuperscriptInterpreter.result(try interpreter.value(rewritten)))
    } catch {
      let isNull = behavior != .raw && (error == .undeclared || error == .nullComparison)
      return isNull ? .value(.null) : .error
    }
  }

  private static func answer(_ program: Program, in frame: inout Frame)
    throws(EvaluationError)
  {
    for (number, question) in program.questions.enumerated() {
      switch question.argument {
      case .text(let text):
        try frame.answer(number, with: host.reply(question.function, text, .raw))
      case .anyKnown:
        let known = host.replies[question.function] ?? [:]
        try frame.answer(
          number, with: .map(known.map { Value.Entry(key: .string($0.key), value: $0.value) }))
      case .anyOther:
        try frame.answer(number, with: host.reply(question.function, "something else", .raw))
      }
    }
  }

  private static func outcome(_ program: Program, _ context: Value) -> Outcome {
    var frame = Frame(for: program)
    do throws(EvaluationError) {
      try frame.fill(context)
      try answer(program, in: &frame)
      let first = try program.evaluate(in: &frame)
      // A filled frame can be evaluated again.
      return same(first, try program.evaluate(in: &frame)) ? .value(first) : .value("unstable")
    } catch {
      return .error
    }
  }

  private static func same(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.map(let a), .map(let b)):
      // Maps of the original have no order.
      a.count == b.count
        && a.allSatisfy { entry in
          b.contains { same($0.key, entry.key) && same($0.value, entry.value) }
        }
    case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
    case (.bytes, .bytes), (.function, .function), (.duration, .duration),
      (.timestamp, .timestamp):
      a == b
    default: ReferenceEquality.areIdentical(a, b)
    }
  }

  private static func problem(
    _ tree: SuperscriptTree, _ context: Value, _ behavior: EvaluatorBehavior
  ) -> String? {
    let compiled = environment(behavior).compile(tree.source)
    guard let program = compiled.output else {
      return "does not compile: \(compiled.diagnostics.map(\.message))"
    }
    let (expected, got) = (expected(tree, context, behavior), outcome(program, context))
    guard areSame(expected, got) else { return "expected \(expected), got \(got)" }
    // What is left when the user is known comes to the same.
    let user = context["user"].map { [Value.Entry(key: "user", value: $0)] } ?? []
    let rest = program.specialize(KnownAttributes(.map(user)))
    let left = outcome(rest, context)
    return areSame(expected, left)
      ? nil : "expected \(expected), got \(left) of \(rest.residue(of: rest.entries[0]))"
  }

  private static func areSame(_ a: Outcome, _ b: Outcome) -> Bool {
    switch (a, b) {
    case (.value(let a), .value(let b)): same(a, b)
    case (.error, .error): true
    default: false
    }
  }

  /// The smallest part of an expression that goes wrong by itself.
  private static func smallestPart(
    _ tree: SuperscriptTree, _ context: Value, _ behavior: EvaluatorBehavior
  ) -> (source: String, problem: String)? {
    for child in tree.children {
      if let part = smallestPart(child, context, behavior) { return part }
    }
    return problem(tree, context, behavior).map { (tree.source, $0) }
  }

  @Test(arguments: Extent.some(0..<48), EvaluatorBehavior.allCases)
  func agreesWithTheReference(seed: UInt64, behavior: EvaluatorBehavior) {
    var scripts = RandomSuperscript(random: SplitMix(seed: seed))
    var decided = 0
    for round in 0..<80 {
      let tree = scripts.expression(depth: 1 + round % 5)
      for _ in 0..<3 {
        let context = scripts.context()
        guard let problem = Self.problem(tree, context, behavior) else {
          decided += 1
          continue
        }
        let part = Self.smallestPart(tree, context, behavior)
        Issue.record(
          """
          \(part?.problem ?? problem)
          in \(part?.source ?? tree.source)
          of \(tree.source)
          on \(context.json)
          """)
        return
      }
    }
    #expect(decided == 80 * 3)
  }

  /// The generator is of no use if it hardly ever makes expressions that come to something.
  @Test func theSampleIsTelling() {
    var scripts = RandomSuperscript(random: SplitMix(seed: 7))
    var counts: [String: Int] = [:]
    for round in 0..<2_000 {
      let tree = scripts.expression(depth: 1 + round % 5)
      switch Self.expected(tree, scripts.context(), .text) {
      case .value(true): counts["true", default: 0] += 1
      case .value(false): counts["false", default: 0] += 1
      case .value(.null): counts["null", default: 0] += 1
      case .value: counts["other", default: 0] += 1
      case .error: counts["error", default: 0] += 1
      }
    }
    for kind in ["true", "false", "null", "other", "error"] {
      #expect(counts[kind, default: 0] > 100, "\(kind): \(counts)")
    }
  }
}

import Expressions
import TestSupport
import Testing

/// Clauses of random superscript conditions, as each platform hands values over.
@Suite struct SuperscriptClauseTests {
  /// The platforms, as far as values are concerned.
  enum Platform: CaseIterable {
    case plain, ios, android, web

    var environment: ExpressionEnvironment {
      var binding = ValueBinding()
      switch self {
      case .plain: break
      case .ios: binding.null = .emptyMap
      case .android: (binding.longsAreUnsigned, binding.dropsDollarSigns) = (true, true)
      case .web: (binding.null, binding.wholeDoublesAreInts) = (.dropped, true)
      }
      var environment = ExpressionEnvironment.superscript(
        variables: ["free"], hostFunctions: RandomSuperscript.functions, binding: binding)
      environment.takesTruthForTrue = self == .web
      return environment
    }

    /// The context that the reference sees.
    func passed(_ context: Value) -> Value {
      guard case .map(var entries)? = environment.binding.passed(context) else { return context }
      for root in ["user", "device", "params"] where context[root] == .null && self == .web {
        entries.append(Value.Entry(key: .string(root), value: .map([])))
      }
      return .map(entries)
    }
  }

  private static let host = SuperscriptHost(
    functions: RandomSuperscript.functions,
    replies: [
      "daysSince": ["app_open": 5, "": .null, "pro": "5"], "placementsInDay": ["app_open": 0],
      "requestReview": ["": "true", "app_open": 7],
    ])

  private static func answer(_ program: Program, in frame: inout Frame) throws {
    for (number, question) in program.questions.enumerated() {
      switch question.argument {
      case .text(let text):
        try frame.answer(number, with: host.reply(question.function, text))
      case .anyKnown:
        let known = host.replies[question.function] ?? [:]
        try frame.answer(
          number, with: .map(known.map { Value.Entry(key: .string($0.key), value: $0.value) }))
      case .anyOther:
        try frame.answer(number, with: host.reply(question.function, "something else"))
      }
    }
  }

  /// Conditions over a few tests that recur, some of them negated.
  private struct Conditions {
    var scripts: RandomSuperscript
    var random: SplitMix
    var tests: [SuperscriptTree] = []

    init(seed: UInt64) {
      scripts = RandomSuperscript(random: SplitMix(seed: seed))
      random = SplitMix(seed: seed &+ 1)
    }

    mutating func next(depth: Int) -> SuperscriptTree {
      tests = [.literal(true), .literal("false"), .literal(0)]
      for depth in [0, 1, 1, 2] { tests.append(scripts.expression(depth: depth)) }
      for test in tests {
        if case .relation(let a, "==", let b) = test { tests.append(.relation(a, "!=", b)) }
        if case .relation(let a, "<", let b) = test { tests.append(.relation(a, ">=", b)) }
      }
      return condition(depth)
    }

    private mutating func condition(_ depth: Int) -> SuperscriptTree {
      guard depth > 0 else { return tests.randomElement(using: &random)! }
      let (a, b) = (condition(depth - 1), condition(depth - 1))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3: return .and(a, b)
      case 3..<6: return .or(a, b)
      case 6: return .choice(condition(depth - 1), a, b)
      case 7: return .unary(Bool.random(using: &random) ? "!" : "!!", a)
      default: return a
      }
    }
  }

  /// The clauses of an expression, and how it connects them.
  private static func shape(_ tree: SuperscriptTree, _ clauses: inout [SuperscriptTree])
    -> ClauseShape
  {
    switch tree {
    case .and(let a, let b): return .and(shape(a, &clauses), shape(b, &clauses))
    case .or(let a, let b): return .or(shape(a, &clauses), shape(b, &clauses))
    case .choice(let test, let yes, let no):
      return .choice(shape(test, &clauses), shape(yes, &clauses), shape(no, &clauses))
    case .unary(let sign, let inner) where connects(tree):
      return .not(shape(inner, &clauses), sign: sign)
    default:
      clauses.append(tree)
      return .clause(clauses.count - 1)
    }
  }

  private static func connects(_ tree: SuperscriptTree) -> Bool {
    switch tree {
    case .and, .or, .choice: true
    case .unary(let sign, let inner): sign.hasPrefix("!") && connects(inner)
    default: false
    }
  }

  private static func areSame(_ a: ClauseResult, _ b: ClauseResult) -> Bool {
    switch (a, b) {
    case (.value(let a), .value(let b)): same(a, b)
    case (.error(let a), .error(let b)): a == b
    default: false
    }
  }

  /// Maps of the original have no order.
  private static func same(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.map(let a), .map(let b)):
      a.count == b.count
        && a.allSatisfy { entry in
          b.contains { same($0.key, entry.key) && same($0.value, entry.value) }
        }
    case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
    case (.bytes, .bytes), (.function, .function), (.duration, .duration), (.timestamp, .timestamp):
      a == b
    default: ReferenceEquality.areIdentical(a, b)
    }
  }

  private static func isTrueInJavaScript(_ value: Value) -> Bool {
    switch value {
    // The evaluator reports a duration as null; a function is an optional here.
    case .null, .duration: false
    case .list, .map, .bytes, .timestamp, .optional: true
    case .double(let number): number != 0 && !number.isNaN
    default: SuperscriptOperations.isTrue(value)
    }
  }

  /// What a whole expression gives when its clauses, connected, come to this; nil for an error.
  private static func whole(_ result: ClauseResult, _ platform: Platform) -> Value? {
    switch result {
    case .value(let value):
      platform == .web ? .bool(isTrueInJavaScript(value)) : SuperscriptInterpreter.result(value)
    case .error(let isNull): isNull ? .null : nil
    }
  }

  private static func expected(_ clause: SuperscriptTree, _ context: Value) -> ClauseResult {
    var interpreter = SuperscriptInterpreter(context: context, host: host)
    do throws(SuperscriptInterpreter.Failure) {
      return .value(
        try interpreter.value(SuperscriptRewriting(functions: host.functions).rewrite(clause)))
    } catch {
      return .error(isNull: error == .undeclared || error == .nullComparison)
    }
  }

  private static func problem(
    _ tree: SuperscriptTree, _ platform: Platform, _ context: Value, _ told: [Clause], _ got: Value?
  ) -> String? {
    var clauses: [SuperscriptTree] = []
    let shape = shape(tree, &clauses)
    guard told.count == clauses.count else { return "\(clauses.count) clauses, told \(told.count)" }
    var expected = clauses.map { Self.expected($0, context) }
    // What is matched on the Web is whether a value counts as true; one clause is the whole.
    if platform == .web, clauses.count == 1, case .value(let value) = expected[0] {
      expected[0] = .value(.bool(isTrueInJavaScript(value)))
    }
    for (clause, result) in zip(told, expected) {
      var shown = result
      if case .value(let value) = result { shown = .value(SuperscriptInterpreter.result(value)) }
      guard areSame(ClauseResult(clause), shown) else {
        return "\(clause.text) is \(shown), told \(clause.outcome), \(clause.value as Any)"
      }
    }
    var walk = ClauseWalk(expected)
    let result = whole(walk.superscript(shape), platform)
    let reached = Set(told.indices.filter { told[$0].wasReached })
    guard reached == walk.reached else {
      return "reached \(walk.reached.sorted()), told \(reached.sorted())"
    }
    func isSame(_ a: Value?, _ b: Value?) -> Bool {
      if let a, let b { same(a, b) } else { (a == nil) == (b == nil) }
    }
    guard isSame(result, got) else {
      return "the clauses give \(result as Any), the whole is \(got as Any)"
    }
    // Functions as values are told by their names, so they stand for themselves here only.
    if told.contains(where: { $0.value?.typeName == "function" }) { return nil }
    var combined = ClauseWalk(told.map { ClauseResult($0) })
    let combination = whole(combined.superscript(shape), platform)
    return isSame(combination, got) ? nil : "what is told gives \(combination as Any)"
  }

  @Test(arguments: Platform.allCases, Extent.some(0..<12))
  func clausesGiveTheResult(platform: Platform, seed: UInt64) throws {
    let environment = platform.environment
    var conditions = Conditions(seed: seed &+ 5_000)
    for round in 0..<40 {
      let tree = conditions.next(depth: 1 + round % 4)
      let program = try #require(environment.compile(tree.source).output, "\(tree.source)")
      var frame = Frame(for: program)
      for _ in 0..<3 {
        let context = conditions.scripts.context()
        try frame.fill(context)
        try Self.answer(program, in: &frame)
        let told = program.clauses(of: program.entries[0], in: &frame)
        let got = try? program.evaluate(in: &frame)
        let problem = Self.problem(tree, platform, platform.passed(context), told, got)
        if let problem {
          Issue.record("\(problem)\nin \(tree.source)\non \(context.json)")
          return
        }
      }
    }
  }
}

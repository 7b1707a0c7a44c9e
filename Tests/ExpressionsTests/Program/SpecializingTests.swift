import TestSupport
import Testing

@testable import Expressions

/// Partial evaluation and folding change what runs, never what comes out.
@Suite struct SpecializingTests {
  private enum Outcome: Equatable {
    case value(String)
    case error(EvaluationError.Kind)
  }

  private static func outcome(_ program: Program, _ context: Value) -> Outcome {
    do throws(EvaluationError) {
      return .value("\(try program.evaluate(context))")
    } catch {
      return .error(error.kind)
    }
  }

  /// Whether two ways of evaluating agree. Of several errors that an operation has, one that the
  /// reference knows is reported: which one may depend on what was worked out beforehand.
  private static func agree(
    _ a: Outcome, _ b: Outcome, _ expression: ReferenceExpression, _ context: Value
  ) -> Bool {
    guard a != b, case .error(let first) = a, case .error(let second) = b else { return a == b }
    guard case .errors(let kinds) = ReferenceInterpreter(context: context).evaluate(expression)
    else { return false }
    return kinds.contains(first) && kinds.contains(second)
  }

  /// A context of which some attributes are left out, and the maps that are whole.
  static func part<Generator: RandomNumberGenerator>(
    of context: Value, _ random: inout Generator
  ) -> KnownAttributes {
    var complete: [AttributePath] = []
    let part = part(of: context, [], &complete, &random)
    return KnownAttributes(part, complete: complete)
  }

  private static func part<Generator: RandomNumberGenerator>(
    of value: Value, _ path: [String], _ complete: inout [AttributePath],
    _ random: inout Generator
  ) -> Value {
    guard case .map(let entries) = value else { return value }
    if !path.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
      complete.append(AttributePath(path))
      return value
    }
    var kept: [Value.Entry] = []
    for entry in entries where Bool.random(using: &random) {
      guard case .string(let name) = entry.key else { continue }
      kept.append(
        Value.Entry(
          key: entry.key, value: part(of: entry.value, path + [name], &complete, &random)))
    }
    return .map(kept)
  }

  /// What is passed over because it has too few constants would have stayed as it is.
  @Test(arguments: Extent.some(0..<20))
  func foldingPassesOverNothing(seed: UInt64) throws {
    var expressions = RandomExpressions(random: SplitMix(seed: seed &+ 700))
    var writer = ReferenceWriter(random: SplitMix(seed: seed), isPlayful: false)
    var passedOver = 0
    for round in 0..<100 {
      var source = writer.write(expressions.expression(.any, depth: 1 + round % 4))
      var checker = Checker(ExpressionEnvironment())
      let root = checker.check(source.withUTF8 { Parser.parse($0).tree }, source: 0)
      let count = checker.graph.nodes.count
      if ConstantFolding.hasWork(0, root, checker.graph) { continue }
      passedOver += 1
      var folding = ConstantFolding(looksFirst: false)
      #expect(folding.fold(root, in: &checker.graph) == root, "\(source)")
      #expect(checker.graph.nodes.count == count, "\(source)")
    }
    #expect(passedOver > 10)
  }

  @Test(arguments: Extent.some(0..<20))
  func agreesWithTheWholeProgram(seed: UInt64) throws {
    var expressions = RandomExpressions(random: SplitMix(seed: seed &+ 500))
    var writer = ReferenceWriter(random: SplitMix(seed: seed &+ 2_000))
    var random = SplitMix(seed: seed &+ 3_000)
    var shorter = 0
    for round in 0..<60 {
      let expression = expressions.expression(.bool, depth: 1 + round % 5)
      let source = writer.write(expression)
      let program = try #require(ExpressionEnvironment().compile(source).output)
      for _ in 0..<4 {
        let context = expressions.context()
        let known = Self.part(of: context, &random)
        let rest = program.specialize(known)
        if rest.requirements.count < program.requirements.count { shorter += 1 }
        #expect(
          Self.agree(
            Self.outcome(program, context), Self.outcome(rest, context), expression, context),
          "\(source) with \(known.values.json) and \(known.complete) on \(context.json)")
        try expectSameResidue(rest, expression, context, source)
      }
    }
    #expect(shorter > 20)
  }

  /// What is left can be written down and read again.
  private func expectSameResidue(
    _ rest: Program, _ expression: ReferenceExpression, _ context: Value, _ source: String
  ) throws {
    let text = rest.residue(of: rest.entries[0])
    guard !text.contains("error(\"") else { return }
    let again = try #require(
      ExpressionEnvironment().compile(text).output, "\(source) became \(text)")
    #expect(
      Self.agree(
        Self.outcome(again, context), Self.outcome(rest, context), expression, context),
      "\(source) became \(text) on \(context.json)")
  }

  @Test(arguments: Extent.some(0..<20))
  func foldingChangesNothing(seed: UInt64) throws {
    var expressions = RandomExpressions(random: SplitMix(seed: seed &+ 900))
    var writer = ReferenceWriter(random: SplitMix(seed: seed &+ 4_000))
    for round in 0..<60 {
      let expression = expressions.expression(.bool, depth: 1 + round % 5)
      let source = writer.write(expression)
      let folded = try #require(ExpressionEnvironment().compile(source).output)
      var builder = ProgramBuilder(ExpressionEnvironment())
      builder.folds = false
      builder.add(source)
      let plain = builder.build()
      for _ in 0..<4 {
        let context = expressions.context()
        #expect(
          Self.agree(
            Self.outcome(plain, context), Self.outcome(folded, context), expression, context),
          "\(source) on \(context.json)")
      }
    }
  }

  @Test(arguments: [
    (
      #"device.platform == "iOS" && user.age > 10 + 8 && params.list.exists(x, x == user.id)"#,
      "user.age > 18 && params.list.exists(x, x == user.id)"
    ),
    (#"device.platform == "Android" && user.age > 18"#, "false"),
    (#"user.age > 18 || device.platform == "iOS""#, "true"),
    (#"has(device.model) ? user.a : user.b"#, "user.b"),
    (#"user.age > device.minimum"#, #"error("no such attribute") < user.age"#),
    (#"device.locale.startsWith("en") && user.b"#, "user.b && true"),
    (#"device.tags.exists(t, t == "beta") == user.beta"#, "true == user.beta"),
    (#"device.locale.matches("^en_[A-Z]+$") ? user.a : user.b"#, "user.a"),
    (#"user.name.matches("^a+$") && device.platform != "iOS""#, "false"),
    (#"user.tags.all(t, t in device.tags)"#, #"user.tags.all(x, x in ["beta", "new"])"#),
    (#"device.platform"#, #""iOS""#),
    ("user.?a.orValue(user.b)", #"user[?"a"].orValue(user.b)"#),
    ("user.?a.or(user.?b)", #"user[?"a"].or(user[?"b"])"#),
    ("user.l.map(x, x + 1).sortBy(y, -y)", "user.l.map(x, x + 1).sortBy(y, -(y))"),
    ("cel.bind(v, user.a, v.?b.orValue(v))", #"cel.bind(x, user.a, x[?"b"].orValue(x))"#),
    (
      "cel.bind(v, user.o, v.hasValue() ? v.value() : v)",
      "cel.bind(x, user.o, x.hasValue() ? x.value() : x)"
    ),
    ("cel.bind(v, device.nope, user.a)", #"cel.bind(x, error("no such attribute"), user.a)"#),
    ("cel.bind(v, user.a, 1)", "1"),
    ("user.a - (user.b - user.c)", "user.a - (user.b - user.c)"),
    ("user.a - user.b - user.c", "user.a - user.b - user.c"),
    ("user.a - (user.b + user.c)", "user.a - (user.b + user.c)"),
    ("user.a / (user.b * user.c)", "user.a / (user.b * user.c)"),
    ("user.a * user.b % user.c", "user.a * user.b % user.c"),
    ("(user.a - user.b) * user.c", "(user.a - user.b) * user.c"),
    ("user.a - user.b * user.c", "user.a - user.b * user.c"),
    ("user.a == (user.b == user.c)", "user.a == (user.b == user.c)"),
    ("user.a && (user.b || user.c)", "user.a && (user.b || user.c)"),
  ])
  func residue(source: String, expected: String) throws {
    let program = try #require(ExpressionEnvironment().compile(source).output)
    let device: Value = .object([
      "platform": "iOS", "locale": "en_US", "tags": ["beta", "new"],
    ])
    let known = KnownAttributes(
      .object(["device": device]), complete: [AttributePath(["device"])])
    let rest = program.specialize(known)
    #expect(rest.residue(of: rest.entries[0]) == expected)
  }

  @Test func requirementsAreWhatIsLeft() throws {
    let program = try #require(
      ExpressionEnvironment().compile(#"device.platform == "iOS" && user.age > 1 || params.a"#)
        .output)
    let rest = program.specialize(
      KnownAttributes(.object(["device": .object(["platform": "Android"])])))
    #expect(rest.requirements.map(\.description) == ["params.a"])
  }

  @Test func entriesKeepTheirNumbersAndPlaces() throws {
    var builder = ProgramBuilder(ExpressionEnvironment())
    builder.add(#"device.a == 1 && user.b == 2"#)
    builder.add(#"user.b == 2"#)
    let program = builder.build()
    let rest = program.specialize(
      KnownAttributes(.object(["device": .object(["a": 1])])))
    #expect(rest.entries.count == 2)
    #expect(rest.sources == program.sources)
    var frame = Frame(for: rest)
    try frame.fill(.object(["user": .object([:])]))
    for entry in rest.entries {
      let error = #expect(throws: EvaluationError.self) {
        try rest.evaluate(entry, in: &frame)
      }
      let range = try #require(rest.range(of: error!, in: entry))
      let source = Array(rest.sources[entry.source].utf8)
      #expect(String(decoding: source[range.from..<range.to], as: UTF8.self) == "user.b == 2")
    }
  }
}

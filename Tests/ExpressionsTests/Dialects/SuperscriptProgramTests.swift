import TestSupport
import Testing

@testable import Expressions

/// Whatever is done with a superscript program, the same comes out.
@Suite struct SuperscriptProgramTests {
  private enum Outcome: Equatable {
    case value(String)
    case error
  }

  private static let environment = ExpressionEnvironment.superscript(
    variables: ["free"], hostFunctions: RandomSuperscript.functions)

  private static func answer(_ program: Program, in frame: inout Frame) throws(EvaluationError) {
    for (number, question) in program.questions.enumerated() {
      let reply = Value.string("\(question)")
      try frame.answer(number, with: question.argument == .anyKnown ? .map([]) : reply)
    }
  }

  private static func outcome(_ program: Program, _ context: Value) -> Outcome {
    var frame = Frame(for: program)
    do throws(EvaluationError) {
      try frame.fill(context)
      try answer(program, in: &frame)
      return .value("\(try program.evaluate(in: &frame))")
    } catch {
      return .error
    }
  }

  private static func compile(_ tree: SuperscriptTree) throws -> Program {
    try #require(environment.compile(tree.source).output, "\(tree.source)")
  }

  @Test(arguments: Extent.some(0..<12))
  func foldingChangesNothing(seed: UInt64) throws {
    var scripts = RandomSuperscript(random: SplitMix(seed: seed &+ 100))
    for round in 0..<60 {
      let tree = scripts.expression(depth: 1 + round % 5)
      let folded = try Self.compile(tree)
      var builder = ProgramBuilder(Self.environment)
      builder.folds = false
      builder.add(tree.source)
      let plain = builder.build()
      for _ in 0..<3 {
        let context = scripts.context()
        #expect(
          Self.outcome(plain, context) == Self.outcome(folded, context),
          "\(tree.source) on \(context.json)")
      }
    }
  }

  /// What is left when some attributes are known evaluates like the whole, and can be written down.
  @Test(arguments: Extent.some(0..<12))
  func specializing(seed: UInt64) throws {
    var scripts = RandomSuperscript(random: SplitMix(seed: seed &+ 200))
    var random = SplitMix(seed: seed &+ 201)
    var shorter = 0
    for round in 0..<60 {
      let tree = scripts.expression(depth: 1 + round % 5)
      let program = try Self.compile(tree)
      for _ in 0..<3 {
        let context = scripts.context()
        let known = SpecializingTests.part(of: context, &random)
        let rest = program.specialize(known)
        if rest.requirements.count < program.requirements.count { shorter += 1 }
        let expected = Self.outcome(program, context)
        #expect(
          Self.outcome(rest, context) == expected,
          "\(tree.source) with \(known.values.json) and \(known.complete) on \(context.json)")
        #expect(!rest.residue(of: rest.entries[0]).isEmpty)
      }
    }
    #expect(shorter > 20)
  }

  /// With a budget of the estimate, no evaluation of such data is stopped.
  @Test(arguments: Extent.some(0..<8))
  func costIsNeverTooLow(seed: UInt64) throws {
    var scripts = RandomSuperscript(random: SplitMix(seed: seed &+ 300))
    for round in 0..<60 {
      let tree = scripts.expression(depth: 1 + round % 5)
      let program = try Self.compile(tree)
      let cost = program.cost(of: program.entries[0], for: Cost.DataSizes(elements: 340, bytes: 60))
      var limits = Limits()
      limits.steps = cost.steps.upperBound == .max ? .max : cost.steps.upperBound + 1
      var environment = Self.environment
      environment.limits = limits
      let limited = try #require(environment.compile(tree.source).output)
      for _ in 0..<3 {
        let context = scripts.context()
        #expect(
          Self.outcome(limited, context) == Self.outcome(program, context),
          "\(tree.source) on \(context.json)")
      }
    }
  }

  /// A frame that reads JSON holds the same as one that is given values.
  @Test(arguments: Extent.some(0..<12), [ValueBinding.Null.kept, .emptyMap, .dropped])
  func readingJSON(seed: UInt64, null: ValueBinding.Null) throws {
    var scripts = RandomSuperscript(random: SplitMix(seed: seed &+ 400))
    var binding = ValueBinding()
    binding.null = null
    binding.longsAreUnsigned = seed % 2 == 0
    binding.dropsDollarSigns = seed % 3 == 0
    binding.wholeDoublesAreInts = seed % 4 == 0
    let environment = ExpressionEnvironment.superscript(
      variables: ["free"], hostFunctions: RandomSuperscript.functions, binding: binding)
    for round in 0..<40 {
      let tree = scripts.expression(depth: 1 + round % 5)
      let program = try #require(environment.compile(tree.source).output)
      for _ in 0..<3 {
        let text = scripts.context().json.replacing("\"pro\"", with: "\"$p$ro\"")
        var read = Frame(for: program)
        var given = Frame(for: program)
        try read.fill(json: text.utf8)
        try given.fill(Value.parse(json: text.utf8))
        for slot in 0..<program.storage.graph.slots.count {
          let (a, b) = (read.slots[slot], given.slots[slot])
          #expect(
            a.isValue == b.isValue && (a.isValue ? Value(a).json == Value(b).json : a == b),
            "\(program.requirements) of \(tree.source) from \(text)")
        }
      }
    }
  }

  /// Explaining changes nothing, and the clauses that were evaluated say what the whole came to.
  @Test(arguments: Extent.some(0..<8))
  func explaining(seed: UInt64) throws {
    var scripts = RandomSuperscript(random: SplitMix(seed: seed &+ 500))
    for round in 0..<60 {
      let tree = scripts.expression(depth: 1 + round % 5)
      let program = try Self.compile(tree)
      let context = scripts.context()
      var frame = Frame(for: program)
      try frame.fill(context)
      try Self.answer(program, in: &frame)
      let clauses = program.clauses(of: program.entries[0], in: &frame)
      #expect(program.clauses(of: program.entries[0], in: &frame) == clauses)
      var outcome = Outcome.error
      if let value = try? program.evaluate(in: &frame) { outcome = .value("\(value)") }
      #expect(outcome == Self.outcome(program, context), "\(tree.source) on \(context.json)")
    }
  }

  /// Columns of contexts against one context after the other.
  @Test(arguments: Extent.some(0..<8))
  func columns(seed: UInt64) throws {
    var scripts = RandomSuperscript(random: SplitMix(seed: seed &+ 600))
    var builder = ProgramBuilder(Self.environment)
    for round in 0..<40 { builder.add(scripts.expression(depth: 1 + round % 4).source) }
    for source in [
      #"user.plan == "pro" && user.age > 3"#, #"user.plan != "5" || user.age == "5""#,
      #"user.plan in ["a", "pro"] && !user.flag"#, "user.flag && device.version",
      #"has(user.profile.city) || user.profile.city == """#, "user.age > user.count",
      #"user.plan.contains("x") || user.roles.contains("pro")"#, "free == 5 || user.age == 5",
      #"device.daysSince("app_open") == "daysSince(app_open)" && user.flag"#,
    ] { builder.add(source) }
    let program = builder.build()
    let rows = 200
    let columns = ColumnFrame(for: program)
    var conditions = ConditionColumns(program, conditions: program.entries)
    let filled = try FilledRows(program, (0..<rows).map { _ in scripts.context() }) {
      try Self.answer(program, in: &$0)
    }
    filled.copy(to: columns)
    conditions.begin(columns)
    var held = 0
    for (number, entry) in program.entries.enumerated() {
      let active = RowMasks.allocate()
      defer { active.deallocate() }
      RowMasks.fill(active, rows: ColumnFrame.rows)
      let holding = conditions.holds(number, for: active, in: columns)
      held += filled.expect(entry, number, holdsFor: holding)
    }
    #expect(held > 500)
  }

  /// What is left, for people.
  @Test(arguments: [
    ("user.age > 18 && user.flag && device.os != 'iOS'", "user.age > 18 && false"),
    ("user.age > 18 && device.os == 'iOS'", "!!(user.age > 18)"),
    ("user.age > 18 || device.os == 'iOS'", "user.age > 18 || true"),
    ("device.os == 'iOS' || user.age > 18", "true"),
    ("user.plan == device.plan || user.plan == '7'", "user.plan == \"pro\" || user.plan == \"7\""),
    ("device.daysSince('app_open') > 3", "daysSince(\"app_open\") > 3"),
    ("!(user.plan.contains('x')) && user.flag", "!user.plan.contains(\"x\") && user.flag"),
    ("has(user.x) ? user.x : device.plan", "has(user.x) ? user.x : \"pro\""),
    ("device.nope == 5", "false"), ("device.nope == 0", "true"),
  ])
  func residue(source: String, expected: String) throws {
    let program = try #require(Self.environment.compile(source).output)
    let known = KnownAttributes(
      ["device": ["os": "iOS", "plan": "pro"]], complete: [AttributePath(["device"])])
    let rest = program.specialize(known)
    #expect(rest.residue(of: rest.entries[0]) == expected)
  }

  /// A question is not an attribute, whatever names attributes have: only the host answers it.
  @Test func questionsAreNotAttributes() throws {
    let source = "device.daysSince('app_open') > 3"
    let program = try #require(Self.environment.compile(source).output)
    #expect(program.requirements == [AttributePath(["device"])])
    var frame = Frame(for: program)
    let unanswered = try program.evaluate(in: &frame)
    for path in [["daysSince"], ["()", "daysSince"], ["()", "daysSince", "=app_open"]] {
      let context = path.reversed().reduce(Value.int(9)) { .object([$1: $0]) }
      try frame.fill(context)
      #expect(try program.evaluate(in: &frame) == unanswered)
      try frame.fill(json: context.json.utf8)
      #expect(try program.evaluate(in: &frame) == unanswered)
      let rest = program.specialize(KnownAttributes(context, complete: [AttributePath([])]))
      #expect(rest.questions == program.questions)
    }
  }
}

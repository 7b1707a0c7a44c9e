import Expressions
import TestSupport
import Testing

/// Several expressions in one program share what they have in common, and stay what they are.
@Suite struct SharingTests {
  private static func outcome(_ program: Program, _ entry: Program.Entry, _ frame: inout Frame)
    -> String
  {
    do throws(EvaluationError) {
      return "\(try program.evaluate(entry, in: &frame))"
    } catch {
      return "error \(error.kind.slug)"
    }
  }

  /// Random expressions, alone and together: the same answers.
  @Test(arguments: 0..<12)
  func aloneAndTogether(seed: UInt64) throws {
    var expressions = RandomExpressions(random: SplitMix(seed: seed &+ 90))
    var writer = ReferenceWriter(random: SplitMix(seed: seed), isPlayful: false)
    var random = SplitMix(seed: seed &+ 7)
    for _ in 0..<12 {
      var sources: [String] = []
      for i in 0..<8 {
        let source = writer.write(expressions.expression(.bool, depth: i % 4))
        // Some repeat a part of one before.
        let known = sources.randomElement(using: &random)
        sources.append(i % 3 == 2 ? "(\(source)) || (\(known ?? "true"))" : source)
      }
      var builder = ProgramBuilder(ExpressionEnvironment())
      for source in sources { #expect(builder.add(source) == [], "\(source)") }
      let together = builder.build()
      #expect(together.entries.count == sources.count)
      #expect(together.sources == sources)
      for _ in 0..<3 {
        let context = expressions.context()
        var frame = Frame(for: together)
        try frame.fill(context)
        for (i, source) in sources.enumerated() {
          let alone = try #require(ExpressionEnvironment().compile(source).output)
          var own = Frame(for: alone)
          try own.fill(context)
          let expected = Self.outcome(alone, alone.entries[0], &own)
          let got = Self.outcome(together, together.entries[i], &frame)
          #expect(got == expected, "number \(i) of \(sources) on \(context.json)")
        }
      }
    }
  }

  /// An expression with mistakes keeps its number, says what is wrong, and does no harm to others.
  @Test func mistakesAmongOthers() throws {
    var builder = ProgramBuilder(ExpressionEnvironment())
    #expect(builder.add("user.a == 1") == [])
    #expect(builder.add("user.a ==").map(\.code) == [.syntaxError])
    #expect(builder.add("usr.a == 1 && user.b").map(\.code) == [.unknownAttribute])
    #expect(builder.add("user.a == 1 && user.b") == [])
    let program = builder.build()
    var frame = Frame(for: program)
    try frame.fill(["user": ["a": 1, "b": true]])
    let outcomes = program.entries.map { Self.outcome(program, $0, &frame) }
    #expect(outcomes == ["bool(true)", "null", "null", "bool(true)"])
  }

  /// The same mistake in two expressions is told twice: each has its own author.
  @Test(arguments: [
    "user.a.matches('[')", "usr.a == 1", "user.a.conatins('x')", "user.a ==", "(1 == 1).nope(2)",
  ])
  func theSameMistakeTwice(source: String) {
    var builder = ProgramBuilder(ExpressionEnvironment())
    let first = builder.add(source)
    let second = builder.add(source)
    let third = builder.add("user.b == 1 || (\(source))")
    #expect(!first.isEmpty)
    #expect(second == first)
    #expect(third.map(\.code) == first.map(\.code))
  }

  /// An error points into the text of the expression that was evaluated, also where that expression
  /// shares the failing part, or the result of folding it, with another.
  @Test(arguments: [
    ("user.a == 1", "user.b == 2 || user.a == 1", 15, 26),
    ("user.a == 1 + 1", "user.b == 2 || user.a == 1 + 1", 15, 30),
    ("user.a in [1, 2]", "false || user.a in [1, 2]", 9, 25),
    ("size(user.a) > 1", "user.b && size(user.a) > 1", 10, 22),
    ("user.a + (1 + 2) > 3", "  user.a + (1 + 2) > 3", 2, 18),
    ("user.a.startsWith('x' + 'y')", "true && user.a.startsWith('x' + 'y')", 8, 36),
  ])
  func errorsPointIntoTheirOwnText(first: String, second: String, from: Int, to: Int) throws {
    var builder = ProgramBuilder(ExpressionEnvironment())
    #expect(builder.add(first) == [])
    #expect(builder.add(second) == [])
    let program = builder.build()
    var frame = Frame(for: program)
    try frame.fill(["user": ["b": true]])
    if second.contains("user.b == 2") { try frame.fill(["user": ["b": 3]]) }
    let error = try #require(throws: EvaluationError.self) {
      try program.evaluate(program.entries[1], in: &frame)
    }
    let range = try #require(program.range(of: error, in: program.entries[1]))
    #expect(range.from >= from && range.to <= to && range.to > range.from, "\(range)")
  }

  @Test func attributesInTheOrderOfFirstUse() throws {
    var builder = ProgramBuilder(ExpressionEnvironment())
    for source in [
      "user.b == user.a && has(device.os)", "user[\"a\"] == 1 || user.`c-d`.e > 2",
      "params.x.all(y, y.z == user.a) && device.os == 'iOS'", "[1].all(user, user > 0)",
    ] { #expect(builder.add(source) == []) }
    let program = builder.build()
    #expect(
      program.requirements.map(\.names) == [
        ["user", "b"], ["user", "a"], ["device", "os"], ["user", "c-d", "e"], ["params", "x"],
      ])
    // Names differ by their bytes.
    let accents = try #require(
      ExpressionEnvironment().compile("user[\"caf\u{E9}\"] == user[\"cafe\u{301}\"]").output)
    #expect(accents.requirements.count == 2)
    let context: Value = ["user": ["caf\u{E9}": 1, "cafe\u{301}": 2]]
    #expect(try accents.evaluate(context) == false)
  }
}

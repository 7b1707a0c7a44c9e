import Testing

@testable import Expressions

/// What an explanation is made of: the tests of an expression, what came of them, what they read.
@Suite struct ClauseTests {
  private func clauses(_ source: String, _ context: Value) throws -> [Clause] {
    let program = try #require(Environment().compile(source).output)
    var frame = Frame(for: program)
    try frame.fill(context)
    return program.clauses(of: program.entries[0], in: &frame)
  }

  private func told(_ source: String, _ context: Value) throws -> [String] {
    try clauses(source, context).map { "\($0.text): \($0.outcome)" }
  }

  @Test(arguments: [
    ("user.a == 1", ["user.a == 1: true"]), ("user.a != 1", ["user.a != 1: false"]),
    ("user.a == 2", ["user.a == 2: false"]), ("user.a != 2", ["user.a != 2: true"]),
    ("user.a > 0", ["user.a > 0: true"]), ("0 < user.a", ["0 < user.a: true"]),
    ("user.nope == 1", ["user.nope == 1: failed"]), ("has(user.a)", ["has(user.a): true"]),
    ("user.a in [1]", ["user.a in [1]: true"]),
    ("user.s.contains('b')", ["user.s.contains('b'): true"]),
    ("user.a == 2 && user.s == 'abc'", ["user.a == 2: false", "user.s == 'abc': notEvaluated"]),
    ("user.a == 1 || user.s == 'x'", ["user.a == 1: true", "user.s == 'x': notEvaluated"]),
    ("user.nope == 1 || user.a == 1", ["user.nope == 1: failed", "user.a == 1: true"]),
    (
      "user.a == 1 ? user.s == 'abc' : user.s == 'x'",
      ["user.a == 1: true", "user.s == 'abc': true", "user.s == 'x': notEvaluated"]
    ),
    ("user.a != 1 || user.s != 'x'", ["user.a != 1: false", "user.s != 'x': true"]),
  ])
  func outcomes(source: String, expected: [String]) throws {
    #expect(try told(source, ["user": ["a": 1, "s": "abc"]]) == expected)
  }

  /// What is not there is not null.
  @Test func attributes() throws {
    let clauses = try clauses("user.a == 1 && user.b.c != user.n", ["user": ["a": 1, "n": .null]])
    #expect(clauses.count == 2)
    #expect(
      clauses[0].attributes == [Clause.Attribute(path: AttributePath(["user", "a"]), value: 1)])
    #expect(
      clauses[1].attributes == [
        Clause.Attribute(path: AttributePath(["user", "b", "c"]), value: Value?.none),
        Clause.Attribute(path: AttributePath(["user", "n"]), value: Value.null),
      ])
  }

  /// Telling does not change what is told, and a second telling says the same.
  @Test func tellingTwice() throws {
    let program = try #require(Environment().compile("user.a + 'x' == 'abcx' && user.b").output)
    var frame = Frame(for: program)
    try frame.fill(["user": ["a": "abc", "b": false]])
    let first = program.clauses(of: program.entries[0], in: &frame)
    #expect(try program.evaluate(in: &frame) == false)
    #expect(program.clauses(of: program.entries[0], in: &frame) == first)
    #expect(first.map(\.outcome) == [.true, .false])
  }

  /// An expression of a program tells its own clauses, however much of it another one holds.
  @Test func sharedClauses() throws {
    var builder = ProgramBuilder(Environment())
    #expect(builder.add("user.a == 1 + 1 && user.b") == [])
    #expect(builder.add("user.c == 1 || user.a == 1 + 1") == [])
    #expect(builder.add("user.a != 1 + 1") == [])
    let program = builder.build()
    var frame = Frame(for: program)
    try frame.fill(["user": ["a": 2, "b": true, "c": 3]])
    let told = program.entries.map { entry in
      program.clauses(of: entry, in: &frame).map { "\($0.text): \($0.outcome)" }
    }
    #expect(told[0] == ["user.a == 1 + 1: true", "user.b: true"])
    #expect(told[1] == ["user.c == 1: false", "user.a == 1 + 1: true"])
    #expect(told[2] == ["user.a != 1 + 1: false"])
  }
}

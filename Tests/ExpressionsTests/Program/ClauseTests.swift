import Testing

@testable import Expressions

/// What an explanation is made of: the tests of an expression, what came of them, what they read.
@Suite struct ClauseTests {
  private func clauses(_ source: String, _ context: Value) throws -> [Clause] {
    let program = try #require(ExpressionEnvironment().compile(source).output)
    var frame = Frame(for: program)
    try frame.fill(context)
    return program.clauses(of: program.entries[0], in: &frame)
  }

  private func told(_ source: String, _ context: Value) throws -> [String] {
    try clauses(source, context).map(ClauseTests.told)
  }

  /// `text: outcome`, in brackets when the clause was not needed.
  private static func told(_ clause: Clause) -> String {
    let outcome =
      switch clause.outcome {
      case .true: "true"
      case .false: "false"
      case .failed(let kind): kind.slug
      case .noBool: "no bool"
      }
    return clause.wasReached ? "\(clause.text): \(outcome)" : "\(clause.text): (\(outcome))"
  }

  @Test(arguments: [
    ("user.a == 1", ["user.a == 1: true"]), ("user.a != 1", ["user.a != 1: false"]),
    ("user.a == 2", ["user.a == 2: false"]), ("user.a != 2", ["user.a != 2: true"]),
    ("user.a > 0", ["user.a > 0: true"]), ("0 < user.a", ["0 < user.a: true"]),
    ("user.nope == 1", ["user.nope == 1: no-such-attribute"]),
    ("has(user.a)", ["has(user.a): true"]),
    ("user.a in [1]", ["user.a in [1]: true"]),
    ("user.s.contains('b')", ["user.s.contains('b'): true"]),
    ("user.a == 2 && user.s == 'abc'", ["user.a == 2: false", "user.s == 'abc': (true)"]),
    ("user.a == 1 || user.s == 'x'", ["user.a == 1: true", "user.s == 'x': (false)"]),
    ("user.nope == 1 || user.a == 1", ["user.nope == 1: no-such-attribute", "user.a == 1: true"]),
    (
      "user.a == 1 ? user.s == 'abc' : user.s == 'x'",
      ["user.a == 1: true", "user.s == 'abc': true", "user.s == 'x': (false)"]
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

  /// A test and its negation, and the same test in two places, are clauses of their own.
  @Test(arguments: [
    (
      "user.a >= 10 ? user.g != 'lose' : user.g == 'lose'",
      ["user.a >= 10: true", "user.g != 'lose': true", "user.g == 'lose': (false)"]
    ),
    ("user.a == 1 || user.a != 1", ["user.a == 1: false", "user.a != 1: true"]),
    (
      "(user.a == 1 && user.b == 2) || (user.a != 1 && user.b == 3)",
      ["user.a == 1: false", "user.b == 2: (false)", "user.a != 1: true", "user.b == 3: true"]
    ),
    (
      "user.b == 3 && user.b == 3 && !(user.b == 3)",
      ["user.b == 3: true", "user.b == 3: true", "!(user.b == 3): false"]
    ),
    (
      "user.a < 5 ? user.b == 3 : user.b == 3",
      ["user.a < 5: false", "user.b == 3: (true)", "user.b == 3: true"]
    ),
  ])
  func eachPlaceIsAClause(source: String, expected: [String]) throws {
    #expect(try told(source, ["user": ["a": 12, "b": 3, "g": "win"]]) == expected)
  }

  /// What folding would take away is told, and whether it was reached.
  @Test func constants() throws {
    let source = "false && user.a == 1 || 1 == 1 || user.b == 1 / 0 || 'yes'"
    let clauses = try clauses(source, ["user": ["a": 1, "b": 2]])
    #expect(
      clauses.map(ClauseTests.told) == [
        "false: false", "user.a == 1: (true)", "1 == 1: true",
        "user.b == 1 / 0: (division-by-zero)", "'yes': (no bool)",
      ])
    #expect(clauses.map(\.isConstant) == [true, false, true, false, true])
    #expect(clauses.map(\.value) == [nil, nil, nil, nil, "yes"])
  }

  /// The text of a clause is what stands at its place, without what surrounds it.
  @Test(arguments: [
    ("((user.a == 1)) && (user.b)", ["user.a == 1", "user.b"]),
    ("( // one\n user.a == 1 // two\n )", ["user.a == 1"]),
    ("(user.s == ')(') || ('(' == user.s)", ["user.s == ')('", "'(' == user.s"]),
    ("(user.a) == (1)", ["(user.a) == (1)"]), ("((user.a) == (1))", ["(user.a) == (1)"]),
    ("size((user.l)) > (1 + 1)", ["size((user.l)) > (1 + 1)"]),
  ])
  func places(source: String, expected: [String]) throws {
    let clauses = try clauses(source, .map([]))
    #expect(clauses.map(\.text) == expected)
    let bytes = Array(source.utf8)
    for clause in clauses {
      let place = bytes[clause.range.from..<clause.range.to]
      #expect(String(decoding: place, as: UTF8.self) == clause.text)
    }
  }

  /// What a program was specialised for is told too. Clauses that read what does not matter any
  /// more, so that the frame does not hold it, are left out.
  @Test func specialisedPrograms() throws {
    let source =
      "device.os == 'ios' && (user.a == 1 || user.b == device.n) || device.os != 'ios' && user.c"
    let program = try #require(ExpressionEnvironment().compile(source).output)
    let rest = program.specialize(
      KnownAttributes(
        ["device": ["os": "ios", "n": [1, 2]]], complete: [AttributePath(["device"])]))
    #expect(rest.requirements.map(\.description) == ["user.a", "user.b"])
    var frame = Frame(for: rest)
    try frame.fill(["user": ["a": 2, "b": [1, 2]]])
    let clauses = rest.clauses(of: rest.entries[0], in: &frame)
    #expect(
      clauses.map(ClauseTests.told) == [
        "device.os == 'ios': true", "user.a == 1: false", "user.b == device.n: true",
        "device.os != 'ios': (false)",
      ])
    #expect(clauses[2].attributes.map(\.value) == [[1, 2], [1, 2]])
  }

  /// An expression with errors has no clauses, and does no harm to others.
  /// What folding leaves out is a clause all the same.
  @Test func patternsThatNobodyComesTo() throws {
    let clauses = try told("true || user.s.matches('(?=a)')", ["user": ["s": "abc"]])
    #expect(clauses == ["true: true", "user.s.matches('(?=a)'): (bad-regex)"])
  }

  @Test func expressionsWithErrors() throws {
    var builder = ProgramBuilder(ExpressionEnvironment())
    for source in ["user.a ==", "user.s.matches('(')", "nope == 1", "user.b"] {
      builder.add(source)
    }
    let program = builder.build()
    var frame = Frame(for: program)
    try frame.fill(["user": ["b": true]])
    let told = program.entries.map { program.clauses(of: $0, in: &frame).map(ClauseTests.told) }
    #expect(told == [[], [], [], ["user.b: true"]])
  }

  /// Telling does not change what is told, and a second telling says the same.
  @Test func tellingTwice() throws {
    let program = try #require(
      ExpressionEnvironment().compile("user.a + 'x' == 'abcx' && user.b").output)
    var frame = Frame(for: program)
    try frame.fill(["user": ["a": "abc", "b": false]])
    let first = program.clauses(of: program.entries[0], in: &frame)
    #expect(try program.evaluate(in: &frame) == false)
    #expect(program.clauses(of: program.entries[0], in: &frame) == first)
    #expect(first.map(\.outcome) == [.true, .false])
  }

  /// An expression of a program tells its own clauses, however much of it another one holds.
  @Test func sharedClauses() throws {
    var builder = ProgramBuilder(ExpressionEnvironment())
    #expect(builder.add("user.a == 1 + 1 && user.b") == [])
    #expect(builder.add("user.c == 1 || user.a == 1 + 1") == [])
    #expect(builder.add("user.a != 1 + 1") == [])
    let program = builder.build()
    var frame = Frame(for: program)
    try frame.fill(["user": ["a": 2, "b": true, "c": 3]])
    let told = program.entries.map { entry in
      program.clauses(of: entry, in: &frame).map(ClauseTests.told)
    }
    #expect(told[0] == ["user.a == 1 + 1: true", "user.b: true"])
    #expect(told[1] == ["user.c == 1: false", "user.a == 1 + 1: true"])
    #expect(told[2] == ["user.a != 1 + 1: false"])
  }
  /// What is worked out before it is compared is told, each by itself, whether or not the run came
  /// there.
  @Test func computedOperands() throws {
    let source = "size(user.l) == 3 && user.s + 'x' == 'abcx' && user.n / 0 > 1"
    let clauses = try clauses(source, ["user": ["l": [1, 2], "s": "abc", "n": 1]])
    #expect(clauses.map(\.outcome) == [.false, .true, .failed(.divisionByZero)])
    #expect(clauses.map(\.wasReached) == [true, false, false])
    let told = clauses.map { $0.computed.map { "\($0.text) \($0.value?.json ?? "none")" } }
    #expect(told == [["size(user.l) 2"], ["user.s + 'x' \"abcx\""], ["user.n / 0 none"]])
  }

  /// Loops and bindings are one clause.
  @Test(arguments: [
    (
      "user.l.exists(x, x > user.n) && user.n == 1",
      ["user.l.exists(x, x > user.n): true", "user.n == 1: true"]
    ),
    ("user.l.all(x, x > 1)", ["user.l.all(x, x > 1): false"]),
    ("user.e.all(x, x > 1)", ["user.e.all(x, x > 1): true"]),
    (
      "cel.bind(y, user.n, y == 1) || user.n == 1",
      ["cel.bind(y, user.n, y == 1): true", "user.n == 1: (true)"]
    ),
  ])
  func loops(source: String, expected: [String]) throws {
    #expect(try told(source, ["user": ["l": [1, 2], "n": 1, "e": []]]) == expected)
  }

  /// What a variable or an alternative holds is an error where it is needed, in explanations too.
  @Test(arguments: [
    (
      "cel.bind(x, 1 / user.z, x > 0 || user.n == 1)",
      ["cel.bind(x, 1 / user.z, x > 0 || user.n == 1): true"]
    ),
    (
      "cel.bind(x, user.no, x) || user.n == 1",
      ["cel.bind(x, user.no, x): no-such-attribute", "user.n == 1: true"]
    ),
    ("user.?n.orValue(user.no) == 1", ["user.?n.orValue(user.no) == 1: true"]),
    ("user.?no.orValue(1 / user.z) == 1", ["user.?no.orValue(1 / user.z) == 1: division-by-zero"]),
  ])
  func whatIsNeeded(source: String, expected: [String]) throws {
    #expect(try told(source, ["user": ["n": 1, "z": 0]]) == expected)
  }

  @Test func computedAlternatives() throws {
    let source = "user.?n.orValue(user.no) == 1 && user.?b.orValue(user.no)"
    let clauses = try clauses(source, ["user": ["n": 1, "b": true]])
    #expect(clauses.map(\.outcome) == [.true, .true])
    let told = clauses.map { $0.computed.map { "\($0.text) \($0.value?.json ?? "none")" } }
    #expect(told == [["user.?n.orValue(user.no) 1"], ["user.?b true"]])
  }

  /// What is deeper than values may be has none.
  @Test func computedValuesOfAnyDepth() throws {
    func deeper(_ inner: String) -> String {
      String(repeating: "[", count: 200) + inner + String(repeating: "]", count: 200)
    }
    let values = [deeper("user.n")] + (0..<4).map { deeper("cel.index(\($0))") }
    let source = "cel.block([\(values.joined(separator: ", "))], cel.index(4)) == user.n"
    let clauses = try clauses(source, ["user": ["n": 1]])
    #expect(clauses.map(\.outcome) == [.false])
    #expect(clauses[0].computed.map(\.value) == [Value?.none])
  }

  @Test(arguments: [
    ("user.n", ["user.n: no bool"]), ("user.b", ["user.b: true"]),
    ("user.n == 1 ? user.m : 2", ["user.n == 1: true", "user.m: no bool", "2: (no bool)"]),
    ("true", ["true: true"]), ("!user.b", ["!user.b: false"]),
    ("!(user.n == 1)", ["!(user.n == 1): false"]), ("!!user.b", ["!!user.b: true"]),
    ("!(user.b && user.n == 2)", ["user.b: true", "user.n == 2: false"]),
  ])
  func values(source: String, expected: [String]) throws {
    #expect(try told(source, ["user": ["n": 1, "m": 2, "b": true]]) == expected)
  }

  /// An element that may be left out has no value of its own: lowering one never ended.
  @Test func optionalElements() throws {
    let clauses = try clauses("[?user.?a] == [1] && [?optional.none()] == []", ["user": ["a": 1]])
    #expect(clauses.map(\.outcome) == [.true, .true])
  }
}

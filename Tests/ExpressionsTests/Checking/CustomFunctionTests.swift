import Testing

@testable import Expressions

private let ownFunctions = ExpressionEnvironment(functions: [
  CustomFunction("twice", arguments: 1) { arguments throws(EvaluationError) in
    guard case .int(let number) = arguments[0] else { throw EvaluationError(.noSuchOverload) }
    return .int(number * 2)
  },
  CustomFunction("isLong", arguments: 1...2, isMethod: true) { arguments throws(EvaluationError) in
    guard case .string(let text) = arguments[0] else { throw EvaluationError(.noSuchOverload) }
    if arguments.count == 1 { return .bool(text.count > 3) }
    guard case .int(let least) = arguments[1] else { throw EvaluationError(.noSuchOverload) }
    return .bool(text.count > Int(least))
  },
  CustomFunction("geo.country", arguments: 0) { _ in .string("DE") },
  CustomFunction("size", arguments: 3) { .list($0) },
  CustomFunction("size", arguments: 1) { _ in .string("never called") },
  CustomFunction("fails", arguments: 0) { _ throws(EvaluationError) in
    throw EvaluationError(.conversion)
  },
])

private let context: Value = [
  "user": ["n": 4, "name": "Ann", "nothing": .null, "tags": ["a", "beta"]]
]

private let results: [(String, Value)] = [
  ("twice(user.n) == 8", true), ("twice(twice(1 + 1))", 8),
  ("user.name.isLong()", false), ("user.name.isLong(2)", true),
  ("'Anna'.isLong()", true), ("geo.country()", "DE"),
  ("size(user.n, null, [1])", [4, .null, [1]]), ("size('abc')", 3),
  ("user.tags.filter(t, t.isLong())", ["beta"]),
  ("user.tags.map(t, t.isLong() ? twice(1) : 0)", [0, 2]),
  ("{'a': twice(3)}.a == 6 && geo.country() in ['DE', 'AT']", true),
  ("false && fails()", false), ("fails() || true", true),
  ("cel.bind(x, twice(user.n), x + x)", 16),
]

/// Functions that an app brings.
@Suite struct CustomFunctionTests {
  private func value(_ source: String) throws -> Value {
    let compiled = ownFunctions.compile(source)
    #expect(compiled.diagnostics.isEmpty, "\(compiled.diagnostics)")
    return try #require(compiled.output).evaluate(context)
  }

  @Test(arguments: results)
  func calls(source: String, expected: Value) throws {
    #expect(try value(source) == expected)
  }

  /// What fails is the call, where it stands, for the reason that it gives.
  @Test(arguments: [
    ("1 + fails()", EvaluationError.Kind.conversion, "fails()"),
    ("twice(user.name) > 1", .noSuchOverload, "twice(user.name)"),
    ("twice(user.nothing) > 1", .noSuchOverload, "twice(user.nothing)"),
    ("twice(user.nope) > 1", .noSuchAttribute, "twice(user.nope)"),
    ("twice(1 / 0) > 1", .divisionByZero, "1 / 0"),
  ])
  func fails(source: String, kind: EvaluationError.Kind, place: String) throws {
    let program = try #require(ownFunctions.compile(source).output)
    let error = try #require(throws: EvaluationError.self) { try program.evaluate(context) }
    #expect(error.kind == kind)
    let range = try #require(program.range(of: error, in: program.entries[0]))
    #expect(String(source.dropFirst(range.from).prefix(range.to - range.from)) == place)
  }

  @Test(arguments: [
    ("twice()", "'twice' cannot be called like this", "write twice(a)"),
    ("user.n.twice()", "'twice' cannot be called like this", "write twice(a)"),
    ("isLong('a')", "'isLong' cannot be called like this", "write a.isLong()"),
    ("geo.country(1)", "'geo.country' cannot be called like this", "write geo.country()"),
    (
      "size(1, 2)", "'size' cannot be called like this",
      "write a.size() or size(a) or size(a, b, c)"
    ),
    ("twize(1)", "the function 'twize' does not exist", "did you mean 'twice'?"),
  ])
  func isNotCalledLikeThis(source: String, message: String, suggestion: String) throws {
    let diagnostic = try #require(ownFunctions.compile(source).diagnostics.first)
    #expect(diagnostic.code == .unknownFunction)
    #expect(diagnostic.message == message)
    #expect(diagnostic.suggestion?.hasPrefix(suggestion) == true, "\(diagnostic)")
  }

  /// Names are looked for in the container first, and with a dot before them outside it only.
  @Test func functionsOfContainers() throws {
    func named(_ name: String) -> CustomFunction {
      CustomFunction(name, arguments: 0) { _ in .string(name) }
    }
    let names = ["geo.country", "a.geo.country", "a.b.geo.city", "geo.city", "a.zone"]
    var environment = ExpressionEnvironment(functions: names.map(named))
    environment.container = "a.b"
    let calls = [
      "geo.country()": "a.geo.country", ".geo.country()": "geo.country",
      "geo.city()": "a.b.geo.city", ".geo.city()": "geo.city", "a.geo.country()": "a.geo.country",
      ".a.b.geo.city()": "a.b.geo.city", "zone()": "a.zone",
    ]
    for (source, name) in calls {
      let compiled = environment.compile(source)
      #expect(try compiled.output?.evaluate([:]) == .string(name), "\(source)")
    }
    // Those of the language have no container.
    #expect(try environment.compile("math.greatest(1, 2)").output?.evaluate([:]) == 2)
  }

  /// Nothing is called while compiling, and what is left of a program is written with its calls.
  @Test func isNotFolded() throws {
    let source = "twice(2) == 4 && 'Anna'.isLong() && user.n > 1"
    let program = try #require(ownFunctions.compile(source).output)
    #expect(program.residue(of: program.entries[0]).contains("twice(2) == 4 && \"Anna\".isLong()"))
    let rest = program.specialize(KnownAttributes(["user": ["n": 4]]))
    #expect(try rest.evaluate(["user": [:]]) == true)
  }

  /// A result is kept within the limits of memory, and of nesting.
  @Test func limits() throws {
    let many = CustomFunction("many", arguments: 0) { _ in
      .list(Array(repeating: "a text that is longer than a cell", count: 10_000))
    }
    let deep = CustomFunction("deep", arguments: 0) { _ in
      (0..<1_000).reduce(Value.null) { value, _ in [value] }
    }
    let environment = ExpressionEnvironment(
      limits: Limits(memoryBytes: 10_000), functions: [many, deep])
    for source in ["many().size() > 1", "deep() == null"] {
      let program = try #require(environment.compile(source).output)
      let error = try #require(throws: EvaluationError.self) { try program.evaluate([:]) }
      #expect(error.kind == .limitExceeded)
    }
  }

  @Test func hasAtMostSoManyArguments() throws {
    let most = CustomFunction.mostArguments
    let count = CustomFunction("count", arguments: 0...1_000) { .int(Int64($0.count)) }
    #expect(count.arguments == 0...most)
    let environment = ExpressionEnvironment(functions: [count])
    func call(_ arguments: Int) -> String {
      "count(\(Array(repeating: "1", count: arguments).joined(separator: ", ")))"
    }
    #expect(try environment.compile(call(most)).output?.evaluate([:]) == .int(Int64(most)))
    #expect(environment.compile(call(most + 1)).diagnostics.first?.code == .unknownFunction)
  }

  /// In columns and in rows, a call comes to the same.
  @Test func inColumns() throws {
    var builder = ProgramBuilder(ownFunctions)
    for source in ["twice(user.n) > 6 && user.n < 9", "user.name.isLong(user.n) || user.n == 1"] {
      builder.add(source)
    }
    let program = builder.build()
    let columns = ColumnFrame(for: program)
    var conditions = ConditionColumns(program, conditions: program.entries)
    let contexts = (0..<200).map { number -> Value in
      ["user": ["n": .int(Int64(number % 13)), "name": number % 3 == 0 ? .null : "a name"]]
    }
    let filled = try FilledRows(program, contexts)
    filled.copy(to: columns)
    conditions.begin(columns)
    let active = RowMasks.allocate()
    defer { active.deallocate() }
    RowMasks.fill(active, rows: ColumnFrame.rows)
    for (number, entry) in program.entries.enumerated() {
      let holding = conditions.holds(number, for: active, in: columns)
      #expect(filled.expect(entry, number, holdsFor: holding) > 20)
    }
  }
}

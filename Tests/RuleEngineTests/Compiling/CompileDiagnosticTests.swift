import Expressions
import RuleBatch
import RuleEngine
import Testing

/// What compiling a config finds, and where.
@Suite struct CompileDiagnosticTests {
  private func compile(_ audiences: Audience...) -> Compilation<RuleSet> {
    RuleSet.compile(
      Config(placements: [Placement(name: "p", audiences: audiences)]), language: .cel)
  }

  private func audience(
    _ index: Int, _ expression: String? = nil, limit: OccurrenceLimit? = nil
  ) -> Audience {
    Audience(
      index: index, experimentID: "e\(index)", expression: expression, occurrenceLimit: limit,
      variants: [Variant(id: "v", kind: .holdout, weight: 1)], path: "rules[\(index)]")
  }

  /// Each expression's diagnostics stand under its own path, also when several audiences have the
  /// same mistake, and every other audience works.
  @Test(arguments: [
    ("user.a ==", Diagnostic.Code.syntaxError), ("usr.a == 1", .unknownAttribute),
    ("user.a.conatins('x')", .unknownFunction), ("user.a.matches('[')", .badRegex),
    ("", .syntaxError),
    ("9223372036854775808 == 1", .syntaxError),
  ])
  func mistakes(expression: String, code: Diagnostic.Code) throws {
    let compiled = compile(
      audience(0, expression), audience(1, "user.ok"), audience(2, expression),
      audience(3, "user.other == 1 || (\(expression.isEmpty ? "+" : expression))"))
    let errors = compiled.diagnostics.filter { $0.severity == .error }
    #expect(errors.allSatisfy { $0.code == code }, "\(errors)")
    let paths = Set(errors.map(\.path))
    #expect(
      paths == ["rules[0].expression_cel", "rules[2].expression_cel", "rules[3].expression_cel"])
    let rules = try #require(compiled.output)
    var frame = Frame(for: rules.program)
    try frame.fill(["user": ["ok": true, "other": 1, "a": 1]])
    let decision = rules.decide(
      "p", frame: &frame, state: DecisionState(subjectID: "u", now: 0), assigner: .hash(salt: ""))
    #expect(decision.audience == 1)
    let steps = rules.steps("p", frame: &frame, state: DecisionState(subjectID: "u", now: 0))
    #expect(steps[0].reason == .expressionBroken)
  }

  @Test func audiencesThatNobodyReaches() {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
    let everybody = compile(audience(0, "user.a"), audience(1), audience(2, "user.b"), audience(3))
    #expect(everybody.diagnostics.map(\.code) == [.unreachableAudience, .unreachableAudience])
    #expect(everybody.diagnostics.map(\.path) == ["rules[2]", "rules[3]"])
    #expect(everybody.diagnostics.allSatisfy { $0.severity == .warning })
    // Numbers count in the order of evaluation, and paths in that of the file.
    #expect(everybody.diagnostics[0].related.map(\.message) == ["audience 'e1' matches every user"])
    #expect(everybody.diagnostics[0].related.map(\.path) == ["rules[1]"])
    // A limit lets subjects through.
    #expect(compile(audience(0, limit: limit), audience(1)).diagnostics == [])
    #expect(compile(audience(0, "user.a"), audience(1)).diagnostics == [])
  }

  @Test func keysWithDifferentLimits() {
    let one = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
    let two = OccurrenceLimit(key: "k", maxCount: 2, interval: .infinity)
    let other = OccurrenceLimit(key: "K", maxCount: 3, interval: .infinity)
    let conflict = compile(audience(0, "user.a", limit: one), audience(1, "user.b", limit: two))
    #expect(conflict.diagnostics.map(\.code) == [.occurrenceKeyConflict])
    #expect(conflict.diagnostics.first?.path == "rules[1].occurrence")
    let fine = compile(
      audience(0, "user.a", limit: one), audience(1, "user.b", limit: one),
      audience(2, "user.c", limit: other))
    #expect(fine.diagnostics == [])
    let accents = compile(
      audience(
        0, "user.a", limit: OccurrenceLimit(key: "\u{E9}", maxCount: 1, interval: .infinity)),
      audience(
        1, "user.b", limit: OccurrenceLimit(key: "e\u{301}", maxCount: 2, interval: .infinity)))
    #expect(accents.diagnostics == [])
  }

  /// Placements differ by the bytes of their names.
  @Test func placementNamesAreBytes() throws {
    let names = ["caf\u{E9}", "cafe\u{301}"]
    let config = Config(
      placements: names.enumerated().map {
        Placement(name: $1, audiences: [audience($0, "user.n == \($0)")])
      })
    let rules = try #require(RuleSet.compile(config).output)
    var frame = Frame(for: rules.program)
    try frame.fill(["user": ["n": 1]])
    let outcomes = names.map {
      rules.decide(
        $0, frame: &frame, state: DecisionState(subjectID: "u", now: 0), assigner: .hash(salt: "")
      ).audience
    }
    #expect(outcomes == [nil, 1])
    var worker = BatchWorker(BatchPlan(rules, now: 0, assigner: .hash(salt: "")))
    let tally = worker.process(Array("{\"userId\":\"u\",\"user\":{\"n\":0}}".utf8)).tally
    #expect(tally.placements.map(\.holdout) == [1, 0])
  }

  /// What the rules read, once each, over all placements.
  @Test func requirements() throws {
    let compiled = compile(
      audience(0, "user.b == 1 && device.os == 'iOS'"), audience(1, "user.a == user.b"),
      audience(2, "has(params.x)"))
    let rules = try #require(compiled.output)
    #expect(rules.requirements.map(\.description) == ["user.b", "device.os", "user.a", "params.x"])
  }
}

import Testing

@testable import Expressions

@Suite("Several expressions in one program")
struct ProgramBuilderTests {
  /// A mistake is told for every expression that makes it, at its place there.
  @Test func theSamePatternMistakeTwice() {
    var builder = ProgramBuilder(Environment())
    let ranges = ["user.a.matches('[')", "user.b == 1 || user.a.matches('[')"].map {
      builder.add($0).map { [$0.range?.from ?? -1, $0.range?.to ?? -1] }
    }
    #expect(ranges == [[[16, 17]], [[31, 32]]])
    let program = builder.build()
    #expect(program.entries.count == 2)
  }

  @Test func sharedPartsKeepTheirPlaces() throws {
    var builder = ProgramBuilder(Environment())
    #expect(builder.add("user.a == 1 + 1").isEmpty)
    #expect(builder.add("user.b == 2 || user.a == 1 + 1").isEmpty)
    let program = builder.build()
    var frame = Frame(for: program)
    try frame.fill(["user": ["b": 3]])
    let error = #expect(throws: EvaluationError.self) {
      try program.evaluate(program.entries[1], in: &frame)
    }
    let range = program.range(of: try #require(error), in: program.entries[1])
    #expect(range == SourceRange(from: 15, to: 30))
    let clauses = program.clauses(of: program.entries[1], in: &frame)
    #expect(clauses.map(\.text) == ["user.b == 2", "user.a == 1 + 1"])
    #expect(clauses.map(\.outcome) == [.false, .failed(.noSuchAttribute)])
    #expect(clauses[1].attributes.map(\.value) == [nil])
  }

  @Test func equalMeaningsShareTheirCode() {
    var builder = ProgramBuilder(Environment())
    for source in ["user.a > 1", "1 < user.a", "(user.a>1)", "user.a >= 1"] {
      #expect(builder.add(source).isEmpty)
    }
    let starts = builder.build().entries.map(\.start)
    #expect(Set(starts[0...2]).count == 1)
    #expect(starts[3] != starts[0])
  }
}

import Expressions
import Testing

/// What the generated tests assert with. It counts, so that a result in a branch that never runs is
/// a failure.
final class ExampleRun {
  private let results: Int
  private var reached = 0

  init(results: Int) { self.results = results }

  func same<Result: Equatable>(
    _ got: Result, _ wanted: Result, at location: SourceLocation = #_sourceLocation
  ) {
    reached += 1
    #expect(got == wanted, sourceLocation: location)
  }

  func prints(_ got: some Any, _ wanted: String, at location: SourceLocation = #_sourceLocation) {
    same("\(got)", wanted, at: location)
  }

  /// Expects an evaluation error of a kind.
  func fails(
    _ slug: String, at location: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
  ) {
    reached += 1
    do {
      let got = try body()
      Issue.record("gives \(got), no error", sourceLocation: location)
    } catch {
      let kind = (error as? EvaluationError)?.kind.slug ?? "\(error)"
      #expect(kind == slug, sourceLocation: location)
    }
  }

  /// Expects an expression to compile, and to equal another without a context, or to err.
  func cel(
    _ source: String, _ result: String? = nil, at location: SourceLocation = #_sourceLocation
  ) throws {
    let program = try #require(Environment().compile(source).output, sourceLocation: location)
    guard let result else {
      reached += 1
      return
    }
    if result.hasPrefix("error ") {
      fails(String(result.dropFirst(6)), at: location) { try program.evaluate([:]) }
      return
    }
    let wanted = try #require(Environment().compile(result).output, sourceLocation: location)
    same(try program.evaluate([:]), try wanted.evaluate([:]), at: location)
  }

  func end(at location: SourceLocation = #_sourceLocation) {
    #expect(reached >= results, "a result was not reached", sourceLocation: location)
  }
}

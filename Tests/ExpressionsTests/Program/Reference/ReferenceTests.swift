import Expressions
import TestSupport
import Testing

/// Random programs on random data, against the reference interpreter.
@Suite struct ReferenceTests {
  private static let contextsPerProgram = 4

  /// What the engine said that it should not have said, or nil.
  private static func disagreement(
    _ expression: ReferenceExpression, _ source: String, _ context: Value
  ) -> String? {
    let compiled = ExpressionEnvironment().compile(source)
    guard let program = compiled.output else {
      return "does not compile: \(compiled.diagnostics.map(\.message))"
    }
    let expected = ReferenceInterpreter(context: context).evaluate(expression)
    do throws(EvaluationError) {
      let got = try program.evaluate(context)
      return disagreement(expected, got: got)
    } catch {
      return disagreement(expected, error: error)
    }
  }

  private static func disagreement(
    _ expected: ReferenceInterpreter.Result, got: Value
  ) -> String? {
    switch expected {
    case .value(let value):
      ReferenceEquality.areIdentical(value, got) ? nil : "expected \(value), got \(got)"
    case .errors(let kinds): "expected an error of \(kinds.map(\.slug).sorted()), got \(got)"
    case .unspecified: nil
    }
  }

  private static func disagreement(
    _ expected: ReferenceInterpreter.Result, error: EvaluationError
  ) -> String? {
    switch expected {
    case .value(let value): "expected \(value), got error \(error.kind.slug)"
    case .errors(let kinds):
      kinds.contains(error.kind)
        ? nil : "expected an error of \(kinds.map(\.slug).sorted()), got \(error.kind.slug)"
    case .unspecified: nil
    }
  }

  /// The smallest part of an expression that goes wrong by itself, written plainly.
  private static func smallestPart(
    _ expression: ReferenceExpression, _ context: Value
  ) -> (source: String, problem: String)? {
    for child in expression.children {
      if let part = smallestPart(child, context) { return part }
    }
    var writer = ReferenceWriter(random: SplitMix(seed: 0), isPlayful: false)
    let source = writer.write(expression)
    return disagreement(expression, source, context).map { (source, $0) }
  }

  @Test(arguments: Extent.some(0..<40))
  func agreesWithTheReference(seed: UInt64) {
    var expressions = RandomExpressions(random: SplitMix(seed: seed))
    var writer = ReferenceWriter(random: SplitMix(seed: seed &+ 1_000))
    var decided = 0
    for round in 0..<60 {
      let expression = expressions.expression(.bool, depth: 1 + round % 5)
      let source = writer.write(expression)
      for _ in 0..<Self.contextsPerProgram {
        let context = expressions.context()
        guard let problem = Self.disagreement(expression, source, context) else {
          decided += 1
          continue
        }
        let part = Self.smallestPart(expression, context)
        Issue.record(
          """
          \(part?.problem ?? problem)
          in \(part?.source ?? source)
          on \(context.json)
          """)
        return
      }
    }
    #expect(decided == 60 * Self.contextsPerProgram)
  }

  /// The generator is of no use if it hardly ever makes conditions that come to something.
  @Test func theSampleIsTelling() {
    var expressions = RandomExpressions(random: SplitMix(seed: 7))
    var counts: [String: Int] = [:]
    for round in 0..<2_000 {
      let expression = expressions.expression(.bool, depth: 1 + round % 5)
      switch ReferenceInterpreter(context: expressions.context()).evaluate(expression) {
      case .value(.bool(true)): counts["true", default: 0] += 1
      case .value(.bool(false)): counts["false", default: 0] += 1
      case .value: counts["other", default: 0] += 1
      case .errors: counts["error", default: 0] += 1
      case .unspecified: counts["unspecified", default: 0] += 1
      }
    }
    #expect(counts["true", default: 0] > 250)
    #expect(counts["false", default: 0] > 250)
    #expect(counts["error", default: 0] > 200)
    #expect(counts["unspecified", default: 0] < 100)
  }
}

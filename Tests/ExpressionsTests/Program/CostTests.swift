import TestSupport
import Testing

@testable import Expressions

@Suite struct CostTests {
  private func cost(_ source: String, _ sizes: Cost.DataSizes = Cost.DataSizes()) throws -> Cost {
    let program = try #require(ExpressionEnvironment().compile(source).output)
    return program.cost(of: program.entries[0], for: sizes)
  }

  @Test func simpleTestsTakeNoSteps() throws {
    let cost = try cost(
      #"user.age > 18 && device.platform == "iOS""#, Cost.DataSizes(elements: 0, bytes: 15))
    #expect(cost.operations == 1...2)
    #expect(cost.steps.lowerBound == 0)
    #expect(cost.steps.upperBound <= 1)
  }

  @Test func theFirstOperandMayDecide() throws {
    #expect(try cost("user.a == 1 || user.b + 1 == 2 || user.c == 3").operations == 1...4)
    #expect(try cost("user.a == 1 ? user.b + 1 : user.c").operations == 1...2)
  }

  /// Constants are as large as they are.
  @Test(arguments: [
    "user.a + 'TEXT' == user.b", "user.a.contains('TEXT')", "b'TEXT' + user.a == user.b",
  ])
  func constantsHaveTheirSize(source: String) throws {
    let sizes = Cost.DataSizes(elements: 1, bytes: 10_000)
    let costs = try [1, 10_000].map {
      try cost(source.replacing("TEXT", with: String(repeating: "a", count: $0)), sizes).steps
    }
    #expect(costs[1].upperBound > costs[0].upperBound, "\(costs)")
  }

  @Test func loopsGrowWithTheData() throws {
    let source = "user.tags.exists(t, t == 1)"
    let small = try cost(source, Cost.DataSizes(elements: 10, bytes: 0))
    let large = try cost(source, Cost.DataSizes(elements: 1_000, bytes: 0))
    #expect(small.steps.upperBound >= 10)
    #expect(large.steps.upperBound >= 100 * small.steps.upperBound / 2)
    let nested = try cost(
      "user.a.all(x, user.b.all(y, x == y))", Cost.DataSizes(elements: 10, bytes: 0))
    #expect(nested.steps.upperBound >= 110)
  }

  /// Whatever looks for a value in a list looks at each element, in both languages.
  @Test(arguments: ["params.a in user.list", "user.list.contains(params.a)"])
  func listsAreGoneThrough(_ source: String) throws {
    let elements = 10_000
    var environment = ExpressionEnvironment.superscript(roots: ["user", "params"])
    let program = try environment.compile(source).get()
    let cost = program.cost(
      of: program.entries[0], for: Cost.DataSizes(elements: elements, bytes: 0))
    environment.limits.steps = cost.steps.upperBound + 1
    let limited = try environment.compile(source).get()
    let list = Value.list((0..<elements).map { .int(Int64($0)) })
    #expect(try limited.evaluate(["user": ["list": list], "params": ["a": -1]]) == false)
  }

  @Test func constantRangesAreKnown() throws {
    let cost = try cost("[1, 2, 3].exists(x, x == user.a)", Cost.DataSizes(elements: 0, bytes: 0))
    #expect(cost.steps == 0...3)
    #expect(cost.operations == 1...7)
  }

  @Test func hugeEstimatesStop() throws {
    let source = "user.a.all(a, user.a.all(b, user.a.all(c, user.a.all(d, user.a.all(e, a == e)))))"
    let cost = try cost(source, Cost.DataSizes(elements: 1 << 40, bytes: 1 << 40))
    #expect(cost.steps.upperBound == .max)
  }

  /// With a budget of the estimate, no evaluation of such data is stopped.
  @Test(arguments: 0..<20)
  func neverTooLow(seed: UInt64) throws {
    var expressions = RandomExpressions(random: SplitMix(seed: seed &+ 70))
    var writer = ReferenceWriter(random: SplitMix(seed: seed &+ 71))
    for round in 0..<60 {
      let source = writer.write(expressions.expression(.bool, depth: 1 + round % 5))
      let program = try #require(ExpressionEnvironment().compile(source).output)
      // Contexts hold up to 4 elements at each of 4 levels, and texts of 60 bytes.
      let cost = program.cost(of: program.entries[0], for: Cost.DataSizes(elements: 340, bytes: 60))
      let limits = Limits(steps: cost.steps.upperBound == .max ? .max : cost.steps.upperBound + 1)
      let limited = try #require(ExpressionEnvironment(limits: limits).compile(source).output)
      for _ in 0..<4 {
        let context = expressions.context()
        do throws(EvaluationError) {
          _ = try limited.evaluate(context)
        } catch {
          #expect(error.kind != .limitExceeded, "\(source) on \(context.json)")
        }
      }
    }
  }
}

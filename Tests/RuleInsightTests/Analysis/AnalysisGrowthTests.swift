import Expressions
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// The work of the analysis grows as the number of audiences does.
@Suite struct AnalysisGrowthTests {
  private static func steps(_ condition: (Int) -> String, _ count: Int) throws -> Int {
    let audiences = (0..<count).map { number in
      Audience(
        index: number, experimentID: "e\(number)", expression: condition(number),
        variants: [Variant(id: "v", kind: .treatment, weight: 100, paywallID: "w")])
    }
    let config = Config(placements: [Placement(name: "p", audiences: audiences)])
    return RuleAnalysis(try RuleSet.compile(config).get(), now: 1_767_225_600_000).steps
  }

  /// Twice as many audiences take little more than twice the steps.
  private static func check(_ name: String, _ condition: (Int) -> String) throws {
    let (few, many) = (try steps(condition, 100), try steps(condition, 200))
    #expect(many * 10 <= few * 26, "\(name): \(few), then \(many)")
  }

  @Test func valuesOfOneAttribute() throws {
    try Self.check("equal") { _ in #"user.x == "a""# }
    try Self.check("distinct") { "user.x == '\($0)'" }
    try Self.check("excluded") { "user.x != '\($0)'" }
  }

  @Test func boundsOfOneAttribute() throws {
    try Self.check("rising") { "user.x > \($0)" }
    try Self.check("falling") { "user.x > \(1_000 - $0)" }
  }

  @Test func oneAttributeEach() throws {
    try Self.check("attributes") { "user.a\($0) == 'x'" }
  }
}

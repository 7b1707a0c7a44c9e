import Expressions
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// The work of the analysis grows as the number of audiences does.
@Suite struct AnalysisGrowthTests {
  private static let now: Instant = 1_767_225_600_000

  private static func rules(
    _ condition: (Int) -> String, _ count: Int, limit: OccurrenceLimit? = nil
  ) throws -> RuleSet {
    let audiences = (0..<count).map { number in
      Audience(
        index: number, experimentID: "e\(number)", expression: condition(number),
        occurrenceLimit: limit,
        variants: [Variant(id: "v", kind: .treatment, weight: 100, paywallID: "w")])
    }
    return try RuleSet.compile(
      Config(placements: [Placement(name: "p", audiences: audiences)])
    ).get()
  }

  /// Twice as many audiences take little more than twice the steps.
  private static func check(
    _ name: String, limit: OccurrenceLimit? = nil, _ condition: (Int) -> String
  ) throws {
    func steps(_ count: Int) throws -> Int {
      RuleAnalysis(try rules(condition, count, limit: limit), now: now).steps
    }
    let (few, many) = (try steps(100), try steps(200))
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

  @Test func orderOfStrings() throws {
    try Self.check("versions") { "device.appVersionPadded >= '001.\(100 + $0).000'" }
    try Self.check("dates") { "user.day < '2026-\(100 + $0)'" }
    try Self.check("prefixes") { "user.x.startsWith('k\(100 + $0)')" }
  }

  @Test func oneAttributeEach() throws {
    try Self.check("attributes") { "user.a\($0) == 'x'" }
  }

  /// Users pass audiences whose limit is used up.
  @Test func audiencesWithOneLimit() throws {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
    try Self.check("limit", limit: limit) { "user.x == '\($0)'" }
  }

  /// Questions beyond the limit of work are counted.
  @Test func aBudgetOfQuestions() throws {
    let rules = try Self.rules({ "user.a == \($0) || user.b == \($0)" }, 20)
    let whole = RuleAnalysis(rules, now: Self.now)
    #expect(whole.statistics.notAsked == 0)
    let part = RuleAnalysis(rules, now: Self.now, mostSteps: 2_000)
    #expect((1..<part.statistics.questions).contains(part.statistics.notAsked))
    #expect(part.steps < whole.steps)
  }

  /// The values of an attribute's members are combined.
  @Test func aChangeAmongMembers() throws {
    let rules = try Self.rules({ "user.m['k\($0)'] == 'x'" }, 30)
    let record: Value = ["userId": "u", "user": ["m": ["k1": "x"]]]
    let change = try #require(
      rules.smallestChange(audience: 29, of: "p", for: record, at: HistoryClock(now: Self.now)))
    #expect(change.steps < 8_000_000)
  }
}

import Expressions
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// What is said of configs that people use.
@Suite struct RuleAnalysisConfigTests {
  private func analysis(_ path: String, _ language: RuleLanguage = .standard) throws
    -> RuleAnalysis
  {
    let config = try #require(Config.decode(try bytes(path)).output)
    let ruleSet = try #require(RuleSet.compile(config, language: language).output)
    return RuleAnalysis(ruleSet, now: 1_767_225_600_000)
  }

  @Test(arguments: [
    "demo/config.json", "cases/superwall-sample-config.json", "sdk/fixtures/config.std.json",
  ])
  func nothingIsWrongInThem(_ path: String) throws {
    for language in RuleLanguage.compared {
      let found = try analysis(path, language)
      let warnings = found.findings.filter { $0.diagnostic.severity != .note }
      #expect(warnings.isEmpty, "\(language): \(warnings.map(\.diagnostic.message))")
      #expect(found.statistics.questions > 0)
      let said = found.statistics
      #expect(said.questions == said.witnesses + said.proofs + said.unknown)
      #expect(said.unknown * 100 <= said.questions, "\(language): \(said)")
    }
  }

  @Test func filtersOfAgentWallieAreUnderstood() throws {
    let filters = [
      Filter(field: "user.plan", operator: .is, value: "free"),
      Filter(field: "user.plan", operator: .isNot, value: "free"),
    ]
    let audience = Audience(
      index: 0, experimentID: "e", path: "campaigns[0].audiences[0]", filters: filters)
    let others = Audience(
      index: 1, experimentID: "f", path: "campaigns[0].audiences[1]",
      filters: [Filter(field: "plan", operator: .in, value: ["a", "b"])])
    let shadowed = Audience(
      index: 2, experimentID: "g", path: "campaigns[0].audiences[2]",
      filters: [Filter(field: "plan", operator: .is, value: "b")])
    let config = Config(
      format: .agentWallie,
      placements: [Placement(name: "p", audiences: [audience, others, shadowed])])
    let ruleSet = try #require(RuleSet.compile(config).output)
    let found = RuleAnalysis(ruleSet, now: 0).findings.map(\.diagnostic)
    #expect(found.map(\.code) == [.contradictoryClauses, .unreachableAudience])
    #expect(found.map(\.path) == ["campaigns[0].audiences[0].filters[1]", shadowed.path])
  }

  @Test func eventsAreVariablesLikeAttributes() throws {
    let rules = [
      wireRule("a", expression: "computed.placementsInWeek('x') >= 3"),
      wireRule("b", expression: "computed.placementsInWeek('x') >= 5"),
      wireRule("c", expression: "computed.daysSince('x') >= 2"),
    ]
    for platform in Platform.allCases {
      let decoded = Config.decode(superwall: wireConfig(rules: rules.joined(separator: ",")))
      let config = try #require(decoded.output)
      let ruleSet = try #require(
        RuleSet.compile(config, language: .superscript(SDKProfile(platform))).output)
      let found = RuleAnalysis(ruleSet, now: 1_767_225_600_000)
      let paths = found.findings.filter { $0.diagnostic.severity == .warning }.map(
        \.diagnostic.path)
      #expect(paths.first == "trigger_options[0].rules[1]", "\(platform)")
      #expect(found.statistics.unknown == 0, "\(platform): \(found.statistics)")
    }
  }
}

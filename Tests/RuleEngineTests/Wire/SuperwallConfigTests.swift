import Expressions
import RuleEngine
import TestSupport
import Testing

@Suite("Decoding Superwall's static config")
struct SuperwallConfigTests {
  private func codes(_ rules: String, _ severity: Diagnostic.Severity) -> [String] {
    Config.decode(superwall: wireConfig(rules: rules)).diagnostics
      .filter { $0.severity == severity }.map { "\($0.code.rawValue) \($0.path)" }
  }

  @Test func theSampleHasNoErrors() throws {
    let decoded = Config.decode(superwall: try bytes("cases/superwall-sample-config.json"))
    #expect(!decoded.diagnostics.contains { $0.severity == .error })
    #expect(
      decoded.output?.placements.map(\.name) == [
        "onboarding_done", "export_pdf", "paywall_decline", "settings_upsell",
      ])
    let first = try #require(decoded.output?.placements.first?.audiences.first)
    #expect(first.experimentID == "exp_101")
    #expect(first.campaignID == "camp_onboarding")
    #expect(
      first.occurrenceLimit
        == OccurrenceLimit(key: "camp_onboarding_101", maxCount: 1, interval: .infinity))
    #expect(first.variants.map(\.kind) == [.treatment, .treatment, .holdout])
    #expect(first.variants.map(\.weight) == [45, 45, 10])
  }

  @Test func theDemoHasNothingToSay() throws {
    let decoded = Config.decode(superwall: try bytes("demo/config.json"))
    let compiled = RuleSet.compile(try #require(decoded.output))
    #expect(decoded.diagnostics + compiled.diagnostics == [])
  }

  /// A bad element is told with its path, and its siblings work, with their positions.
  @Test(arguments: [
    ("7", "trigger_options[0].rules[0]"),
    (#"{"experiment_id":3}"#, "trigger_options[0].rules[0].experiment_id"),
    (#"{"experiment_group_id":"g"}"#, "trigger_options[0].rules[0]"),
    (
      wireRule(occurrence: #"{"max_count":1,"interval":{"type":"INFINITY"}}"#),
      "trigger_options[0].rules[0].occurrence"
    ),
    (
      wireRule(occurrence: #"{"key":"k","interval":{"type":"INFINITY"}}"#),
      "trigger_options[0].rules[0].occurrence"
    ),
    (
      wireRule().replacing("\"expression_cel\":null", with: "\"expression_cel\":5"),
      "trigger_options[0].rules[0].expression_cel"
    ),
  ])
  func badRulesLeaveTheirSiblings(rule: String, path: String) {
    let decoded = Config.decode(superwall: wireConfig(rules: rule + "," + wireRule("good")))
    #expect(decoded.diagnostics.contains { $0.severity == .error && $0.path == path })
    let audiences = decoded.output?.placements.first?.audiences ?? []
    #expect(audiences.map(\.experimentID) == ["good"])
    #expect(audiences.map(\.index) == [1])
  }

  @Test func intervals() {
    func limit(_ interval: String) -> OccurrenceLimit? {
      let rule = wireRule(occurrence: #"{"key":"k","max_count":2,"interval":\#(interval)}"#)
      return Config.decode(superwall: wireConfig(rules: rule)).output?.placements[0].audiences[0]
        .occurrenceLimit
    }
    #expect(limit(#"{"type":"MINUTES","minutes":60}"#)?.interval == .minutes(60))
    #expect(limit(#"{"type":"INFINITY"}"#)?.interval == .infinity)
    #expect(limit(#"{"type":"MINUTES"}"#)?.interval == .infinity)
    #expect(limit(#"{"type":"WEEKS"}"#)?.interval == .infinity)
  }

  @Test func lints() {
    let treatment = #"{"variant_id":"a","variant_type":"TREATMENT","percentage":0}"#
    let holdout = #"{"variant_id":"b","variant_type":"HOLDOUT","percentage":0}"#
    let path = "trigger_options[0].rules[0].variants"
    let unweighted = wireRule(variants: "\(treatment),\(holdout)")
    #expect(codes(unweighted, .error) == ["variant-without-paywall \(path)[0]"])
    #expect(codes(unweighted, .warning) == ["weights-zero \(path)"])
    let uneven = treatment.replacing("0}", with: "30,\"paywall_identifier\":\"x\"}")
    #expect(codes(wireRule(variants: "\(uneven),\(holdout)"), .note) == ["weights-not-100 \(path)"])
  }

  @Test func textThatIsNoConfig() {
    for text in ["", "[]", "{", "nonsense", "5"] {
      let decoded = Config.decode(superwall: text.utf8)
      #expect(decoded.output == nil)
      #expect(decoded.diagnostics.first?.severity == .error)
    }
  }

  @Test func expressionsAreToldWithTheirPath() throws {
    let config = try #require(
      Config.decode(
        superwall: wireConfig(rules: wireRule(expression: "user.a ==") + "," + wireRule())
      ).output)
    let compiled = RuleSet.compile(config)
    let problem = try #require(compiled.diagnostics.first)
    #expect(problem.code == .syntaxError)
    #expect(problem.path == "trigger_options[0].rules[0].expression_cel")
    #expect(problem.range == SourceRange(from: 9, to: 9))
    #expect(compiled.output != nil)
  }

  @Test func audiencesBehindEverybody() throws {
    let config = try #require(
      Config.decode(superwall: wireConfig(rules: wireRule() + "," + wireRule())).output)
    #expect(RuleSet.compile(config).diagnostics.map(\.code) == [.unreachableAudience])
  }
}

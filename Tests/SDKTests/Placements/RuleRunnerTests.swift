import Expressions
import RuleEngine
import Testing

@testable import SDK

/// What a decision reads, and that no decision sees what another one read.
@Suite("Running rules")
struct RuleRunnerTests {
  /// Counts what is asked of the roots.
  private final class Readings {
    var attributes: [String] = []
    var roots: [String] = []
    var histories = 0

    func context(params: Value = .map([]), value: Value = "x") -> RuleContext {
      func root(_ name: String) -> RuleContext.Root {
        RuleContext.Root(
          attribute: {
            self.attributes.append("\(name).\($0)")
            return value
          },
          all: {
            self.roots.append(name)
            return ["plan": value, "appVersion": value]
          })
      }
      return RuleContext(
        user: root("user"), device: root("device"), params: params,
        events: {
          self.histories += 1
          return (EventHistory(), HistoryClock(now: 0))
        })
    }
  }

  private func rules(_ expressions: String...) throws -> RuleSet {
    let placements = expressions.enumerated().map { number, expression in
      Placement(
        name: "p\(number)",
        audiences: [
          Audience(
            index: 0, experimentID: "e\(number)", expression: expression,
            variants: [Variant(id: "v", kind: .treatment, weight: 100, paywallID: "pw")])
        ])
    }
    return try #require(
      RuleSet.compile(Config(placements: placements), language: .superscript(.ios)).output)
  }

  private func matches(_ placement: String, _ runner: RuleRunner, _ context: RuleContext) -> Bool {
    let state = DecisionState(subjectID: "s", now: 0)
    let decision = runner.run(in: context) { rules, frame in
      rules.decide(placement, frame: &frame, state: state, assigner: .draw(0))
    }.result
    if case .paywall = decision.outcome { return true }
    return false
  }

  /// Null is null on iOS since SDK 4.17, and an empty map before.
  @Test(arguments: Platform.allCases) func nullIsNullInApps(_ platform: Platform) throws {
    let expressions = ["user.address.city == null", "user.address.city == false"]
    let placements = expressions.enumerated().map { number, expression in
      Placement(
        name: "p\(number)",
        audiences: [
          Audience(
            index: 0, experimentID: "e\(number)", expression: expression,
            variants: [Variant(id: "v", kind: .treatment, weight: 100, paywallID: "pw")])
        ])
    }
    let config = Config(placements: placements)
    let address: Value = ["city": .null]
    let context = Readings().context(value: address)
    let apps = RuleRunner(try #require(RuleSet.compile(config, forAppsOn: platform).output))
    #expect(matches("p0", apps, context))
    guard platform == .ios else { return }
    #expect(!matches("p1", apps, context))
    let newest = RuleRunner(
      try #require(RuleSet.compile(config, language: .superscript(.ios)).output))
    #expect(!matches("p0", newest, context))
  }

  @Test func readsWhatRulesRequireOnce() throws {
    let runner = RuleRunner(
      try rules(
        #"user.plan == "x" && device.appVersion == "x""#, #"user.plan == "y""#,
        "device.deep.deeper == 1 || device.deep.other == 2"))
    let readings = Readings()
    #expect(matches("p0", runner, readings.context()))
    #expect(readings.attributes.sorted() == ["device.appVersion", "device.deep", "user.plan"])
    #expect(readings.roots.isEmpty && readings.histories == 0)
  }

  /// A rule that picks a member by what another one says can pick any.
  @Test func readsEverythingForARuleThatMayAskForAnything() throws {
    let runner = RuleRunner(try rules(#"user[device.appVersion] == "x""#))
    let readings = Readings()
    #expect(!matches("p0", runner, readings.context()))
    #expect(readings.roots == ["user"] && readings.attributes == ["device.appVersion"])
    #expect(matches("p0", runner, readings.context(value: "plan")) == false)
  }

  @Test func asksForTheHistoryOnlyWhereRulesDo() throws {
    let runner = RuleRunner(try rules(#"daysSince("x") > 1"#))
    let readings = Readings()
    #expect(!matches("p0", runner, readings.context()))
    #expect(readings.histories == 1 && readings.attributes.isEmpty)
  }

  /// The frame stays, what was in it goes: parameters of an earlier placement, and whatever did not
  /// fit.
  @Test func noRunSeesAnEarlierOne() throws {
    let runner = RuleRunner(try rules(#"params.goal == "sleep""#))
    #expect(matches("p0", runner, Readings().context(params: ["goal": "sleep"])))
    #expect(!matches("p0", runner, Readings().context()))
    #expect(matches("p0", runner, Readings().context(params: ["goal": "sleep"])))
  }

  /// Attribute by attribute and all at once say the same.
  @Test(arguments: [Platform.ios, .android])
  func attributesHaveOneValue(_ platform: Platform) throws {
    var facts = DeviceFacts()
    facts.additional = ["bundleId": "own", "a": 1]
    facts.timeZone = "Europe/Paris"
    var stored = StoredState()
    stored.appUserID = "u"
    stored.userAttributes = ["plan": "x", "cafe\u{301}": 1]
    stored.lastPaywallView = 1
    let device = DeviceAttributes(
      platform: platform, apiKey: "pk", wrapper: .init(name: "Expo", version: "1"), facts: facts,
      locale: "de_DE", interfaceStyle: .dark, stored: stored, ownedProducts: ["p"],
      isFirstRun: true,
      enrichment: ["bundleId": "server", "platform": "server", "storeFrontCountryCode": "DE"],
      now: Samples.start)
    let members = try #require(device.all().members)
    #expect(members.count > 40)
    for member in members { #expect(device.value(named: member.key) == member.value) }
    #expect(device.value(named: "bundleId") == "own" && device.value(named: "a") == 1)
    #expect(device.value(named: "storeFrontCountryCode") == "DE")
    #expect(device.value(named: "localTime") == "01:00:00" && device.value(named: "b") == nil)
    #expect(device.all(withTimes: false)["localTime"] == nil)
    for member in try #require(stored.userForRules.members) {
      #expect(stored.user(named: member.key) == member.value)
    }
    #expect(stored.user(named: "isLoggedIn") == true && stored.user["isLoggedIn"] == nil)
    #expect(stored.user(named: "caf\u{e9}") == nil && stored.user(named: "q") == nil)
  }
}

import Expressions
import RuleEngine
import TestSupport
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// Users who break invariants are found, made small and told; where there are none nobody is.
@Suite struct RuleFuzzTests {
  private func plan(
    _ config: [UInt8], _ invariants: [RuleInvariant], _ language: RuleLanguage = .standard,
    seed: String = "", alters: (@Sendable (OwnInvariant, String) -> String)? = nil,
    texts: String? = nil
  ) throws -> FuzzPlan {
    let decoded = try #require(Config.decode(config).output)
    let rules = try #require(RuleSet.compile(decoded, language: language).output)
    var options = FuzzPlan.Options(
      assigner: .usual(for: rules.format, salt: seed), clock: HistoryClock(now: FuzzSample.now))
    options.seed = seed
    options.alters = alters
    if let texts {
      let file = try #require(TextFile.decode(json: Array(texts.utf8)).output)
      options.isHTML = true
      options.texts = try TextPlan(
        file, config: decoded, environment: TemplateEnvironment(dialect: .superwall, isHTML: true),
        pricing: PricingContext(
          now: FuzzSample.now, timeZone: "UTC", deviceLocale: "en_US", locale: nil,
          history: TrialHistory(entitlements: [], storeEligibility: true)),
        options: RenderOptions(escaping: .html, now: FuzzSample.now, locale: "en_US"))
    }
    return FuzzPlan(rules, decoded, invariants, options)
  }

  private func report(_ plan: FuzzPlan, blocks: Int) -> FuzzReport {
    var worker = FuzzWorker(plan)
    let report = FuzzReport(plan)
    for block in 0..<blocks where !(report.hasBroken && report.isSettled) {
      report.add(worker.run(block: block))
    }
    return report
  }

  private static let most = 5

  @Test(arguments: FuzzSample.all)
  func plantedFaultsAreFound(sample: FuzzSample) throws {
    for language in sample.languages {
      let plan = try plan(sample.planted, [sample.invariant], language)
      let report = report(plan, blocks: Self.most)
      guard case .broken(let broken) = report.verdict(0) else {
        Issue.record("not found, \(language)")
        continue
      }
      #expect(FuzzRecord.attributes(of: broken.record) <= 4, "\(broken.record.json)")
      guard sample.invariant.span == .decision else {
        #expect(broken.shown.count == broken.traffic.count, "each step matters")
        #expect(broken.shown.count <= 3)
        continue
      }
      // The test that is written fails.
      let test = try #require(broken.test)
      let explained = report.explained(test)
      #expect(explained?.reasons.isEmpty == false)
    }
  }

  @Test(arguments: FuzzSample.all)
  func soundConfigsAreNotAccused(sample: FuzzSample) throws {
    for language in sample.languages {
      let plan = try plan(sample.sound, [sample.invariant], language)
      let report = report(plan, blocks: Extent.count(24, or: 4))
      switch report.verdict(0) {
      case .proved, .provedForUsual: #expect(sample.isProvable)
      case .held: #expect(!sample.isProvable, "not proved, \(language)")
      case .broken(let broken): Issue.record("\(broken.record.json), \(language)")
      case .brokenByOddUsers(let broken): Issue.record("odd: \(broken.record.json), \(language)")
      case .neverMeant: Issue.record("never meant, \(language)")
      }
      for own in report.ownInvariants {
        let failure = report.failure(own)
        #expect(failure == nil, "\(own): \(failure?.got ?? "")")
      }
    }
  }

  /// As few attributes as will do, with the values that conditions name.
  @Test func usersAreMadeSmall() throws {
    let sample = FuzzSample.all[0]
    let report = report(try plan(sample.planted, [sample.invariant]), blocks: Self.most)
    guard case .broken(let broken) = report.verdict(0) else {
      Issue.record("not found")
      return
    }
    #expect(
      broken.line?.json
        == #"{"name":"minors","placement":"p","now":"2026-03-01T12:00:00Z","userId":"somebody","user":{"plan":"free","age":12},"expect":{"result":"noAudienceMatch"}}"#
    )
  }

  /// A failing `holds` is a violation that says so; a failing `when` is nobody who is meant.
  @Test func failuresOfExpressions() throws {
    let config = wireConfig(rules: wireRule())
    let invariants = [
      RuleInvariant(name: "holds", holds: "user.age >= 18"),
      RuleInvariant(name: "when", when: "user.never.there == 1", holds: "false"),
      RuleInvariant(name: "no bool", holds: "outcome.result"),
    ]
    let report = report(try plan(config, invariants), blocks: 3)
    guard case .broken(let missing) = report.verdict(0), case .broken(let text) = report.verdict(2)
    else {
      Issue.record("not found")
      return
    }
    #expect(missing.record.json == #"{"userId":"somebody"}"#)
    #expect(missing.error == "an attribute, a key or a field is missing")
    #expect(text.error == "its result is neither true nor false")
  }

  /// What is never meant is told; what nobody can break is proved.
  @Test func neverMeant() throws {
    let config = wireConfig(rules: wireRule(expression: "user.plan == 'free'"))
    let invariants = [
      RuleInvariant(
        name: "opaque", when: "int(user.a) * 2 == 7", holds: "outcome.result == \"holdout\""),
      RuleInvariant(name: "both", when: "user.a == 7 && user.a == 8", holds: "false"),
      RuleInvariant(name: "results", holds: "outcome.result in [\"paywall\", \"noAudienceMatch\"]"),
    ]
    let report = report(try plan(config, invariants), blocks: 2)
    guard case .neverMeant = report.verdict(0), case .proved = report.verdict(1),
      case .proved = report.verdict(2)
    else {
      Issue.record("\(report.applied(0)), \(report.applied(1)), \(report.applied(2))")
      return
    }
    let (both, errors, hasBroken) = (
      report.applied(1).count, report.applied(0).whenErrors, report.hasBroken
    )
    #expect(both == 0)
    #expect(errors > 0)
    #expect(!hasBroken)
  }

  /// Only somebody whose attribute is read as something else breaks it: that is told, and is no failure.
  @Test(arguments: [
    ("user.vip == true", Platform.ios, "user.vip == true", "user.vip"),
    ("user.age >= 18", .android, "user.age >= 18", "user.age"),
  ])
  func oddUsers(rule: String, platform: Platform, holds: String, path: String) throws {
    let config = wireConfig(rules: wireRule(expression: rule))
    let invariant = RuleInvariant(name: "same", holds: "outcome.result != \"paywall\" || \(holds)")
    let report = report(
      try plan(config, [invariant], .superscript(SDKProfile(platform))), blocks: 8)
    guard case .brokenByOddUsers(let odd) = report.verdict(0) else {
      Issue.record("not odd")
      return
    }
    #expect(odd.unusual == [path], "\(odd.record.json)")
    let (hasOdd, hasBroken) = (report.hasOdd, report.hasBroken)
    #expect(hasOdd && !hasBroken)
  }

  /// The same seed finds the same, whichever worker does a block; another one makes up others.
  @Test func seeds() throws {
    let sample = FuzzSample.all[9]
    func report(_ plan: FuzzPlan, workers count: Int) -> (Value, [Value], Int) {
      var blocks: [FuzzBlock] = []
      if count == 1 {
        var worker = FuzzWorker(plan)
        for block in 0..<4 { blocks.append(worker.run(block: block)) }
      } else {
        // Others do other blocks, the last ones first.
        var first = FuzzWorker(plan)
        var second = FuzzWorker(plan)
        let late = [3, 1].map { second.run(block: $0) }
        blocks = [first.run(block: 0), late[1], first.run(block: 2), late[0]]
      }
      let report = FuzzReport(plan)
      for block in blocks { report.add(block) }
      guard case .broken(let broken) = report.verdict(0) else { return (.null, [], 0) }
      return (broken.record, broken.shown, report.counts.users)
    }
    let one = report(try plan(sample.planted, [sample.invariant], seed: "a"), workers: 1)
    let two = report(try plan(sample.planted, [sample.invariant], seed: "a"), workers: 2)
    #expect(one == two)
    #expect(one.2 == 4 * FuzzWorker.usersInBlock)
    let plans = try ["a", "a", "b"].map { try plan(sample.sound, [], seed: $0) }
    let users = plans.map { plan in (400..<500).map { plan.space.user($0) } }
    #expect(users[0] == users[1])
    #expect(users[0] != users[2])
  }

  private static let texts = ##"""
    {"build_id":"b","trigger_options":[{"event_name":"p","rules":[
      {"experiment_id":"e","experiment_group_id":"g","expression_cel":"user.name != 'x'",
       "occurrence":{"key":"k","max_count":1,"interval":{"type":"MINUTES","minutes":60}},
       "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"pw"}]}]}],
     "product_identifiers":[],"paywall_responses":[{"identifier":"pw"}]}
    """##

  /// A fault in either way of each of our own checks is noticed, and nothing else is.
  @Test(arguments: OwnInvariant.allCases)
  func ownInvariants(planted: OwnInvariant) throws {
    let texts = #"{"paywalls":{"pw":{"title":"Hi {{ user.name }}"}}}"#
    let plan = try plan(
      Array(Self.texts.utf8), [],
      alters: { invariant, got in invariant == planted ? got + "!" : got }, texts: texts)
    let report = report(plan, blocks: 1)
    for own in OwnInvariant.allCases {
      let isNoticed = report.failure(own) != nil
      #expect(isNoticed == (own == planted), "\(own)")
    }
    let record = report.failure(planted)?.record.json
    #expect(record == #"{"userId":"somebody"}"#)
  }

  /// Users whose data are tags do not make any, and are there.
  @Test func hostileTexts() throws {
    let texts = #"{"paywalls":{"pw":{"title":"Hi {{ user.name }}"}}}"#
    let plan = try plan(Array(Self.texts.utf8), [], texts: texts)
    let users = (0..<400).map { plan.space.user($0) }
    #expect(users.contains { $0["user"]?["name"] == "<x-tollgate>" })
    #expect(users.contains { $0["user"]?["name"] == .null || $0["user"]?["name"]?.number != nil })
    #expect(users.contains { $0["occurrences"]?["k"]?.elements?.count == 1 })
    let report = report(plan, blocks: 6)
    let failure = report.failure(.texts)
    #expect(failure == nil)
  }

  /// As often as a limit allows, once less and once more; now, and around the edge of its span.
  @Test func occurrencesAroundLimits() throws {
    func counts(_ interval: String) throws -> [String: Set<Int>] {
      let limit = #"{"key":"k","max_count":3,"interval":\#(interval)}"#
      let plan = try plan(
        wireConfig(rules: wireRule(expression: "user.a == 1", occurrence: limit)), [])
      var found: [String: Set<Int>] = [:]
      for part in plan.space.parts where part.path == ["occurrences", "k"] {
        for value in part.values.compactMap({ $0?.elements }) where !value.isEmpty {
          found[value[0].text ?? "", default: []].insert(value.count)
        }
      }
      return found
    }
    let all: Set = [2, 3, 4]
    #expect(
      try counts(#"{"type":"MINUTES","minutes":60}"#).filter { $0.value == all }.keys.sorted() == [
        "2026-03-01T10:59:59Z", "2026-03-01T11:00:00Z", "2026-03-01T11:00:01Z",
        "2026-03-01T11:59:59Z",
      ])
    #expect(try counts(#"{"type":"INFINITY"}"#)["2026-03-01T11:59:59Z"] == all)
  }

  /// Parts of a record that follow from each other agree.
  @Test func recordsAreConsistent() {
    let records = FuzzRecord(
      [["device", "subscriptionStatus"], ["entitlements"], ["device", "appVersionPadded"]],
      platform: .ios, entitlement: "pro", hasGuards: false)
    func made(_ record: Value) -> String { records.consistent(record).json }
    #expect(made(["entitlements": ["pro"]]).contains(#""subscriptionStatus":"ACTIVE""#))
    #expect(
      made(["device": ["subscriptionStatus": "ACTIVE"]]).contains(#""entitlements":["pro"]"#))
    #expect(
      made(["device": ["subscriptionStatus": "INACTIVE"], "entitlements": ["x"]])
        == #"{"device":{"subscriptionStatus":"ACTIVE"},"entitlements":["x"]}"#)
    #expect(
      made(["device": ["appVersion": "2.9"]])
        == #"{"device":{"appVersion":"2.9","appVersionPadded":"002.009"}}"#)
  }
}

import Expressions
import Foundation
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// What is said of two configs without users, against users at random.
@Suite struct DifferenceTests {
  private static let runs =
    ProcessInfo.processInfo.environment["TOLLGATE_ANALYSIS_RUNS"].flatMap { Int($0) } ?? 36

  private static let assigner = Assigner.hash(salt: "s")

  private static func difference(
    _ old: RuleSet, _ new: RuleSet, assigners: (old: Assigner, new: Assigner)? = nil
  ) throws -> PlacementDifference {
    let comparison = RuleComparison(
      old, new, placements: ["p"], clock: HistoryClock(now: RandomEdits.now),
      assigners: assigners ?? (assigner, assigner))
    return try #require(comparison.differences().first)
  }

  /// Every pair of audiences is a question. Those beyond the budget are counted in one line.
  @Test func aBudgetOfPairs() throws {
    let audiences = (0..<40).map { number in
      Audience(
        index: number, experimentID: "e\(number)", expression: "user.a\(number) == 'x'",
        variants: [
          Variant(id: "v\(number)", kind: .treatment, weight: 100, paywallID: "w\(number)")
        ])
    }
    let reversed = audiences.reversed().enumerated().map { number, audience in
      var audience = audience
      audience.index = number
      return audience
    }
    func rules(_ audiences: [Audience]) throws -> RuleSet {
      try RuleSet.compile(Config(placements: [Placement(name: "p", audiences: audiences)])).get()
    }
    let comparison = RuleComparison(
      try rules(audiences), try rules(reversed), placements: ["p"],
      clock: HistoryClock(now: RandomEdits.now), assigners: (Self.assigner, Self.assigner))
    let whole = try #require(comparison.differences().first)
    #expect(whole.verdict == .differs && whole.unknown.isEmpty)
    let part = try #require(comparison.differences(mostSteps: 20_000).first)
    #expect(part.verdict == .differs && part.witnesses.count < whole.witnesses.count)
    #expect(part.unknown.count(where: { $0.contains("pairs of audiences were not compared") }) == 1)
    let few = try #require(comparison.differences(mostPairs: 30).first)
    #expect(few.witnesses.count <= 30)
    #expect(
      few.unknown.count(where: { $0.hasSuffix("were not compared: there are too many") }) == 1)
  }

  @Test func noProofIsRefutedAndEachWitnessDiffers() throws {
    var verdicts: [PlacementDifference.Verdict: Int] = [:]
    var (refutable, witnesses) = (0, 0)
    // At 110, the first user who is found for one pair is taken by another.
    for seed in Array(0..<Self.runs) + [110] {
      var edits = RandomEdits(seed: seed &+ 1_000)
      let before = edits.audiences(4)
      var after = before
      for _ in 0...seed % 2 {
        let all = RandomEdits.Edit.allCases
        after = edits.apply(all[(seed / 2) % all.count], to: after)
      }
      let language = RuleLanguage.compared[seed % RuleLanguage.compared.count]
      let old = try #require(RandomEdits.ruleSet(before, language))
      let new = try #require(RandomEdits.ruleSet(after, language))
      let difference = try Self.difference(old, new)
      verdicts[difference.verdict, default: 0] += 1
      for witness in difference.witnesses {
        witnesses += 1
        let was = try PlainDecision(witness.record, old, Self.assigner)
        let now = try PlainDecision(witness.record, new, Self.assigner)
        #expect(was.shown != now.shown, "\(seed): \(witness.record.json)")
        #expect(was.decision.audience == witness.from.audience)
        #expect(now.decision.audience == witness.to.audience)
      }
      var pairs: Set<[Int?]> = []
      for number in 0..<200 {
        let record = edits.record(number)
        let was = try PlainDecision(record, old, Self.assigner)
        let now = try PlainDecision(record, new, Self.assigner)
        if was.shown == now.shown { continue }
        pairs.insert([was.decision.audience, now.decision.audience])
        #expect(
          difference.verdict != .same,
          "\(seed): \(record.json) of \(before.map(\.expression)) \(after.map(\.expression))")
      }
      // Nothing is left out where everything is known.
      refutable += pairs.count
      guard difference.unknown.isEmpty else { continue }
      let said = Set(difference.witnesses.map { [$0.from.audience, $0.to.audience] })
      #expect(pairs.isSubset(of: said), "\(seed): \(pairs.subtracting(said))")
    }
    #expect(verdicts[.same, default: 0] > 2 && verdicts[.differs, default: 0] > 10, "\(verdicts)")
    #expect(refutable > 20 && witnesses > 20)
    #expect(verdicts[.unknown, default: 0] * 10 <= Self.runs, "\(verdicts)")
  }

  private static func audience(
    _ expression: String?, _ experiment: String = "e", weights: [Double] = [100],
    limit: OccurrenceLimit? = nil
  ) -> Audience {
    Audience(
      index: 0, experimentID: experiment, expression: expression, occurrenceLimit: limit,
      variants: weights.enumerated().map { number, weight in
        Variant(id: "v\(number)", kind: .treatment, weight: weight, paywallID: "pw\(number)")
      })
  }

  private static func difference(_ old: [Audience], _ new: [Audience]) throws
    -> PlacementDifference
  {
    try difference(
      try #require(RandomEdits.ruleSet(old)), try #require(RandomEdits.ruleSet(new)))
  }

  @Test func conditionsThatMeanTheSame() throws {
    let same = try Self.difference(
      [Self.audience("user.a > 2 && user.b == 'x'")],
      [Self.audience("user.b == 'x' && 2 < user.a && user.a > 0")])
    #expect(same.verdict == .same)
    let other = try Self.difference(
      [Self.audience("user.a > 2")], [Self.audience("user.a >= 2")])
    #expect(other.witnesses.count == 1)
    let witness = try #require(other.witnesses.first)
    #expect(witness.record == ["userId": "somebody", "user": ["a": 2]])
    #expect(witness.from.audience == nil && witness.to.audience == 0)
    #expect(witness.reason == .condition)
  }

  @Test func orderOfWhatExcludesEachOther() throws {
    let (free, pro) = (
      Self.audience("user.plan == 'free'", "e1"), Self.audience("user.plan == 'pro'", "e2")
    )
    #expect(try Self.difference([free, pro], [pro, free]).verdict == .same)
    let all = Self.audience("has(user.plan)", "e3", weights: [50, 50])
    let moved = try Self.difference([free, all], [all, free])
    #expect(Set(moved.witnesses.map(\.reason)) == [.order])
  }

  @Test func weights() throws {
    func weighted(_ weights: Double...) -> [Audience] { [Self.audience(nil, weights: weights)] }
    #expect(try Self.difference(weighted(50, 50), weighted(1, 1)).verdict == .same)
    #expect(try Self.difference(weighted(0, 0), weighted(1, 1)).verdict != .differs)
    let shifted = try Self.difference(weighted(50, 50), weighted(60, 40))
    #expect(shifted.witnesses.map(\.reason) == [.weights])
    #expect(shifted.witnesses[0].record["userId"]?.text?.hasPrefix("u-") == true)
    // Too few are between these for anybody to be found among some thousand.
    let close = try Self.difference(weighted(50, 50), weighted(50, 50.000_000_1))
    #expect(close.verdict == .unknown && close.unknown.count == 1)
    // Only who had it stored still gets it.
    let ended = try Self.difference(weighted(100, 0), weighted(100))
    #expect(ended.witnesses[0].record["assignments"] != nil)
  }

  @Test func limits() throws {
    func limited(_ most: Int, _ interval: OccurrenceLimit.Interval = .infinity) -> [Audience] {
      let limit = OccurrenceLimit(key: "k", maxCount: most, interval: interval)
      return [Self.audience("user.a == 1", limit: limit)]
    }
    let more = try Self.difference(limited(1), limited(3))
    #expect(more.witnesses.map(\.reason) == [.limit])
    #expect(more.witnesses[0].record["occurrences"]?["k"]?.elements?.count == 1)
    // What is longer ago counts for one of them.
    let longer = try Self.difference(limited(1, .minutes(60)), limited(1, .minutes(600)))
    #expect(longer.witnesses.map(\.to.audience) == [nil])
    #expect(try Self.difference(limited(0), limited(-1)).verdict == .same)
  }

  @Test func assigners() throws {
    let rules = try #require(
      RandomEdits.ruleSet([Self.audience("user.a == 1", weights: [50, 50])]))
    let same = try Self.difference(rules, rules)
    #expect(same.verdict == .same)
    let drawn = try Self.difference(rules, rules, assigners: (Self.assigner, .djb2))
    #expect(drawn.witnesses.map(\.reason) == [.weights])
  }

  @Test func whatIsNotUnderstood() throws {
    let unknown = try Self.difference(
      [Self.audience("user.a * user.a > 2 && user.b == 1")],
      [Self.audience("user.a * user.a > 2 && user.b == 1 && user.a * user.b != 1.5")])
    // No user is found, and no proof is made: multiplying may do anything.
    #expect(unknown.verdict != .same)
    // Where it is the same on both sides it does not matter.
    let same = try Self.difference(
      [Self.audience("user.a * user.a > 2 && user.b == 1 && user.b > 0")],
      [Self.audience("user.a * user.a > 2 && user.b == 1")])
    #expect(same.verdict == .same)
  }

  private static func config(_ format: Config.Format, _ audience: String) throws -> RuleSet {
    let json =
      format == .superwall
      ? String(decoding: wireConfig(rules: audience), as: UTF8.self)
      : """
      {"campaigns":[{"id":"c","name":"C","status":"active",
       "placements":[{"id":"p","name":"p","type":"custom","status":"active"}],
       "audiences":[\(audience)]}],"paywalls":{}}
      """
    let decoded = Config.decode(json.utf8, format: format)
    let config = try #require(decoded.output)
    return try #require(RuleSet.compile(config).output)
  }

  private static func filtered(_ filters: String) -> String {
    """
    {"id":"a","name":"A","priority_order":0,"filters":[\(filters)],
     "experiment":{"id":"e","status":"running","holdout_percentage":0,
     "variants":[{"id":"v","paywall_id":"pw","traffic_percentage":100}]}}
    """
  }

  @Test func filters() throws {
    func rules(_ filters: String...) throws -> RuleSet {
      try Self.config(.agentWallie, Self.filtered(filters.joined(separator: ",")))
    }
    let more = #"{"field":"user.n","operator":"gt","value":2}"#
    let least = #"{"field":"user.n","operator":"gte","value":2}"#
    let named = #"{"field":"user.s","operator":"is","value":"x"}"#
    #expect(try Self.difference(rules(more, named), rules(named, more)).verdict == .same)
    let differs = try Self.difference(rules(more), rules(least))
    #expect(differs.witnesses.map(\.record) == [["userId": "somebody", "user": ["n": 2]]])
    // Configs of both worlds are compared by examples, and nothing is proved.
    let other = try Self.difference(
      try Self.config(.superwall, wireRule("e", expression: "user.n > 5")), rules(more))
    #expect(other.verdict == .differs && !other.unknown.isEmpty)
    let alike = try Self.difference(
      try Self.config(.superwall, wireRule("e", expression: "user.n > 2")), rules(more))
    #expect(alike.verdict != .same)
  }

  /// An attribute that one config asks the history for need not be what the other reads.
  @Test func valuesOfTheHistory() throws {
    func rules(asks: Bool, _ expression: String) throws -> RuleSet {
      let asked = #"[{"type":"DAYS_SINCE","event_name":"open"}]"#
      let rule = wireRule("e", expression: expression)
      return try Self.config(
        .superwall,
        asks
          ? rule.replacing("\"computed_properties\":[]", with: "\"computed_properties\":\(asked)")
          : rule)
    }
    let reads = "device.daysSince_open > 1"
    #expect(
      try Self.difference(rules(asks: true, reads), rules(asks: true, reads)).verdict == .same)
    #expect(
      try Self.difference(rules(asks: false, reads), rules(asks: true, reads)).verdict != .same)
    // It does not matter to who does not read it.
    #expect(
      try Self.difference(rules(asks: false, "user.a == 1"), rules(asks: true, "1 == user.a"))
        .verdict == .same)
  }

  /// Versions that evaluate conditions differently: a missing attribute fails before 4.7.0, strings of digits are numbers
  /// until 4.12.8, font sizes are sent since 4.16.2, and null stays null since 4.17.0.
  @Test(
    arguments: [
      ("user.score >= 1.0", "4.6.0", "4.13.0", .same),
      ("user.score < 1.0", "4.6.0", "4.13.0", .differs),
      ("user.plan == 'pro'", "4.6.0", "4.13.0", .same),
      ("user.plan != 'pro'", "4.6.0", "4.13.0", .differs),
      ("user.flag == true", "4.6.0", "4.13.0", .differs),
      ("has(user.age) ? user.age > 18 : false", "4.6.0", "4.13.0", .same),
      ("user.age > 18 && user.age < 5", "4.6.0", "4.13.0", .same),
      ("device.daysSince('x') > 3", "4.6.0", "4.13.0", .differs),
      ("user.score >= 1.0", "4.7.0", "4.13.0", .differs),
      ("user.account == '12345'", "4.7.0", "4.13.0", .differs),
      ("user.age > 30 && user.plan == 'pro' && user.x == 'a'", "4.11.2", "4.16.2", .differs),
      ("device.fontSize >= 20", "4.16.1", "4.16.2", .differs),
      ("device.fontSize > 20 && device.fontSize < 10", "4.16.1", "4.16.2", .same),
      ("user.note == null", "4.16.4", "4.17.0", .differs),
      ("user.age > 18", "4.16.4", "4.17.0", .same), ("user.age <= 18", "4.0.0", "4.0.2", .differs),
      ("10 / user.age > 3", "4.13.0", "4.16.2", .differs), ("", "4.6.0", "4.13.0", .same),
    ] as [(String, SDKVersion, SDKVersion, PlacementDifference.Verdict)])
  func versionsThatEvaluateDifferently(
    _ expression: String, _ old: SDKVersion, _ new: SDKVersion,
    _ verdict: PlacementDifference.Verdict
  ) throws {
    let family = RuleSetFamily(
      Config(placements: [
        Placement(
          name: "p",
          audiences: [
            Audience(
              index: 0, experimentID: "e", expression: expression.isEmpty ? nil : expression,
              variants: [Variant(id: "v", kind: .treatment, weight: 100, paywallID: "w")])
          ])
      ]))
    let found = try Self.difference(
      family.ruleSet(for: SDKProfile(.ios, old)), family.ruleSet(for: SDKProfile(.ios, new)))
    #expect(found.verdict == verdict, "\(found)")
  }
}

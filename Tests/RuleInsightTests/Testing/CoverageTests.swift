import CivilTime
import Expressions
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// What users exercise, who would close the gaps, and what is said that nobody can.
@Suite struct CoverageTests {
  private static let now: Instant = 1_772_366_400_000
  private static let clock = HistoryClock(now: now)

  private static func counter(_ ruleSet: RuleSet) -> CoverageCounter {
    CoverageCounter(ruleSet, assigner: .hash(salt: "s"), clock: clock)
  }

  private static func add(_ record: String, to counter: CoverageCounter, at placement: String = "p")
    throws
  {
    let test = RuleTestCase(
      placement: placement, record: Array(record.utf8), expectation: RuleExpectation())
    _ = try counter.add(test, at: clock)
  }

  // MARK: Clauses

  /// By clause, `T` or `F` for one that alone decides, `t` or `f` for one that is reached, `-` otherwise.
  private static func shown(_ counter: CoverageCounter) -> String {
    counter.clauses(ofRule: 0).indices.map { number in
      let decides = [true, false].map {
        counter.counts[.clause(rule: 0, number: number, holds: $0)] > 0
      }
      let count = counter.counts.clauses[0][number]
      if decides[0] { return "T" }
      if decides[1] { return "F" }
      return count.holds > 0 ? "t" : count.fails > 0 ? "f" : "-"
    }.joined()
  }

  @Test(arguments: [
    // Both have to hold; a second that was not needed decides nothing.
    ("user.a == 1 && user.b == 1", #"{"a":1,"b":1}"#, "TT", "TT"),
    ("user.a == 1 && user.b == 1", #"{"a":1,"b":2}"#, "tF", "tF"),
    ("user.a == 1 && user.b == 1", #"{"a":2,"b":1}"#, "F-", "Ft"),
    ("user.a == 1 && user.b == 1", #"{"a":2,"b":2}"#, "f-", "ff"),
    ("user.a == 1 || user.b == 1", #"{"a":1,"b":2}"#, "T-", "T-"),
    ("user.a == 1 || user.b == 1", #"{"a":1,"b":1}"#, "t-", "t-"),
    ("user.a == 1 || user.b == 1", #"{"a":2,"b":2}"#, "FF", "FF"),
    // An error beside false is absorbed in CEL; superscript's && fails by it.
    ("user.a.x == 1 && user.b == 1", #"{"a":5,"b":2}"#, "ff", "ff"),
    ("user.b == 1 && 1 / user.a > 0", #"{"a":0,"b":2}"#, "f-", "ff"),
    ("user.b == 1 && 1 / user.a > 0", #"{"a":0,"b":1}"#, "tF", "tF"),
    ("1 / user.a > 0 || user.b == 1", #"{"a":0,"b":1}"#, "fT", "F-"),
    // The test of a choice, and the branch that it leads to.
    ("user.a == 1 ? user.b == 1 : user.c == 1", #"{"a":1,"b":1,"c":2}"#, "TT-", "TT-"),
    ("user.a == 1 ? user.b == 1 : user.c == 1", #"{"a":1,"b":1,"c":1}"#, "tT-", "tT-"),
    ("!(user.a == 1 || user.b == 1)", #"{"a":1,"b":2}"#, "T-", "T-"),
    ("!(user.a == 1) && user.b == 1", #"{"a":1,"b":1}"#, "F-", "Ft"),
    // The same test in two places is two clauses.
    ("user.a == 1 || user.b == 1 && user.a == 1", #"{"a":1,"b":1}"#, "t--", "t--"),
  ])
  func whatDecides(expression: String, user: String, cel: String, superscript: String) throws {
    for (language, expected) in [
      (RuleLanguage.cel, cel), (.superscript(.ios), superscript),
    ] {
      let rules = try ruleSet(wireRule(expression: expression), language: language)
      let counter = Self.counter(rules)
      try Self.add(#"{"userId":"u","user":\#(user)}"#, to: counter)
      #expect(Self.shown(counter) == expected, "\(language): \(expression) for \(user)")
    }
  }

  /// No test would notice a clause while the limit is used up.
  @Test func aUsedUpLimitHidesClauses() throws {
    let rules = try ruleSet(
      wireRule(
        expression: "user.a == 1",
        occurrence: #"{"key":"k","max_count":1,"interval":{"type":"MINUTES","minutes":60}}"#))
    let counter = Self.counter(rules)
    try Self.add(
      #"{"userId":"u","user":{"a":1},"occurrences":{"k":["2026-03-01T11:30:00Z"]}}"#, to: counter)
    #expect(Self.shown(counter) == "t")
    #expect(counter.counts[.limit(rule: 0, .usedUp)] == 1)
    #expect(counter.counts[.audience(rule: 0)] == 0)
    try Self.add(
      #"{"userId":"u","user":{"a":1},"occurrences":{"k":["2026-03-01T10:59:59Z"]}}"#, to: counter)
    #expect(Self.shown(counter) == "T")
    #expect(counter.counts[.limit(rule: 0, .longAgo)] == 1)
    #expect(counter.counts[.limit(rule: 0, .lastTime)] == 1)
    #expect(counter.counts.reached == [2])
    // Who never saw it has not seen it long ago.
    let others = Self.counter(rules)
    try Self.add(#"{"userId":"u","user":{"a":1}}"#, to: others)
    #expect(others.counts[.limit(rule: 0, .longAgo)] == 0)
    #expect(others.counts[.limit(rule: 0, .lastTime)] == 1)
    #expect(others.counts[.limit(rule: 0, .usedUp)] == 0)
  }

  // MARK: Gaps

  /// Of everything that can be exercised there is a user, and counting these says so.
  private static func close(_ ruleSet: RuleSet, _ place: String) throws -> CoverageSearch {
    let search = CoverageSearch(counter(ruleSet), clock: clock)
    let again = counter(ruleSet)
    var tester = RuleTester(ruleSet, assigner: .hash(salt: "s"), clock: clock)
    for line in search.lines {
      let test = try RuleTestCase(line, timeZone: "UTC")
      let decision = try again.add(test, at: clock)
      #expect(test.expectation.differences(from: decision).isEmpty, "\(place): \(line.json)")
      #expect(try tester.run(test, at: clock).differences.isEmpty, "\(place): \(line.json)")
    }
    let closed = CoverageSearch(again, clock: clock)
    for point in search.points where search.gaps[point] == .closable {
      #expect(again.counts[point] > 0, "\(place): \(point)")
    }
    #expect(closed.lines.isEmpty, "\(place)")
    return closed
  }

  private static func audience(_ number: Int, _ random: inout SplitMix) -> Audience {
    var limit: OccurrenceLimit?
    if Int.random(in: 0..<3, using: &random) == 0 {
      limit = OccurrenceLimit(
        key: Bool.random(using: &random) ? "k" : "l",
        maxCount: Int.random(in: 0...3, using: &random),
        interval: [.infinity, .minutes(60), .minutes(1_440), .session].randomElement(using: &random)
          ?? .infinity)
    }
    let names = ["user.a", "user.b", "user.c"]
    let clauses = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      let path = names.randomElement(using: &random) ?? ""
      let number = Int.random(in: 0..<4, using: &random)
      return [
        "\(path) == \(number)", "\(path) >= \(number)", "\(path) in [1, 2, 3]", "has(\(path))",
        "\(path) != '\(number)'", "!(\(path) == \(number))", "\(path).startsWith('x')",
        "(\(path) > 0 ? \(path) < 3 : \(names[0]) == 1)", "(\(path) == 1 || \(path) == 3)",
      ].randomElement(using: &random) ?? ""
    }
    let expression = clauses.reduce(nil as String?) { text, clause in
      text.map { $0 + (Bool.random(using: &random) ? " && " : " || ") + clause } ?? clause
    }
    let isGuarded = Int.random(in: 0..<6, using: &random) == 0
    let variants = (0..<Int.random(in: 1...3, using: &random)).map { variant in
      Variant(
        id: "v\(number)-\(variant)", kind: variant == 2 ? .holdout : .treatment,
        weight: Double(Int.random(in: 0...3, using: &random)), paywallID: "pw")
    }
    return Audience(
      index: number, experimentID: "e\(number)", expression: expression, occurrenceLimit: limit,
      variants: variants, path: "audiences[\(number)]", entitlementGuard: isGuarded ? "pro" : nil)
  }

  /// Random configs: gaps are closed, and what is said to be impossible no user at random does.
  @Test func randomConfigs() throws {
    var (unknown, points, impossible) = (0, 0, 0)
    for seed in 0..<Extent.count(120, or: 18) {
      var random = SplitMix(seed: UInt64(seed) &* 977 &+ 5)
      let audiences = (0..<4).map { Self.audience($0, &random) }
      let config = Config(
        format: .agentWallie, placements: [Placement(name: "p", audiences: audiences)],
        paywalls: [Paywall(identifier: "pw", name: "pw", featureGating: .nonGated, products: [])])
      let language = RuleLanguage.compared[seed % RuleLanguage.compared.count]
      let rules = try #require(RuleSet.compile(config, language: language).output)
      let search = try Self.close(rules, "\(seed)")
      points += search.points.count
      let users = Self.counter(rules)
      for number in 0..<Extent.count(400, or: 100) {
        try Self.add(Self.user(number, &random), to: users)
      }
      for (point, gap) in search.gaps {
        switch gap {
        case .unknown: unknown += 1
        case .closable: Issue.record("\(seed): \(point)")
        case .impossible(let reason):
          impossible += 1
          // What is left out with an audience that takes nobody is no claim about limits.
          if point.group == .limits || point.group == .owners { continue }
          #expect(
            users.counts[point] == 0,
            "\(seed), \(language): \(point) \(reason) \(audiences.map { $0.expression ?? "-" })")
        }
      }
    }
    #expect(impossible > 0)
    #expect(unknown * 50 <= points, "\(unknown) of \(points)")
  }

  private static func user(_ number: Int, _ random: inout SplitMix) -> String {
    var user: [Value.Entry] = []
    for name in ["a", "b", "c"] where Int.random(in: 0..<6, using: &random) > 0 {
      let text = ["x", "2", ""].randomElement(using: &random) ?? ""
      user.append(
        .init(
          key: .string(name),
          value: Int.random(in: 0..<5, using: &random) == 0
            ? .string(text) : .int(Int64.random(in: -1...4, using: &random))))
    }
    var members: [Value.Entry] = [
      .init(key: "userId", value: .string("u\(number)")), .init(key: "user", value: .map(user)),
    ]
    if Bool.random(using: &random) {
      members.append(
        .init(
          key: "occurrences",
          value: .object([
            "k": .list(
              (0..<Int.random(in: 0...3, using: &random)).map { _ in "2026-03-01T11:59:00Z" })
          ])))
      if Bool.random(using: &random) {
        members.append(.init(key: "entitlements", value: .list(["pro"])))
      }
    }
    return Value.map(members).json
  }

  /// What is said of conditions that cannot be exercised in part.
  @Test func reasons() throws {
    let rules = try ruleSet(
      wireRule("a", expression: "user.a > 3 && user.a > 5"),
      wireRule("b", expression: "user.a > 5 || user.b == 1"), wireRule("c"),
      wireRule("d", expression: "user.d == 1"))
    let search = try Self.close(rules, "reasons")
    func gap(_ rule: Int, _ clause: Int, _ holds: Bool) -> CoverageSearch.Gap? {
      search.gaps[.clause(rule: rule, number: clause, holds: holds)]
    }
    // Not more than 3 is not more than 5 either: the first clause never decides while false.
    #expect(gap(0, 0, false) == .impossible("never decides while false"))
    #expect(gap(0, 0, true) == nil)
    // Who has more than 5 is taken before.
    #expect(gap(1, 0, true) == .impossible("never decides while true"))
    #expect(search.gaps[.audience(rule: 3)] == .impossible("earlier audiences take every user"))
    #expect(gap(3, 0, true) == .impossible("earlier audiences take every user"))
    let share = search.share(of: search.points)
    #expect(share.exercised == share.all)
  }

  /// Variants that nobody draws are had by whoever has them stored.
  @Test func rareVariants() throws {
    let variants = ["a": 0.0, "b": 0.001, "c": 99.999].sorted { $0.key < $1.key }.map {
      #"{"variant_id":"\#($0.key)","variant_type":"TREATMENT","percentage":\#($0.value),"paywall_identifier":"pw"}"#
    }.joined(separator: ",")
    let rules = try ruleSet(wireRule(variants: variants))
    let search = CoverageSearch(Self.counter(rules), clock: Self.clock)
    #expect(search.lines.count == 3)
    #expect(search.lines.count { $0["assignments"] != nil } == 2)
    _ = try Self.close(rules, "rare")
  }

  /// Of an experiment that does not run nobody gets a variant.
  @Test(arguments: [ExperimentStatus.running, .paused]) func pausedExperiments(
    status: ExperimentStatus
  ) throws {
    let variants = ["a", "b"].map { Variant(id: $0, kind: .treatment, weight: 1, paywallID: "pw") }
    let audience = Audience(
      index: 0, experimentID: "e", expression: "user.a == 1", variants: variants, path: "a",
      experimentStatus: status)
    let config = Config(
      format: .agentWallie, placements: [Placement(name: "p", audiences: [audience])])
    let rules = try #require(RuleSet.compile(config).output)
    let points = Self.counter(rules).points(ofRule: 0).filter { $0.group == .variants }
    #expect(points.count == (status == .running ? 2 : 0))
  }
}

import CArrow
import Expressions
import TestSupport
import Testing

@testable import RuleBatch
@testable import RuleEngine

/// Clauses in which a missing attribute counts as something else are counted where that decides.
@Suite struct StandInTests {
  private static let now: Instant = 1_772_366_400_000

  /// An expression, the user's attributes, and what is told: clause, attribute, what it counts as, and
  /// whether the condition holds.
  private static let cases: [(expression: String, user: String, told: [String])] = [
    ("user.seed < 50", #"{"plan":"x"}"#, ["user.seed < 50 user.seed 0 true"]),
    ("user.seed < 50", #"{"seed":7}"#, []),
    ("user.seed >= 50", #"{"plan":"x"}"#, ["user.seed >= 50 user.seed 0 false"]),
    ("user.price < 5.5", "{}", ["user.price < 5.5 user.price 0.0 true"]),
    (#"user.plan != "pro""#, "{}", [#"user.plan != "pro" user.plan "" true"#]),
    (#"user.plan == "pro""#, "{}", [#"user.plan == "pro" user.plan "" false"#]),
    ("user.ok == false", "{}", ["user.ok == false user.ok false true"]),
    ("!(user.ok == true)", "{}", ["!(user.ok == true) user.ok false true"]),
    ("user.ok", "{}", ["user.ok user.ok null false"]),
    ("!user.ok", "{}", ["!user.ok user.ok null true"]),
    // A comparison with something that is no literal is false.
    (#"!(user.country in ["DE"])"#, "{}", [#"!(user.country in ["DE"]) user.country - true"#]),
    (
      #"user.country in ["DE", "AT"]"#, "{}",
      [#"user.country in ["DE", "AT"] user.country - false"#]
    ),
    // What another clause decides is not told.
    ("user.seed < 50 && user.plan == \"free\"", #"{"plan":"pro"}"#, []),
    (
      "user.seed < 50 && user.plan == \"free\"", #"{"plan":"free"}"#,
      ["user.seed < 50 user.seed 0 true"]
    ),
    ("user.seed < 50 || user.plan == \"free\"", #"{"plan":"free"}"#, []),
    (
      "user.seed > 50 || user.plan == \"free\"", #"{"plan":"pro"}"#,
      ["user.seed > 50 user.seed 0 false"]
    ),
    // A guard asks before it is read.
    ("has(user.seed) && user.seed < 50", "{}", []),
    ("has(user.seed) ? user.seed < 50 : false", "{}", []),
    // Two at once: each alone would have changed nothing.
    ("user.a > 1 && user.b > 1", "{}", []),
    (
      "user.a < 1 && user.b < 1", "{}",
      ["user.a < 1 user.a 0 true", "user.b < 1 user.b 0 true"]
    ),
  ]

  private func told(_ audience: Tally.Audience) -> [String] {
    audience.missing.flatMap { clause in
      let text = "\(clause.clause) \(clause.path) \(clause.standIn?.json ?? "-")"
      return Array(repeating: "\(text) true", count: clause.matched > 0 ? 1 : 0)
        + Array(repeating: "\(text) false", count: clause.unmatched > 0 ? 1 : 0)
    }
  }

  private func told(_ members: Value?) -> [String] {
    (members?.elements ?? []).map {
      "\($0["clause"]?.text ?? "") \($0["path"]?.text ?? "") \($0["countsAs"]?.json ?? "-") "
        + "\($0["matched"]?.json ?? "")"
    }
  }

  @Test func oneUserAndMany() throws {
    for (expression, user, expected) in Self.cases {
      let rules = try ruleSet(wireRule(expression: expression))
      let record = { (id: Int, more: String) in #"{"userId":"u\#(id)","user":\#(user)\#(more)}"# }
      // Explained alone.
      var frame = Frame(for: rules.program)
      var reader = UserRecordReader(rules, at: HistoryClock(now: Self.now))
      try reader.read(json: record(0, "").utf8, into: &frame)
      let explanation = rules.explain(
        "p", frame: &frame, state: reader.state(now: Self.now), assigner: .hash(salt: ""))
      #expect(told(explanation.value["reason"]?["missing"]) == expected, "\(expression) \(user)")
      // In columns, and one after the other, as the occurrences of some want it.
      let plan = BatchPlan(
        rules, now: Self.now, assigner: .hash(salt: ""), texts: nil, givesReasons: true,
        wantsExamples: true)
      var worker = BatchWorker(plan)
      let occurrences = #","occurrences":{"k":["2026-03-01T12:00:00Z"]}"#
      let lines = (1_000..<1_900).map { record($0, $0 % 3 == 0 ? occurrences : "") }
      let output = worker.process(Array(lines.joined(separator: "\n").utf8))
      let audience = output.tally.placements[0].audiences[0]
      #expect(told(audience) == expected, "\(expression) \(user)")
      #expect(audience.missing.allSatisfy { $0.matched + $0.unmatched == 900 }, "\(expression)")
      for line in output.outcomes.split(separator: UInt8(ascii: "\n")) {
        let outcome = try Value.parse(json: line)
        #expect(told(outcome["reason"]?["missing"]) == expected, "\(expression) \(user)")
      }
      // Examples are users who lack the attribute.
      let reach = plan.reach(of: output.sums)[0].audiences[0].counts.missing
      #expect(
        reach.allSatisfy { ($0.matchedExample ?? $0.unmatchedExample) == "u1000" }, "\(expression)")
    }
  }

  /// Only users who get to an audience count for it, and only those who lack the attribute.
  @Test func usersOfLaterAudiences() throws {
    let rules = try ruleSet(
      wireRule("first", expression: "user.age < 18"), wireRule("second", expression: "user.n == 0"))
    let plan = BatchPlan(rules, now: Self.now, assigner: .hash(salt: ""))
    var worker = BatchWorker(plan)
    let users = ["{}", #"{"age":40}"#, #"{"age":40,"n":0}"#, #"{"age":7}"#]
    let lines = (0..<800).map { #"{"userId":"u\#($0)","user":\#(users[$0 % 4])}"# }
    let tally = worker.process(Array(lines.joined(separator: "\n").utf8)).tally
    let audiences = tally.placements[0].audiences
    #expect(audiences[0].missing.map(\.matched) == [200])
    #expect(audiences[1].missing.map(\.matched) == [200])
    #expect(audiences.flatMap(\.missing).allSatisfy { $0.unmatched == 0 })
    #expect(
      audiences[0].value["missing"]
        == [
          [
            "clause": "user.age < 18", "path": "user.age", "countsAs": 0, "matched": 200,
            "unmatched": 0,
          ]
        ]
    )
    // Parts of a batch add up.
    var sum = tally
    sum.add(tally)
    #expect(sum.placements[0].audiences[0].missing.map(\.matched) == [400])
  }

  /// AgentWallie's filters are false without their attribute, except `exists` and `not_exists`.
  @Test(arguments: [
    (#"{"field":"user.a","operator":"is","value":1}"#, "user.a is 1"),
    (#"{"field":"user.a","operator":"is_not","value":"x"}"#, #"user.a is_not "x""#),
    (#"{"field":"user.a","operator":"gte","value":3}"#, "user.a gte 3"),
    (#"{"field":"user.a","operator":"contains","value":"x"}"#, #"user.a contains "x""#),
    (#"{"field":"user.a","operator":"in","value":["x"]}"#, #"user.a in ["x"]"#),
    (#"{"field":"user.a","operator":"not_in","value":["x"]}"#, #"user.a not_in ["x"]"#),
    (
      #"{"field":"user.b","operator":"is","value":1},{"field":"user.a","operator":"not_in","value":["x"]}"#,
      #"user.a not_in ["x"]"#
    ),
    (#"{"field":"user.a","operator":"exists","value":true}"#, nil),
    (#"{"field":"user.a","operator":"not_exists","value":true}"#, nil),
  ])
  func filters(filters: String, clause: String?) throws {
    let config = try #require(
      Config.decode(
        Array(
          #"""
          {"paywalls":{"w":{"version":"1","name":"W","settings":{},"components":[]}},"products":[],
           "campaigns":[{"id":"c","name":"C","status":"active",
            "placements":[{"id":"p","name":"p","type":"custom","status":"active"}],
            "audiences":[{"id":"a","name":"A","priority_order":1,"filters":[\#(filters)],
             "experiment":{"id":"e","status":"running","holdout_percentage":0,
              "variants":[{"id":"v","paywall_id":"w","traffic_percentage":100}]}}]}]}
          """#.utf8)
      ).output)
    let rules = try #require(RuleSet.compile(config).output)
    let plan = BatchPlan(rules, now: Self.now, assigner: .hash(salt: ""))
    var worker = BatchWorker(plan)
    let lines = (0..<900).map {
      #"{"userId":"u\#($0)","user":{"b":1\#($0 % 3 == 0 ? #","a":"y""# : "")}}"#
    }
    let tally = worker.process(Array(lines.joined(separator: "\n").utf8)).tally
    let missing = tally.placements[0].audiences[0].missing
    let clauses: [String] = missing.map { $0.clause }
    let expected: [String] = clause.map { [$0] } ?? []
    #expect(clauses == expected)
    for entry in missing {
      #expect(entry.unmatched == 600)
      #expect(entry.matched == 0)
      #expect(entry.standIn == nil)
    }
  }

  /// In CEL, a missing attribute is an error, which is counted as such.
  @Test func celHasNoStandIns() throws {
    let rules = try ruleSet(wireRule(expression: "user.seed < 50"), language: .cel)
    #expect(rules.storage.standIns == nil)
  }
}

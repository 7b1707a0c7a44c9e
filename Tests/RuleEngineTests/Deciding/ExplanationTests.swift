import Expressions
import RuleEngine
import TestSupport
import Testing

/// Decisions told to a person.
@Suite struct ExplanationTests {
  private static let limit =
    #"{"key":"k","max_count":1,"interval":{"type":"MINUTES","minutes":60}}"#

  private func explain(
    _ rules: RuleSet, _ context: Value, now: Instant = 0, assignments: [(String, String)] = [],
    occurrences: [String: [Instant]] = [:], placement: String = "p"
  ) throws -> String {
    var frame = Frame(for: rules.program)
    try frame.fill(context)
    let state = DecisionState(
      subjectID: "u", now: now,
      assignments: assignments.map { .init(experimentID: $0.0, variantID: $0.1) },
      occurrences: occurrences.map { .init(key: $0.key, times: $0.value) })
    return rules.explain(placement, frame: &frame, state: state, assigner: .hash(salt: "")).text
  }

  @Test func everyKindOfAudience() throws {
    let rules = try ruleSet(
      wireRule("a", expression: "user.plan == \"pro\" && user.age > 18"),
      wireRule("b", expression: "user.seats >= 2"), wireRule("c", expression: "user.age"),
      wireRule("d", occurrence: Self.limit),
      wireRule("e", expression: "user.age >= 18 || has(user.nope)"), wireRule("f"),
      language: .cel)
    let text = try explain(
      rules, ["user": ["plan": "free", "age": 20]], occurrences: ["k": [0]])
    #expect(
      text == """
        p: paywall pw (variant v of e, the only variant)

          audience 0 (a): does not match
            user.plan == "pro" && user.age > 18
              no       user.plan == "pro"  user.plan is "free"
              (yes)    user.age > 18       user.age is 20

          audience 1 (b): does not match: user.seats is missing, and >= needs a value
            user.seats >= 2
              error    user.seats >= 2  user.seats is missing, and >= needs a value

          audience 2 (c): does not match: the expression gives a value of type int, not true or false
            user.age
              value    user.age  user.age is 20

          audience 3 (d): held back by its limit: shown once in the last hour (00:00), at most 1, counted as 'k'
            every user

          audience 4 (e): matched
            user.age >= 18 || has(user.nope)
              yes      user.age >= 18  user.age is 20
              (no)     has(user.nope)  user.nope is missing

          audience 5 (f): not reached
            every user

          effects of the decision:
            - store the assignment of v in e

          (in parentheses: not needed, because another clause decides)
        """)
  }

  /// Why a condition gives no value, in words, with the audience and beside the clause.
  @Test(
    arguments: [
      (
        "user.plan.startsWith(user.age)", "user.age is not a string, and startsWith needs one",
        "a type that does not fit"
      ),
      (
        "user.list[0].startsWith(\"a\")",
        "startsWith needs a string, and user.list has another type",
        "a type that does not fit"
      ),
      (
        "user.plan.startsWith(user.list[0])", "startsWith does not take values of these types",
        "a type that does not fit"
      ),
      (
        "user.age - user.plan > 0", "user.plan is not a number, and - needs one",
        "a type that does not fit"
      ),
      (
        "user.half % 2 == 0",
        "user.half is not an integer, and % needs one; 1.0 is a double, not an integer",
        "a type that does not fit"
      ),
      (
        "user.half + 1 > 0",
        "user.half + 1 mixes double and int; convert one of them, as in double(user.half)",
        "a type that does not fit"
      ),
      (
        "user.age + user.plan > 0", "+ does not take values of these types",
        "a type that does not fit"
      ),
      (
        "user.none > 3", "user.none is null, and > needs a value; omit missing values",
        "user.none is null"
      ),
      (
        "user.none.startsWith('a')",
        "user.none is null, and startsWith needs a string; omit missing values",
        "user.none is null"
      ),
      ("1 / user.zero == 1", "1 / user.zero divides by zero", "divides by zero"),
      ("1 % user.zero == 1", "1 % user.zero divides by zero", "divides by zero"),
      (
        "user.most + 1 > 0", "user.most + 1 is too large for an integer",
        "too large for an integer"
      ),
      (
        "user.list[user.age] == 1",
        "user.list[user.age] reads an element that the list does not have",
        "the list has no such element"
      ),
      ("int(user.plan) == 1", "int(user.plan) cannot convert its value", "cannot be converted"),
      (
        "timestamp(user.time) < timestamp('2026-02-01')", "timestamp() cannot read '2026-02-01'",
        "timestamp() cannot read '2026-02-01'"
      ),
      (
        "timestamp(user.time).getHours('America/New_Yrok') > 3",
        "the time zone 'America/New_Yrok' does not exist; did you mean 'America/New_York'?",
        "did you mean 'America/New_York'?"
      ),
      (
        "has(user.map.b.c)",
        "user.map.b is missing, and has(user.map.b.c) tests only the last part of the path",
        "tests only the last part of the path"
      ),
      (
        "user.map.b.c > 3", "user.map.b is missing, so there is no user.map.b.c",
        "so there is no user.map.b.c"
      ),
    ])
  func failuresInWords(expression: String, reason: String, beside: String) throws {
    let rules = try ruleSet(wireRule("a", expression: expression), language: .cel)
    let text = try explain(
      rules,
      [
        "user": [
          "plan": "free", "age": 20, "zero": 0, "most": .int(.max), "list": [1], "none": .null,
          "half": .double(0.5),
          "time": "2026-02-01T00:00:00Z", "map": ["a": 1],
        ]
      ])
    #expect(text.contains("audience 0 (a): does not match: \(reason)\n"), "\(text)")
    #expect(
      text.split(separator: "\n").contains { $0.contains("  error  ") && $0.hasSuffix(beside) },
      "\(text)")
  }

  /// Beside a clause that fails stands what it had computed by then, and not what has no value.
  @Test func whatFailingClausesHaveComputed() throws {
    let rules = try ruleSet(
      wireRule("a", expression: "user.list.size() > user.age / user.zero"),
      wireRule("b", expression: "user.list.size() > user.age - 20"), language: .cel)
    let text = try explain(rules, ["user": ["age": 20, "zero": 0, "list": [1]]])
    let lines = text.split(separator: "\n").filter { $0.contains("  user.list.size()") }
    let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
    let expected: [String] = [
      "user.list.size() > user.age / user.zero",
      "error user.list.size() > user.age / user.zero user.list.size() is 1, user.age is 20,"
        + " user.zero is 0, user.list is [1], divides by zero",
      "user.list.size() > user.age - 20",
      "yes user.list.size() > user.age - 20 user.age - 20 is 0, user.list.size() is 1,"
        + " user.age is 20, user.list is [1]",
    ]
    #expect(words == expected, "\(text)")
  }

  /// A limit with its span in the largest unit, and the times that count.
  @Test(
    arguments: [
      (1, "once in the last minute (00:00)", [59_000]),
      (90, "2 times in the last 90 minutes (00:00, 00:01)", [0, 60_000]),
      (60, "once in the last hour (01:00)", [7_200_000, 3_600_000]),
      (1_440, "once in the last 24 hours (00:00)", [0]),
      (
        2_880, "2 times in the last 2 days (1969-12-31 00:00, 1970-01-01 00:00)",
        [-86_400_000, 0]
      ),
      (2_880, "2 times in the last 2 days (1969-12-31 00:00, 00:01)", [-86_400_000, -86_340_000]),
      (10_080, "once in the last 7 days (00:00)", [0]),
      (0, "once in the last 0 minutes (01:00)", [3_600_000]),
      (
        600,
        "7 times in the last 10 hours (00:00, 00:01, 00:02, 00:03, 00:04 and 2 more)",
        [0, 60_000, 120_000, 180_000, 240_000, 300_000, 360_000]
      ),
    ] as [(Int, String, [Instant])])
  func limitsInWords(minutes: Int, told: String, times: [Instant]) throws {
    let now: Instant = minutes == 1 || minutes == 90 ? 60_000 : 3_600_000
    let limit = #"{"key":"k","max_count":1,"interval":{"type":"MINUTES","minutes":\#(minutes)}}"#
    let rules = try ruleSet(wireRule(occurrence: limit))
    let text = try explain(rules, .map([]), now: now, occurrences: ["k": times])
    #expect(
      text.contains("held back by its limit: shown \(told), at most 1, counted as 'k'\n"), "\(text)"
    )
  }

  /// Times are told as clocks of the decision's time zone show them.
  @Test func limitsInATimeZone() throws {
    let rules = try ruleSet(wireRule(occurrence: Self.limit))
    var frame = Frame(for: rules.program)
    let state = DecisionState(
      subjectID: "u", now: 0, occurrences: [.init(key: "k", times: [-1_800_000, 0])])
    let clock = try #require(HistoryClock(now: 0, timeZone: "Asia/Kolkata"))
    let explanation = rules.explain(
      "p", frame: &frame, state: state, assigner: .hash(salt: ""), clock: clock)
    #expect(explanation.text.contains("(05:00, 05:30)"), "\(explanation.text)")
    let alone = try #require(
      rules.explain(audience: 0, of: "p", frame: &frame, state: state, clock: clock))
    #expect(alone.text.contains("(05:00, 05:30)"), "\(alone.text)")
  }

  @Test func placementsThatDoNotExist() throws {
    let text = try explain(try ruleSet(wireRule()), .map([]), placement: "q")
    #expect(text == "q: the config does not have this placement")
  }

  @Test func noMatchHoldoutAndErrors() throws {
    let none = try explain(try ruleSet(wireRule(expression: "user.a")), ["user": ["a": false]])
    #expect(none.hasPrefix("p: no audience matches, no paywall\n"))
    let variant = #"{"variant_id":"h","variant_type":"HOLDOUT","percentage":1}"#
    let holdout = try explain(
      try ruleSet(wireRule(variants: variant)), .map([]), assignments: [("e", "h")])
    #expect(holdout.hasPrefix("p: holdout, no paywall (stored variant h of e)\n"))
    #expect(!holdout.contains("effects of the decision"))
    let empty = try explain(try ruleSet(wireRule(variants: "")), .map([]))
    #expect(empty.hasPrefix("p: no paywall: the experiment has no variants\n"))
  }

  /// A stored variant that is gone is named.
  @Test func assignedAnew() throws {
    let text = try explain(try ruleSet(wireRule()), .map([]), assignments: [("e", "old")])
    #expect(text.contains("reassigned: the stored variant old is no longer in the experiment"))
    #expect(text.contains("store the assignment of v in e"))
  }

  /// Long values are cut; line breaks and control characters do not tear the text apart.
  @Test func oddValues() throws {
    let rules = try ruleSet(wireRule(expression: "user.a\n  == \"x\"\n|| user.b == 1"))
    let long = Value.string(String(repeating: "long ", count: 100))
    let text = try explain(rules, ["user": ["a": long, "b": "line\nbreak\u{1B}[2J"]])
    #expect(text.split(separator: "\n").allSatisfy { $0.count < 160 })
    #expect(!text.unicodeScalars.contains("\u{1B}"))
    #expect(text.contains("user.a == \"x\""))
  }

  /// Explaining changes neither the decision nor the frame.
  @Test func explainingChangesNothing() throws {
    let rules = try ruleSet(wireRule(expression: "user.s + \"x\" == \"abcx\" && user.n > 1"))
    var frame = Frame(for: rules.program)
    try frame.fill(["user": ["s": "abc", "n": 2]])
    let state = DecisionState(subjectID: "u", now: 0)
    let first = rules.decide("p", frame: &frame, state: state, assigner: .hash(salt: ""))
    func explain() -> String {
      rules.explain("p", frame: &frame, state: state, assigner: .hash(salt: "")).text
    }
    let text = explain()
    for _ in 0..<100 { #expect(explain() == text) }
    let second = rules.decide("p", frame: &frame, state: state, assigner: .hash(salt: ""))
    #expect(second == first)
    #expect(
      text.contains(
        "yes      user.s + \"x\" == \"abcx\"  user.s + \"x\" is \"abcx\", user.s is \"abc\""))
  }
}

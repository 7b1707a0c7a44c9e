import Expressions
import RuleEngine
import Testing

@testable import RuleEngine
@testable import RuleInsight

private let now: Instant = 1_767_225_600_000

private func rules(
  _ audiences: [Audience], _ language: RuleLanguage = .standard,
  _ format: Config.Format = .superwall
) throws -> RuleSet {
  let config = Config(
    format: format, placements: [Placement(name: "p", audiences: audiences)])
  return try #require(RuleSet.compile(config, language: language).output)
}

private func audiences(_ expressions: String?...) -> [Audience] {
  expressions.enumerated().map { number, expression in
    Audience(index: number, experimentID: "e\(number)", expression: expression)
  }
}

private func change(_ ruleSet: RuleSet, _ audience: Int, _ record: Value) throws -> SmallestChange {
  try #require(
    ruleSet.smallestChange(
      audience: audience, of: "p", for: record, at: HistoryClock(now: now)))
}

/// `path: from -> to` of every change.
private func texts(_ changes: [SmallestChange.Change]) -> [String] {
  changes.map { "\($0.path): \($0.from?.json ?? "-") -> \($0.to?.json ?? "-")" }
}

@Suite struct SmallestChangeTests {
  private let user: Value = [
    "userId": "u", "user": ["plan": "free", "age": 17, "o": ["x": 1, "z": 2]],
    "device": ["regionCode": "DE", "daysSinceInstall": 2],
  ]

  /// The user's own words and the nearest numbers.
  @Test(arguments: [
    ("device.regionCode == 'US'", "device.regionCode: \"DE\" -> \"US\""),
    ("device.daysSinceInstall >= 3", "device.daysSinceInstall: 2 -> 3"),
    ("device.daysSinceInstall > 2.5", "device.daysSinceInstall: 2 -> 3"),
    ("device.daysSinceInstall < 1", "device.daysSinceInstall: 2 -> 0"),
    ("user.age in [21, 30, 65]", "user.age: 17 -> 21"),
    ("user.plan != 'free' && user.plan in ['free', 'pro']", "user.plan: \"free\" -> \"pro\""),
    ("user.plan.endsWith('ium')", "user.plan: \"free\" -> \"ium\""),
    ("user.age % 5 == 0", "user.age: 17 -> 15"),
    ("user.o.x == 5", "user.o.x: 1 -> 5"),
    ("device.daysSinceInstall > user.age", "user.age: 17 -> 1"),
    ("has(user.email)", "user.email: - -> true"),
    ("'a' in user.roles", "user.roles: - -> [\"a\"]"),
    ("params.count == 4", "params.count: - -> 4"),
  ])
  func oneAttribute(expression: String, expected: String) throws {
    for language in [RuleLanguage.standard, .cel] {
      let found = try change(try rules(audiences(expression), language), 0, user)
      #expect(found.verdict == .found)
      #expect(found.excluded == 0)
      // Either side of a comparison of two attributes will do.
      let either = expression.contains("> user") ? ["device.daysSinceInstall: 2 -> 18"] : []
      #expect(([expected] + either).contains(texts(found.changes).joined(separator: "; ")))
    }
  }

  /// Values that SDKs send are preferred to others that would do.
  @Test(arguments: [
    (
      "device.subscriptionStatus != 'ACTIVE'",
      "device.subscriptionStatus: \"ACTIVE\" -> \"INACTIVE\""
    ),
    ("size(device.activeEntitlements) > 0", "device.activeEntitlements: - -> [\"pro\"]"),
    ("'gold' in device.activeEntitlements", "device.activeEntitlements: - -> [\"gold\"]"),
    ("device.platform != 'iOS'", "device.platform: \"iOS\" -> \"Android\""),
  ])
  func valuesOfSDKs(expression: String, expected: String) throws {
    let record: Value = [
      "userId": "u", "device": ["subscriptionStatus": "ACTIVE", "platform": "iOS"],
    ]
    let found = try change(try rules(audiences(expression)), 0, record)
    #expect(texts(found.changes) == [expected])
  }

  @Test func earlierAudiencesAreCounted() throws {
    let set = try rules(audiences("user.plan == 'free'", "device.regionCode == 'US'", nil))
    let second = try change(set, 1, user)
    #expect(Set(second.changes.map(\.path)) == ["user.plan", "device.regionCode"])
    #expect(second.excluded == 1)
    #expect(texts(try change(set, 2, user).changes).count == 1)
    #expect(try change(set, 0, user).changes.isEmpty)
    #expect(try change(set, 0, user).verdict == .found)
  }

  @Test func upToFourAttributesAreChanged() throws {
    let four = "user.a == 1 && user.b == 2 && user.c == 3 && user.d == 4"
    let set = try rules(audiences(four, four + " && user.e == 5"))
    let found = try change(set, 0, user)
    #expect(found.verdict == .found)
    #expect(found.changes.count == 4)
    #expect(found.excluded == 3)
    // Nobody gets there; without the first one five attributes would do, which are too many.
    #expect(try change(set, 1, user).verdict == .none)
    let unknown = try change(try rules(audiences(four + " && user.e == 5")), 0, user)
    #expect(unknown.verdict == .unknown)
    #expect(unknown.excluded == 4)
    #expect(unknown.changes.isEmpty)
  }

  @Test func noAttributeChangesALimit() throws {
    var limited = audiences("user.plan == 'free'", "user.plan == 'free' && user.age == 17")
    limited[0].occurrenceLimit = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
    let set = try rules(limited)
    // As long as the first one takes them, the second one gets nobody.
    let never = try change(set, 1, user)
    #expect(never.verdict == .none)
    #expect(never.why == "earlier audiences take every user that it would match")
    let used = user.setting(["occurrences", "k"], to: ["2025-12-01T00:00:00Z"])
    let held = try change(set, 0, used)
    #expect(held.verdict == .none)
    #expect(held.why?.contains("shown once ") == true)
    #expect(try change(set, 1, used).verdict == .found)
  }

  @Test func noneIsProved() throws {
    let contradiction = try change(
      try rules(audiences("user.plan == 'a' && user.plan == 'b'")), 0, user)
    #expect(contradiction.verdict == .none)
    #expect(contradiction.why == "no user can make its condition true")
    let everybody = try change(try rules(audiences(nil, "user.plan == 'a'")), 1, user)
    #expect(everybody.verdict == .none)
    #expect(everybody.why == "audience 0 (e0) takes every user first")
    // What is not understood may hold for somebody.
    let opaque = try change(
      try rules(audiences("user.age % 7 == 1 && user.age % 7 == 3")), 0, user)
    #expect(opaque.verdict == .unknown)
    #expect(opaque.excluded == 0)
  }

  /// What does not compile takes nobody, and so does what its limit holds back.
  @Test func earlierAudiencesThatTakeNobody() throws {
    let contradiction = "user.plan == 'a' && user.plan == 'b'"
    let broken = try change(try rules(audiences("user.plan ==", contradiction)), 1, user)
    #expect(broken.verdict == .none && broken.why == "no user can make its condition true")
    #expect(
      try change(try rules(audiences("user.plan ==", "user.age == 17")), 1, user).changes == [])
    var limited = audiences(nil, contradiction)
    limited[0].occurrenceLimit = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
    let used = user.setting(["occurrences", "k"], to: ["2025-12-01T00:00:00Z"])
    #expect(try change(try rules(limited), 1, used).why == "no user can make its condition true")
    #expect(
      try change(try rules(limited), 1, user).why == "audience 0 (e0) takes every user first")
  }

  /// How many attributes are not enough is said only where that is known of all before.
  @Test func whatIsNotUnderstoodIsNotExcluded() throws {
    let either = "user.age % 1000003 + 5 == 777777 || user.x == 1 && user.y == 2"
    let found = try change(try rules(audiences(either)), 0, user)
    #expect(found.verdict == .found && found.changes.count == 2)
    #expect(found.excluded == 0)
    let both = try change(try rules(audiences("user.x == 1 && user.y == 2")), 0, user)
    #expect(both.changes.count == 2 && both.excluded == 1)
  }

  /// Numbers in texts keep as many digits as they have.
  @Test(arguments: [
    ("user.month < '2026-10'", "2026-12", "2026-09"),
    ("user.month > '2026-09'", "2026-01", "2026-10"),
    ("user.month > '2026-10'", "2026-01", "2026-11"), ("user.month < 'v1.10'", "v1.5", "v1.09"),
    ("user.month > '09'", "01", "10"), ("user.month < 'a100b'", "b", "a099b"),
  ])
  func numbersInTexts(expression: String, own: String, expected: String) throws {
    let record = user.setting(["user", "month"], to: .string(own))
    let found = try change(try rules(audiences(expression)), 0, record)
    #expect(found.changes.map(\.to) == [.string(expected)])
  }

  @Test func ownersAreTakenOrPassedOver() throws {
    var guarded = audiences("user.plan == 'free'", "user.age == 17")
    guarded[0].entitlementGuard = "pro"
    let set = try rules(guarded)
    let found = try change(set, 1, user)
    #expect(found.changes.count == 1)
    let owner = user.setting(["entitlements"], to: ["pro", "other"])
    #expect(try change(set, 1, owner).changes.isEmpty)
    let lost = texts(try change(set, 0, owner).changes)
    #expect(lost == ["entitlements: [\"pro\",\"other\"] -> [\"other\"]"])
    guarded[0].expression = nil
    let gained = texts(try change(try rules(guarded), 1, user).changes)
    #expect(gained == ["entitlements: - -> [\"pro\"]"])
  }

  /// Three audiences that take everybody but the owners of something each are passed over by who owns all
  /// of it.
  @Test func ownersOfEverything() throws {
    var guarded = audiences(nil, nil, nil, "user.age == 17")
    for (number, entitlement) in ["a", "b", "c"].enumerated() {
      guarded[number].entitlementGuard = entitlement
    }
    let found = try change(try rules(guarded), 3, user)
    #expect(texts(found.changes) == ["entitlements: - -> [\"a\",\"b\",\"c\"]"])
    #expect(found.verdict == .found)
  }

  @Test func statusBesideTheDeviceStandsForIts() throws {
    let set = try rules(audiences("device.subscriptionStatus == 'ACTIVE'", "true"))
    let inactive = user.setting(["subscriptionStatus"], to: "INACTIVE")
    #expect(
      texts(try change(set, 0, inactive).changes)
        == ["device.subscriptionStatus: \"INACTIVE\" -> \"ACTIVE\""])
    let gone = try rules(audiences("!has(device.subscriptionStatus)"), .cel)
    #expect(
      texts(try change(gone, 0, inactive).changes) == ["subscriptionStatus: \"INACTIVE\" -> -"])
  }

  @Test func whatFollowsIsTold() throws {
    let versions = user.setting(["device", "appVersion"], to: "3.9.0")
      .setting(["device", "appVersionPadded"], to: "003.009.000")
    let set = try rules(audiences("device.appVersionPadded >= '003.010.000'"))
    let found = try change(set, 0, versions)
    #expect(texts(found.changes) == ["device.appVersionPadded: \"003.009.000\" -> \"003.010.000\""])
    #expect(texts(found.follows) == ["device.appVersion: \"3.9.0\" -> \"3.10.0\""])
    // Rules that read both see both change.
    let minutes = user.setting(["device", "minutesSinceInstall"], to: 2_900)
    let both = try change(
      try rules(audiences("device.minutesSinceInstall > 2000 && device.daysSinceInstall == 7")), 0,
      minutes)
    #expect(
      Set(both.changes.map(\.path)) == ["device.daysSinceInstall", "device.minutesSinceInstall"])
    #expect(both.changes.contains { $0.to == .int(7) })
  }

  @Test func eventsStayWhatTheyAre() throws {
    let set = try rules(audiences("computed.daysSince('x') >= 3 && user.age == 18"))
    let events = user.setting(["events", "x"], to: ["2025-12-30T00:00:00Z"])
    let never = try change(set, 0, events)
    #expect(never.verdict == .none)
    #expect(never.why == "with this user's events, no attributes can make its condition true")
    let earlier = user.setting(["events", "x"], to: ["2025-12-20T00:00:00Z"])
    #expect(texts(try change(set, 0, earlier).changes) == ["user.age: 17 -> 18"])
  }

  @Test func filtersOfAgentWallie() throws {
    let filtered = Audience(
      index: 0, experimentID: "e",
      filters: [
        Filter(field: "user.plan", operator: .in, value: ["gold", "pro"]),
        Filter(field: "device.regionCode", operator: .isNot, value: "DE"),
      ])
    let found = try change(try rules([filtered], .standard, .agentWallie), 0, user)
    #expect(Set(found.changes.map(\.path)) == ["user.plan", "device.regionCode"])
    #expect(found.changes.contains { $0.to == "gold" })
  }

  @Test func whatIsToldAndWritten() throws {
    let set = try rules(audiences("user.plan == 'pro' && has(user.email) && user.age == 17"))
    let found = try change(set, 0, user)
    #expect(
      found.lines(audience: "0 (e)") == [
        "Audience 0 (e) would take this user if user.plan were \"pro\" (now \"free\") and user.email "
          + "were true (now missing)."
      ])
    #expect(
      found.value.json == #"{"verdict":"found","changes":[{"path":"user.plan","from":"free","#
        + #""to":"pro"},{"path":"user.email","to":true}],"excluded":1}"#)
  }
}

@Suite struct AttributeSweepTests {
  private func sweep(_ path: [String], _ expressions: String?..., user: Value) throws
    -> AttributeSweep
  {
    let set = try rules(
      expressions.enumerated().map { number, expression in
        Audience(index: number, experimentID: "e\(number)", expression: expression)
      })
    return try #require(
      set.sweep(
        AttributePath(path), of: "p", for: ["userId": "u", "user": user],
        at: HistoryClock(now: now), assigner: .hash(salt: "")))
  }

  /// The audience of every stretch and value, as `range: audience`.
  private func rows(_ sweep: AttributeSweep) -> [String] {
    sweep.text.split(separator: "\n").dropFirst().map {
      $0.split(separator: " ").joined(separator: " ")
    }
  }

  @Test func numbersChangeAtConstants() throws {
    let found = try sweep(
      ["user", "age"], "user.age >= 18 && user.age < 65", "user.age >= 65", user: ["age": 30])
    #expect(found.stretches.map(\.outcome.audience) == [nil, 0, 1])
    #expect(found.stretches.map(\.from) == [nil, 18, 65])
    #expect(found.stretches.map(\.to) == [17, 64, nil])
    #expect(found.stretches.map(\.isOwn) == [false, true, false])
    #expect(rows(found).first == "up to 17 no audience matches")
    #expect(!found.isPartial)
  }

  @Test func betweenDoublesThereAreOthers() throws {
    let found = try sweep(["user", "score"], "user.score > 2.5", user: ["score": 1])
    #expect(found.stretches.map(\.to) == [2.5, nil])
    #expect(found.stretches[1].isAfter)
    #expect(found.stretches[1].from == 2.5)
  }

  @Test func textsAreValuesOrStretches() throws {
    let plans = try sweep(["user", "plan"], "user.plan == 'pro'", nil, user: ["plan": "free"])
    #expect(plans.stretches.isEmpty)
    #expect(
      rows(plans).map { $0.split(separator: ",")[0] }
        == [
          "\"free\" audience 1 (e1)", "\"pro\" audience 0 (e0)",
          "any other string audience 1 (e1)", "missing audience 1 (e1)",
        ])
    let versions = try sweep(["user", "v"], "user.v >= '3'", user: ["v": "2"])
    // Two texts that superscript takes for truth values are no part of the order.
    #expect(versions.stretches.map(\.outcome.audience) == [nil, 0])
    #expect(versions.stretches[0].isBefore && versions.stretches[0].to == "3")
    #expect(versions.stretches[1].from == "3")
    #expect(rows(versions).prefix(2).map { $0.split(separator: " no")[0] }.first == "before \"3\"")
  }

  /// What starts alike is told so, and what no condition names as one.
  @Test func textsThatStartAlike() throws {
    let model = try sweep(
      ["user", "model"], "has(user.model) ? user.model.startsWith('iPad') : false",
      user: ["model": "iPad8,1"])
    #expect(
      rows(model) == [
        #"starts with "iPad" audience 0 (e0), noVariants <- this user"#,
        "any other string no audience matches", "missing no audience matches",
      ])
    #expect(model.value.json.contains(#""startsWith":"iPad""#))
    let ordered = try sweep(
      ["user", "model"], "has(user.model) ? user.model.startsWith('iPad') : false",
      "user.model > 'iPhone'", user: ["model": "a"])
    #expect(
      rows(ordered).map { $0.split(separator: ", noV")[0] } == [
        #"before "iPad" no audience matches <- this user"#,
        #"starts with "iPad" audience 0 (e0)"#,
        #"after all strings that start with "iPad", up to "iPhone" no audience matches"#,
        #"after "iPhone" audience 1 (e1)"#, "missing no audience matches",
      ])
  }

  /// An attribute that is not there has its row, which is the user's.
  @Test func attributesThatAreNotThere() throws {
    let ages = try sweep(["user", "age"], "user.age > 3", user: [:])
    #expect(rows(ages).last == "missing no audience matches <- this user")
    #expect(ages.singles.map(\.isOwn) == [true])
    // Values of kinds that nobody names are told where they make a difference.
    let emails = try sweep(
      ["user", "email"], "has(user.email) ? user.email.matches('^a@b$') : false", user: [:])
    #expect(emails.singles.allSatisfy { $0.value == nil || $0.value?.text != nil })
    #expect(emails.singles.first?.isOwn == true)
  }

  @Test func whatChangesNothing() throws {
    let found = try sweep(["user", "plan"], nil, "user.plan == 'pro'", user: ["plan": "free"])
    #expect(
      rows(found) == ["changes nothing: always audience 0 (e0), noVariants"])
    #expect(found.singles.count > 1)
  }

  @Test func opaqueConditionsArePartial() throws {
    let found = try sweep(["user", "n"], "user.n % 3 == 1", user: ["n": 4])
    #expect(found.isPartial)
    #expect(found.value.json.contains(#""partial":true"#))
    // Numbers have no other texts between them.
    #expect(found.stretches.allSatisfy { !$0.isOfTexts } && found.stretches.count > 2)
    #expect(!rows(found).contains { $0.hasPrefix("any other string") })
  }

  /// Where conditions may change their minds, only numbers in a row are told together.
  @Test(arguments: [99, 100, 101])
  func opaqueConditionsSayNothingOfGaps(own: Int) throws {
    let found = try sweep(
      ["user", "n"], "user.n % 3 == 1 && user.n != 5", user: ["n": .int(Int64(own))])
    #expect(found.isPartial)
    let spans = found.stretches.compactMap { stretch -> ClosedRange<Int>? in
      guard let from = stretch.from?.wholeNumber, let to = stretch.to?.wholeNumber else {
        return nil
      }
      return from...to
    }
    #expect(spans.count > 10 && spans.contains { $0.count == 2 })
    #expect(spans.allSatisfy { $0.count <= 3 || $0.contains(5) && $0.count <= 6 }, "\(spans)")
  }

  /// What is said of changes, for a person and as JSON.
  @Test func words() {
    typealias Change = SmallestChange.Change
    func change(_ path: String, _ from: Value?, _ to: Value?) -> Change {
      Change(path: path, from: from, to: to)
    }
    func lines(
      _ verdict: SmallestChange.Verdict, _ changes: [Change] = [], follows: [Change] = [],
      excluded: Int = 0, why: String? = nil
    ) -> [String] {
      SmallestChange(
        verdict: verdict, changes: changes, follows: follows, excluded: excluded, why: why
      ).lines(audience: "1 (a)")
    }
    #expect(
      lines(.none) == ["No change of attributes makes audience 1 (a) take this user."])
    #expect(
      lines(.none, why: "it never matches")
        == ["No change of attributes makes audience 1 (a) take this user: it never matches."])
    let isNotKnown =
      "It is unknown whether a change of attributes makes audience 1 (a) take this user"
    #expect(lines(.unknown) == [isNotKnown + "."])
    #expect(lines(.unknown, why: "w") == [isNotKnown + ": w."])
    for (excluded, count) in [(1, "one attribute"), (2, "up to 2 attributes")] {
      #expect(
        lines(.unknown, excluded: excluded) == [
          "No change of \(count) makes audience 1 (a) take this user; a larger change might."
        ])
    }
    #expect(lines(.found) == ["Audience 1 (a) takes this user."])
    let (a, b, c) = (change("user.a", nil, 1), change("user.b", "x", nil), change("user.c", 2, 3))
    let start = "Audience 1 (a) would take this user if user.a were 1 (now missing)"
    #expect(lines(.found, [a], excluded: 0) == [start + "."])
    let both = start + " and user.b were missing (now \"x\")."
    let unsure = "Fewer changes might be enough."
    #expect(lines(.found, [a, b], excluded: 1) == [both])
    #expect(lines(.found, [a, b], excluded: 0) == [both, unsure])
    let three =
      start + ", and user.b were missing (now \"x\"), and user.c were 3 (now 2)."
    #expect(lines(.found, [a, b, c], excluded: 2) == [three])
    #expect(lines(.found, [a, b, c], excluded: 1) == [three, unsure])
    #expect(
      lines(.found, [a], follows: [c, b]) == [
        start + ".", "With that, user.c would be 3 and user.b would be missing.",
      ])
    let (fits, long) = (String(repeating: "x", count: 58), String(repeating: "x", count: 59))
    #expect(
      lines(.found, [change("p", .string(fits), .string(long))]) == [
        "Audience 1 (a) would take this user if p were \"\(long.prefix(56))... (now \"\(fits)\")."
      ])
    let found = SmallestChange(
      verdict: .found, changes: [a], follows: [c], excluded: 0, why: "w")
    #expect(
      found.value.json
        == #"{"verdict":"found","changes":[{"path":"user.a","to":1}],"excluded":0,"follows":[{"path":"user.c","from":2,"to":3}],"why":"w"}"#
    )
    #expect(
      SmallestChange(verdict: .none).value.json
        == #"{"verdict":"none","changes":[],"excluded":0}"#)
  }
}

import Expressions
import TestSupport
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// What has changed, in the words of campaigns.
@Suite struct ConfigChangeTests {
  private static func changes(_ old: [Audience], _ new: [Audience]) throws -> [ConfigChange] {
    let comparison = RuleComparison(
      try #require(RandomEdits.ruleSet(old)), try #require(RandomEdits.ruleSet(new)),
      placements: nil, clock: HistoryClock(now: 0),
      assigners: (.hash(salt: ""), .hash(salt: "")))
    return comparison.changes
  }

  private static func audience(
    _ id: String, _ expression: String? = nil, most: Int? = nil,
    _ variants: [Variant] = [Variant(id: "v", kind: .treatment, weight: 50, paywallID: "pw")]
  ) -> Audience {
    Audience(
      index: 0, experimentID: id, expression: expression,
      occurrenceLimit: most.map {
        OccurrenceLimit(key: "k", maxCount: $0, interval: .minutes(1_440))
      },
      variants: variants)
  }

  /// Audiences without other names are found by their own, the first one first.
  @Test func namesTellWhichIsWhich() throws {
    func named(_ name: String, _ expression: String) -> Audience {
      Audience(index: 0, experimentID: "", expression: expression, variants: [], name: name)
    }
    let match = AudienceMatch(
      [named("a", "1 == 1"), named("b", "2 == 2"), named("b", "3 == 3")],
      [named("b", "4 == 4"), named("a", "5 == 5"), named("b", "6 == 6")])
    #expect(match.newOf == [1, 0, 2] && match.oldOf == [1, 0, 2])
  }

  /// Everything that an audience can have otherwise, and what it is called.
  @Test func whatAudiencesHaveOtherwise() throws {
    let variants = [
      Variant(id: "a", kind: .treatment, weight: 50, paywallID: "one"),
      Variant(id: "b", kind: .treatment, weight: 50, paywallID: "two"),
    ]
    let audience = Self.audience("e", "user.a == 1", most: 1, variants)
    let edits: [(edit: (inout Audience) -> Void, change: AudienceChange)] = [
      ({ _ in }, []), ({ $0.expression = "user.a == 2" }, .condition),
      ({ $0.expression = nil }, .condition), ({ $0.entitlementGuard = "pro" }, .condition),
      ({ $0.expression = "user.a ==" }, .condition), ({ $0.occurrenceLimit = nil }, .limit),
      ({ $0.occurrenceLimit?.maxCount = 2 }, .limit), ({ $0.occurrenceLimit?.key = "l" }, .limit),
      ({ $0.occurrenceLimit?.interval = .infinity }, .limit), ({ $0.experimentID = "f" }, .shares),
      ({ $0.experimentStatus = .paused }, .shares), ({ $0.variants[0].weight = 60 }, .shares),
      ({ $0.variants[1].id = "c" }, .shares), ({ $0.variants.swapAt(0, 1) }, .shares),
      ({ $0.variants.removeLast() }, .shares), ({ $0.variants[0].paywallID = "two" }, .paywall),
      ({ $0.variants[1].kind = .holdout }, .paywall), ({ $0.name = "other" }, []),
    ]
    let before = try #require(RandomEdits.ruleSet([audience])).rules[0]
    for (number, (edit, change)) in edits.enumerated() {
      var edited = audience
      edit(&edited)
      let after = try #require(RandomEdits.ruleSet([edited])).rules[0]
      #expect(AudienceChange(before, after) == change, "\(number)")
      #expect(AudienceChange(after, before) == change, "\(number)")
    }
  }

  @Test func whatIsTheSameIsNotTold() throws {
    let audiences = [Self.audience("a", "user.a == 1"), Self.audience("b")]
    #expect(try Self.changes(audiences, audiences).isEmpty)
    // Neither are spaces and parentheses.
    #expect(
      try Self.changes([Self.audience("a", "user.a==1")], [Self.audience("a", "(user.a == 1)")])
        .isEmpty)
  }

  @Test func audiencesComeGoAndMove() throws {
    let (a, b, c) = (Self.audience("a"), Self.audience("b"), Self.audience("c", "user.a == 1"))
    #expect(
      try Self.changes([a, b], [b, c]).map(\.text) == [
        "audience 0 (a) is removed: every user", "audience 1 (c) is added: user.a == 1",
      ])
    let moved = try Self.changes([a, b, c], [c, a, b])
    #expect(moved.map(\.kind) == [.audienceMoved])
    #expect(moved.map(\.text) == ["audience 0 (c) was number 2"])
    #expect(moved[0].oldAudience == 2 && moved[0].newAudience == 0)
  }

  @Test func clausesOfConditions() throws {
    let changes = try Self.changes(
      [Self.audience("a", "user.a == 1 && (user.b > 2 || user.c) && has(user.d)")],
      [Self.audience("a", "user.a == 1 && has(user.d) && user.b > 3")])
    #expect(changes.map(\.kind) == [.condition])
    #expect(changes[0].clausesRemoved == ["user.b > 2 || user.c"])
    #expect(changes[0].clausesAdded == ["user.b > 3"])
    #expect(changes[0].from?.hasPrefix("user.a == 1 && (") == true)
  }

  @Test func limitsAndVariants() throws {
    let before = [
      Variant(id: "a", kind: .treatment, weight: 50, paywallID: "one"),
      Variant(id: "b", kind: .treatment, weight: 50, paywallID: "two"),
    ]
    let after = [
      Variant(id: "a", kind: .holdout, weight: 33.5),
      Variant(id: "c", kind: .treatment, weight: 10, paywallID: "two"),
    ]
    let changes = try Self.changes(
      [Self.audience("e", most: 1, before)], [Self.audience("e", most: 2, after)])
    #expect(
      changes.map(\.text) == [
        "audience 0 (e): limit from at most 1 in the last 24 hours, counted as 'k' to at most 2 in "
          + "the last 24 hours, counted as 'k'",
        "audience 0 (e): variant 'b' is removed: paywall 'two', weight 50",
        "audience 0 (e): weight of variant 'a' from 50 to 33.5",
        "audience 0 (e): variant 'a' gives no paywall (holdout) instead of paywall 'one'",
        "audience 0 (e): variant 'c' is added: paywall 'two', weight 10",
      ])
    let order = try Self.changes(
      [Self.audience("e", nil, before)], [Self.audience("e", nil, before.reversed())])
    #expect(order.map(\.kind) == [.variantOrder])
  }

  /// An audience whose experiment has another ID is known by its condition.
  @Test func experimentsWithOtherIDs() throws {
    let changes = try Self.changes(
      [Self.audience("old", "user.a == 1")], [Self.audience("new", "user.a == 1")])
    #expect(changes.map(\.text) == ["audience 0 (new): experiment from 'old' to 'new'"])
    #expect(changes[0].value["audience"] == ["from": 0, "to": 0])
  }
}

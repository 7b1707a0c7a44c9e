import Expressions
import RuleEngine
import Testing

/// Assignments from a config to the server and back, and what is loaded for them.
@Suite struct AssignmentFlowTests {
  private func audience(
    _ experiment: String, campaign: String = "g", expression: String? = nil,
    _ variants: [Variant], preload: Preload = .always, limit: OccurrenceLimit? = nil
  ) -> Audience {
    Audience(
      index: 0, experimentID: experiment, campaignID: campaign, expression: expression,
      occurrenceLimit: limit, variants: variants, preload: preload)
  }

  private func treatment(_ id: String, _ weight: Double = 1) -> Variant {
    Variant(id: id, kind: .treatment, weight: weight, paywallID: "pw-\(id)")
  }

  private func holdout(_ id: String, _ weight: Double = 1) -> Variant {
    Variant(id: id, kind: .holdout, weight: weight)
  }

  private func choose(_ config: Config, _ existing: [Assignment]) -> [String] {
    config.chooseAssignments(existing: existing, subjectID: "u") { _ in .draw(0) }
      .map { "\($0.experimentID)=\($0.variantID)\($0.isSentToServer ? "" : "*")" }
  }

  @Test func choosing() {
    let config = Config(placements: [
      Placement(
        name: "p",
        audiences: [
          audience("kept", [treatment("a"), treatment("b", 0)]),
          audience("gone", [treatment("a")]), audience("new", [treatment("a"), holdout("b")]),
          audience("empty", []),
        ]),
      // A second placement of the campaign is not looked at.
      Placement(name: "q", audiences: [audience("other", [treatment("a")])]),
    ])
    let existing = [
      Assignment(experimentID: "kept", variantID: "b"),
      Assignment(experimentID: "gone", variantID: "x"),
      Assignment(experimentID: "empty", variantID: "x"),
      Assignment(experimentID: "unknown", variantID: "x"),
    ]
    #expect(choose(config, existing) == ["kept=b", "unknown=x", "gone=a*", "new=a*"])
    var wallie = config
    wallie.format = .agentWallie
    #expect(choose(wallie, []) == ["kept=a*", "gone=a*", "new=a*", "other=a*"])
  }

  @Test func experimentsThatDoNotRunChooseNothing() {
    var paused = audience("e", [treatment("a")])
    paused.experimentStatus = .paused
    #expect(choose(Config(placements: [Placement(name: "p", audiences: [paused])]), []) == [])
  }

  @Test func transferring() {
    let config = Config(placements: [
      Placement(name: "p", audiences: [audience("e", [treatment("a"), treatment("b")])])
    ])
    let merged = config.transferAssignments(
      server: [
        Assignment(experimentID: "e", variantID: "b"),
        Assignment(experimentID: "e", variantID: "unknown"),
        Assignment(experimentID: "unknown", variantID: "a"),
      ],
      local: [
        Assignment(experimentID: "e", variantID: "a", isSentToServer: false),
        Assignment(experimentID: "old", variantID: "x", isSentToServer: false),
      ])
    #expect(
      merged == [
        Assignment(experimentID: "old", variantID: "x", isSentToServer: false),
        Assignment(experimentID: "e", variantID: "b"),
      ])
  }

  /// Each matched experiment is confirmed once, what was sent is not, and nothing else follows.
  @Test func confirmingAll() throws {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
    let config = Config(placements: [
      Placement(
        name: "p", audiences: [audience("e", [treatment("a"), holdout("b")], limit: limit)]),
      Placement(name: "q", audiences: [audience("e", [treatment("a"), holdout("b")])]),
      Placement(
        name: "r",
        audiences: [
          audience("no", expression: "params.x == 1", [treatment("a")]),
          audience("sent", [treatment("a"), treatment("b")]),
        ]),
      Placement(name: "s", audiences: [audience("unsent", [treatment("a"), treatment("b")])]),
    ])
    let rules = try #require(RuleSet.compile(config).output)
    var frame = Frame(for: rules.program)
    try frame.fill(["params": .map([])])
    let state = DecisionState(
      subjectID: "u", now: 0,
      assignments: [
        Assignment(experimentID: "sent", variantID: "b"),
        Assignment(experimentID: "unsent", variantID: "b", isSentToServer: false),
      ])
    let result = rules.confirmAllAssignments(frame: &frame, state: state) { .draw(0.9) }
    #expect(result.toConfirm.map(\.experimentID) == ["e", "unsent"])
    #expect(result.toConfirm.map(\.variantID) == ["b", "b"])
    #expect(Set(result.assignments.map(\.experimentID)) == ["sent", "unsent", "e"])
  }

  @Test func preloading() throws {
    let config = Config(
      placements: [
        Placement(
          name: "p",
          audiences: [
            audience("always", [treatment("a")]),
            audience("never", [treatment("b")], preload: .never),
            audience("true", expression: "user.n == 1", [treatment("c")], preload: .ifTrue),
            audience("false", expression: "user.n == 2", [treatment("d")], preload: .ifTrue),
            audience("holdout", [holdout("e")]), audience("unassigned", [treatment("f")]),
            audience("broken", expression: "user.n ==", [treatment("g")], preload: .ifTrue),
          ]),
        Placement(name: "same campaign", audiences: [audience("x", [treatment("x")])]),
        Placement(
          name: "first", audiences: [audience("first", campaign: "top", [treatment("t")])]),
        Placement(name: "off", audiences: [audience("off", campaign: "o", [treatment("o")])]),
      ])
    let rules = try #require(RuleSet.compile(config).output)
    var frame = Frame(for: rules.program)
    try frame.fill(["user": ["n": 1], "params": ""])
    let assigned = [
      ("always", "a"), ("never", "b"), ("true", "c"), ("false", "d"), ("holdout", "e"),
      ("broken", "g"), ("x", "x"), ("first", "t"), ("off", "o"),
    ]
    let state = DecisionState(
      subjectID: "u", now: 0,
      assignments: assigned.map { Assignment(experimentID: $0.0, variantID: $0.1) })
    var settings = ConfigSettings(
      disabledPreloads: .init(placements: ["off"]), prioritizedCampaignID: "top")
    let selection = rules.preloadedPaywalls(settings: settings, frame: &frame, state: state)
    #expect(selection.prioritized == ["pw-t"])
    #expect(selection.others == ["pw-a", "pw-c"])
    settings.disabledPreloads.all = true
    #expect(rules.preloadedPaywalls(settings: settings, frame: &frame, state: state).all == [])
    // Whoever names a placement gets what is assigned there.
    let named = rules.preloadedPaywalls(placements: ["off", "nowhere", "p"], state: state)
    #expect(named == ["pw-o", "pw-a", "pw-b", "pw-c", "pw-d", "pw-g"])
  }

  @Test func records() {
    var records = AssignmentRecords()
    records.save(.init(experimentID: "c", variantID: "1"), of: "a:b")
    records.save(.init(experimentID: "b:c", variantID: "2"), of: "a")
    records.save(.init(experimentID: "b:c", variantID: "3"), of: "a")
    #expect(records.assignment(of: "a:b", in: "c")?.variantID == "1")
    #expect(records.assignments(of: "a").map(\.variantID) == ["3"])
    records.removeAll(of: "a")
    #expect(records.assignment(of: "a", in: "b:c") == nil)
    #expect(records.assignment(of: "a:b", in: "c") != nil)
    records.remove(of: "a:b", in: "c")
    #expect(records == AssignmentRecords())
  }
}

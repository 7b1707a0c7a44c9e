package import Expressions
package import RuleEngine

/// Random configs with one placement `p`, and the same with something changed.
package struct RandomEdits {
  package enum Edit: CaseIterable {
    case condition, limit, guarded, order, added, removed, weights, paywall, experiment
  }

  package var random: SplitMix
  private var experiments = 0
  package static let now: Instant = 1_767_225_600_000

  package init(seed: Int) { random = SplitMix(seed: UInt64(seed) &* 2_477 &+ 11) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  package mutating func condition() -> String? {
    if Int.random(in: 0..<12, using: &random) == 0 { return nil }
    let clauses = ["user.a", "user.b"].map { path in
      let number = Int.random(in: 0..<4, using: &random)
      return pick([
        "\(path) == \(number)", "\(path) >= \(number)", "\(path) in [1, 2, 3]", "!has(\(path))",
        "\(path) < \(number)",
      ])
    }
    return clauses.joined(separator: Bool.random(using: &random) ? " && " : " || ")
  }

  package mutating func limit() -> OccurrenceLimit? {
    if Int.random(in: 0..<3, using: &random) > 0 { return nil }
    return OccurrenceLimit(
      key: pick(["k", "l"]), maxCount: Int.random(in: 0...2, using: &random),
      interval: pick([.infinity, .minutes(60), .minutes(600)]))
  }

  package mutating func audience() -> Audience {
    experiments += 1
    let isGuarded = Int.random(in: 0..<6, using: &random) == 0
    let count = Int.random(in: 1...2, using: &random)
    let variants = (0..<count).map { number in
      Variant(
        id: ["a", "b"][number],
        kind: Int.random(in: 0..<6, using: &random) == 0 ? .holdout : .treatment,
        weight: pick([10, 50, 90]), paywallID: pick(["one", "two"]))
    }
    return Audience(
      index: 0, experimentID: "e\(experiments)", expression: condition(), occurrenceLimit: limit(),
      variants: variants, entitlementGuard: isGuarded ? pick(["pro", "plus"]) : nil)
  }

  package mutating func audiences(_ count: Int) -> [Audience] {
    (0..<count).map { _ in audience() }
  }

  package mutating func apply(_ edit: Edit, to audiences: [Audience]) -> [Audience] {
    var audiences = audiences
    let i = Int.random(in: 0..<audiences.count, using: &random)
    switch edit {
    case .condition: audiences[i].expression = condition()
    case .limit: audiences[i].occurrenceLimit = limit()
    case .guarded: audiences[i].entitlementGuard = pick(["pro", "plus", nil])
    case .order: audiences.swapAt(i, Int.random(in: 0..<audiences.count, using: &random))
    case .added: audiences.insert(audience(), at: i)
    case .removed: audiences.remove(at: i)
    case .weights: audiences[i].variants[0].weight = pick([5, 40, 95])
    case .paywall: audiences[i].variants[0].paywallID = pick(["one", "two", "three"])
    case .experiment:
      experiments += 1
      // Another audience by its experiment, and by all else the same.
      audiences[i].experimentID = "e\(experiments)"
    }
    return audiences
  }

  package static func ruleSet(_ audiences: [Audience], _ language: RuleLanguage = .standard)
    -> RuleSet?
  {
    var audiences = audiences
    for i in audiences.indices { audiences[i].index = i }
    let config = Config(
      format: .agentWallie, placements: [Placement(name: "p", audiences: audiences)])
    return RuleSet.compile(config, language: language).output
  }

  /// A user record, with a history now and then.
  package mutating func record(_ number: Int) -> Value {
    var user: [Value.Entry] = []
    for name in ["a", "b"] where Int.random(in: 0..<5, using: &random) > 0 {
      user.append(
        Value.Entry(key: .string(name), value: .int(Int64.random(in: -1...4, using: &random))))
    }
    var members: [Value.Entry] = [
      .init(key: "userId", value: .string("u-\(number)")), .init(key: "user", value: .map(user)),
    ]
    guard Bool.random(using: &random) else { return .map(members) }
    let occurrences = ["k", "l"].map { key -> Value.Entry in
      let times = (0..<Int.random(in: 0...3, using: &random)).map { _ -> Value in
        let minutes = pick([1, 100, 1_000])
        return .string((Self.now - Int64(minutes) * 60_000).text ?? "")
      }
      return Value.Entry(key: .string(key), value: .list(times))
    }
    members.append(.init(key: "occurrences", value: .map(occurrences)))
    let owned = ["pro", "plus"].filter { _ in Bool.random(using: &random) }
    members.append(.init(key: "entitlements", value: .list(owned.map { .string($0) })))
    if Bool.random(using: &random) {
      let assignments = (1...4).map { number -> Value in
        ["experimentId": .string("e\(number)"), "variantId": .string(pick(["a", "b", "gone"]))]
      }
      members.append(.init(key: "assignments", value: .list(assignments)))
    }
    return .map(members)
  }
}

/// What one record gets.
package struct PlainDecision {
  package let decision: Decision
  package let steps: [Decision.Step]

  package init(_ record: Value, _ ruleSet: RuleSet, _ assigner: Assigner) throws {
    let clock = HistoryClock(now: RandomEdits.now)
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: clock)
    try reader.read(json: record.json.utf8, into: &frame)
    let state = reader.state(now: clock.now)
    decision = ruleSet.decide("p", frame: &frame, state: state, assigner: assigner)
    steps = ruleSet.steps("p", frame: &frame, state: state)
  }

  /// Result, variant and paywall.
  package var shown: [String] {
    switch decision.outcome {
    case .paywall(let experiment):
      ["paywall", experiment.variant.id, experiment.variant.paywallID ?? ""]
    case .holdout(let experiment): ["holdout", experiment.variant.id, ""]
    case .noAudienceMatch: ["noAudienceMatch", "", ""]
    case .placementNotFound: ["placementNotFound", "", ""]
    case .error: ["error", "", ""]
    case .undecidable: ["undecidable", "", ""]
    }
  }
}

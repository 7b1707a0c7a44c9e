internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Finds users for the points of a placement that no test exercises.
///
/// Every user that is found is decided and counted like the users of tests. The user is only used
/// if it then exercises the point that it was found for. Other points that the user exercises are
/// not searched for again.
struct PlacementClosing {
  private let counter: CoverageCounter
  private let placement: String
  private let clock: HistoryClock
  private var analysis: PlacementAnalysis
  private(set) var gaps: [CoveragePoint: CoverageSearch.Gap] = [:]
  private(set) var lines: [Value] = []
  /// Users that the current rule matches.
  private var taken: [Value] = []
  private var isAsked = false
  /// Realistic values for each path.
  private var ordinaryValues: [[String]: [Value]] = [:]
  /// The remaining work for making users realistic, in attributes of decided users.
  private var ordinaryWork = 1_000_000

  /// The maximum number of user IDs to try for an audience's variants.
  private static let mostIDs = 2_000
  /// The maximum number of occurrences in a record.
  private static let mostOccurrences = 1_000
  private static let minute: Int64 = 60_000

  init(
    _ counter: CoverageCounter, _ placement: String, _ analysis: PlacementAnalysis,
    _ clock: HistoryClock
  ) {
    self.counter = counter
    self.placement = placement
    self.analysis = analysis
    self.clock = clock
  }

  private var ruleSet: RuleSet { counter.ruleSet }

  mutating func close(_ rule: Int) {
    let missing = counter.points(ofRule: rule).filter { counter.counts[$0] == 0 }
    (taken, isAsked) = ([], false)
    guard analysis.takes(rule) else {
      let isBroken = ruleSet.rules[rule].isBroken
      let reason = isBroken ? "the rule does not compile" : "its limit never lets it take a user"
      for point in missing { gaps[point] = .impossible(reason) }
      return
    }
    // A user found for an earlier point may be enough.
    for point in missing where counter.counts[point] == 0 { gaps[point] = gap(point, rule) }
    let isClosed = missing.allSatisfy { point in
      if case .impossible? = gaps[point] { return true }
      return counter.counts[point] > 0
    }
    if isClosed { counter.close(rule) }
  }

  private mutating func gap(_ point: CoveragePoint, _ rule: Int) -> CoverageSearch.Gap {
    switch point {
    case .audience: return audienceGap(point, rule)
    case .clause(_, let number, let holds): return clauseGap(point, rule, number, holds)
    case .owner:
      let audience = ruleSet.rules[rule].audience
      return madeGap(point, rule) { [$0.owning(audience)] }
    case .limit(_, let limitCase): return limitGap(point, rule, limitCase)
    case .variant(_, let variant): return variantGap(point, rule, variant)
    case .text: return .unknown("")
    }
  }

  /// Whether a user exercises the point when it is decided. A user that does is added.
  private mutating func keeps(_ record: Value, for point: CoveragePoint) -> Bool {
    guard exercise(record, for: point) != nil else { return false }
    let record = ordinary(record, for: point)
    guard let exercise = exercise(record, for: point, judgesAll: true) else { return false }
    counter.add(exercise)
    let isDrawn = exercise.decision.rule.map { $0.audience.variants.count > 1 } ?? false
    lines.append(
      TestLine.value(
        record, exercise.decision, clock.now, seed: isDrawn ? counter.assigner.seed : "",
        name: "\(placement): \(counter.title(of: point))"))
    return true
  }

  /// - Parameter judgesAll: whether to find all points that the user exercises.
  private func exercise(_ record: Value, for point: CoveragePoint, judgesAll: Bool = false)
    -> Exercise?
  {
    guard
      let exercise = try? counter.exercise(
        TestLine.bytes(record), at: placement, clock, only: judgesAll ? nil : point),
      exercise.points.contains(point)
    else { return nil }
    return exercise
  }

  /// The user with realistic values, if they have the same effect. Realistic values replace values
  /// such as `true` for a plan.
  private mutating func ordinary(_ record: Value, for point: CoveragePoint) -> Value {
    var record = record
    for root in [UserMember.user, .device, .params] {
      guard case .map(let members)? = record[root.key] else { continue }
      for member in members {
        guard let name = member.key.text, member.value.isOdd else { continue }
        let path = [root.key, name]
        for value in ordinaryValues(at: path) {
          guard ordinaryWork > 0 else { return record }
          ordinaryWork -= 4 + members.count
          let changed = record.setting(path[...], to: value)
          if exercise(changed, for: point) == nil { continue }
          record = changed
          break
        }
      }
    }
    return record
  }

  private mutating func ordinaryValues(at path: [String]) -> [Value] {
    if let known = ordinaryValues[path] { return known }
    let made = counter.rules.model.ordinaryValues(at: path)
    ordinaryValues[path] = made
    return made
  }

  // MARK: Audiences

  private mutating func audienceGap(_ point: CoveragePoint, _ rule: Int) -> CoverageSearch.Gap {
    for question in [true, false].map({ analysis.taking(rule, isFirstTime: $0) }) {
      guard let question else { continue }
      if case .witness(let record) = analysis.ask(question, gettingTo: rule),
        keeps(record, for: point)
      {
        taken.append(record)
        return .closable
      }
    }
    return nobody(rule)
  }

  /// The reason why no user was found that a rule takes.
  private func nobody(_ rule: Int) -> CoverageSearch.Gap {
    guard let question = analysis.taking(rule, isFirstTime: false) else {
      return .impossible("earlier audiences take every user")
    }
    guard analysis.proof(question, gettingTo: rule) != nil else {
      return .unknown("no user was found that the audience takes")
    }
    if let holding = analysis.holding(rule), analysis.isProved([holding]) {
      return .impossible("no user matches")
    }
    return .impossible("earlier audiences take every user that matches")
  }

  /// Users that a rule takes. Several are needed, because a user cannot be changed in every way.
  private mutating func users(takenBy rule: Int) -> [Value] {
    if isAsked || !taken.isEmpty { return taken }
    isAsked = true
    for question in [true, false].map({ analysis.taking(rule, isFirstTime: $0) }) {
      guard let question, case .witness(let record) = analysis.ask(question, gettingTo: rule) else {
        continue
      }
      taken.append(record)
    }
    return taken
  }

  // MARK: Clauses

  private mutating func clauseGap(
    _ point: CoveragePoint, _ rule: Int, _ number: Int, _ holds: Bool
  ) -> CoverageSearch.Gap {
    let clause = counter.clauses(ofRule: rule)[number]
    guard clause.node != nil else {
      return .unknown("the clause cannot be judged apart from the clauses around it")
    }
    guard let condition = analysis.conditionOf[rule], counter.flips[condition][number] != nil else {
      return .unknown("the condition has too many clauses")
    }
    let questions = analysis.deciding(clause: number, holds: holds, of: rule)
    var isProved = !questions.isEmpty
    for asked in questions {
      switch analysis.ask(asked.question, gettingTo: rule) {
      case .witness(let record):
        if keeps(record, for: point) { return .closable }
        isProved = false
      case .proof: break
      case .unknown: if asked.isGeneral { isProved = false }
      }
    }
    if case .impossible(let reason) = nobody(rule) { return .impossible(reason) }
    guard isProved else {
      return .unknown("no user was found for whom the clause decides this way")
    }
    return .impossible("never decides while \(holds ? "true" : "false")")
  }

  // MARK: Limits, owners

  /// Closes a gap by changing a user that the rule takes.
  private mutating func madeGap(
    _ point: CoveragePoint, _ rule: Int, _ changes: (Value) -> [Value]
  ) -> CoverageSearch.Gap {
    let users = users(takenBy: rule)
    for user in users {
      for changed in changes(user) where keeps(changed, for: point) { return .closable }
    }
    return users.isEmpty ? nobody(rule) : .unknown("no user was found")
  }

  private mutating func limitGap(
    _ point: CoveragePoint, _ rule: Int, _ limitCase: CoveragePoint.LimitCase
  ) -> CoverageSearch.Gap {
    guard let limit = ruleSet.rules[rule].audience.occurrenceLimit else { return .unknown("") }
    guard limit.maxCount <= Self.mostOccurrences else {
      return .unknown("a test would need \(limit.maxCount) occurrences")
    }
    let (now, minute) = (clock.now, Self.minute)
    return madeGap(point, rule) { user in
      let own = user["occurrences"]?[limit.key]?.elements ?? []
      switch limitCase {
      case .usedUp, .lastTime:
        let count = limitCase == .usedUp ? limit.maxCount : limit.maxCount - 1
        // The occurrences are as old as the span allows without unusual times. Some limits have an
        // empty time span.
        return [minute, 1_000, 0].flatMap { age -> [Value] in
          let times = Array(repeating: now - age, count: count)
          let alone = user.with(limit, times, now)
          // Earlier audiences may depend on the user's previous occurrences.
          return own.isEmpty ? [alone] : [alone, user.with(limit, times, beside: own, now)]
        }
      case .longAgo:
        guard let oldest = limit.oldest(now: now, sessionStart: now - 10 * minute),
          oldest > .distantPast
        else { return [] }
        let times = Array(repeating: oldest - minute, count: limit.maxCount)
        return [user.with(limit, times, beside: own, now)]
      }
    }
  }

  // MARK: Variants

  private mutating func variantGap(_ point: CoveragePoint, _ rule: Int, _ variant: Int)
    -> CoverageSearch.Gap
  {
    let audience = ruleSet.rules[rule].audience
    let users = users(takenBy: rule)
    guard let user = users.first else { return nobody(rule) }
    if let id = id(drawing: variant, rule), keeps(user.named(id), for: point) { return .closable }
    // A stored variant is not drawn again.
    let stored = Value.object([
      "experimentId": .string(audience.experimentID),
      "variantId": .string(audience.variants[variant].id),
    ])
    let record = user.setting(["assignments"], to: .list([stored]))
    return keeps(record, for: point)
      ? .closable : .unknown("no user was found that gets the variant")
  }

  /// The first ID that draws a variant.
  private func id(drawing variant: Int, _ rule: Int) -> String? {
    let audience = ruleSet.rules[rule].audience
    guard audience.variants.count > 1 else { return TestLine.id(0) }
    var state = DecisionState(subjectID: "", now: clock.now)
    return (0..<Self.mostIDs).lazy.map(TestLine.id).first { id in
      state.subjectID = id
      return ruleSet.storage.assign(rule, state, counter.assigner).variant == Int32(variant)
    }
  }
}

extension Value {
  /// Whether the value looks like a placeholder that no condition compares: a bool, an empty
  /// string, or one letter.
  fileprivate var isOdd: Bool {
    switch self {
    case .bool: true
    case .string(let text): text.utf8.count < 2
    default: false
    }
  }

  /// The record, with the entitlement whose owners skip the audience.
  fileprivate func owning(_ audience: Audience) -> Value {
    let owned = self["entitlements"]?.elements ?? []
    return setting(["entitlements"], to: .list(owned + [.string(audience.entitlementGuard ?? "")]))
  }

  /// The record with additional occurrences.
  fileprivate func with(
    _ limit: OccurrenceLimit, _ times: [Instant], beside own: [Value] = [], _ now: Instant
  ) -> Value {
    let texts = times.compactMap { $0.text.map { Value.string($0) } }
    var record = setting(
      ["occurrences", limit.key], to: texts.isEmpty && own.isEmpty ? nil : .list(texts + own))
    if limit.interval == .session, record["sessionStart"] == nil {
      let start = (now - 10 * Int64(60_000)).text ?? ""
      record = record.setting(["sessionStart"], to: .string(start))
    }
    return record
  }
}

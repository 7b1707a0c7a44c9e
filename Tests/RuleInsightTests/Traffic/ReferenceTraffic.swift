import CivilTime
import Expressions
import Foundation
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// What a simulation of traffic has to come to, said once more: dictionaries for a user, a frame and a
/// whole decision for each placement, and what the table of effects says is done one by one.
struct ReferenceTraffic {
  let rules: RuleSet
  let config: Config
  let options: TrafficPlan.Options
  let zone: String

  private struct User {
    var record: Value
    var assignments: [String: Assignment] = [:]
    var occurrences: [String: [Instant]] = [:]
    var events: [String: [Instant]] = [:]
    var owned: [String] = []
    var session: Instant?
    var last: Instant?
    var hasDeclined = false
    var purchases: TrafficRandom
    var seen: [String: Int] = [:]
    var held: Set<String> = []
  }

  private var users: [String: User] = [:]
  private(set) var asked: [String: [String: Int]] = [:]
  private(set) var held: [String: Int] = [:]
  /// By day: placements, paywalls, holdouts, what was held back, and purchases.
  private(set) var days: [String: [Int]] = [:]
  /// By day and placement: how often it was asked for, and how often it showed a paywall.
  private(set) var daysOfPlacements: [String: [Int]] = [:]
  private(set) var purchases = 0
  private(set) var sessions = 0

  init(_ rules: RuleSet, _ config: Config, _ options: TrafficPlan.Options, zone: String) {
    self.rules = rules
    self.config = config
    self.options = options
    self.zone = zone
  }

  /// Takes in a user, unless the record is none.
  ///
  /// - Returns: the identity.
  mutating func add(_ record: String) -> String? {
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
    guard (try? reader.read(json: record.utf8, into: &frame)) != nil,
      let value = try? Value.parse(json: record.utf8)
    else { return nil }
    let state = reader.state(now: 0)
    guard users[state.subjectID] == nil else { return nil }
    var user = User(
      record: value,
      purchases: TrafficRandom(seed: options.seed, "purchases", state.subjectID))
    for assignment in state.assignments { user.assignments[assignment.experimentID] = assignment }
    for known in state.occurrences { user.occurrences[known.key, default: []] += known.times }
    for series in reader.events.series { user.events[series.name, default: []] += series.times }
    user.owned = state.entitlements
    user.session = state.sessionStart
    user.last = state.sessionStart
    users[state.subjectID] = user
    return state.subjectID
  }

  /// The line that a user's next placement is written as.
  mutating func ask(_ id: String, _ placement: String, at time: Instant, params: Value?) throws
    -> String
  {
    var user = try #require(users[id])
    if begins(user, placement, time) {
      sessions += 1
      user.session = time
      user.events["session_start", default: []].append(time)
    }
    user.last = time
    if placement == "paywall_decline", user.hasDeclined {
      user.hasDeclined = false
    } else if placement != "session_start" {
      user.events[placement, default: []].append(time)
    }
    var frame = Frame(for: rules.program)
    try fill(&frame, user, params)
    let clock = try #require(HistoryClock(now: time, timeZone: zone))
    try rules.answer(
      EventHistory(
        user.events.map { (name: $0.key, times: Array($0.value.suffix(1_000)), earlier: 0) }),
      at: clock,
      placement: (placement, time), in: &frame)
    let state = DecisionState(
      subjectID: id, now: time, assignments: Array(user.assignments.values),
      occurrences: user.occurrences.map { .init(key: $0.key, times: $0.value.suffix(1_000)) },
      entitlements: user.owned, sessionStart: user.session)
    let decision = rules.decide(
      placement, frame: &frame, state: state, assigner: options.assigner)
    count(decision, rules.steps(placement, frame: &frame, state: state), time, clock, &user)
    let errors = rules.errors(placement, frame: &frame, state: state)
    let before = purchases
    apply(decision, time, &user)
    days[Self.day(time, clock)]?[4] += purchases - before
    users[id] = user
    let line = decision.outcomeLine(subjectID: id, errors: errors)
    let whole = try #require((time - time.millisecondOfSecond).text?.dropLast())
    let fraction = String(1_000 + time.millisecondOfSecond).dropFirst()
    return #"{"at":"\#(whole).\#(fraction)Z","# + line.json.dropFirst()
  }

  private func begins(_ user: User, _ placement: String, _ time: Instant) -> Bool {
    guard let last = user.last, placement != "session_start" else { return true }
    return time < last || time - last > config.settings.sessionTimeout
  }

  private func fill(_ frame: inout Frame, _ user: User, _ params: Value?) throws {
    var record = user.record
    if let params { record = record.with("params", params) }
    var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
    try reader.read(json: record.json.utf8, into: &frame)
  }

  // MARK: What follows

  private static let replacing: Set = [
    "transaction_abandon", "transaction_fail", "paywall_decline", "custom_placement",
    "survey_response",
  ]

  private mutating func apply(_ decision: Decision, _ time: Instant, _ user: inout User) {
    var paywall: String?
    if case .paywall(let experiment) = decision.outcome { paywall = experiment.variant.paywallID }
    let isAsked = Self.replacing.contains(decision.placement) && paywall == nil
    for applied in decision.effects(for: isAsked ? .handleImplicitTrigger : .presentation) {
      switch applied.effect {
      case .storeAssignment(let experiment, let variant):
        user.assignments[experiment] = Assignment(experimentID: experiment, variantID: variant)
      case .recordOccurrence(let limit): user.occurrences[limit.key, default: []].append(time)
      case .fireTrigger: user.events["trigger_fire", default: []].append(time)
      case .confirmAssignment: break
      }
    }
    guard let paywall else { return }
    user.seen[paywall, default: 0] += 1
    user.events["paywall_open", default: []].append(time)
    let wants = user.purchases.fraction() < options.purchaseRate
    if wants, !owns(user, paywall) {
      purchases += 1
      user.events["transaction_complete", default: []].append(time)
      subscribe(&user, paywall)
    } else {
      user.hasDeclined = true
      user.events["paywall_decline", default: []].append(time)
    }
    user.events["paywall_close", default: []].append(time)
  }

  /// Whether a user is subscribed to all that a paywall sells.
  private func owns(_ user: User, _ paywall: String) -> Bool {
    let device = user.record["device"]
    func told(_ name: String, _ member: String) -> Value? {
      let value = device?[name] ?? .null
      return value == .null ? user.record[member] : value
    }
    let owned = (told("activeEntitlements", "entitlements")?.elements ?? []).compactMap(\.text)
    switch told("subscriptionStatus", "subscriptionStatus") ?? .null {
    case "ACTIVE": break
    case .null: if owned.isEmpty { return false }
    default: return false
    }
    let product = config.paywall(paywall)?.products.first
    let given = product.map { config.entitlements(ofProduct: $0.id).map(\.id) } ?? []
    let sold = given.isEmpty ? product?.entitlements.map(\.id) ?? [] : given
    return owned.isEmpty || Set(sold).isSubset(of: owned)
  }

  private func subscribe(_ user: inout User, _ paywall: String) {
    let device = user.record["device"]
    var owned = user.owned
    let told = device?["activeEntitlements"] ?? user.record["entitlements"]
    let product = config.paywall(paywall)?.products.first
    owned += (told?.elements ?? []).compactMap(\.text)
    owned += product.map { config.entitlements(ofProduct: $0.id).map(\.id) } ?? []
    var seen: Set<String> = []
    owned = owned.filter { seen.insert($0).inserted }
    let names = Value.list(owned.map { .string($0) })
    user.owned = owned
    user.record = user.record
      .with(
        "device",
        (device ?? .map([])).with("subscriptionStatus", "ACTIVE").with("activeEntitlements", names)
      )
      .with("subscriptionStatus", "ACTIVE").with("entitlements", names)
  }

  // MARK: Counting

  private mutating func count(
    _ decision: Decision, _ steps: [Decision.Step], _ time: Instant, _ clock: HistoryClock,
    _ user: inout User
  ) {
    let code = "\(EffectTable.OutcomeKind(decision.outcome))"
    asked[decision.placement, default: [:]][code, default: 0] += 1
    let day = Self.day(time, clock)
    var counts = days[day] ?? [0, 0, 0, 0, 0]
    counts[0] += 1
    daysOfPlacements["\(day) \(decision.placement)", default: [0, 0]][0] += 1
    if code == "paywall" { daysOfPlacements["\(day) \(decision.placement)"]?[1] += 1 }
    if code == "paywall" { counts[1] += 1 }
    if code == "holdout" { counts[2] += 1 }
    for step in steps {
      guard case .occurrenceLimit = step.reason else { continue }
      counts[3] += 1
      held["\(decision.placement) \(step.index)", default: 0] += 1
      user.held.insert("\(decision.placement) \(step.index)")
    }
    days[day] = counts
  }

  private static func day(_ time: Instant, _ clock: HistoryClock) -> String {
    TrafficReport.text(ofDay: clock.civil(time).date.daysSince1970)
  }

  /// By paywall: how many users saw it so many times, as a report has it.
  func seen(_ paywall: String?) -> [Int] {
    var counts = Array(repeating: 0, count: 11)
    for user in users.values {
      let times = paywall.map { user.seen[$0] ?? 0 } ?? user.seen.values.reduce(0, +)
      counts[min(times, 10)] += 1
    }
    return counts
  }

  /// By placement and audience: how many users its limit held back from.
  var usersHeld: [String: Int] {
    users.values.reduce(into: [:]) { counts, user in
      for rule in user.held { counts[rule, default: 0] += 1 }
    }
  }
}

extension Value {
  /// The map with a member in place of all of its name.
  fileprivate func with(_ name: String, _ value: Value) -> Value {
    guard case .map(let entries) = self else {
      return .map([.init(key: .string(name), value: value)])
    }
    return .map(
      entries.filter { $0.key != .string(name) } + [.init(key: .string(name), value: value)])
  }
}

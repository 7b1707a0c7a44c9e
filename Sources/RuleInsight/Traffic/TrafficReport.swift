internal import CivilTime
package import Expressions
package import RuleEngine

/// The counts of simulated traffic as JSON.
package struct TrafficReport {
  private let plan: TrafficPlan
  private let sums: TrafficSums

  package init(_ plan: TrafficPlan, _ sums: TrafficSums) {
    self.plan = plan
    self.sums = sums
  }

  /// - Parameters:
  ///   - rejected: the number of rejected lines of users.
  ///   - rejectedEvents: the number of rejected lines of traffic; nil if no traffic was read.
  package func value(rejected: Int, rejectedEvents: Int?) -> Value {
    var members: [Value.Entry] = [
      entry("users", .int(sums.users)), entry("rejected", .int(rejected)),
    ]
    if let rejectedEvents { members.append(entry("rejectedEvents", .int(rejectedEvents))) }
    members += [
      entry("asked", .int(sums.placements)), entry("sessions", .int(sums.sessions)),
      entry("purchases", .int(sums.purchases)),
    ]
    if plan.options.versions?.update != nil { members.append(entry("updates", .int(sums.updates))) }
    members += [
      entry("placements", .map(plan.placements.indices.map(placement))),
      entry("days", .list(sums.days.keys.sorted().map(day))),
      entry("paywalls", .map(plan.paywalls.indices.map(paywall))),
      entry("anyPaywall", seen(sums.seenAny)),
    ]
    return .map(members)
  }

  private func placement(_ place: Int) -> Value.Entry {
    let placement = plan.placements[place]
    let outcomes = sums.outcomes[place]
    let kinds = EffectTable.OutcomeKind.allCases.filter {
      $0 != .placementNotFound && ($0 != .undecidable || outcomes[$0.rawValue] > 0)
    }
    return entry(
      placement.name,
      .object([
        "asked": .int(outcomes.reduce(0, +)),
        "outcomes": .map(kinds.map { entry("\($0)", .int(outcomes[$0.rawValue])) }),
        "audiences": .list(placement.rules.map(audience)),
      ]))
  }

  private func audience(_ rule: Int) -> Value {
    let audience = plan.ruleSet.rules[rule].audience
    let counts = sums.rules[rule]
    var members = [
      entry("index", .int(audience.index)), entry("reached", .int(counts.reached)),
      entry("matched", .int(counts.matched)), entry("heldBack", .int(counts.held)),
      entry("taken", .int(counts.taken)),
    ]
    if counts.failed > 0 { members.append(entry("failed", .int(counts.failed))) }
    if let limit = audience.occurrenceLimit {
      members += [
        entry("limit", limit.reportValue), entry("usersHeldBack", .int(counts.usersHeld)),
      ]
    }
    return .map(members)
  }

  private func day(_ number: Int) -> Value {
    let day = sums.days[number] ?? TrafficSums.Day(asked: [], shown: [], held: [])
    let held = zip(plan.limitedRules, day.held).filter { $0.1 > 0 }.map { rule, count in
      Value.object([
        "placement": .string(plan.name(ofPlacementWith: rule)),
        "audience": .int(plan.ruleSet.rules[rule].audience.index), "count": .int(count),
      ])
    }
    var members = [
      entry("day", .string(TrafficReport.text(ofDay: number))),
      entry("asked", .int(day.placements)), entry("paywall", .int(day.paywalls)),
      entry("holdout", .int(day.holdouts)), entry("purchases", .int(day.purchases)),
    ]
    if plan.options.versions?.update != nil { members.append(entry("updates", .int(day.updates))) }
    return .map(members + [entry("heldBack", .list(held))])
  }

  private func paywall(_ number: Int) -> Value.Entry {
    entry(plan.paywalls[number], seen(sums.seen[number]))
  }

  /// The number of users that saw a paywall 0 times, once, and so on. The last number counts all
  /// users that saw it more often.
  private func seen(_ counts: [Int]) -> Value { .list(counts.map { .int($0) }) }

  private func entry(_ key: String, _ value: Value) -> Value.Entry {
    Value.Entry(key: .string(key), value: value)
  }

  /// A day as a string, such as `2026-03-01`.
  package static func text(ofDay number: Int) -> String {
    let date = CivilDate(daysSince1970: number)
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
  }
}

extension TrafficPlan {
  /// The name of a rule's placement.
  package func name(ofPlacementWith rule: Int) -> String {
    placements.first { $0.rules.contains(rule) }?.name ?? ""
  }

  /// The rules of a placement of the plan.
  package func rules(ofPlacement place: Int) -> Range<Int> { placements[place].rules }
}

extension OccurrenceLimit {
  fileprivate var reportValue: Value {
    let of: Value.Entry = .init(key: "of", value: .int(maxCount))
    let key: Value.Entry = .init(key: "key", value: .string(self.key))
    switch interval {
    case .infinity: return .map([key, of])
    case .session: return .map([key, of, .init(key: "session", value: true)])
    case .minutes(let minutes): return .map([key, of, .init(key: "minutes", value: .int(minutes))])
    }
  }

  /// The limit as shown in tables, such as `2 in 24 hours`.
  package var short: String { LimitWords.short(self) }
}

extension Value {
  fileprivate static func int(_ number: Int) -> Value { .int(Int64(number)) }
}

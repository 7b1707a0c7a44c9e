package import Expressions
package import RuleEngine

/// Counts of simulated traffic.
package struct TrafficSums: Hashable, Sendable {
  /// The number of classes into which users are divided by the number of times that they saw a
  /// paywall: 0 to 9, and more.
  package static let bins = 11
  /// The maximum number of placements that are counted by day. The maximum is needed because a
  /// config may have any number of placements.
  package static let mostByDay = 200

  /// The counts of a day.
  package struct Day: Hashable, Sendable {
    package var placements = 0
    package var paywalls = 0
    package var holdouts = 0
    package var purchases = 0
    /// The number of users whose SDK is updated on this day.
    package var updates = 0
    /// For each of the first ``TrafficSums/mostByDay`` placements of the plan, the number of times
    /// that it was triggered, and the number of paywalls that it showed.
    package var asked: [Int]
    package var shown: [Int]
    /// For each limited rule, the number of times that it was held back.
    package var held: [Int]
  }

  /// The counts of a rule.
  package struct Rule: Hashable, Sendable {
    package var reached = 0
    package var matched = 0
    package var held = 0
    package var taken = 0
    /// The number of times that the rule's condition failed, which means no match.
    package var failed = 0
    /// The number of users that the rule's limit held back at least once.
    package var usersHeld = 0
  }

  /// A way in which a rule's condition failed.
  package struct RuleFailure: Hashable, Sendable {
    package var rule: Int
    package var failure: Failure
    /// The number of the SDK's plan, if there are several plans.
    var sdk = 0
  }

  package var users = 0
  package var sessions = 0
  package var purchases = 0
  /// The number of users whose SDK was updated.
  package var updates = 0
  /// The number of outcomes, by placement of the plan and by ``EffectTable/OutcomeKind``.
  package var outcomes: [[Int]]
  package var rules: [Rule]
  /// The number of failed conditions by kind of failure.
  package var failures: [RuleFailure: Int] = [:]
  /// The number of users, by paywall of the plan and by the number of times that they saw it.
  package var seen: [[Int]]
  /// The number of users by the number of times that they saw any paywall.
  package var seenAny = Array(repeating: 0, count: bins)
  /// The counts of each day in the time zone. The keys are days since 1970.
  package var days: [Int: Day] = [:]

  package init(_ plan: TrafficPlan) {
    outcomes = Array(
      repeating: Array(repeating: 0, count: EffectTable.OutcomeKind.allCases.count),
      count: plan.placements.count)
    rules = Array(repeating: Rule(), count: plan.ruleSet.rules.count)
    seen = Array(
      repeating: Array(repeating: 0, count: TrafficSums.bins), count: plan.paywalls.count)
  }

  /// The number of all triggered placements.
  package var placements: Int { outcomes.reduce(0) { $0 + $1.reduce(0, +) } }

  package mutating func add(_ other: TrafficSums) {
    users += other.users
    sessions += other.sessions
    purchases += other.purchases
    updates += other.updates
    for i in outcomes.indices { TrafficSums.add(other.outcomes[i], to: &outcomes[i]) }
    for i in rules.indices { rules[i].add(other.rules[i]) }
    failures.combine(other.failures, +)
    for i in seen.indices { TrafficSums.add(other.seen[i], to: &seen[i]) }
    TrafficSums.add(other.seenAny, to: &seenAny)
    days.combine(other.days) { $0.adding($1) }
  }

  fileprivate static func add(_ more: [Int], to counts: inout [Int]) {
    for i in counts.indices { counts[i] += more[i] }
  }
}

extension TrafficPlan {
  /// Failures with the numbers of their rules, in the order of the rules. The most frequent failure
  /// of each rule comes first.
  package func errors(_ sums: TrafficSums) -> [(rule: Int, error: RuleError, count: Int)] {
    var counts: [Int: [RuleError: Int]] = [:]
    // Equal errors may have different messages.
    let told = sums.failures.filter { !ruleSet.rules[$0.key.rule].isBroken }
      .map { known, count in
        let ruleSet = fleet?.plan(known.sdk).ruleSet ?? ruleSet
        return (known.rule, ruleSet.ruleError(known.failure, ofRule: known.rule), count)
      }
      .sorted { $0.1.message < $1.1.message }
    for (rule, error, count) in told { counts[rule, default: [:]][error, default: 0] += count }
    return counts.sorted { $0.key < $1.key }.flatMap { rule, errors in
      errors.sorted {
        ($1.value, $0.key.clause, $0.key.message) < ($0.value, $1.key.clause, $1.key.message)
      }
      .map { (rule, $0.key, $0.value) }
    }
  }
}

extension TrafficSums.Rule {
  fileprivate mutating func add(_ other: Self) {
    reached += other.reached
    matched += other.matched
    held += other.held
    taken += other.taken
    failed += other.failed
    usersHeld += other.usersHeld
  }
}

extension TrafficSums.Day {
  func adding(_ other: Self) -> Self {
    var sum = self
    sum.placements += other.placements
    sum.paywalls += other.paywalls
    sum.holdouts += other.holdouts
    sum.purchases += other.purchases
    sum.updates += other.updates
    TrafficSums.add(other.asked, to: &sum.asked)
    TrafficSums.add(other.shown, to: &sum.shown)
    TrafficSums.add(other.held, to: &sum.held)
    return sum
  }
}

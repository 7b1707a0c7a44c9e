internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Counts the results for one user at a time, during the walk over the rules and after it.
struct TrafficCounter: RuleWalk {
  private(set) var sums: TrafficSums
  /// Whether a condition has failed since the property was reset.
  var hasFailed = false
  private let empty: TrafficSums
  private var finder: FailureFinder
  /// The storage for conditions that terminate the app; nil if there are none.
  private var aborting: RuleSet.Storage?
  /// The number of the SDK's plan, for counted failures.
  private var sdk = 0
  /// Whether a condition of the current placement has terminated the app. No later rule is tried.
  private(set) var hasAborted = false
  private let limitOfRule: [Int]
  private let clock: HistoryClock
  /// The number of times that the current user saw each paywall.
  private var seen: [Int]
  /// For each limited rule, whether it was held back from the current user.
  private var wasHeld: [Bool]
  /// Concatenated counts of days. A day has its placements, paywalls, holdouts, purchases and updates. Counts of
  /// placements and paywalls by placement follow, and then the times that each limited rule was held back.
  private var days: [Int] = []
  private var rowOfDay: [Int: Int] = [:]
  /// The last counted day, and the index at which its counts start.
  private var day = Int.min
  private var row = 0
  /// The number of placements that are counted by day, and the indices of their paywalls and of the
  /// limits in a day's counts.
  private let placements: Int
  private let shown: Int
  private let held: Int
  private let stride: Int

  init(_ plan: TrafficPlan) {
    empty = TrafficSums(plan)
    sums = empty
    finder = FailureFinder(plan.ruleSet.program)
    aborting = plan.ruleSet.storage.aborts ? plan.ruleSet.storage : nil
    limitOfRule = plan.limitOfRule
    clock = plan.options.clock
    seen = Array(repeating: 0, count: plan.paywalls.count)
    wasHeld = Array(repeating: false, count: plan.limitedRules.count)
    placements = min(plan.placements.count, TrafficSums.mostByDay)
    shown = 5 + placements
    held = shown + placements
    stride = held + plan.limitedRules.count
  }

  /// Returns the counts since the last call.
  mutating func take() -> TrafficSums {
    for (number, row) in rowOfDay {
      sums.days[number] = TrafficSums.Day(
        placements: days[row], paywalls: days[row + 1], holdouts: days[row + 2],
        purchases: days[row + 3], updates: days[row + 4],
        asked: Array(days[(row + 5)..<(row + shown)]),
        shown: Array(days[(row + shown)..<(row + held)]),
        held: Array(days[(row + held)..<(row + stride)]))
    }
    rowOfDay.removeAll(keepingCapacity: true)
    days.removeAll(keepingCapacity: true)
    day = .min
    defer { sums = empty }
    return sums
  }

  // MARK: Users

  /// Continues with the counts of a user that another SDK decides from now on.
  ///
  /// - Parameter sdk: the number of this SDK's plan.
  mutating func resume(_ other: inout TrafficCounter, sdk: Int) {
    swap(&self, &other)
    swap(&finder, &other.finder)
    swap(&aborting, &other.aborting)
    self.sdk = sdk
  }

  /// Counts a user whose SDK is updated.
  mutating func update(at time: Instant) {
    open(at: time)
    sums.updates += 1
    days[row + 4] += 1
  }

  /// Ends a user.
  mutating func endUser() {
    sums.users += 1
    var all = 0
    for (paywall, count) in seen.enumerated() {
      sums.seen[paywall][min(count, TrafficSums.bins - 1)] += 1
      all += count
      seen[paywall] = 0
    }
    sums.seenAny[min(all, TrafficSums.bins - 1)] += 1
    for place in wasHeld.indices { wasHeld[place] = false }
  }

  mutating func beginSession() { sums.sessions += 1 }
  mutating func purchase() {
    sums.purchases += 1
    days[row + 3] += 1
  }

  /// Begins a placement at a time.
  mutating func begin(at time: Instant) {
    open(at: time)
    days[row] += 1
    hasFailed = false
    hasAborted = false
  }

  /// Ends a placement.
  mutating func end(_ place: Int, _ choice: borrowing TrafficPlan.Choice) {
    sums.outcomes[place][choice.outcome.rawValue] += 1
    let isCounted = place < placements
    if isCounted { days[row + 5 + place] += 1 }
    if choice.outcome == .holdout { days[row + 2] += 1 }
    guard choice.paywall >= 0 else { return }
    days[row + 1] += 1
    if isCounted { days[row + shown + place] += 1 }
    seen[choice.paywall] += 1
  }

  /// Opens the counts of a day.
  private mutating func open(at time: Instant) {
    let seconds = time.seconds
    let offset = clock.zone.offset(atUTC: seconds)
    let number = CivilTime(secondsSince1970: seconds, offset: offset).date.daysSince1970
    if number == day { return }
    day = number
    if let known = rowOfDay[number] {
      row = known
      return
    }
    row = days.count
    rowOfDay[number] = row
    days += repeatElement(0, count: stride)
  }

  // MARK: RuleWalk

  @inline(__always)
  mutating func holds(_ rule: Int, at start: UInt32, _ program: Program, in frame: inout Frame)
    -> Bool
  {
    if hasAborted { return false }
    if let aborting, aborting.endsApp(reading: rule) {
      hasAborted = true
      return false
    }
    let cell = program.condition(at: start, in: &frame)
    if cell.tag == Tag.fault { fail(rule, cell, frame) }
    return cell == .true
  }

  @inline(never)
  private mutating func fail(_ rule: Int, _ cell: Cell, _ frame: borrowing Frame) {
    sums.rules[rule].failed += 1
    hasFailed = true
    guard let failure = finder.failure(cell, in: frame) else { return }
    if let aborting, aborting.endsApp(failure) { hasAborted = true }
    let known = TrafficSums.RuleFailure(rule: rule, failure: failure, sdk: sdk)
    sums.failures[known, default: 0] += 1
  }

  mutating func reached(_ rule: Int) { sums.rules[rule].reached += 1 }
  mutating func passedOver(_ rule: Int) {}
  mutating func matched(_ rule: Int) { sums.rules[rule].matched += 1 }
  mutating func taken(_ rule: Int) { sums.rules[rule].taken += 1 }

  mutating func heldBack(_ rule: Int, count: Int) {
    sums.rules[rule].held += 1
    let place = limitOfRule[rule]
    // Only some platforms have limits.
    if place < 0 { return }
    days[row + held + place] += 1
    guard !wasHeld[place] else { return }
    wasHeld[place] = true
    sums.rules[rule].usersHeld += 1
  }
}

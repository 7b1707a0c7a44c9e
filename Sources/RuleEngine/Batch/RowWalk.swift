internal import Expressions

/// Decides for one user after the other, and remembers the conditions of the current one: a
/// condition that several audiences share is evaluated once per user.
struct RowWalk: RuleWalk {
  private let program: Program
  private let conditions: [Program.Entry]
  private let conditionOf: [Int32]
  private let now: Int64
  private var occurrences: [DecisionState.Occurrences] = []
  /// By condition: 0 when not evaluated yet, 1 when it holds, 2 when not.
  private var known: [UInt8]
  private var reachedRules: [Int] = []
  private var matchedRules: [Int] = []
  private var takenRules: [Int] = []

  init(_ plan: BatchPlan) {
    program = plan.ruleSet.program
    conditions = plan.ruleSet.conditions
    conditionOf = plan.ruleSet.conditionOf
    now = plan.now
    known = Array(repeating: 0, count: plan.ruleSet.conditions.count)
  }

  mutating func beginUser(_ occurrences: [DecisionState.Occurrences]) {
    self.occurrences = occurrences
    known.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
  }

  @inline(__always)
  mutating func holds(_ rule: Int, in frame: inout Frame) -> Bool {
    let number = Int(conditionOf[rule])
    guard number >= 0 else { return true }
    if known[number] == 0 {
      known[number] = program.isTrue(conditions[number], in: &frame) ? 1 : 2
    }
    return known[number] == 1
  }

  mutating func allows(_ limit: OccurrenceLimit, rule: Int) -> Bool {
    var count = 0
    for stored in occurrences where stored.key.utf8.elementsEqual(limit.key.utf8) {
      count += limit.count(stored.times, now: now)
    }
    return limit.allows(storedCount: count)
  }

  mutating func reached(_ rule: Int) { reachedRules.append(rule) }
  mutating func matched(_ rule: Int) { matchedRules.append(rule) }
  mutating func taken(_ rule: Int) { takenRules.append(rule) }

  /// Counts what happened to the user.
  mutating func addCounts(to counts: inout BatchCounts) {
    for rule in reachedRules { counts.reached[rule] &+= 1 }
    for rule in matchedRules { counts.matched[rule] &+= 1 }
    for rule in takenRules { counts.taken[rule] &+= 1 }
    reachedRules.removeAll(keepingCapacity: true)
    matchedRules.removeAll(keepingCapacity: true)
    takenRules.removeAll(keepingCapacity: true)
  }
}

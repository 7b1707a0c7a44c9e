internal import Expressions
internal import RuleEngine

/// Counts the results of the audiences for one user at a time. Conditions of the current user are
/// cached, so a condition that several audiences share is evaluated once per user.
struct RowWalk: RuleWalk, ~Copyable {
  /// The number of each rule's condition, or -1.
  private let conditionOf: [Int32]
  /// For each condition: 0 if it is not evaluated yet, 1 if it is true, 2 if it is not true, 3 if it fails. ``lacking``
  /// is added if the user lacks an attribute that a clause replaces with another value.
  private var known: [UInt8]
  private static let lacking: UInt8 = 4
  /// The failure of each condition that fails.
  private var failures: [Int: Failure] = [:]
  private var finder: FailureFinder
  /// The failing rules of the current placement, in order, until the caller takes them.
  private(set) var failed: [(rule: Int, failure: Failure)] = []
  /// The rules of a placement that the user skips because of an entitlement.
  private(set) var passedOver: [Int] = []
  /// The rules of a placement that are held back by their limits, with the counted occurrences.
  private(set) var heldBack: [(rule: Int, count: Int)] = []
  /// Clauses whose missing attribute decided for the current user: the rule, the clause's index in
  /// the rule, its number, and the result of the rule's condition.
  private(set) var missing: [(rule: Int, place: Int, number: Int, holds: Bool)] = []
  private let standIns: StandInProgram?
  /// The slots of the attributes of these clauses, by condition. Reading them from ``standIns``
  /// would copy it.
  private let slots: [Int32]
  /// For each condition, the index of its first slot in ``slots``. The last element is the total
  /// number of slots.
  private let firstSlots: [Int32]
  private var scratch: Frame?
  /// The rule of a placement whose condition terminates the app. Later rules are not tried.
  private(set) var aborted: Int?
  /// The storage for conditions that terminate the app; nil if there are none.
  private let aborting: RuleSet.Storage?
  private var reachedRules: [Int] = []
  private var matchedRules: [Int] = []
  private var takenRules: [Int] = []

  init(_ plan: BatchPlan) {
    conditionOf = plan.ruleSet.rules.map { $0.condition }
    known = Array(repeating: 0, count: plan.ruleSet.conditions.count)
    finder = FailureFinder(plan.ruleSet.program)
    standIns = plan.standIns
    var (slots, firstSlots): ([Int32], [Int32]) = ([], [])
    for condition in plan.ruleSet.conditions.indices {
      firstSlots.append(Int32(slots.count))
      guard let standIns = plan.standIns else { continue }
      for number in standIns.ofCondition[condition] {
        slots.append(Int32(standIns.clauses[number].slot))
      }
    }
    self.slots = slots
    self.firstSlots = firstSlots + [Int32(slots.count)]
    scratch = plan.standIns.map { Frame(for: $0.program) }
    aborting = plan.ruleSet.storage.aborts ? plan.ruleSet.storage : nil
  }

  mutating func beginUser() {
    // SAFETY: The pointer stays in the closure. Sums in this file are written `x = x &+ 1`, because
    // `&+=` through a pointer is miscompiled under the thread sanitizer. Tests: RuleErrorsTests,
    // BatchDifferentialTests, tsan over batches.
    known.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    if !failures.isEmpty { failures.removeAll(keepingCapacity: true) }
  }

  mutating func beginPlacement() {
    aborted = nil
    if !failed.isEmpty { failed.removeAll(keepingCapacity: true) }
    if !passedOver.isEmpty { passedOver.removeAll(keepingCapacity: true) }
    if !heldBack.isEmpty { heldBack.removeAll(keepingCapacity: true) }
    if !missing.isEmpty { missing.removeAll(keepingCapacity: true) }
  }

  @inline(__always)
  mutating func holds(_ rule: Int, at start: UInt32, _ program: Program, in frame: inout Frame)
    -> Bool
  {
    if aborted != nil { return false }
    if let aborting, aborting.endsApp(reading: rule) {
      aborted = rule
      return false
    }
    let number = Int(conditionOf[rule])
    if known[number] == 0 {
      let cell = program.condition(at: start, in: &frame)
      known[number] = cell == .true ? 1 : 2
      if let failure = finder.failure(cell, in: frame) {
        known[number] = 3
        failures[number] = failure
      }
      if lacksAttribute(of: number, frame) { known[number] |= Self.lacking }
    }
    let outcome = known[number]
    if outcome & 3 == 3, let failure = failures[number] {
      failed.append((rule, failure))
      if let aborting, aborting.endsApp(failure) { aborted = rule }
    }
    if outcome & Self.lacking != 0 { findMissing(rule, number, frame) }
    return outcome & 3 == 1
  }

  @inline(__always)
  private func lacksAttribute(of condition: Int, _ frame: borrowing Frame) -> Bool {
    for place in Int(firstSlots[condition])..<Int(firstSlots[condition &+ 1])
    where !frame.slots[Int(slots[place])].isValue {
      return true
    }
    return false
  }

  @inline(never)
  private mutating func findMissing(_ rule: Int, _ condition: Int, _ frame: borrowing Frame) {
    guard let standIns, var scratch = scratch.take() else { return }
    let holds = known[condition] & 3 == 1
    for number in standIns.decisive(condition, holds: holds, in: frame, &scratch) {
      missing.append((rule, number - standIns.ofCondition[condition].lowerBound, number, holds))
    }
    self.scratch = consume scratch
  }

  /// Counts the rules of the placement that the user skipped, and those that were held back.
  func addObstacles(to counts: inout BatchCounts, row: Int) {
    for rule in passedOver {
      counts.owned[rule] = counts.owned[rule] &+ 1
      counts.note(counts.numbers.owned(rule), row: row)
    }
    for (rule, place, _, holds) in missing {
      let number = counts.numbers.missing(rule, place, holds: holds)
      counts.reached[number] = counts.reached[number] &+ 1
      counts.note(number, row: row)
    }
    for (rule, _) in heldBack {
      counts.heldBack[rule] = counts.heldBack[rule] &+ 1
      counts.note(counts.numbers.heldBack(rule), row: row)
    }
  }

  mutating func reached(_ rule: Int) { if aborted == nil { reachedRules.append(rule) } }
  mutating func matched(_ rule: Int) { if aborted == nil { matchedRules.append(rule) } }
  mutating func taken(_ rule: Int) { takenRules.append(rule) }
  mutating func passedOver(_ rule: Int) { if aborted == nil { passedOver.append(rule) } }
  mutating func heldBack(_ rule: Int, count: Int) {
    if aborted == nil { heldBack.append((rule, count)) }
  }

  /// Counts the results for the user.
  ///
  /// Written out, because the compiler miscompiles `&+=` here under the thread sanitizer.
  ///
  /// - Parameter row: the user's row in the block.
  mutating func addCounts(to counts: inout BatchCounts, row: Int) {
    if counts.wantsExamples {
      for rule in reachedRules { counts.note(counts.numbers.reached(rule), row: row) }
      for rule in matchedRules { counts.note(counts.numbers.matched(rule), row: row) }
      for rule in takenRules { counts.note(counts.numbers.taken(rule), row: row) }
    }
    for rule in reachedRules { counts.reached[rule] = counts.reached[rule] &+ 1 }
    for rule in matchedRules { counts.matched[rule] = counts.matched[rule] &+ 1 }
    for rule in takenRules { counts.taken[rule] = counts.taken[rule] &+ 1 }
    reachedRules.removeAll(keepingCapacity: true)
    matchedRules.removeAll(keepingCapacity: true)
    takenRules.removeAll(keepingCapacity: true)
  }
}

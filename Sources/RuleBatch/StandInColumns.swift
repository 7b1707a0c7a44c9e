internal import Expressions
internal import RuleEngine

/// Finds the rows of a block for which a missing attribute decided the result of a rule's
/// condition.
///
/// Rows with all attributes only cost a look at the tags of their columns. For the other rows, the
/// condition is evaluated once more with the opposite result of the clause.
struct StandInColumns: ~Copyable {
  // SAFETY: `missing` has a mask for each attribute that a clause reads. `deinit` frees it.
  // Tests: StandInTests, BatchDifferentialTests, asan.

  private let standIns: StandInProgram
  private let conditionOf: [Int32]
  /// For each clause, the index of its attribute in the masks.
  private let placeOf: [Int]
  private let slots: [Int]
  private let missing: RowMask
  /// For each attribute, whether rows lack it; computed on demand.
  private var isMissing: [Bool?]
  private let wanted = RowMasks.allocate()
  /// The evaluator for conditions, created for the first row that needs it.
  private var conditions: ConditionColumns?
  private var hasBegun = false

  init?(_ plan: BatchPlan) {
    guard let standIns = plan.standIns else { return nil }
    self.standIns = standIns
    conditionOf = plan.ruleSet.rules.map { $0.condition }
    var slots: [Int] = []
    placeOf = standIns.clauses.map { clause in
      if let known = slots.firstIndex(of: clause.slot) { return known }
      slots.append(clause.slot)
      return slots.count - 1
    }
    self.slots = slots
    missing = RowMasks.allocate(slots.count)
    isMissing = Array(repeating: nil, count: slots.count)
  }

  deinit {
    missing.deallocate()
    wanted.deallocate()
  }

  /// Clears the results, because the columns were filled with other rows.
  mutating func begin() {
    for place in isMissing.indices { isMissing[place] = nil }
    hasBegun = false
  }

  /// Calls the body with each clause of a rule that has decided for some rows.
  ///
  /// - Parameters:
  ///   - asked: the rows that reach the rule.
  ///   - held: the rows that match the rule's condition.
  ///   - body: receives the clause's index in the rule, its number, the result of the condition,
  ///     and the rows.
  @inline(__always)
  mutating func forEachClause(
    of rule: Int, _ asked: RowMask, _ held: RowMask, _ columns: borrowing ColumnFrame,
    _ body: (_ place: Int, _ number: Int, _ holds: Bool, _ rows: RowMask) -> Void
  ) {
    let condition = Int(conditionOf[rule])
    guard condition >= 0 else { return }
    let clauses = standIns.ofCondition[condition]
    for number in clauses {
      let attribute = placeOf[number]
      if isMissing[attribute] ?? find(attribute, columns) {
        decide(number - clauses.lowerBound, number, asked, held, columns, body)
      }
    }
  }

  private mutating func find(_ attribute: Int, _ columns: borrowing ColumnFrame) -> Bool {
    let rows = missing + attribute &* BlockShape.words
    let any = ConditionColumns.findRows(without: slots[attribute], in: columns, to: rows)
    isMissing[attribute] = any
    return any
  }

  @inline(never)
  private mutating func decide(
    _ place: Int, _ number: Int, _ asked: RowMask, _ held: RowMask,
    _ columns: borrowing ColumnFrame,
    _ body: (_ place: Int, _ number: Int, _ holds: Bool, _ rows: RowMask) -> Void
  ) {
    let rows = missing + placeOf[number] &* BlockShape.words
    let wanted = wanted
    var any: UInt64 = 0
    for word in 0..<BlockShape.words {
      wanted[word] = asked[word] & rows[word]
      any |= wanted[word]
    }
    if any == 0 { return }
    var evaluator =
      conditions.take()
      ?? ConditionColumns(
        standIns.program, conditions: standIns.program.entries)
    if !hasBegun { evaluator.begin(columns) }
    hasBegun = true
    let opposite = evaluator.holds(number, for: wanted, in: columns)
    for holds in [true, false] {
      var any: UInt64 = 0
      for word in 0..<BlockShape.words {
        let rows = asked[word] & rows[word]
        wanted[word] =
          holds ? rows & held[word] & ~opposite[word] : rows & ~held[word] & opposite[word]
        any |= wanted[word]
      }
      if any != 0 { body(place, number, holds, wanted) }
    }
    conditions = consume evaluator
  }
}

internal import CShims
internal import Expressions
internal import RuleEngine

/// Decides the placements of a plan for the rows of a block. The loop is that of
/// ``RuleSet/firstMatch``, with sets of users instead of one user.
struct ColumnDecider: ~Copyable {
  // SAFETY: `list` and `scratch` hold 512 rows, as many as a block has. `deinit` frees them.
  // Tests: BatchDifferentialTests, asan.

  /// The number of each rule's condition, or -1.
  private let conditionOf: [Int32]
  /// Whether callers read the choices of rows.
  private let keepsChoices: Bool
  /// The storage for conditions that terminate the app; nil if there are none.
  private let aborting: RuleSet.Storage?
  private var conditions: ConditionColumns
  private var subjectColumns = SubjectColumns()
  private var standIns: StandInColumns?
  /// The draws of each placement for subjects of ``drawnLength`` bytes. Created on first use.
  private var placementDraws: [PlacementDraws?]
  private var drawnLength = -1
  private let undecided = RowMasks.allocate()
  private let taken = RowMasks.allocate()
  /// The rows of ``taken``, as a list.
  private let list = UnsafeMutablePointer<Int32>.allocate(capacity: BlockShape.rows)
  private let scratch = UnsafeMutablePointer<UInt64>.allocate(capacity: BlockShape.rows)

  init(_ plan: BatchPlan) {
    conditionOf = plan.ruleSet.rules.map { $0.condition }
    keepsChoices = plan.keepsChoices
    aborting = plan.ruleSet.storage.aborts ? plan.ruleSet.storage : nil
    placementDraws = Array(repeating: nil, count: plan.table.ruleRanges.count)
    conditions = ConditionColumns(plan.ruleSet.program, conditions: plan.ruleSet.conditions)
    standIns = StandInColumns(plan)
  }

  deinit {
    undecided.deallocate()
    taken.deallocate()
    list.deallocate()
    scratch.deallocate()
  }

  mutating func decide(
    _ block: inout BatchBlock, _ table: BatchTable, _ counts: inout BatchCounts,
    _ chooser: borrowing VariantChooser, _ errors: inout BatchErrors,
    _ reasons: inout BatchReasons
  ) {
    if RowMasks.isEmpty(block.inColumns) { return }
    conditions.begin(block.columns)
    subjectColumns.begin()
    standIns?.begin()
    let drawsTogether = prepareDraws(block, chooser)
    for placement in 0..<table.ruleRanges.count {
      let draws = drawsTogether ? draws(of: placement, table, chooser) : nil
      undecided.update(from: block.inColumns, count: BlockShape.words)
      var left = RowMasks.count(undecided)
      for rule in table.ruleRanges[placement] ?? 0..<0 {
        if left == 0 { break }
        counts.reached[rule] = counts.reached[rule] &+ left
        counts.note(counts.numbers.reached(rule), rows: undecided)
        if let aborting, aborting.endsApp(reading: rule) {
          for word in 0..<BlockShape.words where undecided[word] != 0 {
            left &-= abort(
              undecided[word], word, table.rules[rule].aborted, placement, block, counts)
          }
          continue
        }
        let matched = match(rule, block)
        if mayHaveFailed(rule) {
          left &-= noteErrors(rule, placement, block, table, counts, &errors)
        }
        counts.matched[rule] = counts.matched[rule] &+ matched
        noteMissing(rule, placement, block, &counts, &reasons)
        guard matched > 0 else { continue }
        counts.note(counts.numbers.matched(rule), rows: taken)
        guard table.rules[rule].allowsFirst else {
          counts.heldBack[rule] = counts.heldBack[rule] &+ matched
          counts.note(counts.numbers.heldBack(rule), rows: taken)
          if reasons.isNoting { noteHeldBack(rule, placement, &reasons) }
          continue
        }
        counts.taken[rule] = counts.taken[rule] &+ matched
        counts.note(counts.numbers.taken(rule), rows: taken)
        left &-= matched
        let waits = table.rules[rule].variants.count > 1 && draws?.add(rule, taken) ?? false
        if !waits { choose(rule, matched, placement, block, table, counts, chooser) }
        for word in 0..<BlockShape.words { undecided[word] &= ~taken[word] }
      }
      if left > 0 {
        let choice = table.unmatched[placement]
        counts.count(choice, times: left)
        if keepsChoices { set(choice, undecided, placement, block) }
      }
      draws?.draw(
        block, &subjectColumns, counts: counts.choices,
        choices: keepsChoices ? block.choices + placement &* BlockShape.rows : nil)
    }
  }

  /// Whether the draws for the subjects of a block can use vectors.
  private mutating func prepareDraws(
    _ block: borrowing BatchBlock, _ chooser: borrowing VariantChooser
  ) -> Bool {
    guard isWide(), chooser.hashes, let length = block.commonLength else { return false }
    if drawnLength != length {
      for placement in placementDraws.indices { placementDraws[placement] = nil }
      drawnLength = length
    }
    return true
  }

  private mutating func draws(
    of placement: Int, _ table: BatchTable, _ chooser: borrowing VariantChooser
  ) -> PlacementDraws? {
    if let known = placementDraws[placement] { return known }
    guard let rules = table.ruleRanges[placement] else { return nil }
    let made = PlacementDraws(rules, subjectsOf: drawnLength, chooser)
    placementDraws[placement] = made
    return made
  }

  /// Finds the undecided rows that match a rule's condition.
  private mutating func match(_ rule: Int, _ block: borrowing BatchBlock) -> Int {
    let condition = Int(conditionOf[rule])
    if condition < 0 {
      return countBoth(undecided, undecided, to: taken)
    }
    return countBoth(
      undecided, conditions.holds(condition, for: undecided, in: block.columns), to: taken)
  }

  /// Whether a rule's condition may have failed for an undecided row.
  @inline(__always)
  private func mayHaveFailed(_ rule: Int) -> Bool {
    let condition = Int(conditionOf[rule])
    guard condition >= 0 else { return false }
    let failing = conditions.mayHaveFailed(condition)
    var any: UInt64 = 0
    for word in 0..<BlockShape.words { any |= undecided[word] & failing[word] }
    return any != 0
  }

  /// Records the undecided rows for which a rule failed.
  ///
  /// - Returns: the number of rows for which the failure terminates the app. Such rows are now decided.
  @inline(never)
  private mutating func noteErrors(
    _ rule: Int, _ placement: Int, _ block: borrowing BatchBlock, _ table: BatchTable,
    _ counts: borrowing BatchCounts, _ errors: inout BatchErrors
  ) -> Int {
    var ended = 0
    let condition = Int(conditionOf[rule])
    let failing = conditions.mayHaveFailed(condition)
    for word in 0..<BlockShape.words {
      var rows = undecided[word] & failing[word]
      while rows != 0 {
        let (failure, alike) = conditions.failure(
          of: condition, word: word, rows: rows, in: block.columns)
        rows &= ~alike
        if let failure {
          errors.add(rule, failure, placement: placement, word: word, rows: alike)
          if let aborting, aborting.endsApp(failure) {
            ended += abort(alike, word, table.rules[rule].aborted, placement, block, counts)
          }
        }
      }
    }
    return ended
  }

  /// Decides rows for which a rule terminates the app.
  private func abort(
    _ rows: UInt64, _ word: Int, _ choice: Int32, _ placement: Int,
    _ block: borrowing BatchBlock, _ counts: borrowing BatchCounts
  ) -> Int {
    undecided[word] &= ~rows
    counts.count(choice, times: rows.nonzeroBitCount)
    var left = rows
    while left != 0 {
      block.setChoice(choice, placement: placement, row: word &* 64 &+ left.trailingZeroBitCount)
      left &= left &- 1
    }
    return rows.nonzeroBitCount
  }

  /// Counts the undecided rows for which a missing attribute decided the result of a rule's
  /// condition.
  @inline(__always)
  private mutating func noteMissing(
    _ rule: Int, _ placement: Int, _ block: borrowing BatchBlock, _ counts: inout BatchCounts,
    _ reasons: inout BatchReasons
  ) {
    standIns?.forEachClause(of: rule, undecided, taken, block.columns) {
      place, number, holds, rows in
      counts.addMissing(rule, place, holds: holds, rows: rows)
      if reasons.isNoting {
        RowMasks.forEach(rows) {
          reasons.addMissing(rule, number, holds: holds, placement: placement, row: $0)
        }
      }
    }
  }

  /// Records that a rule takes none of the rows that match its condition, because its limit allows
  /// no occurrence.
  @inline(never)
  private func noteHeldBack(_ rule: Int, _ placement: Int, _ reasons: inout BatchReasons) {
    for word in 0..<BlockShape.words {
      var rows = taken[word]
      while rows != 0 {
        let row = word &* 64 &+ rows.trailingZeroBitCount
        reasons.addHeldBack(rule, count: 0, placement: placement, row: row)
        rows &= rows &- 1
      }
    }
  }

  /// Assigns variants to the rows that a rule takes.
  private mutating func choose(
    _ number: Int, _ count: Int, _ placement: Int, _ block: borrowing BatchBlock,
    _ table: BatchTable, _ counts: borrowing BatchCounts, _ chooser: borrowing VariantChooser
  ) {
    let rule = table.rules[number]
    guard rule.variants.count > 1 else {
      let choice = rule.variants.isEmpty ? rule.withoutVariants : rule.variants.lowerBound
      counts.count(choice, times: count)
      if keepsChoices { set(choice, taken, placement, block) }
      return
    }
    let choices = block.choices + placement &* BlockShape.rows
    let (subjects, words, counted) = (block.subjects, block.subjectWords, counts.choices)
    let found = listTaken()
    let prepared = chooser[number]
    if chooser.hashes, let length = block.commonLength,
      let draws = prepared.draws(subjectsOf: length)
    {
      let columns = subjectColumns.columns(draws.prefixLength, draws.layout, block)
      draws.draw(
        list, found, columns, scratch, counts: counted, choices: keepsChoices ? choices : nil)
      return
    }
    for i in 0..<found {
      let row = Int(list[i])
      var choice: Int32?
      let length = subjects[row].count
      if chooser.hashes, length <= SubjectWords.longest {
        choice = prepared.choice(words + row &* SubjectWords.count, length: length)
      }
      let chosen = choice ?? chooser.next(number, rule, subject: subjects[row], table)
      counted[Int(chosen)] &+= 1
      choices[row] = chosen
    }
  }

  /// Lists the rows of ``taken``.
  @inline(__always)
  private func listTaken() -> Int {
    var found = 0
    RowMasks.forEach(taken) {
      list[found] = Int32(truncatingIfNeeded: $0)
      found &+= 1
    }
    return found
  }

  private func set(
    _ choice: Int32, _ rows: RowMask, _ placement: Int, _ block: borrowing BatchBlock
  ) {
    let choices = block.choices + placement &* BlockShape.rows
    RowMasks.forEach(rows) { choices[$0] = choice }
  }
}

package import Expressions

/// The callbacks of a walk over a placement's rules. This is a protocol so that each walk is specialized, at no cost
/// for unused callbacks.
package protocol RuleWalk: ~Copyable {
  /// Whether the rule's condition, which begins at an instruction of the program, is true.
  mutating func holds(_ rule: Int, at start: UInt32, _ program: Program, in frame: inout Frame)
    -> Bool
  mutating func reached(_ rule: Int)
  /// Called if the subject owns the entitlement whose owners skip the rule's audience.
  mutating func passedOver(_ rule: Int)
  mutating func matched(_ rule: Int)
  /// Called if the rule has reached its limit.
  mutating func heldBack(_ rule: Int, count: Int)
}

extension RuleTable {
  /// Tries rules in order. Every decision is made by this loop, and all other code only reports decisions. A condition
  /// that fails, or whose value is not true, does not match.
  ///
  /// - Returns: the number of the rule that decides, or nil.
  @inline(__always)
  package func firstMatch<Walk: RuleWalk & ~Copyable>(
    of rules: Range<Int>, _ program: Program, in frame: inout Frame,
    _ state: borrowing DecisionState, _ walk: inout Walk
  ) -> Int? {
    // SAFETY: The rules are numbers of this table's rows, and the view stays in the closure.
    // Tests: DecideTests, OneRunTests.
    rows.withUnsafeBufferPointer { rows in
      for number in rules {
        let row = rows[number]
        walk.reached(number)
        if row.entitlement >= 0, state.owns(entitlements[Int(row.entitlement)]) {
          walk.passedOver(number)
          continue
        }
        guard
          row.start == RuleTable.everybody
            || walk.holds(number, at: row.start, program, in: &frame)
        else { continue }
        walk.matched(number)
        if row.limit >= 0 {
          let limit = limits[Int(row.limit)]
          let count = state.count(for: limit)
          if !limit.allows(storedCount: count) {
            walk.heldBack(number, count: count)
            continue
          }
        }
        return number
      }
      return nil
    }
  }
}

extension RuleTable {
  /// The rule that decides, for callers that need no reports. Finds the same rule as ``firstMatch(of:_:in:_:_:)``, but
  /// evaluates the conditions of a placement in one run of the program. Owners and limits are checked after the
  /// condition, which gives the same result.
  @inline(__always)
  package func firstMatch(
    of rules: Range<Int>, _ program: Program, in frame: inout Frame,
    _ state: borrowing DecisionState
  ) -> Int? {
    rows.withUnsafeBufferPointer { rows in
      var number = rules.lowerBound
      while number < rules.upperBound {
        let found = program.firstTrue(from: rows[number].choiceStart, in: &frame)
        guard let found else { return nil }
        number = rules.lowerBound + found
        if allows(rows[number], state) { return number }
        number += 1
      }
      return nil
    }
  }

  @inline(__always)
  private func allows(_ row: Row, _ state: borrowing DecisionState) -> Bool {
    if row.entitlement >= 0, state.owns(entitlements[Int(row.entitlement)]) { return false }
    guard row.limit >= 0 else { return true }
    let limit = limits[Int(row.limit)]
    return limit.allows(storedCount: state.count(for: limit))
  }
}

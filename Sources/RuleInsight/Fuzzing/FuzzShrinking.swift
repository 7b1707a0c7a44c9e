internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Reduces a user that violates an invariant to the smallest and simplest record that still violates it.
struct FuzzShrinking: ~Copyable {
  private let plan: FuzzPlan
  private let judge: FuzzJudge
  private let history: FuzzHistory
  private let own: OwnChecks
  private var tries = 0

  private static let mostTries = 1_500
  private static let mostValues = 60

  init(_ plan: FuzzPlan) {
    self.plan = plan
    judge = FuzzJudge(plan.ruleSet, plan.invariants, plan.options)
    history = FuzzHistory(plan.traffic, days: plan.options.days)
    own = OwnChecks(plan.own)
  }

  /// The invariant that a reduced record must still violate.
  private enum Aim {
    case decision(invariant: Int, placement: Int)
    case history(invariant: Int, [FuzzHistory.Step])
    case own(OwnInvariant)
    case limits([FuzzHistory.Step])
  }

  /// The record, or a variant with another draw, if it still violates the invariant.
  private mutating func broken(_ record: Value, _ aim: Aim) -> Value? {
    switch aim {
    case .decision(let invariant, let placement):
      return judge.broken(invariant, record, placement)
    case .history(let invariant, let steps):
      guard let came = history.result(record, steps) else { return nil }
      let verdict = judge.verdict(invariant, record, shown: .list(came.shown))
      return verdict.isViolated ? record : nil
    case .own(let invariant):
      let failures = own.failures(record, explains: invariant == .explaining)
      return failures.contains { $0.invariant == invariant } ? record : nil
    case .limits(let steps):
      return history.result(record, steps)?.crossed == nil ? nil : record
    }
  }

  // MARK: Cases

  mutating func shrunk(_ found: FuzzCase) -> FuzzCase {
    var smallest = found
    tries = 0
    if let placement = found.placement {
      let aim = Aim.decision(invariant: found.invariant, placement: placement)
      smallest.record = shrunk(found.record, found.isUsual, aim)
    } else {
      smallest.steps = fewer(found.steps, found.invariant, found.record)
      let aim = Aim.history(invariant: found.invariant, smallest.steps)
      smallest.record = shrunk(found.record, found.isUsual, aim)
      smallest.steps = fewer(smallest.steps, found.invariant, smallest.record)
    }
    smallest.isUsual = plan.kinds.isUsual(smallest.record)
    return smallest
  }

  /// The outcomes for a user.
  mutating func shown(_ found: FuzzCase) -> [Value] {
    history.result(found.record, found.steps)?.shown ?? []
  }

  mutating func shrunk(_ record: Value, _ steps: [FuzzHistory.Step], _ invariant: OwnInvariant)
    -> Value
  {
    tries = 0
    return shrunk(record, false, steps.isEmpty ? .own(invariant) : .limits(steps))
  }

  /// Removes as many steps as possible: tries without each half, then without each single step.
  private mutating func fewer(_ steps: [FuzzHistory.Step], _ invariant: Int, _ record: Value)
    -> [FuzzHistory.Step]
  {
    var steps = steps
    var size = max(steps.count / 2, 1)
    while true {
      var at = 0
      while at < steps.count, tries < Self.mostTries {
        tries += 1
        var others = steps
        others.removeSubrange(at..<min(at + size, steps.count))
        if broken(record, .history(invariant: invariant, others)) != nil {
          steps = others
        } else {
          at += size
        }
      }
      if size == 1 { return steps }
      size /= 2
    }
  }

  // MARK: Records

  private mutating func shrunk(_ record: Value, _ isUsual: Bool, _ aim: Aim) -> Value {
    var record = record
    while true {
      let before = record
      removeParts(&record, isUsual, aim)
      simplifyValues(&record, isUsual, aim)
      if record == before || tries >= Self.mostTries { return record }
    }
  }

  private mutating func accept(
    _ candidate: Value, _ isUsual: Bool, _ aim: Aim, _ isBetter: (Value) -> Bool
  ) -> Value? {
    guard tries < Self.mostTries else { return nil }
    let made = plan.space.records.consistent(candidate)
    guard isBetter(made), !isUsual || plan.kinds.isUsual(made) else { return nil }
    tries += 1
    guard let found = broken(made, aim), isBetter(found), !isUsual || plan.kinds.isUsual(found)
    else { return nil }
    return found
  }

  private mutating func accept(_ candidate: Value, than record: Value, _ isUsual: Bool, _ aim: Aim)
    -> Value?
  {
    accept(candidate, isUsual, aim) { Self.isPlainer($0, than: record) }
  }

  private static func isPlainer(_ record: Value, than other: Value) -> Bool {
    let counts = (FuzzRecord.attributes(of: record), FuzzRecord.attributes(of: other))
    if counts.0 != counts.1 { return counts.0 < counts.1 }
    return FuzzRecord.cost(of: record) < FuzzRecord.cost(of: other)
  }

  private mutating func removeParts(
    _ record: inout Value, _ isUsual: Bool, _ aim: Aim
  ) {
    var again = true
    while again {
      again = false
      for candidate in FuzzRecord.reductions(of: record) {
        guard let smaller = accept(candidate, than: record, isUsual, aim) else { continue }
        record = smaller
        again = true
        break
      }
    }
    // Some parts can only be removed in pairs.
    for first in FuzzRecord.reductions(of: record) where tries < Self.mostTries / 2 {
      for candidate in FuzzRecord.reductions(of: first) {
        guard let smaller = accept(candidate, than: record, isUsual, aim) else { continue }
        record = smaller
        return removeParts(&record, isUsual, aim)
      }
    }
  }

  private mutating func simplifyValues(
    _ record: inout Value, _ isUsual: Bool, _ aim: Aim
  ) {
    for part in plan.space.parts {
      guard let own = record.value(at: part.path) else { continue }
      let plain: [Value] = [true, false, 0, 1, "a"] + part.values.compactMap { $0 }
      func rank(_ value: Value) -> Int {
        // The most readable values are those that conditions compare the attribute with.
        FuzzRecord.cost(value) + (plan.kinds.isMentioned(part.path, value) ? 0 : 100)
      }
      let ownRank = rank(own)
      let candidates = plain.enumerated().map { (rank($0.element), $0.offset, $0.element) }
        .filter { $0.0 < ownRank }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      for candidate in candidates.prefix(Self.mostValues) {
        let changed = record.setting(part.path[...], to: candidate.2)
        let most = FuzzRecord.attributes(of: record)
        if let found = accept(changed, isUsual, aim, { FuzzRecord.attributes(of: $0) <= most }) {
          record = found
          break
        }
      }
    }
    for name in [WitnessRecord.userID, "u-0", "u-1", "u-2"] {
      let changed = record.setting([UserMember.userID.key], to: .string(name))
      if let found = accept(changed, than: record, isUsual, aim) {
        record = found
        break
      }
    }
  }
}

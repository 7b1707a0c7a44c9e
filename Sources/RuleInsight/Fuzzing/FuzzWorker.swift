internal import Expressions
internal import RuleEngine

/// The results of a block of users.
package struct FuzzBlock: Sendable {
  package var counts: FuzzCounts
  var cases: [FuzzCase] = []
  var failures: [(record: Value, steps: [FuzzHistory.Step], failure: OwnChecks.Failure)] = []
}

/// Generates users, block by block, and looks for users that violate invariants. Each thread has
/// its own worker. The result of a block does not depend on the worker.
package struct FuzzWorker: ~Copyable {
  package static let usersInBlock = 64
  private static let historiesInBlock = 8
  /// The number of users per block that are checked against our own invariants.
  private static let ownInBlock = 16
  /// The smallest change is checked for one user in every eighth block.
  private static let explainingBlocks = 8
  /// The maximum number of stored users per block for each violated invariant.
  private static let mostCases = 3

  private let plan: FuzzPlan
  private let judge: FuzzJudge
  private let history: FuzzHistory
  private let own: OwnChecks

  package init(_ plan: FuzzPlan) {
    self.plan = plan
    judge = FuzzJudge(plan.ruleSet, plan.invariants, plan.options)
    history = FuzzHistory(plan.traffic, days: plan.options.days)
    own = OwnChecks(plan.own)
  }

  /// - Parameter limit: the total number of users to generate.
  package mutating func run(block: Int, upTo limit: Int = .max) -> FuzzBlock {
    let count = plan.invariants.count
    var result = FuzzBlock(counts: FuzzCounts(invariants: count))
    var kept = Array(repeating: 0, count: count)
    let first = block * Self.usersInBlock
    for number in first..<min(first + Self.usersInBlock, max(limit, first)) {
      let record = plan.space.user(number)
      result.counts.users += 1
      judge.check(record, at: plan.claims, &result.counts) { invariant, broken, placement in
        let isUsual = plan.kinds.isUsual(broken)
        guard kept[invariant] < Self.mostCases || isUsual && kept[invariant] < 2 * Self.mostCases
        else { return }
        kept[invariant] += 1
        result.cases.append(
          FuzzCase(invariant: invariant, record: broken, placement: placement, isUsual: isUsual))
      }
      guard number - first < Self.ownInBlock else { continue }
      let explains = block % Self.explainingBlocks == 0 && number == first
      for failure in own.failures(record, explains: explains) {
        result.failures.append((record, [], failure))
      }
    }
    if !plan.histories.isEmpty || !plan.traffic.limitedRules.isEmpty {
      for number in 0..<Self.historiesInBlock where first + number < limit {
        runHistory(first + number, &result)
      }
    }
    return result
  }

  private mutating func runHistory(_ number: Int, _ result: inout FuzzBlock) {
    var random = TrafficRandom(seed: plan.options.seed, "histories", String(number))
    // Most users match audiences; some do not.
    let bases = plan.space.bases.count
    let isBase = random.number(below: 4) > 0
    let user = random.number(below: isBase ? bases : bases + 4 * (number + 16))
    let record = Self.fresh(plan.space.user(user))
    let steps = history.steps(&random)
    guard let came = history.result(record, steps) else { return }
    result.counts.histories += 1
    let crossed = came.crossed ?? ""
    let seen = plan.options.alters?(.limits, crossed) ?? crossed
    if !seen.isEmpty {
      result.failures.append(
        (
          record, steps,
          OwnChecks.Failure(invariant: .limits, placement: nil, expected: "within", got: seen)
        ))
    }
    for invariant in plan.histories {
      let verdict = judge.verdict(invariant, record, shown: .list(came.shown))
      result.counts.add(verdict, invariant)
      guard verdict.isViolated else { continue }
      result.cases.append(
        FuzzCase(
          invariant: invariant, record: record, placement: nil, steps: steps,
          isUsual: plan.kinds.isUsual(record)))
    }
  }

  /// The user without any history.
  private static func fresh(_ record: Value) -> Value {
    [UserMember.occurrences, .sessionStart, .events].reduce(record) { record, member in
      record.setting([member.key], to: nil)
    }
  }
}

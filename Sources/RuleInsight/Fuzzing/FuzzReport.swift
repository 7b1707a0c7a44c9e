internal import CivilTime
package import Expressions
internal import RuleEngine

/// The results so far of a search for users that violate invariants. Blocks are added in order, so
/// that the result does not depend on the number of threads.
package final class FuzzReport {
  /// A user that violates an invariant.
  package struct Broken {
    /// The user and the placement, as a failing test; nil for a history.
    package var test: RuleTestCase?
    /// The failing test as a line of a test file.
    package var line: Value?
    package var record: Value
    /// The requests as traffic, and their outcomes.
    package var traffic: [Value] = []
    package var shown: [Value] = []
    /// The error of `holds`, if evaluating it failed.
    package var error: String?
    /// Attributes with types that conditions are not written for.
    package var unusual: [String] = []
    /// For our own invariants, the expected and the actual result.
    package var expected: String?
    package var got: String?
  }

  package enum Verdict {
    case broken(Broken)
    /// Only users with attributes of unusual types violate the invariant.
    case brokenByOddUsers(Broken)
    case proved
    /// The invariant is proved for attributes with the types that conditions are written for.
    case provedForUsual
    case held
    /// The invariant never applied to a user.
    case neverMeant
  }

  package let plan: FuzzPlan
  package private(set) var counts: FuzzCounts
  private var shrinking: FuzzShrinking
  private var tester: RuleTester
  private var broken: [Int: Broken] = [:]
  private var odd: [Int: Broken] = [:]
  private var failed: [OwnInvariant: Broken] = [:]
  private var names: Set<String> = []

  /// The number of users to shrink for each invariant. Only the smallest is reported.
  private static let mostShrunk = 3

  package init(_ plan: FuzzPlan) {
    self.plan = plan
    counts = FuzzCounts(invariants: plan.invariants.count)
    shrinking = FuzzShrinking(plan)
    tester = RuleTester(plan.ruleSet, assigner: plan.options.assigner, clock: plan.options.clock)
    take(plan.found)
  }

  /// Whether every declared invariant is proved or violated.
  package var isSettled: Bool {
    plan.invariants.indices.allSatisfy {
      broken[$0] != nil || plan.answers[$0] != .unknown && counts.applied[$0] > 0
    }
  }

  package var hasBroken: Bool { !broken.isEmpty || !failed.isEmpty }
  package var hasOdd: Bool { odd.keys.contains { broken[$0] == nil } }

  package func add(_ block: FuzzBlock) {
    counts += block.counts
    take(block.cases)
    for (record, steps, failure) in block.failures where failed[failure.invariant] == nil {
      let smaller = shrinking.shrunk(record, steps, failure.invariant)
      var made = Broken(record: smaller)
      (made.expected, made.got) = (failure.expected, failure.got)
      failed[failure.invariant] = made
    }
  }

  private func take(_ cases: [FuzzCase]) {
    var chosen: [Int: [FuzzCase]] = [:]
    for found in cases where broken[found.invariant] == nil {
      if !found.isUsual, odd[found.invariant] != nil { continue }
      chosen[found.invariant, default: []].append(found)
    }
    for (invariant, all) in chosen.sorted(by: { $0.key < $1.key }) {
      let usual = all.filter { $0.isUsual }
      let smallest = (usual.isEmpty ? all : usual).prefix(Self.mostShrunk)
        .map { shrinking.shrunk($0) }
        .min {
          (FuzzRecord.attributes(of: $0.record), $0.steps.count, FuzzRecord.cost(of: $0.record))
            < (FuzzRecord.attributes(of: $1.record), $1.steps.count, FuzzRecord.cost(of: $1.record))
        }
      guard let smallest else { continue }
      let made = made(smallest)
      if smallest.isUsual { broken[invariant] = made } else { odd[invariant] = made }
    }
  }

  private func made(_ found: FuzzCase) -> Broken {
    var made = Broken(record: found.record)
    made.unusual = plan.kinds.unusual(in: found.record).map { $0.joined(separator: ".") }
    let judge = FuzzJudge(plan.ruleSet, plan.invariants, plan.options)
    guard let placement = found.placement else {
      made.shown = shrinking.shown(found)
      made.traffic = FuzzHistory.lines(
        found.steps, of: found.record[UserMember.userID.key]?.text ?? "", plan.traffic)
      let verdict = judge.verdict(found.invariant, found.record, shown: .list(made.shown))
      if case .violated(let error) = verdict { made.error = error }
      return made
    }
    made.error = judge.error(found.invariant, found.record, placement)
    let name = plan.ruleSet.placements[placement].name
    var members: [Value.Entry] = [
      .init(key: "name", value: .string(plan.invariants[found.invariant].name)),
      .init(key: "placement", value: .string(name)),
      .init(key: "now", value: plan.options.clock.now.text.map { .string($0) } ?? .null),
    ]
    let seed = plan.options.assigner.seed
    if !seed.isEmpty { members.append(.init(key: "seed", value: .string(seed))) }
    if case .map(let record) = found.record { members += record }
    if let expected = judge.allowed(found.invariant, found.record, placement) {
      members.append(.init(key: "expect", value: expected))
    } else {
      // No outcome of the placement satisfies the invariant, so readers of the test must insert the
      // right one.
      members.append(.init(key: "expect", value: .object(["result": "noAudienceMatch"])))
    }
    made.line = .map(members)
    made.test = try? RuleTestCase(.map(members), timeZone: "UTC")
    return made
  }

  // MARK: Report

  package func verdict(_ number: Int) -> Verdict {
    if let found = broken[number] { return .broken(found) }
    if plan.answers[number] == .proof { return .proved }
    if let found = odd[number] { return .brokenByOddUsers(found) }
    if plan.answers[number] == .usualProof { return .provedForUsual }
    return counts.applied[number] == 0 ? .neverMeant : .held
  }

  /// The number of times that an invariant applied, and the number of times that its `when` failed.
  package func applied(_ number: Int) -> (count: Int, whenErrors: Int) {
    (counts.applied[number], counts.whenErrors[number])
  }

  package func failure(_ invariant: OwnInvariant) -> Broken? { failed[invariant] }

  /// Our own invariants that were checked.
  package var ownInvariants: [OwnInvariant] {
    OwnInvariant.allCases.filter { $0 != .texts || plan.options.texts != nil }
  }

  /// The result of a test, with the clauses that decided.
  package func explained(_ test: RuleTestCase) -> (got: String, reasons: [String])? {
    guard let result = try? tester.run(test, at: plan.options.clock) else { return nil }
    return (result.got, result.reasons)
  }
}

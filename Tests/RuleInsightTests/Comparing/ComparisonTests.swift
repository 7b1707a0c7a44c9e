import Expressions
import Foundation
import RuleBatch
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// Who moves, against two decisions for each user.
@Suite struct ComparisonTests {
  private static let runs =
    ProcessInfo.processInfo.environment["TOLLGATE_ANALYSIS_RUNS"].flatMap { Int($0) } ?? 60

  private static let assigner = Assigner.hash(salt: "s")

  private static func compare(_ old: RuleSet, _ new: RuleSet, form: OutcomeForm? = nil)
    -> RuleComparison
  {
    RuleComparison(
      old, new, placements: nil, clock: HistoryClock(now: RandomEdits.now),
      assigners: (assigner, assigner), form: form)
  }

  private static func part(_ comparison: RuleComparison, _ lines: String)
    -> ComparisonWorker.Part
  {
    var worker = ComparisonWorker(comparison)
    return Array(lines.utf8).withUnsafeBufferPointer { worker.process($0) }
  }

  /// Reasons that one change can have.
  private static func reasons(_ edit: RandomEdits.Edit) -> Set<MoveReason> {
    switch edit {
    case .condition, .guarded: [.condition]
    case .limit: [.limit]
    case .order: [.order]
    case .added: [.added]
    case .removed: [.removed]
    case .weights: [.weights]
    case .paywall: [.paywall]
    // Told by its condition where that is the only one; or else one is gone, and one is new.
    case .experiment: [.weights, .added, .removed, .order, .condition, .limit]
    }
  }

  @Test func movesAreThoseOfTwoDecisions() throws {
    var reasons: [MoveReason: Int] = [:]
    for seed in 0..<Self.runs {
      var edits = RandomEdits(seed: seed)
      let before = edits.audiences(5)
      let edit = RandomEdits.Edit.allCases[seed % RandomEdits.Edit.allCases.count]
      let after = edits.apply(edit, to: before)
      let old = try #require(RandomEdits.ruleSet(before))
      let new = try #require(RandomEdits.ruleSet(after))
      let comparison = Self.compare(old, new)
      let records = (0..<200).map { edits.record($0) }
      let part = Self.part(comparison, records.map { $0.json + "\n" }.joined())
      var moved: [[String]: (users: Int, example: String)] = [:]
      var movedUsers = 0
      for (number, record) in records.enumerated() {
        let was = try PlainDecision(record, old, Self.assigner)
        let now = try PlainDecision(record, new, Self.assigner)
        if was.shown == now.shown { continue }
        movedUsers += 1
        let audiences = [was, now].map { $0.decision.audience.map { "\($0)" } ?? "" }
        moved[was.shown + now.shown + audiences, default: (0, "u-\(number)")].users += 1
      }
      #expect(part.movedUsers == movedUsers)
      // By reason they may be several kinds.
      var counted: [[String]: Int] = [:]
      for kind in part.moved {
        let (from, to) = (comparison.from(kind.kind), comparison.to(kind.kind))
        let key =
          [from, to].flatMap { [$0.result, $0.variant ?? "", $0.paywall ?? ""] }
          + [from, to].map { $0.audience.map { "\($0)" } ?? "" }
        counted[key, default: 0] += kind.users
        if counted[key] == kind.users { #expect(moved[key]?.example == kind.example) }
        reasons[kind.kind.reason, default: 0] += kind.users
        #expect(
          Self.reasons(edit).contains(kind.kind.reason), "\(seed) \(edit): \(kind.kind.reason)")
        #expect(!comparison.text(kind.kind).isEmpty)
      }
      #expect(counted == moved.mapValues(\.users), "\(seed) \(edit)")
    }
    #expect(Set(reasons.keys) == Set(MoveReason.allCases), "\(reasons)")
  }

  /// Where condition and limit of an audience change, the user says which of them it was.
  @Test func usersTellConditionsFromLimits() throws {
    func audience(_ expression: String, most: Int) -> Audience {
      Audience(
        index: 0, experimentID: "e", expression: expression,
        occurrenceLimit: OccurrenceLimit(key: "k", maxCount: most, interval: .infinity),
        variants: [Variant(id: "v", kind: .treatment, weight: 100, paywallID: "pw")])
    }
    let old = try #require(RandomEdits.ruleSet([audience("user.a >= 2", most: 2)]))
    let new = try #require(RandomEdits.ruleSet([audience("user.a >= 1", most: 1)]))
    let time = RandomEdits.now.text ?? ""
    let users = """
      {"userId":"c","user":{"a":1}}
      {"userId":"l","user":{"a":2},"occurrences":{"k":["\(time)"]}}
      {"userId":"same","user":{"a":2}}
      {"userId":"none","user":{"a":1},"occurrences":{"k":["\(time)"]}}

      refused
      {"userId":"m","user":{"a":2},"occurrences":{"k":["\(time)"]}}
      {"userId":"d","user":{"a":1}}
      """
    let comparison = Self.compare(old, new)
    let part = Self.part(comparison, users)
    let found = part.moved.map { "\($0.example) \($0.users) \($0.kind.reason)" }
    #expect(found == ["c 2 condition", "l 2 limit"])
    #expect(part.output.sums.users == 6 && part.output.rejected.map(\.line) == [5])
    // Line by line: kinds are counted by chunk, and have one number in the whole run.
    var worker = ComparisonWorker(comparison)
    var sums = ComparisonSums()
    let lines = users.split(separator: "\n").map { Array($0.utf8) }
    let numbers = lines.map { line in
      line.withUnsafeBufferPointer { line in
        let part = worker.process(line)
        #expect(part.moved.allSatisfy { $0.users == 1 })
        return sums.add(part)
      }
    }
    #expect(numbers == [[0], [1], [], [], [], [1], [0]])
    #expect(sums.moved.map(\.users) == [2, 2] && sums.moved.map(\.example) == ["c", "l"])
    #expect(sums.movedUsers == 4 && sums.users == 6 && sums.rejected == 1)
    #expect(part.movedUsers == 4)
  }

  @Test func placementsThatComeAndGo() throws {
    func config(_ name: String) -> RuleSet? {
      RuleSet.compile(
        Config(placements: [
          Placement(name: name, audiences: [Audience(index: 0, experimentID: "e")])
        ])
      ).output
    }
    let (old, new) = (try #require(config("a")), try #require(config("b")))
    let comparison = Self.compare(old, new)
    let part = Self.part(comparison, #"{"userId":"u"}"#)
    #expect(comparison.placementNames == ["a", "b"])
    #expect(part.moved.map(\.kind.reason) == [.removed, .added])
    #expect(part.moved.map { comparison.to($0.kind).result } == ["placementNotFound", "error"])
    #expect(comparison.changes.map(\.kind) == [.placementRemoved, .placementAdded])
  }

  /// Parts that follow each other give what one gives, and the first user is the example.
  @Test func partsAddUp() throws {
    var edits = RandomEdits(seed: 7)
    let before = edits.audiences(4)
    let old = try #require(RandomEdits.ruleSet(before))
    let new = try #require(RandomEdits.ruleSet(Array(before.dropFirst().reversed())))
    let comparison = Self.compare(old, new, form: .csv)
    let lines = (0..<600).map { edits.record($0).json + "\n" }
    var whole = ComparisonSums()
    let part = Self.part(comparison, lines.joined())
    whole.add(part)
    var pieces = ComparisonSums()
    var written: [UInt8] = []
    for start in stride(from: 0, to: 600, by: 50) {
      let piece = Self.part(comparison, lines[start..<start + 50].joined())
      pieces.add(piece)
      written += piece.lines
    }
    #expect(whole.movedUsers > 0)
    #expect(Value.map(whole.value(comparison) { $0 }) == Value.map(pieces.value(comparison) { $0 }))
    #expect(written == part.lines)
    #expect(part.lines.count { $0 == UInt8(ascii: "\n") } == part.moved.reduce(0) { $0 + $1.users })
  }
}

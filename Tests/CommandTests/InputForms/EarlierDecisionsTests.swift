import Expressions
import Foundation
import RuleBatch
import RuleEngine
import TestSupport
import Testing

@testable import tollgate

/// What workers take over from an earlier run comes to what deciding gives: the same outcomes, counts,
/// refused lines, notes and kept decisions, for random configs and random changes of random users.
@Suite struct EarlierDecisionsTests {
  private static let now = Instant(milliseconds: 1_772_366_400_000)
  private static let later = Instant(milliseconds: 1_772_366_400_000 + 90 * 60_000)

  /// What came of users.
  private struct Came: Equatable {
    var outcomes: [UInt8] = []
    var decisions: [UInt8] = []
    var changed: [UInt8] = []
    var sums: BatchSums
    var rejected: [BatchWorker.RejectedLine] = []
    var notes = RecordNotes()
    /// By key: the first line whose record has it twice.
    var repeated: [String: Int] = [:]
    var decidedBefore = 0

    init(_ plan: BatchPlan, _ lines: [String], chunk: Int) {
      sums = plan.emptySums
      var worker = BatchWorker(plan)
      for from in stride(from: 0, to: lines.count, by: chunk) {
        let part = lines[from..<min(from + chunk, lines.count)]
        let output = worker.process(Array((part.joined(separator: "\n") + "\n").utf8))
        outcomes += output.outcomes
        decisions += output.decisions
        changed += output.changed
        sums.add(output.sums)
        rejected += output.rejected.map {
          .init(line: from + $0.line, reason: $0.reason, text: $0.text)
        }
        notes.add(output.notes)
        for (line, key) in output.repeated { repeated[key] = repeated[key] ?? from + line }
        decidedBefore += output.decidedBefore
      }
    }

    /// What is not the same: all of it would be too much to read.
    func difference(from other: Came) -> [String] {
      var names: [String] = []
      if outcomes != other.outcomes { names.append("outcomes") }
      if decisions != other.decisions { names.append("decisions") }
      if sums != other.sums { names.append("sums") }
      if rejected != other.rejected { names.append("rejected") }
      if notes != other.notes { names.append("notes: \(notes.value) \(other.notes.value)") }
      if repeated != other.repeated { names.append("repeated: \(repeated) \(other.repeated)") }
      return names + (names.isEmpty && self != other ? ["something"] : [])
    }

    /// Without what tells that something was taken over.
    var result: Came {
      var result = self
      (result.decidedBefore, result.changed) = (0, [])
      return result
    }
  }

  /// One way of writing outcomes.
  private struct Way {
    var layout: OutcomeLayout
    var form: OutcomeForm
    var reasons: Bool
    var draws: Bool

    func plan(
      _ rules: RuleSet, now: Instant, seed: String, keeps: Bool = true, changed: Bool = false,
      earlier: EarlierDecisions? = nil
    ) -> BatchPlan {
      BatchPlan(
        rules, now: now, assigner: .hash(salt: seed), layout: layout, form: form, texts: nil,
        countsDraws: draws, givesReasons: reasons, keepsDecisions: keeps, givesChanged: changed,
        earlier: earlier)
    }
  }

  private static func earlier(
    _ plan: BatchPlan, _ decisions: [UInt8], isSameTime: Bool = true
  ) throws -> EarlierDecisions? {
    try EarlierDecisions(
      of: plan, byteCount: decisions.count, entriesFrom: 0, isSameTime: isSameTime
    ) { $0.copyBytes(from: decisions) }
  }

  private static func ways(_ random: inout SeededNumbers) -> Way {
    Way(
      layout: random.pick([.long, .wide]), form: random.pick(OutcomeForm.allCases),
      reasons: random.chance(1, in: 2), draws: random.chance(1, in: 3))
  }

  /// Lines as a later export may have them: some changed, gone, new, twice, in another order, broken.
  private static func edited(_ lines: [String], _ batch: inout RandomBatch) -> [String] {
    var edited = lines
    for _ in 0..<batch.random.pick([0, 3, lines.count / 3]) where !edited.isEmpty {
      let at = batch.random.below(edited.count)
      switch batch.random.below(6) {
      case 0: edited.remove(at: at)
      case 1: edited.insert(edited[batch.random.below(edited.count)], at: at)
      case 2: edited.insert(batch.user(100_000 + at).json, at: at)
      case 3: edited[at] = batch.brokenLine()
      case 4: edited[at] = edited[at].replacingOccurrences(of: "1", with: "2")
      default: edited[at] += " "
      }
    }
    if batch.random.chance(1, in: 4) { edited.shuffle(using: &batch.random) }
    return edited
  }

  @Test(arguments: 1..<Extent.count(120, or: 24))
  func whatIsTakenOverIsWhatDecidingGives(seed: Int) throws {
    var batch = try RandomBatch(seed: UInt64(seed))
    let way = Self.ways(&batch.random)
    let old = Self.ways(&batch.random)
    let lines = (0..<batch.random.pick([1, 40, 1_300])).map { number in
      batch.random.chance(1, in: 50) ? batch.brokenLine() : odd(batch.user(number).json, &batch)
    }
    let first = Came(
      old.plan(batch.rules, now: Self.now, seed: "s"), lines, chunk: batch.random.pick([7, 600]))
    let later = Self.edited(lines, &batch)
    let now = batch.random.pick([Self.now, Self.later])
    let whole = Came(way.plan(batch.rules, now: now, seed: "s"), later, chunk: 900)
    let plan = way.plan(batch.rules, now: now, seed: "s")
    let known = try #require(
      try Self.earlier(plan, first.decisions, isSameTime: now == Self.now))
    let since = Came(
      way.plan(batch.rules, now: now, seed: "s", changed: true, earlier: known), later,
      chunk: batch.random.pick([3, 900]))
    #expect(since.result.difference(from: whole.result) == [], "seed \(seed)")
    // Of users whom nobody has changed only those are decided whose past may come to something else.
    let accepted = Set(lines).subtracting(
      first.rejected.map { String(decoding: $0.text, as: UTF8.self) })
    let same = later.filter { accepted.contains($0) && !isBlank($0) }
    let past = same.filter { $0.contains("\"occurrences\":{\"k") }
    if now == Self.now {
      #expect(since.decidedBefore == same.count)
    } else {
      #expect(since.decidedBefore <= same.count)
      #expect(since.decidedBefore >= same.count - past.count)
    }
    if way.form == .ndjson, way.layout == .wide {
      let anew = since.sums.users - since.decidedBefore
      #expect(since.changed.split(separator: 0x0A).count == anew)
    }
    if since.decidedBefore == 0 { #expect(since.changed == since.outcomes) }
    // Counting without keeping is the same, too.
    let counted = Came(
      way.plan(batch.rules, now: now, seed: "s", keeps: false, earlier: known), later, chunk: 50)
    #expect(counted.sums == whole.sums)
    #expect(counted.outcomes == whole.outcomes)
  }

  private func isBlank(_ line: String) -> Bool { line.allSatisfy { " \r\t".contains($0) } }

  /// A record with what is noted of records: keys that nobody knows, a status that there is not, a key twice.
  private func odd(_ record: String, _ batch: inout RandomBatch) -> String {
    let odd = batch.random.pick([
      "", "", "", "\"nobody\":1,", "\"subscriptionStatus\":\"active\",",
      "\"unknown\":[],\"zz\":{},",
      "\"subscriptionStatus\":\"OTHER\",\"no\":0,", "\"user\":{\"base\":7},",
      "\"events\":{\"app_launch\":[\"2026-02-28T12:00:00Z\"]},",
    ])
    return "{" + odd + record.dropFirst()
  }

  /// Where rules ask about events, users who have some are decided anew at another time.
  @Test func questionsAboutEventsDependOnTheTime() throws {
    let json: Value = [
      "trigger_options": [
        [
          "event_name": "p",
          "rules": [
            [
              "experiment_id": "e", "expression_cel": "device.hoursSince('open') >= 2",
              "variants": [
                [
                  "variant_id": "v", "variant_type": "TREATMENT", "percentage": 100,
                  "paywall_identifier": "w",
                ]
              ],
            ]
          ],
        ]
      ]
    ]
    let config = try #require(Config.decode(Array(json.json.utf8)).output)
    let rules = try #require(RuleSet.compile(config).output)
    let way = Way(layout: .long, form: .csv, reasons: true, draws: false)
    let lines = (0..<700).map { number in
      let events = number % 7 == 0 ? ",\"events\":{\"open\":[\"2026-03-01T11:00:00Z\"]}" : ""
      return "{\"userId\":\"u-\(number)\"\(events)}"
    }
    let first = Came(way.plan(rules, now: Self.now, seed: "s"), lines, chunk: 700)
    let plan = way.plan(rules, now: Self.later, seed: "s")
    let whole = Came(plan, lines, chunk: 700)
    #expect(whole.outcomes != first.outcomes)
    let known = try #require(try Self.earlier(plan, first.decisions, isSameTime: false))
    let since = Came(
      way.plan(rules, now: Self.later, seed: "s", earlier: known), lines, chunk: 700)
    #expect(since.result.difference(from: whole.result) == [])
    #expect(since.decidedBefore == 600)
  }

  /// Of other rules nothing is known.
  @Test func otherRulesHaveAnotherForm() throws {
    let batch = try RandomBatch(seed: 3)
    let other = try RandomBatch(seed: 4)
    func form(_ batch: RandomBatch) -> UInt64 {
      BatchPlan(batch.rules, now: Self.now, assigner: .djb2).decisionForm.fingerprint
    }
    #expect(form(batch) == form(try RandomBatch(seed: 3)))
    #expect(form(batch) != form(other))
  }

  /// Whatever is damaged is refused, or is another decision; nothing else happens.
  @Test func damageIsSurvived() throws {
    var batch = try RandomBatch(seed: 7)
    let way = Way(layout: .long, form: .ndjson, reasons: true, draws: true)
    let lines = (0..<60).map { odd(batch.user($0).json, &batch) }
    let plan = way.plan(batch.rules, now: Self.now, seed: "s")
    let whole = Came(plan, lines, chunk: 60)
    #expect(try Self.earlier(plan, Array(whole.decisions.dropLast())) == nil)
    #expect(try Self.earlier(plan, whole.decisions + [0]) == nil)
    var refused = 0
    for _ in 0..<Extent.count(3_000, or: 400) {
      var damaged = whole.decisions
      for _ in 0..<batch.random.pick([1, 1, 4]) {
        damaged[batch.random.below(damaged.count)] = UInt8(batch.random.below(256))
      }
      guard let known = try Self.earlier(plan, damaged) else {
        refused += 1
        continue
      }
      let came = Came(
        way.plan(batch.rules, now: Self.now, seed: "s", earlier: known), lines, chunk: 60)
      #expect(came.sums.users == whole.sums.users)
    }
    #expect(refused > 0)
  }
}

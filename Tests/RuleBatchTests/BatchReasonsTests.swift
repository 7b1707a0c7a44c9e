import Expressions
import TestSupport
import Testing

@testable import RuleBatch
@testable import RuleEngine

/// Outcomes of a batch say why in the words of explanations.
@Suite struct BatchReasonsTests {
  typealias Sample = BatchDifferentialTests.Sample

  /// What an explanation says of why, without the code: the outcome's result tells that.
  private func reason(_ explanation: Explanation) -> Value? {
    guard case .map(let entries)? = explanation.value["reason"] else { return nil }
    let rest = entries.filter { $0.key != "code" }
    return rest.isEmpty ? nil : .map(rest)
  }

  private func lines(_ plan: BatchPlan, _ users: [String]) -> [String] {
    var worker = BatchWorker(plan)
    let output = worker.process(Array(users.joined(separator: "\n").utf8))
    return String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: Extent.some(0..<48) + Extent.some(100..<124))
  func agreesWithExplanations(seed: UInt64) throws {
    let sample = try Sample(seed: seed, lines: 80)
    let (outcomes, explanations, _, _) = try sample.decided()
    let expected = zip(outcomes, explanations).map { outcome, explanation in
      guard case .map(let entries) = outcome, let reason = reason(explanation) else {
        return outcome.json
      }
      return Value.map(entries + [.init(key: "reason", value: reason)]).json
    }
    #expect(lines(sample.plan(reasons: true), sample.lines) == expected)
  }

  /// In all random configs together there is something to say under every member.
  @Test func everyMemberIsMet() throws {
    var met: [String: Int] = [:]
    for seed in Array(0..<12) + Array(100..<106) {
      for explanation in try Sample(seed: UInt64(seed), lines: 60).decided().decisions {
        guard case .map(let entries)? = reason(explanation) else { continue }
        for entry in entries { met[entry.key.text ?? "", default: 0] += 1 }
      }
    }
    #expect(met.keys.sorted() == ["draw", "errors", "heldBack", "missing", "owned", "stored"])
    #expect(met.values.allSatisfy { $0 > 5 })
  }

  /// The other forms hold the same, where one looks for it there.
  @Test(arguments: Extent.some(0..<16))
  func forms(seed: UInt64) throws {
    let sample = try Sample(seed: seed, lines: 60)
    let expected = try sample.decided().decisions.map { reason($0)?.json ?? "" }
    let placements = sample.rules.placementNames.count
    var wide: [String] = []
    for line in lines(sample.plan(.wide, reasons: true), sample.lines) {
      let user = try Value.parse(json: line.utf8)
      wide += sample.rules.placementNames.map { user[$0]?["reason"]?.json ?? "" }
    }
    #expect(wide == expected)
    for layout in OutcomeLayout.allCases {
      let plan = sample.plan(layout, .csv, reasons: true)
      var cells: [String] = []
      let width = placements * 7
      let text = lines(plan, sample.lines).joined(separator: "\n")
      for row in text.isEmpty ? [] : records(text) {
        #expect(row.count == (layout == .long ? 9 : 1 + width))
        let places = layout == .long ? [8] : Array(stride(from: 7, through: width, by: 7))
        cells += places.map { row[$0] }
      }
      #expect(cells == expected)
    }
  }

  /// The cells of CSV, by their rows.
  private func records(_ text: String) -> [[String]] {
    var rows: [[String]] = [[""]]
    var isQuoted = false
    for character in text {
      switch character {
      case "\"":
        // The second of two quotes in a quoted cell.
        if !isQuoted, rows[rows.count - 1].last?.isEmpty == false {
          rows[rows.count - 1][rows[rows.count - 1].count - 1].append("\"")
        }
        isQuoted.toggle()
      case "," where !isQuoted: rows[rows.count - 1].append("")
      case "\n" where !isQuoted: rows.append([""])
      default: rows[rows.count - 1][rows[rows.count - 1].count - 1].append(character)
      }
    }
    return rows
  }

  /// A limit that lets nobody pass holds users back who are decided in columns, too.
  @Test func limitsOfNobody() throws {
    let never = #"{"key":"k","max_count":0,"interval":{"type":"INFINITY"}}"#
    let rules = try ruleSet(
      wireRule("a", expression: "user.n > 1", occurrence: never), wireRule("b"))
    let users = (0..<1_100).map { "{\"userId\":\"user-\($0)\",\"user\":{\"n\":\($0 % 4)}}" }
    let plan = BatchPlan(
      rules, now: 0, assigner: .hash(salt: ""), texts: nil, givesReasons: true)
    let held = #""reason":{"heldBack":[{"audience":0,"limit":{"key":"k","count":0,"of":0}}]}}"#
    for (number, line) in lines(plan, users).enumerated() {
      #expect(line.hasSuffix(held) == (number % 4 > 1))
    }
  }

  /// What many different limits hold back is forgotten behind a block, and said right after it.
  @Test func moreReasonsThanAreKept() throws {
    let (most, limits): (Int64, Int) = (70, 60)
    let audiences = (0..<limits).map {
      Audience(
        index: 0, experimentID: "e\($0)",
        occurrenceLimit: OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity))
    }
    let owners = ["pro", "plus"].map {
      Audience(index: 0, experimentID: $0, entitlementGuard: $0)
    }
    let rules = try #require(RandomEdits.ruleSet(owners + audiences))
    func user(_ shown: Int64) -> String {
      let times = (0..<shown).map { #""\#(Instant(milliseconds: $0 * 1_000).text ?? "")""# }
      return
        #"{"userId":"u","entitlements":["pro","plus"],"occurrences":{"k":[\#(times.joined(separator: ","))]}}"#
    }
    let plan = BatchPlan(
      rules, now: 1_000_000, assigner: .hash(salt: ""), texts: nil, givesReasons: true)
    var worker = BatchWorker(plan)
    func lines(_ users: [String]) -> [String] {
      let output = worker.process(Array(users.joined(separator: "\n").utf8))
      return String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n").map(
        String.init)
    }
    let few = [user(2), user(1), user(3)]
    let expected = lines(few)
    #expect(expected[0].contains(#""owned":[{"audience":0"#), "\(expected[0])")
    for _ in 0..<2 {
      #expect(lines((1...most).map { user($0) }).count == Int(most))
      #expect(lines(few) == expected)
    }
  }

  /// Digits of draws are those of `Double`.
  @Test func digits() {
    var random = SplitMix(seed: 7)
    var draws = (0..<Extent.count(2_000_000, or: 100_000)).map { _ in random.next() >> 11 }
    for place in 0..<52 {
      let power: UInt64 = 1 << place
      draws += [power, power + 1, power - 1, (1 << 53) - power]
    }
    draws += (0..<2_000).map { _ in random.next() >> UInt64.random(in: 11...63, using: &random) }
    // Short numbers.
    draws += (0..<1_000).map { UInt64(Double($0) / 1_000 * 0x1p53) }
    for draw in draws {
      var bytes: [UInt8] = []
      DrawDigits.append(draw, to: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      if text != (Double(draw) * 0x1p-53).description { Issue.record("\(draw): \(text)") }
    }
  }

  /// All users of the demo at all of its placements; `make test` takes every eighth.
  @Test func theDemo() throws {
    let config = try #require(Config.decode(superwall: bytes("demo/config.json")).output)
    let rules = try #require(RuleSet.compile(config).output)
    let users = String(decoding: try bytes("demo/users.ndjson"), as: UTF8.self)
    let (now, assigner) = (1_772_366_400_000 as Instant, Assigner.hash(salt: "demo"))
    let plan = BatchPlan(rules, now: now, assigner: assigner, texts: nil, givesReasons: true)
    let all = users.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let lines = Extent.some(0..<all.count, every: 8).map { all[$0] }
    var outcomes = self.lines(plan, lines)[...]
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: now))
    for line in lines where (try? reader.read(json: line.utf8, into: &frame)) != nil {
      let state = reader.state(now: now)
      for name in rules.placementNames {
        let explanation = rules.explain(name, frame: &frame, state: state, assigner: assigner)
        let said = reason(explanation).map { ",\"reason\":\($0.json)}" }
        let next = outcomes.popFirst()
        let outcome = try #require(next)
        #expect(said.map { outcome.hasSuffix($0) } ?? !outcome.contains("\"reason\""))
      }
    }
    #expect(outcomes.isEmpty)
  }
}

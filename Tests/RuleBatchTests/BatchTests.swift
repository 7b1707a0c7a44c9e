import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

@Suite("Batches")
struct BatchTests {
  private static let now: Instant = 1_772_366_400_000

  private func demo() throws -> (rules: RuleSet, lines: [[UInt8]], users: [UInt8]) {
    let config = try #require(Config.decode(superwall: try bytes("demo/config.json")).output)
    let users = try bytes("demo/users.ndjson")
    let lines = users.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    return (try #require(RuleSet.compile(config).output), Array(lines.prefix(800)), users)
  }

  private func process(_ plan: BatchPlan, _ lines: [[UInt8]]) -> BatchWorker.Output {
    var worker = BatchWorker(plan)
    return worker.process(Array(lines.joined(separator: [0x0A])))
  }

  /// Every line of a batch is what `decide` says for the same user, in both layouts.
  @Test func batchesAgreeWithDeciding() throws {
    let (rules, lines, _) = try demo()
    let assigner = Assigner.hash(salt: "demo")
    var expected: [String] = []
    var wide: [Value] = []
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
    for line in lines {
      guard (try? reader.read(json: line, into: &frame)) != nil else { continue }
      let state = reader.state(now: BatchTests.now)
      var members: [Value.Entry] = [.init(key: "userId", value: .string(state.subjectID))]
      for name in rules.placementNames {
        let decision = rules.decide(name, frame: &frame, state: state, assigner: assigner)
        let outcome = decision.outcomeLine(subjectID: state.subjectID)
        expected.append(outcome.json)
        let member: Value = [
          "result": outcome["result"]?["result"] ?? .null, "audience": outcome["audience"] ?? .null,
          "experiment": outcome["result"]?["experiment"]?["id"] ?? .null,
          "variant": outcome["result"]?["experiment"]?["variant"]?["id"] ?? .null,
          "paywall": outcome["paywall"] ?? .null,
        ]
        members.append(.init(key: .string(name), value: member))
      }
      wide.append(.map(members))
    }
    #expect(expected.count > 4_000)
    let long = process(BatchPlan(rules, now: BatchTests.now, assigner: assigner), lines)
    #expect(
      String(decoding: long.outcomes, as: UTF8.self).split(separator: "\n").map(String.init)
        == expected)
    let other = process(
      BatchPlan(rules, now: BatchTests.now, assigner: assigner, layout: .wide), lines)
    let read = try String(decoding: other.outcomes, as: UTF8.self).split(separator: "\n").map {
      try Value.parse(json: $0.utf8)
    }
    #expect(read == wide)
    #expect(long.tally == other.tally)
  }

  /// The demo's counts, which were worked out by another program with other evaluators.
  @Test func theDemosCounts() throws {
    let (rules, _, users) = try demo()
    var worker = BatchWorker(
      BatchPlan(rules, now: BatchTests.now, assigner: .hash(salt: "demo"), writesOutcomes: false))
    let tally = worker.process(users).tally
    #expect(tally.users == 3_997)
    #expect(tally.rejected == 3)
    let taken = tally.placements.map { $0.audiences.map(\.taken) }
    #expect(
      taken == [
        [761, 167, 286], [213, 442, 1_308], [224, 2_576, 190], [96, 568, 3_333],
        [832, 69, 121, 164], [243, 506],
      ])
    #expect(tally.placements.map(\.unmatched) == [2_783, 2_034, 1_007, 0, 2_811, 3_248])
    for placement in tally.placements {
      #expect(
        placement.paywall + placement.holdout + placement.noAudienceMatch + placement.error
          == tally.users)
      #expect(placement.audiences.reduce(0) { $0 + $1.taken } + placement.unmatched == tally.users)
      #expect(placement.audiences.first?.reached == tally.users)
    }
  }

  @Test(
    arguments: [
      (#"{"userId":"a"}"# + "\r", nil), ("   ", nil), (#"{"user":{}}"#, "'userId' is missing"),
      ("[1]", "a user record must be a JSON object"),
      ("5", "a user record must be a JSON object"), (#"{"userId":5}"#, "'userId' must be a string"),
      (#"{"userId":"a""#, "the JSON ends too early"),
      (#"{"userId":"a"} x"#, "is followed by other characters"),
      (#"{"userId":"a","assignments":{}}"#, "'assignments' must be a list"),
      (
        #"{"userId":"a","occurrences":{"k":["soon"]}}"#,
        "at byte 28: occurrences.k: 'soon' is not an ISO 8601 time; write 2026-03-01T12:00:00Z"
      ),
      (#"{"userId":"a","x":1e999}"#, "at byte 18: the number is too large"),
      (#"{"userId":"a","user":{"x":[-1e400]}}"#, "the number is too large"),
      ("{\"userId\":\"\u{1}\"}", "control character"),
      (#"{"\u0075serId":"a"}"#, nil), (#"{"userId":""}"#, "'userId' is missing"),
    ] as [(String, String?)])
  func linesAreReadOrRefused(line: String, reason: String?) throws {
    let rules = try ruleSet(wireRule())
    let plan = BatchPlan(rules, now: 0, assigner: .hash(salt: ""))
    let output = process(plan, [Array(line.utf8), Array(#"{"userId":"next"}"#.utf8)])
    #expect(output.rejected.count == (reason == nil ? 0 : 1))
    if let reason { #expect(output.rejected.first?.reason.contains(reason) == true) }
    // What was wrong with one line says nothing about the next.
    #expect(String(decoding: output.outcomes, as: UTF8.self).contains("\"next\""))
  }

  @Test func limitsAndPlacementsAreParameters() throws {
    let rules = try ruleSet(wireRule())
    let plan = BatchPlan(
      rules, placements: ["p", "q", "p"], now: 0, assigner: .hash(salt: ""), lineLimit: 20)
    #expect(plan.unknownPlacements == ["q"])
    #expect(plan.placementCount == 2)
    let output = process(
      plan, [Array(#"{"userId":"a"}"#.utf8), Array(#"{"userId":"a","user":{}}"#.utf8)])
    #expect(output.tally.users == 1)
    #expect(output.tally.rejected == 1)
    #expect(output.tally.placements.map(\.placementNotFound) == [0, 1])
  }

  /// Status and entitlements beside `device` count where `device` is silent.
  @Test func statusBesideDevice() throws {
    let rules = try ruleSet(
      wireRule("a", expression: "device.subscriptionStatus == 'ACTIVE'"),
      wireRule("b", expression: "'pro' in device.activeEntitlements"))
    func audience(_ line: String) throws -> Int? {
      var frame = Frame(for: rules.program)
      var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
      try reader.read(json: line.utf8, into: &frame)
      return rules.decide(
        "p", frame: &frame, state: reader.state(now: 0), assigner: .hash(salt: "")
      ).audience
    }
    #expect(try audience(#"{"userId":"u","subscriptionStatus":"ACTIVE"}"#) == 0)
    #expect(
      try audience(
        #"{"userId":"u","device":{"subscriptionStatus":"INACTIVE"},"subscriptionStatus":"ACTIVE"}"#)
        == nil)
    #expect(try audience(#"{"userId":"u","entitlements":["pro"]}"#) == 1)
  }

  /// Of each key that a record has twice the first line, however often it comes.
  @Test func keysThatAreThereTwice() throws {
    let rules = try ruleSet(wireRule(expression: "user.a == 1"))
    let once = #"{"userId":"u","user":{"a":1},"device":{}}"#
    let user = #"{"userId":"u","user":{"a":1},"user":{"a":2}}"#
    let device = #"{"userId":"u","device":{},"device":{"a":2},"user":{}}"#
    let lines = [once, user, user, once, device, user, device, device].map { Array($0.utf8) }
    for layout in [OutcomeLayout.long, .wide] {
      var worker = BatchWorker(
        BatchPlan(rules, now: Self.now, assigner: .hash(salt: ""), layout: layout))
      // What is told of a chunk is of that chunk.
      for _ in 0..<2 {
        let output = worker.process(Array(lines.joined(separator: [0x0A])))
        #expect(output.repeated.map(\.line) == [1, 4])
        #expect(output.repeated.map(\.key) == ["user", "device"])
        #expect(output.notes.repeatedKeys == ["user": 3, "device": 3])
      }
      #expect(worker.process(once.utf8.map { $0 }).repeated.isEmpty)
    }
  }
}

import CivilTime
import Expressions
import Foundation
import TestSupport
import Testing

@testable import RuleBatch
@testable import RuleEngine
@testable import RuleInsight

/// Nobody who is made up has a date that is not that of `--now`, or a version that is not their own.
@Suite struct SettledRecordTests {
  private static let now = try! WireTime.instant("2026-12-24T18:00:00Z")
  private static let clock = HistoryClock(now: now)
  private static let expressions = [
    #"device.localDate == "2026-12-25""#, #"device.localDate == "2026-12-24""#,
    #"device.localTime < "12:00:00""#, #"device.utcDateTime > "2026-12-24T00:00:00Z""#,
    #"device.appVersionPadded >= "003.000.000" && device.appVersion != "1""#,
    "device.daysSinceInstall == 3 && device.minutesSinceInstall > 0",
    #"device.localDateTime >= "2026-12-25T06:00:00" && user.plan == "free""#,
  ]

  /// What contradicts the clock, or another attribute, of a record.
  private func contradictions(_ record: Value) -> [String] {
    let stripped = SettledRecord.stripped(record)
    let derived = DeviceDerivation.complete(
      stripped, DeviceDerivation.attributes, on: .ios, at: Self.clock)
    return DeviceDerivation.attributes.map { ["device", $0.rawValue] }.filter { path in
      guard let value = record.value(at: path), stripped.value(at: path) == nil else {
        return false
      }
      return value != derived.value(at: path)
    }.map { $0.joined(separator: ".") }
  }

  private func compiled(_ expressions: [String]) throws -> RuleSet {
    try ruleSet(wireRule(expression: expressions.joined(separator: " && ")))
  }

  @Test func witnessesOfTests() throws {
    for expression in Self.expressions {
      let rules = try compiled([expression])
      let proposals = TestProposals.lines(rules, assigner: .hash(salt: ""), clock: Self.clock)
      #expect(proposals.missing.isEmpty, "\(expression)")
      for line in proposals.lines { #expect(contradictions(line).isEmpty, "\(line.json)") }
    }
    // Nobody has this date today.
    let later = TestProposals.lines(
      try compiled([#"device.localDate == "2026-12-31""#]), assigner: .hash(salt: ""),
      clock: Self.clock)
    #expect(later.missing.count == 1)
  }

  @Test func differences() throws {
    func difference(_ old: String, _ new: String) throws -> PlacementDifference {
      let comparison = RuleComparison(
        try compiled([old]), try compiled([new]), placements: ["p"], clock: Self.clock,
        assigners: (.hash(salt: ""), .hash(salt: "")))
      return try #require(comparison.differences().first)
    }
    for expression in Self.expressions {
      let found = try difference(expression, "\(expression) && user.age > 18")
      #expect(!found.witnesses.isEmpty, "\(expression)")
      for witness in found.witnesses {
        #expect(contradictions(witness.record).isEmpty, "\(witness.record.json)")
      }
    }
    let later = try difference(
      #"device.localDate == "2026-12-30""#, #"device.localDate == "2026-12-31""#)
    #expect(later.witnesses.isEmpty)
    #expect(later.verdict == .unknown)
    #expect(later.unknown.allSatisfy { $0.contains("at this time (--now)") })
  }

  @Test func invariants() throws {
    let config = try #require(
      Config.decode(
        wireConfig(rules: wireRule(expression: #"device.localDate >= "2026-12-24""#))
      ).output)
    let rules = try #require(RuleSet.compile(config).output)
    func verdict(_ holds: String, when: String? = nil) -> FuzzReport.Verdict {
      let plan = FuzzPlan(
        rules, config, [RuleInvariant(name: "i", when: when, holds: holds)],
        FuzzPlan.Options(assigner: .hash(salt: ""), clock: Self.clock))
      var worker = FuzzWorker(plan)
      let report = FuzzReport(plan)
      for block in 0..<6 where !(report.hasBroken && report.isSettled) {
        report.add(worker.run(block: block))
      }
      return report.verdict(0)
    }
    // It is true of the date itself, and nobody has another one.
    switch verdict(#"device.utcDate == "2026-12-24""#) {
    case .broken(let found), .brokenByOddUsers(let found): Issue.record("\(found.record.json)")
    default: break
    }
    switch verdict(#"device.localDate in ["2026-12-24", "2026-12-25"]"#) {
    case .broken(let found), .brokenByOddUsers(let found): Issue.record("\(found.record.json)")
    default: break
    }
    guard case .broken(let found) = verdict(#"outcome.result != "paywall""#) else {
      Issue.record("no user gets the paywall")
      return
    }
    #expect(found.record.json == #"{"userId":"somebody"}"#)
  }

  /// A campaign of one day, in simulated time and in the zones of users.
  @Test func simulatedTimeMoves() throws {
    let rules = wireRule("day", expression: #"device.localDate == "2026-12-25""#)
    let installed = wireRule("new", expression: "device.daysSinceInstall == 2")
    let config = try #require(
      Config.decode(wireConfig(rules: [rules, installed].joined(separator: ","))).output)
    var options = TrafficPlan.Options(assigner: .hash(salt: ""), clock: Self.clock)
    options.form = .ndjson
    let plan = TrafficPlan(try #require(RuleSet.compile(config).output), config, options)
    var worker = TrafficWorker(plan)
    let lines = (0..<40).map {
      #"{"userId":"u\#($0)","device":{"timezone":"Asia/Tokyo","appInstallDate":"2026-12-20T12:00:00Z"}}"#
    }
    let start = try WireTime.instant("2026-12-20T15:00:00Z")
    let output = Array(lines.joined(separator: "\n").utf8).withUnsafeBufferPointer {
      worker.process($0, .generated(GeneratedTraffic(start: start, days: 8, rate: 3)))
    }
    var times: [String: [String]] = [:]
    for line in output.text.split(separator: UInt8(ascii: "\n")) {
      let outcome = try Value.parse(json: line)
      let experiment = outcome["result"]?["experiment"]?["id"]?.text ?? "none"
      times[experiment, default: []].append(outcome["at"]?.text ?? "")
    }
    let day = try #require(times["day"])
    #expect(day.allSatisfy { $0 >= "2026-12-24T15:00" && $0 < "2026-12-25T15:00" })
    let new = try #require(times["new"])
    #expect(new.allSatisfy { $0 >= "2026-12-22T12:00" && $0 < "2026-12-23T12:00" })
    #expect(
      !times["none", default: []].contains { $0 >= "2026-12-24T15:00" && $0 < "2026-12-25T15:00" })
  }

  /// The advice for one user keeps what follows from what it changes.
  @Test func advice() throws {
    let rules = try compiled([#"device.appVersionPadded >= "003.000.000""#])
    let change = try #require(
      rules.smallestChange(
        audience: 0, of: "p", for: ["userId": "u", "device": ["appVersion": "2.1.0"]],
        at: Self.clock))
    let all = change.changes + change.follows
    #expect(all.map(\.path).sorted() == ["device.appVersion", "device.appVersionPadded"])
    #expect(all.first { $0.path == "device.appVersionPadded" }?.from == "002.001.000")
  }
}

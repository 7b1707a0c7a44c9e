import CArrow
import Expressions
import RuleEngine
import TestSupport
import Testing

@testable import RuleBatch

/// Tables whose rows have SDKs of several versions.
@Suite struct TableFleetTests {
  private static let now = try! WireTime.instant("2026-03-01T12:00:00Z")

  private static func options() -> FrameColumns.Options {
    var options = FrameColumns.Options()
    options.ignoresMissing = true
    return options
  }

  /// Chosen rows get what they get in the whole table, whatever the types of the columns are.
  @Test(arguments: Extent.some(0..<80))
  func choosingRowsChangesNoOutcome(seed: UInt64) throws {
    let sample = try BatchDifferentialTests.Sample(seed: seed, lines: 0)
    let table = RandomTable(seed: seed, rows: 700)
    let plan = framePlan(sample.rules, now: Self.now, sample.assigner)
    let arrow = ArrowTable(table.shape, table.rows, seed: seed)
    let columns = try FrameColumns(arrow.field, for: sample.rules, Self.options())
    let whole = FrameWorker(plan, columns)
    _ = try whole.decide(arrow.array)
    let chosen = (0..<700).filter { ($0 &* 7 &+ Int(seed)) % 3 != 0 }
    let worker = FrameWorker(plan, columns)
    var rows = try ArrowRows(columns.binding, arrow.array)
    _ = try chosen.withUnsafeBufferPointer { list throws(ArrowError) in
      try worker.decide(&rows, ArrowRows.Selection(list))
    }
    #expect(worker.count == chosen.count && worker.filledRows == chosen.count)
    for placement in 0..<plan.placementCount {
      let expected = chosen.map { whole.choices[placement * 700 + $0] }
      let start = placement * chosen.count
      #expect(Array(worker.choices[start..<start + chosen.count]) == expected)
    }
    let refused = whole.rejected.map(\.row).filter { chosen.contains($0) }
    if whole.rejected.count < FrameWorker.mostReasons {
      #expect(worker.rejected.map { chosen[$0.row] } == refused)
    }
  }

  /// However many groups of SDKs there are, each row is put into one block.
  @Test func everyRowIsDecidedOnce() throws {
    let config = try #require(
      Config.decode(
        superwall: #"""
          {"trigger_options": [{"event_name": "p", "rules": [{"experiment_id": "e",
          "experiment_group_id": "g", "expression_cel": "user.age > 18", "variants": [{"variant_id": "v",
          "variant_type": "TREATMENT", "percentage": 100, "paywall_identifier": "w"}]}]}]}
          """#.utf8
      ).output)
    let rules = try RuleSet.compile(config).get()
    let plan = BatchPlan(
      rules, now: Self.now, assigner: .hash(salt: ""), form: .rows, writesOutcomes: false,
      texts: nil, collectsChoices: true, fleet: (.record, config, nil))
    let shape = ArrowShape.structure([
      ("userId", .text("u")), ("user", .structure([("age", .text("u"))])),
      ("device", .structure([("platform", .text("u")), ("sdkVersion", .text("u"))])),
    ])
    let versions = ["4.4.2", "4.11.2", "4.12.5", "4.16.2", "2.2.0", "2.6.8", "2.7.19", "latest"]
    let rows = (0..<3_000).map { number -> Value in
      let version = versions[number * 7 % versions.count]
      return [
        "userId": number == 70 ? " u " : .string("u\(number)"), "user": ["age": "25"],
        "device": [
          "platform": version.hasPrefix("2") ? "Android" : "iOS", "sdkVersion": .string(version),
        ],
      ]
    }
    let table = ArrowTable(shape, rows)
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    let sums = try worker.decide(table.array)
    #expect(worker.filledRows == 3_000 && sums.users == 3_000)
    #expect(worker.notes.unreadableVersions == ["latest": 375])
    #expect(worker.untrimmed.rows == 1 && worker.untrimmed.example == " u ")
    let outcomes = described(worker, plan)
    // Behaviors numeric and skip read the string as a number.
    #expect(outcomes.filter { $0.contains("paywall") }.count == 3 * 375)
  }
}

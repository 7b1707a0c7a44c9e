import CArrow
import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// Why the rows of a table get what they get is what lines of JSON say of the same users.
@Suite struct FrameReasonsTests {
  private static let now = try! WireTime.instant("2026-03-01T12:00:00Z")

  private func plan(_ sample: BatchDifferentialTests.Sample) -> BatchPlan {
    BatchPlan(
      sample.rules, now: Self.now, assigner: sample.assigner, form: .rows, writesOutcomes: false,
      texts: nil, givesReasons: true, collectsChoices: true)
  }

  private func worker(_ plan: BatchPlan, _ table: ArrowTable) throws -> FrameWorker {
    var options = FrameColumns.Options()
    options.ignoresMissing = true
    return FrameWorker(plan, try FrameColumns(table.field, for: plan.ruleSet, options))
  }

  /// The texts of a placement; nil for NULL.
  private func texts(_ worker: FrameWorker, _ plan: BatchPlan) throws -> [[String?]] {
    var form = FrameOutcomes.Form()
    form.fields = [.reason]
    var (schema, array) = (ArrowSchema(), ArrowArray())
    let outcomes = FrameOutcomes(plan, form)
    outcomes.exportSchema(to: &schema)
    try outcomes.export(worker, to: &array)
    defer {
      schema.release(&schema)
      array.release(&array)
    }
    let binding = try ArrowBinding(
      try ArrowField(&schema), for: try ExpressionEnvironment().compile("true").get(),
      .init(captures: plan.placementNames, paths: { [[$0]] }))
    var rows = try ArrowRows(binding, &array)
    return try plan.placementNames.indices.map { placement in
      try (0..<rows.count).map { try rows.value(ofCapture: placement, $0)?["reason"]?.text }
    }
  }

  @Test(arguments: Extent.some(0..<60) + Extent.some(100..<120))
  func agreesWithLines(seed: UInt64) throws {
    var sample = try BatchDifferentialTests.Sample(seed: seed, lines: 0)
    let table = RandomTable(seed: seed, rows: 700)
    sample.lines = table.lines(.missing)
    var lines = BatchWorker(sample.plan(reasons: true))
    let output = lines.process(Array(sample.lines.joined(separator: "\n").utf8))
    var wanted: [Value?] = []
    for line in output.outcomes.split(separator: UInt8(ascii: "\n")) {
      wanted.append(try Value.parse(json: line)["reason"])
    }

    let plan = plan(sample)
    let arrow = ArrowTable(table.shape, table.rows, seed: seed)
    let worker = try worker(plan, arrow)
    for _ in 0..<2 {
      _ = try worker.decide(arrow.array)
      let texts = try texts(worker, plan)
      var got: [Value?] = []
      for row in 0..<worker.count {
        for placement in 0..<plan.placementCount {
          let isDecided = worker.choices[placement * worker.count + row] >= 0
          if !isDecided { #expect(texts[placement][row] == nil) }
          guard isDecided else { continue }
          got.append(try texts[placement][row].map { try Value.parse(json: Array($0.utf8)) })
        }
      }
      #expect(got == wanted)
    }
  }

  /// Some of them say something of every kind.
  @Test func allKinds() throws {
    let all: Set = ["heldBack", "errors", "owned", "draw", "stored", "missing"]
    var members: Set<String> = []
    for seed in Array(UInt64(0)..<24) + Array(100..<112) where members != all {
      let sample = try BatchDifferentialTests.Sample(seed: seed, lines: 0)
      let table = RandomTable(seed: seed, rows: 600)
      let plan = plan(sample)
      let arrow = ArrowTable(table.shape, table.rows, seed: seed)
      let worker = try worker(plan, arrow)
      _ = try worker.decide(arrow.array)
      for text in try texts(worker, plan).joined().compactMap({ $0 }) {
        guard case .map(let entries) = try Value.parse(json: Array(text.utf8)) else { continue }
        members.formUnion(entries.compactMap(\.key.text))
      }
    }
    #expect(members == all)
  }

  /// A plan that gives none has none to export, and says so.
  @Test func withoutReasons() throws {
    let sample = try BatchDifferentialTests.Sample(seed: 1, lines: 0)
    let table = RandomTable(seed: 1, rows: 5)
    let plan = framePlan(sample.rules, now: Self.now, sample.assigner)
    let arrow = ArrowTable(table.shape, table.rows, seed: 1)
    let worker = try worker(plan, arrow)
    _ = try worker.decide(arrow.array)
    let error = #expect(throws: ArrowError.self) { _ = try texts(worker, plan) }
    #expect(error?.reason == "reasons were requested, but the plan does not compute them")
  }
}

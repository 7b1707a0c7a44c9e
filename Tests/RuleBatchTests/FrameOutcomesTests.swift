import CArrow
import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// Outcomes in Arrow's form say what the choices say.
@Suite struct FrameOutcomesTests {
  private static let names = ["result", "audience", "experiment", "variant", "paywall"]

  /// Rules with a short and a long paywall, and a holdout.
  private func plan(
    short: String = "short", long: String = "a paywall with a long name", collects: Bool = true
  ) throws -> BatchPlan {
    func variant(_ id: String, _ type: String, _ share: Int, _ paywall: String) -> String {
      "{\"variant_id\":\"\(id)\",\"variant_type\":\"\(type)\",\"percentage\":\(share),"
        + "\"paywall_identifier\":\(paywall)}"
    }
    let rules = try ruleSet(
      wireRule(
        "first", expression: "user.n == 1",
        variants: variant("v", "TREATMENT", 50, "\"\(short)\"") + ","
          + variant("w", "TREATMENT", 50, "\"\(long)\"")),
      wireRule(
        "second", expression: "user.n == 2", variants: variant("h", "HOLDOUT", 100, "null")),
      wireRule("third", expression: "user.n == 3", variants: ""))
    return BatchPlan(
      rules, placements: ["p", "gone"], now: 0, assigner: .hash(salt: ""), form: .rows,
      writesOutcomes: false, texts: nil, collectsChoices: collects)
  }

  /// Rows that match, do not, or are rejected.
  private func decided(_ plan: BatchPlan) throws -> FrameWorker {
    let table = ArrowTable(
      .structure([("userId", .text("u")), ("user", .structure([("n", .number("c"))]))]),
      (0..<700).map { number in
        [
          "userId": number % 7 == 0 ? .null : .string("u\(number)"),
          "user": ["n": .int(Int64(number % 5))],
        ]
      })
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: plan.ruleSet))
    _ = try worker.decide(table.array)
    return worker
  }

  /// What is exported, read back by the C data interface.
  private func read(
    _ outcomes: FrameOutcomes, _ worker: FrameWorker, _ names: [String]
  ) throws -> [[Value?]] {
    var (schema, array) = (ArrowSchema(), ArrowArray())
    outcomes.exportSchema(to: &schema)
    try outcomes.export(worker, to: &array)
    defer {
      schema.release(&schema)
      array.release(&array)
      #expect(schema.release == nil && array.release == nil)
    }
    let program = try ExpressionEnvironment().compile("true").get()
    let binding = try ArrowBinding(
      try ArrowField(&schema), for: program,
      .init(captures: names, paths: { [[$0]] }))
    var rows = try ArrowRows(binding, &array)
    #expect(rows.count == worker.count)
    var values: [[Value?]] = []
    for placement in names.indices {
      var column: [Value?] = []
      for row in 0..<rows.count { column.append(try rows.value(ofCapture: placement, row)) }
      values.append(column)
    }
    return values
  }

  private func wanted(_ choice: BatchPlan.Choice, _ fields: [OutcomeField]) -> Value {
    .map(choice.values.members(fields).filter { $0.value != .null })
  }

  @Test(arguments: [FrameOutcomes.Texts.dictionary, .plain, .views])
  func everyForm(texts: FrameOutcomes.Texts) throws {
    let plan = try plan()
    let worker = try decided(plan)
    for fields in [OutcomeField.ofChoices, [.paywall], [.variant, .audience]] {
      var form = FrameOutcomes.Form()
      form.fields = fields
      form.texts = texts
      let values = try read(FrameOutcomes(plan, form), worker, plan.placementNames)
      for (placement, column) in values.enumerated() {
        let choices = worker.choices[placement * worker.count..<(placement + 1) * worker.count]
        #expect(column == choices.map { $0 < 0 ? nil : wanted(plan.choices[Int($0)], fields) })
      }
    }
    let results = Set(
      worker.choices.map { $0 < 0 ? "" : plan.choices[Int($0)].values.cell(.paywall) })
    #expect(results == ["", "short", "a paywall with a long name"])
  }

  /// Texts are copied in steps of sixteen bytes, as many as the longest needs.
  @Test func everyLength() throws {
    for length in [0, 1, 12, 13, 15, 16, 17, 31, 32, 33, 48, 49, 200] {
      for short in [min(1, length), length] {
        let texts = (String(repeating: "s", count: short), String(repeating: "l", count: length))
        let plan = try plan(short: texts.0, long: texts.1)
        let worker = try decided(plan)
        for form in [FrameOutcomes.Texts.plain, .views] {
          var wanted = FrameOutcomes.Form()
          wanted.fields = [.paywall]
          wanted.texts = form
          let values = try read(FrameOutcomes(plan, wanted), worker, plan.placementNames)
          let choices = worker.choices.prefix(worker.count)
          #expect(
            values[0]
              == choices.map { $0 < 0 ? nil : self.wanted(plan.choices[Int($0)], [.paywall]) })
        }
      }
    }
  }

  /// Rows without columns, for whoever counts, also of a plan that keeps no choices.
  @Test func rowsAlone() throws {
    for plan in [try plan(), try plan(collects: false)] {
      var form = FrameOutcomes.Form()
      form.hasColumns = false
      let outcomes = FrameOutcomes(plan, form)
      var (schema, array) = (ArrowSchema(), ArrowArray())
      outcomes.exportSchema(to: &schema)
      try outcomes.export(try decided(plan), to: &array)
      #expect(schema.n_children == 0 && array.n_children == 0 && array.length == 700)
      schema.release(&schema)
      array.release(&array)
    }
  }

  @Test func numbers() throws {
    let plan = try plan()
    let worker = try decided(plan)
    var form = FrameOutcomes.Form()
    form.fields = []
    let values = try read(FrameOutcomes(plan, form), worker, plan.placementNames)
    #expect(
      values.flatMap { $0 } == worker.choices.map { $0 < 0 ? nil : .int(Int64($0)) })
  }

  /// A table without rows has its columns all the same.
  @Test func noRows() throws {
    let plan = try plan()
    for texts in [FrameOutcomes.Texts.dictionary, .plain, .views] {
      var form = FrameOutcomes.Form()
      form.texts = texts
      var array = ArrowArray()
      try FrameOutcomes(plan, form).export([], count: 0, to: &array)
      #expect(array.length == 0 && array.n_children == 2)
      array.release(&array)
    }
  }

  /// A consumer may move a column out of a table, and release both when it likes.
  @Test func movedColumns() throws {
    let plan = try plan()
    let worker = try decided(plan)
    var array = ArrowArray()
    try FrameOutcomes(plan).export(worker, to: &array)
    let child = try #require(array.children[0])
    var moved = child.pointee
    child.pointee.release = nil
    array.release(&array)
    #expect(moved.length == 700 && moved.n_children == 5)
    moved.release(&moved)
    #expect(moved.release == nil)
  }
}

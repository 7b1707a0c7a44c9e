import CArrow
import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// A plan for rows of tables, with the outcomes as numbers.
func framePlan(_ rules: RuleSet, now: Instant, _ assigner: Assigner) -> BatchPlan {
  BatchPlan(
    rules, now: now, assigner: assigner, form: .rows, writesOutcomes: false, texts: nil,
    collectsChoices: true)
}

/// What a user gets at a placement, as a text to compare.
func described(_ choice: BatchPlan.Choice) -> String {
  ([choice.placement] + OutcomeField.ofChoices.map(choice.values.cell)).joined(separator: " ")
}

/// The outcomes that a worker has decided, row by row; rows without one left out.
func described(_ worker: FrameWorker, _ plan: BatchPlan) -> [String] {
  var texts: [String] = []
  for row in 0..<worker.count {
    for placement in 0..<plan.placementCount {
      let choice = Int(worker.choices[placement * worker.count + row])
      if choice >= 0 { texts.append(described(plan.choices[choice])) }
    }
  }
  return texts
}

/// Tables in Arrow's form give what lines of JSON give, and what `decide` gives.
@Suite struct FrameWorkerTests {
  private static let now = try! WireTime.instant("2026-03-01T12:00:00Z")

  private static func options(_ null: ArrowNull = .missing) -> FrameColumns.Options {
    var options = FrameColumns.Options()
    options.null = null
    options.ignoresMissing = true
    return options
  }

  private func described(_ outcome: Value) -> String {
    let result = outcome["result"]
    let experiment = result?["experiment"]
    let audience = outcome["audience"]?.wholeNumber.map(String.init) ?? ""
    return "\(outcome["placement"]?.text ?? "") \(result?["result"]?.text ?? "") \(audience) "
      + "\(experiment?["id"]?.text ?? "") \(experiment?["variant"]?["id"]?.text ?? "") "
      + "\(outcome["paywall"]?.text ?? "")"
  }

  @Test(arguments: Extent.some(0..<80) + Extent.some(100..<140) + Extent.some(200..<232))
  func agreesWithLinesAndDeciding(seed: UInt64) throws {
    var sample = try BatchDifferentialTests.Sample(seed: seed, lines: 0)
    let table = RandomTable(seed: seed, rows: 90)
    let null: ArrowNull = seed % 4 == 3 ? .null : .missing
    sample.lines = table.lines(null)
    let (outcomes, _, refused, _) = try sample.decided()
    let plan = framePlan(sample.rules, now: Self.now, sample.assigner)
    let arrow = ArrowTable(table.shape, table.rows, seed: seed)
    let columns = try FrameColumns(arrow.field, for: sample.rules, Self.options(null))
    let worker = FrameWorker(plan, columns)
    let sums = try worker.decide(arrow.array)
    #expect(worker.rejected.map(\.row) == refused)
    #expect(RuleBatchTests.described(worker, plan) == outcomes.map(described))
    var lines = BatchWorker(sample.plan())
    let output = lines.process(Array(sample.lines.joined(separator: "\n").utf8))
    #expect(plan.tally(of: sums) == output.tally)
    // The same once more: nothing is left of the first time.
    #expect(try worker.decide(arrow.array) == sums)
    #expect(RuleBatchTests.described(worker, plan) == outcomes.map(described))
  }

  /// Rows share memory, and those for whose texts none is left are decided alone.
  @Test(arguments: [ArrowShape.text("u"), .dictionary("i", .text("u"))])
  func textsSurviveRowsThatTakeAllMemory(_ texts: ArrowShape) throws {
    let rules = try ruleSet(
      wireRule(expression: "user.s.startsWith('costs 5 a month') && 5 in user.l"),
      language: .superscript(.android))
    let list = Value.list((0..<600).map { .int($0) })
    let rows: [Value] = (0..<512).map {
      [
        "userId": .string("u\($0)"),
        "user": ["l": list, "s": .string("costs $5 a month, billed yearly, to \($0)")],
      ]
    }
    let table = ArrowTable(
      .structure([
        ("userId", .text("u")),
        ("user", .structure([("l", .list("+l", .number("i"))), ("s", texts)])),
      ]), rows)
    let plan = framePlan(rules, now: Self.now, .hash(salt: ""))
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules, Self.options()))
    #expect(try worker.decide(table.array).lines == 512)
    let outcomes = RuleBatchTests.described(worker, plan)
    #expect(outcomes.count == 512 && Set(outcomes).count == 1)
    #expect(outcomes.first?.hasSuffix("pw") == true)
  }

  /// However long a table is and however it is cut, the same comes out; and every batch is released once,
  /// when the next is asked for.
  @Test(arguments: Extent.some(0..<8, every: 4))
  func streams(seed: UInt64) throws {
    var sample = try BatchDifferentialTests.Sample(seed: seed, lines: 0)
    let table = RandomTable(seed: seed, rows: 1_300)
    sample.lines = table.lines(.missing)
    let plan = framePlan(sample.rules, now: Self.now, sample.assigner)
    let whole = ArrowTable(table.shape, table.rows, seed: seed)
    let worker = FrameWorker(
      plan, try FrameColumns(whole.field, for: sample.rules, Self.options()))
    let sums = try worker.decide(whole.array)
    var lines = BatchWorker(sample.plan())
    let output = lines.process(Array(sample.lines.joined(separator: "\n").utf8))
    #expect(plan.tally(of: sums) == output.tally)
    let wanted = RuleBatchTests.described(worker, plan)

    let cuts = [0, 0, 1, 512, 513, 700, 1_300]
    let batches = zip(cuts, cuts.dropFirst()).map { from, to in
      ArrowTable(table.shape, Array(table.rows[from..<to]), seed: seed + UInt64(to))
    }
    let source = ArrowTables(batches, schema: whole)
    do {
      var exported = source.export()
      let stream = ArrowStream(taking: &exported)
      #expect(exported.release == nil)
      let columns = try FrameColumns(try stream.schema(), for: sample.rules, Self.options())
      #expect(whole.schemaReleases == 1)
      var frames = FrameStream(plan, columns, stream)
      var all = plan.emptySums
      var texts: [String] = []
      var first = 0
      while let part = try frames.decide() {
        #expect(frames.firstRow == first)
        first += part.lines
        all.add(part)
        texts += RuleBatchTests.described(frames.worker, plan)
        #expect(batches.filter { $0.releases == 0 }.count >= 1)
      }
      #expect(try frames.decide() == nil)
      #expect(texts == wanted)
      #expect(plan.tally(of: all) == plan.tally(of: sums))
      #expect(batches.map(\.releases) == Array(repeating: 1, count: batches.count))
    }
    #expect(source.releases == 1)
  }

  /// A large batch is given out in parts.
  @Test func partsOfALargeBatch() throws {
    let rules = try ruleSet(wireRule(expression: "user.n > 2"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let rows: [Value] = (0..<20_000).map { ["userId": .int($0), "user": ["n": .int($0 % 5)]] }
    let table = ArrowTable(
      .structure([("userId", .number("i")), ("user", .structure([("n", .number("c"))]))]), rows)
    var exported = ArrowTables([table], schema: table).export()
    let columns = try FrameColumns(table.field, for: rules)
    var frames = FrameStream(plan, columns, ArrowStream(taking: &exported))
    var parts: [Int] = []
    var sums = plan.emptySums
    while let part = try frames.decide() {
      parts.append(part.lines)
      sums.add(part)
    }
    #expect(parts == [8_192, 8_192, 3_616])
    #expect(plan.tally(of: sums).placements[0].paywall == 8_000)
  }

  /// What fails is released as well: the batch at fault, what was not read, the stream.
  @Test func releasesAfterErrors() throws {
    let rules = try ruleSet(wireRule(expression: "user.s == 'x'"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let shape: ArrowShape = .structure([
      ("userId", .text("u")), ("user", .structure([("s", .text("u"))])),
    ])
    let rows: [Value] = [
      ["userId": "a", "user": ["s": "x"]], ["userId": "b", "user": ["s": "y"]],
    ]
    let (good, bad, unread) = (
      ArrowTable(shape, rows), ArrowTable(shape, rows), ArrowTable(shape, rows)
    )
    bad.array.pointee.children[0]?.pointee.length = -1
    let source = ArrowTables([good, bad, unread], schema: good)
    do {
      var exported = source.export()
      let stream = ArrowStream(taking: &exported)
      let columns = try FrameColumns(try stream.schema(), for: rules)
      var frames = FrameStream(plan, columns, stream)
      #expect(try frames.decide()?.users == 2)
      for _ in 0..<2 {
        let error = #expect(throws: ArrowError.self) { _ = try frames.decide() }
        #expect(error?.column == "userId")
        #expect([good, bad, unread].map(\.releases) == [1, 1, 0])
      }
    }
    #expect(source.releases == 1)

    let failing = ArrowTables([], schema: good, failure: "the disk is full")
    do {
      var exported = failing.export()
      let columns = try FrameColumns(good.field, for: rules)
      var frames = FrameStream(plan, columns, ArrowStream(taking: &exported))
      let error = #expect(throws: ArrowError.self) { _ = try frames.decide() }
      #expect(error?.message == "the table: the stream failed: the disk is full")
    }
    #expect(failing.releases == 1)
    do {
      var array = unread.export()
      let batch = ArrowBatch(taking: &array)
      #expect(array.release == nil)
      #expect(batch.count == 2)
    }
    #expect(unread.releases == 1)
  }

  /// A row that cannot be read has no outcome, and is told with its reason; the others have theirs.
  @Test func rejectedRows() throws {
    let rules = try ruleSet(wireRule())
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let table = ArrowTable(
      .structure([
        ("userId", .text("u")), ("sessionStart", .text("u")),
        ("entitlements", .list("+l", .text("u"))),
      ]),
      [
        ["userId": "a", "sessionStart": .null, "entitlements": .null], ["userId": .null],
        ["userId": ""],
        ["userId": "b", "sessionStart": "yesterday"],
        ["userId": "c", "sessionStart": "2026-03-01T12:00:00Z", "entitlements": ["pro", .null]],
      ])
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    let sums = try worker.decide(table.array)
    #expect(worker.rejected.map(\.row) == [1, 2, 3])
    #expect(worker.rejected[0].reason == "'userId' is NULL; it is required")
    #expect(worker.rejected[1].reason == "'userId' is empty; it is required")
    #expect(worker.rejected[2].reason.hasPrefix("sessionStart: "))
    #expect(worker.choices.map { $0 < 0 } == [false, true, true, true, false])
    #expect(sums.users == 2 && sums.rejected == 3 && sums.lines == 5)
  }

  /// Lists of a block that do not fit into its memory are decided one by one, and one that fits nowhere has no
  /// outcome.
  @Test func largeValues() throws {
    let rules = try ruleSet(wireRule(expression: "user.l.exists(x, x == 3)"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    func row(_ number: Int, _ elements: Int) -> Value {
      [
        "userId": .string("u\(number)"),
        "user": ["l": .list(Array(repeating: 1, count: elements) + [3])],
      ]
    }
    // A cell takes sixteen bytes, and a block 4 MiB.
    var rows = (0..<20).map { row($0, 30_000) }
    rows.append(row(20, 300_000))
    let table = ArrowTable(
      .structure([
        ("userId", .text("u")), ("user", .structure([("l", .list("+l", .number("c")))])),
      ]
      ),
      rows, isPadded: false)
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    let sums = try worker.decide(table.array)
    #expect(plan.tally(of: sums).placements[0].paywall == 20)
    #expect(worker.rejected.map(\.row) == [20])
    #expect(worker.rejected.first?.reason == "its values take more memory than the limit allows")
  }

  /// A time that no calendar has is a mistake of its row.
  @Test func timesThatNoCalendarHas() throws {
    let rules = try ruleSet(
      wireRule(expression: "timestamp(user.t) > timestamp('2020-01-01T00:00:00Z')"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let last: Int64 = 253_402_300_799
    func row(_ seconds: Int64) -> Value {
      ["userId": "u", "user": ["t": .timestamp(seconds: seconds, nanoseconds: 0)]]
    }
    let shape = ArrowShape.structure([
      ("userId", .text("u")), ("user", .structure([("t", .timestamp("tss:UTC"))])),
    ])
    let table = ArrowTable(
      shape, [row(last), row(last + 1), row(0), row(-62_135_596_801), row(last)])
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    let sums = try worker.decide(table.array)
    #expect(worker.rejected.map(\.row) == [1, 3])
    let reason = "column 'user.t': the time is not in the years 1 to 9999"
    #expect(worker.rejected.map(\.reason) == [reason, reason])
    #expect(plan.tally(of: sums).placements[0].paywall == 2 && sums.rejected == 2)
    // The worker is as good as before.
    let good = ArrowTable(shape, [row(last)])
    #expect(plan.tally(of: try worker.decide(good.array)).placements[0].paywall == 1)
    #expect(worker.rejected.isEmpty)
  }

  /// A plan that only counts keeps no choices.
  @Test func counting() throws {
    let rules = try ruleSet(wireRule(expression: "user.n == 1"))
    let plan = BatchPlan(rules, now: 0, assigner: .hash(salt: ""), writesOutcomes: false)
    let table = ArrowTable(
      .structure([("userId", .number("L")), ("user", .structure([("n", .number("S"))]))]),
      (0..<1_000).map { ["userId": .int($0), "user": ["n": .int($0 % 2)]] })
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    #expect(plan.tally(of: try worker.decide(table.array)).placements[0].paywall == 500)
    #expect(worker.choices.isEmpty)
  }

  /// Times are texts to rules, as those of an app and of records of JSON are.
  @Test(arguments: [
    ("timestamp(user.since) < timestamp('2026-01-01T00:00:00Z')", "0100"),
    ("user.since == '2025-01-01T00:00:00Z'", "0100"),
    ("user.since == '2026-03-01T12:00:00.25Z'", "0010"),
    ("user.since.startsWith('2026-')", "0010"),
    ("user.since < timestamp('2026-01-01T00:00:00Z')", "0000"), ("has(user.since)", "0110"),
  ])
  func timestampsAsAttributes(condition: String, wanted: String) throws {
    let rules = try ruleSet(wireRule(expression: condition))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let times: [Value] = [
      .null, .timestamp(seconds: 1_735_689_600, nanoseconds: 0),
      .timestamp(seconds: 1_772_366_400, nanoseconds: 250_000_000), .null,
    ]
    for time in [ArrowShape.timestamp("tsm:UTC"), .dictionary("c", .timestamp("tsn:+01:00"))] {
      let table = ArrowTable(
        .structure([("userId", .text("vu")), ("user", .structure([("since", time)]))]),
        times.enumerated().map { ["userId": .string("u\($0)"), "user": ["since": $1]] })
      let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
      _ = try worker.decide(table.array)
      let taken = worker.choices.map {
        plan.choices[Int($0)].values.result == "paywall" ? "1" : "0"
      }
      #expect(taken.joined() == wanted)
    }
  }
}

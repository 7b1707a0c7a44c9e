import CArrow
import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// What fails is told, and leaves nothing behind.
@Suite struct FrameFailureTests {
  private static let shape = ArrowShape.structure([
    ("userId", .text("u")), ("sessionStart", .text("u")),
    ("user", .structure([("n", .number("l"))])),
  ])

  private static func rows(_ numbers: some Sequence<Int64>) -> [Value] {
    numbers.map { number in
      [
        "userId": .string("u\(number)"), "sessionStart": "2026-03-01T12:00:00Z",
        "user": ["n": .int(number)],
      ]
    }
  }

  /// An offset of a text that runs backwards.
  private static func damage(_ column: Int, _ row: Int, of table: ArrowTable) {
    let offsets = table.array.pointee.children[column]!.pointee.buffers[1]!
    UnsafeMutableRawPointer(mutating: offsets).storeBytes(
      of: Int32(-1), toByteOffset: (row + 1) * 4, as: Int32.self)
  }

  /// In the columns of its last block, and at a row that is decided alone: what failed of the rows before has been
  /// noted by then.
  @Test(arguments: [0, 1]) func batchesThatFailHalfWay(column: Int) throws {
    let rules = try ruleSet(wireRule(expression: "10 / user.n == 5"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let bad = ArrowTable(Self.shape, Self.rows((0..<1_000).map { $0 % 2 }), isPadded: false)
    let good = ArrowTable(Self.shape, Self.rows([2]))
    let columns = try FrameColumns(good.field, for: rules)
    let worker = FrameWorker(plan, columns)
    let fresh = FrameWorker(plan, columns)
    #expect(try worker.decide(bad.array).errors.values.map(\.users) == [500])
    Self.damage(column, 900, of: bad)
    let error = #expect(throws: ArrowError.self) { _ = try worker.decide(bad.array) }
    #expect(error?.column == ["userId", "sessionStart"][column])
    #expect(worker.choices.isEmpty && worker.count == 0 && worker.rejected.isEmpty)
    let sums = try worker.decide(good.array)
    let wanted = try fresh.decide(good.array)
    #expect(sums == wanted && sums.errors.isEmpty && sums.users == 1)
    #expect(worker.choices == fresh.choices)
    #expect(bad.releases == 0 && good.releases == 0)
  }

  /// Rows of errors are those of the stream, however it is cut.
  @Test func rowsOfStreams() throws {
    let rules = try ruleSet(wireRule(expression: "user.n == 1"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let good = ArrowTable(Self.shape, Self.rows(0..<700))
    let bad = ArrowTable(Self.shape, Self.rows(0..<9_000), isPadded: false)
    Self.damage(1, 8_500, of: bad)
    let source = ArrowTables([good, bad], schema: good)
    do {
      var exported = source.export()
      let columns = try FrameColumns(good.field, for: rules)
      var frames = FrameStream(plan, columns, ArrowStream(taking: &exported))
      #expect(try frames.decide()?.lines == 700)
      #expect(try frames.decide()?.lines == 8_192)
      for _ in 0..<2 {
        let error = #expect(throws: ArrowError.self) { _ = try frames.decide() }
        #expect(error?.column == "sessionStart" && error?.row == 9_200)
      }
    }
    #expect(good.releases == 1 && bad.releases == 1 && source.releases == 1)
  }

  /// A producer need not answer once it has said that there is no more.
  @Test func endedStreamsAreNotAsked() throws {
    let rules = try ruleSet(wireRule())
    let table = ArrowTable(Self.shape, Self.rows([1]))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let columns = try FrameColumns(table.field, for: rules)
    let source = ArrowTables([table], schema: table)
    var exported = source.export()
    var frames = FrameStream(plan, columns, ArrowStream(taking: &exported))
    #expect(try frames.decide()?.lines == 1)
    for _ in 0..<3 { #expect(try frames.decide() == nil) }
    #expect(source.requests == 2)
    let other = ArrowTables([table], schema: table)
    exported = other.export()
    var ended = FrameStream(plan, columns, ArrowStream(taking: &exported), hasEnded: true)
    #expect(try ended.decide() == nil)
    #expect(other.requests == 0)
  }

  /// What is asked of a plan that does not have it.
  @Test func plansThatCannot() throws {
    let rules = try ruleSet(wireRule(expression: "user.n == 1"))
    let table = ArrowTable(Self.shape, Self.rows([1, 2]))
    let columns = try FrameColumns(table.field, for: rules)
    let counting = BatchPlan(rules, now: 0, assigner: .hash(salt: ""), writesOutcomes: false)
    let worker = FrameWorker(counting, columns)
    #expect(try worker.decide(table.array).users == 2)
    let message = "the table: the plan only counts, so there are no outcomes to return"
    for plan in [counting, framePlan(rules, now: 0, .hash(salt: ""))] {
      var array = ArrowArray()
      let error = #expect(throws: ArrowError.self) {
        try FrameOutcomes(plan).export(worker, to: &array)
      }
      #expect(error?.message == message && array.release == nil)
    }
    // Numbers that mean nothing to the plan.
    var array = ArrowArray()
    let error = #expect(throws: ArrowError.self) {
      try FrameOutcomes(counting).export([0, 0], count: 2, to: &array)
    }
    #expect(error?.message == message && array.release == nil)
    let drawing = BatchPlan(
      rules, now: 0, assigner: .hash(salt: ""), texts: nil, countsDraws: true)
    let refused = #expect(throws: ArrowError.self) {
      _ = try FrameWorker(drawing, columns).decide(table.array)
    }
    #expect(
      refused?.message
        == "the table: the plan counts draws, which works for lines of JSON, but not for tables")
  }

  /// Numbers of outcomes that no memory has are refused before any is asked for.
  @Test func moreOutcomesThanAreKept() throws {
    let rules = try ruleSet(wireRule())
    let plan = BatchPlan(
      rules, placements: (0..<1_000).map { "p\($0)" }, now: 0, assigner: .hash(salt: ""),
      form: .rows, writesOutcomes: false, texts: nil, collectsChoices: true)
    let table = ArrowTable(
      .structure([("userId", .number("l"))]), [["userId": 1]], isPadded: false)
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    table.array.pointee.length = 1 << 21
    table.array.pointee.children[0]?.pointee.length = 1 << 21
    let error = #expect(throws: ArrowError.self) { _ = try worker.decide(table.array) }
    #expect(
      error?.message
        == "the table: 2097152 rows at 1000 placements are more than 1073741824 outcomes; give "
        + "fewer rows at once, or a stream")
  }

  /// A value of a dictionary that cannot be had is the fault of the rows that have it, and one that is damaged of
  /// no row in particular.
  @Test func valuesOfDictionaries() throws {
    let rules = try ruleSet(
      wireRule(expression: "timestamp(user.t) > timestamp('2020-01-01T00:00:00Z')"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    func row(_ seconds: Int64) -> Value {
      ["userId": "u", "user": ["t": .timestamp(seconds: seconds, nanoseconds: 0)]]
    }
    let table = ArrowTable(
      .structure([
        ("userId", .text("u")),
        ("user", .structure([("t", .dictionary("c", .timestamp("tss:UTC")))])),
      ]), [row(1_772_366_400), row(1 << 60), row(0), row(1_772_366_400)])
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    let sums = try worker.decide(table.array)
    #expect(sums.users == 3 && plan.tally(of: sums).placements[0].paywall == 2)
    #expect(
      worker.rejected.map(\.reason)
        == ["column 'user.t': the time is not in the years 1 to 9999"])

    let texts = ArrowTable(
      .structure([("userId", .dictionary("c", .text("u")))]),
      (0..<5).map { ["userId": .string("user \($0)")] }, isPadded: false)
    let values = texts.array.pointee.children[0]!.pointee.dictionary!
    let last = UnsafeMutableRawPointer(mutating: values.pointee.buffers[2]!)
    last.storeBytes(of: 0xFF, as: UInt8.self)
    let always = try ruleSet(wireRule())
    let other = FrameWorker(
      framePlan(always, now: 0, .hash(salt: "")), try FrameColumns(texts.field, for: always))
    let codes = texts.array.pointee.children[0]!.pointee.buffers[1]!
    let at = (0..<5).first { row in
      let code = codes.load(fromByteOffset: row, as: Int8.self)
      let offsets = values.pointee.buffers[1]!
      let from = offsets.load(fromByteOffset: Int(code) * 4, as: Int32.self)
      return from == 0
    }
    let error = #expect(throws: ArrowError.self) { _ = try other.decide(texts.array) }
    #expect(error?.row == at, "row \(at ?? -1)")
  }
}

/// Tables of which little is known.
@Suite struct FewColumnsTests {
  private static let text = ArrowShape.text("u")

  /// Columns that are NULL in all rows, flat or in structs: to rules both are the same map, with nulls or without.
  @Test(
    arguments: [RuleLanguage.standard, .superscript(.ios), .superscript(.android)],
    [ArrowNull.missing, .null])
  func flatColumnsOfNothing(language: RuleLanguage, null: ArrowNull) throws {
    let flat = ArrowTable(
      .structure([
        ("userId", Self.text), ("user.a", Self.text), ("user.n", .null),
        ("user.deep.m", .null), ("user.s", .structure([("x", .null)])),
      ]), [["userId": "u", "user.a": "x", "user.s": [:]], ["userId": "v", "user.a": .null]])
    let nested = ArrowTable(
      .structure([
        ("userId", Self.text),
        (
          "user",
          .structure([
            ("a", Self.text), ("n", .null), ("deep", .structure([("m", .null)])),
            ("s", .structure([("x", .null)])),
          ])
        ),
      ]),
      [
        ["userId": "u", "user": ["a": "x", "deep": [:], "s": [:]]],
        ["userId": "v", "user": ["a": .null, "deep": [:], "s": .null]],
      ])
    let expressions = [
      "user == {'a': 'x', 'n': null, 'deep': {'m': null}, 's': {'x': null}}",
      "user == {'a': 'x', 'deep': {}, 's': {}}", "has(user.n)", "has(user.deep.m)",
      "size(user) == 4", "size(user) == 3", "user.n == null", "user.deep.m == null",
      "user.s.x == null", "'n' in user",
    ]
    var taken = 0
    for expression in expressions {
      let rules = try ruleSet(wireRule(expression: expression), language: language)
      let plan = framePlan(rules, now: 0, .hash(salt: ""))
      var options = FrameColumns.Options()
      options.null = null
      options.ignoresMissing = true
      let found = try [flat, nested].map { table in
        let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules, options))
        _ = try worker.decide(table.array)
        return worker.choices.map { plan.choices[Int($0)].values.result }
      }
      #expect(found[0] == found[1], "\(expression)")
      taken += found[0].count { $0 == "paywall" }
    }
    #expect(taken > 0)
  }

  /// Who has nobody to decide for may call columns floats or NULL, and names are looked at all the same.
  @Test func tablesWithoutRows() throws {
    let rules = try ruleSet(wireRule(expression: "user.a == 'x'"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    func problem(_ columns: [(name: String, shape: ArrowShape)], hasRows: Bool = false) throws
      -> String?
    {
      let table = ArrowTable(.structure(columns), [])
      var options = FrameColumns.Options()
      options.hasRows = hasRows
      do throws(ArrowError) {
        let columns = try FrameColumns(try! table.field, for: rules, options)
        let worker = FrameWorker(plan, columns)
        let sums = try worker.decide(table.array)
        #expect(sums.lines == 0 && worker.choices.isEmpty)
        return nil
      } catch {
        return error.message
      }
    }
    let float = ArrowShape.number("g")
    for (id, other) in [(float, float), (.null, .null), (Self.text, float), (float, .null)] {
      #expect(try problem([("userId", id), ("user.a", other), ("entitlements", other)]) == nil)
      #expect(try problem([("userId", id), ("user", other)]) == nil)
    }
    #expect(
      try problem([("userId", float), ("user.a", Self.text)], hasRows: true)
        == "column 'userId': must be a string or an integer, not a floating point number; "
        + "cast it to an integer type (pandas: astype('Int64'), as integers with missing values become floats)"
    )
    #expect(try problem([("userId", .null), ("user.a", Self.text)], hasRows: true) != nil)
    #expect(
      try problem([("id", float), ("user.a", float)])?.hasPrefix("column 'userId'") == true)
    #expect(try problem([("userId", float)])?.hasPrefix("column 'user.a'") == true)
    #expect(
      try problem([("userId", .bool), ("user.a", float)])
        == "column 'userId': must be a string or an integer, not a bool")
  }

  /// Places deeper than any attribute, and tables with very many columns.
  @Test func manyNames() throws {
    let rules = try ruleSet(wireRule(expression: "user.a == 'x'"))
    let table = ArrowTable(.structure([("userId", Self.text), ("user.a", Self.text)]), [])
    var options = FrameColumns.Options()
    options.columns = ["user" + String(repeating: ".a", count: 300_000): "user.a"]
    let error = #expect(throws: ArrowError.self) {
      try FrameColumns(table.field, for: rules, options)
    }
    #expect(
      error?.message
        == "column 'user.a': is mapped to a path with more than 64 names")
    let names = (0..<30_000).map { "user.column\($0)" } + ["userId", "user.a"]
    let field = ArrowField("", .structure, names.map { ArrowField($0, .text) })
    let columns = try FrameColumns(field, for: rules)
    #expect(columns.binding.unused.count == 30_000)
  }
}

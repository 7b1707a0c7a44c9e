import CArrow
import Expressions
import TestSupport
import Testing

@testable import RuleBatch

/// Columns of every type and encoding become the cells that they say.
@Suite struct ArrowColumnTests {
  /// A type with values that it may have, null among them.
  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var shape: ArrowShape
    var values: [Value]
    var testDescription: String { name }
  }

  private static let texts: [Value] = [
    "", "a", "true", "seven b", "eight by", "twelve bytes", "thirteen byte", "fifteen bytes!!",
    "sixteen bytes!!!", "a text that fits into no cell", .null, "é", "日本語のテキストです", "false",
  ]

  /// What rules see of a value: a time is a text.
  private static func told(_ value: Value?) -> Value? {
    switch value {
    case .timestamp(1_772_366_400, 0): "2026-03-01T12:00:00Z"
    case .timestamp(1_772_366_400, 5_000_000): "2026-03-01T12:00:00.005Z"
    case .timestamp(-1, 0): "1969-12-31T23:59:59Z"
    case .timestamp(-1, 999_000_000): "1969-12-31T23:59:59.999Z"
    default: value
    }
  }

  private static func integers(_ format: String) -> [Value] {
    switch format {
    case "c": [0, 1, -1, 127, -128, .null]
    case "C": [0, 1, 255, .null]
    case "s": [0, -32_768, 32_767, .null]
    case "S": [0, 65_535, .null]
    case "i": [0, .int(Int64(Int32.min)), .int(Int64(Int32.max)), .null]
    case "I": [0, .int(Int64(UInt32.max)), .null]
    case "l": [0, .int(.min), .int(.max), .null]
    default: [0, .int(.max), .uint(.max), .uint(1 << 63), .null]
    }
  }

  static let samples: [Sample] =
    ArrowShape.integers.map { Sample(name: $0, shape: .number($0), values: integers($0)) }
    + [
      Sample(name: "n", shape: .null, values: [.null, .null]),
      Sample(name: "b", shape: .bool, values: [true, false, .null]),
      Sample(
        name: "e", shape: .number("e"),
        values: [
          .double(0), .double(-1.5), .double(65_504), .double(0x1p-24), .double(.infinity), .null,
        ]),
      Sample(name: "f", shape: .number("f"), values: [.double(0.5), .double(-3), .null]),
      Sample(
        name: "g", shape: .number("g"),
        values: [.double(0.1), .double(2), .double(-1e300), .null]),
      Sample(name: "u", shape: .text("u"), values: texts),
      Sample(name: "U", shape: .text("U"), values: texts),
      Sample(name: "vu", shape: .text("vu"), values: texts),
      Sample(
        name: "list", shape: .list("+l", .number("s")), values: [[], [1, 2], [3, .null], .null]),
      Sample(
        name: "large list", shape: .list("+L", .text("vu")),
        values: [[], ["a", "a text that fits into no cell"], .null]),
      Sample(
        name: "fixed list", shape: .list("+w:2", .number("i")),
        values: [[1, 2], [3, .null], .null]),
      Sample(
        name: "list of lists", shape: .list("+l", .list("+l", .text("u"))),
        values: [[], [[], ["a", .null]], [["b"], .null], .null]),
      Sample(
        name: "struct",
        shape: .structure([("a", .number("c")), ("a long name of a member", .text("U"))]),
        values: [
          ["a": 1, "a long name of a member": "x"], ["a": .null, "a long name of a member": "y"],
          .null,
        ]),
      Sample(
        name: "json", shape: .json(.bool),
        values: [
          true, ["a": [1, .null, "x"], "b": "a text that fits into no cell"], 2, "é", [], .null,
        ]),
      Sample(
        name: "map", shape: .map(.number("l")), values: [.map([]), ["k": 1, "l": .null], .null]),
    ]
    + ["s", "m", "u", "n"].map { unit in
      Sample(
        name: "ts\(unit)", shape: .timestamp("ts\(unit):UTC"),
        values: [
          .timestamp(seconds: 1_772_366_400, nanoseconds: unit == "s" ? 0 : 5_000_000),
          .timestamp(seconds: -1, nanoseconds: unit == "s" ? 0 : 999_000_000), .null,
        ])
    }
    + ArrowShape.integers.map {
      Sample(name: "dictionary \($0)", shape: .dictionary($0, .text("u")), values: texts)
    }
    + [
      Sample(
        name: "dictionary of lists", shape: .dictionary("s", .list("+l", .text("vu"))),
        values: [["a"], [], .null, ["a", "b"]]),
      Sample(
        name: "dictionary of numbers", shape: .dictionary("C", .number("g")),
        values: [.double(1), .null, .double(2.5)]),
    ]

  /// The values of a slot, by the loops over columns and by single rows.
  private func read(
    _ table: ArrowTable, _ program: Program, null: ArrowNull, count: Int
  ) throws -> (columns: [Cell], values: [Value?], alone: [Value?]) {
    let binding = try ArrowBinding(try table.field, for: program, null: null, .init())
    let rows = try ArrowRows(binding, table.array)
    #expect(rows.count == count)
    var columns = ColumnFrame(for: program)
    var frame = Frame(for: program)
    let masks = RowMasks.allocate(2)
    defer { masks.deallocate() }
    var cells: [Cell] = []
    var values: [Value?] = []
    var alone: [Value?] = []
    for start in stride(from: 0, to: count, by: 500) {
      let part = min(500, count - start)
      columns.reset()
      try rows.fill(
        &columns, ArrowRows.Selection(from: start, count: part), tooLarge: masks,
        scratch: masks + ColumnFrame.words)
      #expect(RowMasks.isEmpty(masks))
      // Listed rows become the same cells, in the order of the list.
      var listed = ColumnFrame(for: program)
      let list = (start..<start + part).reversed().map { $0 }
      try list.withUnsafeBufferPointer { list throws(ArrowError) in
        try rows.fill(
          &listed, ArrowRows.Selection(list), tooLarge: masks, scratch: masks + ColumnFrame.words)
      }
      #expect(RowMasks.isEmpty(masks))
      for row in 0..<part {
        let (cell, other) = (columns.cell(0, row: row), listed.cell(0, row: part - 1 - row))
        #expect(cell.isValue == other.isValue)
        if cell.isValue { #expect(Value(cell) == Value(other)) }
      }
      for row in 0..<part {
        let cell = columns.cell(0, row: row)
        cells.append(cell)
        values.append(cell.isValue ? Value(cell) : nil)
        frame.reset()
        #expect(try rows.fillRow(start + row, of: &frame))
        alone.append(frame.slots[0].isValue ? Value(frame.slots[0]) : nil)
      }
    }
    return (cells, values, alone)
  }

  @Test(arguments: samples) func everyType(sample: Sample) throws {
    let program = try ExpressionEnvironment().compile("user.x == 1").get()
    var random = SplitMix(seed: 7)
    for seed in 0..<UInt64(Extent.count(20, or: 4)) {
      let count = [0, 1, 63, 64, 65, 600, 1_100][Int(seed % 7)]
      let values = (0..<count).map { _ in sample.values.randomElement(using: &random) ?? .null }
      let table = ArrowTable(
        .structure([("other", .bool), ("user", .structure([("x", sample.shape)]))]),
        values.map { ["other": true, "user": ["x": $0]] }, seed: seed, isPadded: seed > 0)
      for null in [ArrowNull.missing, .null] {
        let read = try read(table, program, null: null, count: count)
        let wanted = values.map { Self.told(null == .null ? $0 : $0.withoutNullMembers) }
        #expect(read.values == wanted)
        #expect(read.alone == wanted)
      }
    }
  }

  /// What is NULL on the way to an attribute says what the attribute is.
  @Test func structsThatAreNull() throws {
    let program = try ExpressionEnvironment().compile(
      "user.address.city == 'x' || device.address.city == 'x'"
    ).get()
    let city: ArrowShape = .structure([("address", .structure([("city", .text("u"))]))])
    let users: [Value] = [
      .null, ["address": .null], ["address": ["city": .null]], ["address": ["city": "x"]],
    ]
    let table = ArrowTable(
      .structure([("user", city), ("device", city)]), users.map { ["user": $0, "device": $0] },
      seed: 3)
    func cells(_ null: ArrowNull) throws -> [Cell] {
      let binding = try ArrowBinding(
        try table.field, for: program, null: null, .init(objects: ["user"]))
      let rows = try ArrowRows(binding, table.array)
      var columns = ColumnFrame(for: program)
      let masks = RowMasks.allocate(2)
      defer { masks.deallocate() }
      try rows.fill(
        &columns, ArrowRows.Selection(from: 0, count: 4), tooLarge: masks,
        scratch: masks + ColumnFrame.words)
      var cells: [Cell] = []
      for slot in 0..<2 { for row in 0..<4 { cells.append(columns.cell(slot, row: row)) } }
      return cells
    }
    let text = Cell(textAt: ByteView(start: nil, count: 0))
    #expect(text == .emptyText)
    let x = Cell(low: UInt64(Tag.shortText) | 1 | UInt64(UInt8(ascii: "x")) << 8, high: 0)
    #expect(
      try cells(.missing) == [
        .unreachable, .unreachable, .missing, x, .unreachable, .unreachable, .missing, x,
      ])
    // As JSON has it: `{"user": null}` is a record without a user, `{"device": null}` here one with a null.
    #expect(
      try cells(.null) == [
        .unreachable, .notAMap, .null, x, .notAMap, .notAMap, .null, x,
      ])
  }

  @Test(arguments: [
    (
      "d:10,2",
      "column 'user.x': is a decimal, which rules have no value for; cast it to a double or a string"
    ),
    (
      "tdD",
      "column 'user.x': is a date, which rules have no value for; cast it to a string or to a timestamp with a time zone"
    ),
    (
      "ttm", "column 'user.x': is a time of day, which rules have no value for; cast it to a string"
    ),
    ("tDs", "column 'user.x': is a duration, which rules have no value for; cast it to a number"),
    (
      "tiM", "column 'user.x': is an interval, which rules have no value for; cast it to a number"
    ),
    ("z", "column 'user.x': is binary data, which rules have no value for; cast it to a string"),
    ("w:16", "column 'user.x': is binary data, which rules have no value for; cast it to a string"),
    (
      "tsu:",
      "column 'user.x': is a timestamp without a time zone, which rules have no value for; give it one, such as UTC"
    ),
    (
      "+ud:0",
      "column 'user.x': is a union, which rules have no value for; cast it to a single type"
    ),
    (
      "new",
      "column 'user.x': is of the unknown format 'new', which rules have no value for; cast it to a known type"
    ),
  ])
  func otherTypes(format: String, message: String) throws {
    let table = ArrowTable(
      .structure([("user", .structure([("x", .other(format)), ("y", .bool)]))]),
      [["user": ["x": 1, "y": true]]])
    func problem(_ expression: String) throws -> String? {
      let program = try ExpressionEnvironment().compile(expression).get()
      do throws(ArrowError) {
        _ = try ArrowBinding(try! table.field, for: program, .init())
        return nil
      } catch {
        return error.message
      }
    }
    #expect(try problem("user.x == 1") == message)
    // Wherever it is, and only where somebody reads it.
    #expect(try problem("size(user) == 1") == message)
    #expect(try problem("user.y") == nil)
  }
}

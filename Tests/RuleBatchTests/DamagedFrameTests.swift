import CArrow
import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// Arrays that are not what they should be are errors that name the column, and never trap.
@Suite struct DamagedFrameTests {
  typealias Array = UnsafeMutablePointer<ArrowArray>

  private static let times = ArrowShape.map(.list("+l", .timestamp("tsu:UTC")))
  private static let shape: ArrowShape = .structure([
    ("userId", .text("u")),
    (
      "user",
      .structure([
        ("n", .number("i")), ("t", .text("u")), ("big", .text("U")), ("v", .text("vu")),
        ("d", .dictionary("c", .text("u"))), ("l", .list("+l", .text("u"))),
        ("w", .list("+w:2", .bool)), ("b", .bool), ("x", .timestamp("tss:UTC")),
      ])
    ), ("events", times),
  ])

  private static let rows: [Value] = (0..<3).map { number in
    [
      "userId": .string("u\(number)"),
      "user": [
        "n": 1, "t": "text", "big": "text", "v": "a text of more than fifteen bytes", "d": "x",
        "l": ["a", "b"], "w": [true, false], "b": true,
        "x": .timestamp(seconds: 5, nanoseconds: 0),
      ],
      "events": ["app_open": [.timestamp(seconds: 5, nanoseconds: 0)]],
    ]
  }

  private static let expression =
    "[user.n, user.t, user.big, user.v, user.d, user.l, user.w, user.b, user.x].size() == 9 "
    + "|| device.daysSince('app_open') == 1"

  struct Damage: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var column: String
    var change: @Sendable (Array) -> Void

    init(_ name: String, _ column: String, _ change: @escaping @Sendable (Array) -> Void) {
      testDescription = name
      self.column = column
      self.change = change
    }
  }

  private static func child(_ array: Array, _ path: Int...) -> Array {
    path.reduce(array) { $0.pointee.children[$1]! }
  }

  /// Writes into a buffer of an array.
  private static func write<Element: BitwiseCopyable>(
    _ element: Element, _ place: Int, buffer: Int = 1, of array: Array
  ) {
    let buffer = UnsafeMutableRawPointer(mutating: array.pointee.buffers[buffer]!)
    buffer.storeBytes(
      of: element, toByteOffset: place * MemoryLayout<Element>.stride, as: Element.self)
  }

  static let damages: [Damage] = [
    Damage("length", "") { $0.pointee.length = -1 },
    Damage("offset", "") { $0.pointee.offset = -1 },
    Damage("offset without end", "") { $0.pointee.offset = .max },
    Damage("length without end", "") { $0.pointee.length = .max },
    Damage("longer than its columns", "user") { $0.pointee.length = 4 },
    Damage("children", "") { $0.pointee.n_children = 1 },
    Damage("negative children", "") { $0.pointee.n_children = -3 },
    Damage("no list of children", "") { $0.pointee.children = nil },
    Damage("child that is not there", "") { $0.pointee.children[1] = nil },
    Damage("no buffers", "user.n") { child($0, 1, 0).pointee.n_buffers = 1 },
    Damage("negative buffers", "user.n") { child($0, 1, 0).pointee.n_buffers = -2 },
    Damage("no list of buffers", "user.n") { child($0, 1, 0).pointee.buffers = nil },
    Damage("buffer that is not there", "user.n") { child($0, 1, 0).pointee.buffers[1] = nil },
    Damage("bools that are not there", "user.b") { child($0, 1, 7).pointee.buffers[1] = nil },
    Damage("NULLs without a bitmap", "user.n") { child($0, 1, 0).pointee.null_count = 2 },
    Damage("child that is short", "user.n") { child($0, 1, 0).pointee.length = 2 },
    Damage("negative child", "user.t") { child($0, 1, 1).pointee.length = -5 },
    Damage("children of a number", "user.n") { child($0, 1, 0).pointee.n_children = 1 },
    Damage("offsets that run backwards", "user.t") { write(Int32(2), 2, of: child($0, 1, 1)) },
    Damage("negative offset", "user.t") { write(Int32(-4), 1, of: child($0, 1, 1)) },
    Damage("offset that wraps", "user.t") { write(Int32.min, 2, of: child($0, 1, 1)) },
    Damage("negative first offset", "user.t") { write(Int32(-1), 0, of: child($0, 1, 1)) },
    Damage("negative last offset", "user.t") { write(Int32(-1), 3, of: child($0, 1, 1)) },
    Damage("texts without bytes", "user.t") { child($0, 1, 1).pointee.buffers[2] = nil },
    Damage("texts without offsets", "user.t") { child($0, 1, 1).pointee.buffers[1] = nil },
    Damage("bytes that are no text", "user.t") {
      write(UInt8(0xFF), 5, buffer: 2, of: child($0, 1, 1))
    },
    Damage("large offsets that run backwards", "user.big") {
      write(Int64(1), 2, of: child($0, 1, 2))
    },
    Damage("negative large offset", "user.big") { write(Int64.min, 1, of: child($0, 1, 2)) },
    Damage("bytes that are no large text", "user.big") {
      write(UInt8(0x80), 0, buffer: 2, of: child($0, 1, 2))
    },
    Damage("identity that is no text", "userId") {
      write(UInt8(0xC0), 0, buffer: 2, of: child($0, 0))
    },
    Damage("identities whose offsets run backwards", "userId") {
      write(Int32(0), 2, of: child($0, 0))
    },
    Damage("negative view", "user.v") { write(Int32(-1), 4, of: child($0, 1, 3)) },
    Damage("view of no buffer", "user.v") { write(Int32(2), 6, of: child($0, 1, 3)) },
    Damage("view of a negative buffer", "user.v") { write(Int32(-1), 6, of: child($0, 1, 3)) },
    Damage("view that begins before its buffer", "user.v") {
      write(Int32(-1), 7, of: child($0, 1, 3))
    },
    Damage("view that ends behind its buffer", "user.v") {
      write(Int32.max, 7, of: child($0, 1, 3))
    },
    Damage("view that is too long", "user.v") { write(Int32.max, 4, of: child($0, 1, 3)) },
    Damage("buffers of a negative size", "user.v") {
      write(Int64(-1), 0, buffer: 4, of: child($0, 1, 3))
    },
    Damage("buffers of views that are not there", "user.v") {
      child($0, 1, 3).pointee.buffers[2] = nil
      child($0, 1, 3).pointee.buffers[3] = nil
    },
    Damage("more buffers than there can be", "user.v") {
      child($0, 1, 3).pointee.n_buffers = 1 << 40
    },
    Damage("no sizes of buffers", "user.v") { child($0, 1, 3).pointee.buffers[4] = nil },
    Damage("code behind the dictionary", "user.d") { write(Int8(2), 1, of: child($0, 1, 4)) },
    Damage("negative code", "user.d") { write(Int8(-1), 2, of: child($0, 1, 4)) },
    Damage("no dictionary", "user.d") { child($0, 1, 4).pointee.dictionary = nil },
    Damage("dictionary without rows", "user.d") {
      child($0, 1, 4).pointee.dictionary.pointee.length = 0
    },
    Damage("text of a dictionary", "user.d") {
      // Beside the value there is an entry of three bytes that is NULL.
      for place in [0, 3] {
        write(UInt8(0xFF), place, buffer: 2, of: child($0, 1, 4).pointee.dictionary)
      }
    },
    Damage("offsets of a dictionary", "user.d") {
      write(Int32(9), 1, of: child($0, 1, 4).pointee.dictionary)
    },
    Damage("list that ends behind its elements", "user.l") {
      write(Int32(7), 3, of: child($0, 1, 5))
    },
    Damage("list that runs backwards", "user.l") { write(Int32(0), 2, of: child($0, 1, 5)) },
    Damage("negative list", "user.l") { write(Int32(-1), 0, of: child($0, 1, 5)) },
    Damage("elements that are not there", "user.l") { child($0, 1, 5).pointee.children[0] = nil },
    Damage("text of a list", "user.l") {
      write(UInt8(0xFF), 1, buffer: 2, of: child($0, 1, 5, 0))
    },
    Damage("lists of one length without elements", "user.w") {
      child($0, 1, 6, 0).pointee.length = 5
    },
    Damage("map that ends behind its entries", "events") { write(Int32(9), 3, of: child($0, 2)) },
    Damage("key that is no text", "events") {
      write(UInt8(0xFF), 0, buffer: 2, of: child($0, 2, 0, 0))
    },
    Damage("released", "") { release($0) },
    Damage("released column", "user") { release(child($0, 1)) },
    Damage("released identities", "userId") { release(child($0, 0)) },
    Damage("released member", "user.n") { release(child($0, 1, 0)) },
    Damage("released elements", "user.l") { release(child($0, 1, 5, 0)) },
    Damage("released codes", "user.d") { release(child($0, 1, 4)) },
    Damage("released dictionary", "user.d") { release(child($0, 1, 4).pointee.dictionary) },
    Damage("released events", "events") { release(child($0, 2)) },
    Damage("released entries", "events") { release(child($0, 2, 0)) },
  ]

  /// What is left of an array whose memory is somebody else's.
  private static func release(_ array: Array) {
    array.pointee.release = nil
    array.pointee.buffers = UnsafeMutablePointer(bitPattern: 8)
    array.pointee.children = UnsafeMutablePointer(bitPattern: 8)
    array.pointee.dictionary = UnsafeMutablePointer(bitPattern: 8)
  }

  /// In the loops over columns, and where a row with events is decided alone.
  @Test(arguments: damages, [true, false]) func damagedArrays(damage: Damage, hasEvents: Bool)
    throws
  {
    if damage.column == "events", !hasEvents { return }
    let rules = try ruleSet(wireRule(expression: Self.expression), language: .superscript(.ios))
    let rows = Self.rows.map { row in
      hasEvents
        ? row
        : .map(
          (row.members ?? []).filter { $0.key != "events" }.map {
            Value.Entry(key: .string($0.key), value: $0.value)
          })
    }
    let table = ArrowTable(Self.shape, rows, isPadded: false)
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    var options = FrameColumns.Options()
    options.ignoresMissing = true
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules, options))
    #expect(try worker.decide(table.array).users == 3)
    damage.change(table.array)
    let error = #expect(throws: ArrowError.self) { _ = try worker.decide(table.array) }
    #expect(error?.column.hasPrefix(damage.column) == true)
    #expect(error.map { !$0.reason.isEmpty } == true)
    if damage.testDescription.hasPrefix("released") {
      #expect(error?.reason.hasSuffix("has been released") == true)
    }
    // The worker is as good as before.
    let other = ArrowTable(Self.shape, Self.rows)
    #expect(try worker.decide(other.array).users == 3)
  }

  /// Times that no calendar has, which are a row's own fault.
  static let strangeTimes = [
    Damage("time of no year", "user.x") { write(Int64.max, 1, of: child($0, 1, 8)) },
    Damage("time of an event in no year", "events") {
      write(Int64.min, 1, of: child($0, 2, 0, 1, 0))
    },
  ]

  @Test(arguments: strangeTimes) func timesOfNoYear(damage: Damage) throws {
    let rules = try ruleSet(wireRule(expression: Self.expression), language: .superscript(.ios))
    let table = ArrowTable(Self.shape, Self.rows, isPadded: false)
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    var options = FrameColumns.Options()
    options.ignoresMissing = true
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules, options))
    damage.change(table.array)
    let sums = try worker.decide(table.array)
    #expect(sums.users == 2 && sums.rejected == 1)
    let reason = worker.rejected.first?.reason
    #expect(reason?.contains(damage.column) == true && reason?.contains("1 to 9999") == true)
  }

  /// What a batch says of itself is not believed without end.
  @Test func moreRowsThanThereAre() throws {
    let rules = try ruleSet(wireRule())
    let table = ArrowTable(
      .structure([("userId", .number("l"))]), [["userId": 1]], isPadded: false)
    let worker = FrameWorker(
      framePlan(rules, now: 0, .hash(salt: "")), try FrameColumns(table.field, for: rules))
    table.array.pointee.length = 1 << 40
    table.array.pointee.children[0]?.pointee.length = 1 << 40
    let error = #expect(throws: ArrowError.self) { _ = try worker.decide(table.array) }
    #expect(
      error?.message == "the table: the batch has 1099511627776 rows; give at most 268435456")
  }

  @Test func damagedSchemas() throws {
    func problem(_ change: (UnsafeMutablePointer<ArrowSchema>) -> Void) throws -> String? {
      let table = ArrowTable(Self.shape, Self.rows)
      change(table.schema)
      do throws(ArrowError) {
        let field = try ArrowField(table.schema)
        let rules = try! ruleSet(wireRule(expression: "user.l == user.w"))
        _ = try FrameColumns(field, for: rules)
        return nil
      } catch {
        return error.message
      }
    }
    #expect(try problem { _ in } == nil)
    #expect(try problem { $0.pointee.release = nil } == "the table: the schema has been released")
    #expect(try problem { $0.pointee.format = nil } == "the table: the schema has no format")
    #expect(
      try problem { $0.pointee.n_children = -1 }
        == "the table: the schema has no list of its -1 children")
    #expect(
      try problem { $0.pointee.children = nil }
        == "the table: the schema has no list of its 3 children")
    #expect(
      try problem { $0.pointee.children[1] = nil }
        == "the table: child 1 of the schema is missing")
    #expect(
      try problem { $0.pointee.children[1]?.pointee.children[5]?.pointee.n_children = 0 }
        == "column 'user.l': the schema has 0 children; expected 1")
    #expect(
      try problem { $0.pointee.children[1]?.pointee.release = nil }
        == "the table: child 1 of the schema has been released")
    #expect(
      try problem { $0.pointee.children[1]?.pointee.children[5]?.pointee.release = nil }
        == "column 'user': child 5 of the schema has been released")
    #expect(
      try problem { schema in
        schema.pointee.children[1]?.pointee.children[4]?.pointee.dictionary.pointee.release = nil
      } == "column 'user.d': the schema of the dictionary has been released")
    // The entries of a map as codes of a dictionary.
    let coded = ArrowTable(.map(.text("u")), [])
    let codes = ArrowTable(
      .dictionary("i", .structure([("key", .text("u")), ("value", .text("u"))])), [])
    coded.schema.pointee.children[0]!.pointee = codes.schema.pointee
    withExtendedLifetime(codes) {
      _ = #expect(throws: ArrowError.self) { try ArrowField(coded.schema) }
    }
    // A schema that leads back to itself.
    #expect(
      try problem { $0.pointee.children[1] = $0 }?.contains("nested too deep") == true)
    #expect(
      try problem { $0.pointee.children[0]?.pointee.dictionary = $0.pointee.children[1] }
        == "column 'userId': the codes of a dictionary must be integers")
    // A table is a struct.
    #expect(
      try problem { schema in
        schema.pointee = schema.pointee.children[0]!.pointee
      } == "the table: is a string, and must be a struct of columns")
  }
}

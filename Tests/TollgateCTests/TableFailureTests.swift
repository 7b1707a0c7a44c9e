import CArrow
import CTollgate
import Expressions
import TestSupport
import Testing
import TollgateC

/// Tables and streams at fault, through the C library.
@Suite struct TableFailureTests {
  private static let shape = ArrowShape.structure([
    ("userId", .text("u")), ("sessionStart", .text("u")),
    ("user", .structure([("plan", .dictionary("c", .text("u"))), ("visits", .number("s"))])),
  ])

  private static func table(_ count: Int) -> ArrowTable {
    let rows: [Value] = (0..<count).map { number in
      [
        "userId": .string("u\(number)"), "sessionStart": "2026-03-01T12:00:00Z",
        "user": ["plan": number % 2 == 0 ? "free" : "pro", "visits": 5],
      ]
    }
    return ArrowTable(shape, rows, isPadded: false)
  }

  /// A text whose offsets run backwards.
  private static func damage(_ row: Int, of table: ArrowTable) {
    let offsets = table.array.pointee.children[1]!.pointee.buffers[1]!
    UnsafeMutableRawPointer(mutating: offsets).storeBytes(
      of: Int32(-1), toByteOffset: (row + 1) * 4, as: Int32.self)
  }

  private func plan() throws -> LibraryPlan {
    try LibraryPlan(LibraryConfig(LibraryTests.config), #"{"now": "2026-03-01T00:00:00Z"}"#)
  }

  /// Neither is half of a table given out, nor counted.
  @Test func tablesThatFailHalfWay() throws {
    let (plan, report) = (try plan(), try LibraryReport())
    let (good, bad) = (Self.table(10), Self.table(2_000))
    Self.damage(1_500, of: bad)
    var (out, error) = (ArrowArray(), tg_text())
    for number in 1...3 {
      #expect(
        tg_plan_decide(plan.pointer, bad.schema, bad.array, report.pointer, &out, &error)
          == TG_BAD_ARRAY)
      let told = take(error)
      #expect(told?["column"] == "sessionStart" && told?["row"] == 1_500 && out.release == nil)
      #expect(
        tg_plan_decide(plan.pointer, good.schema, good.array, report.pointer, &out, &error)
          == TG_OK)
      #expect(take(error) == nil && out.length == 10)
      out.release(&out)
      #expect(report.value?["users"] == .int(Int64(number * 10)))
      #expect(report.value?["failure"] == nil)
    }
    #expect(good.releases == 0 && bad.releases == 0)
  }

  /// What a stream cannot say of its end is in the report.
  @Test func streamsThatFailHalfWay() throws {
    let plan = try plan()
    let (good, bad, unread) = (Self.table(10_000), Self.table(2_000), Self.table(1))
    Self.damage(1_500, of: bad)
    let tables = ArrowTables([good, bad, unread], schema: good)
    let report = try LibraryReport()
    var (users, out, array) = (tables.export(), ArrowArrayStream(), ArrowArray())
    #expect(tg_plan_stream(plan.pointer, &users, report.pointer, &out, nil) == TG_OK)
    for rows in [8_192, 1_808] {
      #expect(out.get_next(&out, &array) == 0 && array.length == rows)
      array.release(&array)
    }
    for _ in 0..<2 {
      #expect(out.get_next(&out, &array) != 0 && array.release == nil)
      let told = out.get_last_error(&out).map { String(cString: $0) }
      let failure = report.value?["failure"]
      #expect(failure?["code"] == "bad_array" && failure?["column"] == "sessionStart")
      #expect(failure?["row"] == 11_500 && failure?["message"]?.text == told)
      #expect(report.value?["users"] == 10_000)
    }
    #expect([good, bad, unread].map(\.releases) == [1, 1, 0] && tables.releases == 0)
    out.release(&out)
    #expect(tables.releases == 1)

    let (more, again) = (Self.table(10), Self.table(2_000))
    Self.damage(3, of: again)
    let counted = ArrowTables([more, again], schema: more)
    users = counted.export()
    let (status, told) = answer { tg_plan_count(plan.pointer, &users, $0) }
    #expect(status == TG_BAD_ARRAY && told?["column"] == "sessionStart" && told?["row"] == 13)
    #expect(more.releases == 1 && again.releases == 1 && counted.releases == 1)
  }

  /// Memory of what has been released is never looked at.
  @Test func releasedStructures() throws {
    let plan = try plan()
    var (out, error) = (ArrowArray(), tg_text())
    func problem(_ change: (ArrowTable) -> Void) -> String? {
      let table = Self.table(3)
      change(table)
      #expect(
        tg_plan_decide(plan.pointer, table.schema, table.array, nil, &out, &error) != TG_OK)
      #expect(out.release == nil)
      return take(error)?["message"]?.text
    }
    func freed(_ array: UnsafeMutablePointer<ArrowArray>?) {
      array?.pointee.release = nil
      array?.pointee.buffers = UnsafeMutablePointer(bitPattern: 8)
      array?.pointee.children = UnsafeMutablePointer(bitPattern: 8)
    }
    #expect(problem { freed($0.array) } == "the table: the batch has been released")
    #expect(
      problem { freed($0.array.pointee.children[2]) }
        == "column 'user': the array has been released")
    #expect(
      problem { freed($0.array.pointee.children[2]?.pointee.children[0]) }
        == "column 'user.plan': the array has been released")
    #expect(
      problem { freed($0.array.pointee.children[2]?.pointee.children[0]?.pointee.dictionary) }
        == "column 'user.plan': the array has been released")
    #expect(
      problem { $0.schema.pointee.children[2]?.pointee.release = nil }
        == "the table: child 2 of the schema has been released")

    for place in 0..<2 {
      let table = Self.table(3)
      var (schema, array, stream) = (
        table.exportSchema(), table.export(), ArrowArrayStream()
      )
      if place == 0 { schema.release(&schema) } else { array.release(&array) }
      #expect(tg_array_stream(&schema, &array, &stream, &error) == TG_BAD_ARRAY)
      let what = ["schema", "array"][place]
      #expect(take(error)?["message"] == .string("the table: the \(what) has been released"))
      // What has not been taken is still the caller's.
      #expect(stream.release == nil && (schema.release == nil) != (array.release == nil))
      schema.release?(&schema)
      array.release?(&array)
      #expect(table.releases == 1 && table.schemaReleases == 1)
    }
  }

  /// Nobody is to be kept from deciding for nobody.
  @Test func tablesWithoutRows() throws {
    let plan = try plan()
    let floats = ArrowShape.structure([
      ("userId", .number("g")), ("user.plan", .number("g")), ("user.visits", .null),
    ])
    let row: Value = ["userId": 1, "user.plan": 1]
    for count in 0...1 {
      let table = ArrowTable(floats, Array(repeating: row, count: count))
      var (out, error) = (ArrowArray(), tg_text())
      let status = tg_plan_decide(
        plan.pointer, table.schema, table.array, nil, &out, &error)
      let told = take(error)
      #expect(status == (count == 0 ? TG_OK : TG_BAD_COLUMN))
      #expect(out.n_children == (count == 0 ? 2 : 0) && out.length == 0)
      #expect(told?["column"] == (count == 0 ? nil : "userId"))
      out.release?(&out)

      let empty = ArrowTable(floats, [])
      let tables = ArrowTables([empty, table], schema: table)
      var (users, stream) = (tables.export(), ArrowArrayStream())
      #expect(tg_plan_stream(plan.pointer, &users, nil, &stream, &error) == status)
      #expect(take(error)?["column"] == (count == 0 ? nil : "userId"))
      #expect(empty.releases == 1 && table.releases == 1)
      if count == 0 {
        #expect(stream.get_next(&stream, &out) == 0 && out.release == nil)
        stream.release(&stream)
      }
      #expect(users.release == nil && stream.release == nil && tables.releases == 1)

      let others = ArrowTables(
        [ArrowTable(floats, Array(repeating: row, count: count))], schema: table)
      users = others.export()
      let (counted, counts) = answer { tg_plan_count(plan.pointer, &users, $0) }
      #expect(counted == status && others.releases == 1)
      if count == 0 {
        #expect(counts?["users"] == 0)
        #expect(counts?["placements"]?["export"]?["outcomes"]?["paywall"] == 0)
      }
    }
  }

  /// What is wrong with the names of a table without rows is told, and not what its columns hold.
  @Test func namesOfTablesWithoutRows() throws {
    let plan = try plan()
    let table = ArrowTable(
      .structure([("userId", .number("g")), ("user.plan", .number("g"))]), [])
    var (out, error) = (ArrowArray(), tg_text())
    #expect(
      tg_plan_decide(plan.pointer, table.schema, table.array, nil, &out, &error) == TG_BAD_COLUMN)
    #expect(take(error)?["column"] == "user.visits" && out.release == nil)
    let tables = ArrowTables([table], schema: table)
    var users = tables.export()
    let (status, told) = answer { tg_plan_count(plan.pointer, &users, $0) }
    #expect(status == TG_BAD_COLUMN && told?["column"] == "user.visits")
    #expect(table.releases == 1 && tables.releases == 1)
  }
}

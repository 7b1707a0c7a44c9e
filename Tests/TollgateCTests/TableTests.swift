import CArrow
import CTollgate
import Expressions
import RuleBatch
import TestSupport
import Testing
import TollgateC

/// Tables through the C library.
@Suite struct TableTests {
  private static let shape = ArrowShape.structure([
    ("userId", .text("u")),
    ("user", .structure([("plan", .text("vu")), ("visits", .number("s"))])),
  ])

  private static func rows(_ count: Int) -> [Value] {
    (0..<count).map { number in
      let plan: Value = number % 3 == 0 ? "free" : "a plan with a long name"
      let visits: Value = number % 4 == 0 ? .null : .int(Int64(number % 8))
      let id: Value = number % 11 == 5 ? .null : .string("u\(number)")
      return ["userId": id, "user": ["plan": plan, "visits": visits]]
    }
  }

  private func plan(
    _ config: LibraryConfig, _ options: String = #"{"now": "2026-03-01T00:00:00Z"}"#
  )
    throws -> LibraryPlan
  {
    try LibraryPlan(config, options)
  }

  /// What a plan says of each row and placement, as texts of its fields.
  private func read(_ plan: LibraryPlan, _ array: ArrowArray) throws -> [[Value?]] {
    var schema = ArrowSchema()
    #expect(tg_plan_schema(plan.pointer, &schema, nil) == TG_OK)
    defer { schema.release(&schema) }
    return try columns(schema, array)
  }

  /// The columns of a struct, read back by the interface.
  private func columns(_ schema: ArrowSchema, _ array: ArrowArray) throws -> [[Value?]] {
    var (schema, array) = (schema, array)
    let field = try ArrowField(&schema)
    let program = try ExpressionEnvironment().compile("true").get()
    let names = field.children.map(\.name)
    let binding = try ArrowBinding(
      field, for: program, .init(captures: names, paths: { [[$0]] }))
    var rows = try ArrowRows(binding, &array)
    var found: [[Value?]] = []
    for number in names.indices {
      var column: [Value?] = []
      for row in 0..<rows.count { column.append(try rows.value(ofCapture: number, row)) }
      found.append(column)
    }
    return found
  }

  /// The string "25" is above 18 for iOS SDK 4.11.2 and not comparable for 4.16.2, for a table as for one user.
  @Test func decidesAsAVersionOfTheSDK() throws {
    let config = try LibraryConfig(
      #"{"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g","#
        + #""expression_cel":"user.age > 18","variants":[{"variant_id":"v","variant_type":"TREATMENT","#
        + #""percentage":100,"paywall_identifier":"w"}]}]}]}"#)
    let shape = ArrowShape.structure([
      ("userId", .text("u")), ("user", .structure([("age", .text("u"))])),
    ])
    for (version, result) in [("4.11.2", "paywall"), ("4.16.2", "noAudienceMatch")] {
      let plan = try plan(config, #"{"fields": ["result"], "sdkVersion": "\#(version)"}"#)
      let table = ArrowTable(shape, [["userId": "a", "user": ["age": "25"]]])
      var out = ArrowArray()
      #expect(tg_plan_decide(plan.pointer, table.schema, table.array, nil, &out, nil) == TG_OK)
      let found = try read(plan, out)
      out.release(&out)
      #expect(found[0][0]?["result"] == .string(result), "\(version): \(found)")
      let (status, one) = config.ask(
        tg_decide, #"{"userId":"a","user":{"age":"25"},"sdkVersion":"\#(version)"}"#)
      #expect(status == TG_OK)
      #expect(one?["decisions"]?.elements?.first?["result"]?["result"] == .string(result))
    }
    let options = #"{"sdkVersion": "4.x"}"#
    var (made, said): (OpaquePointer?, tg_text) = (nil, tg_text())
    let status = tg_plan_make(config.pointer, options, options.utf8.count, nil, &made, &said)
    #expect(status != TG_OK && made == nil)
    #expect(take(said)?.json.contains("4.12.5") == true)
  }

  /// Each row is decided by the SDK that its columns name, with its reason and in its place.
  @Test(arguments: ["record", "ios=4.11.2,android=2.7.0"])
  func decidesEachRowByItsSDK(_ selection: String) throws {
    let config = try LibraryConfig(
      #"{"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g","#
        + #""expression_cel":"user.age > 18","variants":[{"variant_id":"v","variant_type":"TREATMENT","#
        + #""percentage":60,"paywall_identifier":"w"},{"variant_id":"h","variant_type":"HOLDOUT","#
        + #""percentage":40}]}]},{"event_name":"q","rules":[{"experiment_id":"f","experiment_group_id":"g","#
        + #""expression_cel":"device.missing == 1","variants":[]}]}]}"#)
    let shape = ArrowShape.structure([
      ("userId", .text("u")), ("user", .structure([("age", .text("u"))])),
      (
        "device",
        .structure([
          ("platform", .text("u")), ("sdkVersion", .text("u")), ("platformWrapper", .text("u")),
        ])
      ),
    ])
    let versions = ["4.11.2", "4.16.2", "4.12.10", "2.6.8", "2.7.0", "", "latest", "99.1.0"]
    let rows = (0..<1_300).map { number -> Value in
      let version = versions[number * 7 % versions.count]
      return [
        "userId": number == 77 ? "" : .string("u-\(number)"),
        "user": ["age": number % 3 == 0 ? "25" : "7"],
        "device": [
          "platform": version.hasPrefix("2") ? "Android" : "iOS", "sdkVersion": .string(version),
          "platformWrapper": number % 2 == 0 ? "Flutter" : "",
        ],
      ]
    }
    let options =
      #"{"fields": ["result", "variant", "reason"], "placements": ["p"], "sdkVersion": "\#(selection)"}"#
    let plan = try plan(config, options)
    let table = ArrowTable(shape, rows)
    var out = ArrowArray()
    #expect(tg_plan_decide(plan.pointer, table.schema, table.array, nil, &out, nil) == TG_OK)
    let found = try read(plan, out)
    out.release(&out)
    var matches = 0
    for (number, row) in rows.enumerated() where number != 77 {
      let (_, one) = config.ask(
        tg_decide,
        row.setting(["sdkVersion"], to: .string(selection)).setting(["reasons"], to: true)
          .setting(["placements"], to: ["p"]).json)
      let decision = one?["decisions"]?.elements?.first
      let outcome = found[0][number]
      #expect(outcome?["result"] == decision?["result"]?["result"], "\(row.json)")
      #expect(outcome?["variant"] == decision?["result"]?["experiment"]?["variant"]?["id"])
      #expect((outcome?["reason"]?.text?.contains("draw") ?? false) == (outcome?["variant"] != nil))
      if decision?["result"]?["result"] == "paywall" { matches += 1 }
    }
    #expect(found[0][77] == nil && matches > 50)
  }

  /// Without the column of versions, no row could be decided by its own.
  @Test func recordNeedsTheColumnOfVersions() throws {
    let config = try LibraryConfig(#"{"trigger_options":[{"event_name":"p","rules":[]}]}"#)
    let plan = try plan(config, #"{"fields": ["result"], "sdkVersion": "record"}"#)
    let table = ArrowTable(.structure([("userId", .text("u"))]), [["userId": "a"]])
    var out = ArrowArray()
    var said = tg_text()
    #expect(tg_plan_decide(plan.pointer, table.schema, table.array, nil, &out, &said) != TG_OK)
    #expect(take(said)?.json.contains("device.sdkVersion") == true)
  }

  /// What the library says of one user, with the fields of a table.
  private func single(_ config: LibraryConfig, _ row: Value) -> [Value?] {
    var request = row
    if case .map(let members)? = row["user"] {
      request = row.setting(
        ["user"], to: .map(members.filter { $0.value != .null }))
    }
    let (status, found) = config.ask(
      tg_decide, request.setting(["now"], to: "2026-03-01T00:00:00Z").json)
    if status != TG_OK { return [nil, nil] }
    return (found?["decisions"]?.elements ?? []).map { decision in
      let experiment = decision["result"]?["experiment"]
      let fields: [(String, Value?)] = [
        ("result", decision["result"]?["result"]), ("experiment", experiment?["id"]),
        ("variant", experiment?["variant"]?["id"]), ("paywall", decision["paywall"]),
      ]
      return .map(
        fields.compactMap { name, value in
          value.flatMap { $0 == .null ? nil : .init(key: .string(name), value: $0) }
        })
    }
  }

  @Test(arguments: ["utf8", "string_view", "dictionary"])
  func tablesGetWhatUsersGet(texts: String) throws {
    let config = try LibraryConfig(LibraryTests.config)
    let plan = try plan(config, #"{"now": "2026-03-01T00:00:00Z", "texts": "\#(texts)"}"#)
    let rows = Self.rows(1_300)
    let table = ArrowTable(Self.shape, rows)
    var out = ArrowArray()
    let report = try LibraryReport()
    var error = tg_text()
    #expect(
      tg_plan_decide(plan.pointer, table.schema, table.array, report.pointer, &out, &error)
        == TG_OK)
    #expect(take(error) == nil)
    let found = try read(plan, out)
    out.release(&out)
    #expect(out.release == nil && table.releases == 0)
    #expect(found.count == 2)
    for (number, row) in rows.enumerated() {
      let wanted = single(config, row)
      #expect(found[0][number] == wanted[0] && found[1][number] == wanted[1], "\(number)")
    }
    let counts = report.value
    let rejected = rows.count { $0["userId"] == .null }
    #expect(counts?["rejected"] == .int(Int64(rejected)))
    #expect(counts?["users"] == .int(Int64(1_300 - rejected)))
    #expect(counts?["rejects"]?.elements?.count == 100)
    #expect(counts?["rejects"]?.elements?[0]["row"] == 5)
    #expect(counts?["rejects"]?.elements?[0]["reason"] == "'userId' is NULL; it is required")
    let paywalls = found[0].count { $0?["result"] == "paywall" }
    #expect(
      counts?["placements"]?["export"]?["outcomes"]?["paywall"] == .int(Int64(paywalls)))
  }

  @Test func codesAreChoices() throws {
    let config = try LibraryConfig(LibraryTests.config)
    let plan = try plan(config, #"{"codes": true, "placements": ["export"]}"#)
    let table = ArrowTable(Self.shape, Self.rows(100))
    var out = ArrowArray()
    #expect(tg_plan_decide(plan.pointer, table.schema, table.array, nil, &out, nil) == TG_OK)
    let found = try read(plan, out)
    out.release(&out)
    let (_, described) = answer { tg_plan_describe(plan.pointer, $0) }
    let choices = try #require(described?["choices"]?.elements)
    let results = found[0].map { code in
      code?.wholeNumber.flatMap { choices[$0]["result"]?.text }
    }
    #expect(Set(results) == [nil, "paywall", "holdout", "noAudienceMatch"])
    #expect(described?["placements"] == ["export"] && described?["fields"] == [])
  }

  @Test func streamsAreTaken() throws {
    let config = try LibraryConfig(LibraryTests.config)
    let plan = try plan(config)
    let rows = Self.rows(20_000)
    let parts = stride(from: 0, to: 20_000, by: 4_000).map {
      ArrowTable(Self.shape, Array(rows[$0..<$0 + 4_000]))
    }
    let tables = ArrowTables(parts, schema: parts[0])
    var (users, out) = (tables.export(), ArrowArrayStream())
    var report: LibraryReport? = try LibraryReport()
    #expect(tg_plan_stream(plan.pointer, &users, report?.pointer, &out, nil) == TG_OK)
    #expect(users.release == nil)
    var schema = ArrowSchema()
    #expect(out.get_schema(&out, &schema) == 0)
    var found: [[Value?]] = [[], []]
    while true {
      var array = ArrowArray()
      #expect(out.get_next(&out, &array) == 0)
      guard array.release != nil else { break }
      #expect(array.length <= 8_192)
      for (number, column) in try columns(schema, array).enumerated() {
        found[number] += column
      }
      array.release(&array)
    }
    schema.release(&schema)
    #expect(report?.value?["rejects"]?.elements?[99]["row"] == 1_094)
    // The stream keeps what it needs.
    report = nil
    out.release(&out)
    #expect(out.release == nil)
    #expect(tables.releases == 1)
    #expect(found[0].count == 20_000)
    for number in stride(from: 0, to: 20_000, by: 997) {
      #expect(found[0][number] == single(config, rows[number])[0], "\(number)")
    }
  }

  @Test func streamsAreCounted() throws {
    let config = try LibraryConfig(LibraryTests.config)
    let plan = try plan(config)
    let table = ArrowTable(Self.shape, Self.rows(3_000))
    let tables = ArrowTables([table], schema: table)
    var users = tables.export()
    let (status, counts) = answer { tg_plan_count(plan.pointer, &users, $0) }
    #expect(status == TG_OK && users.release == nil && tables.releases == 1)
    #expect(counts?["users"] == 2_727 && counts?["rejected"] == 273)
  }

  /// Whatever goes wrong, a stream that was handed over is released once.
  @Test func streamsAreReleasedWhateverHappens() throws {
    let config = try LibraryConfig(LibraryTests.config)
    let plan = try plan(config)
    let wrong = ArrowShape.structure([("userId", .text("u"))])
    for (number, shape) in [Self.shape, wrong].enumerated() {
      let table = ArrowTable(shape, Self.rows(10))
      let tables = ArrowTables([table], schema: table)
      var (users, out, error) = (tables.export(), ArrowArrayStream(), tg_text())
      let pointer = number == 0 ? nil : plan.pointer
      #expect(tg_plan_stream(pointer, &users, nil, &out, &error) != TG_OK)
      #expect(take(error)?["code"] == (number == 0 ? "null_pointer" : "bad_column"))
      #expect(users.release == nil && tables.releases == 1 && out.release == nil)
    }
    let table = ArrowTable(Self.shape, Self.rows(10))
    let tables = ArrowTables([table], schema: table)
    var users = tables.export()
    #expect(tg_plan_count(plan.pointer, &users, nil) == TG_BAD_ARGUMENT)
    #expect(tables.releases == 1)
  }

  /// What a producer says of its failure reaches whoever asks the outcomes.
  @Test func streamsThatFailSayWhy() throws {
    let config = try LibraryConfig(LibraryTests.config)
    let plan = try plan(config)
    let table = ArrowTable(Self.shape, Self.rows(10))
    let tables = ArrowTables([table], schema: table, failure: "the disk is full")
    var (users, out, array) = (tables.export(), ArrowArrayStream(), ArrowArray())
    #expect(tg_plan_stream(plan.pointer, &users, nil, &out, nil) == TG_OK)
    #expect(out.get_next(&out, &array) == 0 && array.length == 10)
    array.release(&array)
    for _ in 0..<2 {
      #expect(out.get_next(&out, &array) != 0 && array.release == nil)
      let told = out.get_last_error(&out).map { String(cString: $0) }
      #expect(told?.contains("the disk is full") == true)
    }
    out.release(&out)
    #expect(tables.releases == 1)
  }

  @Test func columnsOfTheWrongKindAreNamed() throws {
    let config = try LibraryConfig(LibraryTests.config)
    let plan = try plan(config)
    let table = ArrowTable(
      .structure([
        ("userId", .text("u")),
        ("user", .structure([("plan", .text("u")), ("visits", .other("d:10,2"))])),
      ]), [["userId": "u", "user": ["plan": "free", "visits": .null]]])
    var (out, error) = (ArrowArray(), tg_text())
    #expect(
      tg_plan_decide(plan.pointer, table.schema, table.array, nil, &out, &error) == TG_BAD_COLUMN)
    let told = take(error)
    #expect(told?["column"] == "user.visits" && out.release == nil)
    #expect(told?["message"]?.text?.contains("user.visits") == true)
    // The plan is as good as before.
    let good = ArrowTable(Self.shape, Self.rows(3))
    #expect(tg_plan_decide(plan.pointer, good.schema, good.array, nil, &out, nil) == TG_OK)
    out.release(&out)
  }

  @Test func aPlanOfASchemaTakesThatAlone() throws {
    let config = try LibraryConfig(LibraryTests.config)
    let table = ArrowTable(Self.shape, Self.rows(3))
    let plan = try LibraryPlan(config, "{}", table.schema)
    var (out, error) = (ArrowArray(), tg_text())
    #expect(tg_plan_decide(plan.pointer, table.schema, table.array, nil, &out, nil) == TG_OK)
    out.release(&out)
    let other = ArrowTable(
      .structure([
        ("userId", .text("U")),
        ("user", .structure([("plan", .text("u")), ("visits", .number("i"))])),
      ]), Self.rows(3))
    #expect(
      tg_plan_decide(plan.pointer, other.schema, other.array, nil, &out, &error) == TG_BAD_COLUMN)
    #expect(take(error)?["code"] == "other_columns")
  }

  @Test func aReportIsOfOnePlan() throws {
    let config = try LibraryConfig(LibraryTests.config)
    let (one, other) = (try plan(config), try plan(config, #"{"placements": ["open"]}"#))
    let table = ArrowTable(Self.shape, Self.rows(3))
    let report = try LibraryReport()
    #expect(report.value == ["users": 0, "rejected": 0, "placements": [:], "rejects": []])
    var (out, error) = (ArrowArray(), tg_text())
    for _ in 0..<2 {
      #expect(
        tg_plan_decide(one.pointer, table.schema, table.array, report.pointer, &out, nil) == TG_OK)
      out.release(&out)
    }
    #expect(report.value?["users"] == 6)
    #expect(
      tg_plan_decide(other.pointer, table.schema, table.array, report.pointer, &out, &error)
        == TG_BAD_REQUEST)
    #expect(take(error)?["code"] == "other_plan" && report.value?["users"] == 6)
  }

  @Test(arguments: [
    (#"{"layout": "long"}"#, "layout"), (#"{"fields": ["paywal"]}"#, "fields"),
    (#"{"fields": "paywall"}"#, "fields"), (#"{"fields": ["paywall", "paywall"]}"#, "fields"),
    (#"{"codes": 1}"#, "codes"), (#"{"texts": "ascii"}"#, "texts"), (#"{"root": "x"}"#, "root"),
    (#"{"columns": {"user.plan": 1}}"#, "columns"), (#"{"nulls": "zero"}"#, "nulls"),
    (#"{"missingColumns": "no"}"#, "missingColumns"), (#"{"now": "soon"}"#, "now"),
    (#"{"placement": ["a"]}"#, "placement"), (#"{"placements": ["exprt"]}"#, ""),
  ])
  func wrongOptionsOfPlans(options: String, path: String) throws {
    let config = try LibraryConfig(LibraryTests.config)
    var (made, text): (OpaquePointer?, tg_text) = (nil, tg_text())
    #expect(
      tg_plan_make(config.pointer, options, options.utf8.count, nil, &made, &text)
        == TG_BAD_REQUEST)
    let told = take(text)
    #expect(made == nil && (path.isEmpty || told?["path"] == .string(path)), "\(told?.json ?? "")")
  }

  /// Plans and configs may be freed in any order, and used from several threads.
  @Test func plansOutliveConfigsAndThreads() async throws {
    var config: LibraryConfig? = try LibraryConfig(LibraryTests.config)
    let plan = try plan(try #require(config))
    config = nil
    #expect(config == nil)
    await withTaskGroup(of: Int.self) { group in
      for number in 0..<6 {
        group.addTask {
          let table = ArrowTable(Self.shape, Self.rows(500), seed: UInt64(number))
          return (0..<20).count { _ in
            var out = ArrowArray()
            let status = tg_plan_decide(
              plan.pointer, table.schema, table.array, nil, &out, nil)
            defer { out.release?(&out) }
            return status == TG_OK && out.length == 500
          }
        }
      }
      for await right in group { #expect(right == 20) }
    }
  }
}

/// A plan that is freed when the test has ended.
final class LibraryPlan: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ config: LibraryConfig, _ options: String, _ schema: UnsafePointer<ArrowSchema>? = nil)
    throws
  {
    var (made, text): (OpaquePointer?, tg_text) = (nil, tg_text())
    let status = tg_plan_make(
      config.pointer, options, options.utf8.count, schema, &made, &text)
    let told = take(text)
    #expect(status == TG_OK, "\(told?.json ?? "")")
    pointer = try #require(made)
  }

  deinit { tg_plan_free(pointer) }
}

final class LibraryReport {
  let pointer: OpaquePointer

  init() throws {
    var made: OpaquePointer?
    #expect(tg_report_make(&made) == TG_OK)
    pointer = try #require(made)
  }

  deinit { tg_report_free(pointer) }

  var value: Value? { answer { tg_report_read(pointer, $0) }.value }
}

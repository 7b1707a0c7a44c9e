import CArrow
import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// Which columns of a table are what of a user.
@Suite struct FrameColumnsTests {
  private typealias Columns = [(name: String, shape: ArrowShape)]
  private static let text = ArrowShape.text("u")

  /// What is wrong with a table for a rule, or nil.
  private func problem(
    _ columns: [(name: String, shape: ArrowShape)], _ expression: String = "true",
    _ change: (inout FrameColumns.Options) -> Void = { _ in }
  ) throws -> String? {
    let rules = try ruleSet(wireRule(expression: expression))
    var options = FrameColumns.Options()
    change(&options)
    let field = try ArrowTable(.structure(columns), []).field
    do throws(ArrowError) {
      _ = try FrameColumns(field, for: rules, options)
      return nil
    } catch {
      return error.message
    }
  }

  /// A derived attribute needs a column of its own or one of what it follows from.
  @Test func columnsOfDerivedAttributes() throws {
    let days = "device.daysSinceInstall > 3"
    let both = "\(days) && device.minutesSinceInstall > 3"
    let today = #"device.localDate == "2026-12-25""#
    let cases: [(column: String, rule: String, missing: String?)] = [
      ("daysSinceInstall", days, nil), ("minutesSinceInstall", days, nil),
      ("appInstallDate", days, nil), ("appVersion", days, "device.daysSinceInstall"),
      ("daysSinceInstall", both, "device.minutesSinceInstall"),
      ("minutesSinceInstall", both, nil), ("appInstallDate", both, nil),
      ("timezone", today, nil), ("localDate", today, nil),
      ("appVersion", today, "device.localDate"),
      ("appVersion", #"device.utcDate == "2026-12-25""#, nil),
    ]
    for (column, rule, missing) in cases {
      let table: Columns = [
        ("userId", Self.text), ("device", .structure([(column, Self.text)])),
      ]
      let found = try problem(table, rule)
      #expect(
        missing.map { found?.hasPrefix("column '\($0)': ") ?? false } ?? (found == nil),
        "\(column), \(rule): \(found ?? "nil")")
    }
  }

  @Test func columnsOfTheWrongKind() throws {
    let id: Columns = [("userId", Self.text)]
    let times = ArrowShape.list("+l", .timestamp("tsu:UTC"))
    let cases: [(name: String, shape: ArrowShape, problem: String?)] = [
      ("user", Self.text, nil), ("user", .map(Self.text), nil), ("user", .json(.bool), nil),
      ("user", .dictionary("i", Self.text), nil),
      (
        "device", .dictionary("c", .structure([("a", .bool)])),
        "column 'device': must be a struct, a map or JSON, not a dictionary of values that are a struct"
      ),
      ("params", .null, nil),
      (
        "params", .number("g"),
        "column 'params': must be a struct, a map or JSON, not a floating point number"
      ),
      (
        "params", .list("+l", Self.text),
        "column 'params': must be a struct, a map or JSON, not a list"
      ),
      ("subscriptionStatus", .bool, "column 'subscriptionStatus': must be a string, not a bool"),
      ("subscriptionStatus", .dictionary("i", Self.text), nil),
      ("entitlements", Self.text, "column 'entitlements': must be a list of strings, not a string"),
      (
        "entitlements", .list("+l", .number("i")),
        "column 'entitlements': must be a list of strings, not a list"
      ),
      ("entitlements", .list("+w:2", .text("vu")), nil),
      (
        "assignments", .list("+l", .structure([("experimentId", Self.text)])),
        "column 'assignments': must be a list of structs with the strings 'experimentId' and 'variantId', "
          + "not a list"
      ),
      ("occurrences", .map(times), nil),
      ("occurrences", .structure([("k", times), ("l", .null)]), nil),
      (
        "events", times,
        "column 'events': must be a struct or a map of lists of timestamps, not a list"
      ),
      (
        "events", .structure([("a", .list("+l", .number("l")))]),
        "column 'events': must be a struct or a map of lists of timestamps, not a struct"
      ),
      (
        "sessionStart", .number("l"),
        "column 'sessionStart': must be a timestamp with a time zone, or a string such as 2026-03-01T12:00:00Z, not an integer"
      ),
      (
        "sessionStart", .other("tsu:"),
        "column 'sessionStart': is a timestamp without a time zone, which rules have no value for; give it one, such as UTC"
      ),
      // Nobody reads it.
      ("price", .other("d:9,2"), nil),
    ]
    for (name, shape, wanted) in cases {
      #expect(try problem(id + [(name, shape)]) == wanted, "\(name): \(shape)")
    }
    #expect(
      try problem([("userId", .number("g"))])
        == "column 'userId': must be a string or an integer, not a floating point number; "
        + "cast it to an integer type (pandas: astype('Int64'), as integers with missing values become floats)"
    )
  }

  @Test func attributesOfTheWrongKind() throws {
    func columns(_ shape: ArrowShape) -> Columns {
      [("userId", Self.text), ("user", .structure([("a", shape)]))]
    }
    #expect(
      try problem(columns(.other("d:9,2")), "user.a == 1")
        == "column 'user.a': is a decimal, which rules have no value for; cast it to a double or a string"
    )
    #expect(
      try problem(columns(.other("d:9,2")), "user.b == 1", { $0.ignoresMissing = true }) == nil)
    #expect(
      try problem(columns(Self.text), "user.a.b == 1")
        == "column 'user.a': must be a struct, a map or JSON, not a string: rules read 'user.a.b'; "
        + "if it is JSON, cast it to the type JSON")
    #expect(
      try problem(columns(.bool), "user.a.b == 1")
        == "column 'user.a': must be a struct, a map or JSON, not a bool: rules read 'user.a.b'")
    for shape in [ArrowShape.map(Self.text), .map(.map(.bool)), .json(.bool)] {
      #expect(try problem(columns(shape), "user.a.b == 1") == nil)
    }
    #expect(
      try problem(columns(.map(.other("tdD"))), "user.a.b == 1")
        == "column 'user.a': is a date, which rules have no value for; "
        + "cast it to a string or to a timestamp with a time zone")
  }

  /// Extension types are not read as numbers or strings that they are stored as.
  @Test func extensionTypesWithoutAValue() throws {
    func columns(_ shape: ArrowShape) -> Columns {
      [("userId", Self.text), ("user", .structure([("a", shape)]))]
    }
    #expect(
      try problem(columns(.extended("pandas.period", .number("l"))), "user.a == 1")
        == "column 'user.a': is of the extension type 'pandas.period', which rules have no value for; "
        + "cast it to a string, a number or a timestamp")
    #expect(
      try problem(columns(.list("+l", .extended("arrow.opaque", Self.text))), "'x' in user.a")?
        .hasPrefix("column 'user.a': is of the extension type 'arrow.opaque'") == true)
    #expect(try problem(columns(.extended("pandas.period", .number("l"))), "true") == nil)
    #expect(
      try problem(columns(.extended("google:sqlType:geography", Self.text)), "user.a == 'x'") == nil
    )
  }

  @Test func missingAttributes() throws {
    func columns(_ shape: ArrowShape) -> Columns {
      [("userId", Self.text), ("user", .structure([("a", shape)]))]
    }
    #expect(
      try problem(columns(Self.text), "user.b == 1 || user.c == 2 || user.d == 3")
        == "column 'user.b': rules read this attribute, and no column has it (nor 2 others); "
        + "add the column, map it to another column, or ignore missing columns"
    )
    #expect(
      try problem(
        [("userId", Self.text), ("user", .structure([("a", .bool), ("a", .bool)]))], "user.a")
        == "column 'user.a': occurs 2 times")
    #expect(
      try problem(
        [("userId", Self.text), ("user", .structure([("a", .bool)])), ("user.b", .bool)], "user.a"
      )
        == "column 'user': is a column, and has columns below it")
  }

  @Test func identities() throws {
    #expect(try problem([("userId", .dictionary("C", .number("q")))]) != nil)
    #expect(try problem([("userId", .dictionary("C", .number("l")))]) == nil)
    #expect(
      try problem([("id", Self.text)])
        == "column 'userId': there is no such column with values; there is 'id': name it as the column "
        + "of identities")
    #expect(try problem([("id", Self.text)], "true", { $0.subject = "id" }) == nil)
    #expect(
      try problem([("id", .bool)], "true", { $0.subject = "id" })
        == "column 'id': must be a string or an integer, not a bool")
    #expect(try problem([("id", Self.text)], "true", { $0.columns = ["userId": "id"] }) == nil)
    #expect(
      try problem([("userId", Self.text)], "true", { $0.columns = ["user.plan": "plan"] })
        == "column 'plan': is mapped to 'user.plan', but the table has no such column")
  }

  /// A table without structs: columns named by their paths, by a mapping, or below one root.
  @Test func flatColumns() throws {
    let rules = try ruleSet(
      wireRule(
        expression: "user.plan == 'free' && user.address.city == 'x' && device.os == 'iOS'"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    func count(
      _ names: [String], _ change: (inout FrameColumns.Options) -> Void = { _ in }
    ) throws -> (paywalls: Int, unused: [String]) {
      let table = ArrowTable(
        .structure(names.map { ($0, Self.text) }),
        [["a", "free", "x", "iOS"], ["b", "free", .null, "iOS"], ["c", .null, "x", "iOS"]].map {
          (row: [Value]) in
          .map(zip(names, row).map { Value.Entry(key: .string($0), value: $1) })
        })
      var options = FrameColumns.Options()
      change(&options)
      let columns = try FrameColumns(table.field, for: rules, options)
      let worker = FrameWorker(plan, columns)
      let sums = try worker.decide(table.array)
      return (plan.tally(of: sums).placements[0].paywall, columns.binding.unused)
    }
    #expect(try count(["userId", "user.plan", "user.address.city", "device.os"]) == (1, []))
    #expect(
      try count(["id", "plan", "address.city", "device.os", "more"]) {
        $0.root = "user"
        $0.subject = "id"
      } == (1, ["more"]))
    #expect(
      try count(["id", "p", "c", "o"]) {
        $0.columns = [
          "userId": "id", "user.plan": "p", "user.address.city": "c", "device.os": "o",
        ]
      } == (1, []))
  }

  /// Flat columns are a map to rules that read one.
  @Test func flatColumnsAsAMap() throws {
    let rules = try ruleSet(wireRule(expression: "user == {'a': 'x', 'b': {'c': 'y'}}"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let table = ArrowTable(
      .structure([("userId", Self.text), ("user.a", Self.text), ("user.b.c", Self.text)]),
      [
        ["userId": "1", "user.a": "x", "user.b.c": "y"],
        ["userId": "2", "user.a": "x", "user.b.c": .null],
      ])
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    _ = try worker.decide(table.array)
    #expect(
      worker.choices.map { plan.choices[Int($0)].values.result } == ["paywall", "noAudienceMatch"])
  }

  /// What `device` does not say may stand in columns of its own.
  @Test func statusOutsideOfTheDevice() throws {
    let rules = try ruleSet(
      wireRule(
        expression:
          "device.subscriptionStatus == 'ACTIVE' && device.activeEntitlements == ['pro']"))
    let plan = framePlan(rules, now: 0, .hash(salt: ""))
    let table = ArrowTable(
      .structure([
        ("userId", Self.text), ("subscriptionStatus", .dictionary("s", Self.text)),
        ("entitlements", .list("+L", .text("vu"))),
        ("device", .structure([("subscriptionStatus", Self.text)])),
      ]),
      [
        ["userId": "1", "subscriptionStatus": "ACTIVE", "entitlements": ["pro"]],
        [
          "userId": "2", "subscriptionStatus": "ACTIVE", "entitlements": ["pro"],
          "device": ["subscriptionStatus": "INACTIVE"],
        ],
        ["userId": "3", "subscriptionStatus": .null, "entitlements": ["pro"]],
        ["userId": "4", "subscriptionStatus": "ACTIVE", "entitlements": ["max"]],
        [
          "userId": "5", "entitlements": ["pro", .null],
          "device": ["subscriptionStatus": "ACTIVE"],
        ],
      ])
    let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules))
    _ = try worker.decide(table.array)
    let paywalls = worker.choices.map { plan.choices[Int($0)].values.result == "paywall" }
    #expect(paywalls == [true, false, false, false, true])
  }

  /// The name of an extension type can be anywhere in the metadata.
  @Test func extensionTypes() throws {
    let rules = try ruleSet(wireRule(expression: "user.b"))
    func columns(_ name: String) throws -> FrameColumns {
      let table = ArrowTable(
        .structure([("userId", .text("u")), ("user.b", .number("c"))]),
        [["userId": "u", "user.b": 1]])
      var metadata: [UInt8] = []
      func add(_ count: Int) { withUnsafeBytes(of: Int32(count)) { metadata += $0 } }
      add(2)
      for text in ["other", "ARROW:extension:name", "ARROW:extension:name", name] {
        add(text.utf8.count)
        metadata += Array(text.utf8)
      }
      return try metadata.withUnsafeBytes { bytes in
        let field = table.schema.pointee.children[1]
        field?.pointee.metadata = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        defer { field?.pointee.metadata = nil }
        return try FrameColumns(try table.field, for: rules)
      }
    }
    _ = try columns("arrow.json")
    let problem = #expect(throws: ArrowError.self) { try columns("arrow.bool8") }
    #expect(
      problem?.message
        == "column 'user.b': is an eight-bit bool, which rules have no value for; cast it to a bool"
    )
  }

  /// Names with more dots than structs have levels are no attributes of anybody.
  @Test func namesWithManyDots() throws {
    let rules = try ruleSet(wireRule(expression: "user.b"))
    let name = "user" + String(repeating: ".a", count: 300_000)
    let table = ArrowTable(
      .structure([("userId", .text("u")), ("user.b", .bool), (name, .bool)]), [])
    let columns = try FrameColumns(table.field, for: rules)
    #expect(columns.binding.unused == [name])
  }
}

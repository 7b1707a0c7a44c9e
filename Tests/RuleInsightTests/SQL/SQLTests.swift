import Expressions
import RuleEngine
import Testing

@testable import RuleInsight

/// Rules in SQL. `Python/tests/test_sql.py` runs the queries in DuckDB beside the engine.
@Suite struct SQLTests {
  private func plan(
    _ rules: [String], _ database: SQLDatabase = .duckdb, limit: OccurrenceLimit? = nil,
    language: RuleLanguage = .standard, _ change: (inout SQLPlan.Options) -> Void = { _ in }
  ) throws -> SQLPlan {
    let audiences = rules.enumerated().map { number, rule in
      Audience(
        index: number, experimentID: "e\(number)", expression: rule, occurrenceLimit: limit,
        variants: [Variant(id: "v\(number)", kind: .treatment, weight: 100, paywallID: "pw")])
    }
    let config = Config(
      placements: audiences.map { audience in
        Placement(name: "p\(audience.index)", audiences: [audience])
      })
    let ruleSet = try #require(
      RuleSet.compile(config, language: language, behavior: nil).output)
    var options = SQLPlan.Options(clock: HistoryClock(now: 1_772_366_400_000))
    change(&options)
    return SQLPlan(ruleSet, for: database, options)
  }

  private func condition(_ rule: String, _ database: SQLDatabase = .duckdb) throws -> String {
    let placement = try plan([rule], database).placements[0]
    #expect(placement.audiences[0].refusal == nil, "\(rule)")
    return placement.choices.first?.when ?? "FALSE"
  }

  private func refusal(_ rule: String, _ database: SQLDatabase = .duckdb) throws -> String? {
    try plan([rule], database).placements[0].audiences[0].refusal
  }

  @Test(arguments: [
    ("user.plan == 'free'", #"COALESCE("user.plan" = 'free', FALSE)"#),
    // A missing attribute is the zero of what it is compared with.
    ("user.plan != 'free'", #"COALESCE("user.plan" <> 'free', TRUE)"#),
    ("user.plan == ''", #""user.plan" IS NULL OR COALESCE("user.plan" = '', FALSE)"#),
    ("user.age < 18", #""user.age" IS NULL OR COALESCE("user.age" < 18, FALSE)"#),
    // NaN has no order, and is the largest number in SQL.
    (
      "user.age > 18",
      #"NOT COALESCE(isnan(CAST("user.age" AS DOUBLE)), FALSE) AND COALESCE("user.age" > 18, FALSE)"#
    ),
    // Strings that name bools are bools.
    ("user.name.startsWith('a')", #"COALESCE(starts_with("user.name", 'a'), FALSE)"#),
    (
      "user.name.startsWith('t')",
      #"COALESCE("user.name" <> 'true', TRUE) AND COALESCE(starts_with("user.name", 't'), FALSE)"#
    ),
    ("user.name.endsWith('it\\'s')", #"COALESCE(ends_with("user.name", 'it''s'), FALSE)"#),
    ("has(user.plan)", #""user.plan" IS NOT NULL"#),
    (
      "has(user.plan) ? user.plan == 'x' : true",
      #"COALESCE("user.plan" = 'x', FALSE) OR "user.plan" IS NULL"#
    ),
    ("user.flag", #"COALESCE("user.flag", FALSE)"#),
    ("!user.flag", #"NOT COALESCE("user.flag", FALSE)"#),
    ("user.flag == 'true'", #"COALESCE("user.flag", FALSE)"#),
    ("user.a == null", #""user.a" IS NULL"#),
    // A string of digits and its number are equal, and the column holds strings.
    ("user.plan == '42'", #"COALESCE("user.plan" = '42', FALSE)"#),
    ("user.plan in ['a', 'b']", #"COALESCE("user.plan" IN ('a', 'b'), FALSE)"#),
    ("'gold' in user.tags", #"COALESCE(list_contains("user.tags", 'gold'), FALSE)"#),
    ("user.tags[0] == 'a'", #""user.tags" IS NOT NULL AND COALESCE("user.tags"[1] = 'a', FALSE)"#),
    ("user.n % 7 == 0", #"COALESCE(("user.n" % 7) = 0, FALSE)"#),
    ("string(user.n) == '3'", #"COALESCE(CAST("user.n" AS VARCHAR) = '3', FALSE)"#),
    (
      "double(user.n) == 1.0",
      #"NOT COALESCE(isnan(CAST("user.n" AS DOUBLE)), FALSE) AND COALESCE(CAST("user.n" AS DOUBLE) = CAST('1.0' AS DOUBLE), FALSE)"#
    ),
    (
      "user.tags == ['a']",
      #"COALESCE(len("user.tags") = 1, FALSE) AND COALESCE("user.tags"[1] = 'a', FALSE)"#
    ),
    (
      "size(user.tags.filter(t, t == 'y')) == 1",
      #"COALESCE(len(list_filter("user.tags", lambda element1: COALESCE(element1 = 'y', FALSE))) = 1, FALSE)"#
    ),
    // NaN is not at least NaN.
    (
      "user.n >= user.n",
      #"NOT COALESCE(isnan(CAST("user.n" AS DOUBLE)), FALSE) AND COALESCE("user.n" >= "user.n", FALSE)"#
    ),
    (
      "double(user.n) >= user.n",
      #"NOT COALESCE(isnan(CAST("user.n" AS DOUBLE)), FALSE) AND COALESCE(CAST("user.n" AS DOUBLE) >= "user.n", FALSE)"#
    ),
    // An element that is NULL is an empty map on iOS.
    (
      "user.tags.exists(t, t == null)",
      #""user.tags" IS NOT NULL AND COALESCE(len(list_filter("user.tags", lambda element1: FALSE)) > 0, FALSE)"#
    ),
    (
      "user.tags.exists(t, t.startsWith('x'))",
      #""user.tags" IS NOT NULL AND COALESCE(COALESCE(list_filter(list_transform("user.tags", lambda element1: CASE WHEN COALESCE(starts_with(element1, 'x'), FALSE) THEN 1 WHEN element1 IS NULL OR COALESCE(element1 = 'true', FALSE) OR COALESCE(element1 = 'false', FALSE) THEN 2 ELSE 0 END), lambda code_of_element1: code_of_element1 > 0)[1], 0) = 1, FALSE)"#
    ),
    // Without attributes, the engine decides.
    ("[1, 2] + [3] == [1, 2, 3]", "TRUE"),
    // A fault of one side makes `&&` fail, whatever the other side is.
    (
      "user.a == 'x' && user.b.contains('y')",
      #"COALESCE("user.a" = 'x', FALSE) AND COALESCE(contains("user.b", 'y'), FALSE)"#
    ),
    ("false && user.b.contains('y')", "FALSE"),
    ("nobody == 1 || true", "FALSE"),
  ])
  func conditions(_ rule: String, _ sql: String) throws {
    #expect(try condition(rule) == sql)
  }

  @Test(arguments: [
    (
      "device.daysSince('open') > 3",
      "the condition depends on the history of events; with --no-history, there is none"
    ),
    ("user.map.all(x, x.price > 1)", "the condition reads a map"),
    ("user.a.matches('\\\\d')", "the regular expression may mean something else in SQL"),
    ("user == user.a", "'user' is a map"),
    ("max(user.a, 2) == 2", "SQL has no 'max()' that is the same for every value"),
    (
      "user.a / user.b > 1.5 && user.a > 0.5",
      "the condition divides by a double that may be 0"
    ),
  ])
  func refusals(_ rule: String, _ reason: String) throws {
    #expect(try refusal(rule) == reason)
  }

  @Test func patternsOfOtherDatabases() throws {
    #expect(try refusal("user.a.matches('^x[a-z]+$')") == nil)
    #expect(
      try refusal("user.a.matches('^x[a-z]+$')", .postgres)
        == "PostgreSQL has another syntax of regular expressions")
  }

  @Test func literals() throws {
    let rule = #"user.plan == "it's \\ \"here\"" "#
    #expect(try condition(rule) == #"COALESCE("user.plan" = 'it''s \ "here"', FALSE)"#)
    #expect(
      try condition(rule, .bigquery) == #"COALESCE(`user`.`plan` = 'it\'s \\ "here"', FALSE)"#)
    #expect(
      try condition(rule, .spark) == #"COALESCE(`user.plan` = 'it\'s \\ "here"', FALSE)"#)
    #expect(
      try condition("user.name > 'a'", .postgres).hasSuffix(
        #"COALESCE("user.name" COLLATE "C" > 'a', FALSE)"#))
  }

  @Test(arguments: [
    (SQLDatabase.duckdb, "// 3"), (.bigquery, "BIGNUMERIC '18446744073709551616'"),
    (.snowflake, "% 3) / 3"), (.postgres, "div("), (.spark, "div 3"),
  ])
  func quotients(_ database: SQLDatabase, _ part: String) throws {
    #expect(try condition("user.n * 2 / 3 == 1", database).contains(part))
  }

  @Test func kindsOfColumns() throws {
    let plan = try plan([
      "user.a == 'x' && user.b > 1.5 && user.c % 2 == 1 && user.d && user.e.exists(t, t == 'y')",
      "timestamp(user.f) < timestamp('2026-01-01T00:00:00Z') && has(user.g)",
    ])
    let kinds = Dictionary(uniqueKeysWithValues: plan.columns.map { ($0.path, $0.kind) })
    #expect(
      kinds == [
        "user.a": .text, "user.b": .number, "user.c": .integer, "user.d": .bool, "user.e": .list,
        "user.f": .time, "user.g": .any,
      ])
    let other = try self.plan(["user.c % 2 == 1"]) { $0.kinds["user.c"] = .double }
    #expect(other.columns.map(\.type) == ["DOUBLE"])
  }

  /// Each part of a chain repeats those behind it.
  @Test func longChains() throws {
    let parts = (0..<60).map { "(user.a\($0) == 'x' || user.b\($0) > 3)" }
    #expect(try refusal(parts.joined(separator: " && ")) == "the condition is too long in SQL")
    #expect(try refusal(parts.prefix(2).joined(separator: " && ")) == nil)
  }

  @Test func limitsAndHistory() throws {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
    #expect(try plan(["true"], limit: limit).covered == 0)
    let rules = ["device.daysSince('open') == null", "computed.placementsInDay('open') > 0"]
    let plan = try plan(rules, limit: limit) { $0.ignoresHistory = true }
    #expect(plan.covered == 2)
    #expect(plan.placements.map { $0.choices.map(\.when) } == [["TRUE"], []])
  }

  @Test func clock() throws {
    let plan = try plan(["device.utcDate == '2026-03-01'"])
    #expect(
      plan.placements[0].choices[0].when.hasPrefix(
        #"("device.utcDate" IS NULL AND COALESCE('2026-03-01' = "#))
    #expect(plan.now == 1_772_366_400_000)
    #expect(try self.plan(["user.a == 1"]).now == nil)
  }

  /// SDKs change attributes before rules read them.
  @Test(arguments: [
    (
      Platform.android, SQLDatabase.postgres, "user.plan == 'free'",
      #"COALESCE(replace("user.plan", '$', '') = 'free', FALSE)"#
    ),
    (
      .android, .postgres, "'a' in user.tags",
      #"COALESCE(COALESCE('a' = ANY (ARRAY(SELECT replace(item, '$', '') FROM unnest("user.tags") "#
        + "WITH ORDINALITY AS part(item, place) ORDER BY place)), FALSE), FALSE)"
    ),
    (
      .android, .duckdb, "user.n + 1 == 3",
      #"COALESCE("user.n" BETWEEN -2147483648 AND 2147483647, FALSE) AND "#
    ),
    // Only DuckDB tells integers from doubles.
    (.android, .spark, "user.n > 3", "NOT COALESCE(isnan(CAST(`user.n` AS DOUBLE)), FALSE) AND "),
    (
      .web, .duckdb, "user.tags[0] == 'a'",
      #"list_filter("user.tags", lambda item: item IS NOT NULL)"#
    ),
  ])
  func platforms(
    _ platform: Platform, _ database: SQLDatabase, _ rule: String, _ text: String
  ) throws {
    let plan = try plan([rule], database, language: .superscript(SDKProfile(platform)))
    #expect(plan.placements[0].choices.first?.when.contains(text) == true)
  }

  @Test func derivedAttributes() throws {
    let alone = try plan(["device.appVersionPadded >= '001'"])
    #expect(alone.derived.isEmpty && alone.columns.map(\.path) == ["device.appVersionPadded"])
    #expect(alone.optional.map(\.path) == ["device.appVersion"])
    #expect(
      (alone.query ?? "").contains(
        #"(SELECT * FROM users UNION ALL BY NAME SELECT CAST(NULL AS VARCHAR) AS "device.appVersion" WHERE FALSE)"#
      ))
    let fields = try plan(["device.appVersionPadded >= '001'"]) { $0.names = .structs }
    #expect(fields.derived == ["device.appVersionPadded"] && fields.optional.isEmpty)
    #expect(!(fields.query ?? "").contains("facts"))
    let both = try plan(["device.appVersionPadded >= '001'", "device.appVersion == '1'"])
    #expect(both.derived.isEmpty && (both.query ?? "").contains(#"AS "fact_1""#))
    #expect(
      try plan(["device.appVersionPadded >= '001'", "device.appVersion == '1'"], .spark)
        .placements[0].audiences[0].refusal
        == "'device.appVersionPadded' is computed from 'device.appVersion' if it is missing")
  }
}

import Expressions
import Testing

/// `tollgate sql`: the query, what it covers, and what is wrong with options.
@Suite struct SQLCommandTests {
  private static func rule(_ id: String, _ condition: String, _ limit: String = "null") -> String {
    """
    {"experiment_id":"\(id)","experiment_group_id":"g","expression_cel":"\(condition)","occurrence":\(limit),
     "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"annual"}]}
    """
  }

  private static let config = """
    {"build_id":"b","trigger_options":[
      {"event_name":"export","rules":[\(rule("free", "user.plan == 'free'")), \(rule("rest", "has(user.age)"))]},
      {"event_name":"open","rules":[\(rule("old", "device.daysSince('x') > 3")),
        \(rule("few", "user.plan == 'pro'", #"{"key":"k","max_count":1,"interval":{"type":"INFINITY"}}"#))]}],
     "product_identifiers":[],"paywall_responses":[{"identifier":"annual"}]}
    """

  private func run(_ arguments: String...) throws -> BuiltTool.Result {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    return try folder.tollgate(["sql", "config.json"] + arguments)
  }

  @Test func query() throws {
    let result = try run("--database", "duckdb")
    #expect(result.code == 0)
    #expect(
      result.errors == """
        SQL covers 2 of 4 audiences (50 %), and 1 of 2 placements.
        left out: open
          audience 0 (old): the condition depends on the history of events; with --no-history, there is none
          audience 1 (few): the audience has a limit, which counts occurrences; with --no-history, there are none

        """)
    #expect(
      result.output == """
        -- Paywall decisions for DuckDB. NULL in a column means that the attribute is missing.
        -- Users have no stored variants, occurrences or events.
        -- Columns of users:
        --   "userId" VARCHAR
        --   "user.plan" VARCHAR
        --   "user.age" of any type
        -- Without open.
        WITH choices AS (
          SELECT
            "userId",
            CASE
              WHEN COALESCE("userId", '') = '' THEN NULL
              WHEN COALESCE("user.plan" = 'free', FALSE) THEN 0
              WHEN "user.age" IS NOT NULL THEN 1
              ELSE -1
            END AS "export"
          FROM users
          WHERE CASE WHEN typeof("user.plan") IN ('VARCHAR') THEN TRUE ELSE error('the column user.plan must be VARCHAR') END
        )
        SELECT
          "userId",
          CASE "export"
            WHEN -1 THEN 'noAudienceMatch'
            WHEN 0 THEN 'paywall'
            WHEN 1 THEN 'paywall'
          END AS "export.result",
          CASE "export"
            WHEN 0 THEN 0
            WHEN 1 THEN 1
          END AS "export.audience",
          CASE "export"
            WHEN 0 THEN 'free'
            WHEN 1 THEN 'rest'
          END AS "export.experiment",
          CASE "export"
            WHEN 0 THEN 'v'
            WHEN 1 THEN 'v'
          END AS "export.variant",
          CASE "export"
            WHEN 0 THEN 'annual'
            WHEN 1 THEN 'annual'
          END AS "export.paywall"
        FROM choices

        """)
  }

  @Test func everythingWithoutHistory() throws {
    let result = try run(
      "--database", "bigquery", "--no-history", "--json", "--table", "app.users", "--now",
      "2026-03-01")
    #expect(result.code == 0 && result.errors.isEmpty)
    let value = try Value.parse(json: Array(result.output.utf8))
    #expect(value["audiences"]?.json == #"{"total":4,"covered":4}"#)
    #expect(value["columns"]?.json.contains(#""names":["user","plan"]"#) == true)
    #expect(value["sql"]?.text?.contains("FROM app.users") == true)
    #expect(value["sql"]?.text?.contains("END AS `open_paywall`") == true)
  }

  @Test func typesOfWhatNoRuleReads() throws {
    let result = try run("--database", "duckdb", "--type", "user.pln=text")
    #expect(result.code == 2)
    #expect(result.errors.contains("--type: no rule reads 'user.pln'; did you mean 'user.plan'?"))
    let ids = try run("--database", "duckdb", "--user-ids", "sdk")
    #expect(ids.code == 2 && ids.errors.contains("--user-ids sdk cannot be written in SQL"))
  }

  @Test func nothingInSQL() throws {
    let result = try run("--database", "spark", "--placement", "open", "--quiet")
    #expect(result.code == 1 && result.output.isEmpty && result.errors.isEmpty)
  }

  @Test(arguments: [
    (
      ["--type", "user.plan"],
      "--type is 'user.plan'; expected a path and a type, such as user.ltv=double"
    ),
    (["--type", "user.plan=int"], "--type is 'user.plan=int'; expected a path"),
    (["--names", "structs"], "--names structs needs duckdb, bigquery or spark"),
    (["--placement", "none"], "none"), (["--time-zone", "Nowhere/X"], "Nowhere/X"),
  ])
  func wrongUse(_ arguments: [String], _ message: String) throws {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    let result = try folder.tollgate(["sql", "config.json", "--database", "postgres"] + arguments)
    #expect(result.code != 0 && result.errors.contains(message), "\(result.errors)")
  }
}

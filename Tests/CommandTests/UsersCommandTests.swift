import Foundation
import Testing

/// `tollgate users`: what users are like before a run.
@Suite struct UsersCommandTests {
  private static let lines = [
    #"{"userId":"u-1","user":{"plan":"free","age":17},"device":{"timezone":"Europe/Berlin"}}"#,
    #"{"userId":"u-2","user":{"plan":"pro","age":"40"},"device":{"timezone":"Europe/Berln"}}"#,
    #"{"userId":"u-1","user":{"plan":"free"},"device":{"timezoneOffset":3600}}"#,
    #"{"userId":"u-2 ","user":{"plan":"free","age":3},"params":{"source":"mail"}}"#,
    "not json",
  ]

  private static let config =
    #"{"build_id":"b","paywall_responses":[],"trigger_options":[{"event_name":"p","rules":["#
    + #"{"experiment_id":"e","experiment_group_id":"g","#
    + #""expression_cel":"user.age > 3 && user.seed < 50 && device.localDate > \"2026\"","#
    + #""variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}],"#
    + #""preload":{"behavior":"ALWAYS"}}]}]}"#

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("users.ndjson", Self.lines.joined(separator: "\n"))
    try folder.write("config.json", Self.config)
    return folder
  }

  @Test func problemsAreTold() throws {
    let folder = try folder()
    let result = try folder.tollgate(
      ["users", "users.ndjson", "--config", "config.json", "--report", "page.html", "--strict"])
    #expect(result.code == 1, "\(result.errors)")
    #expect(result.lines.first == "4 users, 1 line rejected")
    for line in [
      #"problem: IDs appear again, first "u-1" at users.ndjson:1 and users.ndjson:3 (1)"#,
      "problem: user.age has several kinds: 2 int, 1 string (3)",
      #"problem: device.timezone is "Europe/Berln", which is not a time zone (1)"#,
      "problem: rules read user.seed, which no user has (4)",
      "note: rules read user.age, which users lack (1)",
      "Not used by any rule: user.plan, params.source",
    ] { #expect(result.lines.contains(line), "\(line) in \(result.output)") }
    #expect(result.output.contains("IDs differ only in white space at the ends"))
    #expect(result.lines.last == "Verdict: 7 problems to solve before a run.")
    let page = try #require(folder.text("page.html"))
    #expect(page.contains("Survey of the users") && page.contains("user.age"))
    let json = try folder.tollgate(["users", "users.ndjson", "--json"])
    #expect(json.output.hasPrefix(#"{"users":4,"refused":1,"refusals":[{"reason":"#))
    #expect(json.output.contains(#""ready":false"#))
  }

  @Test func emptyIDsAndSimilarNames() throws {
    let folder = try TestFolder()
    let lines = [
      #"{"userId":"","user":{"plan":"free"}}"#, #"{"userId":"a","user":{"plan":"free"}}"#,
      #"{"userId":"b","user":{"Plan":"pro","is_new":true}}"#,
      #"{"userId":"c","user":{"isNew":true}}"#,
    ]
    try folder.write("users.ndjson", lines.joined(separator: "\n"))
    let result = try folder.tollgate(["users", "users.ndjson"])
    #expect(result.lines.first == "3 users, 1 line rejected")
    for line in [
      "problem: user.Plan and user.plan are probably one attribute (1)",
      "problem: user.isNew and user.is_new are probably one attribute (1)",
    ] { #expect(result.lines.contains(line), "\(result.output)") }
    #expect(result.output.contains("'userId' is missing"))
  }

  @Test func everyFormOfFile() throws {
    let folder = try folder()
    try folder.write("users.csv", "userId,user.plan,user.age\nu-1,free,17\nu-2,pro,40\n")
    let result = try folder.tollgate(["users", "users.csv"])
    #expect(result.code == 0, "\(result.output)\(result.errors)")
    #expect(result.lines.first == "2 users, 0 lines rejected")
    #expect(result.output.contains("17 to 40"))
    #expect(result.lines.last == "Verdict: ready.")
    #expect(try folder.shell("gzip -n users.csv").code == 0)
    #expect(try folder.tollgate(["users", "users.csv.gz"]).output == result.output)
  }

  /// A schema says what users should have.
  @Test func schemas() throws {
    let folder = try folder()
    try folder.write(
      "schema.json",
      #"{"user":{"plan":{"type":"int"},"email":{"type":"string","required":true}}}"#)
    let result = try folder.tollgate(["users", "users.ndjson", "--schema", "schema.json"])
    #expect(
      result.lines.contains("problem: the schema requires user.email, which users lack (4)"),
      "\(result.output)")
    #expect(
      result.lines.contains("problem: user.plan is not a number, as the schema says (4)"))
  }
}

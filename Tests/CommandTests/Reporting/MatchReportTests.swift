import Expressions
import Foundation
import Testing

@testable import tollgate

/// `match --report`, which is the page of `precompute`.
@Suite struct MatchReportTests {
  private static let basis = "--users users.ndjson --now 2026-03-01T12:00:00Z --seed s"

  /// An audience with a limit and an entitlement, and one whose rule fails for some.
  private static let config = """
    {"campaigns":[{"id":"c","name":"C","status":"active",
      "placements":[{"id":"p","name":"upgrade","type":"custom","status":"active"}],
      "audiences":[
        {"id":"weekly","name":"W","priority_order":1,"entitlement_check":"pro",
         "filters":[{"field":"user.plan","operator":"is","value":"free","conjunction":"and"}],
         "frequency_cap":{"type":"once_per_day"},
         "experiment":{"id":"e1","status":"running","holdout_percentage":0,"variants":[
           {"id":"a","paywall_id":"one","traffic_percentage":50},
           {"id":"b","paywall_id":"two","traffic_percentage":50}]}}]}],
     "paywalls":{},"products":[]}
    """

  private static let users = """
    {"userId":"u-shown","user":{"plan":"free"},"occurrences":{"c/weekly":["2026-03-01T11:00:00Z"]}}
    {"userId":"u-owner","user":{"plan":"free"},"entitlements":["pro"]}
    {"userId":"u-new","user":{"plan":"free"}}
    {"userId":"u-old","user":{"plan":"old"}}

    """

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    try folder.write("users.ndjson", Self.users)
    return folder
  }

  @Test func thePageIsThatOfPrecompute() throws {
    let folder = try TestFolder()
    let demo = try folder.shell(
      "cp -r \(TestFolder.demo)/. . && $TOLLGATE match config.json \(Self.basis) --report m.html "
        + "--threads 2 && $TOLLGATE precompute config.json \(Self.basis) --out none --report p.html"
    )
    #expect(demo.code == 0, "\(demo.errors)")
    #expect(demo.errors.contains("Report: m.html"))
    let page = try #require(folder.bytes("m.html"))
    #expect(page == folder.bytes("p.html"))
    #expect(PageReader(page).fault == nil)
  }

  @Test func whoIsKeptFromAnAudience() throws {
    let folder = try folder()
    let run = try folder.shell("$TOLLGATE match config.json \(Self.basis) --report r.html")
    #expect(run.code == 0, "\(run.errors)")
    let page = PageReader(try #require(folder.bytes("r.html")))
    let rows = page.rows.filter { $0.section == "p0" }
    #expect(
      rows[0].cells == [
        "audience", "share of users", "reached", "owners", "matched", "held back", "taken",
      ])
    #expect(Array(rows[1].cells.suffix(5)) == ["4", "1", "2", "1", "1"])
    // A user for each of them, whom explain tells about.
    let purposes = page.all("li").map(\.text).filter { $0.contains("tollgate explain") }
    let answers = [
      ("held back by its limit", "held back by its limit: shown once"),
      ("skipped, an owner of pro", "pro"), ("No audience matches", "no audience matches"),
    ]
    for (purpose, answer) in answers {
      let item = try #require(purposes.first { $0.contains(purpose) }, "\(purposes)")
      let command = item[try #require(item.range(of: "tollgate explain")).lowerBound...]
      let told = try folder.shell(
        String(command).replacing("tollgate explain", with: "$TOLLGATE explain"))
      #expect(told.code == 0 && told.output.contains(answer), "\(told.output)")
    }
  }

  @Test func rulesThatFailHaveAColumn() throws {
    let folder = try TestFolder()
    try folder.write(
      "config.json",
      """
      {"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g",\
      "expression_cel":"user.email.endsWith('.org')","variants":[\
      {"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]}]}]}
      """)
    try folder.write(
      "users.ndjson",
      #"{"userId":"a","user":{"email":"a@x.org"}}"# + "\n" + #"{"userId":"b"}"# + "\n")
    let run = try folder.shell(
      "$TOLLGATE match config.json --dialect cel \(Self.basis) --report r.html")
    #expect(run.code == 0, "\(run.errors)")
    let rows = PageReader(try #require(folder.bytes("r.html"))).rows.filter { $0.section == "p0" }
    #expect(rows[0].cells[3] == "failed")
    #expect(Array(rows[1].cells.suffix(5)) == ["2", "1", "1", "0", "1"])
  }

  // MARK: Redaction

  @Test(arguments: ["", " --json", " --json --distribution"])
  func idsAreKeptOut(_ options: String) throws {
    let folder = try folder()
    let match = "$TOLLGATE match config.json \(Self.basis)\(options)"
    let open = try folder.shell(match)
    #expect(open.output.contains("u-owner") && open.output.contains("u-new"))
    let closed = try folder.shell("\(match) --redact userId --report r.html")
    #expect(closed.code == 0, "\(closed.errors)")
    #expect(!(closed.output + closed.errors).contains("u-"), "\(closed.output)\(closed.errors)")
    #expect(closed.output.contains("[redacted]"))
    #expect(folder.text("r.html")?.contains("<pre>") == false)
  }

  @Test func hintsKeepOutWhatTheCommandDoes() throws {
    let folder = try folder()
    let run = try folder.shell(
      "$TOLLGATE match config.json \(Self.basis) --redact user.email")
    #expect(run.errors.contains("--id u-shown "), "\(run.errors)")
    #expect(run.errors.contains(" --redact user.email"), "\(run.errors)")
  }

  @Test(arguments: [
    ("--report-ids", "--report-ids is for --report"),
    ("--report users.ndjson", "are the same file"),
    ("--report config.json", "is an HTML page, not json"),
    ("--report -", "a report needs the name of a file"),
    ("--report r.html --report-ids --redact userId", "use only one of them"),
  ])
  func wrongUse(_ options: String, _ message: String) throws {
    let folder = try folder()
    let run = try folder.shell("$TOLLGATE match config.json \(Self.basis) \(options)")
    #expect(run.code == 2 && run.errors.contains(message), "\(run.errors)")
    #expect(folder.names == ["config.json", "users.ndjson"])
    #expect(folder.text("users.ndjson") == Self.users)
  }
}

import Expressions
import Foundation
import Testing

@testable import tollgate

/// `diff --report`, and what `diff` keeps out with `--redact`.
@Suite struct ComparisonPageTests {
  private static let settings = "--now 2026-03-01T12:00:00Z --seed s"

  /// The demo's config, and the same with weights, a paywall, a limit and a condition changed.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    for name in ["config.json", "users.ndjson"] {
      try FileManager.default.copyItem(
        atPath: TestFolder.demo + "/" + name, toPath: folder.path(name))
    }
    let config = try #require(folder.text("config.json"))
    let next = config.replacing(#""percentage": 45,"#, with: #""percentage": 40,"#)
      .replacing(#""paywall_identifier": "export-trial""#, with: #""paywall_identifier": "plans""#)
      .replacing("params.pages > 20", with: "params.pages > 10")
    #expect(next != config)
    try folder.write("next.json", next)
    return folder
  }

  private func diff(_ folder: TestFolder, _ options: String) throws -> BuiltTool.Result {
    try folder.shell("$TOLLGATE diff config.json next.json \(Self.settings) \(options)")
  }

  private func reader(_ folder: TestFolder) throws -> PageReader {
    PageReader(try #require(folder.bytes("r.html")))
  }

  /// Where the configs draw in two ways, the page names both.
  @Test func assignersOfTwoFormats() throws {
    let folder = try TestFolder()
    try folder.write(
      "old.json",
      #"""
      {"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g",
        "variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]}]}]}
      """#)
    try folder.write(
      "new.json",
      #"""
      {"campaigns":[{"id":"c","name":"C","status":"active",
        "placements":[{"id":"p","name":"p","type":"custom","status":"active"}],
        "audiences":[{"id":"a","name":"A","priority_order":0,"filters":[],
          "experiment":{"id":"e","status":"running","holdout_percentage":0,"variants":[
            {"id":"v","paywall_id":"pw","traffic_percentage":100}]}}]}],"paywalls":{}}
      """#)
    try folder.write("users", #"{"userId":"u"}"# + "\n")
    for (new, told) in [("new.json", true), ("old.json", false)] {
      _ = try folder.shell(
        "$TOLLGATE diff old.json \(new) --users users \(Self.settings) --report r.html")
      let page = try #require(folder.text("r.html"))
      #expect(page.contains("hash before, djb2 after") == told, "\(new)")
    }
  }

  /// What users see, by user and placement, as `precompute` writes it.
  private func seen(_ folder: TestFolder, _ config: String) throws -> [String: String] {
    let run = try folder.shell(
      "$TOLLGATE precompute \(config) --users users.ndjson --quiet \(Self.settings)")
    #expect(run.code == 0)
    return try run.lines.reduce(into: [:]) { seen, line in
      let value = try Value.parse(json: line.utf8)
      let key = "\(value["placement"]?.text ?? "") \(value["userId"]?.text ?? "")"
      switch value["result"]?["result"]?.text {
      case "paywall": seen[key] = "paywall \(value["paywall"]?.text ?? "")"
      case "noAudienceMatch": seen[key] = "no match"
      case let other: seen[key] = other
      }
    }
  }

  @Test func matricesAreTwoRuns() throws {
    let folder = try folder()
    let run = try diff(folder, "--users users.ndjson --report r.html --json")
    #expect(run.code == 1 && run.errors.contains("Report: r.html"), "\(run.errors)")
    let report = try Value.parse(json: run.output.utf8)
    let page = try reader(folder)
    #expect(page.fault == nil)
    let (old, new) = (try seen(folder, "config.json"), try seen(folder, "next.json"))
    var checked = 0
    for section in page.all("section") {
      guard let placement = section.attributes["data-p"], let id = section.attributes["id"],
        let head = page.rows.firstIndex(where: { $0.section == id }),
        page.rows[head].cells.first == ""
      else { continue }
      let columns = Array(page.rows[head].cells.dropFirst())
      for row in page.rows[(head + 1)...].prefix(while: { $0.cells[0] != "from" }) {
        let from = row.cells[0]
        for (to, cell) in zip(columns, row.cells.dropFirst()) {
          let count = old.count {
            $0.key.hasPrefix(placement + " ") && $0.value == from && new[$0.key] == to
          }
          #expect(cell == (count == 0 ? "" : grouped(count)), "\(placement): \(from) to \(to)")
          checked += 1
        }
      }
      // The ways below it are those of the JSON.
      let kinds = report["placements"]?[placement]?["kinds"]?.elements ?? []
      let ways = page.rows.filter { $0.section == id }.drop { $0.cells[0] != "from" }.dropFirst()
      #expect(
        ways.map { $0.cells[4] } == kinds.map { grouped(Int($0["users"]?.wholeNumber ?? 0)) })
      #expect(ways.map { $0.cells[2] } == kinds.map { $0["text"]?.text ?? "" })
    }
    #expect(checked > 8)
    // How many see a paywall by each config.
    let users = Int(report["users"]?.wholeNumber ?? 0)
    for row in page.rows.filter({ $0.section == "moves" }).dropFirst() {
      let shares = [old, new].map { outcomes in
        ReportNumber.percent(
          outcomes.count { $0.key.hasPrefix(row.cells[0] + " ") && $0.value.hasPrefix("paywall") },
          of: users)
      }
      #expect(Array(row.cells.suffix(2)) == shares, "\(row.cells)")
    }
    #expect(
      page.all("dd").contains {
        $0.text.hasPrefix(grouped(Int(report["moved"]?.wholeNumber ?? 0)))
      })
  }

  @Test func pagesDoNotDependOnThreads() throws {
    let folder = try folder()
    var pages: [Data?] = []
    for threads in [1, 3] {
      #expect(
        try diff(folder, "--users users.ndjson --report r.html --threads \(threads)").code == 1)
      pages.append(folder.bytes("r.html"))
    }
    #expect(pages[0] == pages[1] && pages[0] != nil)
  }

  /// The command lines explain one user by both configs, who gets what the page says.
  @Test(arguments: ["--users users.ndjson", ""])
  func commandLinesExplain(_ options: String) throws {
    let folder = try folder()
    #expect(try diff(folder, "\(options) --report r.html --exit-zero").code == 0)
    let page = try reader(folder)
    let items = page.all("li").filter { $0.text.contains("tollgate explain") }
    #expect(items.count > 3)
    for (item, line) in zip(items, page.all("pre")).prefix(5) {
      let purpose = String(item.text.dropLast(line.text.count))
      let lines = line.text.split(separator: "\n")
      #expect(lines.count == 2)
      let (from, rest) = try #require(Self.parts(of: purpose, by: " to "))
      let (to, _) = try #require(Self.parts(of: rest, by: ": "))
      for (line, shown) in zip(lines, [from.dropFirst("From ".count), to]) {
        let told = try folder.shell(
          String(line).replacing("tollgate explain", with: "$TOLLGATE explain"))
        #expect(told.code == 0, "\(line): \(told.errors)")
        let words = shown == "no match" ? "no audience matches" : String(shown)
        #expect(told.output.contains(words), "\(purpose)\n\(told.output)")
      }
    }
  }

  private static func parts(of text: some StringProtocol, by mark: String) -> (
    Substring, Substring
  )? {
    let text = Substring(text)
    return text.range(of: mark).map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
  }

  @Test func changesAreToldInWords() throws {
    let folder = try folder()
    #expect(try diff(folder, "--report r.html --exit-zero").code == 0)
    let page = try reader(folder)
    let rows = page.rows.filter { $0.section == "changes" }.dropFirst().map(\.cells)
    #expect(
      rows.contains {
        $0[1].hasSuffix("weight of variant 'export-settled-trial'")
          && $0[2] == "45" && $0[3] == "40"
      }, "\(rows)")
    // Of a condition the clauses that are gone, and those that are new.
    let condition = try #require(rows.first { $0[1].hasSuffix(": condition") }, "\(rows)")
    #expect(condition[2].contains("params.pages > 20") && !condition[2].contains("ACTIVE"))
    #expect(condition[3].contains("params.pages > 10"))
    let verdicts = page.rows.filter { $0.section == "verdicts" }.dropFirst().map(\.cells)
    #expect(verdicts.count == 6)
    #expect(Set(verdicts.map { $0[1] }) == ["proved: the same outcome for every user", "differs"])
    #expect(
      page.all("section").count { $0.attributes["data-p"] != nil }
        == verdicts.count { $0[1] == "differs" })
  }

  @Test func nobodyMoves() throws {
    let folder = try folder()
    for options in ["--users users.ndjson", ""] {
      let run = try folder.shell(
        "$TOLLGATE diff config.json config.json \(Self.settings) \(options) --report r.html")
      #expect(run.code == 0, "\(run.errors)")
      let page = try reader(folder)
      #expect(page.fault == nil)
      #expect(page.all("li").contains { $0.attributes["class"] == "good" })
      #expect(!page.all("section").contains { $0.attributes["data-p"] != nil })
    }
  }

  @Test func fiftyPlacementsAreASmallPage() throws {
    let folder = try folder()
    for name in ["config.json", "next.json"] {
      let config = try Value.parse(json: try #require(folder.text(name)).utf8)
      let known = try #require(config["trigger_options"]?.elements)
      let many = try (0..<50).map { number -> Value in
        let text = known[number % known.count].json
          .replacing("\"experiment_id\":\"", with: "\"experiment_id\":\"n\(number)-")
          // Everybody is drawn anew.
          .replacing(
            "\"variant_id\":\"", with: "\"variant_id\":\"\(name == "next.json" ? "new-" : "")")
        return try Value.parse(json: text.utf8)
          .setting(["event_name"], to: .string("placement_\(number)"))
      }
      try folder.write(name, config.setting(["trigger_options"], to: .list(many)).json)
    }
    for options in ["--users users.ndjson", ""] {
      #expect(try diff(folder, "\(options) --report r.html --exit-zero --quiet").code == 0)
      let bytes = try #require(folder.bytes("r.html"))
      #expect(bytes.count < 300_000 && bytes.count > 60_000, "\(bytes.count)")
      let page = PageReader(bytes)
      #expect(page.fault == nil)
      #expect(page.all("section").count { $0.attributes["data-p"] != nil } == 50)
    }
  }

  // MARK: Redaction

  @Test func idsAreHashedUnlessTheyAreWanted() throws {
    let folder = try folder()
    let users = "--users users.ndjson --report r.html --exit-zero"
    #expect(try diff(folder, users).code == 0)
    let hashed = try #require(folder.text("r.html"))
    #expect(hashed.contains("--id sha256:") && !hashed.contains("u-0"))
    #expect(try diff(folder, "\(users) --report-ids --redact user.email").code == 0)
    let shown = try #require(folder.text("r.html"))
    #expect(shown.contains("--id u-0") && shown.contains("--redact user.email"))
    for format in ["text", "markdown", "json"] {
      let run = try diff(folder, "\(users) --redact userId --format \(format)")
      #expect(run.code == 0, "\(run.errors)")
      #expect(!run.output.contains("u-0") && run.output.contains("[redacted]"), "\(run.output)")
      #expect(folder.text("r.html")?.contains("<pre>") == false)
    }
  }

  /// Users who are made up have values, too: what a rule asks for.
  @Test(arguments: ["text", "markdown", "json"])
  func valuesAreKeptOutOfWitnesses(_ format: String) throws {
    func config(_ share: Int) -> String {
      """
      {"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g",\
      "expression_cel":"user.email == 'ann@secret.example' && user.plan == 'free'","variants":[\
      {"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"p\(share)"}]}]}],\
      "paywall_responses":[{"identifier":"p1"},{"identifier":"p2"}]}
      """
    }
    let folder = try TestFolder()
    try folder.write("config.json", config(1))
    try folder.write("next.json", config(2))
    let options = "--format \(format) --report r.html --exit-zero"
    let open = try diff(folder, options)
    let secret = "ann@secret.example"
    #expect(open.output.contains(secret), "\(open.errors)")
    #expect(folder.text("r.html")?.contains("ann@secret.example") == true)
    let closed = try diff(folder, "\(options) --redact user.email")
    #expect(closed.code == 0, "\(closed.errors)")
    #expect(!closed.output.contains(secret) && closed.output.contains("[redacted]"))
    #expect(closed.output.contains("free"), "\(closed.output)")
    let page = try #require(folder.text("r.html"))
    #expect(!page.contains(secret) && !page.contains("<pre>"))
    #expect(page.contains("Users with values that --redact hides are not shown."))
  }

  @Test(arguments: [
    ("--report r.html --report-ids", "--report-ids needs --users"),
    ("--users users.ndjson --report-ids", "--report-ids is for --report"),
    ("--report next.json", "is an HTML page, not json"),
    ("--users users.ndjson --report users.ndjson", "are the same file"),
    ("--users users.ndjson --out r.html --report r.html", "are the same file"),
    ("--report r.pdf", "ends in .html"), ("--redact email", "'email' is not such an attribute"),
    ("--report missing/r.html", "missing"),
  ])
  func wrongUse(_ options: String, _ message: String) throws {
    let folder = try folder()
    let next = folder.text("next.json")
    let run = try diff(folder, options)
    #expect(run.code == 2 || run.code == 74)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(folder.names == ["config.json", "next.json", "users.ndjson"])
    #expect(folder.text("next.json") == next)
  }
}

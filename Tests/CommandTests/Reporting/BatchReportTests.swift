import Expressions
import Foundation
import TestSupport
import Testing

@testable import RuleBatch
@testable import RuleEngine
@testable import tollgate

/// `precompute --report`.
@Suite struct BatchReportTests {
  private static let basis = "--now 2026-03-01T12:00:00Z --seed s"

  /// A run over the demo, with its page.
  private func run(_ folder: TestFolder, _ options: String, page: String = "report.html") throws
    -> BuiltTool.Result
  {
    try folder.shell(
      "cp -r \(TestFolder.demo)/. . && $TOLLGATE precompute config.json --users users.ndjson "
        + "\(Self.basis) --report \(page) \(options)")
  }

  private func reader(_ folder: TestFolder, _ page: String = "report.html") throws -> PageReader {
    PageReader(try #require(folder.bytes(page)))
  }

  @Test func numbersAreThoseOfTheSummary() throws {
    let folder = try TestFolder()
    let result = try run(folder, "--out none --summary json --threads 2")
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.errors.contains("Report: report.html"))
    let summary = try Value.parse(json: result.output.utf8)
    let page = try reader(folder)
    #expect(page.fault == nil)
    guard case .map(let placements)? = summary["placements"],
      case .int(let users)? = summary["users"]
    else { throw CommandError("no summary") }
    #expect(page.all("dd").contains { $0.text == grouped(Int(users)) })
    #expect(placements.count == 6)
    for (number, entry) in placements.enumerated() {
      let name = entry.key.text ?? ""
      #expect(page.section("p\(number)")?.attributes["data-p"] == name)
      let funnel = (entry.value["audiences"]?.elements ?? []).map { audience in
        func count(_ key: String) -> Int {
          if case .int(let count)? = audience[key] { Int(count) } else { -1 }
        }
        return [
          count("reached"), count("matched"), count("matched") - count("taken"), count("taken"),
        ].map(grouped)
      }
      let rows = page.rows.filter { $0.section == "p\(number)" && $0.cells.count == 6 }.dropFirst()
      #expect(rows.map { Array($0.cells.suffix(4)) } == funnel)
      let variants = page.rows.filter { $0.section == "p\(number)" && $0.cells.count == 8 }
      let drawn = variants.dropFirst().flatMap { $0.cells.suffix(2) }
        .compactMap { Int($0.replacing(",", with: "")) }.reduce(0, +)
      guard case .int(let paywall)? = entry.value["outcomes"]?["paywall"],
        case .int(let holdout)? = entry.value["outcomes"]?["holdout"]
      else { continue }
      #expect(drawn == Int(paywall + holdout))
      let shares = [paywall, holdout].map { ReportNumber.percent(Int($0), of: Int(users)) }
      let outcome = try #require(
        page.rows.first { $0.section == "outcomes" && $0.cells.first == name })
      #expect(Array(outcome.cells[2...3]) == shares)
    }
  }

  @Test func pagesDoNotDependOnThreadsOrOutcomes() throws {
    let folder = try TestFolder()
    #expect(try run(folder, "--out none --threads 1").code == 0)
    let first = try #require(folder.bytes("report.html"))
    for options in ["--out none --threads 3", "--out o.csv --layout wide", "--out o.sqlite"] {
      #expect(try run(folder, options).code == 0)
      #expect(folder.bytes("report.html") == first, "\(options)")
    }
  }

  /// A run that is stopped and continued has counted all of it; one that was begun without a report
  /// says that it has not.
  @Test(arguments: [true, false])
  func reportsGoOnWithRuns(_ isBegunWith: Bool) throws {
    let folder = try TestFolder()
    let users = TestFolder.users(12_000)
    try folder.write("users", users)
    let options = [
      "precompute", TestFolder.config, "--users", "-", "--now", "2026-03-01", "--seed", "s",
    ]
    let again = "cat users | $TOLLGATE \(options.joined(separator: " "))"
    #expect(try folder.shell("\(again) --out a --report whole.html").code == 0)
    let input = Pipe()
    let run = try BuiltTool.Running(
      try BuiltTool.tool(),
      options + ["--threads", "1", "--checkpoint-every", "1000", "--out", "b"]
        + (isBegunWith ? ["--report", "b.html"] : []), source: input, in: folder.path)
    try input.fileHandleForWriting.write(contentsOf: Data(users.utf8.prefix(700_000)))
    while !folder.exists("b.checkpoint"), run.process.isRunning { usleep(1_000) }
    kill(run.process.processIdentifier, SIGTERM)
    #expect(try run.wait().code == 128 + SIGTERM)
    #expect(!folder.exists("b.html"))
    let resumed = try folder.shell("\(again) --out b --report b.html --resume")
    #expect(resumed.code == (isBegunWith ? 0 : 2), "\(resumed.errors)")
    guard isBegunWith else {
      #expect(resumed.errors.contains("was started without --report"), "\(resumed.errors)")
      #expect(try folder.shell("\(again) --out b --resume").code == 0)
      return
    }
    #expect(resumed.errors.contains(" users before"))
    #expect(folder.bytes("b.html") == folder.bytes("whole.html"))
  }

  @Test func completeRunsReportAgain() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(500))
    let run = "$TOLLGATE precompute $CONFIG --users users \(Self.basis)"
    #expect(try folder.shell("\(run) --out a --report first.html").code == 0)
    let again = try folder.shell("\(run) --out a --report second.html --resume")
    #expect(again.code == 0 && again.errors.contains("Already complete"), "\(again.errors)")
    #expect(folder.bytes("second.html") == folder.bytes("first.html"))
    #expect(try folder.shell("\(run) --out b").code == 0)
    let late = try folder.shell("\(run) --out b --report late.html --resume")
    #expect(late.code == 2)
    #expect(late.errors.contains("did not count what --report shows"), "\(late.errors)")
    #expect(!folder.exists("late.html"))
  }

  /// What an earlier build has counted for a report is another thing than what pages show now.
  @Test func countsOfEarlierBuildsAreRefused() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(500))
    let run = "$TOLLGATE precompute $CONFIG --users users \(Self.basis) --out a"
    #expect(try folder.shell("\(run) --report first.html").code == 0)
    let manifest = try #require(folder.text("a.manifest.json"))
    #expect(manifest.contains(#","users":[["#))
    try folder.write(
      "a.manifest.json", manifest.replacing(#","users":[["#, with: #","examples":[["#))
    let late = try folder.shell("\(run) --report late.html --resume")
    #expect(late.code == 2)
    #expect(late.errors.contains("did not count what --report shows"), "\(late.errors)")
    #expect(try folder.shell("\(run) --resume").code == 0)
    #expect(try folder.shell("$TOLLGATE replay a.manifest.json").code == 0)
  }

  @Test func fiftyPlacementsAreASmallPage() throws {
    let folder = try TestFolder()
    let demo = try Value.parse(
      json: try #require(FileManager.default.contents(atPath: TestFolder.config)))
    let known = try #require(demo["trigger_options"]?.elements)
    let many = (0..<50).map { number -> Value in
      let text = known[number % known.count].json
      return
        (try? Value.parse(
          json: text.replacing("\"experiment_id\":\"", with: "\"experiment_id\":\"n\(number)-").utf8
        ))?
        .setting(["event_name"], to: .string("placement_\(number)")) ?? .null
    }
    let config = demo.setting(["trigger_options"], to: .list(many))
    try folder.write("config.json", config.json)
    // A name of its own: the page repeats the command, whose length must not depend on where the clone is.
    try folder.write(
      "users.ndjson",
      try #require(FileManager.default.contents(atPath: "\(TestFolder.demo)/users.ndjson")))
    let result = try folder.shell(
      "$TOLLGATE precompute config.json --users users.ndjson \(Self.basis) "
        + "--out none --report report.html")
    #expect(result.code == 0, "\(result.errors)")
    let page = try #require(folder.bytes("report.html"))
    #expect(page.count < 300_000)
    #expect(page.count > 150_000)
    let read = PageReader(page)
    #expect(read.fault == nil)
    #expect(read.all("section").count { $0.attributes["data-p"] != nil } == 50)
  }

  // MARK: Users

  /// The command lines of a page work, and tell what the page says.
  @Test func commandLinesExplain() throws {
    let folder = try TestFolder()
    #expect(try run(folder, "--out none").code == 0)
    let page = try reader(folder)
    let lines = zip(page.all("li").filter { $0.text.contains("tollgate explain") }, page.all("pre"))
    // Of every kind there is somebody.
    for kind in [": paywall ", ": held back by its limit", ": holdout", "No audience matches"] {
      #expect(lines.contains { $0.0.text.contains(kind) }, "\(kind)")
    }
    var checked = 0
    for (item, line) in lines where checked < 9 {
      let purpose = String(item.text.dropLast(line.text.count))
      let words = line.text.replacing("tollgate explain", with: "$TOLLGATE explain")
      let result = try folder.shell(words)
      #expect(result.code == 0, "\(line.text): \(result.errors)")
      if let colon = purpose.range(of: ": paywall ") {
        #expect(result.output.contains("paywall \(purpose[colon.upperBound...]) "), "\(purpose)")
        let variant = purpose[..<colon.lowerBound].split(separator: " ").last ?? ""
        #expect(result.output.contains("variant \(variant) of"), "\(purpose)")
      } else if purpose.hasSuffix(": held back by its limit") {
        #expect(result.output.contains("held back by its limit: shown"), "\(purpose)")
      } else if purpose.hasPrefix("Fails: ") {
        #expect(result.output.contains("error"), "\(result.output)")
      } else if purpose.hasSuffix("holdout") {
        #expect(result.output.contains("holdout, no paywall"), "\(purpose)")
      } else {
        #expect(purpose == "No audience matches")
        #expect(result.output.contains("no audience matches, no paywall"))
      }
      checked += 1
    }
    #expect(checked == 9)
  }

  @Test func idsAreHashedUnlessTheyAreWanted() throws {
    let folder = try TestFolder()
    #expect(try run(folder, "--out none").code == 0)
    let hashed = try #require(folder.text("report.html"))
    #expect(!hashed.contains("--id u-"))
    #expect(hashed.contains("--id sha256:"))
    #expect(try run(folder, "--out none --report-ids --redact user.email").code == 0)
    let shown = try #require(folder.text("report.html"))
    #expect(shown.contains("--id u-"))
    #expect(!shown.contains("sha256:"))
    #expect(shown.contains("--redact user.email"))
    #expect(try run(folder, "--out none --redact userId").code == 0)
    #expect(try #require(folder.text("report.html")).contains("<pre>") == false)
  }

  @Test func hashesFindUsers() throws {
    // The first digits of `printf abc | sha256sum`.
    #expect(ShownUser.hash(of: "abc") == "sha256:ba7816bf8f01")
    #expect(ShownUser.isHash("sha256:ba7816bf8f01"))
    for text in [
      "sha256:ba7816bf8f0", "sha256:BA7816BF8F01", "ba7816bf8f01", "sha256:ba7816bf8f0x",
    ] {
      #expect(!ShownUser.isHash(text), "\(text)")
    }
    let folder = try TestFolder()
    try folder.write("users.ndjson", #"{"userId":"x"}"# + "\n" + #"{"userId":"abc"}"# + "\n")
    let decide = "$TOLLGATE decide $CONFIG --placement export_report --users users.ndjson --json"
    let found = try folder.shell("\(decide) --id sha256:ba7816bf8f01")
    #expect(found.output.contains(#""userId":"abc""#), "\(found.errors)")
    let none = try folder.shell("\(decide) --id sha256:ba7816bf8f00")
    #expect(none.code == 2)
  }

  // MARK: Experiments

  /// Buckets of djb2 tell two experiments with names alike from each other's; hashes do not.
  @Test func experimentsDrawnTogetherAreFound() throws {
    func option(_ name: String, _ share: Int) -> String {
      """
      {"event_name":"\(name)","rules":[{"experiment_id":"\(name)-exp","experiment_group_id":"g",\
      "expression_cel":"true","variants":[\
      {"variant_id":"on","variant_type":"TREATMENT","percentage":\(share),\
      "paywall_identifier":"p"},\
      {"variant_id":"off","variant_type":"HOLDOUT","percentage":\(100 - share)}]}]}
      """
    }
    let folder = try TestFolder()
    try folder.write(
      "config.json",
      """
      {"trigger_options":[\(option("b", 50)),\(option("c", 30))],\
      "paywall_responses":[{"identifier":"p"}]}
      """)
    try folder.write(
      "users.ndjson", (0..<3_000).map { "{\"userId\":\"user-\($0)\"}\n" }.joined())
    for (assigner, isFound) in [("djb2", true), ("hash", false)] {
      let result = try folder.shell(
        "$TOLLGATE precompute config.json --users users.ndjson --out none --now 2026-03-01 "
          + "--assigner \(assigner) --report r.html")
      #expect(result.code == 0, "\(result.errors)")
      let page = try reader(folder, "r.html")
      let row = try #require(
        page.rows.first { $0.section == "together" && $0.cells.first == "b-exp and c-exp" })
      #expect(row.cells[1] == (isFound ? "suspicious: drawn together" : "independent"))
      #expect(row.cells[4] == "3,000")
      #expect(
        page.all("li").contains { $0.text.hasPrefix("b-exp and c-exp: the variant drawn") }
          == isFound)
    }
  }

  private func audience(_ counts: [(users: Int, stored: Int)], _ weights: [Double])
    -> Reach.Audience
  {
    Reach.Audience(
      counts: Tally.Audience(index: 0, experimentID: "e", label: "0 (e)"), condition: nil,
      examples: Reach.Examples(),
      variants: zip(counts, weights).enumerated().map { number, variant in
        Reach.Variant(
          id: "v\(number)", result: "paywall", paywall: "p", users: variant.0.users,
          stored: variant.0.stored, weight: variant.1, share: .one)
      }, errors: [])
  }

  private func tests(_ audiences: [Reach.Audience]) -> DrawChecks {
    DrawChecks(
      [Reach(counts: Tally.Placement(name: "p"), audiences: audiences)], pairs: [],
      pairsLeftOut: 0)
  }

  @Test func drawsThatAreNotTheWeightsAreFound() throws {
    let skewed = tests([audience([(5_300, 0), (4_700, 0)], [0.5, 0.5])])
    guard case .suspicious(let p) = skewed.verdict(skewed.balances[0]) else {
      return #expect(Bool(false), "not found")
    }
    #expect(p < 1e-8)
    let finding = try #require(skewed.findings { "p\($0)" }.first)
    #expect(finding.tone == .bad && finding.section == "p0")
    #expect(finding.text.contains("v0 was drawn by 53.0 % of 10,000 users in place of 50.0 %"))
    // The same numbers are as they should be if 600 of them were stored.
    let stored = tests([audience([(5_300, 600), (4_700, 0)], [0.5, 0.5])])
    #expect(stored.verdict(stored.balances[0]) == .fine(p: 1))
    #expect(stored.balances[0].users == 9_400 && stored.balances[0].stored == 600)
    let few = tests([audience([(3, 0), (4, 0)], [0.5, 0.5])])
    #expect(few.verdict(few.balances[0]) == .tooFew)
    #expect(few.findings { _ in nil }.isEmpty)
    #expect(tests([audience([(9, 0)], [1])]).balances.isEmpty)
  }

  /// What is suspicious alone is not among many: a chance of one in 200.
  @Test func manyTestsAskForMore() {
    let odd = audience([(5_140, 0), (4_860, 0)], [0.5, 0.5])
    let even = audience([(5_000, 0), (5_000, 0)], [0.5, 0.5])
    let alone = tests([odd])
    guard case .suspicious = alone.verdict(alone.balances[0]) else {
      return #expect(Bool(false), "not found")
    }
    let many = tests([odd] + Array(repeating: even, count: 9))
    guard case .fine = many.verdict(many.balances[0]) else {
      return #expect(Bool(false), "a false alarm")
    }
  }

  // MARK: Wrong use

  @Test(arguments: [
    ("--out none --report-ids", "--report-ids is for --report"),
    ("--out none --redact user.email", "--redact needs --report"),
    ("--out none --report -", "a report needs the name of a file"),
    ("--out none --report /dev/null", "a report needs the name of a file"),
    ("--out none --report r.pdf", "ends in .html"),
    ("--out none --report r.html --redact email", "'email' is not such an attribute"),
    ("--out none --report r.html --redact user..x", "'user..x' is not such an attribute"),
    ("--out none --report r.html --report-ids --redact userId", "use only one of them"),
    ("--out r.html --report r.html", "are the same file"),
    ("--out none --report users.ndjson", "are the same file"),
    ("--out none --report missing/r.html", "missing"),
  ])
  func wrongUseIsTold(_ options: String, _ message: String) throws {
    let folder = try TestFolder()
    try folder.write("users.ndjson", #"{"userId":"u"}"#)
    let result = try folder.shell(
      "$TOLLGATE precompute $CONFIG --users users.ndjson \(options)")
    #expect(result.code == 2 || result.code == 74)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(folder.names == ["users.ndjson"])
    #expect(folder.text("users.ndjson") == #"{"userId":"u"}"#)
  }

  @Test func refusedLinesAreToldByReason() throws {
    let folder = try TestFolder()
    let bad = #"{"user":{}}"# + "\n"
    try folder.write("users.ndjson", #"{"userId":"u"}"# + "\n" + bad + bad + "[]\n")
    #expect(
      try folder.shell(
        "$TOLLGATE precompute $CONFIG --users users.ndjson --out none --report r.html"
      ).code == 0)
    let rows = try reader(folder, "r.html").rows.filter { $0.section == "refused" }.dropFirst()
    #expect(rows.map { Array($0.cells.dropFirst()) } == [["line 2", "2"], ["line 4", "1"]])
    #expect(rows.first?.cells[0].contains("'userId' is missing") == true)
    var many = RejectKinds()
    for number in 0..<30 { many.add("at byte \(number): r\(number)", file: 0, line: number) }
    many.add("r3", file: 1, line: 4)
    #expect(many.kinds.count == 20 && many.others == 10)
    #expect(many.kinds[3] == .init(reason: "r3", lines: 2, file: 0, line: 3))
    #expect(RejectKinds(many.value) == many)
  }
}

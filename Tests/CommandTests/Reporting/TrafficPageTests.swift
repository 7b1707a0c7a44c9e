import Expressions
import Foundation
import Testing

@testable import tollgate

/// `simulate-traffic --report`.
@Suite struct TrafficPageTests {
  private static let traffic =
    "--users users.ndjson --now 2026-03-01 --days 9 --rate 2 --purchase-rate 0.05 --seed s"

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    for name in ["config.json", "users.ndjson"] {
      try FileManager.default.copyItem(
        atPath: TestFolder.demo + "/" + name, toPath: folder.path(name))
    }
    return folder
  }

  private func simulate(_ folder: TestFolder, _ options: String) throws -> BuiltTool.Result {
    try folder.shell("$TOLLGATE simulate-traffic config.json \(options)")
  }

  private func reader(_ folder: TestFolder, _ name: String = "r.html") throws -> PageReader {
    PageReader(try #require(folder.bytes(name)))
  }

  private func number(_ value: Value?) -> Int { Int(value?.wholeNumber ?? -1) }

  @Test func numbersAreThoseOfTheCommand() throws {
    let folder = try folder()
    let run = try simulate(folder, "\(Self.traffic) --report r.html --json")
    #expect(run.code == 0 && run.errors.contains("Report: r.html"), "\(run.errors)")
    let report = try Value.parse(json: run.output.utf8)
    let page = try reader(folder)
    #expect(page.fault == nil)
    let days = try #require(report["days"]?.elements)
    let told = page.rows.filter { $0.section == "days" }.dropFirst().map(\.cells)
    #expect(
      told
        == days.map { day in
          let held = (day["heldBack"]?.elements ?? []).reduce(0) { $0 + number($1["count"]) }
          return [day["day"]?.text ?? ""]
            + [number(day["asked"]), number(day["paywall"]), number(day["holdout"]), held]
            .map(grouped) + [grouped(number(day["purchases"]))]
        })
    #expect(days.reduce(0) { $0 + number($1["purchases"]) } == number(report["purchases"]))
    // Each limit with the days on which it bites.
    var limits: [[String]] = []
    for placement in report["placements"]?.members ?? [] {
      for audience in placement.value["audiences"]?.elements ?? [] where audience["limit"] != nil {
        let held = days.flatMap { $0["heldBack"]?.elements ?? [] }.filter {
          $0["placement"]?.text == placement.key && $0["audience"] == audience["index"]
        }.map { number($0["count"]) }
        #expect(held.reduce(0, +) == number(audience["heldBack"]))
        limits.append(
          [number(audience["matched"]), number(audience["heldBack"])].map(grouped)
            + [grouped(held.max() ?? 0), grouped(number(audience["usersHeldBack"]))])
      }
    }
    let rows = page.rows.filter { $0.section == "limits" }.dropFirst().map(\.cells)
    #expect(rows.count == limits.count && limits.count > 1)
    for row in rows { #expect(limits.contains([row[3], row[4], row[6], row[7]]), "\(row)") }
    // Each paywall with how many users see it how often.
    let seen = page.rows.filter { $0.section == "frequency" }.dropFirst().map(\.cells)
    for row in seen {
      let counts = row[0] == "any paywall" ? report["anyPaywall"] : report["paywalls"]?[row[0]]
      let users = try #require(counts?.elements, "\(row)").map(number)
      let steps = [users[1], users[2], users[3] + users[4], users[5...9].reduce(0, +), users[10]]
      #expect(Array(row.suffix(6)) == (steps + [users[0]]).map(grouped))
    }
    #expect(seen.count == 1 + (report["paywalls"]?.members?.count ?? 0))
    for (number, placement) in (report["placements"]?.members ?? []).enumerated() {
      let section = try #require(page.section("p\(number)"))
      #expect(section.attributes["data-p"] == placement.key)
      #expect(
        section.text.contains("Requested \(grouped(self.number(placement.value["asked"]))) times"))
    }
  }

  /// The command line on the page makes the page again; threads do not matter.
  @Test func theSameAgain() throws {
    let folder = try folder()
    #expect(
      try simulate(
        folder, "\(Self.traffic) --time-zone Europe/Berlin --report r.html --threads 1"
      ).code == 0)
    let line = try #require(try reader(folder).all("pre").first).text
    #expect(line.hasPrefix("tollgate simulate-traffic config.json --users users.ndjson --now "))
    let again = try folder.shell(
      line.replacing("tollgate simulate", with: "$TOLLGATE simulate")
        + " --threads 3 --report again.html")
    #expect(again.code == 0, "\(again.errors)")
    #expect(folder.bytes("again.html") == folder.bytes("r.html"))
  }

  /// Of many days several are one bar.
  @Test func longTimesHaveFewerBars() throws {
    let folder = try folder()
    let first = (folder.text("users.ndjson") ?? "").split(separator: "\n").prefix(40)
    try folder.write("few.ndjson", first.joined(separator: "\n"))
    let run = try simulate(
      folder, "--users few.ndjson --now 2026-03-01 --days 120 --report r.html --json")
    #expect(run.code == 0, "\(run.errors)")
    let report = try Value.parse(json: run.output.utf8)
    let rows = try reader(folder).rows.filter { $0.section == "days" }.dropFirst().map(\.cells)
    #expect(rows.count == 18 && rows[1][0] == "2026-03-08")
    let asked = rows.reduce(0) { $0 + (Int($1[1].replacing(",", with: "")) ?? 0) }
    #expect(asked == number(report["asked"]))
    #expect(folder.text("r.html")?.contains("by 7 days") == true)
  }

  @Test func fiftyPlacementsAreASmallPage() throws {
    let folder = try folder()
    let config = try Value.parse(json: try #require(folder.text("config.json")).utf8)
    let known = try #require(config["trigger_options"]?.elements)
    let many = try (0..<50).map { number -> Value in
      try Value.parse(json: known[number % known.count].json.utf8)
        .setting(["event_name"], to: .string("placement_\(number)"))
    }
    try folder.write("config.json", config.setting(["trigger_options"], to: .list(many)).json)
    let run = try simulate(
      folder, "--users users.ndjson --now 2026-03-01 --days 60 --rate 1 --report r.html --quiet")
    #expect(run.code == 0, "\(run.errors)")
    let bytes = try #require(folder.bytes("r.html"))
    #expect(bytes.count < 300_000 && bytes.count > 100_000, "\(bytes.count)")
    let page = PageReader(bytes)
    #expect(page.fault == nil)
    #expect(page.all("section").count { $0.attributes["data-p"] != nil } == 50)
  }

  @Test func refusedLinesNameNobody() throws {
    let folder = try folder()
    try folder.write("u.ndjson", #"{"userId":"u1"}"# + "\n[]\n")
    func line(_ user: String) -> String {
      #"{"at":"2026-03-01T12:00:00Z","userId":"\#(user)","placement":"export_report"}"# + "\n"
    }
    try folder.write("events.ndjson", line("u1") + line("ann-7") + line("bob-8"))
    let traffic = "--users u.ndjson --events events.ndjson --report r.html"
    let open = try simulate(folder, traffic)
    #expect(open.code == 0 && open.errors.contains("'ann-7'"), "\(open.errors)")
    let page = try #require(folder.text("r.html"))
    #expect(!page.contains("ann-7") && !page.contains("bob-8"))
    let rows = try reader(folder).rows.filter { $0.section == "refused" }.dropFirst().map(\.cells)
    #expect(
      rows.contains([
        "there is no such user in --users; add the user's record", "events.ndjson:2", "2",
      ]), "\(rows)")
    #expect(rows.contains { $0[1] == "u.ndjson:2" })
    let closed = try simulate(folder, "\(traffic) --redact userId")
    #expect(closed.code == 0 && !closed.errors.contains("ann-7"), "\(closed.errors)")
    #expect(closed.errors.contains("there is no such user in --users"))
  }

  @Test(arguments: [
    ("--report users.ndjson", "are the same file"),
    ("--report r.html --out r.html", "are the same file"),
    ("--report -", "a report needs the name of a file"), ("--report r.csv", "ends in .html"),
    ("--redact email", "'email' is not such an attribute"), ("--report missing/r.html", "missing"),
  ])
  func wrongUse(_ options: String, _ message: String) throws {
    let folder = try folder()
    let run = try simulate(folder, "--users users.ndjson --days 1 \(options)")
    #expect(run.code == 2 || run.code == 74)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(folder.names == ["config.json", "users.ndjson"])
  }
}

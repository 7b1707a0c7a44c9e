import Expressions
import Foundation
import Testing

@testable import tollgate

/// What `simulate-traffic` reads, writes and says.
@Suite struct SimulateTrafficTests {
  private static let now = [
    "--now", "2026-03-01T06:00:00Z", "--days", "5", "--seed", "s", "--quiet",
  ]

  private func run(_ folder: TestFolder, _ arguments: [String]) throws -> BuiltTool.Result {
    try folder.tollgate(["simulate-traffic", TestFolder.config] + arguments)
  }

  private var demoUsers: String { TestFolder.demo + "/users.ndjson" }

  /// A last bar of fewer days is not taken for a drop.
  @Test func theLastBarSaysWhatItIs() throws {
    let folder = try TestFolder()
    try folder.write("u.ndjson", (0..<30).map { #"{"userId":"u\#($0)"}"# }.joined(separator: "\n"))
    let result = try run(
      folder,
      [
        "--users", "u.ndjson", "--now", "2026-03-01", "--days", "88", "--seed", "s", "--quiet",
        "--report", "page.html",
      ])
    #expect(result.code == 0, "\(result.errors)")
    let page = try #require(folder.text("page.html"))
    #expect(page.contains("2026-05-24 (4 days only)"))
    #expect(page.contains("Each bar is 7 days; the last one is 4 days."))
  }

  @Test func theSameForAnyNumberOfThreads() throws {
    let folder = try TestFolder()
    for name in ["a.ndjson", "a.csv", "a.ndjson.zst"] {
      var results: [(BuiltTool.Result, Data?)] = []
      for threads in ["1", "4"] {
        let result = try run(
          folder,
          ["--users", demoUsers, "--threads", threads, "--out", name, "--purchase-rate", "0.05"]
            + Self.now)
        #expect(result.code == 0, "\(result.errors)")
        results.append((result, folder.bytes(name)))
      }
      #expect(results[0].0.output == results[1].0.output)
      #expect(results[0].1 == results[1].1 && results[0].1?.isEmpty == false)
    }
    let lines = try #require(folder.text("a.ndjson")).split(separator: "\n")
    #expect(folder.text("a.csv")?.split(separator: "\n").count == lines.count + 1)
    #expect(folder.text("a.csv")?.hasPrefix("at,user_id,placement,result,audience,") == true)
  }

  /// Which clause of whose condition failed, and by what.
  @Test func failures() throws {
    let folder = try TestFolder()
    try folder.write(
      "c.json",
      #"{"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"mail","experiment_group_id":"g","#
        + #""expression_cel":"user.plan == \"pro\" || user.email.endsWith(\".org\")","variants":[]}]}]}"#
    )
    try folder.write(
      "u.ndjson", #"{"userId":"a"}"# + "\n" + #"{"userId":"b","user":{"email":5}}"# + "\n")
    for threads in ["1", "2"] {
      let result = try folder.tollgate(
        ["simulate-traffic", "c.json", "--users", "u.ndjson", "--rate", "20", "--threads", threads]
          + Self.now)
      let found =
        result.output.components(separatedBy: "These rules failed").dropFirst().first ?? ""
      let lines = found.split(separator: "\n").dropFirst().prefix(4).sorted()
      try #require(lines.count == 4, "\(result.output)")
      #expect(lines[1].hasPrefix("    user.email is not a string, and endsWith needs one: "))
      #expect(lines[0].hasPrefix("    user.email is missing, and endsWith needs a string: "))
      #expect(lines[2] == #"  p, audience 0 (mail): user.email.endsWith(".org")"#)
      #expect(lines[3] == lines[2])
    }
  }

  /// What a simulation writes is traffic, once it is sorted: it comes to the same again.
  @Test func whatIsWrittenIsReplayed() throws {
    let folder = try TestFolder()
    let made = try run(
      folder, ["--users", demoUsers, "--out", "made.ndjson", "--purchase-rate", "0.1"] + Self.now)
    let text = try #require(folder.text("made.ndjson"))
    #expect(try folder.shell("LC_ALL=C sort made.ndjson > traffic.ndjson").code == 0)
    let count = text.split(separator: "\n").count
    try folder.compress("traffic.ndjson", .gzip)
    for name in ["traffic.ndjson", "traffic.ndjson.gz"] {
      let again = try run(
        folder,
        [
          "--users", demoUsers, "--events", name, "--out", "again.ndjson", "--seed", "s",
          "--purchase-rate", "0.1", "--quiet",
        ])
      #expect(again.code == 0, "\(again.errors)")
      #expect(again.output == made.output)
      #expect(folder.text("again.ndjson") == text)
    }
    let piped = try folder.shell(
      "\"$TOLLGATE\" simulate-traffic \"$CONFIG\" --users '\(demoUsers)' --events - --seed s "
        + "--purchase-rate 0.1 --quiet --json < traffic.ndjson")
    #expect(piped.code == 0)
    let report = try Value.parse(json: piped.output.utf8)
    #expect(report["asked"] == .int(Int64(count)) && report["rejectedEvents"] == 0)
  }

  @Test func refusedLines() throws {
    let folder = try TestFolder()
    try folder.write(
      "users.ndjson",
      """
      {"userId":"u1"}
      {"userId":5}
      {"userId":"u2","user":{"plan":"free"}}
      {"userId":"u1","user":{"plan":"free"}}

      """)
    let good = #"{"at":"2026-03-01T12:00:00Z","userId":"u2","placement":"export_report"}"#
    try folder.write(
      "events.ndjson",
      [
        good, good.replacing("u2", with: "u3"), "", good.replacing("export", with: "exprot"),
        good.replacing("12:00:00Z", with: "11:59:59Z"), good.replacing("12:00:00Z", with: "noon"),
        #"{"at":"2026-03-01T12:00:01Z","userId":"u1","placement":"settings_upgrade"}"#,
      ].joined(separator: "\n"))
    let arguments = [
      "--users", "users.ndjson", "--events", "events.ndjson", "--rejects", "rejects.ndjson",
    ]
    let result = try run(folder, arguments + ["--json"])
    #expect(result.code == 0)
    let report = try Value.parse(json: result.output.utf8)
    #expect(report["users"] == 2 && report["rejected"] == 1 && report["rejectedEvents"] == 4)
    #expect(report["asked"] == 2)
    for said in [
      "warning: users.ndjson:2",
      "warning: events.ndjson:2: rejected: there is no user 'u3' in --users",
      "events.ndjson:4: rejected: the config has no placement 'exprot_report'; did you mean 'export_report'?",
      "events.ndjson:5: rejected: 'at' is earlier than in the previous line, 2026-03-01T12:00:00Z",
      "events.ndjson:6:7: rejected: 'at': '2026-03-01Tnoon' is not an ISO 8601 time",
      "note: 1 repeated record of users such as 'u1'; the first record counts",
    ] {
      #expect(result.errors.contains(said), "\(said)\n\(result.errors)")
    }
    let rejects = try #require(folder.text("rejects.ndjson")).split(separator: "\n")
      .map { try Value.parse(json: $0.utf8) }
    #expect(rejects.map { $0["line"] } == [2, 2, 4, 5, 6])
    #expect(rejects[1]["file"] == "events.ndjson")
    #expect(rejects[1]["text"] == .string(good.replacing("u2", with: "u3")))
    #expect(try run(folder, arguments + ["--strict"]).code == 3)
  }

  @Test func wrongUse() throws {
    let folder = try TestFolder()
    try folder.write("none.ndjson", "\n")
    try folder.write("users.ndjson", "{\"userId\":\"u\"}\n")
    try folder.write("bad.ndjson", "{}\n")
    let events = ["--users", "users.ndjson", "--events"]
    for (arguments, said) in [
      (events + ["none.ndjson"], "no traffic in none.ndjson"),
      (events + ["bad.ndjson"], "no traffic in bad.ndjson: the only line was rejected"),
      (events + ["bad.ndjson", "--days", "3"], "--days is for generated traffic"),
      (events + ["users.ndjson", "--out", "users.ndjson"], "are the same file"),
      (["--users", "-", "--events", "bad.ndjson"], "users are read twice"),
      (["--users", "none.ndjson"], "no users in none.ndjson"),
      (["--users", "users.ndjson", "--rate", "0"], "--rate must be more than 0"),
      (["--users", "users.ndjson", "--rate", "nan"], "--rate must be more than 0"),
      (["--users", "users.ndjson", "--rejects", "users.ndjson"], "are the same file"),
      (["--users", "users.ndjson", "--days", "0"], "--days must be from 1"),
      (
        ["--users", "users.ndjson", "--now", "9999-12-31T00:00:01Z", "--days", "1"],
        "1 day from --now would end after the year 9999"
      ),
      (["--users", "users.ndjson", "--days", "3660", "--rate", "9"], "at most 20,000 placements"),
      (["--users", "users.ndjson", "--purchase-rate", "3"], "must be from 0 to 1"),
      (["--users", "users.ndjson", "--placement", "nope"], "has no placement 'nope'"),
      (["--users", "users.ndjson", "--time-zone", "Mars/Base"], "Mars/Base"),
      (
        ["--users", "users.ndjson", "--out", "x.sqlite"], "--out x.sqlite: it is written as NDJSON"
      ),
    ] {
      let result = try run(folder, arguments)
      #expect(result.code == 2, "\(arguments)")
      #expect(result.errors.contains(said), "\(arguments): \(result.errors)")
    }
  }

  @Test func csvUsersAreSimulated() throws {
    let folder = try TestFolder()
    try folder.write("users.csv", "userId,user.plan\nu1,free\nu2\nu3,pro\n")
    let result = try run(
      folder, ["--users", "users.csv", "--json", "--now", "2026-03-01", "--rate", "3"])
    let report = try Value.parse(json: result.output.utf8)
    #expect(report["users"] == 2 && report["rejected"] == 1)
    #expect(result.errors.contains("users.csv:3: rejected: the row has 1 cell, and the header 2"))
  }

  @Test func aStopSaysWhatIsDone() throws {
    let folder = try TestFolder()
    try folder.write("users.ndjson", TestFolder.users(40_000))
    let running = try BuiltTool.Running(
      try BuiltTool.tool(),
      [
        "simulate-traffic", TestFolder.config, "--users", "users.ndjson", "--rate", "20",
        "--out", "out.ndjson",
      ], in: folder.path)
    // As soon as there is something to say.
    while running.process.isRunning, (folder.bytes("out.ndjson.partial")?.count ?? 0) == 0 {
      Thread.sleep(forTimeInterval: 0.01)
    }
    running.process.interrupt()
    let result = try running.wait()
    #expect(result.code == 130)
    #expect(result.errors.contains("Stopped after "))
    #expect(result.errors.contains("out.ndjson.partial contains only these."))
    #expect(!folder.exists("out.ndjson.running"))
  }
}

import Expressions
import Foundation
import Testing

@testable import tollgate

/// What `precompute` reads and writes: forms of users and outcomes, manifests, going on, and what it
/// says when files are not as they should be.
@Suite struct PrecomputeFilesTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus").path
  static let config = corpus + "/demo/config.json"

  /// A folder that goes away with the test.
  private final class Place {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "tollgate-files-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }
    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
      try Data(text.utf8).write(to: folder.appending(path: name))
      return path(name)
    }

    /// The same content as gzip compresses it.
    func compress(_ name: String) throws -> Data {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["gzip", "-c", path(name)]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return data
    }
  }

  private func precompute(_ arguments: String..., input: String = "") throws -> BuiltTool.Result {
    try BuiltTool.run(
      ["precompute", Self.config, "--now", "2026-03-01T12:00:00Z", "--seed", "s"] + arguments,
      input: Data(input.utf8))
  }

  // MARK: Users

  /// A user, as JSON and as CSV: texts that need quotes, numbers as texts, what is missing.
  private struct User {
    var json: [String]
    var csv: String

    static let header =
      "device.totalSessions,userId,user.goal,user.age,device.interfaceStyle,user.note,user.tags,user.isPro"

    init(_ i: Int, _ random: inout SeededRandom) {
      let goal = ["sleep", "focus", "say \"hi\", then", "two\nlines", "", "Größe"][random.next(6)]
      let age = [nil, "31", "-4.5", "1e3", "0"][random.next(5)]
      let style = [nil, "dark", "light"][random.next(3)]
      let note = [nil, "007", "true", "12", "null"][random.next(5)]
      let tags = [nil, "[\"a\",\"b, c\"]", "{\"k\":[1,{\"x\":null}]}"][random.next(3)]
      let isPro = [nil, "true", "false"][random.next(3)]
      let sessions = random.next(60)
      func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
      }
      func escaped(_ text: String) -> String {
        "\""
          + text.replacingOccurrences(of: "\"", with: "\\\"").replacingOccurrences(
            of: "\n", with: "\\n") + "\""
      }
      var members: [String] = ["\"goal\":" + escaped(goal)]
      if let age { members.append("\"age\":" + age) }
      if let note { members.append("\"note\":" + escaped(note)) }
      if let tags { members.append("\"tags\":" + tags) }
      if let isPro { members.append("\"isPro\":" + isPro) }
      let device =
        "{\"totalSessions\":\(sessions)"
        + (style.map { ",\"interfaceStyle\":" + escaped($0) } ?? "")
        + "}"
      json = [
        "{\"device\":\(device),\"userId\":\"\(i)\",\"user\":{\(members.joined(separator: ","))}}"
      ]
      csv = [
        "\(sessions)", "\(i)", quoted(goal), age ?? "", style ?? "", note.map(quoted) ?? "",
        tags.map(quoted) ?? "", isPro ?? "",
      ].joined(separator: ",")
    }
  }

  struct SeededRandom {
    var state: UInt64
    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
  }

  /// The same users as lines of JSON, as CSV, compressed, in pieces and from standard input give the
  /// same outcomes.
  @Test(arguments: [UInt64(1), 2, 3])
  func sameUsersInAnyForm(seed: UInt64) throws {
    let place = try Place()
    var random = SeededRandom(state: seed)
    let users = (0..<3_000).map { User($0, &random) }
    let lineEnd = seed == 2 ? "\r\n" : "\n"
    let json = users.flatMap(\.json).joined(separator: "\n") + "\n"
    let csv = ([User.header] + users.map(\.csv)).joined(separator: lineEnd) + lineEnd
    try place.write("users.ndjson", json)
    try place.write("users.csv", seed == 3 ? "\u{FEFF}" + csv : csv)
    try place.write("part-1.ndjson", users[..<1_000].flatMap(\.json).joined(separator: "\n"))
    try place.write(
      "part-2.csv", ([User.header] + users[1_000...].map(\.csv)).joined(separator: "\n"))
    try place.compress("users.ndjson").write(to: place.folder.appending(path: "users.ndjson.gz"))
    // Two members of gzip, one behind the other, are one file.
    let second = try place.compress("part-2.csv")
    try place.write("empty", "")
    try (second + place.compress("empty")).write(to: place.folder.appending(path: "part-2.csv.gz"))
    let expected = try precompute("--users", place.path("users.ndjson"))
    #expect(expected.code == 0)
    #expect(expected.lines.count == 18_000)
    for paths in [
      ["users.csv"], ["users.ndjson.gz"], ["part-[12].*[nv]"], ["part-1.ndjson", "part-2.csv.gz"],
    ] {
      let result = try BuiltTool.run(
        ["precompute", Self.config, "--now", "2026-03-01T12:00:00Z", "--seed", "s"]
          + paths.flatMap { ["--users", place.path($0)] })
      #expect(result.code == 0, "\(paths): \(result.errors)")
      #expect(result.output == expected.output, "\(paths)")
    }
    let gzip = try BuiltTool.run(
      [
        "precompute", Self.config, "--now", "2026-03-01T12:00:00Z", "--seed", "s", "--users", "-",
        "--users-format", "ndjson",
      ], input: try place.compress("users.ndjson"))
    #expect(gzip.output == expected.output)
    let piped = try precompute("--users", "-", "--users-format", "csv", input: csv)
    #expect(piped.output == expected.output)
  }

  @Test func refusedRows() throws {
    let place = try Place()
    let users = try place.write(
      "users.csv",
      "userId,user.a\na,1\nb\n\"c\"x,1\n,5\nd,\"two\nlines\"\ne,1,2\nf,\"open\n")
    let result = try precompute(
      "--users", users, "--out", "none", "--rejects", place.path("rejects"), "--summary", "json")
    #expect(result.code == 0)
    #expect(result.output.hasPrefix("{\"users\":2,\"rejected\":5,"))
    let lines = try place.text("rejects").split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
    }
    #expect(lines.map { $0["line"] as? Int } == [3, 4, 5, 8, 9])
    #expect(lines.map { $0["text"] as? String } == ["b", "\"c\"x,1", ",5", "e,1,2", "f,\"open\n"])
    #expect(lines[0]["reason"] as? String == "the row has 1 cell, and the header 2")
    #expect((lines[4]["reason"] as? String)?.contains("no closing quote") == true)
    let strict = try precompute("--users", users, "--out", "none", "--strict", "--summary", "json")
    #expect(strict.code == 3)
    #expect(strict.output == result.output)
  }

  /// A quote that nothing closes refuses its own line, wherever the next quote or the end may be.
  @Test(arguments: [3, 200_000])
  func aQuoteThatNothingCloses(others: Int) throws {
    let place = try Place()
    let rows = (0..<others).map { "v\($0),1\n" }.joined()
    let users = try place.write("users.csv", "userId,user.a\nu,\"open\n" + rows)
    let result = try precompute(
      "--users", users, "--out", "none", "--rejects", place.path("rejects"), "--summary", "json",
      "--placement", "export_report")
    #expect(result.output.hasPrefix("{\"users\":\(others),\"rejected\":1,"))
    #expect(
      try place.text("rejects").contains("\"line\":2,\"reason\":\"cell 2 has no closing quote"))
  }

  @Test func tablesOfManyColumns() throws {
    let place = try Place()
    let names = (0..<20_000).map { "user.c\($0)" }.joined(separator: ",")
    let cells = Array(repeating: "1", count: 20_000).joined(separator: ",")
    let users = try place.write("users.csv", "userId,\(names)\nu1,\(cells)\n")
    let result = try precompute("--users", users, "--out", "none", "--summary", "json")
    #expect(result.output.hasPrefix("{\"users\":1,\"rejected\":0,"))
  }

  @Test(arguments: [
    ("a,b\n1,2\n", "no column userId"), ("userId,user.a,user.a\n", "in column 2 already"),
    ("userId,user.a,user.a.b\n", "has members such as"), ("userId,user.\n", "an invalid path"),
    ("", "the header is missing"), ("userId,\"x\n", "closing quote"),
  ])
  func badHeaders(text: String, message: String) throws {
    let place = try Place()
    let users = try place.write("users.csv", text)
    let result = try precompute("--users", users, "--out", "none")
    #expect(result.code == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func badFiles() throws {
    let place = try Place()
    try place.write("users.ndjson", String(repeating: "{\"userId\":\"a\"}\n", count: 5_000))
    let whole = try place.compress("users.ndjson")
    try whole.prefix(whole.count / 2).write(to: place.folder.appending(path: "half.gz"))
    var broken = whole
    broken[whole.count / 2] ^= 0x55
    try broken.write(to: place.folder.appending(path: "broken.gz"))
    for (path, message) in [
      ("half.gz", "ends in the middle"), ("broken.gz", "is damaged"), ("nowhere", "No such file"),
      ("none-*.csv", "no file matches"), (".", "is a folder"),
    ] {
      let result = try precompute("--users", place.path(path), "--out", "none")
      #expect(result.code == 2, "\(path)")
      #expect(result.errors.contains(message), "\(path): \(result.errors)")
    }
    let unwritable = try precompute(
      "--users", place.path("users.ndjson"), "--out", place.path("no/folder/out"))
    #expect(unwritable.code == 74)
    #expect(unwritable.errors.contains("there is no folder \(place.path("no/folder"))"))
    if FileManager.default.fileExists(atPath: "/dev/full") {
      let full = try precompute(
        "--users", place.path("users.ndjson"), "--out", "/dev/full", "--checkpoint",
        place.path("c"), "--manifest", "none")
      #expect(full.code == 74)
      #expect(full.errors.contains("cannot write /dev/full: No space left on device"))
    }
  }

  // MARK: Outcomes

  @Test func tables() throws {
    let place = try Place()
    let users = try place.write(
      "users.ndjson",
      "{\"userId\":\"a, \\\"b\\\"\"}\n{\"userId\":\"c\",\"device\":{\"totalSessions\":9}}\n")
    let json = try precompute("--users", users)
    let long = try precompute("--users", users, "--format", "csv")
    #expect(
      long.lines.first == "user_id,placement,result,audience,experiment,variant,paywall,errors")
    #expect(long.lines.count == 13)
    #expect(long.lines[1].hasPrefix("\"a, \"\"b\"\"\",onboarding_done,"))
    #expect(try precompute("--users", users, "--out", place.path("long.csv")).code == 0)
    #expect(try place.text("long.csv") == long.output)
    let wide = try precompute("--users", users, "--format", "csv", "--layout", "wide")
    #expect(wide.lines.count == 3)
    #expect(wide.lines[0].hasPrefix("user_id,onboarding_done_result,onboarding_done_audience,"))
    #expect(wide.lines[0].split(separator: ",").count == 37)

    let result = try precompute("--users", users, "--out", place.path("out.sqlite"))
    #expect(result.code == 0, "\(result.errors)")
    #expect(!place.exists("out.sqlite.checkpoint"))
    let database = try SQLiteDatabase(place.path("out.sqlite"))
    let rows = try database.rows(
      "SELECT user_id, placement, result, audience, paywall FROM outcomes")
    let expected = try json.lines.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
    }
    #expect(rows.count == expected.count)
    for line in expected {
      let result = (line["result"] as? NSDictionary)?["result"] as? String
      let columns: [Value] = try [
        .string(#require(line["userId"] as? String)),
        .string(#require(line["placement"] as? String)), .string(#require(result)),
        (line["audience"] as? Int).map { .int(Int64($0)) } ?? .null,
        (line["paywall"] as? String).map { .string($0) } ?? .null,
      ]
      #expect(rows.contains(columns))
    }
    let plan = try database.rows("EXPLAIN QUERY PLAN SELECT * FROM outcomes WHERE user_id = 'c'")
      .joined().map(\.json)
    #expect(plan.contains { $0.contains("users_by_user_id") })
  }

  // MARK: Manifests

  @Test(arguments: ["out.ndjson", "out.csv", "out.sqlite"])
  func replays(name: String) throws {
    let place = try Place()
    let users = try place.write(
      "users.ndjson",
      (0..<2_000).map { "{\"userId\":\"u\($0)\",\"device\":{\"totalSessions\":\($0 % 40)}}\n" }
        .joined() + "{}\n")
    let out = place.path(name)
    let first = try precompute(
      "--users", users, "--out", out, "--rejects", place.path("rejects"), "--summary", "json")
    #expect(first.code == 0)
    let manifest = out + ".manifest.json"
    let text = try place.text(name + ".manifest.json")
    let value = try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let settings = try #require(value["settings"] as? [String: Any])
    #expect(settings["seed"] as? String == "s")
    #expect(settings["now"] as? String == "2026-03-01T12:00:00Z")
    #expect(settings["assignerVersion"] as? Int == 1)
    #expect((settings["configHash"] as? String)?.hasPrefix("xxh64:") == true)
    #expect((value["counts"] as? [String: Any])?["users"] as? Int == 2_000)

    let replay = try BuiltTool.run("replay", manifest, "--threads", "3")
    #expect(replay.code == 0, "\(replay.output)\(replay.errors)")
    #expect(replay.output.contains("outcomes: the same"))
    #expect(replay.output.contains("rejects: the same"))
    #expect(replay.output.contains("counts: the same"))

    // Another byte in the file or behind it, then no file: the hash still tells.
    var bytes = try Data(contentsOf: URL(filePath: out))
    if name != "out.sqlite" {
      try (bytes + Data("x".utf8)).write(to: URL(filePath: out))
      let longer = try BuiltTool.run("replay", manifest)
      #expect(longer.code == 1 && longer.output.contains("at byte \(bytes.count)"))
    }
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: out))
    let other = try BuiltTool.run("replay", manifest)
    #expect(other.code == 1)
    #expect(other.output.contains("at byte \(bytes.count / 2)"))
    #expect(other.output.contains("\n  the file was changed after the run\n"))
    let line = bytes[..<(bytes.count / 2)].count { $0 == UInt8(ascii: "\n") } + 1
    if name != "out.sqlite" {
      let text = try #require(
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst(line - 1).first)
      let user = try #require(text.firstMatch(of: /u[0-9]+/)).output
      #expect(
        other.output.contains(", in line \(grouped(line)), user '\(user)'\n"), "\(other.output)")
      let json = try BuiltTool.run("replay", manifest, "--json")
      #expect(json.output.contains(#","line":\#(line),"userId":"\#(user)"}"#), "\(json.output)")
    }
    try FileManager.default.removeItem(atPath: out)
    let gone = try BuiltTool.run("replay", manifest)
    #expect(gone.code == 0)
    #expect(gone.output.contains("(by hash; "))

    // Other users of the same size.
    let changed = try place.text("users.ndjson").replacingOccurrences(of: "\"u7\"", with: "\"v7\"")
    try place.write("users.ndjson", changed)
    let changedUsers = try BuiltTool.run("replay", manifest)
    #expect(changedUsers.code == 1)
    #expect(changedUsers.output.hasPrefix("users: changed since the run, in \(users)\n"))
    try place.write("users.ndjson", changed + "{}\n")
    #expect(try BuiltTool.run("replay", manifest).errors.contains("is another file"))
  }

  @Test func goingOn() throws {
    let place = try Place()
    let users = try place.write("users.ndjson", "{\"userId\":\"a\"}\n")
    let out = place.path("out")
    // Nothing to continue from: the run begins, and is complete then.
    let first = try precompute("--users", users, "--out", out, "--resume", "--summary", "json")
    #expect(first.code == 0)
    #expect(first.errors.contains("does not exist: the run starts from scratch"))
    let again = try precompute("--users", users, "--out", out, "--resume", "--summary", "json")
    #expect(again.code == 0)
    #expect(again.errors.contains("Already complete; see "))
    #expect(again.output == first.output)
    // Of a version that kept decisions for later runs.
    let manifest = try place.text("out.manifest.json")
    let kept = manifest.replacingOccurrences(
      of: "\"texts\":", with: "\"keepsDecisions\":true,\"texts\":"
    )
    .replacingOccurrences(
      of: "\"counts\":",
      with: "\"decisions\":{\"path\":\"gone\",\"bytes\":1,\"hash\":\"xxh64:0\"},\"counts\":")
    #expect(kept.count > manifest.count + 70)
    try place.write("out.manifest.json", kept)
    let earlier = try precompute("--users", users, "--out", out, "--resume", "--summary", "json")
    #expect(earlier.code == 0 && earlier.output == first.output, "\(earlier.errors)")
    let replay = try BuiltTool.run("replay", place.path("out.manifest.json"))
    #expect(replay.code == 0, "\(replay.errors)")
    let other = try BuiltTool.run(
      "precompute", Self.config, "--now", "2026-03-01T12:00:00Z", "--seed", "t", "--users", users,
      "--out", out, "--resume")
    #expect(other.code == 2)
    #expect(other.errors.contains("seed was \"s\" and is \"t\""))
    #expect(try precompute("--users", users, "--out", "-", "--resume").code == 2)
    #expect(try precompute("--users", users, "--out", "none", "--resume").code == 2)
    // A checkpoint that is none.
    try place.write("out.checkpoint", "{\"checkpoint\":2}")
    let damaged = try precompute("--users", users, "--out", out, "--resume")
    #expect(damaged.code == 2)
    #expect(damaged.errors.contains("is not a checkpoint of this version"))
  }
}

import Foundation
import Testing

@testable import tollgate

/// How files of users are named on the command line, and what runs and replays say.
@Suite struct RunMessagesTests {
  // MARK: Users

  @Test func quietRunsTellOnlyWhatNeedsAttention() throws {
    let folder = try TestFolder()
    try folder.write("users", "{\"userId\":\"a\",\"pln\":1}\n{}\n")
    let loud = try folder.precompute("--users", "users", "--out", "out")
    #expect(loud.errors.contains("Deciding 6 placements"))
    #expect(loud.errors.contains("Done: 1 user in"))
    let quiet = try folder.precompute("--users", "users", "--out", "out", "--quiet")
    #expect(quiet.code == 0)
    #expect(quiet.errors.hasPrefix("warning: users:2:"), "\(quiet.errors)")
    // What all users have misspelt needs attention, too.
    let lines = quiet.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines[1].hasPrefix("warning[unknown-key]: 'pln' "), "\(lines)")
    #expect(quiet.output == loud.output)
    let replay = try folder.tollgate("replay", "out.manifest.json", "--quiet")
    #expect(replay.code == 0 && replay.output.contains("counts: the same"))
    #expect(!replay.errors.contains("Deciding"), "\(replay.errors)")
  }

  /// A shell that has expanded a pattern gives many files where one was written.
  @Test func severalFilesAfterOneOption() throws {
    let folder = try TestFolder()
    for part in 1...3 {
      try folder.write("users-\(part).ndjson", TestFolder.users(20, from: 20 * part))
    }
    let expected = try folder.precompute("--users", "users-*.ndjson").output
    #expect(expected.split(separator: "\n").count == 360)
    for script in [
      "$CONFIG --users users-*.ndjson", "--users users-*.ndjson --threads 1 -- $CONFIG",
      "--users users-*.ndjson $CONFIG", "--users users-1.ndjson --users users-[23].ndjson $CONFIG",
      "$CONFIG --users users-1.ndjson users-2.ndjson --users users-3.ndjson",
      "$CONFIG --users users-1.ndjson - users-3.ndjson < users-2.ndjson",
    ] {
      let result = try folder.shell(
        "$TOLLGATE precompute --now 2026-03-01T12:00:00Z --seed s \(script)")
      #expect(result.code == 0, "\(script): \(result.errors)")
      #expect(result.output == expected, "\(script)")
    }
    let none = try folder.tollgate("precompute", "--users", "users-1.ndjson")
    #expect(none.code == 2)
    #expect(none.errors.contains("error: Missing expected argument '<config>'"))
    let many = try folder.shell("$TOLLGATE precompute --users users-*.ndjson --out none")
    #expect(many.code == 2)
  }

  @Test func theConfigBehindTheUsers() {
    func first(_ words: String) -> String? {
      PrecomputeCommand.withConfigFirst(words.split(separator: " ").map(String.init))?
        .joined(separator: " ")
    }
    #expect(first("precompute --users a c") == "precompute c --users a")
    #expect(first("precompute --users a - c --out x") == "precompute c --users a - --out x")
    #expect(
      first("precompute --users a b --users c d e") == "precompute e --users a b --users c d")
    #expect(first("precompute --users a") == nil)
    #expect(first("precompute --users a --out x") == nil)
    #expect(first("check --users a c") == nil)
    #expect(first("precompute") == nil)
  }

  /// Lines of old Macs are told once, before anything is read.
  @Test func linesThatEndWithCR() throws {
    let folder = try TestFolder()
    let record = "{\"userId\":\"a\"}\r"
    try folder.write("u.ndjson", String(repeating: record, count: 3))
    try folder.write("many.ndjson", String(repeating: record, count: 90_000))
    try folder.write("u.csv", "userId,user.plan\ra,free\rb,free\r")
    for name in ["u.ndjson", "many.ndjson", "u.csv"] {
      let result = try folder.precompute("--users", name, "--out", "none")
      #expect(result.code == 2)
      #expect(
        result.errors.contains(
          "the lines of \(name) end with only CR; they must end with LF: tr "),
        "\(result.errors)")
    }
    // Elsewhere CR is space.
    try folder.write("one.ndjson", "{\"userId\":\r\"a\"}\r")
    try folder.write("crlf.ndjson", "{\"userId\":\"a\"}\r\n{\"userId\":\"b\"}\r\n")
    try folder.write("crlf.csv", "userId\r\na\r\n")
    for name in ["one.ndjson", "crlf.ndjson", "crlf.csv"] {
      #expect(try folder.precompute("--users", name, "--out", "none").code == 0)
    }
    try folder.write("u.json", "{\"userId\":\"a\"}\r{\"userId\":\"b\"}\r")
    let one = try folder.tollgate(
      "decide", TestFolder.config, "--placement", "export_report", "--user", "u.json")
    #expect(one.errors.contains("lines end with only CR; they must end with LF"), "\(one.errors)")
  }

  /// A number that JSON allows and nothing can hold.
  @Test func numbersThatAreTooLarge() throws {
    let folder = try TestFolder()
    try folder.write("u.ndjson", "{\"userId\":\"a\",\"user\":{\"n\":1e999}}\n")
    try folder.write("u.csv", "userId,user.n\na,1e400\n")
    for name in ["u.ndjson", "u.csv"] {
      let result = try folder.precompute("--users", name, "--out", "none")
      #expect(result.errors.contains("the number is too large"), "\(result.errors)")
    }
    try folder.write("c.json", "{\"build_id\":1e999}")
    #expect(try folder.tollgate("check", "c.json").output.contains("the number is too large"))
  }

  /// A file from Windows may begin with a mark.
  @Test func aByteOrderMark() throws {
    let folder = try TestFolder()
    try folder.write("users", "\u{FEFF}{\"userId\":\"a\"}\n{\"userId\":\"b\"}\n")
    let result = try folder.precompute("--users", "users", "--out", "none")
    #expect(result.output.contains("2 users decided, 0 lines rejected."), "\(result.errors)")
  }

  /// Five refused lines are told, and that there are more.
  @Test(arguments: [(5, 0), (6, 1), (9, 1)])
  func refusedLinesAreToldToALimit(count: Int, more: Int) throws {
    let folder = try TestFolder()
    try folder.write(
      "users", "{\"userId\":\"a\"}\n" + String(repeating: "{}\n", count: count))
    let runs = [
      try folder.precompute("--users", "users", "--out", "none"),
      try folder.tollgate("diff", TestFolder.config, TestFolder.config, "--users", "users"),
    ]
    for run in runs {
      let lines = run.errors.split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("warning: users:") } == 5, "\(run.errors)")
      #expect(lines.count { $0 == "... more lines are rejected. They are counted" } == more)
    }
  }

  @Test func oneOfSomething() throws {
    let folder = try TestFolder()
    try folder.write("users", "{\"userId\":\"a\"}\n{}\n")
    let result = try folder.precompute(
      "--users", "users", "--out", "none", "--placement", "export_report")
    #expect(result.errors.contains("Deciding 1 placement as of"))
    #expect(result.errors.contains("Done: 1 user in "))
    #expect(result.errors.contains("; 1 line rejected\n"))
    #expect(result.output.contains("1 user decided, 1 line rejected."))
    try folder.write("users", "{\"userId\":\"a\"}\n{\"userId\":\"b\"}\n")
    let two = try folder.precompute("--users", "users", "--out", "none")
    #expect(two.output.contains("2 users decided, 0 lines rejected."))
    for number in ["-1", "0"] {
      let none = try folder.precompute("--users", "users", "--out", "none", "--threads", number)
      #expect(none.errors.hasPrefix("error: --threads must be at least 1"), "\(none.errors)")
    }
    let every = try folder.precompute("--users", "users", "--checkpoint-every", "-1")
    #expect(
      every.errors.hasPrefix("error: --checkpoint-every must be a number of seconds, 0 or more"))
    let empty = try folder.precompute("--users", "")
    #expect(empty.errors.hasPrefix("error: --users is empty; is a shell variable unset?\n"))
  }

  /// What is said to be done is done.
  @Test func doneComesLast() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(10))
    for name in ["out.ndjson", "out.csv.gz", "out.sqlite"] {
      // Where the manifest cannot be written, nothing is done.
      try FileManager.default.createDirectory(
        atPath: folder.path(name + ".manifest.json.new"), withIntermediateDirectories: true)
      let failed = try folder.precompute("--users", "users", "--out", name)
      #expect(failed.code == 74)
      #expect(!failed.errors.contains("Done"))
      #expect(failed.errors.contains("error: cannot write \(name).manifest.json: Is a directory"))
      try FileManager.default.removeItem(atPath: folder.path(name + ".manifest.json.new"))
      let resumed = try folder.precompute("--users", "users", "--out", name, "--resume")
      #expect(resumed.code == 0, "\(resumed.errors)")
      #expect(resumed.errors.contains("Done"))
      #expect(folder.exists(name + ".manifest.json"))
      #expect(!folder.exists(name + ".checkpoint"))
    }
  }

  // MARK: replay

  @Test(arguments: ["out.ndjson", "out.csv", "out.csv.gz", "out.csv.zst", "out.sqlite"])
  func outcomesAreNoManifest(name: String) throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(10))
    #expect(try folder.precompute("--users", "users", "--out", name).code == 0)
    let result = try folder.tollgate("replay", name)
    #expect(result.code == 2)
    #expect(
      result.errors
        == "error: \(name) is not a manifest; its manifest is \(name).manifest.json\n")
    try FileManager.default.removeItem(atPath: folder.path(name + ".manifest.json"))
    let alone = try folder.tollgate("replay", name)
    #expect(alone.code == 2)
    if name != "out.sqlite" {
      #expect(alone.errors.contains("\(name) is an outcomes file"), "\(alone.errors)")
    }
  }

  /// Counts that differ are a difference, also where outcomes do not.
  @Test func otherCounts() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(10))
    #expect(try folder.precompute("--users", "users", "--out", "out").code == 0)
    let manifest = String(decoding: try #require(folder.bytes("out.manifest.json")), as: UTF8.self)
    let begin = try #require(manifest.range(of: "\"counts\""))
    let number = try #require(
      manifest.range(of: "10", range: begin.upperBound..<manifest.endIndex))
    try folder.write(
      "out.manifest.json", Data(manifest.replacingCharacters(in: number, with: "11").utf8))
    let result = try folder.tollgate("replay", "out.manifest.json", "--quiet")
    #expect(result.output.contains("outcomes: the same"), "\(result.errors)")
    #expect(result.output.contains("counts: different"))
    #expect(result.code == 1)
    let json = try folder.tollgate("replay", "out.manifest.json", "--quiet", "--json")
    #expect(json.code == 1 && json.output.contains(#""counts":{"same":false}"#), "\(json.output)")
  }

  @Test func otherFilesAreNoManifest() throws {
    let folder = try TestFolder()
    try folder.write("c", "{\"checkpoint\":1}")
    #expect(try folder.tollgate("replay", "c").errors.contains("continue it with"))
    try folder.write("m", "{\"manifest\":2}")
    #expect(try folder.tollgate("replay", "m").errors.contains("this is version 2, and tollgate"))
    try folder.write("x", "{\"a\":")
    #expect(
      try folder.tollgate("replay", "x").errors
        == "error: x is not a manifest: the JSON ends too early at byte 5\n")
    #expect(try folder.tollgate("replay", "missing").code == 2)
    let config = try folder.tollgate("replay", TestFolder.config)
    #expect(config.errors == "error: \(TestFolder.config) is not a manifest\n")
    try folder.write("users", TestFolder.users(2))
    #expect(try folder.tollgate("replay", "users").errors.contains("users is not a manifest: "))
  }

  @Test func aConfigFromStandardInput() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(10))
    let run = try folder.shell(
      "cat $CONFIG | $TOLLGATE precompute - --users users --out out.ndjson")
    #expect(run.code == 0)
    let without = try folder.tollgate("replay", "out.ndjson.manifest.json")
    #expect(without.code == 2)
    #expect(without.errors.contains("read its config from standard input; give it with --config"))
    let with = try folder.tollgate(
      "replay", "out.ndjson.manifest.json", "--config", TestFolder.config)
    #expect(with.code == 0, "\(with.errors)")
    let other = try folder.shell(
      "sed s/export_report/export_repost/ $CONFIG > other.json;"
        + " $TOLLGATE replay out.ndjson.manifest.json --config other.json")
    #expect(other.code == 1)
    #expect(other.errors.contains("other.json is another config"))
  }

  /// A kill before SQLite wrote the first page of the finished database leaves zeros and a journal.
  @Test func databasesWithoutTheirFirstPage() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(5))
    try folder.write("o.sqlite.new", String(repeating: "\0", count: 8_192))
    #expect(try folder.precompute("--users", "users", "--out", "o.sqlite").code == 2)
    var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    journal += Data(count: 12) + Data([0, 0, 2, 0, 0, 0, 16, 0]) + Data(count: 484)
    try folder.write("o.sqlite.new-journal", journal)
    #expect(try folder.precompute("--users", "users", "--out", "o.sqlite").code == 0)
    #expect(folder.names == ["o.sqlite", "o.sqlite.manifest.json", "users"])
  }
}

import Foundation
import Testing

/// Pipes that nobody writes, files that cannot be changed in their place, and too few open files.
@Suite struct WaitingForFilesTests {
  /// Whoever stops a command that waits for a pipe is told so, and no lock stays.
  @Test(arguments: [
    "precompute $CONFIG --users pipe --out o", "precompute pipe --users users --out o",
    "check pipe", "decide $CONFIG --placement export_report --user pipe",
  ])
  func stopping(command: String) throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(5))
    // The writer comes when the command waits: its own opening waits for a reader.
    let result = try folder.shell(
      """
      mkfifo pipe
      env --default-signal=INT $TOLLGATE \(command) & run=$!
      while ! ls -l /proc/$run/fd 2>/dev/null | grep -q pipe$ && test ! -e o.running; do :; done
      kill -INT $run; wait $run; echo $?
      """)
    #expect(result.output == "130\n", "\(result.errors)")
    let told =
      command.hasPrefix("precompute $CONFIG")
      ? "Stopped before anything was written." : "Stopped."
    #expect(result.errors.hasSuffix(told + "\n"), "\(result.errors)")
    #expect(folder.names == ["pipe", "users"])
  }

  /// A pipe that is written later, in pieces, is read to its end.
  @Test func writersThatComeLate() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(5))
    let result = try folder.shell(
      """
      mkfifo pipe
      $TOLLGATE precompute $CONFIG --users pipe --out o & run=$!
      while ! test -e o.running; do :; done
      { head -2 users; tail -n +3 users; } > pipe; wait $run; echo $?
      """)
    #expect(result.output.hasSuffix("\n0\n"), "\(result.errors)")
    #expect(result.output.contains("4 users decided, 1 line rejected."))
  }

  @Test func whatCannotBeChangedInItsPlace() throws {
    let folder = try TestFolder()
    let old =
      #"{"trigger_options":[{"trigger_version":"V2","event_name":"e","rules":[{"experiment_id":"1","#
      + #""experiment_group_id":"1","expression_cel":"user.a==1","variants":[{"variant_id":"1","#
      + #""variant_type":"HOLDOUT","percentage":100}]}]}]}"#
    try folder.write("c.json", old)
    for script in [
      "mkfifo pipe; $TOLLGATE fmt pipe --write",
      "cat c.json | $TOLLGATE fmt /dev/stdin --write", "$TOLLGATE fmt /dev/stdin --write < c.json",
    ] {
      let result = try folder.shell(script)
      #expect(result.code == 2, "\(script): \(result.errors)")
      #expect(
        result.errors.contains("--write needs a config file that it can change"), "\(result.errors)"
      )
      #expect(folder.text("c.json") == old)
    }
    #expect(try folder.tollgate("fmt", "c.json", "--write").code == 0)
    #expect(folder.text("c.json")?.contains("user.a == 1") == true)
  }

  @Test(.limitsFiles, arguments: 6...24)
  func tooFewFiles(limit: Int) throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(5))
    for name in ["o", "o.sqlite"] {
      let result = try folder.shell(
        "ulimit -n \(limit); exec $TOLLGATE precompute $CONFIG --users users --out \(name)")
      #expect([0, 2, 74].contains(result.code), "\(result.code) \(result.errors)")
      #expect(!result.errors.contains("internal error in tollgate"))
      if limit < 19 {
        #expect(
          result.errors
            == "error: this process may open too few files; raise the limit: ulimit -n 256\n")
      }
      if result.code == 0 { #expect(folder.exists(name + ".manifest.json")) }
    }
  }

  /// Threads that the system starts by itself trap where they find no room: whether one is there in
  /// time differs from run to run.
  @Test(.limitsFiles) func tooFewFilesTimeAndAgain() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(5))
    let result = try folder.shell(
      "for i in $(seq 40); do (ulimit -n 6; exec $TOLLGATE precompute $CONFIG --users users --out o) "
        + "2>/dev/null; echo $?; done")
    #expect(Set(result.output.split(separator: "\n")) == ["74"])
  }

  @Test func placementsWithCommas() throws {
    let folder = try TestFolder()
    let trigger = #"{"trigger_version":"V2","event_name":"NAME","rules":[]}"#
    let triggers = ["a,b", "a", "c"].map { trigger.replacing("NAME", with: $0) }
    try folder.write("c.json", "{\"trigger_options\":[\(triggers.joined(separator: ","))]}")
    try folder.write("users", "{\"userId\":\"u\"}")
    func names(_ placements: String...) throws -> [Substring] {
      let result = try folder.tollgate(
        ["precompute", "c.json", "--users", "users"] + placements.flatMap { ["--placement", $0] })
      return result.output.split(separator: "\n")
        .compactMap { $0.split(separator: "\"placement\":\"").last?.split(separator: "\"").first }
    }
    #expect(try names("a,b") == ["a,b"])
    #expect(try names("a", "c") == ["a", "c"])
    #expect(try names("c", "a", "c") == ["c", "a"])
    #expect(try names("a,b,c") == [])
    let several = try folder.tollgate(
      "precompute", "c.json", "--users", "users", "--placement", "a,c")
    #expect(several.errors.contains("write --placement a --placement c"), "\(several.errors)")
    let empty = try folder.tollgate("precompute", "c.json", "--users", "users", "--placement", "")
    #expect(empty.code == 2)
    #expect(empty.errors.contains("--placement is empty"))
  }

  @Test func longLinesAreInTheHelp() throws {
    let help = try BuiltTool.run("precompute", "--help").output
    #expect(help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("1 MiB"))
    let folder = try TestFolder()
    try folder.write(
      "users",
      "{\"userId\":\"u\",\"user\":{\"a\":\"\(String(repeating: "x", count: 1 << 20))\"}}\n"
        + TestFolder.users(1))
    let result = try folder.precompute("--users", "users", "--out", "o")
    #expect(result.errors.contains("users:1: rejected: the line has more than 1048576 bytes"))
    let replay = try folder.tollgate("replay", "o.manifest.json")
    #expect(replay.errors.contains("Deciding 6 placements as of"))
  }

  @Test func replayOfOnePlacement() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(1))
    #expect(
      try folder.precompute(
        "--users", "users", "--out", "o", "--placement", "export_report"
      ).code == 0)
    let replay = try folder.tollgate("replay", "o.manifest.json")
    #expect(replay.errors.contains("Deciding 1 placement as of"))
    try FileManager.default.removeItem(atPath: folder.path("users"))
    let gone = try folder.tollgate("replay", "o.manifest.json")
    #expect(gone.errors == "error: the users file users no longer exists\n")
  }

  #if os(Linux)
    /// The system's libraries would try to start their threads for ever.
    @Test func tooLittleMemoryForThreads() throws {
      let folder = try TestFolder()
      // Under a sanitizer no program starts that may not have terabytes.
      guard try folder.shell("ulimit -v 50000000; exec $TOLLGATE --version").code == 0 else {
        return
      }
      let result = try folder.shell("ulimit -v 100000; exec timeout 60 $TOLLGATE --version")
      #expect(result.code == 74)
      #expect(
        result.errors
          == "error: this process may use too little memory; raise the limit: ulimit -v unlimited\n"
      )
    }

    /// What is written for a name must not be what another name is written as.
    @Test func namesThatAreNotUTF8() throws {
      let folder = try TestFolder()
      try folder.write("users", TestFolder.users(3))
      let result = try folder.shell(
        #"exec $TOLLGATE precompute $CONFIG --users users --out "$(printf 'o\377.ndjson')""#)
      #expect(result.code == 2)
      #expect(
        result.errors == "error: the argument 'o\u{FFFD}.ndjson' is not UTF-8; rename the file\n")
      #expect(try folder.shell("ls").lines == ["users"])
      // One that has this character by itself is a name like others.
      #expect(
        try folder.tollgate("check", "\u{FFFD}.json").errors.contains("cannot open \u{FFFD}.json"))
    }
  #endif
}

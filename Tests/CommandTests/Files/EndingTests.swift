import Foundation
import Testing

@testable import tollgate

/// How commands end: the exit code, and what is said.
@Suite struct EndingTests {
  private static let demo = TestFolder.demo

  /// Every command with arguments that make it print something.
  static let commands = [
    ["--help"], ["--version"], ["help", "check"], ["check", TestFolder.config],
    [
      "decide", TestFolder.config, "--placement", "export_report", "--user", demo + "/user.json",
    ],
    [
      "explain", TestFolder.config, "--placement", "export_report", "--user", demo + "/user.json",
    ],
    ["precompute", TestFolder.config, "--users", demo + "/users.ndjson"],
    ["precompute", TestFolder.config, "--users", demo + "/users.ndjson", "--out", "none"],
    ["fmt", TestFolder.config], ["fmt", "-e", "a==1"],
    ["products", demo + "/products.json"], ["render", "text"],
    ["check-template", demo + "/export-trial.liquid"],
    [
      "simulate", demo + "/../sdk/sdk-scenarios.jsonl", "--only", "buy-01", "--fixtures",
      demo + "/../sdk/fixtures",
    ],
  ]

  /// What the system refuses is no fault of the arguments, and no finding.
  @Test func codesOfErrors() {
    let errors: [(any Error, Int32, String)] = [
      (Errno(rawValue: EACCES), 74, "error: Permission denied"),
      (CommandError("no such file 'a'"), 2, "error: no such file 'a'"),
      (CommandError("error[syntax]: a"), 2, "error[syntax]: a"),
    ]
    for (error, code, text) in errors {
      let ending = TollgateCommand.ending(of: error, in: nil)
      #expect(ending.code == code && ending.text == text, "\(ending)")
    }
  }

  @Test(arguments: commands)
  func standardOutputThatTakesNothing(command: [String]) throws {
    let words = command.map { "'\($0)'" }.joined(separator: " ")
    let folder = try TestFolder()
    #expect(try folder.shell("$TOLLGATE \(words)").code == 0)
    if FileManager.default.fileExists(atPath: "/dev/full") {
      let full = try folder.shell("$TOLLGATE \(words) > /dev/full")
      #expect(full.code == 74)
      #expect(
        full.errors.contains("error: cannot write standard output: No space left on device"),
        "\(full.errors)")
    }
    let closed = try folder.shell("$TOLLGATE \(words) >&-")
    #expect(closed.code == 74)
    #expect(closed.errors.contains("error: cannot write standard output: "))
    // Whoever reads has gone: that is not an error to tell of.
    let gone = try folder.shell("{ $TOLLGATE \(words); echo $? > code; } 2> errors | true; true")
    #expect(gone.code == 0)
    let errors = try #require(folder.text("errors"))
    #expect(!errors.contains("error"), "\(errors)")
    #expect(["0\n", "141\n"].contains(folder.text("code")))
  }

  /// More than a pipe holds, so that somebody has to read.
  @Test func aReaderThatEndsEarlyEndsThePipe() throws {
    let folder = try TestFolder()
    let result = try folder.shell(
      "{ $TOLLGATE precompute $CONFIG --users \(Self.demo)/users.ndjson; echo $? > code; } 2> errors"
        + " | head -1")
    #expect(result.lines.count == 1)
    #expect(folder.text("code") == "141\n")
    #expect(folder.text("errors")?.contains("error") == false)
  }

  /// A closed stream's number goes to no file that is opened later.
  @Test func nothingIsPrintedIntoAFileOfTheRun() throws {
    let folder = try TestFolder()
    try folder.write("users.ndjson", TestFolder.users(10))
    let result = try folder.shell(
      "$TOLLGATE precompute $CONFIG --users users.ndjson --out out.ndjson >&- 2>&-")
    #expect(result.code == 74)
    let lines = folder.text("out.ndjson")?.split(separator: "\n") ?? []
    #expect(lines.count == 54)
    #expect(lines.allSatisfy { $0.hasPrefix("{\"userId\":") })
  }

  @Test(arguments: [
    ["precompute", TestFolder.config, "--users", demo + "/users.ndjson", "--now", "yesterday"],
    [
      "decide", TestFolder.config, "--placement", "export_report", "--user", "u", "--now",
      "yesterday",
    ],
    ["precompute", TestFolder.config, "--users", demo + "/users.ndjson", "--threads", "0"],
    ["explain", TestFolder.config], ["fmt"], ["render"], ["simulate"],
  ])
  func wrongUseShowsTheUsageOfThatCommand(arguments: [String]) throws {
    let result = try BuiltTool.run(arguments)
    #expect(result.code == 2)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("error: "), "\(result.errors)")
    #expect(result.errors.contains("Usage: tollgate \(arguments[0]) "), "\(result.errors)")
  }

  @Test func messagesHaveOnePrefix() throws {
    let missing = try BuiltTool.run("check", "/no/such/file")
    #expect(missing.code == 2)
    #expect(missing.errors == "error: cannot open /no/such/file: No such file or directory\n")
    let diagnostic = try BuiltTool.run("fmt", "-e", "a = 1")
    #expect(diagnostic.errors.hasPrefix("error[syntax-error]: "), "\(diagnostic.errors)")
  }

  @Test func helpTellsTheExitCodes() throws {
    let help = try BuiltTool.run("--help")
    #expect(help.output.contains("Exit codes: 0 done"))
  }

  // MARK: Signals

  /// What has failed is one line for the user, who learns how to report it.
  @Test(.tellsFaults, arguments: [SIGSEGV, SIGILL, SIGABRT])
  func faultsAreTold(signal: Int32) throws {
    let run = try waiting()
    kill(run.process.processIdentifier, signal)
    let result = try run.wait()
    #expect(result.code == 70)
    #expect(result.errors.contains("error: internal error in tollgate"))
    #expect(result.errors.contains("report it"))
    #expect(result.errors.split(separator: "\n").count == 3)
  }

  @Test func commandsThatWriteNothingEndAtOnce() throws {
    let run = try waiting()
    run.process.terminate()
    #expect(try run.wait().code == 143)
  }

  /// A command that waits for its input, and has been started as far as that.
  private func waiting() throws -> BuiltTool.Running {
    let folder = try TestFolder()
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let run = try BuiltTool.Running(
      try BuiltTool.tool(), ["check", pipe],
      // With these, whoever looks for faults is told more.
      unset: ["SWIFT_BACKTRACE", "ASAN_OPTIONS", "TSAN_OPTIONS"])
    // A pipe that is to be written at once can be opened as soon as somebody reads it.
    while run.process.isRunning {
      let writer = open(pipe, O_WRONLY | O_NONBLOCK)
      if writer >= 0 {
        writers.append(FileHandle(fileDescriptor: writer, closeOnDealloc: true))
        break
      }
      usleep(1_000)
    }
    return run
  }

  /// They stay open as long as the test.
  private let writers = Writers()

  private final class Writers {
    private var files: [FileHandle] = []
    func append(_ file: FileHandle) { files.append(file) }
  }

  // MARK: Rules that do not compile, and placements that are not there

  private static let broken = """
    {"build_id":"b","trigger_options":[
      {"event_name":"good","rules":[{"experiment_id":"e","experiment_group_id":"g","variants":[
        {"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]}]},
      {"event_name":"bad","rules":[{"experiment_id":"f","experiment_group_id":"g",
        "expression_cel":"user.a = 1","variants":[
        {"variant_id":"w","variant_type":"HOLDOUT","percentage":100}]}]}]}
    """

  @Test func rulesThatDoNotCompile() throws {
    let folder = try TestFolder()
    try folder.write("config.json", Self.broken)
    try folder.write("users.ndjson", "{\"userId\":\"a\"}\n")
    func precompute(_ arguments: String...) throws -> BuiltTool.Result {
      try BuiltTool.run(
        try BuiltTool.tool(),
        ["precompute", "config.json", "--users", "users.ndjson", "--out", "out.ndjson"] + arguments,
        in: folder.path)
    }
    let before = folder.names
    let stopped = try precompute()
    #expect(stopped.code == 1)
    #expect(stopped.errors.contains("error[syntax-error]"))
    #expect(stopped.errors.contains("1 rule of config.json does not compile"))
    #expect(stopped.errors.contains("--keep-going"))
    #expect(folder.names == before)
    #expect(try precompute("--keep-going").code == 0)
    #expect(folder.text("out.ndjson")?.contains("noAudienceMatch") == true)
    // What nobody asks for stops nothing.
    #expect(try precompute("--placement", "good").code == 0)
    #expect(try precompute("--placement", "bad", "--placement", "good").code == 1)
    for command in ["decide", "explain"] {
      let user = ["--user", "users.ndjson"]
      let bad = try BuiltTool.run(
        try BuiltTool.tool(), [command, "config.json", "--placement", "bad"] + user,
        in: folder.path)
      #expect(bad.code == 1)
      #expect(bad.output.contains("bad"))
      let good = try BuiltTool.run(
        try BuiltTool.tool(), [command, "config.json", "--placement", "good"] + user,
        in: folder.path)
      #expect(good.code == 0)
    }
  }

  @Test func configsWithNothingToDecide() throws {
    let folder = try TestFolder()
    try folder.write("users.ndjson", "{\"userId\":\"a\"}\n")
    for (text, message) in [
      ("{}", "config.json has no placements"), ("[]", "JSON object"),
      ("", "the file is empty"),
    ] {
      try folder.write("config.json", text)
      let result = try folder.tollgate(
        "precompute", "config.json", "--users", "users.ndjson", "--out", "out")
      #expect(result.code == 2)
      #expect(result.errors.contains(message), "\(result.errors)")
      #expect(folder.names == ["config.json", "users.ndjson"])
    }
  }

  @Test func unknownPlacements() throws {
    let folder = try TestFolder()
    try folder.write("users.ndjson", "{\"userId\":\"a\"}\n")
    let result = try folder.precompute(
      "--users", "users.ndjson", "--out", "out", "--placement", "export_report",
      "--placement", "export_reprot")
    #expect(result.code == 2)
    #expect(result.errors.contains("did you mean 'export_report'?"))
    #expect(folder.names == ["users.ndjson"])
    #expect(
      try folder.precompute("--users", "users.ndjson", "--out", "out", "--placement", "").code
        == 2)
  }

  // MARK: Users

  @Test(arguments: [
    ("", "no users in u"), ("\n \n\r\n", "no users in u"),
    ("{}\n", "the only line was rejected"), ("{}\n[]\nx\n", "all 3 lines were rejected"),
  ])
  func nobody(text: String, message: String) throws {
    let folder = try TestFolder()
    try folder.write("u", text)
    try folder.write("out", "of yesterday")
    try folder.write("out.manifest.json", "{\"manifest\":1}")
    let result = try folder.precompute("--users", "u", "--out", "out")
    #expect(result.code == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
    // What was there is no worse for it.
    #expect(folder.names == ["out", "out.manifest.json", "u"])
    #expect(folder.text("out") == "of yesterday")
    // Rejected lines are kept where they are wanted.
    #expect(try folder.precompute("--users", "u", "--out", "none", "--rejects", "r").code == 2)
    #expect(folder.exists("r") == message.contains("rejected"))
  }

  @Test func strictGoesOnToTheEnd() throws {
    let folder = try TestFolder()
    try folder.write("u", "{\"userId\":\"a\"}\n{}\n{\"userId\":\"b\"}\n[]\n")
    let loose = try folder.precompute("--users", "u", "--out", "loose", "--rejects", "r1")
    let strict = try folder.precompute(
      "--users", "u", "--out", "strict", "--rejects", "r2", "--strict")
    #expect(loose.code == 0)
    #expect(strict.code == 3)
    #expect(strict.errors.contains("error: 2 lines rejected, and --strict was given"))
    #expect(folder.bytes("loose") == folder.bytes("strict"))
    #expect(folder.bytes("r1") == folder.bytes("r2"))
    #expect(folder.exists("strict.manifest.json"))
    // Asked again, it says so again.
    #expect(
      try folder.precompute(
        "--users", "u", "--out", "strict", "--rejects", "r2", "--strict", "--resume"
      ).code == 3)
  }
}

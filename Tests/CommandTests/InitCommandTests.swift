import Foundation
import Testing

/// The beginning that `tollgate init` writes works as it is, with every command that it tells.
@Suite struct InitCommandTests {
  private static let files = [
    ".github", "TOLLGATE.md", "config.json", "expected.csv", "outcomes.tests.json", "user.json",
    "users.ndjson",
  ]

  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func start(_ format: String, _ more: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(
      try BuiltTool.tool(), ["init", "--config-format", format] + more, in: folder.path)
  }

  /// What a shell makes of commands that people type, which find the tool in PATH.
  private func type(
    _ commands: String, shell: [String] = ["/bin/sh", "-e", "-c"], in place: String? = nil
  )
    throws -> BuiltTool.Result
  {
    try FileManager.default.createDirectory(
      atPath: folder.path + "-bin", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder.path + "-bin") }
    let link = folder.path + "-bin/tollgate"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: try BuiltTool.tool())
    let path = "PATH='\(folder.path)-bin':\"$PATH\"; export PATH\n"
    return try BuiltTool.run(
      shell[0], Array(shell.dropFirst()) + [path + commands], in: place ?? folder.path)
  }

  /// The commands that are told to be next.
  private func commands(_ result: BuiltTool.Result) -> [String] {
    result.output.components(separatedBy: "Next:\n").last?.split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) } ?? []
  }

  // MARK: It works

  @Test(arguments: ["superwall", "agentwallie"])
  func everyCommandThatIsToldRuns(format: String) throws {
    let started = try start(format)
    #expect(started.code == 0, "\(started.errors)")
    #expect(folder.names == Self.files)
    let commands = commands(started)
    #expect(commands.count == 3)
    #expect(commands.allSatisfy { $0.hasPrefix("tollgate ") })
    let results = try commands.map { try type($0) }
    #expect(results.map(\.code) == [0, 0, 0], "\(results.map(\.errors))")
    // Nothing to say, in all kinds.
    #expect(results[0].output.contains(": 0 errors, 0 warnings, 0 notes\n"))
    #expect(results[1].output.contains("held back by its limit: shown once in the last "))
    #expect(results[2].output.contains("8 users decided, 0 lines rejected"))
    #expect(folder.names == Self.files)
  }

  @Test(arguments: ["superwall", "agentwallie"])
  func everyCommandOfTheGuideRuns(format: String) throws {
    #expect(try start(format).code == 0)
    let blocks = try #require(folder.text("TOLLGATE.md")).components(separatedBy: "```sh\n")
      .dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 3)
    for block in blocks {
      let result = try type(block)
      #expect(result.code == 0, "\(block) \(result.errors)")
    }
    #expect(folder.text("outcomes.csv") == folder.text("expected.csv"))
  }

  @Test(arguments: ["superwall", "agentwallie"])
  func outcomesDiffer(format: String) throws {
    #expect(try start(format).code == 0)
    let rows = try #require(folder.text("expected.csv")).split(separator: "\n").dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(rows.count == 16)
    #expect(Set(rows.map { $0[2] }) == ["paywall", "holdout", "noAudienceMatch"])
    #expect(Set(rows.map { $0[6] }) == ["yearly", "monthly", ""])
    // The user apart is one of them.
    let lines = try #require(folder.text("users.ndjson")).split(separator: "\n")
    #expect(lines.count == 8)
    #expect(lines.contains { $0 + "\n" == folder.text("user.json") })
    let decided = try folder.tollgate(
      "decide", "config.json", "--placement", "onboarding_done", "--user", "user.json",
      "--assigner", format == "superwall" ? "hash" : "djb2", "--now", "2026-03-01T12:00:00Z",
      "--seed", "spring")
    #expect(decided.code == 0 && decided.output.contains(#""result":"paywall""#))
  }

  @Test(arguments: ["superwall", "agentwallie"])
  func theGuideNamesEveryPartOfTheConfig(format: String) throws {
    #expect(try start(format).code == 0)
    let guide = try #require(folder.text("TOLLGATE.md"))
    for name in Self.files.dropFirst() where name != "TOLLGATE.md" {
      #expect(guide.contains("`\(name)`"), "\(name)")
    }
    let keys =
      format == "superwall"
      ? [
        "trigger_options", "event_name", "rules", "expression_cel", "variants", "HOLDOUT",
        "occurrence", "max_count", "minutes", "key", "paywall_responses", "identifier",
      ]
      : [
        "campaigns", "placements", "audiences", "priority_order", "entitlement_check", "filters",
        "conjunction", "experiment", "frequency_cap", "paywalls", "products",
      ]
    for key in keys {
      #expect(guide.contains("`\(key)`"), "\(key)")
      #expect(folder.text("config.json")?.contains("\"\(key)\"") == true, "\(key)")
    }
  }

  // MARK: Folders

  @Test(arguments: ["new/deep", "with space", "it's", "-dash", "$HOME", "a;b/", "./here/"])
  func folders(name: String) throws {
    let result = try start("superwall", "--", name)
    #expect(result.code == 0, "\(result.errors)")
    let made = folder.path(name)
    #expect(FileManager.default.fileExists(atPath: made + "/.github/workflows/paywalls.yml"))
    for command in commands(result) {
      let run = try type(command)
      #expect(run.code == 0, "\(command): \(run.errors)")
    }
    #expect(commands(result).count == 3)
  }

  @Test func filesAreNeverReplaced() throws {
    try folder.write("config.json", "mine")
    let one = try start("superwall")
    #expect(one.code == 2)
    #expect(
      one.errors == """
        error: config.json exists already, and nothing was written; choose another folder, or add \
        --force to replace it

        """)
    #expect(folder.names == ["config.json"])
    try folder.write("TOLLGATE.md", "mine")
    // A name is taken also by a link that leads nowhere.
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("user.json"), withDestinationPath: "nowhere")
    let three = try start("superwall")
    #expect(three.code == 2)
    #expect(three.errors.contains("config.json, user.json, TOLLGATE.md exist already"))
    #expect(folder.names == ["TOLLGATE.md", "config.json", "user.json"])
    try FileManager.default.removeItem(atPath: folder.path("user.json"))
    try folder.write("other", "mine")
    #expect(try start("agentwallie", "--force").code == 0)
    #expect(folder.text("config.json")?.contains("campaigns") == true)
    #expect(folder.text("other") == "mine")
  }

  @Test func whatIsInTheWay() throws {
    try folder.write("file", "")
    let file = try start("superwall", "file")
    #expect(file.code == 2)
    #expect(file.errors == "error: file is not a folder\n")
    try folder.write(".github", "")
    let hidden = try start("superwall")
    #expect(hidden.code == 2 && hidden.errors == "error: .github is not a folder\n")
    try FileManager.default.removeItem(atPath: folder.path(".github"))
    try FileManager.default.createDirectory(
      atPath: folder.path("users.ndjson"), withIntermediateDirectories: false)
    let taken = try start("superwall", "--force")
    #expect(taken.code == 2 && taken.errors.contains("users.ndjson is a folder"))
    #expect(try start("superwall", "file/below").code == 74)
    #expect(try start("superwall", "").code == 2)
    #expect(folder.names == ["file", "users.ndjson"])
  }

  /// Some files fit and others do not: none is left, and neither are folders that were made for them.
  @Test(.limitsFiles) func allOrNothing() throws {
    for place in ["new/deep", "."] {
      let result = try folder.shell("ulimit -f 2; \"$TOLLGATE\" init \(place)")
      #expect(result.code == 74)
      #expect(result.errors.contains("cannot write "), "\(result.errors)")
      #expect(folder.names == [])
    }
    // The fifth file cannot be written: the four before it go.
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("TOLLGATE.md"), withDestinationPath: "no/where")
    let result = try start("superwall", "--force")
    #expect(result.code == 74)
    #expect(result.errors == "error: cannot write TOLLGATE.md: there is no folder no\n")
    #expect(folder.names == ["TOLLGATE.md"])
  }

  @Test func insideARepositoryTheWorkflowHasToMove() throws {
    let folder = try TestFolder()
    #expect(try folder.shell("mkdir .git sub").code == 0)
    #expect(
      try folder.tollgate("init", "sub/paywalls").errors.contains("move sub/paywalls/.github"))
    #expect(try folder.tollgate("init", ".").errors == "")
  }
}

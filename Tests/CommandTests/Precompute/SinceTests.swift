import Expressions
import Foundation
import RuleEngine
import TestSupport
import Testing

@testable import tollgate

/// `precompute --since` gives what a whole run gives, and decides only who may have changed.
@Suite struct SinceTests {
  /// How many of the demo's users there are.
  private static let count = Extent.count(4_000, or: 1_600)

  /// The users as a later export may have them: of every hundred one is another, one is gone, one
  /// is new and one is there twice.
  private static let later: String = {
    var lines: [Substring] = []
    for (number, line) in users.split(separator: "\n").enumerated() {
      switch number % 100 {
      case 7: lines.append(Substring(line.replacingOccurrences(of: "iOS", with: "web")))
      case 31: continue
      case 45: lines += [line, "{\"userId\":\"new-\(number)\",\"user\":{\"plan\":\"free\"}}"]
      case 63: lines += [line, line]
      default: lines.append(line)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }()

  private static let users = String(
    decoding: FileManager.default.contents(atPath: TestFolder.demo + "/users.ndjson") ?? Data(),
    as: UTF8.self
  ).split(separator: "\n").prefix(count).map { $0 + "\n" }.joined()

  /// A folder with the old users and the new ones, and the run of the old ones.
  private static func folder(_ arguments: String...) throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("users.ndjson", users)
    let result = try folder.tollgate(
      run("old.ndjson", ["--keep-decisions"] + arguments))
    #expect(result.code == 0, "\(result.errors)")
    try folder.write("users.ndjson", later)
    return folder
  }

  private static func run(
    _ out: String, _ arguments: [String], config: String = TestFolder.config
  ) -> [String] {
    let usual = [("--now", "2026-03-01T12:00:00Z"), ("--seed", "s"), ("--users", "users.ndjson")]
    return ["precompute", config, "--out", out]
      + usual.filter { !arguments.contains($0.0) }.flatMap { [$0.0, $0.1] } + arguments
  }

  /// What a run says of users at its end: decided anew, and kept.
  private static func told(_ result: BuiltTool.Result) -> (anew: Int, kept: Int)? {
    let line = result.errors.split(separator: "\n").last { $0.contains(" decided anew, ") }
    let numbers = (line ?? "").replacingOccurrences(of: ",", with: "").split(separator: " ")
      .compactMap { Int($0) }
    return numbers.count == 3 ? (numbers[1], numbers[2]) : nil
  }

  /// Compares a run since another one with a whole run, in files of the same names.
  ///
  /// - Returns: how many users were decided anew, and how many kept.
  @discardableResult
  private static func compare(
    _ folder: TestFolder, _ out: String, _ arguments: [String], config: String = TestFolder.config,
    since: String = "old.ndjson.manifest.json", sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (anew: Int, kept: Int)? {
    let files = [out, out + ".manifest.json", out + ".decisions", "rejects.ndjson", "report.html"]
    let more = arguments + ["--rejects", "rejects.ndjson", "--report", "report.html"]
    let whole = try folder.tollgate(
      run(out, more + ["--keep-decisions", "--summary", "json"], config: config))
    #expect(whole.code == 0, "\(whole.errors)", sourceLocation: sourceLocation)
    let expected = files.map { folder.bytes($0) }
    #expect(!expected.contains(nil), sourceLocation: sourceLocation)
    for file in files { try FileManager.default.removeItem(atPath: folder.path(file)) }
    let result = try folder.tollgate(
      run(out, more + ["--since", since, "--summary", "json"], config: config))
    #expect(result.code == 0, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.output == whole.output, sourceLocation: sourceLocation)
    for (file, bytes) in zip(files, expected) {
      #expect(folder.bytes(file) == bytes, "\(file)", sourceLocation: sourceLocation)
    }
    func notes(_ result: BuiltTool.Result) -> [Substring] {
      result.errors.split(separator: "\n").filter {
        $0.hasPrefix("warning: ") || $0.hasPrefix("note: '")
      }
    }
    #expect(notes(result) == notes(whole), sourceLocation: sourceLocation)
    return told(result)
  }

  /// Whatever form the outcomes have, and whatever that of the earlier ones was.
  @Test(
    arguments: Extent.some(
      0..<8, every: 3
    ).map {
      [
        ("out.ndjson", []), ("out.ndjson", ["--layout", "wide", "--threads", "3"]),
        ("out.csv", ["--reasons"]), ("out.sqlite", ["--reasons", "--run-columns"]),
        ("out.sqlite", ["--layout", "wide"]), ("out.csv.gz", ["--run-columns"]),
        ("out.ndjson.zst", ["--reasons", "--layout", "wide"]),
        (
          "out.ndjson",
          [
            "--render", TestFolder.demo + "/texts.json", "--products",
            TestFolder.demo + "/products.json",
          ]
        ),
      ][$0] as (String, [String])
    })
  func sameInEveryForm(_ form: (out: String, arguments: [String])) throws {
    let folder = try Self.folder()
    let told = try #require(try Self.compare(folder, form.out, form.arguments))
    #expect(told.anew > Self.count / 80)
    #expect(told.anew < Self.count / 40)
    #expect(told.anew + told.kept > Self.count - 10)
  }

  /// Users who come compressed, in several files, or through a pipe are the same users.
  @Test func sameFromEveryInput() throws {
    let folder = try Self.folder()
    try folder.compress("users.ndjson", .gzip)
    let half = Self.later.count / 2
    let cut = Self.later.index(
      after: Self.later[Self.later.index(Self.later.startIndex, offsetBy: half)...]
        .firstIndex(of: "\n")!)
    try folder.write("a.ndjson", String(Self.later[cut...]))
    try folder.write("b.ndjson", String(Self.later[..<cut]))
    let gzip = try #require(
      try Self.compare(folder, "out.ndjson", ["--users", "users.ndjson.gz"]))
    // Another order is no change.
    let parts = try #require(
      try Self.compare(folder, "out.ndjson", ["--users", "a.ndjson", "b.ndjson"]))
    #expect(gzip == parts)
    #expect(gzip.anew < Self.count / 40)
  }

  /// CSV is read into records, and these are compared.
  @Test func sameFromCSV() throws {
    let folder = try TestFolder()
    func table(_ plans: [String]) -> String {
      "userId,user.plan,device.totalSessions\n"
        + plans.enumerated().map { "u-\($0),\($1),\($0)\n" }.joined()
    }
    try folder.write("users.csv", table(Array(repeating: "free", count: 900)))
    #expect(
      try folder.tollgate(
        Self.run("old.ndjson", ["--users", "users.csv", "--keep-decisions"])
      ).code == 0)
    var plans = Array(repeating: "free", count: 900)
    (plans[3], plans[800]) = ("pro", "\"open")
    try folder.write("users.csv", table(plans))
    let told = try #require(try Self.compare(folder, "out.csv", ["--users", "users.csv"]))
    #expect(told == (1, 898))
  }

  // MARK: What decisions depend on

  /// Each of these may change what users get: everybody is decided anew, and it is said why.
  @Test(arguments: [
    (["--seed", "t"], "seed was \"s\" and is \"t\""),
    (["--placement", "export_report"], "placements was null"),
    (["--assigner", "djb2"], "assigner was \"hash\" and is \"djb2\""),
    (["--dialect", "cel", "--keep-going"], "dialect was"),
    (["--platform", "android"], "platform was"),
  ])
  func otherSettingsDecideEverybody(arguments: [String], why: String) throws {
    let folder = try Self.folder()
    #expect(try #require(try Self.compare(folder, "out.ndjson", arguments)).kept == 0)
    let said = try folder.tollgate(
      Self.run("out.ndjson", arguments + ["--since", "old.ndjson.manifest.json"]))
    #expect(said.errors.contains("note: everybody is decided anew: " + why), "\(said.errors)")
  }

  /// Rules that have changed decide everybody; another name of the same config nobody.
  @Test func otherRulesDecideEverybody() throws {
    let folder = try Self.folder()
    let config = String(
      decoding: try Data(contentsOf: URL(filePath: TestFolder.config)), as: UTF8.self)
    func compare(_ old: String, _ new: String) throws -> (anew: Int, kept: Int)? {
      let text = config.replacingOccurrences(of: old, with: new)
      #expect(text != config, "\(old)")
      let path = try folder.write("config.json", text)
      return try Self.compare(folder, "out.ndjson", [], config: path)
    }
    let buildID = try #require(try Value.parse(json: config.utf8)["build_id"]?.text)
    #expect(try #require(try compare("\"\(buildID)\"", "\"another\"")).anew < Self.count / 40)
    #expect(try #require(try compare("\"percentage\": 45", "\"percentage\": 44")).kept == 0)
    #expect(try #require(try compare("\"max_count\": 2", "\"max_count\": 3")).kept == 0)
    #expect(try #require(try compare("free", "trial")).kept == 0)
  }

  /// At another time those are decided whose records tell of the past, and nobody else.
  @Test(arguments: [["--now", "2026-03-02T09:00:00Z"], ["--time-zone", "Asia/Tokyo"]])
  func anotherTimeDecidesWhoHasAPast(arguments: [String]) throws {
    let folder = try Self.folder()
    let told = try #require(try Self.compare(folder, "out.ndjson", arguments))
    #expect(told.anew > Self.count / 14)
    #expect(told.kept > Self.count / 2)
  }

  /// The older assigner does not look at the seed, so that another one decides nobody anew.
  @Test func seedsThatNobodyReads() throws {
    let folder = try TestFolder()
    try folder.write("users.ndjson", TestFolder.users(40))
    let old = ["--assigner", "djb2", "--keep-decisions"]
    #expect(try folder.tollgate(Self.run("old.ndjson", old)).code == 0)
    let more = ["--assigner", "djb2", "--seed", "t", "--since", "old.ndjson.manifest.json"]
    let since = try folder.tollgate(Self.run("new.ndjson", more))
    let told = try #require(Self.told(since))
    #expect(told.anew == 0 && told.kept == 39, "\(since.errors)")
  }

  // MARK: Files

  /// A run may take the place of the one that it goes by, again and again.
  @Test func takesThePlaceOfTheEarlierRun() throws {
    let folder = try Self.folder()
    let manifest = "old.ndjson.manifest.json"
    let whole = try folder.tollgate(Self.run("whole.ndjson", ["--keep-decisions"]))
    for round in 0..<2 {
      let result = try folder.tollgate(
        Self.run("old.ndjson", ["--since", manifest] + (round == 0 ? ["--resume"] : [])))
      #expect(result.code == 0, "\(result.errors)")
      #expect(result.output == whole.output)
      #expect(folder.bytes("old.ndjson") == folder.bytes("whole.ndjson"))
      #expect(folder.bytes("old.ndjson.decisions") == folder.bytes("whole.ndjson.decisions"))
      let told = try #require(Self.told(result))
      #expect(round == 0 ? told.anew > Self.count / 80 : told.anew == 0)
    }
    #expect(try folder.tollgate("replay", manifest).code == 0)
    #expect(folder.names.filter { $0.contains(".partial") || $0.contains(".running") } == [])
  }

  /// What was stopped continues, also where what it goes by is gone.
  @Test(arguments: [true, false])
  func continues(hasEarlier: Bool) throws {
    let folder = try Self.folder()
    #expect(try folder.tollgate(Self.run("whole.ndjson", ["--keep-decisions"])).code == 0)
    let arguments = Self.run(
      "out.ndjson",
      ["--since", "old.ndjson.manifest.json", "--checkpoint-every", "0", "--threads", "1"])
    // A limit on the size of files ends it in the middle.
    let stopped = try folder.shell(
      "ulimit -f \(Self.count); trap '' XFSZ; \"$TOLLGATE\" "
        + arguments.map { "'\($0)'" }.joined(separator: " "))
    #expect(stopped.code == 74, "\(stopped.errors)")
    #expect(folder.exists("out.ndjson.checkpoint"))
    if !hasEarlier {
      try FileManager.default.removeItem(atPath: folder.path("old.ndjson.manifest.json"))
    }
    let result = try folder.tollgate(arguments + ["--resume"])
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.errors.contains("is gone: everybody who is left is decided anew") != hasEarlier)
    for ending in ["", ".decisions"] {
      #expect(folder.bytes("out.ndjson" + ending) == folder.bytes("whole.ndjson" + ending))
    }
    // Complete, it stays as it is; without what it has kept it is not.
    let again = try folder.tollgate(
      Self.run("out.ndjson", ["--keep-decisions", "--resume"]))
    #expect(again.errors.contains("Already complete"))
    try folder.write("out.ndjson.decisions", "{\"decisions\":1,")
    #expect(
      try folder.tollgate(Self.run("out.ndjson", ["--keep-decisions", "--resume"])).code == 2)
  }

  /// What was changed since is refused, and nothing is written.
  @Test func changedFilesAreRefused() throws {
    let folder = try Self.folder()
    let (manifest, decisions) = ("old.ndjson.manifest.json", "old.ndjson.decisions")
    let kept = try (
      manifest: #require(folder.text(manifest)), decisions: #require(folder.bytes(decisions))
    )
    func refused(_ why: String, since: String = manifest, _ arguments: String...) throws {
      let result = try folder.tollgate(Self.run("out.ndjson", ["--since", since] + arguments))
      #expect(result.code == 2, "\(why)")
      #expect(result.errors.contains(why), "\(result.errors)")
      #expect(!folder.exists("out.ndjson"))
    }
    let changed = "old.ndjson.decisions is not what old.ndjson.manifest.json says was written"
    var other = kept.decisions
    other[other.count - 1] ^= 1
    try folder.write(decisions, other)
    try refused(changed)
    try folder.write(decisions, kept.decisions.dropLast(3))
    try refused(changed)
    try folder.write(decisions, Data())
    try refused(changed)
    try FileManager.default.removeItem(atPath: folder.path(decisions))
    try refused("which has the decisions of the run of old.ndjson.manifest.json, is gone")
    try folder.write(decisions, kept.decisions)
    try folder.write(manifest, String(kept.manifest.dropLast(9)))
    try refused("is not a manifest")
    try folder.write(manifest, kept.manifest)
    try refused("the one of this file is old.ndjson.manifest.json", since: "old.ndjson")
    try refused("there is no nowhere yet", since: "nowhere")
    try refused("--since and --rejects are the same file", since: manifest, "--rejects", manifest)
    #expect(try folder.tollgate(Self.run("plain.ndjson", [])).code == 0)
    try refused("this run kept no decisions", since: "plain.ndjson.manifest.json")
    #expect(folder.text(manifest) == kept.manifest)
  }

  /// A manifest and what lies beside it go together, wherever they are.
  @Test func movesWithItsManifest() throws {
    let folder = try Self.folder()
    try FileManager.default.createDirectory(
      atPath: folder.path("kept"), withIntermediateDirectories: true)
    for ending in [".manifest.json", ".decisions"] {
      try FileManager.default.moveItem(
        atPath: folder.path("old.ndjson" + ending), toPath: folder.path("kept/old.ndjson" + ending))
    }
    let told = try #require(
      try Self.compare(folder, "out.ndjson", [], since: "kept/old.ndjson.manifest.json"))
    #expect(told.anew < Self.count / 40)
    // Something else may be by now where they were written.
    try folder.write("old.ndjson.decisions", "another run's")
    let again = try folder.tollgate(
      Self.run("again.ndjson", ["--since", "kept/old.ndjson.manifest.json"]))
    #expect(again.code == 0 && folder.bytes("again.ndjson") == folder.bytes("out.ndjson"))
    #expect(Self.told(again)?.anew == told.anew, "\(again.errors)")
  }

  @Test func needsAFile() throws {
    let folder = try Self.folder()
    let pipe = try folder.tollgate(Self.run("-", ["--keep-decisions"]))
    #expect(pipe.code == 2)
    #expect(pipe.errors.contains("--keep-decisions needs --out FILE"))
    let since = try folder.tollgate(Self.run("-", ["--since", "old.ndjson.manifest.json"]))
    let whole = try folder.tollgate(Self.run("-", []))
    #expect(since.output == whole.output)
    #expect(try #require(Self.told(since)).anew < Self.count / 40)
    try folder.write("mine.ndjson.decisions", "mine")
    let taken = try folder.tollgate(Self.run("mine.ndjson", ["--keep-decisions"]))
    #expect(taken.code == 2)
    #expect(taken.errors.contains("a different file is already there"))
    #expect(folder.text("mine.ndjson.decisions") == "mine")
  }

  // MARK: Changed outcomes

  @Test(arguments: ["changed.csv", "changed.csv.gz", "-"])
  func writesWhoWasDecidedAnew(changed: String) throws {
    let folder = try Self.folder()
    let since = ["--since", "old.ndjson.manifest.json", "--layout", "wide", "--summary", "json"]
    let out = "out.csv"
    let result = try folder.tollgate(Self.run(out, since + ["--changed", changed]))
    if changed == "-" {
      // The form of a name that says nothing is NDJSON.
      #expect(result.code == 2)
      return #expect(result.errors.contains("give both the same ending"))
    }
    #expect(result.code == 0, "\(result.errors)")
    let text =
      changed.hasSuffix(".gz")
      ? try folder.shell("gzip -dc \(changed)").output : try #require(folder.text(changed))
    let lines = text.split(separator: "\n")
    let all = try #require(folder.text(out)).split(separator: "\n")
    #expect(lines.first == all.first)
    #expect(lines.count - 1 == Self.told(result)?.anew)
    #expect(Set(lines).isSubset(of: Set(all)))
    #expect(lines.contains { $0.hasPrefix("new-45,") })
    // Nobody has changed since this run.
    let again = try folder.tollgate(
      Self.run(
        out, ["--since", "out.csv.manifest.json", "--layout", "wide", "--changed", "none.csv"]))
    #expect(again.code == 0)
    #expect(folder.text("none.csv") == lines.first.map { $0 + "\n" })
  }

  @Test func changedIsRefusedWhereItHasNoMeaning() throws {
    let folder = try Self.folder()
    func errors(_ out: String, _ arguments: String...) throws -> String {
      let result = try folder.tollgate(Self.run(out, arguments))
      #expect(result.code == 2 || result.code == 64)
      return result.errors
    }
    let since = "old.ndjson.manifest.json"
    #expect(try errors("o.ndjson", "--changed", "c.ndjson").contains("--changed needs --since"))
    #expect(
      try errors("o.sqlite", "--since", since, "--changed", "c.ndjson")
        .contains("--changed needs --out as NDJSON or CSV"))
    #expect(
      try errors("o.ndjson", "--since", since, "--changed", "c.csv").contains("the same ending"))
    #expect(
      try errors("o.ndjson", "--since", since, "--changed", "o.ndjson").contains("the same file"))
  }
}

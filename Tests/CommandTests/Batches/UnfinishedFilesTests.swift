import Foundation
import TestSupport
import Testing

@testable import tollgate

/// What a run writes has another name until it is complete, and nothing is made of users that were
/// changed in the meantime.
@Suite struct UnfinishedFilesTests {
  private static let names = ["out.ndjson", "out.csv", "out.csv.gz", "out.ndjson.zst"]

  /// A folder with the outcomes of a few users, and a run over many that a limit has stopped.
  private func stopped(_ name: String) throws -> TestFolder {
    // Room for more than a part gives, and not for all.
    let blocks = [".gz", ".zst"].contains(where: name.hasSuffix) ? 400 : 16_000
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(40_000))
    try folder.write("few", TestFolder.users(10))
    for out in ["whole", "old"] {
      #expect(
        try folder.precompute(
          "--users", out == "old" ? "few" : "users", "--out",
          out == "old" ? name : "\(out)-\(name)",
          "--rejects", "\(out)-r.gz", "--format", name.contains("csv") ? "csv" : "ndjson"
        ).code == 0)
    }
    let full = try folder.shell(
      "ulimit -f \(blocks); env --default-signal=XFSZ $TOLLGATE precompute $CONFIG --users users"
        + " --out \(name) --rejects old-r.gz --checkpoint-every 0 --now 2026-03-01T12:00:00Z --seed s"
        + " --threads 1")
    #expect(full.code == 74, "\(full.errors)")
    return folder
  }

  private func resume(_ folder: TestFolder, _ name: String) throws -> BuiltTool.Result {
    try folder.precompute(
      "--users", "users", "--out", name, "--rejects", "old-r.gz", "--resume")
  }

  @Test(.limitsFiles, arguments: names)
  func oldFilesStayUntilTheNewAreComplete(name: String) throws {
    let folder = try stopped(name)
    // What is there is of the run before, and its manifest says so.
    #expect(try folder.tollgate("replay", name + ".manifest.json").code == 0)
    #expect(folder.exists(name + ".partial") && folder.exists("old-r.gz.partial"))
    let resumed = try resume(folder, name)
    #expect(resumed.code == 0, "\(resumed.errors)")
    #expect(resumed.errors.contains(" users before"))
    #expect(folder.bytes(name) == folder.bytes("whole-\(name)"))
    #expect(folder.bytes("old-r.gz") == folder.bytes("whole-r.gz"))
    #expect(!folder.names.contains { $0.hasSuffix(".partial") })
  }

  /// A kill may come when a file has its name already, and the run is not over.
  @Test(.limitsFiles, arguments: names)
  func killsBetweenTheNames(name: String) throws {
    let folder = try stopped(name)
    #expect(try folder.shell("mv \(name).partial \(name)").code == 0)
    let resumed = try resume(folder, name)
    #expect(resumed.code == 0, "\(resumed.errors)")
    #expect(folder.bytes(name) == folder.bytes("whole-\(name)"))
    #expect(folder.bytes("old-r.gz") == folder.bytes("whole-r.gz"))
  }

  /// Outcomes of another run are not what an unfinished file was.
  @Test(.limitsFiles) func otherFilesAreNotGoneOnWith() throws {
    let folder = try stopped("out.ndjson")
    #expect(try folder.shell("cp whole-out.ndjson o; tr u v < o > out.ndjson").code == 0)
    #expect(try folder.shell("rm out.ndjson.partial").code == 0)
    let before = folder.bytes("out.ndjson")
    let resumed = try resume(folder, "out.ndjson")
    #expect(resumed.code == 2)
    #expect(resumed.errors.contains("out.ndjson.partial is gone, and its checkpoint counts"))
    #expect(folder.bytes("out.ndjson") == before)
  }

  @Test func whatSomebodyElseHasCalledSo() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(10))
    for (name, out) in [
      ("o.partial", "o"), ("r.partial", "free"), ("o.csv.gz.partial", "o.csv.gz"),
    ] {
      try folder.write(name, "mine")
      let result = try folder.precompute("--users", "users", "--out", out, "--rejects", "r")
      #expect(result.code == 2)
      #expect(
        result.errors.contains("\(name): a different file already exists"), "\(result.errors)")
      #expect(folder.text(name) == "mine")
      try FileManager.default.removeItem(atPath: folder.path(name))
    }
    // What a kill has left is no obstacle, whatever part of it.
    for text in ["", "{\"use", "{\"userId\":\"u-1\",\"pla"] {
      try folder.write("o.partial", text)
      #expect(try folder.precompute("--users", "users", "--out", "o").code == 0)
      #expect(folder.names == ["o", "o.manifest.json", "users"])
    }
  }

  /// What others may not read they may not read while it is written.
  @Test(.limitsFiles) func permissionsAreTakenOverAtOnce() throws {
    let folder = try stopped("out.ndjson")
    #expect(try folder.shell("rm *.checkpoint *.partial; chmod 600 out.ndjson").code == 0)
    let full = try folder.shell(
      "ulimit -f 16000; env --default-signal=XFSZ $TOLLGATE precompute $CONFIG --users users"
        + " --out out.ndjson --checkpoint-every 0")
    #expect(full.code == 74)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: folder.path("out.ndjson.partial"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  /// The manifest of other outcomes goes with them, also where the new ones have none.
  @Test func theOlderManifestGoes() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(10))
    #expect(try folder.precompute("--users", "users", "--out", "o").code == 0)
    #expect(folder.exists("o.manifest.json"))
    let again = try folder.precompute("--users", "users", "--out", "o", "--manifest", "none")
    #expect(again.code == 0, "\(again.errors)")
    #expect(folder.names == ["o", "users"])
  }

  // MARK: Users that were changed

  @Test(arguments: ["users", "users.csv"])
  func completeRunsSeeThatUsersWereChanged(users: String) throws {
    let folder = try TestFolder()
    let table = "userId,user.plan\n" + (0..<3_000).map { "u-\($0),free\n" }.joined()
    try folder.write(users, users == "users.csv" ? table : TestFolder.users(3_000))
    func run(_ more: String...) throws -> BuiltTool.Result {
      try folder.tollgate(
        ["precompute", TestFolder.config, "--users", users, "--out", "o", "--now", "2026-03-01"]
          + more)
    }
    #expect(try run().code == 0)
    #expect(try run("--resume").errors.contains("Already complete"))
    let outcomes = folder.bytes("o") ?? Data()
    var other = outcomes
    other[100] ^= 1
    try folder.write("o", other)
    let changed = try run("--resume")
    #expect(changed.code == 2)
    #expect(
      changed.errors.contains(
        "o was changed after o.manifest.json was written; run again without --resume"))
    try folder.write("o", outcomes)
    // The same size, and no other outcome: nobody reads the attribute.
    #expect(try folder.shell("sed -i.bak '2999s/free/paid/' \(users)").code == 0)
    let resumed = try run("--resume")
    #expect(resumed.code == 2)
    #expect(resumed.errors.contains("\(users) was changed after the run read it"))
    let replay = try folder.tollgate("replay", "o.manifest.json")
    #expect(replay.code == 1)
    #expect(replay.output.hasPrefix("users: changed since the run, in \(users)\n"))
    #expect(replay.output.contains("outcomes: the same"), "\(replay.output)")
  }

  /// What a run has decided before it was stopped is not decided again, so it must be the same.
  @Test(.limitsFiles) func stoppedRunsSeeThatUsersWereChanged() throws {
    let folder = try stopped("out.ndjson")
    #expect(try folder.shell("sed -i.bak '2s/free/paid/' users").code == 0)
    let before = folder.bytes("out.ndjson.partial")
    let resumed = try resume(folder, "out.ndjson")
    #expect(resumed.code == 2)
    #expect(resumed.errors.contains("users was changed after the run read it"))
    // As far as the checkpoint counts, it is as it was.
    let kept = try #require(folder.bytes("out.ndjson.partial"))
    #expect(kept.count > 1_000_000 && before?.starts(with: kept) == true)
    try FileManager.default.moveItem(
      atPath: folder.path("users.bak"), toPath: folder.path("u"))
    #expect(try folder.shell("mv u users").code == 0)
    #expect(try resume(folder, "out.ndjson").code == 0)
  }

  /// One hash, however a file is cut and packed.
  @Test func oneHash() throws {
    let folder = try TestFolder()
    try folder.write("users.ndjson", TestFolder.users(9_000))
    try folder.compress("users.ndjson", .zstd)
    func hash(_ users: String, _ more: [String]) throws -> Substring? {
      #expect(
        try folder.tollgate(
          ["precompute", TestFolder.config, "--out", "none", "--manifest", "m", "--users", users]
            + more
        ).code == 0)
      let manifest = try #require(folder.text("m"))
      return manifest.firstMatch(of: /"users":\["(blocks-xxh64:[0-9a-f]{16})"\]/)?.output.1
    }
    let first = try #require(try hash("users.ndjson", []))
    #expect(try hash("users.ndjson", ["--threads", "1", "--placement", "export_report"]) == first)
    #expect(try hash("users.ndjson.zst", []) == first)
    try folder.write("users.ndjson", TestFolder.users(8_999))
    #expect(try hash("users.ndjson", []) != first)
  }
}

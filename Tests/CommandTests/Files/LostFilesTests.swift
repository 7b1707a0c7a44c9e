import Foundation
import TestSupport
import Testing

/// No run loses a file that is not its own: one beside its database, one that another run writes under
/// another name, or what another run continues from.
@Suite struct LostFilesTests {
  private func folder(users count: Int = 10) throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(count))
    try folder.write("config", try Data(contentsOf: URL(filePath: TestFolder.config)))
    return folder
  }

  /// Names that SQLite, or a run, uses beside a database.
  private static let beside = [
    "k.sqlite-wal", "k.sqlite-journal", "k.sqlite-shm", "k.sqlite.new", "k.sqlite.new-wal",
    "k.sqlite.checkpoint", "k.sqlite.checkpoint-journal", "k.sqlite.checkpoint.new",
    "k.sqlite.manifest.json.new",
  ]

  @Test(arguments: beside)
  func besideADatabase(name: String) throws {
    let folder = try folder()
    let (users, config) = (folder.bytes("users"), folder.bytes("config"))
    func run(_ config: String, _ users: String) throws -> BuiltTool.Result {
      try folder.tollgate("precompute", config, "--users", users, "--out", "k.sqlite")
    }
    // As users, as the config, as nothing of the run; the database may be there or not.
    for exists in Extent.isWhole ? [false, true] : [true] {
      if exists {
        #expect(try run("config", "users").code == 0)
        #expect(folder.names.count == 4)
      }
      let database = folder.bytes("k.sqlite")
      try folder.write(name, users ?? Data())
      for result in [try run("config", name), try run("config", "users")] {
        #expect(result.code == 2, "\(exists): \(result.errors)")
        #expect(result.errors.contains(name), "\(result.errors)")
        #expect(folder.bytes(name) == users)
      }
      try folder.write(name, config ?? Data())
      #expect(try run(name, "users").code == 2)
      #expect(folder.bytes(name) == config)
      #expect(folder.bytes("k.sqlite") == database)
      try FileManager.default.removeItem(atPath: folder.path(name))
    }
  }

  /// What a kill has left there is no obstacle, nor what SQLite has.
  @Test func whatIsOfADatabaseGoes() throws {
    let folder = try folder()
    #expect(try folder.precompute("--users", "users", "--out", "k.sqlite").code == 0)
    let database = folder.bytes("k.sqlite")
    try folder.write("k.sqlite.new", database ?? Data())
    try folder.write("k.sqlite.checkpoint", "")
    try folder.write("k.sqlite-wal", Data([0x37, 0x7F, 0x06, 0x82, 0, 0]))
    try folder.write("k.sqlite-journal", Data([0, 0, 0, 0, 0, 0]))
    try folder.write("k.sqlite-shm", Data([0x18, 0xE2, 0x2D, 0x00]))
    try folder.write("k.sqlite.manifest.json.new", "{\"mani")
    let again = try folder.precompute("--users", "users", "--out", "k.sqlite")
    #expect(again.code == 0, "\(again.errors)")
    #expect(folder.bytes("k.sqlite") == database)
    #expect(folder.names == ["config", "k.sqlite", "k.sqlite.manifest.json", "users"])
    // Somebody's database is none that a run has left.
    try folder.write("other.new", database ?? Data())
    let drop = "import sqlite3; sqlite3.connect('other.new').execute('DROP TABLE run')"
    #expect(try folder.shell("python3 -c \"\(drop)\"").code == 0)
    let refused = try folder.precompute("--users", "users", "--out", "other", "--format", "sqlite")
    #expect(refused.code == 2)
    #expect(refused.errors.contains("other.new: a different file already exists"))
  }

  /// A file of text has no companions of SQLite.
  @Test func otherOutcomesLeaveThemAlone() throws {
    let folder = try folder()
    for name in ["o.ndjson-wal", "o.ndjson.checkpoint-wal", "o.ndjson.checkpoint-journal"] {
      try folder.write(name, "mine")
      #expect(try folder.precompute("--users", "users", "--out", "o.ndjson").code == 0)
      #expect(folder.text(name) == "mine")
    }
  }

  // MARK: One file, two names

  /// A run that has written something and waits for more users, which it reads from a pipe.
  private struct Waiting {
    let input = Pipe()
    let run: BuiltTool.Running

    init(_ folder: TestFolder, out: String) throws {
      run = try BuiltTool.Running(
        try BuiltTool.tool(),
        [
          "precompute", "config", "--users", "-", "--threads", "1", "--checkpoint-every", "0",
          "--out", out, "--now", "2026-03-01T12:00:00Z",
        ], source: input, in: folder.path)
      let users = Data(TestFolder.users(10_000).utf8)
      try input.fileHandleForWriting.write(contentsOf: users.prefix(600_000))
      while (folder.bytes(out + ".partial")?.count ?? 0) < 1_000
        || !folder.exists(out + ".checkpoint"),
        run.process.isRunning
      { usleep(1_000) }
    }

    func finish() throws -> BuiltTool.Result {
      try input.fileHandleForWriting.close()
      return try run.wait()
    }
  }

  @Test func hardLinks() throws {
    let folder = try folder()
    for isThere in [false, true] {
      let (one, other) = ("a\(isThere).ndjson", "b\(isThere).ndjson")
      if isThere { try folder.write(one, "old") }
      let waiting = try Waiting(folder, out: one)
      try FileManager.default.linkItem(
        atPath: folder.path(one + ".partial"), toPath: folder.path(other + ".partial"))
      let written = try #require(folder.bytes(one + ".partial"))
      for (options, reason) in [
        (["--out", other], "another run of tollgate is writing \(other); wait for it to finish"),
        (["--out", "free", "--rejects", other], "a different file already exists"),
      ] {
        let second = try BuiltTool.run(
          try BuiltTool.tool(), ["precompute", "config", "--users", "users"] + options,
          in: folder.path)
        #expect(second.code == 2)
        #expect(second.errors.contains(reason), "\(second.errors)")
      }
      #expect(folder.bytes(one + ".partial")?.starts(with: written) == true)
      let first = try waiting.finish()
      #expect(first.code == 0, "\(first.errors)")
      #expect(try folder.tollgate("replay", one + ".manifest.json").code == 2)
      #expect(folder.bytes(one)?.starts(with: written) == true)
      try FileManager.default.removeItem(atPath: folder.path(other + ".partial"))
    }
    // Afterwards it is free.
    #expect(try folder.precompute("--users", "users", "--out", "btrue.ndjson").code == 0)
  }

  @Test(arguments: [
    "rm o.partial", "mv o.partial p", "mv o.partial p; echo mine > o.partial",
    "rm o.partial; mkdir o.partial",
  ])
  func outcomesThatGoAway(script: String) throws {
    let folder = try folder()
    let waiting = try Waiting(folder, out: "o")
    #expect(try folder.shell(script).code == 0)
    let result = try waiting.finish()
    #expect(result.code == 74)
    #expect(
      result.errors.contains("o.partial was removed or replaced during the run; run again"),
      "\(result.errors)")
    #expect(!result.errors.contains("--resume") && !result.errors.contains("Done"))
    #expect(!folder.exists("o.manifest.json"))
    if script.contains("mine") { #expect(folder.text("o.partial") == "mine\n") }
  }

  /// What goes away before anything is written there is made anew.
  @Test func outcomesThatGoAwayEarly() throws {
    let folder = try folder()
    try folder.write("o", "old")
    let result = try folder.shell(
      """
      mkfifo pipe
      $TOLLGATE precompute config --users pipe --out o & run=$!
      exec 3> pipe; while ! test -e o.running; do :; done
      rm o; cat users >&3; exec 3>&-; wait $run; echo $?
      """)
    #expect(result.output.hasSuffix("0\n"), "\(result.errors)")
    #expect(folder.text("o")?.hasPrefix("{\"userId\"") == true)
  }

  // MARK: What another run has left

  /// Users, and how many blocks of 512 bytes there is room for: more than a part gives, and not enough
  /// for all.
  @Test(
    .limitsFiles,
    arguments: [
      ("o.ndjson", 20_000, 16_000), ("o.csv.gz", 130_000, 400),
      ("o.sqlite", 20_000, 1_200),
    ])
  func checkpointsOfOthers(name: String, count: Int, blocks: Int) throws {
    let folder = try folder()
    try folder.write("many", TestFolder.users(count))
    let full = try folder.shell(
      "ulimit -f \(blocks);"
        + " env --default-signal=XFSZ $TOLLGATE precompute config --users many"
        + " --out \(name) --checkpoint-every 0 --now 2026-03-01T12:00:00Z --threads 1")
    #expect(full.code == 74, "\(full.errors)")
    let checkpoint = try #require(folder.bytes(name + ".checkpoint"))
    let others = ["q.ndjson", "q.sqlite", "none", "-"]
    for out in others {
      for more in [[], ["--resume"]] {
        let result = try BuiltTool.run(
          try BuiltTool.tool(),
          ["precompute", "config", "--users", "users", "--checkpoint", name + ".checkpoint"]
            + ["--out", out] + more, in: folder.path)
        #expect(result.code == 2)
        #expect(
          result.errors.contains("the checkpoint of another run, whose outcomes are \(name)"),
          "\(out) \(more): \(result.errors)")
        #expect(folder.bytes(name + ".checkpoint") == checkpoint)
        #expect(!folder.exists(out))
      }
    }
    // It is still good, also under a new name of both.
    let manager = FileManager.default
    if name == "o.ndjson" {
      for suffix in [".partial", ".checkpoint"] {
        try manager.moveItem(
          atPath: folder.path(name + suffix), toPath: folder.path("p.ndjson" + suffix))
      }
    }
    let own = name == "o.ndjson" ? "p.ndjson" : name
    let resumed = try folder.tollgate(
      "precompute", "config", "--users", "many", "--out", own, "--resume")
    #expect(resumed.code == 0, "\(resumed.errors)")
    #expect(resumed.errors.contains(" before"))
  }

  /// A checkpoint that a run has put where another one has its own.
  @Test(.limitsFiles) func aCheckpointInAnUsualPlace() throws {
    let folder = try folder()
    try folder.write("many", TestFolder.users(40_000))
    let full = try folder.shell(
      "ulimit -f 16000; env --default-signal=XFSZ $TOLLGATE precompute config --users many"
        + " --out o --checkpoint q.checkpoint --checkpoint-every 0")
    #expect(full.code == 74)
    let result = try folder.precompute("--users", "users", "--out", "q")
    #expect(result.code == 2)
    #expect(result.errors.contains("q.checkpoint: this is the checkpoint of another run"))
    #expect(!folder.exists("q"))
  }

  @Test func manifestsOfOthers() throws {
    let folder = try folder()
    #expect(try folder.precompute("--users", "users", "--out", "o").code == 0)
    #expect(
      try folder.precompute("--users", "users", "--out", "none", "--manifest", "counts").code == 0)
    let manifest = folder.bytes("o.manifest.json")
    for out in ["q", "none"] {
      let result = try folder.precompute(
        "--users", "users", "--out", out, "--manifest", "o.manifest.json")
      #expect(result.code == 2)
      #expect(result.errors.contains("the manifest of another run, whose outcomes are o;"))
      #expect(folder.bytes("o.manifest.json") == manifest)
    }
    let counts = try folder.precompute("--users", "users", "--out", "q", "--manifest", "counts")
    #expect(counts.code == 2)
    #expect(counts.errors.contains("another run, without a file of outcomes"))
    #expect(!folder.exists("q"))
    // One's own is, wherever the run is done from, and what was copied with its outcomes.
    #expect(
      try folder.shell(
        "mkdir sub; cd sub; $TOLLGATE precompute ../config --users ../users --out ../o"
          + " --manifest ../o.manifest.json; cd ..; cp o c; cp o.manifest.json c.manifest.json;"
          + " $TOLLGATE precompute config --users users --out c"
      ).code == 0)
  }
}

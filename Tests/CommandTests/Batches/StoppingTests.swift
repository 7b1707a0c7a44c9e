import Foundation
import TestSupport
import Testing

/// Runs that are stopped by a signal, or by a disk that is full, and others that come at the same time.
@Suite struct StoppingTests {
  private static let users = TestFolder.users(12_000)
  private static let names = ["out.ndjson", "out.csv.gz", "out.ndjson.zst", "out.sqlite"]

  /// A run that reads users from a pipe and waits for more, with outcomes written already.
  private struct Waiting {
    let folder: TestFolder
    let input = Pipe()
    let run: BuiltTool.Running

    /// - Parameter bytes: how much it gets before it has to wait.
    init(_ folder: TestFolder, _ arguments: [String], bytes: Int) throws {
      self.folder = folder
      run = try BuiltTool.Running(
        try BuiltTool.tool(),
        [
          "precompute", TestFolder.config, "--users", "-", "--now", "2026-03-01T12:00:00Z",
          "--seed",
          "s", "--threads", "1", "--checkpoint-every", "1000",
        ] + arguments,
        source: input, in: folder.path)
      let handle = input.fileHandleForWriting
      try handle.write(contentsOf: Data(StoppingTests.users.utf8.prefix(bytes)))
    }

    /// Waits until a file is there.
    func wait(for name: String) {
      while !folder.exists(name), run.process.isRunning { usleep(1_000) }
    }
  }

  @Test(arguments: zip(names, [SIGTERM, SIGHUP, SIGTERM]))
  func leavesACheckpoint(name: String, signal: Int32) throws {
    let folder = try TestFolder()
    try folder.write("users", Self.users)
    #expect(
      try folder.shell(
        "cat users | $TOLLGATE precompute $CONFIG --users - --out whole-\(name) --rejects whole.gz"
          + " --now 2026-03-01T12:00:00Z --seed s"
      ).code == 0)
    let waiting = try Waiting(folder, ["--out", name, "--rejects", "r.gz"], bytes: 700_000)
    waiting.wait(for: name + ".checkpoint")
    kill(waiting.run.process.processIdentifier, signal)
    let stopped = try waiting.run.wait()
    #expect(stopped.code == 128 + signal)
    #expect(stopped.errors.contains("run the same command with --resume"), "\(stopped.errors)")
    if name != "out.sqlite" {
      #expect(stopped.errors.contains(" users, whose outcomes are in \(name).partial;"))
    }
    #expect(!stopped.errors.contains("Done"))
    #expect(!folder.names.contains { $0.hasSuffix(".running") || $0.hasSuffix(".new") })
    // Lines that were refused would be lost without the file that they go into.
    for rejects in ["", "--rejects r.ndjson"] {
      let other = try folder.shell(
        "cat users | $TOLLGATE precompute $CONFIG --users - --out \(name) \(rejects) --resume"
          + " --now 2026-03-01T12:00:00Z --seed s")
      #expect(other.code == 2)
      #expect(other.errors.contains("rejects was \"ndjson.gz\" and is "), "\(other.errors)")
    }
    let resumed = try folder.shell(
      "cat users | $TOLLGATE precompute $CONFIG --users - --out \(name) --rejects r.gz --resume"
        + " --now 2026-03-01T12:00:00Z --seed s")
    #expect(resumed.code == 0, "\(resumed.errors)")
    #expect(resumed.errors.contains(" users before"))
    #expect(folder.bytes(name) == folder.bytes("whole-\(name)"))
    #expect(folder.bytes("r.gz") == folder.bytes("whole.gz"))
  }

  /// Before anything is written there is nothing to continue, and nothing left.
  @Test func leavesNothingBeforeItBegins() throws {
    let folder = try TestFolder()
    let waiting = try Waiting(folder, ["--out", "out"], bytes: 10)
    waiting.wait(for: "out.running")
    waiting.run.process.terminate()
    let result = try waiting.run.wait()
    #expect(result.code == 143)
    #expect(result.errors.hasSuffix("Stopped before anything was written.\n"))
    #expect(folder.names == [])
  }

  /// A first request is heeded; whoever asks again does not want to wait.
  @Test func interruptsFromTheKeyboard() throws {
    let folder = try TestFolder()
    try folder.write("users", Self.users)
    // A shell without a terminal has its jobs ignore the signal, so something else starts the tool.
    let result = try folder.shell(
      """
      mkfifo pipe; { cat users; sleep 20; } > pipe & feeder=$!
      env --default-signal=INT $TOLLGATE precompute $CONFIG --users pipe --out out.ndjson \
        --checkpoint-every 1000 --threads 1 & run=$!
      while ! test -s out.ndjson.checkpoint; do :; done
      kill -INT $run; wait $run; echo $?; kill $feeder
      """)
    #expect(result.output == "130\n", "\(result.errors)")
    #expect(result.errors.contains("with --resume"))
    #expect(folder.exists("out.ndjson.checkpoint"))
  }

  /// What a second request leaves can be continued, or is begun anew, which is told.
  @Test(arguments: ["out.csv", "out.sqlite"]) func secondRequests(name: String) throws {
    let folder = try TestFolder()
    try folder.write("few", TestFolder.users(10))
    let waiting = try Waiting(folder, ["--out", name], bytes: 700_000)
    waiting.wait(for: name + ".checkpoint")
    let process = waiting.run.process.processIdentifier
    // The first one is heeded when the part is done that is being decided.
    for _ in 0..<2_000 where waiting.run.process.isRunning {
      kill(process, SIGTERM)
      usleep(200)
    }
    let stopped = try waiting.run.wait()
    #expect(stopped.code == 143)
    let isAtOnce = stopped.errors.contains(
      "Stopped immediately. To continue from \(name).checkpoint, ")
    #expect(isAtOnce || stopped.errors.contains("Stopped after "), "\(stopped.errors)")
    let again = try folder.precompute("--users", "few", "--out", name)
    #expect(again.code == 0)
    if name == "out.csv" || !isAtOnce {
      #expect(
        again.errors.contains("note: \(name).checkpoint is from a run that was stopped after "),
        "\(again.errors)")
    }
    #expect(Set(folder.names) == ["few", name, name + ".manifest.json"])
    let third = try folder.precompute("--users", "few", "--out", name)
    #expect(!third.errors.contains("stopped"))
  }

  // MARK: At the same time

  @Test func aSecondRunIsRefused() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(10))
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "out")
    try manager.createSymbolicLink(atPath: folder.path("there"), withDestinationPath: ".")
    let waiting = try Waiting(folder, ["--out", "out", "--rejects", "rejects"], bytes: 10)
    waiting.wait(for: "rejects.running")
    for arguments in [
      ["--out", "out"], ["--out", "./out"], ["--out", "link"], ["--out", "there/out"],
      ["--out", "out", "--resume"], ["--out", "other", "--rejects", "rejects"],
    ] {
      let result = try BuiltTool.run(
        try BuiltTool.tool(), ["precompute", TestFolder.config, "--users", "users"] + arguments,
        in: folder.path)
      #expect(result.code == 2, "\(arguments)")
      #expect(
        result.errors.contains("error: another run of tollgate is writing "), "\(result.errors)")
    }
    #expect(!folder.exists("out") && !folder.exists("other"))
    // Another file is nobody's business.
    #expect(try folder.precompute("--users", "users", "--out", "free").code == 0)
    // Nor is what a kill has left.
    kill(waiting.run.process.processIdentifier, SIGKILL)
    _ = try waiting.run.wait()
    #expect(folder.exists("out.running"))
    #expect(
      try folder.precompute("--users", "users", "--out", "out", "--rejects", "rejects").code == 0)
    #expect(!folder.names.contains { $0.hasSuffix(".running") })
    // What somebody else has called so stays.
    try folder.write("out.running", "somebody's")
    let other = try folder.precompute("--users", "users", "--out", "out")
    #expect(other.code == 2)
    #expect(other.errors.contains("out.running exists, but is needed as a lock"))
    #expect(folder.text("out.running") == "somebody's")
  }

  /// Nobody finds a manifest of other outcomes, whatever comes in between.
  @Test(arguments: names)
  func theOldManifestGoesBeforeItsOutcomes(name: String) throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(10))
    #expect(try folder.precompute("--users", "users", "--out", name).code == 0)
    let (outcomes, manifest) = (folder.bytes(name), folder.bytes(name + ".manifest.json"))
    for options in [[], ["--manifest", "none"], ["--manifest", "elsewhere.json"]] {
      let waiting = try Waiting(folder, ["--out", name] + options, bytes: 700_000)
      waiting.wait(for: name + ".checkpoint")
      kill(waiting.run.process.processIdentifier, SIGKILL)
      _ = try waiting.run.wait()
      #expect(folder.bytes(name) == outcomes)
      #expect(folder.bytes(name + ".manifest.json") == manifest)
      #expect(
        try folder.precompute("--users", "users", "--out", name).code == 0)
    }
    // Neither by another name.
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link-" + name), withDestinationPath: name)
    for path in [name, "./" + name, "link-" + name] {
      #expect(try folder.precompute("--users", "users", "--out", name).code == 0)
      #expect(
        try folder.precompute(
          "--users", "users", "--out", path, "--format", form(name), "--manifest", "none"
        ).code == 0)
      #expect(!folder.exists(name + ".manifest.json"), "\(path)")
    }
  }

  private func form(_ name: String) -> String {
    name.contains("csv") ? "csv" : name.contains("sqlite") ? "sqlite" : "ndjson"
  }

  // MARK: No room

  @Test(.limitsFiles, arguments: names)
  func fullDisks(name: String) throws {
    let folder = try TestFolder()
    try folder.write("users", Self.users)
    try folder.write("few", TestFolder.users(10))
    #expect(try folder.precompute("--users", "users", "--out", "whole-\(name)").code == 0)
    #expect(try folder.precompute("--users", "few", "--out", name).code == 0)
    let before = folder.bytes(name)
    let full = try folder.shell(
      "ulimit -f 200; env --default-signal=XFSZ $TOLLGATE precompute $CONFIG --users users --out \(name)"
        + " --checkpoint-every 0 --now 2026-03-01T12:00:00Z --seed s")
    #expect(full.code == 74)
    #expect(full.errors.contains("error: cannot write \(name)"), "\(full.errors)")
    // What is said to be kept is where the run goes on.
    let kept = full.errors.firstMatch(of: /The outcomes of ([0-9,]+) users are stored; --resume/)
      .map { String($0.output.1) }
    #expect(
      kept != nil || full.errors.contains("No outcomes were stored; \(name) is unchanged"),
      "\(full.errors)")
    #expect(!full.errors.contains("Done"))
    // What is of no use is not left on a disk that is full.
    let isLeft = [".partial", ".checkpoint", ".checkpoint.new"].contains {
      folder.exists(name + $0)
    }
    #expect(isLeft == (kept != nil), "\(full.errors)")
    #expect(folder.bytes(name) == before)
    let resumed =
      kept == nil
      ? try folder.precompute("--users", "users", "--out", name)
      : try folder.precompute("--users", "users", "--out", name, "--resume")
    #expect(resumed.code == 0, "\(resumed.errors)")
    #expect(resumed.errors.contains("; \(kept ?? "") users before") == (kept != nil))
    #expect(folder.bytes(name) == folder.bytes("whole-\(name)"))
  }

  /// What is good in a file that is damaged further on is kept.
  @Test func damagedInput() throws {
    let folder = try TestFolder()
    try folder.write("users", Self.users)
    try folder.write("whole", Self.users)
    #expect(try folder.shell("gzip -n users; cp users.gz good.gz; gzip -n whole").code == 0)
    let good = try #require(folder.bytes("good.gz"))
    try folder.write("users.gz", good.prefix(good.count - 1_000))
    let damaged = try folder.precompute(
      "--users", "users.gz", "--out", "out", "--threads", "1", "--checkpoint-every", "1000")
    #expect(damaged.code == 2)
    #expect(damaged.errors.contains("users.gz is damaged"))
    #expect(!damaged.errors.contains("--resume continues"))
    #expect(
      damaged.errors.contains("in out.partial, which is incomplete. Correct the input"))
    #expect(!folder.exists("out"))
    let kept = folder.text("out.partial")?.split(separator: "\n").count ?? 0
    #expect(kept > 6_000)
    #expect(folder.text("out.checkpoint")?.contains(",\"users\":\(kept / 6),") == true)
  }
}

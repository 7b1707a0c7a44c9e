import Foundation
import Testing

@testable import tollgate

/// No output is an input or another output, whatever the paths are called.
@Suite struct FileUsesTests {
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(5))
    try folder.write("config", try Data(contentsOf: URL(filePath: TestFolder.config)))
    try folder.write("old", "of yesterday")
    try FileManager.default.createDirectory(
      atPath: folder.path("sub"), withIntermediateDirectories: true)
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "users")
    try manager.createSymbolicLink(atPath: folder.path("dangling"), withDestinationPath: "new")
    try manager.createSymbolicLink(atPath: folder.path("folder"), withDestinationPath: ".")
    try manager.linkItem(atPath: folder.path("users"), toPath: folder.path("hard"))
    try folder.write("texts", "{\"paywalls\":{}}")
    return folder
  }

  /// Options, and the names of the two that are one file.
  private static let collisions: [([String], String, String)] = [
    (["--out", "users"], "--users", "--out"), (["--out", "./users"], "--users", "--out"),
    (["--out", "link"], "--users", "--out"), (["--out", "hard"], "--users", "--out"),
    (["--out", "folder/users"], "--users", "--out"), (["--out", "config"], "the config", "--out"),
    (["--out", "sub/../config"], "the config", "--out"),
    (["--out", "new", "--rejects", "new"], "--out", "--rejects"),
    (["--out", "new", "--rejects", "./new"], "--out", "--rejects"),
    (["--out", "new", "--rejects", "folder/new"], "--out", "--rejects"),
    (["--out", "new", "--rejects", "dangling"], "--out", "--rejects"),
    (["--out", "dangling", "--rejects", "new"], "--out", "--rejects"),
    (["--out", "none", "--rejects", "users"], "--users", "--rejects"),
    (["--out", "new", "--manifest", "config"], "the config", "--manifest"),
    (["--out", "new", "--manifest", "hard"], "--users", "--manifest"),
    (["--out", "new", "--manifest", "new"], "--out", "--manifest"),
    (["--out", "new", "--checkpoint", "link"], "--users", "--checkpoint"),
    (["--out", "new", "--checkpoint", "new"], "--out", "--checkpoint"),
    (["--out", "new", "--checkpoint", "c", "--manifest", "c"], "--checkpoint", "--manifest"),
    (["--out", "new", "--rejects", "new.checkpoint"], "--rejects", "the checkpoint of --out"),
    (["--out", "new", "--rejects", "new.checkpoint.new"], "--rejects", "the checkpoint of --out"),
    (["--out", "new", "--rejects", "new.manifest.json"], "--rejects", "the manifest of --out"),
    (
      ["--out", "new", "--rejects", "new.partial"], "--rejects", "the unfinished file of --out"
    ),
    (["--out", "new", "--rejects", "new.running"], "--rejects", "a lock"),
    (["--out", "x.db", "--rejects", "x.db.new"], "--rejects", "the new database from --out"),
    (["--out", "new", "--render", "texts", "--rejects", "texts"], "--render", "--rejects"),
    (["--out", "-", "--rejects", "-"], "--out", "--rejects"),
    (["--out", "-", "--rejects", "/dev/stdout"], "--out", "--rejects"),
    (["--out", "x.db", "--rejects", "x.db-wal"], "--rejects", "a file of SQLite beside --out"),
    (
      ["--out", "x.db", "--rejects", "x.db.checkpoint-shm"], "--rejects",
      "a file of SQLite beside --checkpoint"
    ),
  ]

  @Test(arguments: collisions)
  func areRefused(arguments: [String], first: String, second: String) throws {
    let folder = try folder()
    let before = folder.names.map { ($0, folder.bytes($0)) }
    let result = try BuiltTool.run(
      try BuiltTool.tool(), ["precompute", "config", "--users", "users"] + arguments,
      in: folder.path)
    #expect(result.code == 2, "\(result.errors)")
    #expect(
      result.errors.contains("\(first) and \(second) are the same file"), "\(result.errors)")
    #expect(result.output == "")
    #expect(folder.names == before.map(\.0))
    for (name, bytes) in before { #expect(folder.bytes(name) == bytes) }
  }

  /// What is printed, too, goes into files that others read or write.
  @Test(arguments: [
    ("--out new > new", "standard output"), ("--out new 2> new", "standard error"),
    ("--out none >> users", "standard output"),
    ("--rejects new --out none > new", "standard output"),
  ])
  func standardStreams(script: String, name: String) throws {
    let folder = try folder()
    let users = folder.bytes("users")
    let result = try folder.shell("$TOLLGATE precompute config --users users \(script)")
    #expect(result.code == 2)
    let told = result.errors + (folder.text("new") ?? "")
    #expect(told.contains("\(name) and "), "\(told)")
    #expect(folder.bytes("users") == users)
  }

  /// What is one device, or one log, is not a collision.
  @Test(arguments: [
    "--out /dev/null --rejects /dev/null", "--out - > log 2>&1", "--out none > log 2>&1",
    "--out new --rejects New > log",
    "--out - --rejects new > log 2>&1", "--out new --rejects /dev/null > /dev/null 2>&1",
  ])
  func areTaken(script: String) throws {
    let folder = try folder()
    let result = try folder.shell("$TOLLGATE precompute config --users users \(script)")
    #expect(result.code == 0, "\(result.errors)\(folder.text("log") ?? "")")
  }

  @Test func otherFilesAreNotTakenForCheckpointsAndManifests() throws {
    let folder = try folder()
    for option in ["--manifest", "--checkpoint"] {
      let result = try folder.precompute("--users", "users", "--out", "new", option, "old")
      #expect(result.code == 2)
      #expect(result.errors.contains("\(option) old: a different file already exists"))
      #expect(folder.text("old") == "of yesterday")
      #expect(!folder.exists("new"))
      let stream = try folder.precompute("--users", "users", "--out", "new", option, "/dev/null")
      #expect(stream.code == 2)
      #expect(try folder.precompute("--users", "users", "--out", "new", option, "-").code == 2)
    }
    #expect(try folder.precompute("--users", "users", "--out", "new").code == 0)
    // What a run has left is.
    #expect(try folder.precompute("--users", "users", "--out", "new").code == 0)
    #expect(
      try folder.precompute("--users", "users", "--out", "new", "--manifest", "./new.manifest.json")
        .code == 0)
  }

  // MARK: Places

  /// On a file system that tells capitals apart, so does this; nothing stays of asking it.
  @Test func namesAreTheSameAsTheFileSystemHasThem() throws {
    let folder = try TestFolder()
    let (a, b) = (FilePlace(folder.path("name")), FilePlace(folder.path("NAME")))
    try folder.write("x", "")
    let ignoresCase = folder.exists("X")
    #expect(a.isSameName(as: b) == ignoresCase)
    #expect(!a.isSameName(as: FilePlace(folder.path("other"))))
    #expect(folder.names == ["x"])
    #expect(FilePlace(folder.path("a/b")).hasFolder == false)
    #expect(FilePlace("/dev/stdout").descriptor == 1)
    #expect(FilePlace("/dev/fd/63").descriptor == 63)
    #expect(FilePlace(folder.path("fd/63")).descriptor == nil)
  }
}

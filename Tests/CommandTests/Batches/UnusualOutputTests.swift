import Foundation
import Testing

/// Outputs that are not files, or cannot be.
@Suite struct UnusualOutputTests {
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(20))
    return folder
  }

  /// What the demo's config gives the users, as lines.
  private func expected(_ folder: TestFolder) throws -> String {
    try folder.precompute("--users", "users").output
  }

  private static let run =
    "$TOLLGATE precompute $CONFIG --users users --now 2026-03-01T12:00:00Z --seed s --out"

  @Test(arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
  func standardOutput(path: String) throws {
    let folder = try folder()
    let expected = try expected(folder)
    if path == "link" {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("link"), withDestinationPath: "/dev/stdout")
    }
    let before = folder.names
    let result = try folder.shell("\(Self.run) \(path)")
    #expect(result.code == 0)
    #expect(result.output == expected)
    // The summary is beside the outcomes, not among them.
    #expect(result.errors.contains("users decided"))
    #expect(folder.names == before)
    // What the file holds already stays.
    #expect(try folder.shell("echo first > log; \(Self.run) \(path) >> log").code == 0)
    #expect(folder.text("log") == "first\n" + expected)
  }

  @Test func devicesAndPipes() throws {
    let folder = try folder()
    let expected = try expected(folder)
    for script in [
      "\(Self.run) /dev/null > /dev/null",
      "mkfifo pipe; cat pipe > got & \(Self.run) pipe > /dev/null; wait; rm pipe",
      "{ \(Self.run) /dev/fd/3 > /dev/null; } 3> got",
      "\(Self.run) none --rejects /dev/null > /dev/null",
    ] {
      let before = folder.names
      let result = try folder.shell(script)
      #expect(result.code == 0, "\(script): \(result.errors)")
      #expect(folder.names.filter { $0 != "got" } == before)
      guard folder.exists("got") else { continue }
      #expect(folder.text("got") == expected)
      try FileManager.default.removeItem(atPath: folder.path("got"))
    }
    // As wanted, a manifest tells of them; there is nothing to resume.
    #expect(try folder.shell("\(Self.run) /dev/null --manifest m > /dev/null").code == 0)
    #expect(folder.names == ["m", "users"])
    let resumed = try folder.shell("\(Self.run) /dev/null --resume")
    #expect(resumed.code == 2)
    #expect(try folder.shell("\(Self.run) /dev/null --format sqlite").code == 2)
    #expect(FileManager.default.fileExists(atPath: "/dev/null"))
  }

  /// A pipe that is opened to look and closed again would be over for its writer.
  @Test func usersFromANamedPipe() throws {
    let folder = try folder()
    let expected = try expected(folder)
    let result = try folder.shell(
      "mkfifo pipe; cat users > pipe & timeout 60 $TOLLGATE precompute $CONFIG --users pipe "
        + "--now 2026-03-01T12:00:00Z --seed s; echo $? >&2; rm pipe")
    #expect(result.output == expected)
    #expect(result.errors.hasSuffix("\n0\n"))
  }

  @Test(arguments: [
    (".", "cannot write .: it is a folder", 74), ("", "--out is empty", 2),
    ("sub", "cannot write sub: it is a folder", 74),
    ("sub/", "it is a folder", 74), ("no/x.json", "there is no folder no", 74),
    ("no/deep/x", "there is no folder no/deep", 74), ("new/", "there is no folder new", 74),
    ("users/x", "there is no folder users", 74), ("dangling", "there is no folder nowhere", 74),
    // Another test of this process may open any lower number while a program starts, which gets it.
    ("/dev/fd/1999999999", "no file is open there", 74),
  ])
  func cannotBeWritten(path: String, message: String, code: Int) throws {
    let folder = try folder()
    try FileManager.default.createDirectory(
      atPath: folder.path("sub"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("dangling"), withDestinationPath: "nowhere/x")
    let before = folder.names
    for arguments in [
      ["--out", path], ["--out", "good", "--manifest", path],
      ["--out", "good", "--checkpoint", path], ["--out", "good", "--rejects", path],
    ] {
      let result = try BuiltTool.run(
        try BuiltTool.tool(), ["precompute", TestFolder.config, "--users", "users"] + arguments,
        in: folder.path)
      #expect(Int(result.code) == code, "\(arguments): \(result.errors)")
      if arguments.count == 2 { #expect(result.errors.contains(message), "\(result.errors)") }
      #expect(folder.names == before)
    }
  }

  /// Whatever is wrong with what goes in, nothing is made.
  @Test func whatFailsEarlyLeavesNothing() throws {
    let folder = try folder()
    try folder.write("bad.csv", "a,b\n1,2\n")
    try folder.write("bad.gz", Data([0x1F, 0x8B, 8, 0, 0]))
    try folder.write("bad.json", "{")
    try folder.write("texts", "{\"paywalls\":{\"onboarding-annual\":{\"t\":\"{% if %}\"}}}")
    let before = folder.names
    for arguments in [
      [TestFolder.config, "--users", "bad.csv"], [TestFolder.config, "--users", "bad.gz"],
      [TestFolder.config, "--users", "users", "bad.csv"], [TestFolder.config, "--users", "none-*"],
      ["bad.json", "--users", "users"], ["missing.json", "--users", "users"],
      [TestFolder.config, "--users", "users", "--now", "x"],
      [TestFolder.config, "--users", "users", "--time-zone", "Mars"],
      [TestFolder.config, "--users", "users", "--render", "missing"],
      [TestFolder.config, "--users", "users", "--render", "texts"],
      [TestFolder.config, "--users", "users", "--placement", "nowhere"],
    ] {
      let result = try BuiltTool.run(
        try BuiltTool.tool(),
        ["precompute"] + arguments + ["--out", "out.ndjson", "--rejects", "r"], in: folder.path)
      #expect(result.code == 1 || result.code == 2, "\(arguments): \(result.errors)")
      #expect(folder.names == before, "\(arguments)")
    }
  }

  @Test func permissionsStay() throws {
    let folder = try folder()
    for name in ["out.ndjson", "out.sqlite"] {
      #expect(try folder.precompute("--users", "users", "--out", name).code == 0)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: folder.path(name))
      #expect(try folder.precompute("--users", "users", "--out", name).code == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  /// A database takes the place of what a link leads to, and not of the link.
  @Test func linksStay() throws {
    let folder = try folder()
    for name in ["out.sqlite", "out.csv.gz"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(name), withDestinationPath: "real-" + name)
      #expect(try folder.precompute("--users", "users", "--out", name).code == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect(attributes[.type] as? FileAttributeType == .typeSymbolicLink)
      #expect((folder.bytes("real-" + name)?.count ?? 0) > 100)
      #expect(try folder.tollgate("replay", name + ".manifest.json").code == 0)
    }
  }
}

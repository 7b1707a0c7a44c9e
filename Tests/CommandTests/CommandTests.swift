import ArgumentParser
import Foundation
import Testing

@testable import tollgate

private let corpus = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appending(path: "corpus").path

/// A folder that goes away with the test.
private final class Folder {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: "tollgate-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String, _ text: String? = nil) throws -> String {
    let file = path + "/" + name
    if let text { try text.write(toFile: file, atomically: true, encoding: .utf8) }
    return file
  }

  func read(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }
}

/// The exit code of a command, 0 when it returns. It prints nothing.
private func run(_ arguments: String...) async throws -> Int32 {
  try await FileText.$isSilent.withValue(true) { try await exitCode(arguments) }
}

private func exitCode(_ arguments: [String]) async throws -> Int32 {
  do {
    var command = try TollgateCommand.parseAsRoot(arguments)
    if var asynchronous = command as? any AsyncParsableCommand {
      try await asynchronous.run()
    } else {
      try command.run()
    }
    return 0
  } catch {
    return TollgateCommand.ending(of: error, in: nil).code
  }
}

@Suite("Commands")
struct CommandTests {
  private let config = corpus + "/demo/config.json"
  private let users = corpus + "/demo/users.ndjson"

  @Test func outputDoesNotDependOnThreads() async throws {
    let folder = try Folder()
    for threads in ["1", "2", "5"] {
      let code = try await run(
        "precompute", config, "--users", users, "--out", try folder.file("out\(threads)"),
        "--rejects", try folder.file("rejects\(threads)"), "--now", "2026-03-01T12:00:00Z",
        "--threads", threads)
      #expect(code == 0)
    }
    let one = try folder.read("out1")
    #expect(one.split(separator: "\n").count == 3_997 * 6)
    #expect(try folder.read("out2") == one)
    #expect(try folder.read("out5") == one)
    let rejects = try folder.read("rejects1").split(separator: "\n")
    #expect(rejects.count == 3)
    #expect(rejects[0].hasPrefix(#"{"line":1207,"reason":"at byte "#))
    #expect(rejects[0].contains(": the JSON ends too early"))
    #expect(try folder.read("rejects5") == folder.read("rejects1"))
  }

  @Test func strictGoesOnToTheEnd() async throws {
    let folder = try Folder()
    let lines = try folder.file("users", "{\"userId\":\"a\"}\n{}\n{\"userId\":\"b\"}\n")
    let code = try await run(
      "precompute", config, "--users", lines, "--out", try folder.file("out"), "--strict",
      "--placement", "settings_upgrade")
    #expect(code == 3)
    #expect(try folder.read("out").contains("\"a\""))
    #expect(try folder.read("out").contains("\"b\""))
  }

  @Test func whatIsReadIsNotWritten() async throws {
    let folder = try Folder()
    let text = "{\"userId\":\"a\"}\n"
    let lines = try folder.file("users", text)
    #expect(try await run("precompute", config, "--users", lines, "--out", lines) == 2)
    #expect(
      try await run("precompute", config, "--users", lines, "--out", "none", "--rejects", lines)
        == 2)
    #expect(try folder.read("users") == text)
  }

  /// A line past the limit is refused, however it falls into chunks, and its neighbours are not.
  @Test func longLinesAreRefusedAlone() async throws {
    let folder = try Folder()
    let long = "{\"userId\":\"\(String(repeating: "x", count: 3 << 20))\"}"
    let lines = try folder.file("users", "{\"userId\":\"a\"}\n\(long)\n{\"userId\":\"b\"}")
    let code = try await run(
      "precompute", config, "--users", lines, "--out", try folder.file("out"), "--placement",
      "settings_upgrade", "--rejects", try folder.file("rejects"))
    #expect(code == 0)
    let out = try folder.read("out").split(separator: "\n")
    #expect(out.map { $0.prefix(13) } == ["{\"userId\":\"a\"", "{\"userId\":\"b\""])
    #expect(try folder.read("rejects").hasPrefix(#"{"line":2,"#))
  }

  @Test func checkFailsOnErrors() async throws {
    let folder = try Folder()
    #expect(try await run("check", config, "--strict") == 0)
    let bad = try folder.file(
      "bad.json",
      #"{"build_id":"b","trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g","expression_cel":"user.a =","variants":[]}]}]}"#
    )
    #expect(try await run("check", bad) == 1)
    let warned = try folder.file("warned.json", #"{"build_id":"b","trigger_options":[]}"#)
    #expect(try await run("check", warned) == 0)
    #expect(try await run("check", warned, "--strict") == 1)
    #expect(try await run("check", folder.path + "/nothing.json") == 2)
  }

  @Test func formattingChangesExpressionsAndNothingElse() async throws {
    let folder = try Folder()
    let text =
      #"{"build_id":"b", "trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g","variants":[],  "expression_cel":"user.a=='x'"}]}]}"#
    let file = try folder.file("config.json", text)
    #expect(try await run("fmt", file, "--check") == 1)
    #expect(try await run("fmt", file, "--write") == 0)
    #expect(
      try folder.read("config.json") == text.replacing("user.a=='x'", with: #"user.a == \"x\""#))
    #expect(try await run("fmt", file, "--check") == 0)
  }
}

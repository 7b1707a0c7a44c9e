import ArgumentParser
import Foundation
import Testing

@testable import tollgate

/// The command that formats: what it prints, what it leaves alone and says, and the files it changes.
@Suite struct FormatCommandTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "tollgate-format-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: path(name), atomically: false, encoding: .utf8)
    return path(name)
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func clean() { try? FileManager.default.removeItem(at: folder) }

  /// A config with one rule a line.
  private static func config(_ expressions: [String]) -> String {
    let rules = expressions.enumerated().map { number, expression in
      #"{"experiment_id":"e\#(number)","experiment_group_id":"g","variants":[], "expression_cel" : "#
        + #""\#(expression)" }"#
    }
    return
      "{\"build_id\":\"b\", \"other\" : [ 1.0 ],\n\"trigger_options\":[{\"event_name\":\"p\",\"rules\":[\n"
      + rules.joined(separator: ",\n") + "\n]}]}\n"
  }

  /// How a command ends, run here.
  private func ending(_ arguments: String...) -> Int32 {
    do {
      var command = try TollgateCommand.parseAsRoot(arguments)
      try FileText.$isSilent.withValue(true) { try command.run() }
      return 0
    } catch let error as CommandError {
      return error.exitCode
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      return TollgateCommand.exitCode(for: error).rawValue
    }
  }

  /// Every command reads rules in the same language unless it is told otherwise.
  @Test(arguments: [
    ("(user.seed<50)==true", [], "(user.seed < 50) == true\n"),
    ("(user.seed<50)==true", ["--platform", "android"], "(user.seed < 50) == true\n"),
    ("user.a==1==true", ["--dialect", "cel"], "user.a == 1 == true\n"),
    ("user.count-1==0x1F", ["--dialect", "cel"], "user.count - 1 == 31\n"),
    ("user.balance > - 1", [], "user.balance > -(1)\n"),
  ])
  func expressions(source: String, options: [String], expected: String) throws {
    defer { clean() }
    let result = try BuiltTool.run(["fmt", "-e", source] + options)
    #expect(result.output == expected)
    #expect(result.errors == "")
    #expect(result.code == 0)
  }

  /// What does not compile comes out as it went in, with the place.
  @Test(arguments: ["user.count-1", "0x1F", "'''a'''", "user.a ==", " "])
  func expressionsWithErrors(source: String) throws {
    defer { clean() }
    let result = try BuiltTool.run("fmt", "--expression=\(source)")
    #expect(result.code == 1)
    #expect(result.output == source + "\n")
    #expect(result.errors.hasPrefix("error[syntax-error]: "))
    #expect(result.errors.contains("\n  --> expression:1:"))
    #expect(result.errors.contains("^"))
    #expect(ending("fmt", "--expression=\(source)", "--check") == 1)
  }

  @Test func comments() throws {
    defer { clean() }
    let source = "user.a==1 // why"
    let result = try BuiltTool.run("fmt", "-e", source)
    #expect(result.code == 0)
    #expect(result.output == source + "\n")
    #expect(result.errors.hasPrefix("note[not-formatted]: formatting would lose a comment"))
    #expect(result.errors.contains("^^^^^^"))
    #expect(ending("fmt", "-e", source, "--check") == 0)
  }

  /// One rule does not compile and one has a comment: they stay, with their places, and the others
  /// are formatted.
  @Test func configs() throws {
    defer { clean() }
    let text = Self.config(["user.a==1", "user.count-1>3", "user.b==2 // two", "user.c=='\\u00e9'"])
    let file = try write("config.json", text)
    let result = try BuiltTool.run("fmt", file)
    #expect(result.code == 1)
    let expected = Self.config([
      "user.a == 1", "user.count-1>3", "user.b==2 // two", #"user.c == \"é\""#,
    ])
    #expect(result.output == expected)
    #expect(result.errors.contains("config.json:4"))
    #expect(result.errors.contains("trigger_options[0].rules[1].expression_cel"))
    #expect(result.errors.contains("config.json:5"))
    #expect(try read("config.json") == text)
    #expect(ending("fmt", file, "--write") == 1)
    #expect(try read("config.json") == expected)
    #expect(ending("fmt", file, "--check") == 1)
    #expect(ending("fmt", file, "--check", "--dialect", "cel") == 1)
    #expect(try names() == ["config.json"])
  }

  @Test func checking() throws {
    defer { clean() }
    let file = try write("config.json", Self.config(["user.a == 1", "user.b == 2 // two"]))
    #expect(ending("fmt", file, "--check") == 0)
    let other = try write("other.json", Self.config(["user.a == 1", "user.b==2"]))
    #expect(ending("fmt", other, "--check") == 1)
    #expect(try BuiltTool.run("fmt", other, "--check").output == "")
    #expect(try read("other.json") == Self.config(["user.a == 1", "user.b==2"]))
  }

  /// A config whose JSON is broken is told with the place, as `check` tells it.
  @Test func brokenConfigs() throws {
    defer { clean() }
    let file = try write("bad.json", "{\"build_id\":\"b\",\n \"trigger_options\":[,]}\n")
    let result = try BuiltTool.run("fmt", file)
    let checked = try BuiltTool.run("check", file)
    let place = try #require(checked.lines.first { $0.contains("-->") })
    #expect(place.hasSuffix("bad.json:2:21"))
    #expect(result.errors.contains(place))
    #expect(result.output == "")
    for broken in [file, try write("list.json", "[]"), path("nothing.json"), folder.path] {
      let text = try? String(contentsOfFile: broken, encoding: .utf8)
      #expect(![0, 1].contains(ending("fmt", broken, "--write")) || text == nil)
      #expect((try? String(contentsOfFile: broken, encoding: .utf8)) == text)
    }
    #expect(ending("fmt", file) == 2)
  }

  /// Nothing is read where nothing could be written: a pipe would be waited for.
  @Test(arguments: ["/dev/null", "/dev/stdin", "-"])
  func onlyFilesAreChanged(config: String) throws {
    #expect(try BuiltTool.run("fmt", config, "--write").code == 2)
  }

  @Test func configsOfAgentWallieHaveNoExpressions() throws {
    defer { clean() }
    let text = "{\"campaigns\" : [ ]}\n"
    let file = try write("config.json", text)
    let result = try BuiltTool.run("fmt", file)
    #expect(result.code == 0)
    #expect(result.output == text)
    #expect(result.errors.contains("config.json is a config of AgentWallie"))
    #expect(ending("fmt", file, "--check") == 0)
    let piped = try BuiltTool.run("fmt", "-", input: text)
    #expect(piped.errors.hasPrefix("standard input is a config of AgentWallie"))
  }

  @Test func wrongUse() throws {
    defer { clean() }
    let both = try BuiltTool.run("fmt", "-e", "user.a", "config.json")
    #expect(both.errors.contains("give either a config file or --expression, not both"))
    for arguments in [
      ["-e", "user.a", "config.json"], [], ["-", "--write"], ["-e", "user.a", "--write"],
      ["config.json", "--write", "--check"], ["-e", "user.a", "--dialect", "liquid"],
    ] {
      let result = try BuiltTool.run(["fmt"] + arguments)
      #expect(result.code > 1, "\(arguments)")
      #expect(result.output == "")
    }
  }

  // MARK: Writing

  private func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
    return try #require(attributes[.posixPermissions] as? Int)
  }

  private func inode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
    return try #require(attributes[.systemFileNumber] as? Int)
  }

  /// A new file takes the old one's place: with its permissions, behind a link to it, and leaving
  /// nothing beside it. A file in which nothing changes is not touched.
  @Test func writing() throws {
    defer { clean() }
    let file = try write("config.json", Self.config(["user.a==1"]))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
    try FileManager.default.createDirectory(
      atPath: path("links"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: path("links/second"), withDestinationPath: "../first")
    try FileManager.default.createSymbolicLink(
      atPath: path("first"), withDestinationPath: "config.json")
    let before = try inode("config.json")
    #expect(ending("fmt", path("links/second"), "--write") == 0)
    #expect(try read("config.json") == Self.config(["user.a == 1"]))
    #expect(try mode("config.json") == 0o640)
    #expect(try inode("config.json") != before)
    #expect(try names() == ["config.json", "first", "links"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: path("links")) == ["second"])
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: path("first"))
    #expect(link == "config.json")
    let after = try inode("config.json")
    #expect(ending("fmt", file, "--write") == 0)
    #expect(try inode("config.json") == after)
  }

  /// What a full disk does, done by a limit on the length of files: the old file stays whole.
  @Test(.limitsFiles) func writingThatFails() throws {
    defer { clean() }
    let rules = (0..<400).map { "user.a==\($0)" }
    let file = try write("config.json", Self.config(rules))
    let tool = try #require(BuiltTool.path)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" fmt \"$1\" --write", tool, file,
    ]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus != 0)
    #expect(told.contains("cannot write") && told.contains("config.json"))
    #expect(try read("config.json") == Self.config(rules))
    #expect(try names() == ["config.json"])
  }
}

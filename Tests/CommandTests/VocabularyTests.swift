import ArgumentParser
import Expressions
import Foundation
import Testing

@testable import tollgate

/// An option means the same in every command, and what help says of commands is true.
@Suite struct VocabularyTests {
  /// What a command takes, as the parser describes it.
  struct Argument {
    var command: String
    var names: [String]
    var content: Value

    /// What has to be the same wherever the name is.
    var meaning: [String: Value] {
      var meaning: [String: Value] = [:]
      for key in ["kind", "abstract", "valueName", "allValues", "completionKind"] {
        meaning[key] = content[key]
      }
      return meaning
    }
  }

  static func arguments() throws -> [Argument] {
    let described = try Value.parse(json: TollgateCommand._dumpHelp().utf8)
    let commands = try #require(described["command"]?["subcommands"]?.elements)
    return commands.filter { $0["commandName"] != "help" }.flatMap { command in
      (command["arguments"]?.elements ?? []).map { argument in
        Argument(
          command: command["commandName"]?.text ?? "",
          names: (argument["names"]?.elements ?? []).compactMap { $0["name"]?.text },
          content: argument)
      }
    }
  }

  /// Names with two meanings, and why.
  static let exceptions: [String: Set<String>] = [
    // check alone compares platforms, so that "all" is a value there.
    "platform": ["allValues", "completionKind"],
    // Where there is no config yet, no keys tell.
    "config-format": ["abstract"],
    // fmt writes into the file that it reads, cover tests into one of their own.
    "write": ["kind", "abstract", "valueName", "completionKind"],
    // explain has placements and audiences to show all of, match audiences alone.
    "all": ["abstract"],
    // Of decisions, of prices, or of a request.
    "sdk-version": ["abstract"],
    // check learns a schema from them.
    "users": ["abstract", "valueName"],
    // check-template takes several.
    "locale": ["abstract", "kind"],
    // What diff writes is a report; the name of --out tells the form of that file.
    "format": ["abstract", "allValues", "completionKind"],
  ]

  @Test func aNameMeansTheSameInEveryCommand() throws {
    var known: [String: Argument] = [:]
    for argument in try Self.arguments() {
      for name in argument.names {
        guard let first = known[name] else {
          known[name] = argument
          continue
        }
        let (mine, others) = (argument.meaning, first.meaning)
        for key in Set(mine.keys).union(others.keys)
        where !(Self.exceptions[name]?.contains(key) ?? false) {
          #expect(
            mine[key] == others[key],
            "--\(name): \(key) of \(argument.command) and \(first.command) differ")
        }
      }
    }
    #expect(known.count > 40)
  }

  @Test func everyArgumentIsDescribed() throws {
    for argument in try Self.arguments() {
      let place = "\(argument.command) \(argument.names)"
      let abstract = argument.content["abstract"]?.text ?? ""
      #expect(
        abstract.first?.isUppercase == true || abstract.contains(": "), "\(place): \(abstract)")
      #expect(abstract.hasSuffix("."), "\(place): \(abstract)")
      if argument.content["kind"] == "option" {
        #expect(argument.content["valueName"]?.text != nil, "\(place)")
      }
    }
  }

  @Test func oldNamesAreGone() throws {
    let names = Set(try Self.arguments().flatMap(\.names))
    for old in ["form", "users-form", "zone", "placements", "prices", "file"] {
      #expect(!names.contains(old))
    }
  }

  // MARK: Help

  /// Commands of the examples in a help text, each on one line.
  static func examples(of command: any ParsableCommand.Type) -> [String] {
    let text = command.configuration.discussion.replacing(" \\\n    ", with: " ")
    return text.split(separator: "\n").filter { $0.hasPrefix("  tollgate ") }
      .map { String($0.dropFirst(2)) }
  }

  /// A folder with what examples name.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    let demo = URL(filePath: TestFolder.config).deletingLastPathComponent()
    for name in ["config.json", "users.ndjson", "user.json", "products.json", "texts.json"]
      + ["native-paywall.json"]
    {
      try FileManager.default.copyItem(
        at: demo.appending(path: name), to: URL(filePath: folder.path).appending(path: name))
    }
    try FileManager.default.copyItem(
      at: demo.appending(path: "export-trial.liquid"),
      to: URL(filePath: folder.path).appending(path: "headline.liquid"))
    // The config as it is to be.
    let config = try #require(folder.text("config.json"))
    for name in ["new.json", "next.json"] {
      try folder.write(name, config.replacing(#""percentage": 45"#, with: #""percentage": 30"#))
    }
    try folder.write(
      "traffic.ndjson",
      #"{"at":"2026-03-01T12:00:00Z","userId":"u-00001","placement":"export_report"}"#)
    try folder.write(
      "decisions.csv",
      "ts,user_id,platform,sdk_version,placement,result\n"
        + "2026-03-01T12:00:00Z,u-00001,iOS,4.16.2,no_such_placement,event_not_found\n")
    try folder.write(
      "rules.invariants.jsonl",
      #"""
      {"name":"owners export freely","placement":"export_report","when":"size(entitlements) > 0",\#
      "holds":"outcome.result != \"paywall\"","over":"decision"}
      """#)
    try folder.write(
      "scenarios.jsonl",
      #"""
      {"id":"declines","config":"std","steps":[{"do":"call","method":"configure","args":{"apiKey":"pk"}},\#
      {"do":"call","method":"registerPlacement","args":{"placement":"export_report"}},\#
      {"do":"presenter","action":"close"}]}
      """#)
    return folder
  }

  @Test func examplesInHelpWork() throws {
    let folder = try folder()
    let link = URL(filePath: folder.path).appending(path: "bin/tollgate")
    try FileManager.default.createDirectory(
      at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: URL(filePath: try BuiltTool.tool()))
    // In the place of the servers that fetch asks.
    try folder.write(
      "bin/curl",
      """
      #!/bin/sh
      case "$(cat)" in
        *agentwallie*) echo '{"campaigns":[],"paywalls":{},"products":[]}' ;;
        *pk_example*) cat config.json ;;
      esac
      echo 'status 200' >&2
      """)
    #expect(try folder.shell("chmod +x bin/curl").code == 0)
    // What some write and others read comes first.
    let first: [any ParsableCommand.Type] = [SchemaCommand.self, PrecomputeCommand.self]
    let others = TollgateCommand.configuration.subcommands.filter { command in
      !first.contains { $0 == command }
    }
    for command in first + others {
      let examples = Self.examples(of: command)
      #expect((2...4).contains(examples.count), "\(command._commandName)")
      for example in examples {
        let result = try BuiltTool.run(
          "/bin/bash",
          ["-c", "export PATH=\"$PWD/bin:$PATH\" TOLLGATE_KEY=pk_example; \(example)"],
          in: folder.path)
        #expect(result.code == 0, "\(example): \(result.code) \(result.errors) \(result.output)")
      }
    }
  }

  @Test func everyCommandTellsItsExitCodes() {
    for command in TollgateCommand.configuration.subcommands {
      let text = command.configuration.discussion
      #expect(text.contains("\nEXIT CODES:\n  0 "), "\(command._commandName)")
      for line in text.split(separator: "\n") where line.hasPrefix("  ") {
        #expect(line.count < 80, "\(line)")
      }
    }
  }

  // MARK: Completions

  /// What bash offers behind these words.
  private func completions(_ words: [String], in folder: TestFolder) throws -> [String] {
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let script = """
      export PATH="\(URL(filePath: try BuiltTool.tool()).deletingLastPathComponent().path):$PATH"
      source <(tollgate --generate-completion-script bash)
      COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)
      COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
      _tollgate tollgate "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try BuiltTool.run("/bin/bash", ["-c", script], in: folder.path)
    return result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The command that people guess prints what the parser's own option does.
  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsOfShells(shell: String) throws {
    let printed = try BuiltTool.run("completions", shell)
    #expect(printed.code == 0)
    #expect(printed.output.contains("tollgate"))
    #expect(
      try BuiltTool.run("--generate-completion-script", shell).output.split(separator: "\n")
        == printed.output.split(separator: "\n"))
    #expect(try BuiltTool.run("completion", shell).errors.contains("did you mean 'completions'?"))
  }

  /// The parser's own scripts know nothing of what `help` takes.
  @Test func shellsCompleteCommandsBehindHelp() throws {
    let names = TollgateCommand.configuration.subcommands.map { $0._commandName }
      .joined(separator: " ")
    let zsh = try BuiltTool.run("completions", "zsh").output
    #expect(zsh.contains("'*:command:(\(names))'"))
    let fish = try BuiltTool.run("completions", "fish").output
    #expect(fish.contains(#""tollgate help" -ge 1' -fa '\#(names)'"#))
  }

  @Test func shellsCompleteWhatTheConfigHas() throws {
    let folder = try folder()
    func offered(_ words: String...) throws -> [String] {
      try completions(["tollgate"] + words, in: folder)
    }
    #expect(try offered("expl").contains("explain"))
    #expect(try offered("decide", "conf") == ["config.json"])
    #expect(
      Set(try offered("explain", "config.json", "--placement", ""))
        .isSuperset(of: ["export_report", "onboarding_done"]))
    #expect(try offered("explain", "config.json", "--placement", "export_r") == ["export_report"])
    #expect(
      Set(
        try offered(
          "explain", "config.json", "--placement", "export_report", "--audience", "export-")
      )
      .isSuperset(of: ["export-long", "export-free", "export-settled"]))
    #expect(try offered("precompute", "config.json", "--users", "us").contains("users.ndjson"))
    #expect(try offered("render", "x", "--profile", "ios-sk") == ["ios-sk2", "ios-sk1"])
    #expect(try offered("help", "expl") == ["explain"])
    #expect(try offered("help", "").contains("check"))
    #expect(
      try offered("check", "--explain", "duplicate-") == ["duplicate-id", "duplicate-trigger"])
    #expect(try offered("functions", "charA") == ["charAt"])
    // A config that cannot be read offers nothing, and says nothing.
    #expect(try offered("explain", "users.ndjson", "--placement", "") == [])
  }
}

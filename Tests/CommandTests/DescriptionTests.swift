import Foundation
import SDK
import Testing

@testable import tollgate

/// What the command says about itself, of which completions and manual pages are made.
@Suite struct DescriptionTests {
  private struct Dump: Decodable {
    struct Command: Decodable {
      var commandName: String
      var discussion: String?
      var arguments: [Argument]?
      var subcommands: [Command]?

      var all: [Command] { [self] + (subcommands ?? []).flatMap(\.all) }
    }

    struct Argument: Decodable {
      struct Name: Decodable { var name: String }

      /// Of an enum with values, its case is the one key.
      struct Completion: Decodable {
        var kind: String?

        init(from decoder: any Decoder) throws {
          struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
          }
          kind = try decoder.container(keyedBy: Key.self).allKeys.first?.stringValue
        }
      }

      var kind: String
      var valueName: String?
      var preferredName: Name?
      var completionKind: Completion?
    }

    var command: Command
  }

  private func described() throws -> Dump.Command {
    let text = try BuiltTool.run("--experimental-dump-help").output
    return try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command
  }

  @Test func shellsCompleteFilesWhereFilesAreTaken() throws {
    let files: Set = ["file", "config", "users", "template", "manifest", "scenarios"]
    var count = 0
    for command in try described().all {
      for argument in command.arguments ?? [] where argument.kind != "flag" {
        guard let value = argument.valueName, files.contains(value) else { continue }
        count += 1
        #expect(
          argument.completionKind?.kind == "file",
          "\(command.commandName): \(argument.preferredName?.name ?? value)")
      }
    }
    #expect(count > 25)
  }

  /// Manual pages take them from there.
  @Test func exitCodesAreDescribed() throws {
    let paragraphs = try #require(described().discussion).components(separatedBy: "\n\n")
    let codes = try #require(paragraphs.first { $0.hasPrefix("Exit codes: 0 done; ") })
    for code in [1, 2, 3, 70, 74, 130, 143, 141] {
      #expect(codes.contains(" \(code) "))
    }
  }

  @Test func thereIsOneVersion() throws {
    #expect(try BuiltTool.run("--version").output == "tollgate \(SDKVersion.current)\n")
    let script = URL(filePath: TestFolder.demo).appending(path: "../../Tools/version.sh").path
    #expect(try BuiltTool.run(script, []).output == SDKVersion.current + "\n")
    #expect(try BuiltTool.run(script, ["check"]).code == 0)
  }

  /// A version that the changelog does not begin with, in a package of two files.
  @Test func aChangelogOfAnotherVersionIsAnError() throws {
    let folder = try TestFolder()
    let script = URL(filePath: TestFolder.demo).appending(path: "../../Tools/version.sh").path
    let made = try folder.shell(
      """
      mkdir -p Tools Sources/RuleEngine/Config && cp '\(script)' Tools &&
      echo 'package static let current = "1.2.3"' > Sources/RuleEngine/Config/SDKVersion.swift
      """)
    #expect(made.code == 0)
    for (heading, check, released) in [
      ("1.2.3 (unreleased)", 0, 1), ("1.2.3 (2026-12-31)", 0, 0), ("1.2.4 (unreleased)", 1, 1),
      ("Unreleased", 1, 1),
    ] as [(String, Int32, Int32)] {
      try folder.write("CHANGELOG.md", "# Changelog\n\n## \(heading)\n\n## 1.2.3 (2020-01-01)\n")
      #expect(try folder.shell("Tools/version.sh check").code == check, "\(heading)")
      #expect(try folder.shell("Tools/version.sh released").code == released, "\(heading)")
    }
    try folder.write("CHANGELOG.md", "## 1.2.3 (unreleased)\n")
    for (version, check) in [("1.2.3", 0), ("1.2.4", 1)] as [(String, Int32)] {
      let python = "mkdir -p Python/tollgate && echo '__version__ = \"\(version)\"'"
      let result = try folder.shell(
        "\(python) > Python/tollgate/_version.py; Tools/version.sh check")
      #expect(result.code == check, "\(version)")
    }
  }
}

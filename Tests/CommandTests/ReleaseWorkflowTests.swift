import Foundation
import Testing

@testable import tollgate

/// `.github/workflows/release.yml`, as far as it can be held to anything without GitHub.
@Suite struct ReleaseWorkflowTests {
  private let text: String

  init() throws {
    text = try String(
      contentsOfFile: "\(TestFolder.root)/.github/workflows/release.yml", encoding: .utf8)
  }

  @Test func scripts() throws {
    let steps = WorkflowSteps(text).steps
    #expect(steps.count == 8)
    let make = try String(contentsOfFile: "\(TestFolder.root)/Makefile", encoding: .utf8)
    var targets = 0
    for step in steps {
      // Names of tags are nobody's code: scripts get them as variables.
      #expect(!step.script.contains("${{"), "\(step.name)")
      let parsed = try BuiltTool.run("/bin/bash", ["-n", "-c", step.script])
      #expect(parsed.code == 0 && !step.script.isEmpty, "\(step.name): \(parsed.errors)")
      for tool in step.script.matches(of: /Tools\/[A-Za-z\/-]+\.sh/) {
        #expect(
          FileManager.default.isExecutableFile(atPath: "\(TestFolder.root)/\(tool.output)"),
          "\(tool.output)")
      }
      for line in step.script.split(separator: "\n") where line.hasPrefix("make ") {
        for target in line.split(separator: " ").dropFirst() {
          #expect(make.contains("\n\(target):"), "\(target)")
          targets += 1
        }
      }
    }
    #expect(targets == 2)
  }

  /// What an action of others does must not change under a release, and no job may do more than it has to.
  @Test func rights() throws {
    let actions = text.split(separator: "\n").filter { $0.contains("uses: ") }
    #expect(actions.count > 5)
    for action in actions {
      #expect(action.contains(try Regex("@[0-9a-f]{40} # v[0-9.]+$")), "\(action)")
    }
    #expect(text.contains("\npermissions:\n  contents: read\n"))
    let writing = text.split(separator: "\n").filter { $0.hasSuffix(": write") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(
      writing == [
        "id-token: write", "attestations: write", "contents: write", "id-token: write",
      ])
  }

  /// The text of a release is its part of the changelog.
  @Test func notes() throws {
    let result = try BuiltTool.run("\(TestFolder.root)/Tools/version.sh", ["notes"])
    #expect(result.code == 0, "\(result.errors)")
    let changes = try String(contentsOfFile: "\(TestFolder.root)/CHANGELOG.md", encoding: .utf8)
    let section = try #require(changes.components(separatedBy: "\n## ").dropFirst().first)
    #expect(section.hasPrefix("\(TollgateCommand.version) ("))
    let body = section.components(separatedBy: "\n").dropFirst().joined(separator: "\n")
    #expect(result.output == body.trimmingCharacters(in: .newlines) + "\n")
  }
}

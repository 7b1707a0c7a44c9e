import Foundation
import SDK
import Testing

@testable import tollgate

/// The workflows in `.github/workflows`, as far as they can be checked without GitHub.
@Suite struct WorkflowTests {
  private static func text(_ name: String) throws -> String {
    try String(
      contentsOfFile: "\(TestFolder.root)/.github/workflows/\(name).yml", encoding: .utf8)
  }

  @Test(arguments: [("release", 8), ("ci", 6), ("site", 3)])
  func scripts(name: String, count: Int) throws {
    let steps = WorkflowSteps(try Self.text(name)).steps
    #expect(steps.count == count)
    let make = try String(contentsOfFile: "\(TestFolder.root)/Makefile", encoding: .utf8)
    var tools = 0
    for step in steps {
      // Names of tags and branches must not become code: scripts get them as variables.
      #expect(!step.script.contains("${{"), "\(step.name)")
      let parsed = try BuiltTool.run("/bin/bash", ["-n", "-c", step.script])
      #expect(parsed.code == 0 && !step.script.isEmpty, "\(step.name): \(parsed.errors)")
      for tool in step.script.matches(of: /Tools\/[A-Za-z\/-]+\.sh/) {
        #expect(
          FileManager.default.isExecutableFile(atPath: "\(TestFolder.root)/\(tool.output)"),
          "\(tool.output)")
        tools += 1
      }
      for line in step.script.split(separator: "\n") where line.hasPrefix("make ") {
        for target in line.split(separator: " ").dropFirst() {
          #expect(make.contains("\n\(target):"), "\(target)")
        }
      }
    }
    #expect(tools > 0)
  }

  /// Every part that changes can name has a job that knows what to run.
  @Test func parts() throws {
    let all = try BuiltTool.run("\(TestFolder.root)/Tools/changed-parts.sh", [])
    #expect(all.output == #"["docs","engine","sdk","command","server","python"]"# + "\n")
    let usage = try BuiltTool.run("\(TestFolder.root)/Tools/test-part.sh", ["nothing"])
    #expect(usage.code == 2)
    let parts = all.output.matches(of: /[a-z]+/).map { String($0.output) }
    #expect(usage.errors.hasSuffix(parts.joined(separator: "|") + "\n"))
  }

  /// What an action of others does must not change under a release, and no job may do more than it has to.
  @Test(arguments: [("release", 6), ("ci", 3), ("site", 3)])
  func pins(name: String, least: Int) throws {
    let text = try Self.text(name)
    let actions = text.split(separator: "\n").filter { $0.contains("uses: ") }
    #expect(actions.count >= least)
    for action in actions {
      #expect(action.contains(try Regex("@[0-9a-f]{40} # v[0-9.]+$")), "\(action)")
    }
    #expect(text.contains("\npermissions:\n  contents: read\n"))
    let jobs = text.matches(of: /runs-on:/).count
    #expect(text.matches(of: /timeout-minutes: [0-9]+/).count == jobs)
  }

  @Test func rights() throws {
    let text = try Self.text("release")
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
    #expect(section.hasPrefix("\(SDKVersion.current) ("))
    let body = section.components(separatedBy: "\n").dropFirst().joined(separator: "\n")
    #expect(result.output == body.trimmingCharacters(in: .newlines) + "\n")
  }
}

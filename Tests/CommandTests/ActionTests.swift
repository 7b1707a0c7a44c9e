import Foundation
import RuleEngine
import SDK
import Testing

@testable import tollgate

/// `action.yml`, step by step as a runner runs it, with a repository and a stand-in for `gh`.
@Suite struct ActionTests {
  private let folder: TestFolder
  /// What the runner has beside the repository.
  private let runner: TestFolder
  private let text: String
  private let steps: WorkflowSteps

  init() throws {
    folder = try TestFolder()
    runner = try TestFolder()
    text = try String(contentsOfFile: "\(TestFolder.root)/action.yml", encoding: .utf8)
    steps = WorkflowSteps(text)
  }

  /// The inputs with their defaults, read from the file.
  private func inputs() throws -> [String: String] {
    let part = try #require(
      text.components(separatedBy: "\ninputs:\n").last?.components(separatedBy: "\nruns:").first)
    var inputs: [String: String] = [:]
    var name = ""
    for line in part.split(separator: "\n") {
      if line.prefix(while: { $0 == " " }).count == 2 {
        name = String(line.dropFirst(2).dropLast())
      }
      if line.hasPrefix("    default: ") {
        inputs[name] = line.dropFirst(13).trimmingCharacters(in: ["\""])
      }
    }
    return inputs
  }

  /// Runs a step.
  ///
  /// - Parameters:
  ///   - given: inputs that are not their defaults.
  ///   - others: what other expressions give, such as `github.base_ref`.
  private func run(
    _ name: String, _ given: [String: String] = [:], _ others: [String: String] = [:]
  ) throws -> BuiltTool.Result {
    let step = try steps[name]
    var values = others
    for (key, value) in try inputs().merging(given, uniquingKeysWith: { $1 }) {
      values["inputs.\(key)"] = value
    }
    func evaluated(_ text: String) throws -> String {
      guard text.hasPrefix("${{ "), text.hasSuffix(" }}") else { return text }
      let expression = String(text.dropFirst(4).dropLast(3))
      return try #require(values[expression], "nothing gives \(expression)")
    }
    let tool = URL(filePath: try BuiltTool.tool()).deletingLastPathComponent().path
    var settings = [
      "RUNNER_TEMP='\(runner.path)'", "GITHUB_PATH='\(runner.path("path"))'",
      "GITHUB_STEP_SUMMARY='\(runner.path("summary"))'", "GITHUB_REPOSITORY=tester/paywalls",
      "PATH='\(runner.path)/bin':'\(tool)':\"$PATH\"",
    ]
    for (key, value) in step.environment { settings.append("\(key)='\(try evaluated(value))'") }
    let place = try evaluated(step.keys["working-directory"] ?? ".")
    return try BuiltTool.run(
      "/bin/bash",
      [
        "--noprofile", "--norc", "-e", "-o", "pipefail", "-c",
        "export \(settings.joined(separator: " "))\ncd '\(place)'\n\(step.script)",
      ], in: folder.path)
  }

  // MARK: The file

  /// Steps of the workflow that `tollgate init` writes are the same, so that what is tried there holds
  /// here.
  @Test func scriptsOfTheWorkflow() throws {
    let workflow = WorkflowSteps(Starter(format: .superwall).workflow)
    for name in [
      "Install tollgate", "Report users with different outcomes",
      "Post the report on the pull request",
    ] {
      let (mine, theirs) = (try steps[name], try workflow[name])
      #expect(mine.script == theirs.script, "\(name)")
      #expect(!mine.script.isEmpty)
    }
  }

  @Test func inputsAreUsed() throws {
    let declared = Set(try inputs().keys)
    #expect(declared.count == 9)
    let used = text.matches(of: /inputs\.([a-z0-9-]+)/).map { String($0.1) }
    #expect(Set(used) == declared)
    let guide = try String(contentsOfFile: "\(TestFolder.root)/docs/action.md", encoding: .utf8)
    for name in declared { #expect(guide.contains("| `\(name)` |"), "\(name)") }
  }

  @Test func stepsAreSound() throws {
    #expect(steps.steps.count == 5)
    for step in steps.steps {
      #expect(step.keys["shell"] == "bash", "\(step.name)")
      // Names of branches and files are nobody's code: scripts get them as variables.
      #expect(!step.script.contains("${{"), "\(step.name)")
    }
    for name in [
      "Report users with different outcomes", "Post the report on the pull request",
      "Run the tests",
    ] {
      let condition = try #require(try steps[name].keys["if"])
      #expect(condition.contains("!cancelled() && steps.install.outcome == 'success'"))
    }
  }

  /// The version of the action is the version of the package.
  @Test func packageOfThisVersion() throws {
    #expect(try inputs()["package"] == "tollgate-cli==\(SDKVersion.current)")
  }

  // MARK: A config in a folder of the repository

  /// Commits two configs as the branch that others pull from, as the runner has it.
  private func start() throws {
    try #require(try folder.tollgate("init", "walls").code == 0)
    let made = try folder.shell(
      """
      mv walls/config.json 'walls/a wall.json' && git init --quiet --bare '\(runner.path("origin"))' \
      && git init --quiet . && git remote add origin '\(runner.path("origin"))' && git add . \
      && git -c user.name=t -c user.email=t@example.com commit --quiet -m Begin \
      && git push --quiet origin HEAD:refs/heads/main
      """)
    try #require(made.code == 0, "\(made.errors)")
  }

  private let walls = ["working-directory": "walls", "config": "a wall.json"]

  private func compare(_ given: [String: String] = [:]) throws -> BuiltTool.Result {
    try run(
      "Report users with different outcomes", walls.merging(given) { $1 },
      ["github.base_ref": "main"])
  }

  @Test func checkAndTests() throws {
    try start()
    #expect(try run("Check the config", walls).code == 0)
    #expect(try run("Check the config", walls.merging(["check-options": ""]) { $1 }).code == 0)
    let options = walls.merging(["check-options": "--strict --platfrom ios"]) { $1 }
    let mistake = try run("Check the config", options)
    #expect(mistake.code == 2 && mistake.errors.contains("--platfrom"))
    #expect(try run("Run the tests", walls).output == "16 passed, 0 failed\n")
    try folder.write(
      "walls/own.jsonl",
      #"{"placement":"export_tapped","userId":"u","expect":{"result":"noAudienceMatch"}}"# + "\n")
    let both = walls.merging(["tests": "*.tests.json*\nown.jsonl\n"]) { $1 }
    #expect(try run("Run the tests", both).output == "17 passed, 0 failed\n")
  }

  @Test func allUsersThereCouldBe() throws {
    try start()
    let config = try #require(folder.text("walls/a wall.json"))
    try folder.write("walls/a wall.json", config.replacing("> 20", with: "> 50"))
    let result = try compare()
    #expect(result.code == 0, "\(result.errors)")
    let report = try #require(runner.text("report.md"))
    #expect(
      report.hasPrefix(
        """
        <!-- tollgate walls/a_wall.json -->
        `walls/a wall.json`, compared with the config of main:

        ### 1 of 2 placements differs, 1 gives every user the same outcome

        """), "\(report)")
    #expect(!report.contains("<details>"))
    #expect(runner.text("summary") == report)
  }

  @Test func usersAndTimes() throws {
    try start()
    let users = ["users": "users.ndjson", "as-of": "--now 2026-03-01T12:00:00Z --seed spring"]
    #expect(try compare(users).code == 0)
    let report = try #require(runner.text("report.md"))
    #expect(report.contains("\n### None of 8 users gets a different outcome\n"))
    #expect(report.contains("\n</details>\n"))
    let mistaken = try compare(users.merging(["as-of": "--now yesterday"]) { $1 })
    #expect(mistaken.code == 1)
    #expect(mistaken.errors.contains("yesterday"))
  }

  @Test func theCommentOfItsConfig() throws {
    try runner.write("report.md", "<!-- tollgate walls/a_wall.json -->\nNobody\n")
    try StandInForGitHub.write(in: runner, ids: "7\\n")
    let posted = try run(
      "Post the report on the pull request", [:],
      ["github.token": "t", "github.event.pull_request.number": "3"])
    #expect(posted.code == 0 && posted.output == "", "\(posted.output)\(posted.errors)")
    let asked = try #require(runner.text("asked"))
    #expect(asked.contains(#"startswith("<!-- tollgate walls/a_wall.json -->")"#))
    #expect(asked.contains("--method PATCH repos/tester/paywalls/issues/comments/7 "))
  }
}

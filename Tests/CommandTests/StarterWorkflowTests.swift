import Foundation
import RuleEngine
import Testing

/// The workflow for GitHub Actions that `tollgate init` writes, step by step, with a repository and
/// a stand-in for `gh`.
@Suite struct StarterWorkflowTests {
  private let folder: TestFolder
  /// What the runner has beside the repository.
  private let runner: TestFolder

  init() throws {
    folder = try TestFolder()
    runner = try TestFolder()
  }

  private func start(_ format: String) throws {
    try #require(try folder.tollgate("init", "--config-format", format).code == 0)
  }

  private func workflow() throws -> String {
    try #require(folder.text(".github/workflows/paywalls.yml"))
  }

  /// What the steps have in their environment from the top of the workflow.
  private func settings() throws -> String {
    try workflow().split(separator: "\n").compactMap { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      for name in ["TOLLGATE_PACKAGE", "CONFIG", "USERS", "AS_OF"] where line.hasPrefix("\(name): ")
      {
        return "\(name)='\(line.dropFirst(name.count + 2))'"
      }
      return nil
    }.joined(separator: " ")
  }

  /// A step as the runner runs it.
  ///
  /// - Parameter settings: what the step's environment has beside that, for a shell.
  private func step(_ name: String, _ settings: String = "") throws -> BuiltTool.Result {
    let script = try WorkflowSteps(workflow())[name].script
    let tool = URL(filePath: try BuiltTool.tool()).deletingLastPathComponent().path
    return try BuiltTool.run(
      "/bin/bash",
      [
        "-e", "-c",
        """
        export RUNNER_TEMP='\(runner.path)' GITHUB_PATH='\(runner.path("path"))' \
        GITHUB_STEP_SUMMARY='\(runner.path("summary"))' GITHUB_REPOSITORY=tester/paywalls \
        PATH='\(runner.path)/bin':'\(tool)':"$PATH" \(try self.settings()) \(settings)
        \(script)
        """,
      ], in: folder.path)
  }

  // MARK: On every push

  /// With a stand-in for Python whose environments have another program as pip.
  @Test func installing() throws {
    try start("superwall")
    func install(pip: String) throws -> BuiltTool.Result {
      try runner.writeProgram(
        "bin/python3",
        """
        #!/bin/sh
        [ "$1 $2" = '-m venv' ] && mkdir -p "$3/bin"
        printf '#!/bin/sh\\n\(pip) "$@"\\n' > "$3/bin/pip"
        chmod +x "$3/bin/pip"
        """)
      return try step("Install tollgate")
    }
    #expect(try install(pip: "false").code == 1)
    #expect(!runner.exists("path"))
    let installed = try install(pip: "echo")
    let package = "tollgate-cli==\(SDKVersion.current)"
    #expect(installed.output == "install --quiet --disable-pip-version-check \(package)\n")
    #expect(runner.text("path") == "\(runner.path)/tollgate/bin\n")
  }

  @Test(arguments: ["superwall", "agentwallie"])
  func checkAndTests(format: String) throws {
    try start(format)
    #expect(try step("Check the config").code == 0)
    #expect(try step("Run the tests").output == "16 passed, 0 failed\n")
    // Another outcome fails the run, and is explained.
    let config = try #require(folder.text("config.json"))
    try folder.write("config.json", changed(config))
    #expect(try step("Check the config").code == 0)
    let differing = try step("Run the tests")
    #expect(differing.code == 1)
    #expect(
      differing.output.hasPrefix("FAILED ben at export_tapped  (expected.csv:"),
      "\(differing.output)")
    // Tests of one's own are run beside those that were there.
    try folder.write("config.json", config)
    try folder.write(
      "own.tests.jsonl",
      #"{"placement":"export_tapped","userId":"u","expect":{"result":"noAudienceMatch"}}"# + "\n")
    #expect(try step("Run the tests").output == "17 passed, 0 failed\n")
    try folder.write("config.json", config.replacing("\"paywall_", with: "\"paywal_"))
    #expect(try step("Check the config").code == 1)
  }

  /// The config with another condition.
  private func changed(_ config: String) -> String {
    config.replacing("20\"", with: "50\"").replacing("> 20", with: "> 50").replacing(
      "\"value\": 20", with: "\"value\": 50")
  }

  // MARK: On pull requests

  /// Commits what is there as the branch that others pull from, and goes on with a copy that has
  /// nothing of it, as a runner does.
  private func commit() throws {
    let made = try folder.shell(
      """
      git init --quiet --bare '\(runner.path("origin"))' && git init --quiet . \
      && git remote add origin '\(runner.path("origin"))' && git add . \
      && git -c user.name=t -c user.email=t@example.com commit --quiet -m Begin \
      && git push --quiet origin HEAD:refs/heads/release/1
      """)
    try #require(made.code == 0, "\(made.errors)")
  }

  private func compare() throws -> BuiltTool.Result {
    try step("Report users with different outcomes", "BASE=release/1")
  }

  @Test(arguments: ["superwall", "agentwallie"])
  func whoGetsSomethingElse(format: String) throws {
    try start(format)
    try commit()
    let same = try compare()
    #expect(same.code == 0, "\(same.errors)")
    let config = try #require(folder.text("config.json"))
    #expect(runner.text("old.json") == config)
    #expect(
      try #require(runner.text("report.md")).hasPrefix(
        """
        <!-- tollgate config.json -->
        `config.json`, compared with the config of release/1:

        ### None of 8 users gets a different outcome

        """))
    #expect(runner.text("summary") == runner.text("report.md"))
    try folder.write("config.json", changed(config))
    #expect(try compare().code == 0)
    let report = try #require(runner.text("report.md"))
    #expect(report.contains("\n### 1 of 8 users gets a different outcome (12.5 %)\n"), "\(report)")
    #expect(report.contains("| `ben` |"))
    #expect(
      report.contains(
        "</summary>\n\n### 1 of 2 placements differs, 1 gives every user the same outcome\n"))
  }

  /// A pull request that repairs a config, or brings the first one, is told about, too.
  @Test func oldConfigsThatAreBrokenOrMissing() throws {
    try start("superwall")
    let config = try #require(folder.text("config.json"))
    try folder.write("config.json", config.replacing("params.pages > 20", with: "params.pages >"))
    try commit()
    try folder.write("config.json", config)
    #expect(try compare().code == 0)
    #expect(
      try #require(runner.text("report.md")).contains("\n### 1 of 8 users gets a different outcome")
    )
    #expect(
      try folder.shell(
        "git rm --quiet --cached config.json && git -c user.name=t -c user.email=t@example.com "
          + "commit --quiet -m Remove && git push --quiet origin HEAD:refs/heads/release/1"
      ).code == 0)
    #expect(try compare().code == 0)
    #expect(
      runner.text("report.md")
        == "<!-- tollgate config.json -->\nThere is no config.json in release/1 to compare with.\n")
  }

  private func post() throws -> BuiltTool.Result {
    try step("Post the report on the pull request", "NUMBER=7 GH_TOKEN=t")
  }

  @Test func oneComment() throws {
    try start("superwall")
    let report = "<!-- tollgate config.json -->\n### None of 8 users gets a different outcome\n"
    try runner.write("report.md", report)
    // The first one, then it again, also where there are two.
    for (ids, request) in [
      ("", "--method POST repos/tester/paywalls/issues/7/comments"),
      ("12\\n34\\n", "--method PATCH repos/tester/paywalls/issues/comments/12"),
    ] {
      try StandInForGitHub.write(in: runner, ids: ids)
      let posted = try post()
      #expect(posted.code == 0 && posted.output == "", "\(posted.errors)")
      #expect(runner.text("posted") == report)
      let asked = try #require(runner.text("asked"))
      #expect(asked.hasPrefix("api --paginate repos/tester/paywalls/issues/7/comments --jq "))
      #expect(asked.contains(#"startswith("<!-- tollgate config.json -->")"#), "\(asked)")
      #expect(asked.contains("\napi --silent \(request) --field body=@"), "\(asked)")
    }
    // Without the right to write, the run goes on.
    try StandInForGitHub.write(in: runner, ids: "", code: 1)
    let refused = try post()
    #expect(refused.code == 0)
    #expect(refused.output.hasPrefix("::warning::The comparison could not be posted; "))
  }

  /// Where the rest is left out, nothing stays open around what follows.
  @Test(arguments: [1_500, 10])
  func longDetails(before: Int) throws {
    try start("superwall")
    try StandInForGitHub.write(in: runner, ids: "")
    func lines(_ count: Int) -> [String] {
      Array(repeating: "| `user` | something else than before, and more of it |", count: count)
    }
    let details = ["<details><summary>All</summary>", ""]
    let mark = ["<!-- tollgate config.json -->"]
    let report = mark + lines(before) + details + lines(2_000) + ["", "</details>"]
    try runner.write("report.md", report.joined(separator: "\n") + "\n")
    let result = try post()
    #expect(result.code == 0)
    let said = result.output + result.errors
    let posted = try #require(runner.text("posted"), "\(said)")
    #expect(posted.utf8.count < 61_000)
    let isCutBefore = before > 1_000
    #expect(posted.components(separatedBy: "<details>").count == (isCutBefore ? 1 : 2))
    #expect(posted.components(separatedBy: "</details>").count == (isCutBefore ? 1 : 2))
  }

  /// Who gets a different outcome is told where the check fails, too; nothing runs without the command.
  @Test func conditionsOfSteps() throws {
    try start("superwall")
    let text = try workflow()
    let conditions = text.split(separator: "\n").filter { $0.contains(" if: ") }
    #expect(conditions.count == 4)
    for condition in conditions {
      #expect(condition.contains("!cancelled() && steps.install.outcome == 'success'"))
    }
    #expect(text.contains("        id: install\n"))
    #expect(text.contains("\nconcurrency:\n"))
    let actions = text.split(separator: "\n").filter { $0.contains("uses: ") }
    for action in actions {
      #expect(action.contains(try Regex("@[0-9a-f]{40} # v[0-9.]+$")), "\(action)")
    }
  }

  /// What cannot be compared is told in the report, and fails the step.
  @Test func comparisonsThatFail() throws {
    try start("superwall")
    try commit()
    try folder.write("config.json", "{")
    #expect(try compare().code == 1)
    let report = try #require(runner.text("report.md"))
    #expect(report.contains("\nThe configs could not be compared; the log of this run says why.\n"))
    #expect(report.contains("\n</details>\n"))
  }

  /// GitHub takes no longer ones; whole lines are left out.
  @Test func longComments() throws {
    try start("superwall")
    try StandInForGitHub.write(in: runner, ids: "")
    let lines = (0..<2_000).map { "| `user-\($0)` | größer als vorher, und noch mehr |" }
    let report = ["<!-- tollgate config.json -->"] + lines
    try runner.write("report.md", report.joined(separator: "\n") + "\n")
    let result = try post()
    #expect(result.code == 0)
    let said = result.output + result.errors
    let posted = try #require(runner.text("posted"), "\(said)")
    #expect((55_000..<61_000).contains(posted.utf8.count))
    let kept = posted.components(separatedBy: "\n").dropFirst()
    #expect(
      kept.suffix(3) == ["", "The rest is in the summary of the workflow run.", ""])
    #expect(lines.starts(with: kept.dropLast(3)))
  }

  /// Names of branches are nobody's code: scripts get them as variables.
  @Test func scriptsHaveNoExpressions() throws {
    try start("superwall")
    let steps = WorkflowSteps(try workflow()).steps
    #expect(steps.count == 6)
    for step in steps { #expect(!step.script.contains("${{"), "\(step.name)") }
  }
}

internal import ArgumentParser
internal import RuleEngine

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a starter project: config, users, tests and a workflow.",
    discussion: HelpText(
      """
      Writes a small config, eight users with different outcomes, a test with these outcomes, a workflow \
      for GitHub Actions that checks them and comments on pull requests, and TOLLGATE.md, which explains \
      every part. Without --force, existing files are never replaced: the command names them and writes \
      nothing.
      """,
      examples: [
        .init("a new folder with everything", "tollgate init paywalls"),
        .init("the same for AgentWallie", "tollgate init campaigns --config-format agentwallie"),
        .init("replace an earlier project", "tollgate init paywalls --force"),
      ],
      codes: [
        ("0", "done"),
        ("2", "usage error, or existing files"),
        (
          "74",
          "files could not be written, and all new files were removed"
        ),
      ]
    ).text)

  @Argument(
    help: ArgumentHelp(
      "The folder to write into. A missing folder is created.", valueName: "dir"),
    completion: .directory)
  var folder = "."

  @Option(help: OptionHelp.newConfigFormat)
  var configFormat = ConfigFormOptions.FormatName.superwall

  @Flag(help: OptionHelp.force())
  var force = false

  @OptionGroup var appearance: ColorOptions

  func run() async throws {
    let starter = Starter(format: configFormat.format)
    let files = try starter.files
    var folder = StarterFolder(folder, files)
    try folder.check(replaces: force)
    try await Signals.heeding { try folder.write() }
    let names = files.map { "  " + folder.prefix + $0.path }
    let commands = starter.commands(in: folder.prefix).map { "  " + $0 }
    FileText.print(
      """
      Wrote:
      \(names.joined(separator: "\n"))

      Next:
      \(commands.joined(separator: "\n"))
      """)
    if folder.isInsideRepository {
      FileText.printError(
        "note: GitHub runs workflows from the root of a repository only: move \(folder.prefix).github there, "
          + "and give its job 'defaults: {run: {working-directory: FOLDER}}'")
    }
  }
}

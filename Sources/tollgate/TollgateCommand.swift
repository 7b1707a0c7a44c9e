internal import ArgumentParser

/// The command line.
@main
struct TollgateCommand: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "tollgate",
    abstract: "Decide which paywall a user sees, and say why.",
    discussion: """
      Tollgate reads a paywall config and answers for one user or for millions what each placement \
      gives them: a paywall, a holdout, or nothing. It changes nothing and talks to nobody.
      """,
    version: "tollgate \(version)",
    subcommands: [
      CheckCommand.self, DecideCommand.self, ExplainCommand.self, PrecomputeCommand.self,
      ReplayCommand.self,
      TestCommand.self, FormatCommand.self, ProductsCommand.self, RenderCommand.self,
      CheckTemplateCommand.self, SimulateCommand.self,
    ])

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch let error as CommandError {
      FileText.printError("Error: \(error.description)")
      exit(withError: ExitCode(error.exitCode))
    } catch {
      exit(withError: error)
    }
  }
}

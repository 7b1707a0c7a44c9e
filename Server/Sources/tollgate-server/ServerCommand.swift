internal import ArgumentParser

@main
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tollgate-server",
    abstract: "Decide paywalls over HTTP, and act as a backend for apps.",
    subcommands: [
      ServeCommand.self, MigrateCommand.self, StateCommand.self, SandboxJWSCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)
}

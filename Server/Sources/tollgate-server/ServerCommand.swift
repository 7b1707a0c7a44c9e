internal import ArgumentParser

@main
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tollgate-server",
    abstract: "Decide paywalls over HTTP, and stand in for the backend that apps talk to.",
    subcommands: [ServeCommand.self, SandboxJWSCommand.self],
    defaultSubcommand: ServeCommand.self)
}

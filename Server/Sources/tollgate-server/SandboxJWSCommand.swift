internal import ArgumentParser
internal import Sandbox
internal import Service

struct SandboxJWSCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sandbox-jws",
    abstract: "Print a receipt that the sandbox accepts, signed by its own root.")

  @OptionGroup var source: FixtureOptions

  func run() async throws {
    print(try sandboxReceipt(fixtures: try source.read(), arguments: []))
  }
}

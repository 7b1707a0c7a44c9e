internal import ArgumentParser
internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Where the process begins.
@main
enum EntryPoint {
  static func main() {
    Threads.setStackSize()
    // Before any other thread exists: with too few files to open, those trap.
    StandardStreams.fill()
    Signals.install()
    // As urgent as the work that it starts: another class would be other threads.
    Task(priority: .medium) {
      await TollgateCommand.run(Array(CommandLine.arguments.dropFirst()))
      exit(Ending.done)
    }
    dispatchMain()
  }
}

/// The command line.
struct TollgateCommand: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "tollgate",
    abstract: "Decide which paywall a user sees, and say why.",
    discussion: """
      Tollgate reads a paywall config and answers for one user or for millions what each placement \
      gives them: a paywall, a holdout, or nothing. It changes nothing and talks to nobody.

      Exit codes: 0 done; 1 findings, differences, failed tests, or a rule that does not compile; \
      2 wrong use, or input that cannot be read; 3 done, but lines were refused and --strict asks \
      for all; 70 a fault of tollgate; 74 output could not be written; 130 and 143 stopped by a \
      signal; 141 whoever read the output has closed it.
      """,
    version: "tollgate \(version)",
    subcommands: [
      CheckCommand.self, DecideCommand.self, ExplainCommand.self, PrecomputeCommand.self,
      ReplayCommand.self, FormatCommand.self, ProductsCommand.self, RenderCommand.self,
      CheckTemplateCommand.self, SchemaCommand.self, SimulateCommand.self,
    ])

  /// Runs a command to its end. Unless all went well, that is the end of the process too.
  static func run(_ arguments: [String]) async {
    Signals.addStack()
    var command: (any ParsableCommand)?
    do {
      command = try parsed(arguments)
      if let problem = ArgumentHints.repeatedOption(arguments) { throw problem }
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command?.run()
      }
      StandardStreams.close()
    } catch {
      end(with: error, in: command)
    }
  }

  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    if let problem = ArgumentHints.unknownCommand(arguments) { throw problem }
    do {
      return try parseAsRoot(arguments)
    } catch {
      let other = PrecomputeCommand.withConfigFirst(arguments)
      if let other, let command = try? parseAsRoot(other) { return command }
      throw error
    }
  }

  private static func end(with error: any Error, in command: (any ParsableCommand)?) -> Never {
    let (code, text) = ending(of: error, in: command)
    if code == Ending.done {
      FileText.print(text)
    } else if !text.isEmpty {
      FileText.printError(text)
    }
    StandardStreams.close()
    exit(withError: ExitCode(code))
  }
}

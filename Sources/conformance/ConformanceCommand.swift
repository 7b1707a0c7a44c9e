internal import ArgumentParser
internal import Foundation
internal import Scenarios

/// The entry point of the process.
@main
enum EntryPoint {
  static func main() {
    exit(ConformanceCommand.run(Array(CommandLine.arguments.dropFirst()), .standard))
  }
}

/// The command that runs this project's case files. The command is not shipped.
struct ConformanceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance",
    abstract: "Check Tollgate against case files.",
    discussion: """
      Exit codes: 0 done, 1 a case failed or the counts differ from the recorded ones, 2 usage error or an \
      unusable file or line, 74 output could not be written.
      """,
    subcommands: [RunCommand.self, ServeCommand.self], defaultSubcommand: RunCommand.self)

  /// Parses the arguments and runs a command.
  ///
  /// - Returns: the exit code.
  static func run(_ arguments: [String], _ console: Console) -> Int32 {
    do {
      var command = try parseAsRoot(arguments)
      if let command = command as? any ConsoleCommand {
        try command.run(console)
      } else {
        try command.run()
      }
      return Ending.done
    } catch let error as CaseFileError {
      console.printError("error: \(error.message)")
      return Ending.wrongUse
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      let text = fullMessage(for: error)
      if exitCode(for: error).isSuccess {
        console.print(text)
        return Ending.done
      }
      console.printError(text)
      return Ending.wrongUse
    }
  }
}

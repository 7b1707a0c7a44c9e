internal import ArgumentParser
internal import Expressions
internal import SDK

/// The entry point of the process.
@main
enum EntryPoint {
  static func main() {
    // The arguments are read before any code changes the environment.
    _ = Arguments.all
    Threads.setStackSize()
    // The streams are filled before any other thread exists, because threads trap if they can open too few files.
    StandardStreams.fill()
    Signals.install()
    Threads.requireRoom()
    Arguments.requireUTF8()
    Variable.dropUnusableWidth()
    // The task is as urgent as the work that it starts, because another priority would use other threads.
    Task.detached(priority: .medium) {
      await TollgateCommand.run(Array(Arguments.all.dropFirst()))
      exit(Ending.done)
    }
    // No code here waits for the main queue. dispatchMain() would end this thread, for which the C library loads
    // libgcc_s, which may be missing.
    Threads.takeSignals()
  }
}

/// The command line.
struct TollgateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tollgate",
    abstract: "Decide which paywall a user sees, and explain why.",
    discussion: """
      Tollgate reads a paywall config and decides for one user or for millions what each placement \
      shows: a paywall, a holdout, or nothing. Only fetch talks to a server.

      Exit codes: 0 done; 1 findings, differences, failed tests, or a rule that does not compile; \
      2 usage error, or unreadable input; 3 done, but lines were rejected and --strict was given; \
      70 an internal error; 74 output could not be written; 130 and 143 stopped by a signal; \
      141 the reader of the output has closed it.
      """,
    version: "tollgate \(SDKVersion.current)",
    subcommands: [
      InitCommand.self, FetchCommand.self, CheckCommand.self, DecideCommand.self,
      ExplainCommand.self, TestCommand.self, CoverCommand.self, FuzzCommand.self,
      PrecomputeCommand.self, ReplayCommand.self, MatchCommand.self, SQLCommand.self,
      DiffCommand.self,
      MigrateWeightsCommand.self, SimulateTrafficCommand.self,
      FormatCommand.self, ProductsCommand.self, RenderCommand.self, CheckTemplateCommand.self,
      SchemaCommand.self, UsersCommand.self, SimulateCommand.self, FunctionsCommand.self,
      CompletionsCommand.self,
    ])

  /// Runs a command to its end. If the command fails, the process ends too.
  static func run(_ arguments: [String]) async {
    Signals.addStack()
    var command: (any ParsableCommand)?
    do {
      let parsed = try parsed(arguments)
      command = parsed
      try GivenOptions.check(arguments, of: type(of: parsed))
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
    try checkName(arguments)
    do {
      return try parseAsRoot(arguments)
    } catch {
      let other = PrecomputeCommand.withConfigFirst(arguments)
      if let other, let command = try? parseAsRoot(other) { return command }
      throw error
    }
  }

  /// Rejects unknown commands. The parser has no suggestion for unknown commands, and `help` accepts any word.
  private static func checkName(_ arguments: [String]) throws {
    let known = configuration.subcommands.map { $0._commandName } + ["help"]
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    guard let name = words.first, !name.hasPrefix("-"), !known.contains(name) else { return }
    let close = Suggestion.closest(to: name, among: known)
    throw ValidationError(
      "there is no command '\(name)'" + (close.map { "; did you mean '\($0)'?" } ?? ""))
  }

  private static func end(with error: any Error, in command: (any ParsableCommand)?) -> Never {
    let (code, text) = ending(of: error, in: command)
    if code == Ending.done {
      FileText.print(Completions.withHelp(text))
    } else if !text.isEmpty {
      FileText.printError(text)
    }
    StandardStreams.close()
    exit(withError: ExitCode(code))
  }
}

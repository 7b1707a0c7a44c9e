internal import ArgumentParser

/// The number of threads of a command that reads files of users.
struct ThreadOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: OptionHelp.threads)
  var threads: Int?

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1") }
  }

  var count: Int { threads ?? Clock.processors() }
}

internal import ArgumentParser

/// The command line.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure what Tollgate costs.",
    discussion: """
      Measures the thread's CPU time in batches. The minimum is the cost of an operation. The median \
      shows how noisy the run was. Figures from different machines or times cannot be compared: \
      measure both sides of a comparison in one run.
      """,
    subcommands: [
      ExpressionsCommand.self, SuperscriptCommand.self, TemplatesCommand.self, DecideCommand.self,
      BatchCommand.self, SDKCommand.self,
      ProductsCommand.self,
      AllCommand.self, GenerateCommand.self,
    ])
}

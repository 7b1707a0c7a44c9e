internal import ArgumentParser

/// The command line.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure what Tollgate costs.",
    discussion: """
      CPU time of the thread is measured, in batches; the minimum is what an operation costs, the \
      median beside it tells how much was disturbed. Figures of different machines, or of \
      different hours, cannot be compared: measure both sides of a comparison in one run.
      """,
    subcommands: [
      ExpressionsCommand.self, SuperscriptCommand.self, TemplatesCommand.self, DecideCommand.self,
      BatchCommand.self, SDKCommand.self,
      ProductsCommand.self,
      AllCommand.self, GenerateCommand.self,
    ])
}

internal import ArgumentParser
internal import RuleEngine

struct ProductsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "products",
    abstract: "Compute all attributes of a product, and format prices.",
    discussion: """
      The attributes of a product are computed once for all users. Locales and currency formats are \
      created beforehand, and creating one is measured separately. With --random the arithmetic is \
      compared with an independent computation instead. The exit code is 1 if they differ.
      """)

  @Option(
    help: ArgumentHelp(
      "Compare so many random prices, periods and factors instead of measuring.",
      valueName: "count"))
  var random: Int?

  @Option(help: "Where the random numbers begin.")
  var seed: UInt64 = 1

  @OptionGroup var options: MeasuringOptions

  func run() throws {
    if let random {
      try RandomPrices(seed: seed).run(count: random).finish(options)
    } else {
      try ProductsCommand.report(stopwatch: options.stopwatch).finish(options)
    }
  }

  static func report(stopwatch: Stopwatch) throws -> Report {
    try ProductsRun(stopwatch: stopwatch).report
  }
}

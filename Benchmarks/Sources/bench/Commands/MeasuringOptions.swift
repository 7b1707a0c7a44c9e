internal import ArgumentParser

/// Options that every measuring command has.
struct MeasuringOptions: ParsableArguments {
  @Flag(help: "End with the figures as one line of JSON.")
  var json = false

  @Option(
    name: .customLong("batch-ms"),
    help: ArgumentHelp(
      "How long one batch of operations takes, in milliseconds of CPU.",
      discussion: "Shorter batches give a quick run with less certain figures.",
      valueName: "ms"))
  var batchMilliseconds = 5.0

  func validate() throws {
    guard batchMilliseconds > 0, batchMilliseconds <= 10_000 else {
      throw ValidationError("--batch-ms is more than 0 and at most 10000")
    }
  }

  var stopwatch: Stopwatch {
    Stopwatch(batchNanoseconds: UInt64(batchMilliseconds * 1e6))
  }
}

extension Report {
  /// Prints the report. Wrong results end the command with exit code 1.
  func finish(_ options: MeasuringOptions) throws {
    print(json: options.json)
    if !isSound { throw ExitCode(1) }
  }
}

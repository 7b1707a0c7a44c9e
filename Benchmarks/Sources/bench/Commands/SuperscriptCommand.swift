internal import ArgumentParser

struct SuperscriptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "superscript",
    abstract: "Evaluate rules as Superwall's SDKs do, ten of them in one context.",
    discussion: """
      Every rule is checked against its expected result first; a wrong one makes the exit code 1. \
      The figures of the rules are for a frame that is filled. 'all from JSON' reads the \
      attributes' JSON into the frame once, answers what the rules ask about events, and \
      evaluates all the rules.
      """)

  @Option(
    help: ArgumentHelp(
      "A context and rules, one JSON object a line.",
      discussion: "The default is what the program carries.", valueName: "file"))
  var rules: String?

  @OptionGroup var options: MeasuringOptions

  func run() throws {
    try SuperscriptCommand.report(rules: rules, stopwatch: options.stopwatch).finish(options)
  }

  static func report(rules: String? = nil, stopwatch: Stopwatch) throws -> Report {
    let bytes = try rules.map { try InputFile.read($0) } ?? PackageResources.superscript_jsonl
    let input = try SuperscriptInput(bytes, path: rules ?? "superscript.jsonl")
    return try SuperscriptRun(input, stopwatch: stopwatch).report
  }
}

internal import ArgumentParser

struct ExpressionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expressions",
    abstract: "Compile and evaluate audience rules, one at a time.",
    discussion: """
      Every rule is checked against its expected results first; a wrong one is listed, is not \
      measured, and makes the exit code 1. A rule that does not compile is listed as skipped. \
      Frames are filled beforehand, so evaluation is measured alone. 'A ns' and the like repeat \
      one context; 'random ns' jumps among \(ExpressionsRun.variationCount) contexts that differ \
      in texts and numbers, whose results are not checked. Means are geometric, over all rules but \
      r00, which does nothing and is the floor.
      """)

  @Option(
    help: ArgumentHelp(
      "Rules, one JSON object a line: {\"id\", \"expr\", \"expect\": {\"A\": true, ...}}.",
      discussion: "The default is the rules that the program carries.", valueName: "file"))
  var rules: String?

  @Option(
    help: ArgumentHelp(
      "Contexts, one JSON object: {\"A\": {...}, \"B\": {...}}.",
      discussion: "The default is the contexts that the program carries.", valueName: "file"))
  var contexts: String?

  @OptionGroup var options: MeasuringOptions

  func run() throws {
    try ExpressionsCommand.report(
      rules: rules, contexts: contexts, stopwatch: options.stopwatch
    ).finish(options)
  }

  static func report(
    rules: String? = nil, contexts: String? = nil, stopwatch: Stopwatch
  ) throws -> Report {
    let ruleBytes = try rules.map { try InputFile.read($0) } ?? PackageResources.rules_jsonl
    let contextBytes =
      try contexts.map { try InputFile.read($0) } ?? PackageResources.contexts_json
    let run = try ExpressionsRun(
      try RuleCase.parse(ruleBytes, path: rules ?? "rules.jsonl"),
      contexts: try Contexts(contextBytes, path: contexts ?? "contexts.json"),
      stopwatch: stopwatch)
    return run.report
  }
}

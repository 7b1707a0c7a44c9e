internal import ArgumentParser

struct TemplatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "templates",
    abstract: "Compile and render paywall texts, one at a time and as a page.",
    discussion: """
      Every text is checked against its expected result first; a wrong one is listed, is not \
      measured, and makes the exit code 1. Rendering is measured on a frame that is filled \
      beforehand, into a buffer that is used again.
      """)

  static let defaultStrings = "corpus/cases/paywall-strings.jsonl"

  @Option(
    help: ArgumentHelp(
      "Texts: cases of the suite paywall-strings, one JSON object a line.", valueName: "file"))
  var strings = TemplatesCommand.defaultStrings

  @Option(help: ArgumentHelp("The set of texts that is measured.", valueName: "name"))
  var set = "core60"

  @OptionGroup var options: MeasuringOptions

  func run() throws {
    try TemplatesCommand.report(strings, set: set, stopwatch: options.stopwatch).finish(options)
  }

  static func report(
    _ path: String = defaultStrings, set: String = "core60", stopwatch: Stopwatch
  ) throws -> Report {
    let strings = try PaywallString.parse(try InputFile.read(path), path: path, set: set)
    return try TemplatesRun(strings, stopwatch: stopwatch).report
  }
}

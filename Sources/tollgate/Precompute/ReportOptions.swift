internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// Options of a run that makes a report.
struct ReportOptions: ParsableArguments {
  @Option(help: OptionHelp.report, completion: .file())
  var report: String?

  @Flag(help: OptionHelp.reportIDs)
  var reportIds = false

  func validate() throws {
    if reportIds, report == nil { throw ValidationError("--report-ids is for --report") }
    guard let report else { return }
    guard report != "-", FilePlace(report).hasNeighbours else {
      throw ValidationError("--report \(report): a report is a file; give it a name")
    }
    if let other = ["pdf", "md", "json", "csv", "txt"].first(where: { report.hasSuffix("." + $0) })
    {
      throw ValidationError(
        "--report \(report): a report is an HTML page, and a name in .\(other) promises "
          + "something else; end it in .html")
    }
  }

  /// How users are called.
  var users: ShownUser { ShownUser(showsIDs: reportIds) }

  /// What to say of an earlier start that did not count for a report.
  static func uncounted(_ path: String, isComplete: Bool) -> CommandError {
    CommandError(
      isComplete
        ? "\(path): this run is complete, and has not counted what --report shows; run again "
          + "without --resume"
        : "\(path): this run was begun without --report and has not counted what it shows; "
          + "continue without it, or run again without --resume")
  }
}

internal import ArgumentParser
internal import RuleEngine
internal import RuleInsight

/// Options for reports, in any command that counts users.
struct ReportOptions: ParsableArguments {
  @Option(help: OptionHelp.report, completion: .file())
  var report: String?

  func validate() throws {
    guard let report else { return }
    guard report != "-", FilePlace(report).hasNeighbours else {
      throw ValidationError("--report \(report): a report needs the name of a file")
    }
    if let other = ["pdf", "md", "json", "csv", "txt"].first(where: { report.hasSuffix("." + $0) })
    {
      throw ValidationError(
        "--report \(report): a report is an HTML page, not \(other); use a name that "
          + "ends in .html")
    }
  }

  /// Throws when the report cannot be written.
  func checkWritable() throws {
    if let report { try FilePlace(report).checkWritable("--report") }
  }

  /// Throws when the report cannot be written, or is the same as another file of the command.
  func check(_ uses: inout FileUses) throws {
    try checkWritable()
    add(to: &uses)
    try uses.check()
  }

  /// Adds the report, for ``FileUses/check()``.
  func add(to uses: inout FileUses) { uses.writes("--report", report) }
}

/// The options for the names of users in a report.
struct ReportUserOptions: ParsableArguments {
  @Flag(help: OptionHelp.reportIDs)
  var reportIds = false

  /// Throws when the options are used without a report, or when users' IDs are both requested and redacted.
  func check(_ reporting: ReportOptions, _ redacting: RedactionOptions) throws {
    guard reportIds else { return }
    if reporting.report == nil { throw ValidationError("--report-ids is for --report") }
    if try redacting.redaction().hidesIDs {
      throw ValidationError("--report-ids shows what --redact userId hides; use only one of them")
    }
  }
}

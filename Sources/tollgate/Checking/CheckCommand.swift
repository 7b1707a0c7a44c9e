internal import ArgumentParser
internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine
internal import RuleInsight

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find mistakes in configs.",
    discussion: HelpText(
      """
      Compiles every expression of the configs and prints findings with the place in the file, the marked \
      source, a suggestion, and the effect on shipped SDKs. Findings about unreachable audiences, contradicting \
      clauses and constant clauses are proved for every possible user. 'tollgate check --explain CODE' explains \
      a finding.

      If GITHUB_ACTIONS is true, findings are also printed as annotations.
      """,
      examples: [
        .init("all mistakes in a config", "tollgate check config.json"),
        .init(
          "with a schema of your users, failing on warnings",
          "tollgate check config.json --schema schema.json --strict"),
        .init("what a finding means", "tollgate check --explain unreachable-audience"),
      ],
      codes: [
        ("0", "no errors"),
        ("1", "an error, or with --strict a warning"),
        ("2", "usage error, or an unreadable file"),
      ]
    ).text)

  /// How to treat values that shipped SDKs reject.
  enum Elsewhere: String, ExpressibleByArgument, CaseIterable {
    case off, on, strict
  }

  @Argument(
    help: ArgumentHelp(
      "Config files (JSON), or patterns such as 'configs/*.json'; - reads standard input.",
      valueName: "config"), completion: .file())
  var configs: [String] = []

  @OptionGroup(title: "Config Options") var form: CheckedFormOptions

  @Option(
    help: OptionHelp.schema("The schema overrides the built-in attributes of SDKs."),
    completion: .file()
  )
  var schema: String?

  @Option(
    help: ArgumentHelp(
      "Users to learn the schema from, as 'tollgate schema' does.",
      discussion: "Repeatable. Conditions are checked against the attributes of these users.",
      valueName: "users"), completion: .file())
  var users: [String] = []

  @Option(
    help: OptionHelp.products("The products are checked together with the config."),
    completion: .file())
  var products: String?

  @Option(
    help: ArgumentHelp(
      "The versions of SDKs in the field, such as ios:4.7..,android:2.4..2.7.19.",
      discussion: """
        Reports conditions that depend on the version, with an example user, and features that some versions lack or reject.
        """, valueName: "ranges"), transform: VersionCheck.Range.argument)
  var sdkVersions: [VersionCheck.Range]?

  @Flag(help: OptionHelp.json("One finding on each line."))
  var json = false

  @Flag(help: "Print a SARIF 2.1.0 document, for code scanning.")
  var sarif = false

  @Flag(help: OptionHelp.strict("Exit with code 1 if there are warnings."))
  var strict = false

  @Option(
    defaultAsFlag: .strict, parsing: .next,
    help: ArgumentHelp(
      "How to treat values that shipped SDKs reject: off, on or strict (default: on).",
      discussion: """
        on: a value for which an SDK rejects the whole config is an error (would-reject), and missing \
        keys that SDKs require are a warning (not-an-export). strict: both are errors. off: both are \
        notes. --elsewhere alone means strict.
        """, valueName: "off|on|strict"))
  var elsewhere: Elsewhere?

  @Flag(help: OptionHelp.quiet("Omits notes and counts."))
  var quiet = false

  @Flag(
    help: ArgumentHelp(
      "Correct the files where it is safe, and print the remaining findings.",
      discussion: """
        A correction is safe if the intention is certain, or if it changes no outcome. Files are replaced as \
        a whole.
        """))
  var fix = false

  @Option(
    help: ArgumentHelp(
      "Print the page of a code such as duplicate-id, without checking anything.", valueName: "code"
    ),
    completion: Completions.codes)
  var explain: String?

  @Flag(
    help: ArgumentHelp(
      "Show clauses whose result differs between cel and superscript, or between platforms.",
      discussion: """
        Each clause is evaluated in cel and for ios, android and web, on values around the clause's constants. A \
        difference is shown with an example.
        """))
  var dialectReport = false

  @Option(help: OptionHelp.now("Audiences that cannot match after this time are reported."))
  var now: String?

  @Option(help: OptionHelp.timeZone("For --now."))
  var timeZone = "UTC"

  @Flag(
    help: "Also print statistics of the analysis.")
  var statistics = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if explain != nil {
      guard configs.isEmpty else {
        throw ValidationError(
          "--explain prints a page and checks no configs: remove the config files")
      }
      return
    }
    if form.comparesPlatforms, form.dialect == .cel {
      throw ValidationError("cel is the same on every platform: leave out --platform all")
    }
    // The parser ignores a value that it cannot read, because the option can be used without a value.
    let joined = Arguments.all.first { $0.hasPrefix("--elsewhere=") }?.dropFirst(12)
    if let joined, Elsewhere(rawValue: String(joined)) == nil {
      throw ValidationError("--elsewhere must be off, on or strict, not '\(joined)'")
    }
    if sarif, let file = configs.first(where: { $0.hasSuffix(".sarif") }) {
      throw ValidationError(
        "--sarif prints to standard output; write: --sarif > \(ShellWord.quoted(file))")
    }
    if schema != nil, !users.isEmpty {
      throw ValidationError("use either --schema or --users, not both")
    }
    if let problem = WireTime.zoneProblem(timeZone) { throw ValidationError(problem) }
    guard !configs.isEmpty else { throw ValidationError("give a config file, or - to read one") }
    if json, sarif { throw ValidationError("give either --json or --sarif, not both") }
    if sarif, dialectReport || products != nil {
      throw ValidationError("--sarif cannot be combined with --dialect-report or --products")
    }
    if fix, configs.contains("-") {
      throw ValidationError("--fix needs files that it can change, not standard input")
    }
  }

  func run() throws {
    if let explain { return FileText.print(try CodePages.page(explain)) }
    let time = try Clock.time(now, in: timeZone)
    let schema =
      try schema.map { try SchemaFile.read($0) }
      ?? (users.isEmpty ? ContextSchema() : SchemaFile.learned(from: users))
    let paths = try files()
    var worst = Ending.done
    var totals = CheckTotals()
    var report = SARIFReport()
    for path in paths {
      do {
        let file = try checked(path, schema, time)
        totals.add(file.diagnostics)
        if sarif { report.add(file) } else { try show(file, isOne: paths.count == 1) }
      } catch let error as CommandError
        where paths.count > 1 || sarif || Annotations.areWanted
      {
        report.add(error.description, path)
        totals.addUnreadable()
        tell(error, path)
        worst = max(worst, error.exitCode)
      }
    }
    if sarif { FileText.print(report.json) }
    if paths.count > 1, !quiet, !json, !sarif { FileText.printFindings(totals.summary) }
    totals.count(try checkProducts())
    if totals.fails(strict: strict) { worst = max(worst, Ending.findings) }
    if strict, let reason = totals.strictReason { FileText.printError(reason) }
    if worst != Ending.done { throw ExitCode(worst) }
  }

  /// Reports why a file could not be checked.
  private func tell(_ error: CommandError, _ path: String) {
    FileText.printError("error: \(error.description)")
    if !json, !sarif, Annotations.areWanted {
      FileText.print(Annotations.line(error.description, file: path))
    }
  }

  /// The named files without duplicates, in the order of the arguments.
  private func files() throws -> [String] {
    var known: Set<String> = []
    return try configs.flatMap { pattern in
      let found = FilePattern.paths(pattern)
      guard !found.isEmpty else { throw CommandError("no file matches \(pattern)") }
      return found.filter { known.insert($0).inserted }
    }
  }

  /// A file with all its findings, with the severities that the options require.
  private func checked(_ path: String, _ schema: ContextSchema, _ now: Instant) throws -> ConfigFile
  {
    var file = try form.file(path)
    var progress = ProgressLine(isQuiet: quiet)
    file.check(schema, now: now, isForAll: form.comparesPlatforms, versions: sdkVersions ?? []) {
      done, all in
      if progress.isDue() {
        progress.show("\(grouped(done * 100 / max(all, 1))) % of the platforms")
      }
    }
    progress.interrupt()
    if fix {
      let count = try SafeFixes.apply(to: &file) {
        var file = try form.file(path)
        file.check(schema, now: now, isForAll: form.comparesPlatforms, versions: sdkVersions ?? [])
        return file
      }
      if count > 0 { FileText.printError("\(path): \(counted(count, "finding")) fixed") }
    }
    file.diagnostics = file.sorted(file.diagnostics.map { $0.counted(elsewhere ?? .on) })
      .filter { !quiet || $0.severity != .note }
    return file
  }

  // MARK: Output

  private func show(_ file: ConfigFile, isOne: Bool) throws {
    let found = file.diagnostics
    for diagnostic in found {
      if json {
        FileText.print(file.json(diagnostic).json)
      } else {
        FileText.printFindings(file.render(diagnostic) + "\n")
      }
    }
    if !json {
      if !quiet {
        FileText.printFindings(
          (isOne ? "" : DiagnosticText.visible("\(file.name): ")) + summary(file, found))
      }
      if Annotations.areWanted, file.path != "-" {
        for diagnostic in found { FileText.print(file.annotation(diagnostic)) }
      }
    }
    if let counts = file.statistics {
      if counts.notAsked > 0 { printUnasked(counts) }
      if statistics { printStatistics(counts) }
    }
    if dialectReport, let config = file.config {
      var progress = ProgressLine(isQuiet: quiet)
      let report = DialectReport(config) { done, all in
        if progress.isDue() { progress.show("\(grouped(done)) of \(grouped(all)) expressions") }
      }
      progress.interrupt()
      printReport(report, file)
    }
  }

  private func printUnasked(_ statistics: RuleAnalysis.Statistics) {
    let (unasked, questions) = (statistics.notAsked, statistics.questions)
    guard json else {
      return FileText.printFindings(
        "\(grouped(unasked)) of \(counted(questions, "question")) about audiences and clauses were not asked, "
          + "because the limit of work was reached")
    }
    let members = [("notAsked", unasked), ("questions", questions)]
    let value = Value.map(
      members.map { Value.Entry(key: .string($0.0), value: .int(Int64($0.1))) })
    FileText.print(value.json)
  }

  private func printStatistics(_ statistics: RuleAnalysis.Statistics) {
    let (questions, unknown) = (statistics.questions, statistics.unknown)
    FileText.print(
      json
        ? Value.map([
          Value.Entry(
            key: "statistics",
            value: .map([
              Value.Entry(key: "questions", value: .int(Int64(questions))),
              Value.Entry(key: "witnesses", value: .int(Int64(statistics.witnesses))),
              Value.Entry(key: "proofs", value: .int(Int64(statistics.proofs))),
              Value.Entry(key: "unknown", value: .int(Int64(unknown))),
            ]))
        ]).json
        : "\(counted(questions, "question")): \(statistics.witnesses) answered by an example, "
          + "\(statistics.proofs) by a proof, \(unknown) unknown")
  }

  private func printReport(_ report: DialectReport, _ file: ConfigFile) {
    if json {
      for finding in report.findings {
        FileText.print(DialectReportText.json(finding, in: file).json)
      }
      if report.notCompared > 0 { FileText.print(DialectReportText.notComparedJSON(report).json) }
    } else {
      FileText.printFindings("\n" + DialectReportText.render(report, in: file))
    }
  }

  /// Prints and returns the findings about the products.
  private func checkProducts() throws -> [Diagnostic] {
    guard let products else { return [] }
    let file = try ProductsFile(products)
    let sheets = try ProductSheet.sheets(
      file.list, nil, PricingContext(now: Clock.now()))
    // The other starred caveats of `products` only matter if a text shows the attribute.
    let stars = AttributeCaveat.allCases.filter { $0 != .aboveExact }.map(\.code)
    let found = (file.diagnostics + sheets.flatMap(\.diagnostics))
      .filter { !stars.contains($0.code) && (!quiet || $0.severity != .note) }
    if json {
      for diagnostic in file.json(found) { FileText.print(diagnostic.json) }
    } else {
      for text in file.render(found) { FileText.printFindings("\n" + text) }
      if !quiet {
        FileText.print(
          "\(counted(file.list.products.count, "product")): \(counted(found.count, "finding"))")
      }
    }
    return found
  }

  private func summary(_ file: ConfigFile, _ found: [Diagnostic]) -> String {
    func count(_ severity: Diagnostic.Severity) -> String {
      counted(found.filter { $0.severity == severity }.count, severity.rawValue)
    }
    let placements = file.config?.placements ?? []
    let audiences = placements.reduce(0) { $0 + $1.audiences.count }
    let attributes = file.ruleSet?.requirements.count ?? 0
    return """
      \(counted(placements.count, "placement")), \(counted(audiences, "audience")), \
      \(counted(attributes, "attribute")): \
      \(count(.error)), \(count(.warning)), \(count(.note))\(elsewhereSummary(found))
      """
  }

  /// The end of the summary: `; rejected as a whole by the SDKs for ios, android`.
  private func elsewhereSummary(_ found: [Diagnostic]) -> String {
    let rejecting = found.flatMap(\.peers).filter { $0.severity == .error }
    let names = Diagnostic.PeerEffect.Peer.all.filter { peer in
      rejecting.contains { $0.peers.contains(peer) }
    }
    if names.isEmpty { return "" }
    return "; rejected as a whole by the SDKs for " + names.map(\.id).joined(separator: ", ")
  }
}

extension Diagnostic {
  /// The diagnostic with the severity that `--elsewhere` gives it.
  fileprivate func counted(_ elsewhere: CheckCommand.Elsewhere) -> Diagnostic {
    var diagnostic = self
    switch (code, elsewhere) {
    case (.wouldReject, .off), (.notAnExport, .off): diagnostic.severity = .note
    case (.notAnExport, .strict): diagnostic.severity = .error
    default: break
    }
    return diagnostic
  }
}

extension VersionCheck.Range {
  /// Parses the value of an option.
  fileprivate static func argument(_ text: String) throws -> [VersionCheck.Range] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      guard let range = VersionCheck.Range(part) else {
        throw ValidationError(
          "'\(part)' is not a range of SDK versions; write for example ios:4.7.. or android:2.4..2.7.19"
        )
      }
      return range
    }
  }
}

internal import ArgumentParser
internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two configs: which users move, and why.",
    discussion: HelpText(
      """
      Lists changed audiences, conditions, limits, variants and weights. Without users, it proves for \
      each placement that both configs give every user the same outcome, or shows a user for each difference. If \
      it can do neither, it says why. With users, it counts the moves from one outcome to another, with the \
      reason and an example. Changes of an audience's index or of a paywall's design are ignored.

      With two versions of an SDK and one config, it shows which users get a different outcome when an app \
      updates its SDK: --sdk-version 4.11.2..4.16.2, or record..4.16.2 from each user's own version.

      A rule that does not compile, or an unreadable part of a config, ends the command with exit code 1, \
      unless --keep-going is given.
      """,
      examples: [
        .init("proofs, and users that differ", "tollgate diff config.json next.json --exit-zero"),
        .init(
          "users that move, for a pull request",
          "tollgate diff config.json next.json --users users.ndjson --format markdown --exit-zero"),
        .init(
          "users that get a different outcome from a newer SDK",
          "tollgate diff config.json --sdk-version 4.11.2..4.16.2 --users users.ndjson --exit-zero"),
        .init(
          "a report page",
          "tollgate diff config.json next.json --users users.ndjson --report report.html --exit-zero"
        ),
      ],
      codes: [
        ("0", "no user moves"),
        ("1", "a user moves or may move, or a rule does not compile"),
        ("2", "usage error, or no valid users"),
        ("3", "lines were rejected and --strict was given"),
        ("74", "output could not be written"),
        ("130, 143", "stopped"),
      ]
    ).text)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, markdown, json
  }

  @Argument(
    help: OptionHelp.oldConfig,
    completion: .file())
  var old: String

  @Argument(
    help: OptionHelp.newConfig,
    completion: .file())
  var new: String?

  @OptionGroup(title: "Config Options") var configForm: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(
    parsing: .upToNextOption,
    help: OptionHelp.users(
      "Repeatable. Without users, only the configs are compared."),
    completion: .file())
  var users: [String] = []

  @Option(help: OptionHelp.usersFormat)
  var usersFormat: UserForm?

  @Option(help: OptionHelp.separator)
  var separator: String?

  @Option(
    name: .customLong("placement"),
    help: ArgumentHelp(
      "The placement's name.",
      discussion: "Repeatable; the default is all placements of both configs.",
      valueName: "placement"), completion: Completions.placements)
  var placements: [String] = []

  @Option(
    help: OptionHelp.out(
      """
      The file gets every user that moves, with a line for each placement. Endings are .ndjson and .csv, \
      also with .gz or .zst, and .sqlite.
      """), completion: .file())
  var out: String?

  @Option(
    help: ArgumentHelp(
      "The format of the report.",
      discussion: "markdown is for pull request comments.", valueName: "format"))
  var format: Format?

  @Flag(help: OptionHelp.json("Short for --format json."))
  var json = false

  @OptionGroup(title: "Decision Options") var options: DecisionOptions

  @OptionGroup var working: ThreadOptions

  @Flag(help: "Exit with 0 despite differences.")
  var exitZero = false

  @Flag(
    help: OptionHelp.strict(
      "The exit code is 3 if a line was rejected. The run still finishes."))
  var strict = false

  @Flag(help: OptionHelp.quiet("Omits notes and progress, but not warnings about rejected lines."))
  var quiet = false

  @Flag(help: OptionHelp.keepGoing)
  var keepGoing = false

  @OptionGroup(title: "Report Options") var reporting: ReportOptions

  @OptionGroup(title: "Report Options") var naming: ReportUserOptions

  @OptionGroup(title: "Report Options") var redacting: RedactionOptions

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    try naming.check(reporting, redacting)
    if new == nil {
      guard let update = language.update else {
        throw ValidationError(
          "give the new config, or two versions with --sdk-version 4.11.2..4.16.2")
      }
      if old == "-" {
        throw ValidationError("--sdk-version with '..' reads the config twice: give a file")
      }
      if users.isEmpty, update.old.sdkVersion.readsRecords || update.new.sdkVersion.readsRecords {
        throw ValidationError(
          "the SDK comes from the users' records: give --users, or --platform and two versions")
      }
    }
    if placements.contains("") { throw ValidationError("--placement is empty") }
    if !users.isEmpty {
      try OptionHelp.check(separator: separator, users: users, format: usersFormat)
    }
    if json, let format, format != .json {
      throw ValidationError("give --json or --format \(format.rawValue), not both")
    }
    guard users.isEmpty else { return }
    if naming.reportIds { throw ValidationError("--report-ids needs --users") }
    if usersFormat != nil { throw ValidationError("--users-format needs --users") }
    if separator != nil { throw ValidationError("--separator needs --users") }
    if out != nil {
      throw ValidationError("--out needs --users: the file gets the users that move")
    }
    if strict { throw ValidationError("--strict needs --users") }
  }

  func run() async throws {
    let paths = try UserInput.paths(users, form: usersFormat)
    let written = try outputForm()
    try check(paths)
    let languages = language.update ?? (language, language)
    let oldFile = try configForm.file(old, languages.old, readsRecords: !users.isEmpty)
    let newFile = try configForm.file(new ?? old, languages.new, readsRecords: !users.isEmpty)
    let rules = try ruleSets(oldFile, newFile)
    let now = try options.time()
    let assigners = (
      old: options.assigner(for: rules.old.format), new: options.assigner(for: rules.new.format)
    )
    let comparison = RuleComparison(
      rules.old, rules.new, placements: placementNames, clock: try options.clock(now),
      assigners: assigners, form: written?.form.outcomes,
      fleets: (fleet(languages.old, oldFile), fleet(languages.new, newFile)))
    if !quiet { tell(now, assigners, comparison) }
    options.tellUnused(assigners.new, isQuiet: quiet)
    let redaction = try redacting.redaction()
    func page(_ report: ComparisonReport, _ rejects: RejectKinds) -> ReportPage {
      ComparisonPage(
        report: report, old: settings(oldFile, languages.old, paths, now),
        new: settings(newFile, languages.new, paths, now),
        givenUsers: users, rejects: rejects, shown: naming.shown, redaction: redaction
      ).page
    }
    if paths.isEmpty {
      let report = ComparisonReport(
        comparison, .everybody(comparison.differences()), redaction)
      try reporting.write(page(report, RejectKinds()), isQuiet: quiet)
      return try end(report)
    }
    let run = try await Signals.heeding { try await compare(comparison, paths, written) }
    UserFile.tell(rules.new.diagnostics(of: run.notes, users: run.sums.users), isQuiet: quiet)
    if run.sums.users == 0 { throw nobody(run.sums.rejected) }
    let report = ComparisonReport(comparison, .users(run.sums), redaction)
    try reporting.write(page(report, run.rejects), isQuiet: quiet)
    try end(report, refused: run.sums.rejected)
  }

  /// The settings for the decisions by one of the configs.
  private func settings(
    _ config: ConfigFile, _ language: LanguageOptions, _ users: [String], _ now: Instant
  ) -> RunSettings {
    var settings = RunSettings(
      config: config, format: configForm.configFormat?.rawValue, language: language, users: users,
      input: usersFormat?.rawValue, placements: placementNames, now: now, options: options,
      layout: OutcomeLayout.long.rawValue, output: "none", rejects: nil)
    settings.separator = separator
    return settings
  }

  /// The SDKs for users whose records name an SDK; nil if one SDK decides for all users.
  private func fleet(_ language: LanguageOptions, _ file: ConfigFile) -> SDKFleet? {
    guard let config = file.config, config.format == .superwall, language.dialect == .superscript,
      language.sdkVersion.readsRecords
    else { return nil }
    return SDKFleet(language.sdkVersion, config)
  }

  /// The requested placements; nil for all placements of both configs.
  private var placementNames: [String]? {
    var known: Set<String> = []
    return placements.isEmpty ? nil : placements.filter { known.insert($0).inserted }
  }

  private func outputForm() throws -> FileForm? {
    guard let out, out != "none" else { return nil }
    let form = try FileForm(path: out, option: "--out")
    if form.form == .sqlite, out == "-" || !FilePlace(out).hasNeighbours {
      throw ValidationError("a database needs --out FILE")
    }
    return form
  }

  /// Checks that no input is overwritten, and that no file is read twice.
  private func check(_ users: [String]) throws {
    var uses = FileUses()
    uses.reads("the old config", old)
    if let new { uses.reads("the new config", new) }
    for path in users { uses.reads("--users", path) }
    if let out, out != "none" {
      uses.writes("--out", out)
      if out != "-" { try FilePlace(out).checkWritable("--out") }
    }
    try reporting.check(&uses)
  }

  /// The rule sets of both configs. Requested placements must compile in each config that has them.
  private func ruleSets(_ old: ConfigFile, _ new: ConfigFile) throws -> (old: RuleSet, new: RuleSet)
  {
    func names(in file: ConfigFile) -> [String]? {
      placementNames?.filter { file.ruleSet?.placement(named: $0) != nil }
    }
    for name in placementNames ?? []
    where [old, new].allSatisfy({ $0.ruleSet?.placement(named: name) == nil }) {
      throw CommandError(new.hint(forPlacement: name))
    }
    return (
      try old.requireRuleSet(for: names(in: old), keepsGoing: keepGoing).reading(options.userIds),
      try new.requireRuleSet(for: names(in: new), keepsGoing: keepGoing).reading(options.userIds)
    )
  }

  private func tell(
    _ now: Instant, _ assigners: (old: Assigner, new: Assigner), _ comparison: RuleComparison
  ) {
    let count = counted(comparison.placementNames.count, "placement")
    FileText.printError("Comparing \(count) as of \(options.zonedBasis(now, assigners.new))")
    if assigners.old != assigners.new {
      FileText.printError(
        "note: variants of the old config are drawn by \(assigners.old.name), and those of the new "
          + "config by \(assigners.new.name); --assigner sets the assigner for both")
    }
  }

  private func compare(
    _ comparison: RuleComparison, _ paths: [String], _ form: FileForm?
  ) async throws -> ComparisonRun {
    let sink = try MoveSink(out, form, comparison)
    do {
      var run = try ComparisonRun(
        comparison, users: paths, form: usersFormat, separator: separator, threads: working.count,
        moved: sink, isQuiet: quiet)
      try await run.process()
      if run.sums.users > 0 { try sink.close() } else { sink.abandon() }
      return run
    } catch {
      sink.abandon()
      throw error
    }
  }

  private func nobody(_ rejected: Int) -> CommandError {
    let names = users.map { $0 == "-" ? "standard input" : $0 }.joined(separator: ", ")
    return CommandError(
      "no users in \(names)"
        + (rejected > 0 ? ": all of \(counted(rejected, "line")) rejected" : ""))
  }

  private func end(_ report: ComparisonReport, refused: Int = 0) throws {
    let isTaken = out.map { $0 == "-" || FilePlace($0).descriptor == 1 } ?? false
    let target: FileDescriptor = isTaken ? .standardError : .standardOutput
    switch json ? .json : format ?? .text {
    case .text: FileText.print(report.text(TextStyle(target)), to: target)
    case .markdown: FileText.print(report.markdown, to: target)
    case .json: FileText.print(report.value.json, to: target)
    }
    if strict, refused > 0 {
      throw CommandError(
        "\(counted(refused, "line")) rejected, and --strict was given",
        exitCode: Ending.refusedLines)
    }
    if report.hasFindings, !exitZero { throw ExitCode(Ending.findings) }
  }
}

internal import ArgumentParser
internal import Expressions
internal import RuleBatch
internal import RuleEngine

struct PrecomputeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "precompute",
    abstract: "Decide every placement for every user in one or more files.",
    discussion: HelpText(
      """
      Reads users as newline-delimited JSON or CSV, and writes outcomes in the same formats or into an \
      SQLite database. Files can be compressed. Memory does not grow with the number of users. A line that \
      is not a user record, or is longer than 1 MiB, is counted, reported with its number and the reason, \
      and written to --rejects.

      A run can be stopped or killed at any time. --resume continues it, and the output is the same as without \
      the interruption. Until the run is finished, the name of its output ends in .partial, and an existing file \
      stays unchanged. A database is built in the checkpoint. A finished run leaves a manifest that 'tollgate \
      replay' uses to repeat the run and compare the outcomes. FILE.running locks the output against a second \
      run.

      If a rule does not compile or a part of the config is unreadable, the run stops with exit code 1 \
      before it writes anything, unless --keep-going is given. If no user is valid, the exit code is 2, and \
      earlier outcomes stay.
      """,
      examples: [
        .init(
          "every placement for every user, into a database",
          "tollgate precompute config.json --users users.ndjson --out outcomes.sqlite"),
        .init(
          "one placement, a line for each user, as CSV",
          "tollgate precompute config.json --users users.ndjson --placement export_report --layout wide --out outcomes.csv"
        ),
        .init(
          "with the reason for each outcome",
          "tollgate precompute config.json --users users.ndjson --reasons --out outcomes.ndjson"),
        .init(
          "counts only, with a report page",
          "tollgate precompute config.json --users users.ndjson --out none --now 2026-03-01 "
            + "--report report.html"),
      ],
      codes: HelpText.codesOfRuns(
        wrong: "usage error, or no valid users", stopped: "stopped: --resume continues")
    ).text)

  enum SummaryFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  enum Layout: String, ExpressibleByArgument, CaseIterable {
    case long, wide
  }

  @OptionGroup var source: ConfigOptions
  @OptionGroup(title: "Config Options") var configForm: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(
    parsing: .upToNextOption,
    help: OptionHelp.users("Repeatable; files are read in that order."),
    completion: .file())
  var users: [String]

  @Option(help: OptionHelp.out("With none, outcomes are only counted."), completion: .file())
  var out = "-"

  @Option(
    name: .customLong("placement"),
    help: OptionHelp.placements(), completion: Completions.placements)
  var placements: [String] = []

  @OptionGroup(title: "File Options") var input: FormOptions

  @OptionGroup(title: "Decision Options") var options: DecisionOptions

  @OptionGroup(title: "Text Options") var rendering: RenderingOptions

  @OptionGroup(title: "Text Options") var products: TextProductOptions

  @OptionGroup var working: ThreadOptions

  @Option(help: ArgumentHelp("The format of the summary.", valueName: "format"))
  var summary = SummaryFormat.text

  @Option(
    help: ArgumentHelp(
      "long: a line for each user and placement; wide: a line for each user.", valueName: "layout"))
  var layout = Layout.long

  @Flag(
    help: ArgumentHelp(
      "Add the reason to each outcome, as in 'explain --json'.",
      discussion: """
        The member 'reason' (in CSV and databases a column of JSON) contains reached limits, failed rules, \
        owned entitlements, the draw, and whether the variant was stored.
        """))
  var reasons = false

  @Flag(
    help: ArgumentHelp(
      "Add a column 'sdk' with the SDK that decided, in NDJSON or CSV.",
      discussion: "The column contains the platform and the version, such as 'ios 4.12.5'."))
  var sdkColumn = false

  @Option(help: OptionHelp.rejects, completion: .file())
  var rejects: String?

  @Flag(
    help: OptionHelp.strict(
      "The exit code is 3 if a line was rejected. The run still finishes."))
  var strict = false

  @Flag(
    help: OptionHelp.quiet(
      "Omits notes and progress, but not the summary or warnings about rejected lines."))
  var quiet = false

  @Flag(help: OptionHelp.keepGoing)
  var keepGoing = false

  @OptionGroup(title: "Resuming Options") var lasting: LastingOptions

  @OptionGroup(title: "Report Options") var reporting: ReportOptions

  @OptionGroup(title: "Report Options") var naming: ReportUserOptions

  @OptionGroup(title: "Report Options") var redacting: RedactionOptions

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if users.isEmpty { throw ValidationError("--users is missing") }
    try OptionHelp.check(separator: input.separator, users: users, format: input.usersFormat)
    if !redacting.paths.isEmpty, reporting.report == nil {
      throw ValidationError("--redact needs --report: outcomes contain no attributes")
    }
    try naming.check(reporting, redacting)
    if placements.contains("") { throw ValidationError("--placement is empty") }
  }

  func run() async throws {
    let paths = try UserInput.paths(users, form: input.usersFormat)
    try UserInput.checkOnce(paths)
    let form = try input.outputForm(out: out)
    let files = try RunFiles(out: out, form: form, rejects: rejects, options: lasting)
    try check(files, paths)
    let config = try configForm.file(source.config, language, readsRecords: true)
    var settings = RunSettings(
      config: config, format: configForm.configFormat?.rawValue, language: language,
      users: paths,
      input: input.usersFormat?.rawValue, placements: placementNames,
      now: try options.time(), options: options, layout: layout.rawValue,
      output: out == "none" ? "none" : form.text, rejects: files.rejectsForm?.text)
    if rendering.render != nil, out != "none", form.form != .ndjson {
      throw ValidationError("--render needs outcomes written as NDJSON")
    }
    if sdkColumn, out != "none", form.form == .sqlite {
      throw ValidationError("--sdk-column needs outcomes written as NDJSON or CSV")
    }
    if reasons, out == "none", !quiet {
      FileText.printError("note: --reasons has no effect with --out none: reasons are in outcomes")
    }
    settings.runColumns = input.runColumns
    settings.separator = input.separator
    settings.reasons = reasons
    settings.sdkColumn = sdkColumn
    settings.texts = try rendering.settings(products, in: options.givenTimeZone)
    let ruleSet = try config.requireRuleSet(for: settings.placements, keepsGoing: keepGoing)
      .reading(options.userIds)
    let texts = try rendering.plan(
      for: config.config, products, now: settings.now, in: options.givenTimeZone)
    let (tally, notes) = try await Signals.heeding {
      try await run(files, &settings, ruleSet, config.config, texts)
    }
    try report(tally, notes)
  }

  /// The requested placements; nil for all placements of the config.
  private var placementNames: [String]? {
    var known: Set<String> = []
    return placements.isEmpty ? nil : placements.filter { known.insert($0).inserted }
  }

  /// Checks that no input is overwritten, and that no file is written twice.
  private func check(_ files: RunFiles, _ users: [String]) throws {
    try files.checkWritable()
    try reporting.checkWritable()
    var uses = FileUses()
    uses.reads("the config", source.config)
    for path in users { uses.reads("--users", path) }
    uses.reads("--render", rendering.render)
    uses.reads("--products", products.products)
    reporting.add(to: &uses)
    files.add(to: &uses)
    try uses.check()
    try files.checkOverwriting()
  }

  /// Decides, unless another process writes the same files.
  private func run(
    _ files: RunFiles, _ settings: inout RunSettings, _ ruleSet: RuleSet, _ config: Config?,
    _ texts: TextPlan?
  ) async throws -> (Tally, [Diagnostic]) {
    let locks = try files.lock()
    defer {
      for lock in locks { lock.release() }
    }
    if !lasting.resume, !quiet { files.tellReplaced() }
    let former =
      lasting.resume ? try files.former(&settings, keepsTime: options.now == nil) : nil
    let plan = try settings.plan(
      ruleSet, of: config, texts: texts, countsDraws: reporting.report != nil)
    try files.checkColumns(plan)
    if case .complete(let manifest)? = former {
      FileText.printError("Already complete; see \(files.manifest ?? "")")
      let (sums, rejects) = try manifest.counts(plan)
      if reporting.report != nil, rejects == nil {
        throw ReportCounts.uncounted(files.manifest ?? out, isComplete: true)
      }
      try writeReport(sums, rejects, manifest.settings, plan)
      return (plan.tally(of: sums), [])
    }
    let state = try files.state(former, settings, plan)
    if reporting.report != nil, state.rejectKinds == nil {
      throw ReportCounts.uncounted(files.checkpoint ?? out, isComplete: false)
    }
    let opened = try files.open(state, plan, users: settings.users, isResuming: former != nil)
    var run: BatchRun
    do {
      // A pipe may have no data for a long time.
      run = try BatchRun(
        plan: plan, files: opened, from: state, threads: working.count, isQuiet: quiet)
    } catch var stop as Signals.Stop {
      stop.message = RunFiles.nothingWritten
      throw stop
    }
    run.tellBegun()
    options.tellUnused(settings.resolvedAssigner, isQuiet: quiet)
    do {
      try await run.process()
      if run.state.sums.users > 0 { try files.finish(run) } else { try files.abandon(run) }
    } catch var stop as Signals.Stop {
      stop.message = files.farewell(run)
      throw stop
    } catch var error as CommandError {
      if let advice = files.advice(run, after: error) { error.description += "\n" + advice }
      throw error
    }
    if run.state.sums.users > 0 {
      try writeReport(run.state.sums, run.state.rejectKinds, settings, plan)
      run.tellDone()
    }
    RenderingOptions.tell(run.textErrors)
    if !quiet {
      for note in run.state.texts.notes(ruleSet, now: settings.now) { FileText.printError(note) }
    }
    return (run.tally, ruleSet.diagnostics(of: run.notes, users: run.state.sums.users))
  }

  private func writeReport(
    _ sums: BatchSums, _ rejects: RejectKinds?, _ settings: RunSettings, _ plan: BatchPlan
  ) throws {
    try reporting.write(
      BatchReport(
        plan: plan, sums: sums, rejects: rejects ?? RejectKinds(), settings: settings,
        givenUsers: users, shown: naming.shown, redaction: try redacting.redaction()
      ).page, isQuiet: quiet)
  }

  private func report(_ tally: Tally, _ notes: [Diagnostic]) throws {
    let files: [String] = [out, rejects].compactMap { $0 }
    let printsRows = files.contains { $0 == "-" || FilePlace($0).descriptor == 1 }
    let target: FileDescriptor = printsRows ? .standardError : .standardOutput
    switch summary {
    case .text:
      if tally.users > 0 {
        FileText.print(SummaryText.render(tally, TextStyle(target)), to: target)
      }
    case .json: FileText.print(tally.value.json, to: target)
    }
    UserFile.tell(notes, isQuiet: quiet)
    try Self.check(tally, users, isStrict: strict)
  }

  /// Throws if no user is usable, or if a strict run has rejected lines.
  static func check(_ tally: Tally, _ users: [String], isStrict: Bool) throws {
    if tally.users == 0 { throw nobody(users, tally.rejected) }
    if isStrict, tally.rejected > 0 {
      throw CommandError(
        "\(counted(tally.rejected, "line")) rejected, and --strict was given",
        exitCode: Ending.refusedLines)
    }
  }
}

extension PrecomputeCommand {
  /// Arguments such as `--users a.ndjson config.json`, with the config moved to the front. If there is no other
  /// argument, the last file after `--users` is the config. Nil if the arguments have another form.
  static func withConfigFirst(_ arguments: [String]) -> [String]? {
    guard arguments.first == configuration.commandName,
      let option = arguments.lastIndex(of: "--users")
    else { return nil }
    let files = arguments[(option + 1)...].prefix { $0 == "-" || !$0.hasPrefix("-") }
    guard files.count >= 2 else { return nil }
    var arguments = arguments
    arguments.insert(arguments.remove(at: files.endIndex - 1), at: 1)
    return arguments
  }

  /// The error when no user was found.
  private static func nobody(_ users: [String], _ rejected: Int) -> CommandError {
    let names = users.map { $0 == "-" ? "standard input" : $0 }.joined(separator: ", ")
    switch rejected {
    case 0: return CommandError("no users in \(names)")
    case 1: return CommandError("no users in \(names): the only line was rejected")
    default:
      return CommandError(
        "no users in \(names): all \(grouped(rejected)) lines were rejected")
    }
  }
}

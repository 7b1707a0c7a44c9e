internal import ArgumentParser
internal import Expressions
internal import Requests
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

struct MatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract: "Count the users that each audience reaches, matches, takes and excludes.",
    discussion: HelpText(
      """
      Decides placements for all users like 'tollgate precompute', but writes no outcomes. For each \
      audience, it counts the users that reach the audience, that match, that the limit excludes, that are \
      skipped because they own an entitlement, for whom the rule fails, and that the audience takes. Each \
      count includes an example user for 'tollgate explain'. The numbers match precompute's summary.

      --distribution shows the actual number of users of each variant, and the expected number, from the \
      exact shares of all users without a stored variant.
      """,
      examples: [
        .init(
          "the audiences of one placement",
          "tollgate match config.json --users users.ndjson --placement export_report"),
        .init(
          "actual and expected variants",
          "tollgate match config.json --users users.ndjson --placement export_report --distribution"
        ),
        .init(
          "all placements for a script",
          "tollgate match config.json --users users.ndjson --now 2026-03-01 --json"),
        .init(
          "a report page",
          "tollgate match config.json --users users.ndjson --now 2026-03-01 --report report.html"),
      ],
      codes: HelpText.codesOfRuns(
        wrong: "usage error, no such placement, or no valid users")
    ).text)

  @OptionGroup var source: ConfigOptions
  @OptionGroup(title: "Config Options") var configForm: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(
    parsing: .upToNextOption,
    help: OptionHelp.users("Repeatable."), completion: .file())
  var users: [String]

  @Option(help: OptionHelp.usersFormat)
  var usersFormat: UserForm?

  @Option(help: OptionHelp.separator)
  var separator: String?

  @Option(
    name: .customLong("placement"),
    help: OptionHelp.placements(), completion: Completions.placements)
  var placements: [String] = []

  @OptionGroup(title: "Decision Options") var options: DecisionOptions

  @Flag(
    help: OptionHelp.distribution(
      "Expected numbers are shares of the users without a stored variant."))
  var distribution = false

  @Flag(
    help: ArgumentHelp(
      "Also show all audiences that take no user.",
      discussion:
        "By default, configs with more than 50 audiences show only the number of these audiences."))
  var all = false

  @OptionGroup var working: ThreadOptions

  @Flag(
    help: OptionHelp.json(
      "The output is one object, like that of 'precompute --summary json' with more members."))
  var json = false

  @Flag(
    help: OptionHelp.strict(
      "The exit code is 3 if a line was rejected. All other lines are counted."))
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
    if users.isEmpty { throw ValidationError("--users is missing") }
    try OptionHelp.check(separator: separator, users: users, format: usersFormat)
    if placements.contains("") { throw ValidationError("--placement is empty") }
  }

  func run() async throws {
    let paths = try UserInput.paths(users, form: usersFormat)
    var uses = FileUses()
    uses.reads("the config", source.config)
    for path in paths { uses.reads("--users", path) }
    try reporting.check(&uses)
    let config = try configForm.file(source.config, language, readsRecords: true)
    var settings = RunSettings(
      config: config, format: configForm.configFormat?.rawValue, language: language,
      users: paths, input: usersFormat?.rawValue,
      placements: placements.isEmpty ? nil : placements, now: try options.time(),
      options: options, layout: OutcomeLayout.long.rawValue, output: "none", rejects: nil)
    settings.separator = separator
    let ruleSet = try config.requireRuleSet(for: settings.placements, keepsGoing: keepGoing)
      .reading(options.userIds)
    let plan = try settings.plan(
      ruleSet, of: config.config, countsDraws: reporting.report != nil, wantsExamples: true)
    let run = try await Signals.heeding { try await count(plan, settings) }
    let redaction = try redacting.redaction()
    if run.state.sums.users > 0 {
      show(run, plan, redaction)
      try reporting.write(
        BatchReport(
          plan: plan, sums: run.state.sums, rejects: run.state.rejectKinds ?? RejectKinds(),
          settings: settings, givenUsers: users, shown: naming.shown, redaction: redaction
        ).page, isQuiet: quiet)
    }
    if !quiet {
      for note in run.state.texts.notes(ruleSet, now: settings.now) { FileText.printError(note) }
    }
    UserFile.tell(
      ruleSet.diagnostics(of: run.notes, users: run.state.sums.users, shown: redaction.id),
      isQuiet: quiet)
    try PrecomputeCommand.check(run.tally, users, isStrict: strict)
  }

  /// Counts users with a precompute run that stores nothing.
  private func count(_ plan: BatchPlan, _ settings: RunSettings) async throws -> BatchRun {
    var run = try BatchRun(
      plan: plan,
      files: BatchRun.Files(users: settings.users, hashesUsers: false),
      from: Checkpoint(settings, plan: plan),
      threads: working.count, isQuiet: quiet)
    run.tellBegun()
    options.tellUnused(settings.resolvedAssigner, isQuiet: quiet)
    try await run.process()
    return run
  }

  private func show(_ run: BatchRun, _ plan: BatchPlan, _ redaction: Redaction) {
    let reach = plan.reach(of: run.state.sums).map(redaction.reach)
    if json {
      let answer = MatchAnswer(
        users: run.tally.users, rejected: run.tally.rejected, placements: reach,
        expects: distribution)
      FileText.print(answer.value.json)
      return
    }
    let text = ReachText(
      users: run.tally.users, rejected: run.tally.rejected, expects: distribution,
      foldsAbove: all ? .max : 50, style: TextStyle(.standardOutput))
    FileText.print(text.render(reach))
    if !quiet, !redaction.hidesIDs, let hint = hint(reach, run.state.settings, plan, redaction) {
      FileText.printError(hint)
    }
  }

  /// A hint for learning more about one of the users; nil if the files cannot be read again.
  private func hint(
    _ reach: [Reach], _ settings: RunSettings, _ plan: BatchPlan, _ redaction: Redaction
  ) -> String? {
    guard source.config != "-", !users.contains("-"),
      let example = reach.lazy.compactMap({ $0.audiences.first?.examples.reached }).first
    else { return nil }
    let line = settings.explainLine(
      .id(example, of: users), at: nil, format: plan.ruleSet.format, redaction)
    return "note: to explain the outcome of one of these users, give the ID:\n  "
      + DiagnosticText.visible(line)
  }
}

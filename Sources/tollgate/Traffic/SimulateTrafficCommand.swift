internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

struct SimulateTrafficCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate-traffic",
    abstract: "Simulate weeks of traffic: what users see, and which limits apply.",
    discussion: HelpText(
      """
      Decides placements over time and applies the effects: variants are stored, occurrences are counted, \
      and rules can ask about the history. A user that sees a paywall closes it, or subscribes with the \
      probability --purchase-rate. The report shows how often each limit applied on each day, and how often \
      users saw each paywall.

      --events reads recorded traffic. By default, traffic is generated: sessions are in waking hours and \
      have a few placements each, and some users are far more active than others. The same seed generates \
      the same traffic. docs/traffic.md describes the generator.
      """,
      examples: [
        .init(
          "a month of generated traffic with some purchases",
          "tollgate simulate-traffic config.json --users users.ndjson --now 2026-03-01 --purchase-rate 0.03"
        ),
        .init(
          "two placements, with a line for each simulated placement",
          "tollgate simulate-traffic config.json --users users.ndjson --placement export_report "
            + "--placement session_start --days 7 --rate 2 --out simulated.ndjson"
        ),
        .init(
          "recorded traffic, as JSON",
          "tollgate simulate-traffic config.json --users users.ndjson --events traffic.ndjson --json"
        ),
        .init(
          "a fleet whose apps update to the next SDK within two weeks",
          "tollgate simulate-traffic config.json --users users.ndjson --now 2026-03-01 --days "
            + "14 --sdk-version record --update-to 4.16.2 --update-curve 5,15,30,45,60,70,78,84,88,91,93,95,96,97"
        ),
      ],
      codes: HelpText.codesOfRuns(wrong: "usage error, or no valid users or traffic")
    ).text)

  @OptionGroup var source: ConfigOptions
  @OptionGroup(title: "Config Options") var configForm: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(
    parsing: .upToNextOption,
    help: OptionHelp.users("Repeatable. With --events, the files are read twice."),
    completion: .file())
  var users: [String]

  @Option(
    help: OptionHelp.events(
      """
      One JSON object on each line, in order of time: \(TrafficLine.example), and optionally "params", \
      which replace those of the user's record. The output of this command can be used as traffic once it \
      is sorted.
      """), completion: .file())
  var events: String?

  @Option(help: OptionHelp.usersFormat)
  var usersFormat: UserForm?

  @OptionGroup(title: "Traffic Options") var traffic: TrafficOptions

  @Option(
    help: OptionHelp.out(
      "The file gets a line for each simulated placement. By default, only the report is written."),
    completion: .file())
  var out: String?

  @Option(help: OptionHelp.rejects, completion: .file())
  var rejects: String?

  @OptionGroup var working: ThreadOptions

  @Flag(help: OptionHelp.json("With --out -, the report goes to standard error."))
  var json = false

  @Flag(
    help: OptionHelp.strict(
      "The exit code is 3 if a line was rejected. The run still finishes."))
  var strict = false

  @Flag(
    help: OptionHelp.quiet(
      "Omits notes and progress, but not the report or warnings about rejected lines."))
  var quiet = false

  @OptionGroup(title: "Report Options") var reporting: ReportOptions

  @OptionGroup(title: "Report Options") var redacting: RedactionOptions

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if users.isEmpty { throw ValidationError("--users is missing") }
    try traffic.check(hasEvents: events != nil)
  }

  func run() async throws {
    let paths = try UserInput.paths(users, form: usersFormat)
    let files = try TrafficFiles(out: out, rejects: rejects)
    var uses = FileUses()
    uses.reads("the config", source.config)
    for path in paths { uses.reads("--users", path) }
    uses.reads("--events", events)
    try reporting.check(&uses)
    try files.check(uses)
    let config = try configForm.file(source.config, language, readsRecords: true)
    let generated = try events == nil ? traffic.generated() : nil
    let plan = try plan(config, files, generated)
    let locks = try files.lock()
    defer {
      for lock in locks { lock.release() }
    }
    var run = TrafficRun(
      paths, form: usersFormat, plan, threads: working.count, isQuiet: quiet)
    let read = paths + (events.map { [$0] } ?? [])
    var refused = RefusedLines(
      try files.openRejects(), files: read, hidesIDs: try redacting.redaction().hidesIDs)
    try await Signals.heeding { try await work(&run, &refused, files, plan, config, generated) }
    if run.sums.users > 0 {
      try reporting.write(
        page(run, refused, plan, config, generated, read), isQuiet: quiet)
    }
    try report(run, refused, files, plan)
  }

  private func plan(
    _ config: ConfigFile, _ files: TrafficFiles, _ generated: GeneratedTraffic?
  ) throws -> TrafficPlan {
    let ruleSet = try config.requireRuleSet(
      for: traffic.placements.isEmpty ? nil : traffic.placements, keepsGoing: false)
    guard let decoded = config.config else { throw CommandError("\(config.path) has no config") }
    guard ruleSet.placementNames.count <= RecordedTraffic.placementLimit else {
      throw CommandError(
        "\(config.path) has more than \(grouped(RecordedTraffic.placementLimit)) placements")
    }
    var options = TrafficPlan.Options(
      assigner: traffic.assigner(for: ruleSet.format), clock: try traffic.clock())
    options.placements = traffic.placements.isEmpty ? nil : traffic.placements
    options.seed = traffic.seed
    options.purchaseRate = traffic.purchaseRate
    options.form = files.form?.form.outcomes
    if ruleSet.profile != nil { options.versions = try traffic.versions(language, generated) }
    return TrafficPlan(ruleSet, decoded, options)
  }

  private func work(
    _ run: inout TrafficRun, _ refused: inout RefusedLines, _ files: TrafficFiles,
    _ plan: TrafficPlan, _ config: ConfigFile, _ generated: GeneratedTraffic?
  ) async throws {
    let written = try files.openOut(header: plan.header)
    do {
      if let events {
        tell("Simulating the traffic of \(events), assigner \(plan.options.assigner.name)")
        try await run.replay(events, config, to: written, &refused)
      } else if let generated {
        tell(
          "Simulating \(counted(generated.days, "day")) from \(traffic.basis(generated, plan))")
        let silent = GeneratedTraffic.silentPlacements(of: plan)
        if !silent.isEmpty {
          tell(
            "note: no traffic is generated for \(silent.joined(separator: ", ")), because nothing leads to them"
          )
        }
        try await run.generate(generated, to: written, &refused)
      }
      run.interrupt()
      if run.sums.users > 0 {
        try written.close()
        try written.takePlace()
        run.tellDone()
        if plan.options.versions?.update != nil, run.sums.updates == 0 {
          FileText.printError(
            "warning: no user updated: their SDKs are not older than --update-to, or their updates come "
              + "after the traffic")
        }
      }
      try refused.close()
    } catch var stop as Signals.Stop {
      run.interrupt()
      try? written.close()
      stop.message = farewell(run, written)
      throw stop
    } catch {
      run.interrupt()
      throw error
    }
  }

  private func tell(_ text: String) {
    if !quiet { FileText.printError(text) }
  }

  private func farewell(_ run: TrafficRun, _ written: OutcomeSink) -> String {
    let done =
      "Stopped after \(counted(run.sums.users, "user")) and "
      + "\(counted(run.sums.placements, "placement"))"
    guard let partial = written.partial, run.sums.users > 0 else { return done + "." }
    return done + "; \(partial) contains only these."
  }

  private func page(
    _ run: TrafficRun, _ refused: RefusedLines, _ plan: TrafficPlan, _ config: ConfigFile,
    _ generated: GeneratedTraffic?, _ files: [String]
  ) -> ReportPage {
    let facts =
      traffic.facts(generated, plan, events: events)
      + [
        .init("Users", users.joined(separator: ", ")),
        .init("Config", XXH64.text(of: config.bytes)), .tollgate,
      ]
    let name = source.config == "-" ? "a config" : FilePlace.parts(source.config).name
    return TrafficPage(
      plan, run.sums, refused, configName: name, facts: facts, line: line(generated), files: files
    ).page
  }

  /// The equivalent command line.
  private func line(_ generated: GeneratedTraffic?) -> String {
    var words = ["tollgate", "simulate-traffic", source.config]
    words += configForm.words + language.words + ["--users"] + users
    if let usersFormat { words += ["--users-format", usersFormat.rawValue] }
    if let events { words += ["--events", events] }
    return (words + traffic.words(generated)).map(ShellWord.quoted).joined(separator: " ")
  }

  private func report(
    _ run: TrafficRun, _ refused: RefusedLines, _ files: TrafficFiles, _ plan: TrafficPlan
  ) throws {
    let target = files.reportTarget
    if json {
      let report = TrafficReport(plan, run.sums).value(
        rejected: refused.users, rejectedEvents: events == nil ? nil : refused.events)
      FileText.print(report.json, to: target)
    } else if run.sums.users > 0 {
      FileText.print(TrafficText(plan, run.sums, TextStyle(target)).text, to: target)
    }
    UserFile.tell(
      plan.ruleSet.diagnostics(of: run.notes, users: run.sums.users), isQuiet: quiet)
    if run.sums.users == 0 {
      let names = users.map { $0 == "-" ? "standard input" : $0 }.joined(separator: ", ")
      throw CommandError(
        "no users in \(names)"
          + (refused.users > 0 ? ": \(counted(refused.users, "line")) rejected" : ""))
    }
    if strict, refused.all > 0 {
      throw CommandError(
        "\(counted(refused.all, "line")) rejected, and --strict was given",
        exitCode: Ending.refusedLines)
    }
  }
}

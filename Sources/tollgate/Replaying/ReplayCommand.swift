internal import ArgumentParser
internal import Expressions
internal import RuleBatch
internal import RuleEngine

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Repeat a precompute run, or decisions that apps reported, and compare.",
    usage: """
      tollgate replay <manifest> [--config <file>] [<options>]
      tollgate replay --events <file> --config <file> ... [<options>]
      """,
    discussion: HelpText(
      """
      Reads the manifest of 'tollgate precompute', repeats the run with the same settings and files, and \
      compares the outcomes with the file that the run wrote, or with its hash if the file no longer exists. \
      The report names the first different line and its user. Counts and the hash of the users are also \
      compared. Nothing is written. Relative paths are resolved against the current folder, then against the \
      manifest's folder.

      With --events, each row of an export of decisions is decided again, with its time and SDK version. The \
      report shows the share of reproduced decisions, explains differences, and checks whether experiments \
      have their configured shares of users (sample ratio mismatch). The columns ts, user_id, placement and \
      result are required. platform, sdk_version, platform_wrapper, app_version, config_build_id, \
      paywall_id, experiment_id and variant_id are optional. user, device and params contain JSON. Variants \
      that an SDK draws at random count as reproduced if the experiment has them.
      """,
      examples: [
        .init(
          "repeat a run and compare",
          "tollgate replay outcomes.sqlite.manifest.json"),
        .init("the same for a script", "tollgate replay outcomes.sqlite.manifest.json --json"),
        .init(
          "decisions that apps reported",
          "tollgate replay --events decisions.csv --config config.json"),
      ],
      codes: [
        ("0", "the same"),
        ("1", "decisions or an experiment's shares differ, or none were compared"),
        ("2", "usage error, or a missing file"),
      ]
    ).text)

  @Option(
    help: OptionHelp.config(
      """
      Required if the config has moved or was read from standard input. With --events, the option is required and \
      repeatable: each row is decided by the config with the row's build ID.
      """), completion: .file())
  var config: [String] = []

  @Argument(help: "The manifest of a run.", completion: .file())
  var manifest: String?

  @Option(
    help: OptionHelp.events("Decisions that apps reported, as NDJSON or CSV."),
    completion: .file())
  var events: String?

  @Option(
    help: ArgumentHelp(
      "The maximum number of kinds of differences that --events explains.", valueName: "n"))
  var differences = 5

  @OptionGroup var working: ThreadOptions

  @Flag(
    help: OptionHelp.json(
      "The output is one object with the results of all comparisons."
    ))
  var json = false

  @Flag(help: OptionHelp.quiet("Omits progress."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    switch (manifest, events) {
    case (nil, nil): throw ValidationError("give the manifest of a run, or --events FILE")
    case (.some, .some):
      throw ValidationError(
        "give a manifest or --events, not both; with --events, name configs with --config")
    case (.some, nil):
      if config.count > 1 { throw ValidationError("a run has one --config") }
    case (nil, .some):
      if config.isEmpty {
        throw ValidationError("--events needs --config FILE, the config that decided")
      }
      if differences < 0 { throw ValidationError("--differences must be 0 or more") }
    }
    try StandardInput.check(config + [manifest, events])
  }

  func run() async throws {
    if let events { return try replay(events) }
    guard let manifest else { return }
    let earlier = try Manifest(reading: manifest)
    let settings = earlier.settings
    let users = settings.users.map(find)
    guard !users.contains("-") else {
      throw CommandError("the users came from standard input, which cannot be read again")
    }
    try checkInputs(settings, users)
    let texts = try settings.texts.map { try $0.options(find) }
    let config = try readConfig(settings)
    let plan = try settings.plan(
      try config.requireRuleSet(), of: config.config,
      texts: try texts?.plan(for: config.config, now: settings.now))
    let (outcomes, rejects) = (
      try comparison(earlier.outcomes, settings.output),
      try comparison(earlier.rejects, settings.rejects)
    )
    let run = try await Signals.heeding {
      try await process(plan, settings, users, outcomes, rejects)
    }
    let verdicts = [
      ("outcomes", earlier.outcomes, outcomes), ("rejects", earlier.rejects, rejects),
    ]
    .compactMap { name, written, comparison in
      written.map { ReplayVerdict(name: name, written: $0, comparison: comparison) }
    }
    let changed = zip(zip(users, run.state.userHashes), earlier.users).filter { $0.1 != $1 }.map(
      \.0.0)
    let isCountedTheSame = run.tally.value == earlier.counts
    show(verdicts, isCountedTheSame, changed: changed)
    if !changed.isEmpty || !isCountedTheSame || verdicts.contains(where: { !$0.isSame }) {
      throw ExitCode(Ending.findings)
    }
  }

  private func replay(_ events: String) throws {
    let configs = try config.map { path in
      let file = try ConfigFile(path)
      _ = try file.requireRuleSet()
      guard let config = file.config else { throw CommandError("\(path) is not a config") }
      return config
    }
    try EventReplay.check(configs, named: config)
    var rows = try EventRows(events)
    var replay = EventReplay(configs)
    while let part = try rows.next() {
      try Signals.check()
      for row in part { replay.add(row) }
    }
    let report = ReplayEventsReport(tally: replay.tally, shown: differences)
    if !quiet {
      report.tellRejected(UserInput.name(events))
      for miss in replay.names.nearMisses {
        FileText.printError(
          DiagnosticText.visible(
            "note: the column '\(miss.name)' is unknown and ignored; did you mean '\(miss.meant)'?")
        )
      }
    }
    if replay.tally.all.rows == 0, replay.tally.passed.isEmpty {
      throw CommandError(
        replay.tally.rejected == 0
          ? "\(UserInput.name(events)) has no rows"
          : "no row of \(UserInput.name(events)) can be read")
    }
    FileText.print(json ? report.value.json : report.text(TextStyle(.standardOutput)))
    if !report.isClean { throw ExitCode(Ending.findings) }
  }

  private func show(_ verdicts: [ReplayVerdict], _ isCountedTheSame: Bool, changed: [String]) {
    if json {
      let users = Value.Entry(
        key: "users",
        value: .object([
          "same": .bool(changed.isEmpty), "changed": .list(changed.map { .string($0) }),
        ]))
      let entries = verdicts.map { Value.Entry(key: .string($0.name), value: $0.value) }
      let counts = Value.Entry(key: "counts", value: ["same": .bool(isCountedTheSame)])
      FileText.print(Value.map([users] + entries + [counts]).json)
    } else {
      if !changed.isEmpty {
        FileText.print("users: changed since the run, in \(changed.joined(separator: ", "))")
      }
      for verdict in verdicts { FileText.print(verdict.text) }
      FileText.print(isCountedTheSame ? "counts: the same" : "counts: different")
    }
  }

  private func readConfig(_ settings: RunSettings) throws -> ConfigFile {
    let path = config.first ?? find(settings.config)
    guard path != "-" || !config.isEmpty else {
      throw CommandError("the run read its config from standard input; give it with --config FILE")
    }
    let language = LanguageOptions.language(
      dialect: settings.dialect, platform: settings.platform, sdkVersion: settings.sdkVersion)
    let file = try ConfigFile(
      path, format: settings.format.flatMap { Config.Format(rawValue: $0) }, language: language)
    let hash = XXH64.text(of: file.bytes)
    guard hash == settings.configHash else {
      throw CommandError(
        "\(path) is another config: its hash is \(hash), and the run's was "
          + settings.configHash, exitCode: Ending.findings)
    }
    return file
  }

  private func process(
    _ plan: BatchPlan, _ settings: RunSettings, _ users: [String], _ outcomes: OutputComparison,
    _ rejects: OutputComparison
  ) async throws -> BatchRun {
    let state = Checkpoint(settings, plan: plan)
    let isDatabase = FileForm(text: settings.output)?.form == .sqlite
    let scratch = Scratch.path("tollgate-replay.sqlite")
    defer { if isDatabase { [scratch, scratch + ".building"].forEach(OutcomeDatabase.remove) } }
    let sink: OutcomeSink =
      isDatabase
      ? .database(
        OutcomeDatabase(scratch, building: scratch + ".building", plan, resumes: false))
      : .comparison(outcomes)
    if !isDatabase { try sink.write(plan.header) }
    let files = BatchRun.Files(users: users, outcomes: sink, rejects: .comparison(rejects))
    var run = try BatchRun(
      plan: plan, files: files, from: state, threads: working.count,
      isQuiet: quiet)
    run.tellBegun()
    try await run.process()
    if isDatabase {
      try run.close()
      try InputFile(scratch).forEachBlock { try outcomes.write($0) }
    }
    run.tellDone()
    outcomes.finish()
    rejects.finish()
    return run
  }

  /// The current location of a path in the manifest.
  private func find(_ path: String) -> String {
    guard path != "-", !path.hasPrefix("/"), !FileIdentity.exists(path),
      let manifest, let slash = manifest.lastIndex(of: "/")
    else { return path }
    let beside = String(manifest[...slash]) + path
    return FileIdentity.exists(beside) ? beside : path
  }

  private func checkInputs(_ settings: RunSettings, _ users: [String]) throws {
    for (path, size) in zip(users, settings.sizes) {
      guard let size else { continue }
      let now = FileIdentity.regularSize(of: path)
      guard now != nil else { throw CommandError("the users file \(path) no longer exists") }
      guard now == size else {
        throw CommandError(
          "\(path) is another file: it has \(counted(now ?? 0, "byte")), and the run's had "
            + grouped(size), exitCode: Ending.findings)
      }
    }
  }

  /// - Parameter form: the form of the file, as in ``FileForm/text``.
  private func comparison(_ written: Manifest.Written?, _ form: String?) throws
    -> OutputComparison
  {
    guard let written else { return try OutputComparison(nil) }
    let path = find(written.path)
    return try OutputComparison(
      FileIdentity.exists(path) ? path : nil, form.flatMap { FileForm(text: $0) })
  }
}

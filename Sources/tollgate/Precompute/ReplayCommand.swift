internal import ArgumentParser
internal import RuleEngine

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Repeat a precompute run and compare its output byte for byte.",
    discussion: """
      Reads the manifest that 'tollgate precompute' left, and with its settings the same config, \
      the same users and, where texts were rendered, the same files for these. Outcomes are \
      compared with the file that the run wrote, or with its hash when that is gone; counts are \
      compared too. Nothing is written. Relative paths are looked for in the current folder, then \
      beside the manifest. The exit code is 1 when anything differs, in what comes out or in what \
      goes in.
      """)

  @Option(
    help: ArgumentHelp(
      "The config, if it has moved or came from standard input.", valueName: "file"))
  var config: String?

  @Argument(help: "The manifest of a run.")
  var manifest: String

  @Option(
    parsing: .unconditional,
    help: "How many threads to use. The default is one per core.")
  var threads: Int?

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1") }
  }

  func run() async throws {
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
      try config.requireRuleSet(),
      texts: try texts?.plan(for: config.config, now: settings.now))
    FileText.printError(
      "Deciding \(counted(plan.placementCount, "placement")) as of \(settings.basis)")
    let (outcomes, rejects) = (
      try comparison(earlier.outcomes), try comparison(earlier.rejects)
    )
    let run = try await Signals.heeding {
      try await process(plan, settings, users, outcomes, rejects)
    }
    var isSame = true
    if let written = earlier.outcomes { isSame = tell("outcomes", written, outcomes) }
    if let written = earlier.rejects { isSame = tell("rejects", written, rejects) && isSame }
    let isCountedTheSame = run.tally.value == earlier.counts
    FileText.print(isCountedTheSame ? "counts: the same" : "counts: different")
    if !isSame || !isCountedTheSame { throw ExitCode(Ending.findings) }
  }

  private func readConfig(_ settings: RunSettings) throws -> ConfigFile {
    let path = config ?? find(settings.config)
    guard path != "-" || config != nil else {
      throw CommandError("the run read its config from standard input; give it with --config FILE")
    }
    let language = LanguageOptions.language(dialect: settings.dialect, platform: settings.platform)
    let file = try ConfigFile(
      path, format: settings.format.flatMap { Config.Format(rawValue: $0) }, language: language)
    let hash = RunSettings.hash(file.bytes)
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
    let files = BatchRun.Files(
      users: users, outcomes: sink, rejects: .comparison(rejects), checkpoint: nil, interval: 0,
      begin: { _ in })
    var run = try BatchRun(
      plan: plan, files: files, from: state, threads: threads ?? Clock.processors())
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

  /// Where a path of the manifest leads.
  private func find(_ path: String) -> String {
    guard path != "-", !path.hasPrefix("/"), !FileIdentity.exists(path),
      let slash = manifest.lastIndex(of: "/")
    else { return path }
    let beside = String(manifest[...slash]) + path
    return FileIdentity.exists(beside) ? beside : path
  }

  private func checkInputs(_ settings: RunSettings, _ users: [String]) throws {
    for (path, size) in zip(users, settings.sizes) {
      guard let size else { continue }
      let now = FileIdentity.regularSize(of: path)
      guard now != nil else { throw CommandError("the users file \(path) is gone") }
      guard now == size else {
        throw CommandError(
          "\(path) is another file: it has \(counted(now ?? 0, "byte")), and the run's had "
            + grouped(size), exitCode: Ending.findings)
      }
    }
  }

  private func comparison(_ written: Manifest.Written?) throws -> OutputComparison {
    guard let written else { return try OutputComparison(nil) }
    let path = find(written.path)
    return try OutputComparison(
      FileIdentity.exists(path) ? path : nil, isCompressed: written.text != nil)
  }

  private func tell(
    _ name: String, _ written: Manifest.Written, _ comparison: OutputComparison
  ) -> Bool {
    if let difference = comparison.difference {
      let damage = comparison.damage.map { ": \($0)" } ?? ""
      FileText.print("\(name): different from \(written.path) at byte \(difference)\(damage)")
      return false
    }
    let content = written.text ?? written.content
    let isSame = Manifest.Written.Content(comparison.hash) == content
    let how =
      comparison.isComparingBytes
      ? ", as in \(written.path)" : " (by hash; \(written.path) is gone)"
    FileText.print(
      isSame
        ? "\(name): the same \(counted(content.bytes, "byte"))\(how)"
        : "\(name): different: \(counted(comparison.hash.count, "byte")), and the run wrote "
          + "\(grouped(content.bytes)) with another hash")
    return isSame
  }
}

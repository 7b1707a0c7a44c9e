internal import ArgumentParser
internal import Expressions
internal import RuleBatch
internal import RuleEngine

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Repeat a precompute run and compare its output byte for byte.",
    discussion: HelpText(
      """
      Reads the manifest of 'tollgate precompute', repeats the run with its settings and files, and \
      compares the outcomes with the file that the run wrote, or with its hash if the file no longer \
      exists. The first line that differs is named, with its user. Counts and the hash of the users are \
      compared too. Nothing is written. Relative paths are resolved against the current folder, then \
      against the manifest's.
      """,
      examples: [
        .init(
          "repeat a run and compare",
          "tollgate replay outcomes.sqlite.manifest.json"),
        .init("the same for a script", "tollgate replay outcomes.sqlite.manifest.json --json"),
      ],
      codes: [
        ("0", "the same"),
        ("1", "the input or the output differs"),
        ("2", "wrong use, or a missing file"),
      ]
    ).text)

  @Option(
    help: OptionHelp.config("For a config that has moved, or that was read from standard input."),
    completion: .file())
  var config: String?

  @Argument(help: "The manifest of a run.", completion: .file())
  var manifest: String

  @OptionGroup var working: ThreadOptions

  @Flag(
    help: OptionHelp.json(
      "One object that says whether outcomes, rejects and counts are the same."))
  var json = false

  @Flag(help: OptionHelp.quiet("Omits progress."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

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
    let path = config ?? find(settings.config)
    guard path != "-" || config != nil else {
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

  /// - Parameter form: how the file is written, as ``FileForm/text`` has it.
  private func comparison(_ written: Manifest.Written?, _ form: String?) throws
    -> OutputComparison
  {
    guard let written else { return try OutputComparison(nil) }
    let path = find(written.path)
    return try OutputComparison(
      FileIdentity.exists(path) ? path : nil, form.flatMap { FileForm(text: $0) })
  }
}

/// What came of comparing a file of the run with what comes out now.
private struct ReplayVerdict {
  var name: String
  var written: Manifest.Written
  var comparison: OutputComparison

  private var content: Manifest.Written.Content { written.text ?? written.content }

  var isSame: Bool {
    comparison.difference == nil && Manifest.Written.Content(comparison.hash) == content
  }

  /// Whether the file is not what the run wrote, while what comes out now is: somebody has changed it.
  private var isChangedSince: Bool {
    comparison.difference != nil && Manifest.Written.Content(comparison.hash) == content
  }

  var text: String {
    if let difference = comparison.difference {
      let damage = comparison.damage.map { ": \($0)" } ?? ""
      let place = comparison.place.map { place in
        ", in line \(grouped(place.line))" + (place.subject.map { ", \($0)" } ?? "")
      }
      return DiagnosticText.visible(
        "\(name): different from \(written.path) at byte \(difference)\(place ?? "")\(damage)")
        + (isChangedSince ? "\n  the file was changed after the run" : "")
    }
    let how =
      comparison.isComparingBytes
      ? ", as in \(written.path)" : " (by hash; \(written.path) is gone)"
    return isSame
      ? "\(name): the same \(counted(content.bytes, "byte"))\(how)"
      : "\(name): different: \(counted(comparison.hash.count, "byte")), and the run wrote "
        + "\(grouped(content.bytes)) with another hash"
  }

  var value: Value {
    .members([
      "same": .bool(isSame), "path": .string(written.path),
      "comparedBy": comparison.isComparingBytes ? "bytes" : "hash",
      "changedAfterRun": isChangedSince ? true : nil,
      "bytes": .int(Int64(comparison.hash.count)),
      "differsAt": comparison.difference.map { .int(Int64($0)) },
      "line": comparison.place.map { .int(Int64($0.line)) },
      "userId": comparison.place?.user.map { .string($0) },
      "damage": comparison.damage.map { .string($0) },
    ])
  }
}

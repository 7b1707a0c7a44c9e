internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct MigrateWeightsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate-weights",
    abstract: "Reassign variants after a change of weights, moving as few users as possible.",
    discussion: HelpText(
      """
      A change of weights, seed or assigner gives users other variants. This command counts the users that a \
      new draw would move, and computes assignments that have the new weights and move the fewest users. \
      Shares are rounded by largest remainder, and each variant keeps as many of its users as its share \
      allows.

      A user counts for an experiment if the experiment decides at one of the new config's placements. The \
      user's old variant is the stored variant or, if no variant is stored, the variant from the old config. \
      --out writes the new assignments. Put them into 'assignments' of user records, or into your backend.
      """,
      examples: [
        .init(
          "the effect of new weights",
          "tollgate migrate-weights config.json new.json --users users.ndjson"),
        .init(
          "the assignments with the fewest moves, after a change of the seed",
          "tollgate migrate-weights config.json config.json --users users.ndjson "
            + "--old-seed 2025 --seed 2026 --out assignments.ndjson"),
      ],
      codes: [
        ("0", "done"), ("1", "a rule that decides about an experiment does not compile"),
        ("2", "usage error, or unreadable input"),
        ("3", "done, but lines were rejected and --strict was given"),
        ("74", "output could not be written"),
      ]
    ).text)

  @Argument(help: OptionHelp.oldConfig, completion: .file())
  var old: String

  @Argument(help: OptionHelp.newConfig, completion: .file())
  var new: String

  @OptionGroup(title: "Config Options") var form: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(
    parsing: .upToNextOption,
    help: OptionHelp.users("Repeatable; files are read in that order."),
    completion: .file())
  var users: [String]

  @Option(help: OptionHelp.usersFormat)
  var usersFormat: UserForm?

  @Option(
    name: .customLong("experiment"),
    help: ArgumentHelp(
      "The experiment's ID.",
      discussion: """
        Repeatable. The default is all experiments whose variants or weights differ. If the seed or the assigner \
        differs, it is all experiments of both configs.
        """, valueName: "id"))
  var experiments: [String] = []

  @OptionGroup(title: "Decision Options") var options: DecisionOptions

  @Option(
    help: ArgumentHelp(
      "The seed of the old config, if different from --seed.", valueName: "seed"))
  var oldSeed: String?

  @Option(
    help: ArgumentHelp(
      "The assigner of the old config, if different.",
      valueName: "assigner"))
  var oldAssigner: DecisionOptions.AssignerName?

  @Option(
    help: OptionHelp.out(
      """
      NDJSON has a line for each user, {"userId","assignments":[{"experimentId","variantId"}]}. CSV has a line \
      for each assignment. Names that end in .gz or .zst compress the file.
      """), completion: .file())
  var out: String?

  @Flag(help: OptionHelp.json())
  var json = false

  @Flag(help: OptionHelp.strict("The exit code is 3 if a line was rejected."))
  var strict = false

  @Flag(help: OptionHelp.quiet("Omits notes and progress."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if users.isEmpty { throw ValidationError("--users is missing") }
    if ([old, new] + users).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one file can be standard input")
    }
  }

  func run() async throws {
    let paths = try UserInput.paths(users, form: usersFormat)
    let output = try out.map {
      try FileForm(path: $0, option: "--out", allowed: [.ndjson, .csv])
    }
    var uses = FileUses()
    uses.reads("the old config", old)
    if new != old { uses.reads("the new config", new) }
    for path in paths { uses.reads("--users", path) }
    uses.writes("--out", out)
    try uses.check()
    let clock = try options.clock(try options.time())
    let (before, oldConfig) = try side(old, seed: oldSeed, name: oldAssigner)
    let (after, newConfig) = try side(new, seed: nil, name: nil)
    if !quiet, after.ruleSet.placementNames.isEmpty {
      FileText.printError("note: \(new) has no placements")
    }
    let chosen = try chosen(
      MigratedExperiment.all(oldConfig, newConfig), isAll: before.assigner != after.assigner)
    var run = MigrationRun(chosen, old: before, new: after, clock: clock)
    run = try await Signals.heeding { [run] in
      var run = run
      try run.read(paths, usersFormat, isQuiet: quiet)
      return run
    }
    if run.userCount == 0 {
      throw CommandError(
        "no users in \(paths.joined(separator: ", "))"
          + (run.refused > 0 ? ": all \(counted(run.refused, "line")) rejected" : ""))
    }
    let results = run.experiments.map { ($0, $0.migration.result()) }
    if let out, let output { try write(run, results.map(\.1), to: out, output) }
    report(run, results, clock.now, before.assigner, after.assigner)
    if strict, run.refused > 0 {
      throw CommandError(
        "\(counted(run.refused, "line")) rejected, and --strict was given",
        exitCode: Ending.refusedLines)
    }
  }

  private func side(
    _ path: String, seed: String?, name: DecisionOptions.AssignerName?
  ) throws -> (MigrationRun.Side, Config) {
    let file = try form.file(path, language)
    let ruleSet = try file.requireRuleSet(keepsGoing: false).reading(options.userIds)
    guard let config = file.config else { throw CommandError("\(path) is not a config") }
    var options = options
    if let seed { options.seed = seed }
    if let name { options.assignerName = name }
    return (
      MigrationRun.Side(ruleSet: ruleSet, assigner: options.assigner(for: ruleSet.format)), config
    )
  }

  /// The selected experiments.
  private func chosen(_ all: [MigratedExperiment], isAll: Bool) throws -> [MigratedExperiment] {
    if !experiments.isEmpty {
      return try experiments.map { id in
        if let found = all.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) { return found }
        let close = Suggestion.closest(to: id, among: all.map(\.id))
        throw CommandError(
          DiagnosticText.visible(
            "'\(id)' is not a running experiment of both configs"
              + (close.map { "; did you mean '\($0)'?" } ?? "")))
      }
    }
    let changed = all.filter { isAll && $0.variants.count > 1 || $0.hasChanged }
    if changed.isEmpty {
      throw CommandError(
        all.isEmpty
          ? "the configs have no running experiment in common"
          : "the weights of all \(counted(all.count, "experiment")) are the same in both configs, and "
            + "the seed and the assigner did not change either; to include an experiment anyway, use --experiment, or --old-seed and "
            + "--old-assigner if they have changed")
    }
    return changed
  }

  private func write(
    _ run: MigrationRun, _ results: [WeightMigration.Result], to path: String, _ form: FileForm
  ) throws {
    let header = form.form == .csv ? Array("userId,experimentId,variantId\n".utf8) : []
    let file = try OutputFile(path, form.compression, header: header)
    var bytes: [UInt8] = []
    try run.forEachUser(results) { user, assigned in
      MigrationRun.append(user, assigned, isCSV: form.form == .csv, to: &bytes)
      if bytes.count >= 1 << 16 {
        try file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    try file.write(bytes)
    try file.close()
    try file.takePlace()
  }

  private func report(
    _ run: MigrationRun, _ results: [(MigratedExperiment, WeightMigration.Result)],
    _ now: Instant, _ before: Assigner, _ after: Assigner
  ) {
    let report = MigrationReport(
      experiments: results, userCount: run.userCount, refused: run.refused)
    // If the assignments go to standard output, nothing else may be printed there.
    let isFree = out != "-"
    let target: FileDescriptor = isFree ? .standardOutput : .standardError
    if !quiet {
      let former = before == after ? "" : "; before, \(DecisionOptions.basis(now, before))"
      FileText.printError("Decided as of \(DecisionOptions.basis(now, after))\(former)")
    }
    if json {
      FileText.print(report.value.json, to: target)
    } else {
      FileText.print(report.text(TextStyle(target)), to: target)
    }
    if run.repeated > 0, !quiet {
      FileText.printError(
        "note: \(counted(run.repeated, "line")) \(run.repeated == 1 ? "repeats" : "repeat") earlier users; "
          + "the first record counts")
    }
    if run.refused > 0 {
      FileText.printError(
        "warning: \(counted(run.refused, "line")) rejected; 'tollgate precompute' reports the reasons"
      )
    }
  }
}

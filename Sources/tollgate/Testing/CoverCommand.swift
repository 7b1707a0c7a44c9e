internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight
internal import SDK

struct CoverCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cover",
    abstract: "Show which parts of the rules no test exercises, and write tests for them.",
    discussion: HelpText(
      """
      Decides the users of the tests and counts the parts of the rules that they exercise: audiences that \
      take a user, clauses that alone decide (when true, and when false), limits (reached, with one \
      occurrence left, and with occurrences that are too old), variants, skipped owners of an entitlement \
      and, with --render, the texts of shown paywalls.

      A part is excluded, with a reason, if it is proved that no user can exercise it. To see whether the \
      tests pass, use 'tollgate test'.

      --write writes tests for the gaps. Review them: they record what the rules do, not what you intend.
      """,
      examples: [
        .init(
          "what no test exercises",
          "tollgate cover config.json first.tests.jsonl --now 2026-03-01T12:00:00Z"),
        .init(
          "write tests for the gaps",
          "tollgate cover config.json first.tests.jsonl --write more.tests.jsonl "
            + "--now 2026-03-01T12:00:00Z"),
        .init(
          "in CI, with a report page",
          "tollgate cover config.json '*.tests.jsonl' --fail-under 50 --report coverage.html"),
      ],
      codes: [
        ("0", "done"), ("1", "coverage is below --fail-under, or a rule does not compile"),
        ("2", "usage error, or an invalid test"), ("74", "output could not be written"),
      ]
    ).text)

  @OptionGroup var source: ConfigOptions

  @Argument(
    help:
      "Files with tests, or patterns; - reads standard input. Without files, everything counts as uncovered.",
    completion: .file())
  var tests: [String] = []

  @OptionGroup(title: "Config Options") var form: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions
  @OptionGroup(title: "Decision Options") var options: DecisionOptions
  @OptionGroup(title: "Text Options") var rendering: RenderingOptions
  @OptionGroup(title: "Text Options") var products: TextProductOptions

  @Option(
    help: ArgumentHelp(
      "A file for tests that close the gaps.", valueName: "file"),
    completion: .file())
  var write: String?

  @Flag(help: OptionHelp.force("Only with --write."))
  var force = false

  @Option(
    help: ArgumentHelp(
      "Exit with 1 if coverage is below this percentage.", valueName: "percent"))
  var failUnder: Double?

  @Flag(help: OptionHelp.json("The output is one object with all counts."))
  var json = false

  @Flag(help: OptionHelp.quiet("Omits notes and progress."))
  var quiet = false

  @OptionGroup(title: "Report Options") var reporting: ReportOptions

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if ([source.config] + tests).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one file can be standard input")
    }
    if let failUnder, !(0...100).contains(failUnder) {
      throw ValidationError("--fail-under must be a percentage from 0 to 100")
    }
    if force, write == nil { throw ValidationError("--force is for --write") }
    if write == "" { throw ValidationError("--write is empty; give the name of a file") }
  }

  func run() async throws {
    let paths = try TestCommand.paths(tests)
    try check(paths)
    let file = try form.file(source.config, language)
    let ruleSet = try file.requireRuleSet(keepsGoing: false).reading(options.userIds)
    if ruleSet.placementNames.isEmpty {
      throw CommandError("\(file.name) has no placements to cover")
    }
    let assigner = options.assigner(for: ruleSet.format)
    options.tellUnused(assigner, isQuiet: quiet)
    let start = try options.time()
    let texts = try rendering.plan(
      for: file.config, products, now: start, in: options.givenTimeZone)
    let files = try paths.map { try RuleTestFile($0, timeZone: options.timeZone) }
    let run = try await Signals.heeding {
      var progress = ProgressLine(isQuiet: quiet)
      let all = ruleSet.placements.count
      let run = try CoverageRun(
        files.flatMap(\.tests), faults: files.flatMap(\.faults), ruleSet: ruleSet,
        assigner: assigner, texts: texts, start: try options.clock(start),
        clock: { try options.clock($0) },
        tell: { number in
          try Signals.check()
          if let number, progress.isDue() {
            progress.show("\(grouped(number)) of \(grouped(all)) placements")
          }
        })
      progress.interrupt()
      return run
    }
    try show(run, file, basis: options.zonedBasis(start, assigner))
    try end(run)
  }

  private func check(_ paths: [String]) throws {
    try reporting.checkWritable()
    if let write, write != "-" { try FilePlace(write).checkWritable("--write") }
    if let write, !force, FilePlace(write).kind == .file, !paths.contains(write) {
      throw CommandError(
        "\(write) already exists and may contain your tests; choose another file, or add --force "
          + "to replace it")
    }
    var uses = FileUses()
    uses.reads("the config", source.config)
    for path in paths { uses.reads("the tests", path) }
    uses.reads("--render", rendering.render)
    uses.reads("--products", products.products)
    uses.writes("--write", write)
    reporting.add(to: &uses)
    try uses.check()
  }

  private func show(_ run: CoverageRun, _ file: ConfigFile, basis: String) throws {
    let command = closingCommand(run)
    // Standard output is reserved for the tests.
    let target: FileDescriptor = write == "-" ? .standardError : .standardOutput
    FileText.print(
      json
        ? CoverageJSON(run, config: file.bytes).value.json
        : CoverageText(run: run, config: file, style: TextStyle(target)).text, to: target)
    RuleTestRun.tell(run.faults)
    if !quiet, run.failing > 0 {
      FileText.printError(
        "note: \(counted(run.failing, "test")) \(run.failing == 1 ? "expects" : "expect") an outcome "
          + "that differs from the config's; 'tollgate test' shows it")
    }
    try writeTests(run)
    try reporting.write(
      CoveragePage(
        run: run, config: file, tests: tests, basis: basis,
        version: SDKVersion.current, command: command
      ).page,
      isQuiet: quiet)
    if !quiet, write == nil, let command {
      FileText.printError(
        "note: \(counted(run.search.lines.count, "test")) would close the gaps that can be closed: \(command)"
      )
    }
  }

  private func writeTests(_ run: CoverageRun) throws {
    guard let write else { return }
    if run.search.lines.isEmpty {
      if !quiet {
        FileText.printError(
          "note: all gaps are closed or cannot be closed, so \(write) was not written")
      }
      return
    }
    try SavedFile.write(Array(run.search.lines.map { $0.json + "\n" }.joined().utf8), to: write)
    if !quiet, write != "-" {
      FileText.printError("Wrote \(counted(run.search.lines.count, "test")) to \(write)")
    }
  }

  private func end(_ run: CoverageRun) throws {
    if !run.faults.isEmpty { throw ExitCode(Ending.wrongUse) }
    guard let failUnder, run.isBelow(failUnder) else { return }
    throw CommandError(
      "\(CoverageRun.percent(run.share)) is less than the \(Self.number(failUnder)) % of --fail-under",
      exitCode: Ending.findings)
  }

  /// A number without a redundant fraction: 90 instead of 90.0.
  private static func number(_ number: Double) -> String {
    number == number.rounded() ? String(Int(number)) : "\(number)"
  }

  /// The command that writes tests for the gaps; nil if there are no gaps, or if files cannot be read again.
  private func closingCommand(_ run: CoverageRun) -> String? {
    guard !run.search.lines.isEmpty, !([source.config] + tests).contains("-") else { return nil }
    let names = ["more.tests.jsonl", "cover.tests.jsonl"]
    let name = names.first { !FileText.isFile($0) } ?? names[0]
    var words = ["tollgate", "cover", source.config] + tests + ["--write", write ?? name]
    if let format = form.configFormat { words += ["--config-format", format.rawValue] }
    if let now = options.now { words += ["--now", now] }
    if let zone = options.givenTimeZone { words += ["--time-zone", zone] }
    if !options.seed.isEmpty { words += ["--seed", options.seed] }
    if let assigner = options.assignerName { words += ["--assigner", assigner.rawValue] }
    words += language.words
    if let render = rendering.render { words += ["--render", render] }
    if let products = products.products { words += ["--products", products] }
    return DiagnosticText.visible(words.map(ShellWord.quoted).joined(separator: " "))
  }
}

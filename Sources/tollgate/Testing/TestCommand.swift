internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run rule tests.",
    usage: """
      tollgate test <tests> ... --config <file> [<options>]
      tollgate test --init --config <file> [--out <file>] [<options>]
      """,
    discussion: HelpText(
      """
      A test is a line with a user record, a placement and the expected outcome:

        {"placement":"export_report","userId":"u1","user":{"plan":"free"},
         "expect":{"result":"paywall","audience":"export-free"}}

      'expect' can have result, audience (number or ID), experiment, variant, paywall, and texts by \
      name, from the templates of --render. Other members are not compared. A test can have a 'name', \
      and its own 'now' and 'seed'. A file can also be one JSON list of tests, or name a table: \
      {"users":"users.ndjson","expect":"expected.csv"}. The second file has columns of outcomes, such \
      as the CSV of precompute. A table can have 'now' and 'seed', too.

      For each failed test, the report shows what differs, and the clauses that decided.
      """,
      examples: [
        .init(
          "first tests: a user for each audience and variant",
          "tollgate test --init --config config.json --out first.tests.jsonl "
            + "--now 2026-03-01T12:00:00Z"),
        .init("run them", "tollgate test first.tests.jsonl --config config.json"),
        .init(
          "in CI, with a report",
          "tollgate test '*.tests.jsonl' --config config.json --junit tests.xml"),
      ],
      codes: [
        ("0", "all passed"), ("1", "a test failed, or a rule does not compile"),
        ("2", "an invalid test, or no tests"),
        ("74", "output could not be written"),
      ]
    ).text)

  @Argument(help: "Files with tests, or patterns; - reads standard input.", completion: .file())
  var tests: [String] = []

  @Option(
    help: OptionHelp.config("The tests decide with the rules of this config."), completion: .file())
  var config: String

  @OptionGroup(title: "Config Options") var form: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions
  @OptionGroup(title: "Decision Options") var options: DecisionOptions
  @OptionGroup(title: "Text Options") var rendering: RenderingOptions
  @OptionGroup(title: "Text Options") var products: TextProductOptions

  @Flag(
    name: .customLong("init"),
    help: "Write first tests: a user for each audience and variant.")
  var isInit = false

  @Option(help: OptionHelp.out("Only with --init."), completion: .file())
  var out: String?

  @Flag(help: OptionHelp.force("Only with --init."))
  var force = false

  @Option(
    help: ArgumentHelp(
      "Also write the results as JUnit XML, for CI systems.", valueName: "file"),
    completion: .file())
  var junit: String?

  @Flag(help: "Run the tests again whenever a file changes, until you press Ctrl-C.")
  var watch = false

  @Flag(
    help: OptionHelp.json("The output has one test per line. The last line contains the counts."))
  var json = false

  @Flag(help: OptionHelp.quiet("Prints failures, without the closing line."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if isInit {
      if let first = tests.first {
        throw ValidationError("--init writes tests and does not run any: remove '\(first)'")
      }
      if watch || junit != nil || json || rendering.render != nil {
        throw ValidationError("--init cannot be combined with --watch, --junit, --json or --render")
      }
      return
    }
    if out != nil { throw ValidationError("--out needs --init; --junit writes results") }
    if force { throw ValidationError("--force needs --init") }
    if tests.isEmpty { throw ValidationError("give files with tests, or --init to write some") }
    if (tests + [config]).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one file can be standard input")
    }
    if watch, (tests + [config]).contains("-") {
      throw ValidationError("--watch needs files, not standard input")
    }
  }

  func run() async throws {
    if isInit { return try writeFirst() }
    var uses = FileUses()
    uses.reads("the config", config)
    for path in try Self.paths(tests) { uses.reads("the tests", path) }
    uses.reads("--render", rendering.render)
    uses.reads("--products", products.products)
    uses.writes("--junit", junit)
    try uses.check()
    guard watch else {
      let code = try await Signals.heeding { try runOnce().code }
      if code != 0 { throw ExitCode(code) }
      return
    }
    try await Signals.heeding { try runAgainAndAgain() }
  }

  /// Runs the tests.
  ///
  /// - Returns: the exit code, and files that tests name.
  private func runOnce() throws -> (code: Int32, named: [String]) {
    let file = try form.file(config, language)
    let ruleSet = try file.requireRuleSet(keepsGoing: false).reading(options.userIds)
    let assigner = options.assigner(for: ruleSet.format)
    options.tellUnused(assigner, isQuiet: quiet)
    let start = try options.time()
    let files = try Self.paths(tests).map { try RuleTestFile($0, timeZone: options.timeZone) }
    let texts = try rendering.plan(
      for: file.config, products, now: start, in: options.givenTimeZone)
    // Rendered texts depend on the time.
    var plans = [start: texts]
    let run = try RuleTestRun(
      files.flatMap(\.tests), faults: files.flatMap(\.faults), ruleSet: ruleSet,
      assigner: assigner,
      texts: { now in
        if let known = plans[now] { return known }
        let plan = try rendering.plan(
          for: file.config, products, now: now, in: options.givenTimeZone, isTold: true)
        plans[now] = plan
        return plan
      },
      clock: { try options.clock($0 ?? start) })
    if let junit { try SavedFile.write(Array((JUnitReport(run: run).text + "\n").utf8), to: junit) }
    show(run)
    let code =
      !run.faults.isEmpty || run.ran.isEmpty
      ? Ending.wrongUse : run.failed > 0 ? Ending.findings : Ending.done
    return (code, files.flatMap(\.named))
  }

  private func show(_ run: RuleTestRun) {
    if json {
      for ran in run.ran { FileText.print(ran.value.json) }
    } else {
      for ran in run.ran where !ran.result.differences.isEmpty {
        FileText.print(Annotations.harmless(ran.text) + "\n")
      }
    }
    if !json, Annotations.areWanted {
      for ran in run.ran where !ran.result.differences.isEmpty {
        if let annotation = ran.annotation { FileText.print(annotation) }
      }
    }
    RuleTestRun.tell(run.faults)
    if json {
      FileText.print(run.counts.json)
    } else if !quiet {
      FileText.print(run.closingLine)
    }
  }

  /// The files that match the patterns.
  static func paths(_ tests: [String]) throws -> [String] {
    try tests.flatMap { pattern in
      if pattern.isEmpty { throw CommandError("the name of a file with tests is empty") }
      let found = FilePattern.paths(pattern)
      if found.isEmpty { throw CommandError("no file matches \(pattern)") }
      return found
    }
  }

  // MARK: Again and again

  private func runAgainAndAgain() throws {
    var named: [String] = []
    while true {
      // The states are recorded before the run, so that changes during the run are noticed.
      var seen = try states(named)
      do {
        let found = try runOnce().named
        if found != named { seen = try states(found) }
        named = found
      } catch let stop as Signals.Stop {
        throw stop
      } catch {
        // The file may be in the middle of an edit.
        FileText.printError(Ending.of(error)?.text ?? "\(Ending.prefix)\(error)")
      }
      if !quiet { FileText.printError("Waiting for a change; press Ctrl-C to stop.") }
      while try states(named) == seen { try Signals.pause(milliseconds: 200) }
      FileText.print("")
    }
  }

  /// The observable state of all files: the modification time and the size of each.
  private func states(_ named: [String]) throws -> [FileState?] {
    // A pattern may now match other files, or temporarily no file.
    let files = tests.flatMap { FilePattern.paths($0) }
    let texts = [rendering.render, products.products].compactMap { $0 }
    return ([config] + files + named + texts).map { FileState($0) }
  }

  // MARK: Tests to begin with

  private func writeFirst() throws {
    if let out, !force, FilePlace(out).kind == .file {
      throw CommandError(
        "\(out) already exists and may contain your tests; choose another file, or add --force "
          + "to replace it")
    }
    let file = try form.file(config, language)
    let ruleSet = try file.requireRuleSet(keepsGoing: false)
    let (lines, missing) = TestProposals.lines(
      ruleSet, assigner: options.assigner(for: ruleSet.format),
      clock: try options.clock(try options.time()))
    if lines.isEmpty { throw CommandError("\(config) has no placements to test") }
    let text = lines.map { $0.json + "\n" }.joined()
    try SavedFile.write(Array(text.utf8), to: out ?? "-")
    if !quiet {
      for place in missing {
        FileText.printError("note: no user was found for \(place); 'tollgate check' may show why")
      }
      if let out { FileText.printError("Wrote \(counted(lines.count, "test")) to \(out)") }
    }
  }
}
